// What a caller sets, and the profile that is compiled from it.

import { RawProfile } from "../generated/tagstream.js";
import { TagstreamError, checked, checkNames } from "./error.js";
import { loaded } from "./module.js";

/** A list of tools in the format of any provider, a request with one, or the text of either. */
export type Tools = string | readonly unknown[] | Record<string, unknown>;

/** Which markup counts: at most one of `preset`, `model` and `profile`, and what changes it. Without a preset, a model or a profile it is that of the preset `thinking`. */
export interface Options {
  /** The name of a preset: see `presets()`. */
  preset?: string | undefined;
  /** The name of a model, which chooses the preset. */
  model?: string | undefined;
  /** A profile: an object, or the text of TOML or JSON. */
  profile?: string | Record<string, unknown> | undefined;
  /** The dialects of tool calls, by name: see `dialects()`. With `auto`, all that their markup identifies. */
  dialect?: string | readonly string[] | undefined;
  /** The declared tools. Calls are checked against their schemas. */
  tools?: Tools | undefined;
  /** Whether tool calls are read; if it is not set, as the profile has it, or if there are tools. */
  calls?: boolean | undefined;
}

/** The names of the options. */
export const OPTIONS: readonly string[] = ["preset", "model", "profile", "dialect", "tools", "calls"] satisfies (keyof Options)[];

/** Options that are compiled once. Wherever options are taken, so is a profile. */
export class Profile {
  /** @internal */
  readonly raw: RawProfile;
  /** Nothing else is a profile. */
  declare private readonly brand: never;

  constructor(options: Options = {}) {
    loaded();
    checkNames(options, OPTIONS);
    const { preset, model, profile, dialect, tools, calls } = options;
    const second = Object.entries({ preset, model, profile }).filter(([, value]) => value != null)[1];
    if (second) throw new TagstreamError(second[0], "give only one of `preset`, `model` and `profile`");
    const text = JSON.stringify({ preset, model, profile: textOf(profile), dialect, tools: textOf(tools), calls });
    this.raw = checked(() => new RawProfile(text));
  }

  /** Frees the memory now, rather than when the profile is collected. What was made with it goes on. */
  free(): void {
    this.raw.free();
  }

  /**
   * Uses the profile, or the one for these options, which is freed after: what the module makes with it shares the
   * memory that it needs.
   * @internal
   */
  static use<T>(options: Options | Profile | undefined, call: (raw: RawProfile) => T): T {
    if (options instanceof Profile) return checked(() => call(options.raw));
    if (options === undefined) return Profile.use((standard ??= new Profile()), call);
    const profile = new Profile(options);
    try {
      return checked(() => call(profile.raw));
    } finally {
      profile.free();
    }
  }
}

/** The profile without options. */
let standard: Profile | undefined;

function textOf(value: unknown): string | undefined {
  return typeof value === "string" || value === undefined ? value : JSON.stringify(value);
}
