// The only file that talks to the package: policies, readers, and what is built in.

import { Parser, Profile, Session, TagstreamError, dialects, load, presets } from "tagstream/slim";
import { join } from "./bytes.js";
import type { Event, Span } from "./events.js";
import module from "./generated/full.wasm.gz";
import { lineOf } from "./locate.js";
import type { Input } from "./state.js";

export const FORMATS = ["auto", "text", "openai", "responses", "anthropic", "gemini", "ollama"] as const;
export type Format = (typeof FORMATS)[number];
export type Policy = Profile;

const unzipped = new Blob([module]).stream().pipeThrough(new DecompressionStream("gzip"));
await load(await new Response(unzipped).arrayBuffer());

export const PRESETS = presets();
export const DIALECTS = dialects();

/** What is wrong with the settings. */
export interface Problem {
  where: "profile" | "tools" | "dialects";
  message: string;
  line: number | null;
}

/** The text of the profile. */
export const profileOf = ({ profile, preset }: Input): string =>
  profile ?? PRESETS.find(({ name }) => name === preset)?.source ?? "";

/** Whether there are tools to check calls against: in their editor, or in the profile. */
export const declaresTools = (input: Input): boolean =>
  input.tools.trim() !== "" || /^[\s{]*"?(calls\.)?tools"?\s*[:=]/m.test(profileOf(input));

export function compile(input: Input): Policy | Problem {
  const { profile, preset, dialects, tools } = input;
  try {
    return new Profile({
      ...(profile === null ? { preset } : { profile }),
      ...(dialects && { dialect: dialects.length === 1 ? dialects[0]! : [...dialects] }),
      ...(tools.trim() && { tools }),
    });
  } catch (error) {
    if (error instanceof TagstreamError) return problemOf(error, input);
    throw error;
  }
}

function problemOf({ option, message: named, line, key }: TagstreamError, input: Input): Problem {
  const message = named.replace(`${option}: `, "");
  if (option === "tools") return { where: "tools", message, line: line ?? lineOf(input.tools, key ?? "", message) };
  // With a line, it is the profile that names the dialect.
  if (option === "dialect" && line === undefined) return { where: "dialects", message, line: null };
  return { where: "profile", message, line: line ?? null };
}

export const isProblem = (made: object): made is Problem => "where" in made;

/** The format of a stream, which may be plain text. */
export function detect(format: Format, stream: Uint8Array): Exclude<Format, "auto"> {
  if (format !== "auto") return format;
  const session = new Session("auto", PLAIN);
  session.push(stream);
  const { format: found } = session;
  session.finish();
  return found === "auto" ? "text" : (found as Exclude<Format, "auto">);
}

/** Reads one stream. */
export interface Reader {
  push(chunk: Uint8Array): Event[];
  finish(): Event[];
  /** How many bytes of each text have arrived. */
  lengths(): ReadonlyMap<string, number>;
  /** The texts themselves. */
  texts(): ReadonlyMap<string, string>;
}

export function open(policy: Policy, format: Format): Reader {
  return format === "text" ? new TextReader(policy) : new FrameReader(policy, format);
}

/** What the lines of a provider's stream carry, each with where it ends in the text of the stream. */
export function carried(format: Format, text: string): { end: number; events: Event[] }[] {
  const session = new Session(format, PLAIN);
  const sources = new Sources();
  let end = 0;
  const lines = text.split(/(?<=\n)/).map((line) => {
    end += line.length;
    return { end, events: sources.name(session.push(line) as Event[]) };
  });
  return [...lines, { end, events: sources.name(session.finish() as Event[]) }];
}

/** A policy for which all of a text is text. */
const PLAIN = new Profile({ profile: "{}" });

/** The one text of a stream without frames. */
const ONLY = "0.0";

class TextReader implements Reader {
  private readonly parser: Parser;
  private readonly arrived: Uint8Array[] = [];
  private length = 0;

  constructor(policy: Policy) {
    this.parser = new Parser(policy);
  }

  push(chunk: Uint8Array): Event[] {
    this.length += chunk.length;
    this.arrived.push(chunk);
    return this.parser.push(chunk).map(found);
  }

  finish(): Event[] {
    return this.parser.finish().map(found);
  }

  lengths(): ReadonlyMap<string, number> {
    return new Map([[ONLY, this.length]]);
  }

  texts(): ReadonlyMap<string, string> {
    return new Map(this.length ? [[ONLY, join(this.arrived)]] : []);
  }
}

const found = (event: object): Event => ({ ...event, choice: 0, source: ONLY }) as Event;

/**
 * A provider's stream. The texts in its frames are what a session reports as text for which nothing
 * is markup.
 */
class FrameReader implements Reader {
  private readonly session: Session;
  private readonly plain: Session;
  private readonly sources = new Sources();
  private readonly plainSources = new Sources();
  private readonly arrived = new Map<string, string>();
  private readonly bytes = new Map<string, number>();

  constructor(policy: Policy, format: Format) {
    this.session = new Session(format, policy);
    this.plain = new Session(format, PLAIN);
  }

  push(chunk: Uint8Array): Event[] {
    this.collect(this.plain.push(chunk) as Event[]);
    return this.sources.name(this.session.push(chunk) as Event[]);
  }

  finish(): Event[] {
    this.collect(this.plain.finish() as Event[]);
    return this.sources.name(this.session.finish() as Event[]);
  }

  private collect(events: Event[]): void {
    for (const event of this.plainSources.name(events)) {
      if (event.type !== "text" || !event.source || !event.span) continue;
      this.arrived.set(event.source, (this.arrived.get(event.source) ?? "") + event.text);
      this.bytes.set(event.source, event.span[1]);
    }
  }

  lengths(): ReadonlyMap<string, number> {
    return new Map(this.bytes);
  }

  texts(): ReadonlyMap<string, string> {
    return this.arrived;
  }
}

/** Numbers the texts of each choice: the spans of a new text begin again. */
class Sources {
  private readonly choices = new Map<number, { text: number; end: number }>();

  name(events: Event[]): Event[] {
    return events.map((event) => (event.span ? { ...event, source: this.source(event.choice, event.span) } : event));
  }

  private source(choice: number, [start, end]: Span): string {
    const last = this.choices.get(choice) ?? { text: 0, end: 0 };
    const text = start < last.end ? last.text + 1 : last.text;
    this.choices.set(choice, { text, end });
    return `${choice}.${text}`;
  }
}
