// What the page shows, and its form in the address, so that it can be shared.

import type { CutMode, Cuts } from "./cuts.js";
import type { Format } from "./engine.js";
import examples from "./generated/examples.json";

/** Everything that is read. */
export interface Input {
  text: string;
  /** The ends of the chunks as they were streamed, in bytes, if they are known. */
  recorded: Cuts | null;
  format: Format;
  preset: string;
  /** The user's own profile, in TOML or JSON; it takes the place of the preset. */
  profile: string | null;
  /** Null: as the profile chooses. */
  dialects: readonly string[] | null;
  tools: string;
}

export interface Example extends Input {
  group: string;
  id: string;
  title: string;
  note: string;
}

export interface State extends Input {
  /** The example that the input was taken from. */
  example: string | null;
  mode: CutMode;
  seed: number;
  /** How many chunks have arrived; null: all, and the stream is over. */
  position: number | null;
}

export const EXAMPLES = examples as unknown as readonly Example[];

export const findExample = (id: string | null): Example | undefined => EXAMPLES.find((example) => example.id === id);

const INPUT = ["text", "recorded", "format", "preset", "profile", "dialects", "tools"] as const;

export function inputOf(from: Input): Input {
  return Object.fromEntries(INPUT.map((key) => [key, from[key]])) as unknown as Input;
}

export function stateOf(example: Example): State {
  const mode = example.recorded && example.recorded.length > 1 ? "recorded" : "tokens";
  return { ...inputOf(example), example: example.id, mode, seed: 1, position: null };
}

export const initial = (): State => stateOf(EXAMPLES[0]!);

/** The state as an address: only what differs from its example. */
export async function toHash(state: State): Promise<string> {
  const base = stateOf(findExample(state.example) ?? EXAMPLES[0]!);
  const entries = Object.entries(state).filter(([key, value]) => {
    return key === "example" || JSON.stringify(value) !== JSON.stringify(base[key as keyof State]);
  });
  return `#${await pack(JSON.stringify(Object.fromEntries(entries)))}`;
}

/** The state of an address; null if there is none. An address that was cut is an error. */
export async function fromHash(hash: string): Promise<State | null> {
  const packed = hash.replace(/^#/, "");
  if (!packed) return null;
  const changes = JSON.parse(await unpack(packed)) as Partial<State>;
  const base = stateOf(findExample(changes.example ?? null) ?? EXAMPLES[0]!);
  return { ...base, ...changes };
}

/** Whether one of the texts is the other with something put in at one place. */
export function isEdit(before: string, now: string): boolean {
  const [short, long] = before.length < now.length ? [before, now] : [now, before];
  let same = 0;
  while (same < short.length && short[same] === long[same]) same++;
  return short !== "" && long.endsWith(short.slice(same));
}

async function pack(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(packed: string): Promise<string> {
  const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
}

async function through(bytes: Uint8Array, transform: GenericTransformStream): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(transform as ReadableWritablePair<Uint8Array>);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
