// A `fetch` whose answers are rewritten: for any client that accepts one.

import { request as readRequest } from "../generated/tagstream.js";
import { CachedProfiles } from "./cached.js";
import { checkNames } from "./error.js";
import type { MessageNotice } from "./message.js";
import { needFull } from "./module.js";
import { OPTIONS, type Options } from "./profile.js";
import { through, type Emit } from "./through.js";
import { Rewriter, REWRITE_OPTIONS, type Format, type RewriteOptions } from "./wire.js";

export interface FetchOptions extends Options, RewriteOptions {
  /** The `fetch` that sends the requests; the global one by default. */
  fetch?: typeof globalThis.fetch;
  /** Called with the notices of each answer, and with the errors of its refused calls. */
  onNotices?: (notices: MessageNotice[]) => void;
}

/**
 * Wraps `fetch`: in answers of OpenAI's, Anthropic's, Gemini's and Ollama's formats, thinking and tool calls that are in
 * the text go to the format's own fields. The format follows from the path of a request, the tools from its body.
 *
 * ```ts
 * const client = new OpenAI({ baseURL, fetch: tagstreamFetch() });
 * ```
 */
export function tagstreamFetch(options: FetchOptions = {}): typeof globalThis.fetch {
  checkNames(options, [...OPTIONS, ...REWRITE_OPTIONS, "fetch", "onNotices"]);
  const profiles = new CachedProfiles(options);
  const { thinking, reasoningField, streamCalls, refused } = options;
  return async (input, init) => {
    const send = options.fetch ?? globalThis.fetch;
    const asked = await read(input, init);
    if (!asked) return send(input, init);
    // Before the request is sent, so that a mistake in the options costs nothing.
    const profile = profiles.get(asked.tools ?? undefined);
    const rewriter = new Rewriter(asked.format, profile, { thinking, reasoningField, streamCalls, refused });
    const response = await send(input, init);
    if (response.ok && response.body) return rewritten(response, rewriter, options.onNotices);
    rewriter.free();
    return response;
  };
}

/** What a request says about its answer. */
interface Asked {
  format: Format;
  tools: string | null;
}

type FetchArguments = Parameters<typeof globalThis.fetch>;

/** `undefined` if the request does not ask for a message. */
async function read(input: FetchArguments[0], init: FetchArguments[1]): Promise<Asked | undefined> {
  const request = input instanceof Request ? input : undefined;
  const method = init?.method ?? request?.method ?? "GET";
  if (method.toUpperCase() !== "POST") return undefined;
  needFull("tagstreamFetch");
  const body = await bodyOf(request, init);
  const { pathname } = new URL(request?.url ?? String(input), "http://localhost");
  const asked = body === undefined ? undefined : readRequest(pathname, body);
  return asked === undefined ? undefined : JSON.parse(asked);
}

/** The text of a request's body; `undefined` if it is a stream or a form, which no client of a model sends. */
async function bodyOf(request: Request | undefined, init: FetchArguments[1]): Promise<string | undefined> {
  const body = init?.body;
  if (typeof body === "string") return body;
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return new TextDecoder().decode(body as BufferSource);
  if (body != null) return undefined;
  return request?.clone().text();
}

function rewritten(response: Response, rewriter: Rewriter, onNotices: FetchOptions["onNotices"]): Response {
  const send = (bytes: Uint8Array, emit: Emit<Uint8Array>) => {
    if (bytes.length > 0) emit(bytes);
  };
  const body = through<Uint8Array, Uint8Array>(response.body!, {
    push: (chunk, emit) => send(rewriter.push(chunk), emit),
    end(emit) {
      send(rewriter.finish(), emit);
      onNotices?.(rewriter.takeNotices());
    },
  });
  const headers = new Headers(response.headers);
  // The body has been decoded, and its length changes.
  headers.delete("content-length");
  headers.delete("content-encoding");
  const { status, statusText, url } = response;
  const result = new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>, { status, statusText, headers });
  return Object.defineProperty(result, "url", { value: url });
}
