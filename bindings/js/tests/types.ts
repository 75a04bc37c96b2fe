// What the types promise. `tsc` checks it; nothing runs.

import {
  Parser,
  Profile,
  TagstreamTransform,
  aggregate,
  events,
  filter,
  parse,
  type Event,
  type Message,
  type WireEvent,
} from "tagstream";
import { tagstreamFetch } from "tagstream/fetch";
import { tagstreamMiddleware } from "tagstream/ai";
import { load } from "tagstream/slim";
import { Parser as InlineParser } from "tagstream/inline";
import Anthropic from "@anthropic-ai/sdk";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { wrapLanguageModel } from "ai";
import { wrapLanguageModel as wrapLanguageModel6 } from "ai-6";
import { createOpenAICompatible as createOpenAICompatible6 } from "ai-6-openai-compatible";
import { Ollama } from "ollama";
import OpenAI from "openai";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function is<T extends true>(): T | void {}

const parser = new Parser({ preset: "qwen3", dialect: ["hermes"], tools: [{ name: "wait" }] });
const found: Event[] = parser.push("text").concat(parser.push(new Uint8Array()), parser.finish());

// The type of an event decides its fields.
for (const event of found) {
  switch (event.type) {
    case "text":
    case "thought":
      is<Equal<typeof event.text, string>>();
      break;
    case "call_end":
      is<Equal<typeof event.arguments, Record<string, unknown>>>();
      break;
    case "call_delta":
      is<Equal<typeof event.argument, string | undefined>>();
      break;
    case "thought_start":
      is<Equal<typeof event.tag, string | null>>();
      // @ts-expect-error: the start of a thought has no text
      event.text;
      break;
  }
  is<Equal<typeof event.span, [start: number, end: number]>>();
}

// Every type of event is known: a switch over all of them leaves nothing.
export function exhaustive(event: Event): string {
  switch (event.type) {
    case "text":
    case "thought":
    case "call_delta":
    case "element_delta":
    case "skip":
      return event.text;
    case "thought_start":
    case "thought_end":
    case "call_start":
    case "call_end":
    case "call_error":
    case "element_start":
    case "element_end":
    case "notice":
      return event.type;
    default:
      return event satisfies never;
  }
}

// @ts-expect-error: a chunk is text or bytes
parser.push(1);
// @ts-expect-error: there is no such option
new Parser({ presets: "qwen3" });
// @ts-expect-error: there is no such format
aggregate("", "opnai");
// @ts-expect-error: there is no such way to treat white space
parse("", {}, "trim");

const profile = new Profile({ profile: "[thinking]" });
const message: Message = parse("text", profile);
is<Equal<typeof message.thoughts, string[]>>();
const wire: WireEvent["type"] = "finish";

export async function streams(body: ReadableStream<Uint8Array<ArrayBuffer>>, response: Response) {
  for await (const event of events(body, profile)) is<Equal<typeof event, Event>>();
  for await (const event of events(response.body!)) event.type;
  for await (const text of filter(["a", "b"])) is<Equal<typeof text, string>>();
  const transformed: ReadableStream<Event> = new Response("").body!.pipeThrough(new TagstreamTransform());
  await load(fetch("tagstream.wasm"));
  return [transformed, wire, new InlineParser()];
}

// Every client takes the wrapped `fetch`, and both majors of the AI SDK the middleware.
const fetch_ = tagstreamFetch({ preset: "qwen3", thinking: "hide" });
export const clients = [
  new OpenAI({ fetch: fetch_ }),
  new Anthropic({ fetch: fetch_ }),
  new Ollama({ fetch: fetch_ }),
  createOpenAICompatible({ name: "local", baseURL: "", fetch: fetch_ }),
];
export const model7 = wrapLanguageModel({
  model: createOpenAICompatible({ name: "local", baseURL: "" })("m"),
  middleware: tagstreamMiddleware({ preset: "qwen3" }),
});
export const model6 = wrapLanguageModel6({
  model: createOpenAICompatible6({ name: "local", baseURL: "" })("m"),
  middleware: [tagstreamMiddleware()],
});

// @ts-expect-error: a profile is made by its constructor
export const forged: Profile = {};
