// What a browser is not needed for.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { describe, test } from "node:test";
import { build } from "esbuild";

const src = fileURLToPath(new URL("../src/", import.meta.url));

/** A module of the page. `fakes` are the texts of modules that are replaced. */
async function load(name, fakes = {}) {
  const plugin = {
    name: "fakes",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path }) => (path in fakes ? { path, namespace: "fake" } : undefined));
      onLoad({ filter: /./, namespace: "fake" }, ({ path }) => ({ contents: fakes[path] }));
    },
  };
  const options = { entryPoints: [src + name], bundle: true, write: false, format: "esm", plugins: [plugin] };
  const { outputFiles } = await build(options);
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

describe("cuts", async () => {
  const { cuts } = await load("cuts.ts");
  const text = "Hé, <think>it's 12345</think>\n\n  好 😀";
  const length = Buffer.byteLength(text);
  for (const mode of ["bytes", "tokens", "random", "recorded"]) {
    test(`${mode}: in order, and up to the end`, () => {
      const ends = cuts(mode, text, length, 7, null);
      assert.equal(ends.at(-1), length);
      assert(ends.every((end, at) => end > (ends[at - 1] ?? 0)));
    });
  }
  test("those of a link are put in order", () => {
    assert.deepEqual(cuts("recorded", "abcd", 4, 1, [3, -1, 1, 9, 1, 2.5]), [1, 3, 4]);
  });
  test("random cuts depend on the seed alone", () => {
    const of = (seed) => cuts("random", text, length, seed, null).join();
    assert.equal(of(3), of(3));
    assert.notEqual(of(3), of(4));
  });
  test("nothing has no cuts", () => {
    for (const mode of ["bytes", "tokens", "random", "recorded"]) assert.deepEqual(cuts(mode, "", 0, 1, null), []);
  });
});

describe("a thousand cuts", async () => {
  const reading = (events) => ({
    "./reading.js": `export const read = (_, __, stream, ends) => ({ events: ${events} });`,
  });
  const text = (body) =>
    `ends.map((end, at) => ({ type: "text", choice: 0, source: "0.0", span: [ends[at - 1] ?? 0, end], text: ${body} }))`;
  const run = async (events) =>
    (await load("proof.ts", reading(events))).proof(null, "text", new Uint8Array(40), 1000, () => true);
  test("are the same if only the pieces differ", async () => {
    const { cuts, different } = await run(text('"x".repeat(end - (ends[at - 1] ?? 0))'));
    assert.deepEqual({ cuts, different }, { cuts: 1000, different: null });
  });
  test("can be stopped", async () => {
    const { proof } = await load("proof.ts", reading("[]"));
    let now = 0;
    const { now: real } = performance;
    performance.now = () => (now += 20);
    try {
      const { cuts } = await proof(null, "text", new Uint8Array(40), 1000, () => false);
      assert(cuts < 10, `stopped after ${cuts}`);
    } finally {
      performance.now = real;
    }
  });
  test("are not if a cut changes a text, or what an event is", async () => {
    assert.equal((await run(text('"x"'))).different, 1);
    const types = 'ends.map((end, at) => ({ type: at % 2 ? "thought" : "text", choice: 0, text: "" }))';
    assert.equal((await run(types)).different, 1);
  });
});

describe("a change of the text", async () => {
  const { isEdit } = await load("state.ts");
  test("is an edit if something is put in or taken out at one place", () => {
    for (const [before, now] of [["ab", "axb"], ["axb", "ab"], ["aa", "aaa"], ["ab", "ab"]]) assert(isEdit(before, now));
    for (const [before, now] of [["ab", "cd"], ["", "a"], ["abc", "axbyc"]]) assert(!isEdit(before, now));
  });
});

describe("the naive parser", async () => {
  const { naive } = await load("naive.ts");
  const pair = "<arg_key>k</arg_key>\n<arg_value>v</arg_value>\n";
  const call = (pairs) => `<tool_call>f\n${pairs}`;
  test("reads the arguments of GLM", () => {
    const { calls, answer } = naive(`a ${call(pair.repeat(200))}</tool_call> b ${call("")}</tool_call>`, []);
    assert.deepEqual(calls, [{ name: "f", arguments: { k: "v" } }, { name: "f", arguments: {} }]);
    assert.equal(answer, "a  b");
  });
  test("ends with a call that does not", () => {
    assert.deepEqual(naive(call(pair.repeat(200)), []).calls, []);
  });
});

describe("the line of an error in the tools", async () => {
  const { lineOf } = await load("locate.ts");
  const tools =
    '[\n  {"name": "a,]}",\n   "input_schema": {\n     "type": "object",\n     "properties": {"x": 1}}},\n  {"name": 5}\n]';
  test("is that of the place", () => {
    assert.equal(lineOf(tools, "tools[0].input_schema.properties.x", ""), 5);
    assert.equal(lineOf(tools, "tools[0].input_schema", ""), 3);
    assert.equal(lineOf(tools, "tools[1].name", ""), 6);
    assert.equal(lineOf(`{"tools": ${tools}}`, "tools[1]", ""), 6);
  });
  test("is that of the last key that there is", () => assert.equal(lineOf(tools, "tools[1].missing", ""), 6));
  test("may be in the message", () => assert.equal(lineOf("[\n\n", "", "expected value at line 3 column 1"), 3));
});

describe("equivalent code", async () => {
  const { LANGUAGES } = await load("snippets.ts");
  const input = { preset: "thinking", profile: null, dialects: null, tools: "", recorded: null, format: "auto" };
  test("quotes what ends a quote", () => {
    const text = 'it\'s "# and "## \\ $x';
    assert(LANGUAGES.Rust({ ...input, text }, "text").includes(`r###"${text}"###`));
    assert(LANGUAGES.Rust({ ...input, text: 'a\r\n"' }, "text").includes('"a\\u{d}\n\\""'));
    assert(LANGUAGES.Rust({ ...input, text: 'a\u202e"' }, "text").includes('"a\\u{202e}\\""'));
    assert(LANGUAGES.Shell({ ...input, text }, "text").includes("'it'\\''s \"# and"));
    assert(LANGUAGES.Python({ ...input, text }, "text").includes(JSON.stringify(text)));
  });
});
