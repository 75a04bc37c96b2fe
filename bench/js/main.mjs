// Measures the package beside its peers, in one run. Times are CPU times of the process, the least of several rounds.

import { writeFileSync } from "node:fs";
import { extractReasoningMiddleware } from "ai";
import { Parser, Profile, tagstreamMiddleware } from "tagstream";
import { parseAssistantMessage } from "./peers/cline/index.js";

const ROUNDS = 15;
const CHUNK = 4;
const SENTENCE = "The parser reads each chunk once, and what is certain is emitted at once; nothing is taken back. ";

const repeat = (text, length) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
const cut = (text) => Array.from({ length: Math.ceil(text.length / CHUNK) }, (_, at) => text.slice(at * CHUNK, (at + 1) * CHUNK));

/** Nanoseconds of CPU time. */
function now() {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

/** The least time of a few rounds, after one that is not counted. */
async function measure(work) {
  let least = Infinity;
  for (let round = 0; round <= ROUNDS; round++) {
    const start = now();
    await work();
    if (round > 0) least = Math.min(least, now() - start);
  }
  return least;
}

/** Reads a message with a parser, and looks at each event. */
function parse(profile, chunks) {
  const parser = new Parser(profile);
  let length = 0;
  for (const chunk of chunks) for (const event of parser.push(chunk)) length += event.text?.length ?? 0;
  for (const event of parser.finish()) length += event.text?.length ?? 0;
  parser.free();
  return length;
}

/** Reads a message with a middleware of the AI SDK, in the stream of parts that the SDK gives it. */
async function pipe(middleware, chunks) {
  let at = -1;
  const stream = new ReadableStream({
    pull(controller) {
      if (at === -1) controller.enqueue({ type: "text-start", id: "1" });
      else if (at < chunks.length) controller.enqueue({ type: "text-delta", id: "1", delta: chunks[at] });
      else {
        controller.enqueue({ type: "text-end", id: "1" });
        controller.close();
      }
      at += 1;
    },
  });
  const result = await middleware.wrapStream({ params: {}, doStream: async () => ({ stream }) });
  const seen = { text: 0, reasoning: 0 };
  for await (const { type, delta } of result.stream) {
    if (type === "text-delta") seen.text += delta.length;
    if (type === "reasoning-delta") seen.reasoning += delta.length;
  }
  return seen;
}

/** What the pipeline itself costs. */
const nothing = { wrapStream: async ({ doStream }) => ({ stream: (await doStream()).stream.pipeThrough(new TransformStream()) }) };

const rows = [];
function row(name, nanoseconds, chunks) {
  const each = nanoseconds / chunks;
  rows.push({ name, chunks, ns_per_chunk: Math.round(each) });
  console.log(`${Math.round(each).toString().padStart(12)} ns per chunk: ${name}`);
  return each;
}

async function plain() {
  const chunks = cut(repeat(SENTENCE, 1_000_000));
  const profile = new Profile();
  return row("plain text, Parser", await measure(() => parse(profile, chunks)), chunks.length);
}

async function thinking() {
  const half = repeat(SENTENCE, 100_000);
  const chunks = cut(`<think>${half}</think>${half}`);
  const profile = new Profile();
  const peer = extractReasoningMiddleware({ tagName: "think" });
  const own = tagstreamMiddleware();
  const expected = JSON.stringify({ text: half.length, reasoning: half.length });
  for (const middleware of [peer, own]) {
    const seen = JSON.stringify(await pipe(middleware, chunks));
    if (seen !== expected) throw new Error(`${seen} instead of ${expected}`);
  }
  const of = async (name, work) => row(`thinking, ${name}`, await measure(work), chunks.length);
  return {
    parser: await of("Parser", () => parse(profile, chunks)),
    peer: await of("extractReasoningMiddleware in its pipeline", () => pipe(peer, chunks)),
    own: await of("tagstreamMiddleware in the same pipeline", () => pipe(own, chunks)),
    floor: await of("the pipeline alone", () => pipe(nothing, chunks)),
  };
}

/**
 * Cline's parser reads the message so far again for every chunk, which takes hours for the whole message. What is measured is
 * the mean over the first part of it. Later chunks cost more, so this is the least that the peer needs for each.
 */
const MEASURED = 80_000;
const SAMPLES = 4;

async function argument() {
  const content = repeat("const answer = compute(6, 7); // the result\n", 400_000);
  const message = `<write_to_file>\n<path>a.ts</path>\n<content>\n${content}</content>\n</write_to_file>`;
  const chunks = cut(message);
  const properties = { path: { type: "string" }, content: { type: "string" } };
  const profile = new Profile({ dialect: "tags", tools: [{ name: "write_to_file", parameters: { type: "object", properties } }] });
  const parser = new Parser(profile);
  const found = [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.finish()].find(({ type }) => type === "call_end");
  if (found?.arguments.content.trim() !== content.trim()) throw new Error("the argument is not what was written");
  const own = row("an argument of 400 KB, Parser", await measure(() => parse(profile, chunks)), chunks.length);
  let sum = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const upTo = message.slice(0, ((sample + 0.5) / SAMPLES) * MEASURED);
    const start = now();
    parseAssistantMessage(upTo);
    sum += now() - start;
  }
  return { own, cline: row("an argument of 400 KB, Cline's parser (at least)", (sum / SAMPLES) * chunks.length, chunks.length) };
}

const textEach = await plain();
const thought = await thinking();
const call = await argument();

const goals = [
  { goal: "plain chunks of 4 characters: at most 400 ns", value: textEach, isMet: textEach <= 400 },
  ...[
    ["Parser", thought.parser],
    ["tagstreamMiddleware in the same pipeline", thought.own],
  ].map(([name, own]) => {
    const value = thought.peer / own;
    return { goal: `${name}: 10 × faster than extractReasoningMiddleware in its pipeline`, value, isMet: value >= 10 };
  }),
  { goal: "an argument of 400 KB: 100 × faster than Cline's old parser", value: call.cline / call.own, isMet: call.cline / call.own >= 100 },
];
for (const { goal, value, isMet } of goals) console.log(`${isMet ? "met    " : "NOT MET"} ${goal}: ${value.toFixed(1)}`);

const at = process.argv.indexOf("--json");
if (at > 0) writeFileSync(process.argv[at + 1], `${JSON.stringify({ rows, goals }, null, 2)}\n`);
