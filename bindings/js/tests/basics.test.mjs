// The interface: each sentence of the guide.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as api from "tagstream";

const { Parser, Profile, TagstreamError, TagstreamTransform, events, filter, parse, strip } = api;

const TOOLS = [
  { type: "function", function: { name: "wait", parameters: { type: "object", properties: { seconds: { type: "integer", minimum: 1 } } } } },
];
const CALL = "<tool_call><function=wait><parameter=seconds> 5 </parameter></function></tool_call>";

const streamOf = (chunks) => ReadableStream.from(chunks);

async function collect(iterable) {
  const all = [];
  for await (const item of iterable) all.push(item);
  return all;
}

test("plain text is one event that is the chunk", () => {
  const parser = new Parser();
  assert.deepEqual(parser.push("Hello, "), [{ type: "text", text: "Hello, ", span: [0, 7] }]);
  assert.deepEqual(parser.push("wörld"), [{ type: "text", text: "wörld", span: [7, 13] }]);
  assert.deepEqual(parser.push(""), []);
  assert.deepEqual(parser.finish(), []);
});

test("a thought, cut inside its tags", () => {
  const parser = new Parser();
  assert.deepEqual(parser.push("<thi"), []);
  assert.equal(parser.held, "<thi");
  const got = [...parser.push("nk>plan"), ...parser.push("ning"), ...parser.push("</think>5 < 6"), ...parser.finish()];
  assert.deepEqual(got, [
    { type: "thought_start", tag: "think", attributes: {}, span: [0, 7] },
    { type: "thought", text: "plan", span: [7, 11] },
    { type: "thought", text: "ning", span: [11, 15] },
    { type: "thought_end", closed: true, span: [15, 23] },
    { type: "text", text: "5 < 6", span: [23, 28] },
  ]);
});

test("bytes and strings may be cut inside a character", () => {
  const message = "<think>🧠</think>🎉";
  const expected = parse(message);
  assert.deepEqual(expected.thoughts, ["🧠"]);
  const parser = new Parser();
  const got = [...message.split("").flatMap((unit) => parser.push(unit)), ...parser.finish()];
  assert.equal(got.filter((event) => event.type === "text").map((event) => event.text).join(""), "🎉");
  const bytes = new Parser();
  const encoded = new TextEncoder().encode(message);
  const read = [...Array.from(encoded, (byte) => bytes.push(Uint8Array.of(byte))).flat(), ...bytes.finish()];
  assert.equal(read.filter((event) => event.type === "text").map((event) => event.text).join(""), "🎉");
});

test("half a character at the end becomes U+FFFD", () => {
  const parser = new Parser();
  assert.deepEqual(parser.push("a\ud83e").map((event) => event.text), ["a"]);
  assert.equal(parser.finish().map((event) => event.text ?? "").join(""), "\ufffd");
});

test("half a character in the middle becomes U+FFFD, whatever the chunk", () => {
  const read = (...chunks) => {
    const parser = new Parser();
    const events = [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.finish()];
    return [events.map((event) => (event.type === "text" ? event.text : "")).join(""), events.at(-1).span[1]];
  };
  const bytes = (text) => new TextEncoder().encode(text);
  assert.deepEqual(read("a\ud800b"), ["a\ufffdb", 5]);
  assert.deepEqual(read("a\udc00b\ud83e\udde0"), ["a\ufffdb🧠", 9]);
  assert.deepEqual(read("a\ud800b<think>x</think>"), ["a\ufffdb", 21]);
  assert.deepEqual(read("a\ud800", "b"), ["a\ufffdb", 5]);
  assert.deepEqual(read("a\ud800", bytes("b")), ["a\ufffdb", 5]);
  const shown = new api.Filter();
  assert.equal(shown.push("a\ud800") + shown.push(bytes("b")) + shown.finish(), "a\ufffdb");
});

test("bytes may be an ArrayBuffer or any view of one; anything else is refused", () => {
  const { buffer } = Uint8Array.of(97, 98, 99, 100);
  for (const chunk of [buffer, new DataView(buffer), new Uint16Array(buffer)]) {
    assert.equal(new Parser().push(chunk)[0].text, "abcd");
  }
  assert.equal(new Parser().push(new DataView(buffer, 1, 2))[0].text, "bc");
  assert.equal(api.aggregate(buffer, "text")[0].content, "abcd");
  for (const chunk of [5, [97], undefined, {}]) assert.throws(() => new Parser().push(chunk), TypeError);
});

test("a finished parser takes no more text", () => {
  const parser = new Parser();
  parser.finish();
  assert.throws(() => parser.push("x"), /finished/);
  assert.deepEqual(parser.finish(), []);
});

test("a call is complete and checked", () => {
  const parser = new Parser({ tools: TOOLS });
  const got = [...parser.push(CALL), ...parser.finish()];
  const end = got.find((event) => event.type === "call_end");
  assert.deepEqual(end.arguments, { seconds: 5 });
  assert.equal(end.arguments_json, '{"seconds":5}');
  const refused = [...new Parser({ tools: TOOLS }).push(CALL.replace("5", "0"))].find((event) => event.type === "call_error");
  assert.equal(refused.code, "type_mismatch");
  assert.match(refused.message, /seconds/);
});

test("numbers keep their spelling in arguments_json", () => {
  const tools = [{ name: "f", parameters: { type: "object", properties: { n: { type: "number" } } } }];
  const text = '<tool_call>{"name": "f", "arguments": {"n": 12345678901234567890.50}}</tool_call>';
  assert.match(parse(text, { tools }).tool_calls[0].arguments_json, /12345678901234567890\.50/);
});

test("elements are reported, and can be read while they are open", () => {
  const parser = new Parser({ profile: { elements: [{ name: "node", children: ["title"] }] } });
  parser.push('<node id="n1"><title>One</title>bo');
  assert.equal(parser.openElements[0].body, "bo");
  assert.equal(parser.openElements[0].attributes.id, "n1");
  const end = [...parser.push("dy</node>")].find((event) => event.type === "element_end");
  assert.equal(end.body, "body");
  assert.deepEqual(end.parts, [{ name: "title", attributes: {}, text: "One" }]);
});

test("a profile in TOML, in JSON or as an object", () => {
  const profiles = ['[thinking]\ntags = ["hm"]', '{"thinking": {"tags": ["hm"]}}', { thinking: { tags: ["hm"] } }];
  for (const profile of profiles) assert.deepEqual(parse("<hm>a</hm>b", { profile }).thoughts, ["a"]);
});

test("a preset, a model, a dialect", () => {
  assert.ok(api.presets().some(({ name, source }) => name === "qwen3" && source.includes("[thinking]")));
  assert.ok(api.dialects().some(({ name }) => name === "hermes"));
  assert.deepEqual(parse("<think>a</think>b", { preset: "qwen3" }).thoughts, ["a"]);
  assert.deepEqual(parse("<think>a</think>b", { model: "Qwen/Qwen3-8B" }).thoughts, ["a"]);
  assert.equal(parse(CALL, { tools: TOOLS, dialect: "qwen3-coder" }).tool_calls.length, 1);
  assert.equal(parse(CALL, { tools: TOOLS, dialect: ["hermes"] }).tool_calls.length, 0);
  assert.equal(parse(CALL, { tools: TOOLS, calls: false }).tool_calls.length, 0);
});

test("a compiled profile is shared", () => {
  const profile = new Profile({ tools: TOOLS });
  for (let i = 0; i < 3; i++) assert.equal(parse(CALL, profile).tool_calls.length, 1);
});

test("errors name the option, the key and the line", () => {
  const refused = (options) => {
    try {
      new Parser(options);
    } catch (error) {
      assert.ok(error instanceof TagstreamError && error instanceof Error);
      return error;
    }
    throw new Error("accepted");
  };
  const wrong = refused({ profile: 'code = "none"\n[thinking]\ntag = "x"' });
  assert.deepEqual([wrong.option, wrong.line, wrong.key], ["profile", 3, "thinking.tag"]);
  assert.match(wrong.message, /unknown key `tag`, did you mean `tags`|unknown key `tag`/);
  assert.equal(refused({ preset: "qwen33" }).option, "preset");
  assert.match(refused({ preset: "qwen33" }).message, /qwen3/);
  assert.equal(refused({ model: "nothing" }).option, "model");
  assert.equal(refused({ dialect: "hermis", calls: true }).option, "dialect");
  assert.equal(refused({ tools: "[" }).option, "tools");
  assert.match(refused({ tools: { toolz: [] } }).message, /tools/, "otherwise nothing would be checked");
  assert.throws(() => new api.Session("opnai"), (error) => error.option === "format");
  assert.throws(() => new api.Rewriter("openai", {}, { thinking: "drop" }), (error) => error.option === "thinking");
});

test("what is not a string, or not options, is a TypeError that names it", () => {
  const { Filter, Rewriter, Session, aggregate } = api;
  for (const [call, message] of [
    [() => parse(5), "text must be a string, not a number"],
    [() => parse(undefined), "text must be a string, not undefined"],
    [() => parse(new Uint8Array()), "text must be a string, not an object"],
    [() => parse("a", {}, 5), "whitespace must be a string, not a number"],
    [() => strip(true), "text must be a string, not a boolean"],
    [() => strip("a", {}, null), "whitespace must be a string, not null"],
    [() => new Session(5), "format must be a string, not a number"],
    [() => new Rewriter(-1), "format must be a string, not a number"],
    [() => aggregate("a", ["text"]), "format must be a string, not a list"],
    [() => aggregate("a", "text", {}, 5), "whitespace must be a string, not a number"],
    [() => new Parser(null), "options must be an object, not null"],
    [() => new Parser("qwen3"), "options must be an object, not a string"],
    [() => new Filter({}, []), "options must be an object, not a list"],
  ]) {
    assert.throws(call, (error) => error instanceof TypeError && error.message === message, message);
  }
});

test("of a preset, a model and a profile only one is given", () => {
  for (const options of [{ preset: "qwen3", profile: {} }, { preset: "qwen3", model: "qwen3" }, { model: "qwen3", profile: "" }]) {
    assert.throws(() => new Parser(options), (error) => error instanceof TagstreamError && /only one of/.test(error.message));
  }
  new Parser({ preset: "qwen3", model: undefined });
});

test("an option that does not exist is refused, with those that do", () => {
  const unknown = (name) => (error) => error instanceof TagstreamError && error.option === name && error.message.includes("`preset`, `model`");
  assert.throws(() => new Parser({ presets: "qwen3" }), unknown("presets"));
  assert.throws(() => parse("", { tool: [] }), unknown("tool"));
  assert.throws(() => api.tagstreamFetch({ streamcalls: true }), unknown("streamcalls"));
  assert.throws(() => api.tagstreamMiddleware({ thinking: "hide" }), unknown("thinking"));
  assert.throws(() => new api.Filter({}, { showThoughts: true }), (error) => error.option === "showThoughts");
  assert.throws(() => new api.Rewriter("auto", {}, { calls: "stream" }), (error) => error.option === "calls");
});

test("a wrong option is reported before a request is sent", async () => {
  const sent = () => assert.fail("sent");
  const fetch = api.tagstreamFetch({ preset: "qwen33", fetch: sent });
  const request = ["http://localhost/v1/chat/completions", { method: "POST", body: "{}" }];
  await assert.rejects(fetch(...request), (error) => error.option === "preset");
  await assert.rejects(api.tagstreamFetch({ thinking: "drop", fetch: sent })(...request), (error) => error.option === "thinking");
  const { wrapGenerate, wrapStream } = api.tagstreamMiddleware({ preset: "qwen33" });
  await assert.rejects(wrapGenerate({ params: {}, doGenerate: sent }), (error) => error.option === "preset");
  await assert.rejects(wrapStream({ params: {}, doStream: sent }), (error) => error.option === "preset");
});

test("what was held comes before the error of a source", async () => {
  async function* failing() {
    yield "text <thi";
    throw new Error("broken");
  }
  for (const read of [async function* () { for await (const event of events(failing())) yield event.text; }, () => filter(failing())]) {
    let seen = "";
    await assert.rejects(async () => {
      for await (const text of read()) seen += text;
    }, /broken/);
    assert.equal(seen, "text <thi");
  }
});

test("whole messages", () => {
  const message = parse(`<think>a</think>One${CALL}`, { tools: TOOLS });
  assert.deepEqual(message, {
    content: "One",
    thoughts: ["a"],
    tool_calls: [{ id: "call_0", name: "wait", arguments: { seconds: 5 }, arguments_json: '{"seconds":5}' }],
    notices: [],
  });
  assert.equal(strip("a <b>x</b> c"), "a  c");
  assert.equal(strip("a <b>x</b> c", {}, "collapse"), "a c");
});

test("streams of strings, of bytes, and iterables", async () => {
  const chunks = ["<thi", "nk>plan</th", "ink>5 <", " 6"];
  const encoded = chunks.map((chunk) => new TextEncoder().encode(chunk));
  for (const source of [chunks, encoded, streamOf(chunks), streamOf(encoded), (async function* () { yield* chunks; })()]) {
    const text = (await collect(events(source))).filter((event) => event.type === "text");
    assert.equal(text.map((event) => event.text).join(""), "5 < 6");
  }
  const transformed = await collect(streamOf(chunks).pipeThrough(new TagstreamTransform()));
  assert.deepEqual(transformed, await collect(events(chunks)));
  assert.equal((await collect(filter(streamOf(chunks)))).join(""), "5 < 6");
  assert.equal((await collect(filter(chunks, {}, { showThinking: true }))).join("").includes("plan"), true);
});

test("a stream without an iterator is read, and cancelled by whoever stops early", async () => {
  let isCancelled = false;
  const inner = new ReadableStream({
    pull: (controller) => controller.enqueue("text "),
    cancel: () => void (isCancelled = true),
  });
  const plain = { getReader: () => inner.getReader() };
  for await (const event of events(plain)) {
    assert.equal(event.text, "text ");
    break;
  }
  assert.ok(isCancelled);
});

test("an event is emitted as soon as it is certain", async () => {
  let release;
  const gate = new Promise((resolve) => void (release = resolve));
  async function* slow() {
    yield "certain";
    await gate;
    yield " later";
  }
  const iterator = events(slow());
  assert.equal((await iterator.next()).value.text, "certain");
  release();
  assert.equal((await iterator.next()).value.text, " later");
});

test("a session names the format, and events have their choice", () => {
  const session = new api.Session();
  const frame = { choices: [{ index: 0, delta: { content: "<think>a</think>b" }, finish_reason: "stop" }] };
  const got = [...session.push(`data: ${JSON.stringify(frame)}\n\ndata: [DONE]\n\n`), ...session.finish()];
  assert.deepEqual(got.filter(({ type }) => type === "text"), [{ type: "text", text: "b", choice: 0, span: [16, 17] }]);
  assert.deepEqual(got.at(-1), { type: "finish", choice: 0, reason: "stop" });
});

test("patterns of schemas are those of JavaScript", () => {
  const checked = (schema, value) => {
    const tools = [{ name: "f", parameters: { type: "object", properties: { v: schema }, required: ["v"] } }];
    const text = `<tool_call>${JSON.stringify({ name: "f", arguments: { v: value } })}</tool_call>`;
    const { tool_calls, notices } = parse(text, { tools });
    return tool_calls.length === 1 || notices.map(({ code, message }) => `${code}: ${message}`).join("\n");
  };
  const string = (pattern) => ({ type: "string", pattern });
  // As zod writes an e-mail address: with look-arounds.
  const email = string("^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$");
  assert.equal(checked(email, "a.b@example.com"), true);
  assert.match(checked(email, "a..b@example.com"), /^type_mismatch: .*`v`/);
  assert.equal(checked(string("^\\p{L}+$"), "Größe"), true);
  assert.match(checked(string("^\\p{L}+$"), "5"), /^type_mismatch/);
  assert.equal(checked(string("^\\d$"), "5"), true);
  assert.match(checked(string("^\\d$"), "٥"), /^type_mismatch/, "only ASCII digits, as in JavaScript");
  assert.equal(checked(string("a\\-b"), "a-b"), true, "an escape that only the older syntax allows");
  const named = { type: "object", patternProperties: { "^n_": { type: "integer" } }, additionalProperties: false };
  assert.equal(checked(named, { n_a: 1 }), true);
  assert.match(checked(named, { m_a: 1 }), /^unknown_argument|^type_mismatch/);
  // One that is none is left out; the rest of the schema counts.
  assert.equal(checked({ type: "integer", pattern: "(" }, 5), true);
});

test("memory does not grow with the options of many calls", async () => {
  const { loaded } = await import("../dist/module.js");
  const size = () => loaded().buffer.byteLength;
  // Within one task, so that nothing is collected.
  const use = () => {
    parse(CALL, { tools: TOOLS });
    strip("a <b>x</b>", { tools: TOOLS });
    api.aggregate("a", "text", { tools: TOOLS });
    new Parser({ tools: TOOLS }).free();
    new api.Filter({ tools: TOOLS }).free();
    new api.Session("text", { tools: TOOLS }).free();
    new api.Rewriter("openai", { tools: TOOLS }).free();
    new Profile({ tools: TOOLS }).free();
    new Parser().free();
  };
  for (let i = 0; i < 5; i++) use();
  const before = size();
  for (let i = 0; i < 20; i++) use();
  assert.equal(size(), before);
});

test("a parser outlives its profile", () => {
  const profile = new Profile({ tools: TOOLS });
  const parser = new Parser(profile);
  profile.free();
  assert.ok(parser.push(CALL).some(({ type }) => type === "call_end"));
});

test("memory is freed with many parsers", () => {
  const profile = new Profile({ tools: TOOLS });
  for (let i = 0; i < 20_000; i++) {
    const parser = new Parser(profile);
    parser.push("<think>x".repeat(10));
    parser.finish();
    parser.free();
  }
});
