// Chunks of a message: strings or bytes, cut anywhere.

export type Chunk = string | Uint8Array;

/** Keeps the first half of a surrogate pair that was cut until the second comes. */
export class Halves {
  private half = "";

  /** The text up to a half at its end. */
  whole(chunk: string): string {
    const text = this.half ? this.half + chunk : chunk;
    const last = text.charCodeAt(text.length - 1);
    const isHalf = last >= 0xd800 && last < 0xdc00;
    this.half = isHalf ? text.slice(-1) : "";
    return isHalf ? text.slice(0, -1) : text;
  }

  /** The half that is left. */
  rest(): string {
    const rest = this.half;
    this.half = "";
    return rest;
  }
}

const encoder = new TextEncoder();

/** The bytes of chunks. */
export class Bytes {
  private readonly halves = new Halves();

  of(chunk: Chunk): Uint8Array {
    return typeof chunk === "string" ? encoder.encode(this.halves.whole(chunk)) : chunk;
  }

  rest(): Uint8Array {
    return encoder.encode(this.halves.rest());
  }
}

/** A source of chunks: a stream, or anything that can be iterated over. */
export type Chunks = ReadableStream<Chunk> | AsyncIterable<Chunk> | Iterable<Chunk>;

/** The chunks of any source. A `ReadableStream` is not iterable everywhere. */
export async function* chunksOf(source: Chunks): AsyncGenerator<Chunk> {
  if (typeof source === "string") yield source;
  else if (Symbol.asyncIterator in source || Symbol.iterator in source) yield* source as Iterable<Chunk>;
  else {
    const reader = (source as ReadableStream<Chunk>).getReader();
    let isDone = false;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if ((isDone = done)) return;
        yield value!;
      }
    } finally {
      // Whoever stops early does not want the rest.
      if (!isDone) await reader.cancel();
      reader.releaseLock();
    }
  }
}
