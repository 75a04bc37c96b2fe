// The middleware in both majors of the AI SDK.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import * as ai7 from "ai";
import * as ai6 from "ai-6";
import { createOpenAICompatible as createOpenAICompatible6 } from "ai-6-openai-compatible";
import { tagstreamMiddleware } from "tagstream/ai";
import { serve } from "./server.mjs";

const MESSAGE = 'First.<think>plan</think>Then. <tool_call>{"name": "weather", "arguments": {"city": "Paris"}}</tool_call>';
const SDKS = [
  { name: "ai 7", ai: ai7, create: createOpenAICompatible },
  { name: "ai 6", ai: ai6, create: createOpenAICompatible6 },
];

let server, open;
before(async () => {
  server = await serve(MESSAGE);
  open = await serve("<think>never closed", { cutOff: true });
});
after(() => (server.close(), open.close()));

const modelOf = ({ ai, create }, url, options) =>
  ai.wrapLanguageModel({
    model: create({ name: "local", baseURL: `${url}/v1` })("m"),
    middleware: tagstreamMiddleware(options),
  });

const weather = ({ jsonSchema, tool }, execute) =>
  tool({ inputSchema: jsonSchema({ type: "object", properties: { city: { type: "string" } }, required: ["city"] }), execute });

async function collect(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

/** Each block begins and ends once, with its deltas between. */
function checkBlocks(parts) {
  const open = new Set();
  for (const { type, id } of parts) {
    const [, kind, step] = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(type) ?? [];
    if (!step) continue;
    const key = `${kind} ${id}`;
    assert.equal(open.has(key), step !== "start", `${type} ${id}`);
    if (step === "start") open.add(key);
    if (step === "end") open.delete(key);
  }
  assert.deepEqual([...open], []);
}

for (const sdk of SDKS) {
  test(`${sdk.name}: a stream becomes text, reasoning and a call`, async () => {
    const model = modelOf(sdk, server.url);
    const asked = [];
    const result = sdk.ai.streamText({ model, prompt: "?", tools: { weather: weather(sdk.ai, (input) => (asked.push(input), "sunny")) } });
    const parts = await collect(result.fullStream);
    checkBlocks(parts);
    const order = parts.map(({ type }) => type).filter((type) => /^(text|reasoning)-(start|end)$|^tool-call$/.test(type));
    assert.deepEqual(order, ["text-start", "text-end", "reasoning-start", "reasoning-end", "text-start", "text-end", "tool-call"]);
    assert.equal(await result.reasoningText, "plan");
    assert.deepEqual(asked, [{ city: "Paris" }]);
    assert.equal(await result.finishReason, "tool-calls");
  });

  test(`${sdk.name}: a whole answer`, async () => {
    const model = modelOf(sdk, server.url);
    const result = await sdk.ai.generateText({ model, prompt: "?", tools: { weather: weather(sdk.ai) } });
    assert.equal(result.reasoningText, "plan");
    assert.deepEqual(result.toolCalls.map(({ toolName, input }) => [toolName, input]), [["weather", { city: "Paris" }]]);
    assert.equal(result.content.filter(({ type }) => type === "text").map(({ text }) => text.trim()).join(" "), "First. Then.");
    assert.equal(result.finishReason, "tool-calls");
  });

  test(`${sdk.name}: reasoning ends even if its tag is never closed and the stream breaks off`, async () => {
    const parts = await collect(sdk.ai.streamText({ model: modelOf(sdk, open.url), prompt: "?", onError() {} }).fullStream);
    checkBlocks(parts);
    const types = parts.map(({ type }) => type);
    assert.ok(types.includes("reasoning-end"));
    assert.ok(!types.includes("text-start"));
  });

  test(`${sdk.name}: the input of a call is streamed on request`, async () => {
    const model = modelOf(sdk, server.url, { streamCalls: true });
    const parts = await collect(sdk.ai.streamText({ model, prompt: "?", tools: { weather: weather(sdk.ai) } }).fullStream);
    checkBlocks(parts);
    const deltas = parts.filter(({ type }) => type === "tool-input-delta").map(({ delta }) => delta);
    assert.ok(deltas.length > 3);
    assert.deepEqual(JSON.parse(deltas.join("")), { city: "Paris" });
  });
}

/** The middleware alone, with the parts of a model. */
async function through(parts, params = {}, options = {}) {
  const { wrapStream } = tagstreamMiddleware(options);
  const { stream } = await wrapStream({ params, doStream: async () => ({ stream: ReadableStream.from(parts) }) });
  return collect(stream);
}

const text = (...deltas) => [
  { type: "text-start", id: "1", providerMetadata: { x: { y: 1 } } },
  ...deltas.map((delta) => ({ type: "text-delta", id: "1", delta })),
  { type: "text-end", id: "1" },
];
const TOOLS = { tools: [{ type: "function", name: "f", inputSchema: { type: "object", properties: { n: { type: "integer" } } } }] };

test("no text begins before it is certain that there is some", async () => {
  const seen = [];
  const { wrapStream } = tagstreamMiddleware();
  const { readable, writable } = new TransformStream();
  const { stream } = await wrapStream({ params: {}, doStream: async () => ({ stream: readable }) });
  const done = (async () => {
    for await (const part of stream) seen.push(part.type);
  })();
  const writer = writable.getWriter();
  for (const part of text("<thi", "nk>").slice(0, -1)) await writer.write(part);
  assert.deepEqual(seen, []);
  await writer.write({ type: "text-delta", id: "1", delta: "hm</think>" });
  await writer.write({ type: "text-delta", id: "1", delta: "text" });
  await writer.close();
  await done;
  assert.deepEqual(seen, ["reasoning-start", "reasoning-delta", "reasoning-end", "text-start", "text-delta", "text-end"]);
});

test("what the provider says about a text stays with it", async () => {
  const [start] = await through(text("plain"));
  assert.deepEqual(start, { type: "text-start", id: "1", providerMetadata: { x: { y: 1 } } });
});

test("what the provider says about a delta or about the end does too", async () => {
  const [start, delta, end] = text("plain");
  const citations = [{ type: "citation" }];
  const said = (z) => ({ providerMetadata: { x: { z } } });
  const parts = await through([start, { ...delta, delta: "<", ...said(1) }, { ...delta, delta: "3 a", ...said(2) }, { ...end, ...said(3), citations }]);
  assert.deepEqual(parts.slice(1), [
    { type: "text-delta", id: "1", delta: "<3 a", ...said(2) },
    { type: "text-end", id: "1", ...said(3), citations },
  ]);
});

test("an answer goes on after an error", async () => {
  const [start, delta, end] = text("one <think>a");
  const error = { type: "error", error: new Error("a frame that cannot be read") };
  const parts = await through([start, delta, error, { ...delta, delta: "b</think>two" }, end]);
  checkBlocks(parts);
  assert.deepEqual(parts.filter((part) => part.delta).map((part) => part.delta), ["one ", "a", "b", "two"]);
  assert.equal(parts.findIndex(({ type }) => type === "error"), 6);
});

test("a finish without a reason passes after a call", async () => {
  const parts = await through([...text('<tool_call>{"name": "f", "arguments": {}}</tool_call>'), { type: "finish" }], TOOLS);
  assert.equal(parts.at(-1).finishReason, undefined);
});

test("other parts pass, and an error ends what is open", async () => {
  const error = { type: "error", error: new Error("broken") };
  const parts = await through([{ type: "stream-start", warnings: [] }, ...text("<think>a").slice(0, -1), error]);
  assert.deepEqual(parts.map(({ type }) => type), ["stream-start", "reasoning-start", "reasoning-delta", "reasoning-end", "error"]);
});

test("a stream that fails ends what is open first", async () => {
  const failing = async function* () {
    yield* text("<think>a").slice(0, -1);
    throw new Error("broken");
  };
  const types = [];
  const { stream } = await tagstreamMiddleware().wrapStream({ params: {}, doStream: async () => ({ stream: ReadableStream.from(failing()) }) });
  await assert.rejects(async () => {
    for await (const { type } of stream) types.push(type);
  }, /broken/);
  assert.deepEqual(types, ["reasoning-start", "reasoning-delta", "reasoning-end"]);
});

test("who stops reading cancels the model's stream", async () => {
  let isCancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue({ type: "raw", rawValue: 1 }),
    cancel: () => void (isCancelled = true),
  });
  const { stream } = await tagstreamMiddleware().wrapStream({ params: {}, doStream: async () => ({ stream: endless }) });
  for await (const { type } of stream) {
    assert.equal(type, "raw");
    break;
  }
  assert.ok(isCancelled);
});

test("a refused call is text, once, or dropped", async () => {
  const call = '<tool_call>{"name": "f", "arguments": {"n": "many", "m": 1}}</tool_call>';
  const shown = await through(text(call), TOOLS);
  assert.equal(shown.filter(({ type }) => type === "text-delta").map(({ delta }) => delta).join(""), call);
  assert.deepEqual(await through(text(call), TOOLS, { refused: "drop" }), []);
  const streamed = await through(text(call), TOOLS, { streamCalls: true });
  assert.deepEqual(streamed.map(({ type }) => type).filter((type) => type !== "tool-input-delta"), ["tool-input-start", "tool-input-end", "tool-call"]);
});

test("the ids of calls are unique in an answer and in a conversation", async () => {
  const call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>';
  const given = '<tool_call>{"id": "given", "name": "f", "arguments": {}}</tool_call>';
  const two = [...text(call + call), ...text(call + given + given).map((part) => ({ ...part, id: "2" }))];
  const ids = [];
  for (let answer = 0; answer < 2; answer++) {
    for (const { type, toolCallId } of await through(two, TOOLS)) if (type === "tool-call") ids.push(toolCallId);
  }
  const { wrapGenerate } = tagstreamMiddleware();
  const content = [{ type: "text", text: call }, { type: "text", text: call }];
  const whole = await wrapGenerate({ params: TOOLS, doGenerate: async () => ({ content, finishReason: "stop" }) });
  for (const { type, toolCallId } of whole.content) if (type === "tool-call") ids.push(toolCallId);
  assert.equal(ids.length, 12);
  const own = ids.filter((id) => id === "given");
  assert.equal(own.length, 2, "the model's own id is kept, once in each answer");
  assert.equal(new Set(ids).size, ids.length - 1);
});

test("a request that forbids calls gets none", async () => {
  const parts = await through(text('<tool_call>{"name": "f", "arguments": {}}</tool_call>'), { ...TOOLS, toolChoice: { type: "none" } });
  assert.ok(!parts.some(({ type }) => type === "tool-call"));
});

test("tools of the provider are not called from text", async () => {
  const call = '<tool_call>{"name": "search", "arguments": {}}</tool_call>';
  const tools = [{ type: "provider", id: "x.search", name: "search", args: {} }];
  const parts = await through(text(call), { tools });
  assert.deepEqual(parts.map(({ type, delta }) => delta ?? type), ["text-start", call, "text-end"]);
});
