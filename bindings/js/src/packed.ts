// Reads the events of a chunk from the module's memory. The format is in wasm/src/packed.rs.

import type { Event, EventKind } from "./event.js";
import { buffer } from "./module.js";

/** A chunk may begin with U+FEFF, which a decoder takes for a mark of its own otherwise. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Text up to this length is put together here, which is faster than a call of the decoder. */
const SHORT = 32;

/** Views of the memory, which are made again when it grows. */
let words = new Uint32Array();
let bytes = new Uint8Array();

/** Adds the events to the list. `place` is the address of where they are; returns where the last one ends. */
export function unpack(place: number, start: number, events: Event[]): number {
  const memory = buffer();
  if (words.buffer !== memory) {
    words = new Uint32Array(memory);
    bytes = new Uint8Array(memory);
  }
  const at = place >>> 2;
  const reader = new Reader(words[at]! >>> 2, words[at + 1]!, textAt(words[at + 2]!, words[at + 3]!));
  while (!reader.isDone()) {
    const end = start + reader.spanLength();
    const event = reader.kind() as Event;
    event.span = [start, end];
    events.push(event);
    start = end;
  }
  return start;
}

function textAt(address: number, length: number): string {
  const end = address + length;
  if (length > SHORT) return decoder.decode(bytes.subarray(address, end));
  let text = "";
  for (let at = address; at < end; at++) {
    const byte = bytes[at]!;
    if (byte > 0x7f) return decoder.decode(bytes.subarray(address, end));
    text += String.fromCharCode(byte);
  }
  return text;
}

/** Reads words and the text that belongs to them. Each event begins with its kind, the length of its span, and that of its text. */
class Reader {
  private readonly end: number;
  private unit = 0;

  constructor(
    private word: number,
    count: number,
    private readonly text: string,
  ) {
    this.end = word + count;
  }

  isDone(): boolean {
    return this.word >= this.end;
  }

  /** The length of the next event's span. */
  spanLength(): number {
    return words[this.word + 1]!;
  }

  /** The next event, without its span. */
  kind(): EventKind {
    const kind = this.next();
    this.next();
    const length = this.next();
    switch (kind) {
      case 0:
        return { type: "text", text: this.take(length) };
      case 1:
        return { type: "thought", text: this.take(length) };
      case 3: {
        const index = this.next();
        const name = this.name();
        const text = this.take(length);
        return name === undefined ? { type: "call_delta", index, text } : { type: "call_delta", index, argument: name, text };
      }
      case 4: {
        const id = this.next();
        const name = this.name();
        const text = this.take(length);
        return name === undefined ? { type: "element_delta", id, text } : { type: "element_delta", id, part: name, text };
      }
      case 5: {
        const index = this.next();
        const [idLength, nameLength] = [this.next(), this.next()];
        const [id, name, json] = [this.take(idLength), this.take(nameLength), this.take(length)];
        return { type: "call_end", index, id, name, arguments: JSON.parse(json), arguments_json: json };
      }
      default:
        return JSON.parse(this.take(length));
    }
  }

  private next(): number {
    return words[this.word++]!;
  }

  /** A name that may be absent: its length is one too large, or 0. */
  private name(): string | undefined {
    const length = this.next();
    return length === 0 ? undefined : this.take(length - 1);
  }

  private take(units: number): string {
    return this.text.slice(this.unit, (this.unit += units));
  }
}
