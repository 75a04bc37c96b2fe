// The official Node SDKs, and the `ai` package: reads all answers of a list (standard input) and
// prints what their helpers make of each.
import OpenAI from "openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { Ollama } from "ollama";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import * as ai from "ai";
import * as ai6 from "ai-6";
import { createOpenAICompatible as createCompatible6 } from "ai-6-openai-compatible";
import { readFileSync } from "node:fs";

globalThis.AI_SDK_LOG_WARNINGS = false;
const messages = [{ role: "user", content: "Hi" }];

const openai = (url) => new OpenAI({ baseURL: url + "/v1", apiKey: "x", maxRetries: 0 });
const anthropic = (url) => new Anthropic({ baseURL: url, apiKey: "x", maxRetries: 0 });
const compatible = (url) => createOpenAICompatible({ name: "local", baseURL: url + "/v1" })("m");
const compatible6 = (url) => createCompatible6({ name: "local", baseURL: url + "/v1" })("m");
const claude = (url) => createAnthropic({ baseURL: url + "/v1", apiKey: "x" })("m");
const gemini = (url) => createGoogleGenerativeAI({ baseURL: url + "/v1beta", apiKey: "x" })("m");

async function openaiHelper({ url }) {
  const stream = openai(url).chat.completions.stream({ model: "m", messages });
  // The helper keeps only the last piece of a field it does not know.
  const thoughts = {};
  stream.on("chunk", (chunk) => {
    for (const { index, delta } of chunk.choices) {
      thoughts[index] = (thoughts[index] ?? "") + (delta.reasoning_content ?? delta.reasoning ?? delta.thoughts ?? "");
    }
  });
  const answer = openaiAnswer(await stream.finalChatCompletion());
  answer.choices.forEach((choice, index) => (choice.reasoning = thoughts[index] ?? ""));
  return answer;
}

async function openaiBody({ url }) {
  return openaiAnswer(await openai(url).chat.completions.create({ model: "m", messages }));
}

function openaiAnswer(completion) {
  const choices = completion.choices.map(({ message, finish_reason }) => {
    const calls = (message.tool_calls ?? []).map((call) => ({
      id: call.id,
      name: call.function.name,
      arguments: parsed(call.function.arguments),
    }));
    const old = message.function_call;
    if (old) calls.push({ id: "", name: old.name, arguments: parsed(old.arguments) });
    return {
      content: message.content || message.refusal || "",
      reasoning: message.reasoning_content ?? message.reasoning ?? message.thoughts ?? "",
      calls,
      finish: finish_reason,
    };
  });
  return { choices };
}

async function responsesHelper({ url }) {
  const stream = openai(url).responses.stream({ model: "m", input: "Hi" });
  return responsesAnswer(await stream.finalResponse());
}

async function responsesBody({ url }) {
  return responsesAnswer(await openai(url).responses.create({ model: "m", input: "Hi" }));
}

function responsesAnswer(response) {
  if (response.status === "failed") throw new Error(response.error.message);
  const of = (type) => response.output.filter((item) => item.type === type);
  const parts = (items) => items.flatMap((item) => [...(item.summary ?? []), ...(item.content ?? [])]);
  const text = (items) => parts(items).map((part) => part.text ?? part.refusal).join("");
  const calls = [...of("function_call"), ...of("custom_tool_call")].map((item) => ({
    id: item.call_id,
    name: item.name,
    arguments: item.type === "function_call" ? parsed(item.arguments) : { input: item.input },
  }));
  const finish = response.incomplete_details?.reason ?? response.status;
  return { choices: [{ content: text(of("message")), reasoning: text(of("reasoning")), calls, finish }] };
}

async function anthropicHelper({ url }) {
  const stream = anthropic(url).messages.stream({ model: "m", max_tokens: 9, messages });
  return anthropicAnswer(await stream.finalMessage());
}

async function anthropicBody({ url }) {
  return anthropicAnswer(await anthropic(url).messages.create({ model: "m", max_tokens: 9, messages }));
}

function anthropicAnswer(message) {
  const of = (type) => message.content.filter((block) => block.type === type);
  return {
    choices: [
      {
        content: of("text").map((block) => block.text).join(""),
        reasoning: of("thinking").map((block) => block.thinking).join(""),
        calls: of("tool_use").map(({ id, name, input }) => ({ id, name, arguments: input })),
        finish: message.stop_reason,
      },
    ],
  };
}

const google = (url) => new GoogleGenAI({ apiKey: "x", httpOptions: { baseUrl: url, retryOptions: { attempts: 1 } } }).models;

async function googleStream({ url }) {
  return googleAnswer(await all(await google(url).generateContentStream({ model: "m", contents: "Hi" })));
}

async function googleBody({ url }) {
  return googleAnswer([await google(url).generateContent({ model: "m", contents: "Hi" })]);
}

// All parts of all responses, joined: the package has no helper for that.
function googleAnswer(responses) {
  const choices = [];
  for (const candidate of responses.flatMap((response) => response.candidates ?? [])) {
    const into = (choices[candidate.index ?? 0] ??= { content: "", reasoning: "", calls: [], finish: null });
    into.finish = candidate.finishReason ?? into.finish;
    for (const part of candidate.content?.parts ?? []) {
      const call = part.functionCall;
      if (call) into.calls.push({ id: call.id ?? null, name: call.name, arguments: call.args ?? {} });
      else into[part.thought ? "reasoning" : "content"] += part.text ?? "";
    }
  }
  return { choices };
}

async function ollamaStream({ url }) {
  const client = new Ollama({ host: url });
  const lines = url.includes("generate")
    ? await client.generate({ model: "m", prompt: "Hi", stream: true })
    : await client.chat({ model: "m", messages, stream: true });
  return ollamaAnswer(await all(lines));
}

async function ollamaBody({ url }) {
  return ollamaAnswer([await new Ollama({ host: url }).chat({ model: "m", messages })]);
}

function ollamaAnswer(lines) {
  const answer = { content: "", reasoning: "", calls: [], finish: null };
  for (const line of lines) {
    const message = line.message ?? line;
    answer.content += message.content ?? message.response ?? "";
    answer.reasoning += message.thinking ?? "";
    for (const { function: call } of message.tool_calls ?? []) {
      answer.calls.push({ id: null, name: call.name, arguments: call.arguments });
    }
    answer.finish = line.done_reason ?? answer.finish;
  }
  return { choices: [answer] };
}

// The `ai` package, at one of its versions and with one of its providers.
function aiDrivers(sdk, model) {
  const anything = () => sdk.tool({ inputSchema: sdk.jsonSchema({ type: "object" }) });
  const toolsOf = (names) => Object.fromEntries(names.map((name) => [name, anything()]));
  const helper = async ({ url, tools }) => {
    let failed;
    const onError = ({ error }) => (failed = error);
    const result = sdk.streamText({ model: model(url), messages, tools: toolsOf(tools), maxRetries: 0, onError });
    await result.consumeStream({ onError: (error) => (failed = error) });
    if (failed) throw failed;
    return aiAnswer(await result.text, await result.reasoningText, await result.toolCalls, await result.rawFinishReason);
  };
  const body = async ({ url, tools }) => {
    const result = await sdk.generateText({ model: model(url), messages, tools: toolsOf(tools), maxRetries: 0 });
    return aiAnswer(result.text, result.reasoningText, result.toolCalls, result.rawFinishReason);
  };
  return { helper, body };
}

const current = aiDrivers(ai, compatible);
const before = aiDrivers(ai6, compatible6);
const ofClaude = aiDrivers(ai, claude);
const ofGemini = aiDrivers(ai, gemini);

function aiAnswer(content, reasoning, toolCalls, finish) {
  const calls = toolCalls.map((call) => {
    if (call.invalid) throw call.error;
    return { id: call.toolCallId, name: call.toolName, arguments: call.input };
  });
  return { choices: [{ content, reasoning: reasoning ?? "", calls, finish: finish ?? null }] };
}

async function all(stream) {
  const items = [];
  for await (const item of stream) items.push(item);
  return items;
}

function parsed(text) {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return { invalid: text };
  }
}

const drivers = {
  "openai sse": { "openai-node helper": openaiHelper, ai: current.helper, "ai 6": before.helper },
  "openai json": { "openai-node body": openaiBody, "ai body": current.body, "ai 6 body": before.body },
  "responses sse": { "openai-node helper": responsesHelper },
  "responses json": { "openai-node body": responsesBody },
  "anthropic sse": { "anthropic-node helper": anthropicHelper, "ai anthropic": ofClaude.helper },
  "anthropic json": { "anthropic-node body": anthropicBody, "ai anthropic body": ofClaude.body },
  "gemini sse": { "google-genai-node": googleStream, "ai google": ofGemini.helper },
  "gemini json": { "google-genai-node body": googleBody, "ai google body": ofGemini.body },
  "ollama ndjson": { "ollama-node": ollamaStream },
  "ollama json": { "ollama-node body": ollamaBody },
};

const results = {};
for (const item of JSON.parse(readFileSync(0, "utf8"))) {
  const answers = (results[item.name] = {});
  for (const [name, driver] of Object.entries(drivers[`${item.form} ${item.kind}`] ?? {})) {
    try {
      answers[name] = await driver(item);
    } catch (error) {
      answers[name] = { error: `${error?.name}: ${error?.message}` };
    }
  }
}
console.log(JSON.stringify(results));
