// Providers' streams: read into events, collected into messages, or rewritten.

import { RawRewriter, RawSession, aggregate as rawAggregate } from "../generated/tagstream.js";
import { Bytes, bytesOf, type Chunk } from "./chunk.js";
import type { WireEvent } from "./event.js";
import { checkNames, checkString } from "./error.js";
import { withArguments, type Message, type MessageNotice, type Whitespace } from "./message.js";
import { needFull } from "./module.js";
import { Profile, type Options } from "./profile.js";

/** The format of a provider's stream. `auto` is found out from its beginning; `text` is the message itself. */
export type Format = "auto" | "text" | "openai" | "responses" | "anthropic" | "gemini" | "ollama";

/** Reads one stream. */
export class Session {
  private readonly raw: RawSession;
  private readonly bytes = new Bytes();

  constructor(format: Format = "auto", options?: Options | Profile) {
    needFull("Session");
    checkString("format", format);
    this.raw = Profile.use(options, (raw) => new RawSession(raw, format));
  }

  /** The events that the chunk makes certain. */
  push(chunk: Chunk): WireEvent[] {
    return read(this.raw.push(this.bytes.of(chunk)));
  }

  /** Ends the stream, and returns the rest of its events. */
  finish(): WireEvent[] {
    return [...read(this.raw.push(this.bytes.rest())), ...read(this.raw.finish())];
  }

  /** The format, as far as it is known. */
  get format(): Format {
    return this.raw.format() as Format;
  }

  /** Frees the memory now, rather than when the session is collected. */
  free(): void {
    this.raw.free();
  }
}

function read(json: string): WireEvent[] {
  return JSON.parse(json);
}

/** A message of a stream. */
export interface Aggregate extends Message {
  choice: number;
  finish_reason: string | null;
  usage: Record<string, unknown> | null;
}

/** The messages of a whole stream, or of a body that was not streamed: one for each choice. */
export function aggregate(
  data: Chunk,
  format: Format = "auto",
  options?: Options | Profile,
  whitespace: Whitespace = "preserve",
): Aggregate[] {
  needFull("aggregate");
  checkString("format", format);
  checkString("whitespace", whitespace);
  const bytes = bytesOf(data);
  const messages = JSON.parse(Profile.use(options, (raw) => rawAggregate(raw, format, bytes, whitespace)));
  return messages.map(withArguments);
}

/** What becomes of what is found in texts. */
export interface RewriteOptions {
  /** Thinking is moved to the format's own field (the default), hidden, or kept in the text. */
  thinking?: "move" | "hide" | "keep" | undefined;
  /** The field for thinking in OpenAI's format; `reasoning_content` unless the provider uses another. */
  reasoningField?: string | undefined;
  /** Whether calls are sent while they arrive, rather than when they are complete and valid. */
  streamCalls?: boolean | undefined;
  /** A refused call is shown as text (the default) or dropped. */
  refused?: "show" | "drop" | undefined;
}

/** The names of what a rewriter is given. */
export const REWRITE_OPTIONS: readonly string[] = [
  "thinking",
  "reasoningField",
  "streamCalls",
  "refused",
] satisfies (keyof RewriteOptions)[];

/** Rewrites one stream, or one body: thinking and calls in the text go to the format's own fields. */
export class Rewriter {
  private readonly raw: RawRewriter;
  private readonly bytes = new Bytes();

  constructor(format: Format = "auto", options?: Options | Profile, rewrite: RewriteOptions = {}) {
    needFull("Rewriter");
    checkString("format", format);
    checkNames(rewrite, REWRITE_OPTIONS);
    const { streamCalls, ...rest } = rewrite;
    const given = JSON.stringify({ ...rest, calls: streamCalls ? "stream" : "whole" });
    this.raw = Profile.use(options, (raw) => new RawRewriter(raw, format, given));
  }

  /** What the chunk makes certain. */
  push(chunk: Chunk): Uint8Array {
    return this.raw.push(this.bytes.of(chunk));
  }

  /** Ends the stream, and returns the rest. */
  finish(): Uint8Array {
    const [rest, end] = [this.raw.push(this.bytes.rest()), this.raw.finish()];
    const both = new Uint8Array(rest.length + end.length);
    both.set(rest);
    both.set(end, rest.length);
    return both;
  }

  /** The notices, and the errors of refused calls, each returned once. */
  takeNotices(): MessageNotice[] {
    return JSON.parse(this.raw.notices());
  }

  /** Frees the memory now, rather than when the rewriter is collected. */
  free(): void {
    this.raw.free();
  }
}
