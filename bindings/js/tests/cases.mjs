// Checks the language-neutral cases in `cases/`: what they mean is in its README. Runs in any environment.

const IGNORED = new Set(["compare", "stream", "max_seconds", "scaling"]);
const JOINED = new Set(["text", "thought", "call_delta", "element_delta"]);
/** Byte by byte only for shorter messages. */
const LONG = 100_000;
/** Keeps a U+FEFF at the beginning. */
const text = new TextDecoder("utf-8", { ignoreBOM: true });

/** The problems of a case in all cuts; empty if it passes, or fails as it is known to. */
export function problemsOf(api, testCase) {
  const profile = profileOf(api, testCase);
  const given = chunksOf(testCase);
  const whole = join(given);
  const cuts = { given, whole: [whole] };
  if (whole.length < LONG) cuts.bytes = Array.from(whole, (_, at) => whole.subarray(at, at + 1));
  if (testCase.chunks) cuts.strings = testCase.chunks;
  if (testCase.chunks && whole.length < LONG) cuts.units = testCase.chunks.join("").split("");
  const problems = [];
  for (const [cut, chunks] of Object.entries(cuts)) {
    const problem = check(testCase, read(api, testCase, profile, chunks), text.decode(whole));
    if (testCase.known_gap ? !problem : problem) problems.push(`${testCase.id} (${cut}): ${problem ?? "passes now"}`);
  }
  return problems;
}

export function profileOf(api, testCase) {
  const { model, tools, profile } = testCase;
  return new api.Profile(model ? { model, tools } : { profile });
}

export function chunksOf({ chunks, bytes_hex, gen }) {
  if (bytes_hex) return bytes_hex.map((hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16)));
  const encoder = new TextEncoder();
  if (chunks) return chunks.map((chunk) => encoder.encode(chunk));
  const middle = gen.repeat.repeat(Math.ceil(gen.total / gen.repeat.length)).slice(0, gen.total);
  const message = gen.prefix + middle + gen.suffix;
  const out = [];
  for (let at = 0; at < message.length; at += gen.chunk) out.push(encoder.encode(message.slice(at, at + gen.chunk)));
  return out;
}

export function join(chunks) {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  chunks.reduce((at, chunk) => (whole.set(chunk, at), at + chunk.length), 0);
  return whole;
}

/** The events as the contract writes them, without spans, messages and skips; neighbours joined. */
function read(api, testCase, profile, chunks) {
  const isText = testCase.from === "text";
  const reader = isText ? new api.Parser(profile) : new api.Session(testCase.from, profile);
  const events = chunks.flatMap((chunk) => reader.push(chunk)).concat(reader.finish());
  if (isText) checkSpans(events, testCase.chunks?.join(""));
  return joined(events);
}

/** Spans tile the message. What is not UTF-8 becomes longer. */
function checkSpans(events, text) {
  let at = 0;
  for (const { span } of events) {
    if (span[0] !== at) throw new Error(`a span begins at ${span[0]}, not at ${at}`);
    at = span[1];
  }
  const length = text === undefined ? at : new TextEncoder().encode(text).length;
  if (at !== length) throw new Error(`the spans end at ${at}, not at ${length}`);
}

function joined(events) {
  const out = [];
  const parents = new Map();
  for (const { span, message, raw, arguments_json, choice, ...event } of events) {
    if (event.type === "skip") continue;
    // The cases have the parent of an element at its end, too.
    if (event.type === "element_start") parents.set(event.id, event.parent);
    if (event.type === "element_end") event.parent = parents.get(event.id);
    const last = out.at(-1);
    const rest = JSON.stringify({ ...event, text: "" });
    if (last && JOINED.has(event.type) && rest === JSON.stringify({ ...last, text: "" })) last.text += event.text;
    else out.push(event);
  }
  return out;
}

const of = (events, type) => events.filter((event) => event.type === type);
const textOf = (events) => of(events, "text").map((event) => event.text).join("");

function blocksOf(events) {
  const blocks = [];
  for (const event of events) {
    if (event.type === "thought_start") blocks.push("");
    if (event.type === "thought") blocks[blocks.length - 1] += event.text;
  }
  return blocks;
}

/** Each with the keys that the case asks for. */
function only(found, wanted) {
  const keys = (item, ask) => Object.fromEntries(Object.entries(item).filter(([key]) => key in ask));
  return found.map((item, index) => (wanted[index] ? keys(item, wanted[index]) : item));
}

function errorOf({ code, argument, name }, asked) {
  return [argument, name].some((of) => of && asked === `${code}:${of}`) ? asked : code;
}

function jsonArguments(events) {
  const byCall = {};
  for (const { index, argument, text } of of(events, "call_delta")) {
    if (argument === undefined) byCall[index] = (byCall[index] ?? "") + text;
  }
  return Object.values(byCall);
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isBalanced(events) {
  const types = events.map((event) => event.type).filter((type) => type === "thought_start" || type === "thought_end");
  return types.every((type, index) => type === (index % 2 ? "thought_end" : "thought_start")) && types.length % 2 === 0;
}

function observed(key, events, message, wanted) {
  const text = textOf(events);
  switch (key) {
    case "text":
      return text;
    case "reasoning":
      return blocksOf(events).join("");
    case "reasoning_blocks":
      return blocksOf(events);
    case "notices":
      return of(events, "notice").map((event) => event.code);
    case "flags": {
      const codes = events.map((event) => event.code);
      return wanted.filter((flag) => codes.includes(flag === "unclosed_think" ? "unclosed_thought" : flag));
    }
    case "events":
      return events;
    case "elements":
      return only(of(events, "element_end").map(({ attributes, ...rest }) => ({ attrs: attributes, ...rest })), wanted);
    case "tool_calls":
      return only(of(events, "call_end"), wanted);
    case "calls_count":
      return of(events, "call_end").length;
    case "errors":
      return of(events, "call_error").map((event, index) => errorOf(event, wanted[index]));
    case "text_starts_with":
      return text.startsWith(wanted) ? wanted : text;
    case "text_ends_with":
      return text.endsWith(wanted) ? wanted : text;
    case "text_equals_input":
      return text === message;
    case "not_contains":
      return wanted.filter((piece) => !text.includes(piece));
    case "events_balanced":
      return isBalanced(events);
    case "no_empty_reasoning_block":
      return blocksOf(events).every((block) => block.trim() !== "");
    case "args_valid_json":
      return jsonArguments(events).every(isJson);
    case "usage":
      return Object.assign({}, ...of(events, "usage").map((event) => event.usage));
    default:
      throw new Error(`the runner does not know ${key}`);
  }
}

function check({ expect, expect_alt = [] }, events, message) {
  const problems = [expect, ...expect_alt].map((one) => problem(one, events, message));
  return problems.includes(undefined) ? undefined : problems.join("; or ");
}

function problem(expect, events, message) {
  for (const [key, wanted] of Object.entries(expect)) {
    if (IGNORED.has(key)) continue;
    const got = observed(key, events, message, wanted);
    const trim = (value) => (expect.compare === "trim" && typeof value === "string" ? value.trim() : value);
    if (sorted(trim(got)) !== sorted(trim(wanted))) return `${key} is ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`;
  }
  return undefined;
}

/** JSON with its keys in order, so that equal values are equal texts. */
export function sorted(value) {
  const order = (_, value) =>
    value && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return JSON.stringify(value, order);
}
