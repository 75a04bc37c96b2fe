// Spans count bytes, strings of JavaScript count UTF-16 units.

const encoder = new TextEncoder();
// What looks like a byte order mark is a part of the text.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export const encode = (text: string): Uint8Array => encoder.encode(text);
export const decode = (bytes: Uint8Array): string => decoder.decode(bytes);
/** The text of these pieces, which may be cut inside a character. */
export function join(pieces: readonly Uint8Array[]): string {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return decode(all);
}

export const byteLength = (text: string): number => encoder.encode(text).length;

/** A text that is cut by positions in bytes. */
export class Bytes {
  readonly all: Uint8Array;

  constructor(text: string) {
    this.all = encode(text);
  }

  get length(): number {
    return this.all.length;
  }

  text(start: number, end: number): string {
    return decode(this.all.subarray(start, end));
  }

  /** The last position up to `at` that is not inside a character. */
  boundary(at: number): number {
    while (at > 0 && at < this.length && (this.all[at]! & 0xc0) === 0x80) at--;
    return at;
  }
}

/** Control characters and white space, made visible on one line. */
export function visible(text: string, limit = 60): string {
  const shown = [...text.replaceAll("\n", "␊").replaceAll("\t", "␉").replaceAll("\r", "␍")];
  return shown.length > limit ? `${shown.slice(0, limit).join("")}…` : shown.join("");
}

export const count = (number: number, noun: string): string =>
  `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
