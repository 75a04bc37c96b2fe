// Reads one message in chunks.

import { RawParser } from "../generated/tagstream.js";
import { Bytes, Halves, type Chunk } from "./chunk.js";
import type { Event, OpenElement } from "./event.js";
import { unpack } from "./packed.js";
import { Profile, type Options } from "./profile.js";

// What `RawParser.push` returns, in its two lower bits: nothing, the whole chunk as one event, or events in memory.
const TEXT = 1;
const THOUGHT = 2;

/**
 * Reads one message. Push its chunks, cut anywhere, and then finish it.
 *
 * ```ts
 * const parser = new Parser();
 * for (const chunk of ["<thi", "nk>plan</think>5 <", " 6"]) console.log(parser.push(chunk));
 * console.log(parser.finish());
 * ```
 */
export class Parser {
  private readonly raw: RawParser;
  private readonly place: number;
  private readonly halves = new Halves();
  private readonly bytes = new Bytes(this.halves);
  private position = 0;
  private isFinished = false;

  constructor(options?: Options | Profile) {
    this.raw = Profile.use(options, (raw) => new RawParser(raw));
    this.place = this.raw.place();
  }

  /** The events that the chunk makes certain. */
  push(chunk: Chunk): Event[] {
    if (this.isFinished) throw new Error("the message is finished: a new message needs a new Parser");
    if (typeof chunk !== "string") return this.read(this.raw.push_bytes(this.bytes.of(chunk)));
    const text = this.halves.whole(chunk);
    if (text === "") return [];
    const result = this.raw.push(text);
    const kind = result & 3;
    if (kind !== TEXT && kind !== THOUGHT) return this.read(result);
    const start = this.position;
    const length = result >>> 2;
    this.position += length;
    // Only a text that is not ASCII can have halves of characters in it.
    const wellFormed = length === text.length ? text : text.replace(/\p{Surrogate}/gu, "\ufffd");
    return [{ type: kind === TEXT ? "text" : "thought", text: wellFormed, span: [start, this.position] }];
  }

  /** Ends the message, and returns the rest of its events. */
  finish(): Event[] {
    if (this.isFinished) return [];
    const rest = this.bytes.rest();
    const last = rest.length === 0 ? [] : this.read(this.raw.push_bytes(rest));
    this.isFinished = true;
    return last.concat(this.read(this.raw.finish()));
  }

  /** The text that is held back, because what follows decides what it is. */
  get held(): string {
    return this.raw.held();
  }

  /** The elements that are open, as far as they have been read. */
  get openElements(): OpenElement[] {
    return JSON.parse(this.raw.open_elements());
  }

  /** Frees the memory now, rather than when the parser is collected. The parser cannot be used any more. */
  free(): void {
    this.raw.free();
  }

  private read(result: number): Event[] {
    const events: Event[] = [];
    if (result !== 0) this.position = unpack(this.place, this.position, events);
    return events;
  }
}
