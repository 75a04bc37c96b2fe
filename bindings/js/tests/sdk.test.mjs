// The official clients read what `tagstreamFetch` rewrites.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { streamText } from "ai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { tagstreamFetch } from "tagstream/fetch";
import { serve } from "./server.mjs";

const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const CALL = '<tool_call>{"name": "weather", "arguments": {"city": "Paris"}}</tool_call>';
const MESSAGE = `<think>plan</think>The weather. ${CALL}`;
const ASK = { model: "m", messages: [{ role: "user", content: "?" }] };
const OPENAI_TOOLS = [{ type: "function", function: { name: "weather", parameters: SCHEMA } }];
const ANTHROPIC_TOOLS = [{ name: "weather", input_schema: SCHEMA }];

let server;
const notices = [];
const fetch = tagstreamFetch({ onNotices: (list) => notices.push(...list) });
before(async () => void (server = await serve(MESSAGE)));
after(() => server.close());

const openai = () => new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "x", fetch });
const anthropic = () => new Anthropic({ baseURL: server.url, apiKey: "x", fetch });
const ollama = () => new Ollama({ host: server.url, fetch });

test("openai, streamed", async () => {
  const seen = { content: "", reasoning: "", calls: [], finish: null };
  for await (const { choices } of await openai().chat.completions.create({ ...ASK, stream: true, tools: OPENAI_TOOLS })) {
    const { delta, finish_reason } = choices[0];
    seen.content += delta.content ?? "";
    seen.reasoning += delta.reasoning_content ?? "";
    seen.calls.push(...(delta.tool_calls ?? []).map((call) => `${call.function.name} ${call.function.arguments}`));
    seen.finish = finish_reason ?? seen.finish;
  }
  assert.deepEqual(seen, { content: "The weather. ", reasoning: "plan", calls: ['weather {"city":"Paris"}'], finish: "tool_calls" });
});

test("openai, whole", async () => {
  const { choices } = await openai().chat.completions.create({ ...ASK, tools: OPENAI_TOOLS });
  assert.equal(choices[0].message.reasoning_content, "plan");
  assert.equal(choices[0].message.content.trim(), "The weather.");
  assert.deepEqual(JSON.parse(choices[0].message.tool_calls[0].function.arguments), { city: "Paris" });
  assert.equal(choices[0].finish_reason, "tool_calls");
});

test("openai's responses, streamed and whole", async () => {
  const ask = { model: "m", input: "?", tools: [{ type: "function", name: "weather", parameters: SCHEMA, strict: false }] };
  const types = [];
  let last;
  for await (const event of await openai().responses.create({ ...ask, stream: true })) {
    types.push(event.type);
    if (event.type === "response.completed") last = event.response;
  }
  assert.ok(types.includes("response.reasoning_text.delta") || types.includes("response.reasoning_summary_text.delta"), types.join());
  assert.ok(types.includes("response.function_call_arguments.done"));
  for (const { output } of [last, await openai().responses.create(ask)]) {
    assert.deepEqual(output.map(({ type }) => type).sort(), ["function_call", "message", "reasoning"]);
    const [text, call] = ["message", "function_call"].map((wanted) => output.find(({ type }) => type === wanted));
    assert.equal(text.content.map(({ text }) => text).join("").trim(), "The weather.");
    assert.deepEqual([call.name, JSON.parse(call.arguments)], ["weather", { city: "Paris" }]);
    assert.match(JSON.stringify(output), /plan/);
    assert.doesNotMatch(JSON.stringify(output), /<think>|<tool_call>/);
  }
});

test("without tools in the request there are no calls", async () => {
  const { choices } = await openai().chat.completions.create(ASK);
  assert.equal(choices[0].message.tool_calls, undefined);
  assert.match(choices[0].message.content, /<tool_call>/);
});

test("tools that the server runs, or that cannot be read, are left to the server", async () => {
  for (const tools of [[{ type: "web_search" }], [{ type: "function", function: { parameters: {} } }], [5]]) {
    const { choices } = await openai().chat.completions.create({ ...ASK, tools });
    assert.equal(choices[0].message.reasoning_content, "plan");
    assert.match(choices[0].message.content, /<tool_call>/);
  }
});

test("a call that does not fit its schema is reported", async () => {
  notices.length = 0;
  const tools = [{ type: "function", function: { name: "weather", parameters: { ...SCHEMA, properties: { city: { type: "integer" } } } } }];
  const { choices } = await openai().chat.completions.create({ ...ASK, tools });
  assert.equal(choices[0].message.tool_calls, undefined);
  assert.deepEqual(notices.map(({ code }) => code), ["type_mismatch"]);
});

test("anthropic, streamed and whole", async () => {
  const ask = { ...ASK, max_tokens: 10, tools: ANTHROPIC_TOOLS };
  for (const message of [await anthropic().messages.stream(ask).finalMessage(), await anthropic().messages.create(ask)]) {
    const [thinking, text, call] = message.content;
    assert.deepEqual([thinking.type, thinking.thinking], ["thinking", "plan"]);
    assert.deepEqual([text.type, text.text.trim()], ["text", "The weather."]);
    assert.deepEqual([call.type, call.name, call.input], ["tool_use", "weather", { city: "Paris" }]);
    assert.equal(message.stop_reason, "tool_use");
  }
});

test("ollama, streamed and whole", async () => {
  const seen = { content: "", thinking: "", calls: [] };
  for await (const { message } of await ollama().chat({ ...ASK, stream: true, tools: OPENAI_TOOLS })) {
    seen.content += message.content;
    seen.thinking += message.thinking ?? "";
    seen.calls.push(...(message.tool_calls ?? []));
  }
  assert.deepEqual([seen.content.trim(), seen.thinking], ["The weather.", "plan"]);
  assert.deepEqual(seen.calls.map((call) => call.function.arguments), [{ city: "Paris" }]);
  const { message } = await ollama().chat({ ...ASK, tools: OPENAI_TOOLS, stream: false });
  assert.deepEqual([message.content.trim(), message.thinking], ["The weather.", "plan"]);
});

test("providers of the AI SDK", async () => {
  const models = [
    createOpenAICompatible({ name: "local", baseURL: `${server.url}/v1`, fetch })("m"),
    createAnthropic({ baseURL: `${server.url}/v1`, apiKey: "x", fetch })("m"),
    createGoogleGenerativeAI({ baseURL: `${server.url}/v1beta`, apiKey: "x", fetch })("m"),
    createOpenAI({ baseURL: `${server.url}/v1`, apiKey: "x", fetch })("m"),
  ];
  for (const model of models) {
    const result = streamText({ model, prompt: "?" });
    const seen = { text: "", reasoning: "" };
    for await (const part of result.fullStream) {
      if (part.type === "text-delta") seen.text += part.text;
      if (part.type === "reasoning-delta") seen.reasoning += part.text;
    }
    // OpenAI's own provider reads only summaries of reasoning.
    assert.equal(seen.reasoning, model.provider === "openai.responses" ? "" : "plan", model.provider);
    assert.match(seen.text, /^The weather\./);
  }
});

test("gemini's format, by the path of the request", async () => {
  const frame = (text, rest) => ({ candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...rest }] });
  const frames = [frame("<thi"), frame("nk>plan</think>The "), frame("weather.", { finishReason: "STOP" })];
  const answers = {
    "/v1beta/models/m:streamGenerateContent": frames.map((frame) => `data: ${JSON.stringify(frame)}\r\n\r\n`).join(""),
    "/v1beta/models/m:generateContent": JSON.stringify(frame("<think>plan</think>The weather.", { finishReason: "STOP" })),
  };
  const inner = async (input) => new Response(answers[new URL(input).pathname]);
  for (const path of Object.keys(answers)) {
    const response = await tagstreamFetch({ fetch: inner })(`https://example.com${path}?alt=sse`, { method: "POST", body: '{"contents":[]}' });
    const text = await response.text();
    const bodies = text.startsWith("data:") ? Array.from(text.matchAll(/^data: (.*)$/gm), ([, json]) => JSON.parse(json)) : [JSON.parse(text)];
    const parts = bodies.flatMap(({ candidates }) => candidates[0].content?.parts ?? []);
    const of = (isThought) => parts.filter(({ thought }) => Boolean(thought) === isThought).map(({ text }) => text).join("");
    assert.deepEqual([of(true), of(false)], ["plan", "The weather."], path);
  }
});

test("other requests and errors pass unchanged", async () => {
  const response = await fetch(`${server.url}/v1/models`);
  assert.equal(response.status, 404);
  assert.equal(response.url, `${server.url}/v1/models`);
  await assert.rejects(openai().models.list(), /404/);
  const answer = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(ASK) });
  assert.equal(answer.url, `${server.url}/v1/chat/completions`);
  assert.equal(answer.headers.get("content-length"), null);
});

test("a request may be an object, or bytes", async () => {
  const url = `${server.url}/v1/chat/completions`;
  const body = JSON.stringify(ASK);
  const sent = [
    fetch(new Request(url, { method: "POST", body })),
    fetch(new URL(url), { method: "POST", body: new TextEncoder().encode(body) }),
  ];
  for (const response of await Promise.all(sent)) {
    assert.equal((await response.json()).choices[0].message.reasoning_content, "plan");
  }
});

test("what is held when a connection breaks comes before the error", async () => {
  const frame = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "5 <" } }] })}\n\n`;
  async function* broken() {
    yield new TextEncoder().encode(frame);
    throw new Error("reset");
  }
  const inner = async () => new Response(ReadableStream.from(broken()), { headers: { "content-type": "text/event-stream" } });
  const response = await tagstreamFetch({ fetch: inner })(`${server.url}/v1/chat/completions`, { method: "POST", body: '{"stream":true}' });
  const decoder = new TextDecoder();
  let seen = "";
  await assert.rejects(async () => {
    for await (const bytes of response.body) seen += decoder.decode(bytes);
  }, /reset/);
  const contents = Array.from(seen.matchAll(/^data: (.*)$/gm), ([, json]) => JSON.parse(json).choices[0]?.delta.content ?? "");
  assert.equal(contents.join(""), "5 <");
});

test("whoever stops reading cancels the request", async () => {
  let cancel;
  const isCancelled = new Promise((resolve) => void (cancel = resolve));
  const inner = async () => {
    const frame = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "word " } }] })}\n\n`;
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(frame)),
      cancel,
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const wrapped = tagstreamFetch({ fetch: inner });
  const response = await wrapped(`${server.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify({ ...ASK, stream: true }) });
  const reader = response.body.getReader();
  assert.ok((await reader.read()).value.length > 0);
  await reader.cancel();
  await isCancelled;
});
