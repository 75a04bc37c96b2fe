// Where a stream is cut: the ends of its chunks, in bytes. The last one is the end of the stream.

export type CutMode = "bytes" | "tokens" | "random" | "recorded";
export type Cuts = readonly number[];

/** About as a tokenizer cuts: pieces of words with the space before them, digits, punctuation. */
const TOKEN = / ?\p{L}{1,6}| ?\d{1,3}| ?[^\s\p{L}\d]{1,3}|\s+/gu;

export function cuts(mode: CutMode, text: string, length: number, seed: number, recorded: Cuts | null): Cuts {
  switch (mode) {
    case "bytes":
      return Array.from({ length }, (_, at) => at + 1);
    case "tokens":
      return tokens(text);
    case "random":
      return randomCuts(length, seed);
    case "recorded":
      return ordered(recorded ?? [], length);
  }
}

/** The cuts inside the text, in order, and its end: those of a shared link may be any numbers. */
function ordered(cuts: Cuts, length: number): Cuts {
  const inside = cuts.filter((cut) => Number.isInteger(cut) && cut > 0 && cut < length);
  return [...new Set(inside), ...(length ? [length] : [])].sort((a, b) => a - b);
}

function tokens(text: string): Cuts {
  const encoder = new TextEncoder();
  let at = 0;
  return Array.from(text.matchAll(TOKEN), ([token]) => (at += encoder.encode(token).length));
}

/** Pieces of 1 to `longest` bytes, which may end inside a character. `longest` is random too. */
export function randomCuts(length: number, seed: number): Cuts {
  const random = generator(seed);
  const longest = 1 + Math.floor(random() * Math.min(length, 48));
  const ends: number[] = [];
  for (let at = 0; at < length; ) {
    at = Math.min(length, at + 1 + Math.floor(random() * longest));
    ends.push(at);
  }
  return ends;
}

/** Mulberry32: small, and the same numbers for the same seed, so that a cut can be shared. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
