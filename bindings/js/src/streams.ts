// Adapters for streams of chunks.

import { RawFilter } from "../generated/tagstream.js";
import { Bytes, chunksOf, type Chunk, type Chunks } from "./chunk.js";
import { checkNames } from "./error.js";
import type { Event } from "./event.js";
import { Parser } from "./parser.js";
import { Profile, type Options } from "./profile.js";

/**
 * The events of a message, from a stream of its chunks.
 *
 * ```ts
 * for await (const event of events(response.body)) if (event.type === "text") show(event.text);
 * ```
 */
export async function* events(chunks: Chunks, options?: Options | Profile): AsyncGenerator<Event, void, undefined> {
  yield* readBy(new Parser(options), chunks);
}

/** What reads chunks one by one. */
interface Reader<Out> {
  push(chunk: Chunk): Out;
  finish(): Out;
  free(): void;
}

/** What a reader makes of all chunks. If their source fails, what was held comes before the error. */
async function* readBy<Out>(reader: Reader<Iterable<Out>>, chunks: Chunks): AsyncGenerator<Out, void, undefined> {
  let failure: { error: unknown } | undefined;
  try {
    try {
      for await (const chunk of chunksOf(chunks)) yield* reader.push(chunk);
    } catch (error) {
      failure = { error };
    }
    yield* reader.finish();
    if (failure) throw failure.error;
  } finally {
    reader.free();
  }
}

/** A `TransformStream` of chunks to events: `stream.pipeThrough(new TagstreamTransform())`. */
export class TagstreamTransform extends TransformStream<Chunk, Event> {
  constructor(options?: Options | Profile) {
    const parser = new Parser(options);
    super({
      transform(chunk, controller) {
        for (const event of parser.push(chunk)) controller.enqueue(event);
      },
      flush(controller) {
        for (const event of parser.finish()) controller.enqueue(event);
        parser.free();
      },
    });
  }
}

/** What a filter shows besides the text. */
export interface FilterOptions {
  /** Whether thoughts are shown, without their tags. */
  showThinking?: boolean;
  /** Tags whose content is shown. */
  show?: readonly string[];
  /** Tags whose content is hidden. */
  hide?: readonly string[];
}

/** The text that a user should see, live. */
export class Filter {
  private readonly raw: RawFilter;
  private readonly bytes = new Bytes();

  constructor(options?: Options | Profile, shown: FilterOptions = {}) {
    checkNames(shown, ["showThinking", "show", "hide"]);
    this.raw = Profile.use(options, (raw) => new RawFilter(raw, JSON.stringify(shown)));
  }

  /** The text that the chunk made visible. */
  push(chunk: Chunk): string {
    return this.raw.push(this.bytes.of(chunk));
  }

  /** Ends the message, and returns the rest of the text. */
  finish(): string {
    return this.raw.push(this.bytes.rest()) + this.raw.finish();
  }

  /** Frees the memory now, rather than when the filter is collected. */
  free(): void {
    this.raw.free();
  }
}

/** The text that a user should see, from a stream of chunks. */
export async function* filter(
  chunks: Chunks,
  options?: Options | Profile,
  shown?: FilterOptions,
): AsyncGenerator<string, void, undefined> {
  const filter = new Filter(options, shown);
  const some = (text: string) => (text ? [text] : []);
  const push = (chunk: Chunk) => some(filter.push(chunk));
  yield* readBy({ push, finish: () => some(filter.finish()), free: () => filter.free() }, chunks);
}
