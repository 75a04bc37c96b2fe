// Makes the examples of the page from the repository's own cases, dialects, demos and streams, so
// that nothing is kept twice.
import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const file = (...path) => readFileSync(join(root, ...path), "utf8");
const lines = (...path) =>
  file(...path)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const pretty = (value) => JSON.stringify(value, null, 2);

/** Generated cases are about time. There is nothing to see in more than this of them. */
const MAX_GENERATED = 2000;

const WELCOME = `<think>They want the weather in two cities. Writing \`</think>\` in backticks is a quote: it ends nothing.</think>

I'll look it up. Note that 5 < 6 needs no escaping, and that \`<tool_call>\` in backticks stays text.

<tool_call>
{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}
</tool_call>
<tool_call>
{"name": "get_weather", "arguments": {"city": "Rome", "days": "a few"}}
</tool_call>`;

const example = (group, id, title, fields) => ({
  group,
  id,
  title,
  note: "",
  text: "",
  recorded: null,
  format: "text",
  preset: "thinking",
  profile: null,
  dialects: null,
  tools: "",
  ...fields,
});

/** A text and the ends of its chunks, in bytes. */
function stream(chunks) {
  let at = 0;
  const recorded = chunks.map((chunk) => (at += chunk.length));
  return { text: Buffer.concat(chunks).toString("utf8"), recorded };
}

const chunksOf = ({ chunks, bytes_hex: hex, gen }) => {
  if (hex) return hex.map((piece) => Buffer.from(piece, "hex"));
  if (chunks) return chunks.map((chunk) => Buffer.from(chunk));
  const total = Math.min(gen.total, MAX_GENERATED);
  const length = Math.ceil((total - gen.prefix.length) / gen.repeat.length);
  return [Buffer.from(gen.prefix + gen.repeat.repeat(length) + gen.suffix)];
};

/** The example of a case: its tools are in their own editor. */
function fromCase(group, title, test, note) {
  const { calls, ...profile } = test.profile ?? {};
  const { tools = test.tools, ...rest } = calls ?? {};
  const own = calls ? { ...profile, calls: rest } : profile;
  return example(group, test.id, title, {
    ...stream(chunksOf(test)),
    note,
    format: test.from,
    profile: test.profile ? pretty(own) : null,
    tools: tools ? pretty(tools) : "",
  });
}

/** The systems of docs/systems.md whose cases need no calls: the preset of each, and a case to show it. */
const SYSTEMS = [
  { prefix: "sys-000-", name: "Nodes", preset: "canvas", shown: "sys-000-006" },
  { prefix: "sys-001-", name: "Inline tags", preset: "inline", shown: "sys-001-013" },
  { prefix: "sys-002-", name: "Content filter", preset: "filter", shown: "sys-002-030" },
  { prefix: "sys-003-", name: "Directives", preset: "roo", shown: "sys-003-002" },
];
/** The cases of the fifth, the tool-call buffer. */
const BUFFERED = /^call-(form-001|value-00[1-8]|life-00[158]|type-009|type-017|cut-004|misspelt-001)$/;

const weather = lines("cases", "models.jsonl")[0].tools;

function demos() {
  const folder = ["crates", "tagstream-cli", "src", "demo"];
  const tools = /const TOOLS: &str = r#"([\s\S]*?)"#;/.exec(file(...folder, "scene.rs"));
  if (!tools) throw new Error("scene.rs has no list of tools");
  const scene = (name, title, fields) => {
    const chunks = lines(...folder, "answers", `${name}.jsonl`).map((token) => Buffer.from(token));
    return example("Start here", `demo-${name}`, title, { ...stream(chunks), ...fields });
  };
  return [
    example("Start here", "welcome", "A thought, an answer and two calls", {
      text: WELCOME,
      preset: "qwen3",
      tools: pretty(weather),
      note: "One call is right, one is refused; tags in backticks are only text.",
    }),
    scene("thinking", "Thinking, and tags that are only quoted", { preset: "thinking" }),
    scene("calls", "Tool calls as GLM writes them, typed and checked", {
      preset: "glm",
      tools: pretty(JSON.parse(tools[1])),
    }),
    scene("canvas", "A canvas, while it is drawn", { preset: "canvas" }),
  ];
}

/** For each preset of a model, how that model calls a tool; for each other one, a message for it. */
function presets(scenes) {
  const models = lines("cases", "models.jsonl");
  // Other cases may have longer ids that end the same way.
  const ofModels = readdirSync(join(root, "crates", "tagstream", "presets")).sort().flatMap((path) => {
    const preset = basename(path, ".toml");
    const test = models.find(({ id }) => id === `model-${preset}-call`);
    return test ? [{ ...fromCase("Presets", preset, test, `As ${test.model} writes it.`), preset }] : [];
  });
  const systems = lines("cases", "systems.jsonl");
  const ofSystems = SYSTEMS.map(({ preset, shown }) => {
    const test = systems.find(({ id }) => id === shown);
    return { ...fromCase("Presets", preset, test, test.title), id: `preset-${preset}`, preset, profile: null };
  });
  const thinking = scenes.find(({ id }) => id === "demo-thinking");
  const ofThinking = { ...thinking, group: "Presets", id: "preset-thinking", title: "thinking" };
  return [ofThinking, ...ofSystems, ...ofModels];
}

/**
 * For each dialect, the call that its file begins with. The comment may go on in prose, so `isCall`
 * decides where the call ends.
 */
function dialects(isCall) {
  const folder = join("crates", "tagstream", "dialects");
  return readdirSync(join(root, folder))
    .sort()
    .map((path) => {
      const name = basename(path, ".toml");
      const source = file(folder, path);
      const comment = [];
      for (const line of source.split("\n")) {
        if (!line.startsWith("# ")) break;
        comment.push(line.slice(2));
      }
      const made = comment.map((_, last) =>
        example("Dialects", `dialect-${name}`, name, {
          text: comment.slice(0, last + 1).join("\n"),
          note: /^about = "(.*)"$/m.exec(source)?.[1] ?? "",
          dialects: [name],
          tools: pretty(weather),
        }),
      );
      const found = made.find(isCall);
      if (!found) throw new Error(`${path} does not begin with a call`);
      return found;
    });
}

const reports = () =>
  lines("cases", "reports.jsonl").map((test) =>
    fromCase("Reports", `${test.title} (${test.source})`, test, test.note ?? ""),
  );

/** One example for each title of the five systems; the cases of the fifth are calls. */
function systems() {
  const titled = new Map();
  for (const test of lines("cases", "systems.jsonl")) {
    const system = SYSTEMS.find(({ prefix }) => test.id.startsWith(prefix));
    const title = `${system.name}: ${test.title}`;
    if (!titled.has(title)) titled.set(title, fromCase("Systems", title, test, ""));
  }
  const buffer = lines("cases", "calls.jsonl").filter(
    ({ id, profile }) => BUFFERED.test(id) && profile.calls?.dialect === "function_calls",
  );
  const buffered = buffer.map((test) => fromCase("Systems", `Tool-call buffer: ${test.title}`, test, ""));
  return [...titled.values(), ...buffered];
}

function providers() {
  return lines("cases", "wire", "expect.jsonl").map(({ stream: name, from }) =>
    example("Provider streams", `wire-${name}`, name, {
      text: file("cases", "wire", name),
      format: from,
      profile: pretty({ thinking: { tags: ["think"] }, elements: [{ name: "node" }] }),
    }),
  );
}

export function examples(isCall) {
  const scenes = demos();
  return [...scenes, ...presets(scenes), ...dialects(isCall), ...reports(), ...systems(), ...providers()];
}
