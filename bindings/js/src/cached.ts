// Profiles for the tools of requests, each compiled once.

import { Profile, type Options } from "./profile.js";

/** How many profiles are kept: an application has few lists of tools. */
const LIMIT = 16;

export class CachedProfiles {
  private readonly options: Options;
  private readonly known = new Map<string, Profile>();

  constructor({ preset, model, profile, dialect, tools, calls }: Options) {
    this.options = { preset, model, profile, dialect, tools, calls };
  }

  /** The profile for a request with these tools. Without tools there are no calls, whatever the profile says. */
  get(tools: string | undefined): Profile {
    const own = this.options.tools;
    const key = own === undefined ? (tools ?? "") : "";
    let profile = this.known.get(key);
    if (!profile) {
      const given = own ?? tools;
      profile = new Profile({ ...this.options, tools: given, calls: given !== undefined });
      if (this.known.size === LIMIT) this.known.delete(this.known.keys().next().value!);
      this.known.set(key, profile);
    }
    return profile;
  }
}
