// Chunks of a message: strings or bytes, cut anywhere.

export type Chunk = string | ArrayBuffer | ArrayBufferView;

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

/** The bytes of a chunk that is not a string. */
function viewOf(chunk: ArrayBuffer | ArrayBufferView): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  throw new TypeError("a chunk must be a string or bytes");
}

/** The bytes of all of one chunk. */
export function bytesOf(chunk: Chunk): Uint8Array {
  return typeof chunk === "string" ? encoder.encode(chunk) : viewOf(chunk);
}

/** The bytes of chunks. */
export class Bytes {
  constructor(private readonly halves = new Halves()) {}

  /** A half that bytes follow stays one, and is encoded as U+FFFD. */
  of(chunk: Chunk): Uint8Array {
    if (typeof chunk === "string") return encoder.encode(this.halves.whole(chunk));
    const [half, bytes] = [this.halves.rest(), viewOf(chunk)];
    if (half === "") return bytes;
    const first = encoder.encode(half);
    const both = new Uint8Array(first.length + bytes.length);
    both.set(first);
    both.set(bytes, first.length);
    return both;
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
