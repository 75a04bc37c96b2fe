// Every feature of the page, clicked in a real browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { FILE, launch, open, serve } from "./browser.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const here = fileURLToPath(new URL("..", import.meta.url));
const names = (folder) =>
  readdirSync(join(root, folder))
    .map((file) => file.replace(/\.toml$/, ""))
    .sort();
/** Screenshots, and copied programs: below this folder they find the package. */
const output = join(here, "output");
mkdirSync(output, { recursive: true });

let server, browser, page;
before(async () => {
  server = await serve();
  browser = await launch();
  page = browser.context.pages()[0];
});
after(async () => {
  await browser.close();
  await server.close();
});
beforeEach(() => open(page, server.address));

const text = (selector) => page.locator(selector).innerText();
const texts = (selector) => page.locator(selector).allInnerTexts();
const paste = (message) => page.fill("#text", message);
const choose = async (group, id) => {
  await page.selectOption("#group", group);
  await page.selectOption("#example", id);
};
const mode = (label) => page.click(`#mode label:has-text("${label}")`);
const unfold = (id) => page.click(`#${id}-fold > summary`);
/** Moves the scrubber as a hand does. */
const scrub = (position) => page.fill("#scrubber", String(position));
/** The coloured pieces: what each is, and its text. */
const pieces = (box = "#raw .bytes") =>
  page.locator(`${box} .piece`).evaluateAll((all) => all.map((piece) => [piece.dataset.kind, piece.textContent]));

describe("the first view", () => {
  test("shows answer, thought, an accepted and a refused call, and the difference", async () => {
    assert.match(await text("#read .answer"), /^I'll look it up\. Note that 5 < 6/);
    assert.match(await text("#read .is-thought"), /Writing `<\/think>` in backticks/);
    assert.match(
      await text("#read .is-call"),
      /get_weather[\s\S]*complete and checked[\s\S]*city[\s\S]*"Paris"[\s\S]*days[\s\S]*3/,
    );
    const refused = await text("#read .is-refused");
    assert.match(refused, /refused/);
    assert.match(refused, /Sent back to the model\s+type_mismatch: argument `days`: expected an integer, got "a few"/);
    const naive = await text("#naive");
    assert.match(naive, /It would run 2 calls; 1 is valid/);
    assert.match(naive, /text was shown and removed again/);
    assert.match(await text("#naive .leak"), /in backticks is a quote/);
  });

  test("colours every byte", async () => {
    const all = await pieces();
    assert.equal(all.map(([, piece]) => piece).join(""), await page.inputValue("#text"));
    const kinds = new Set(all.map(([kind]) => kind));
    for (const kind of ["text", "thought", "call", "argument", "skip", "refused"]) assert(kinds.has(kind), kind);
  });
});

describe("pieces of the text", () => {
  test("explain themselves when pointed at", async () => {
    await page.hover('#raw .piece[data-kind="argument"]');
    const said = await text("#inspector");
    assert.match(said, /arguments as JSON/);
    assert.match(said, /Of call 0/);
    assert.match(said, /\d+\.\.\d+ \(\d+ bytes\)/);
    assert.match(said, /"type":"call_delta"/);
  });

  test("can be reached by keyboard", async () => {
    await page.focus('#raw .piece[tabindex="0"]');
    assert.match(await text("#inspector"), /a thought begins[\s\S]*The opener `think`/);
    await page.keyboard.press("ArrowRight");
    assert.match(await text("#inspector"), /text of a thought/);
    await page.keyboard.press("End");
    assert.match(await text("#inspector"), /type_mismatch|refused|wrapper/);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Home");
    assert.match(await text("#inspector"), /a thought begins/);
  });

  test("say why they were skipped", async () => {
    await paste("a</think>b");
    await page.hover('#raw .piece[data-kind="skip"]');
    assert.match(await text("#inspector"), /a closing tag without an opening tag[\s\S]*"reason":"orphan_close"/);
    assert.match(await text("#read .is-notice"), /orphan_close/);
  });
});

describe("examples", () => {
  test("there is one for each preset and each dialect", async () => {
    const inGroup = async (group) => {
      await page.selectOption("#group", group);
      return (await page.locator("#example option").allTextContents()).sort();
    };
    assert.deepEqual(await inGroup("Presets"), names("crates/tagstream/presets"));
    assert.deepEqual(await inGroup("Dialects"), names("crates/tagstream/dialects"));
    const reports = readFileSync(join(root, "cases/reports.jsonl"), "utf8").trim().split("\n");
    assert.equal((await inGroup("Reports")).length, reports.length);
    const systems = (await inGroup("Systems")).map((title) => title.split(":")[0]);
    const five = ["Content filter", "Directives", "Inline tags", "Nodes", "Tool-call buffer"];
    assert.deepEqual([...new Set(systems)].sort(), five);
  });

  test("each is read, and its spans tile the text", async () => {
    const wrong = await page.evaluate(() => {
      const wrong = [];
      const select = (id, value) => {
        const element = document.getElementById(id);
        element.value = value;
        element.dispatchEvent(new Event("change"));
      };
      const values = (id) => [...document.getElementById(id).options].map(({ value }) => value);
      for (const group of values("group")) {
        select("group", group);
        for (const example of values("example")) {
          select("example", example);
          const complain = (what) => wrong.push(`${example}: ${what}`);
          const boxes = [...document.querySelectorAll("#raw .bytes")].map((box) =>
            box.textContent.replace(/\r\n?/g, "\n"),
          );
          if (!boxes.includes(document.getElementById("text").value)) complain("not all of it is coloured");
          if (document.querySelector("#raw .held, #raw .ahead")) complain("held at the end");
          const accepted = document.querySelectorAll("#read .is-call").length;
          if (group === "Dialects" && accepted !== 1) complain(`${accepted} calls`);
        }
      }
      return wrong;
    });
    assert.deepEqual(wrong, []);
  });

  test("elements and nodes are a list", async () => {
    await choose("Start here", "demo-canvas");
    const nested = await texts("#read .is-element .children > .is-element");
    assert.equal(nested.length, 2);
    assert.match(nested[0], /<node>[\s\S]*id\s+n1[\s\S]*Answer faster when the cache is warm\./);
    assert.match(await text("#read"), /<edge>[\s\S]*from\s+n1[\s\S]*to\s+n2/);
  });

  test("a recorded stream keeps its cuts", async () => {
    await choose("Reports", "split-005");
    assert.match(await text("#player-state"), /in 5 chunks/);
    await scrub(1);
    assert.deepEqual(await pieces(), [
      ["held", "<th"],
      ["ahead", "ink>plan</think>Hi"],
    ]);
  });
});

describe("settings", () => {
  test("a preset brings its profile", async () => {
    await page.selectOption("#preset", "glm");
    await unfold("profile");
    assert.equal(
      await page.inputValue("#profile-editor textarea"),
      readFileSync(join(root, "crates/tagstream/presets/glm.toml"), "utf8"),
    );
    assert.match(await text("#preset-about"), /GLM/);
  });

  test("dialects can be chosen", async () => {
    await paste("<tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n</tool_call>");
    assert.equal(await page.locator("#read .is-call").count(), 0);
    await unfold("dialects");
    await page.check('#dialects input[value="hermes"]');
    await page.check('#dialects input[value="qwen3-coder"]');
    assert.equal(await text("#dialects-chosen"), "hermes, qwen3-coder");
    assert.match(await text("#read .is-call"), /get_weather[\s\S]*"Paris"/);
    await page.check('#dialects input[value="auto"]');
    assert.equal(await text("#dialects-chosen"), "auto");
    await page.click('#dialects button:has-text("As the profile chooses")');
    assert.equal(await text("#dialects-chosen"), "as the profile chooses");
    assert.equal(await page.locator("#read .is-call").count(), 0);
  });

  test("an error in the profile is shown at its line", async () => {
    await unfold("profile");
    await page.fill("#profile-editor textarea", '[thinking]\ntags = ["think"]\nmode = "loud"\n');
    assert.equal(await text("#profile-editor .gutter .wrong"), "3");
    assert.match(
      await text("#profile-editor .problem"),
      /^Line 3: .*thinking\.mode.*unknown value `loud`; allowed: `extract`, `hide`, `show`/,
    );
    assert.match(await text("#read"), /Nothing is read until the settings are right/);
    await page.click("#profile-editor .problem button");
    const selected = await page
      .locator("#profile-editor textarea")
      .evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd));
    assert.equal(selected, 'mode = "loud"');
    await page.fill("#profile-editor textarea", '[thinking]\ntags = ["think"]\nmode = "hide"\n');
    assert.equal(await page.locator("#profile-editor .wrong").count(), 0);
    assert.equal(await page.locator("#read .is-thought").count(), 0);
    assert.equal(await text("#profile-state"), "your own");
    await page.click("#profile-reset");
    assert.equal(await page.locator("#read .is-thought").count(), 1);
  });

  test("so is a dialect in the profile that does not exist, and a mistake in JSON", async () => {
    await unfold("profile");
    await page.fill("#profile-editor textarea", '[calls]\ndialect = "nope"\n');
    assert.equal(await text("#profile-editor .gutter .wrong"), "2");
    assert.match(await text("#profile-editor .problem"), /unknown dialect `nope`/);
    await page.fill("#profile-editor textarea", '{\n  "thinking": {\n    "tags": ["a"],\n  }\n}');
    assert.equal(await text("#profile-editor .gutter .wrong"), "4");
  });

  test("an error in the tools is shown at its line", async () => {
    await unfold("tools");
    await page.fill("#tools-editor textarea", '[\n  {\n    "name": "f"\n    "input_schema": {}\n  }\n]');
    assert.equal(await text("#tools-editor .gutter .wrong"), "4");
    await page.fill("#tools-editor textarea", '[\n  {"name": "f", "input_schema": {}},\n  {"input_schema": {}}\n]');
    assert.equal(await text("#tools-editor .gutter .wrong"), "3");
    assert.match(await text("#tools-editor .problem"), /name/);
    await page.fill("#tools-editor textarea", "");
    assert.equal(await page.locator("#read .is-refused").count(), 0, "without tools every call is accepted");
    assert.equal(await page.locator("#read .is-call").count(), 2);
    assert.deepEqual(await texts("#read .is-call .badge"), Array(2).fill("complete; no tools to check it against"));
  });
});

describe("a provider's stream", () => {
  const sse = (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

  test("is detected, and coloured in its frames", async () => {
    const stream = sse("<thi") + sse("nk>pl\nan</think>5 <") + sse(" 6") + "data: [DONE]\n\n";
    await paste(stream);
    assert.equal(await page.inputValue("#format"), "auto");
    assert.equal(await text("#read .answer"), "5 < 6");
    assert.match(await text("#read .is-thought"), /pl\nan/);
    const [message, frames] = [await pieces('#raw .bytes[data-text="0"]'), await pieces('#raw .bytes[data-text="1"]')];
    assert.equal(message.map(([, piece]) => piece).join(""), "<think>pl\nan</think>5 < 6");
    assert.equal(frames.map(([, piece]) => piece).join(""), stream);
    const inFrames = frames.filter(([kind]) => kind !== "frame").map(([kind, piece]) => `${kind} ${piece}`);
    assert.deepEqual(inFrames, [
      "thought <thi",
      "thought nk>",
      "thought pl\\nan",
      "thought </think>",
      "text 5 <",
      "text  6",
    ]);
  });

  test("has what is certain and what is held too", async () => {
    await paste(sse("a<thi") + sse("nk>b"));
    await mode("Byte by byte");
    await scrub(sse("a<thi").length);
    assert.deepEqual(await pieces('#raw .bytes[data-text="0"]'), [
      ["text", "a"],
      ["held", "<thi"],
      ["ahead", "nk>b"],
    ]);
    assert.match(await text("#player-state"), /Held: 4 bytes/);
  });

  test("can be of every provider", async () => {
    for (const id of [
      "anthropic-all.sse",
      "gemini-all.sse",
      "responses-all.sse",
      "ollama-chat.ndjson",
      "openai-tool-calls.sse",
    ]) {
      await choose("Provider streams", `wire-${id}`);
      await page.selectOption("#format", "auto");
      const found = await page.locator("#read .answer, #read .card").count();
      assert(found > 0, id);
    }
  });

  test("with several choices shows each", async () => {
    await choose("Provider streams", "wire-openai-two-choices.sse");
    assert.match(await text("#read"), /Choice 0[\s\S]*one ![\s\S]*Choice 1[\s\S]*two <this>/);
  });
});

describe("the player", () => {
  test("shows what is certain, what is held and why, byte by byte", async () => {
    await paste("Hi<think>plan</think>");
    await mode("Byte by byte");
    await scrub(6);
    assert.deepEqual(await pieces(), [
      ["text", "Hi"],
      ["held", "<thi"],
      ["ahead", "nk>plan</think>"],
    ]);
    const state = await text("#player-state");
    assert.match(state, /Chunk 6 of 21: 6 of 21 bytes/);
    assert.match(state, /Certain: 2 characters of answer/);
    assert.match(
      state,
      /Held: 4 bytes\. “<thi” may be the beginning of a tag, or only text\. It is certain 4 bytes later: a thought begins/,
    );
    await page.click("#forward");
    assert.match(await text("#player-state"), /Chunk 7/);
    await page.click("#back");
    await page.click("#back");
    assert.match(await text("#player-state"), /Chunk 5/);
    await page.click("#first");
    assert.match(await text("#player-state"), /Chunk 0/);
    assert.equal(await page.isDisabled("#back"), true);
    await page.click("#last");
    assert.match(await text("#player-state"), /The end/);
    assert.match(await text("#player-state"), /Held: nothing/);
  });

  test("shows an end that only the end of the stream decides", async () => {
    await paste("5 <");
    await mode("Byte by byte");
    await scrub(3);
    assert.deepEqual(await pieces(), [
      ["text", "5 "],
      ["held", "<"],
    ]);
    assert.match(await text("#player-state"), /Only the end of the stream decides: text of the answer/);
    await page.click("#forward");
    assert.deepEqual(await pieces(), [["text", "5 <"]]);
  });

  test("knows why a whole tag is held", async () => {
    await page.selectOption("#preset", "qwen3-coder");
    const call = "<tool_call>\n<function=f>\n<parameter=a>x</parameter>\n</function>\n</tool_call>";
    const heldAt = async (message, length) => {
      await paste(message);
      await mode("Byte by byte");
      await scrub(length);
      return text("#player-state");
    };
    assert.match(
      await heldAt("Use `<think>` here", 12),
      /A backtick is open before “<think>”: it may be quoted.*: text of the answer/,
    );
    assert.match(await heldAt(call, 11), /“<tool_call>” may begin a call, or be mentioned in a sentence/);
    assert.match(await heldAt(call, call.indexOf("</function>")), /may end the argument or be a part of it/);
    assert.match(
      await heldAt("<think>a</think>", 7),
      /“<think>” opens a section, which is dropped if it has no content/,
    );
  });

  test("cuts inside characters", async () => {
    await paste("é<");
    await mode("Byte by byte");
    await scrub(1);
    assert.match(await text("#player-state"), /1 of 3 bytes/);
  });

  test("plays to the end, and can be paused", async () => {
    await paste("Hi <think>b</think>");
    await mode("By tokens");
    await page.click("#play");
    await page.waitForSelector('#play[aria-label="Pause"]');
    await page.click("#play");
    await page.waitForSelector('#play[aria-label="Play"]');
    const paused = Number(await page.inputValue("#scrubber"));
    assert(paused < Number(await page.getAttribute("#scrubber", "max")));
    await page.click("#play");
    await page.waitForFunction(
      () => document.getElementById("scrubber").value === document.getElementById("scrubber").max,
    );
    await page.waitForSelector('#play[aria-label="Play"]');
  });

  test("moves by keyboard", async () => {
    await page.focus("#scrubber");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    assert.match(await text("#player-state"), /Chunk 1 /);
    await page.locator("#results").focus();
    await page.keyboard.press(" ");
    await page.waitForSelector('#play[aria-label="Pause"]');
  });

  test("takes other random cuts each time", async () => {
    await mode("Random cuts");
    const first = await text("#player-state");
    await mode("Random cuts");
    assert.notEqual(await text("#player-state"), first);
  });

  for (const [group, id] of [
    ["Start here", "welcome"],
    ["Provider streams", "wire-anthropic-all.sse"],
    ["Reports", "utf-002"],
  ]) {
    test(`a thousand random cuts change nothing: ${id}`, async () => {
      await choose(group, id);
      await page.click("#try-cuts");
      await page.waitForSelector("#cuts-result.good, #cuts-result.bad");
      assert.match(await text("#cuts-result"), /^✓ 1,000 random cuts, [\d,]+ chunks: the same events/);
    });
  }
});

describe("the naive parser", () => {
  test("shows half a tag that tagstream holds", async () => {
    await paste("Hi <think>a</think>");
    await mode("Byte by byte");
    await scrub(6);
    assert.equal(await text("#naive .answer"), "Hi <th");
    assert.equal((await text("#naive .leak")).trim(), "<th");
    assert.equal((await text("#read .answer")).trim(), "Hi");
  });

  test("has no difference where there is none", async () => {
    await paste("Plain text.");
    assert.match(await text("#naive .difference.good"), /No difference/);
  });
});

describe("sharing", () => {
  test("the address keeps everything", async () => {
    await paste("é <think>x</think>\n`<think>`");
    await page.selectOption("#preset", "qwen3-coder");
    await unfold("tools");
    await page.fill("#tools-editor textarea", '[{"name": "f"}]');
    await unfold("profile");
    await page.locator("#profile-editor textarea").evaluate((area) => area.setRangeText("# mine\n", 0, 0));
    await page.locator("#profile-editor textarea").dispatchEvent("input");
    await unfold("dialects");
    await page.check('#dialects input[value="glm"]');
    await mode("Byte by byte");
    await scrub(9);
    await page.click("#share");
    await page.waitForSelector("#toast:not(:empty)");
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const seen = async (page) => ({
      raw: await page.locator("#raw").innerHTML(),
      player: await page.locator("#player-state").innerText(),
      tools: await page.inputValue("#tools-editor textarea"),
      profile: await page.inputValue("#profile-editor textarea"),
      preset: await page.inputValue("#preset"),
      dialects: await page.locator("#dialects-chosen").innerText(),
    });
    const other = await browser.context.newPage();
    await open(other, link);
    assert.deepEqual(await seen(other), await seen(page));
    assert.match(await other.inputValue("#profile-editor textarea"), /^# mine/);
    await other.close();
  });

  test("a page without a clipboard of its own copies too", async () => {
    const other = await browser.context.newPage();
    await other.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await open(other, server.address);
    await other.click("#share");
    await other.waitForSelector("#toast:not(:empty)");
    assert.equal(await other.locator("#toast").innerText(), "Link copied");
    const link = other.url();
    await other.close();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
  });

  test("the address of an untouched example is short", async () => {
    await choose("Reports", "split-005");
    await page.waitForFunction(() => location.hash.length > 1);
    await page.click("#share");
    assert((await page.evaluate(() => location.hash.length)) < 60);
  });

  test("a link that is broken is reported", async () => {
    const packed = deflateRawSync('{"text": "a", "mode": "backwards"}').toString("base64url");
    for (const hash of ["abcdef", packed]) {
      await open(page, `${server.address}#${hash}`);
      assert.match(await text("#toast"), /The link cannot be read/);
      await page.click("#first");
      await page.click("#last");
      assert.match(await text("#read .answer"), /I'll look it up/);
    }
  });
});

describe("equivalent code", () => {
  const copied = async (language) => {
    await page.click(`#code-language button:has-text("${language}")`);
    await page.click("#copy-code");
    await page.waitForFunction(
      (language) => document.getElementById("toast").textContent.startsWith(language),
      language,
    );
    const code = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(await page.locator("#code").textContent(), code);
    return code;
  };
  test("is copied in four languages", async () => {
    await page.click("#code-menu summary");
    assert.match(await copied("Rust"), /Preset::find\("qwen3"\)[\s\S]*tagstream::events/);
    assert.match(await copied("Python"), /tagstream\.Parser\(preset="qwen3", tools=/);
    assert.match(await copied("TypeScript"), /new Parser\(options\)/);
    assert.match(await copied("Shell"), /tagstream events --preset qwen3 --tools tools\.json --from text/);
    await page.keyboard.press("Escape");
    assert.equal(await page.isVisible("#code"), false);
  });

  for (const [group, id] of [
    ["Start here", "welcome"],
    ["Dialects", "dialect-glm"],
    ["Reports", "code-002"],
    ["Provider streams", "wire-anthropic-all.sse"],
  ]) {
    test(`finds the same calls: ${id}`, async () => {
      await choose(group, id);
      await unfold("events");
      const lines = (output) =>
        output
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line));
      const callsOf = (output) =>
        lines(output).flatMap((event) => (event.type === "call_end" ? [[event.name, event.arguments]] : []));
      const calls = callsOf(await text("#events"));
      await page.click("#code-menu summary");
      const script = join(output, "copied.mjs");
      writeFileSync(
        script,
        (await copied("TypeScript")).replace("console.log(event)", "console.log(JSON.stringify(event))"),
      );
      assert.deepEqual(callsOf(execFileSync("node", [script], { encoding: "utf8" })), calls, "TypeScript");
      const python = await copied("Python");
      execFileSync("python3", ["-c", "import sys; compile(sys.stdin.read(), 'copied.py', 'exec')"], { input: python });
      if (!process.env.TAGSTREAM) {
        assert(!process.env.CI, "TAGSTREAM must name a binary of the command");
        return;
      }
      writeFileSync(join(output, "copied.sh"), `tagstream() { "$TAGSTREAM" "$@"; }\n${await copied("Shell")}`);
      assert.deepEqual(callsOf(execFileSync("bash", ["copied.sh"], { cwd: output, encoding: "utf8" })), calls, "shell");
    });
  }
});

describe("the page itself", () => {
  test("works from a file", async () => {
    await open(page, FILE);
    assert.match(await text("#read .answer"), /I'll look it up/);
  });

  test("works offline once it has been seen", async () => {
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.reload();
    await browser.context.setOffline(true);
    try {
      await page.reload();
      await page.waitForSelector("html[data-ready]");
      assert.match(await text("#read .answer"), /I'll look it up/);
    } finally {
      await browser.context.setOffline(false);
    }
  });

  test("can be used by keyboard alone", async () => {
    const reached = new Set();
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press("Tab");
      reached.add(
        await page.evaluate(
          () => document.activeElement.id || document.activeElement.className || document.activeElement.textContent,
        ),
      );
    }
    for (const id of [
      "group",
      "example",
      "text",
      "preset",
      "format",
      "share",
      "theme",
      "play",
      "scrubber",
      "try-cuts",
    ]) {
      assert(reached.has(id), `${id} in ${[...reached].join(", ")}`);
    }
    assert(
      [...reached].some((name) => name.startsWith("piece")),
      "the coloured text",
    );
  });

  test("is empty in a friendly way", async () => {
    await paste("");
    assert.match(await text("#raw"), /Nothing has arrived/);
    assert.match(await text("#read"), /No visible text/);
  });

  test("has a theme that can be chosen, and stays", async () => {
    const isIn = (theme) => page.waitForSelector(`html[data-theme="${theme}"]`);
    await page.emulateMedia({ colorScheme: "dark" });
    await isIn("dark");
    await page.click("#theme");
    await isIn("light");
    await page.click("#theme");
    await isIn("dark");
    await page.emulateMedia({ colorScheme: "light" });
    await page.reload();
    await page.waitForSelector("html[data-ready]");
    await isIn("dark");
    await page.click("#theme");
    await isIn("light");
    assert.equal(await text("#theme"), "Theme: system");
    await page.emulateMedia({ colorScheme: null });
  });
});

describe("accessibility and layout", () => {
  const axe = readFileSync(join(here, "node_modules/axe-core/axe.min.js"), "utf8");
  const states = {
    start: async () => {},
    middle: async () => {
      await mode("Byte by byte");
      await scrub(60);
    },
    canvas: () => choose("Start here", "demo-canvas"),
    provider: () => choose("Provider streams", "wire-anthropic-all.sse"),
    error: async () => {
      // On a phone the settings are folded.
      if (!(await page.isVisible("#preset"))) await page.click("#settings > summary");
      await unfold("profile");
      await unfold("dialects");
      await page.fill("#profile-editor textarea", '[thinking]\nmode = "loud"\n');
    },
    code: () => page.click("#code-menu summary"),
    events: () => unfold("events"),
  };
  for (const theme of ["light", "dark"]) {
    for (const [device, width] of [
      ["desktop", 1440],
      ["phone", 390],
    ]) {
      test(`${theme}, ${device}`, async () => {
        await page.setViewportSize({ width, height: device === "phone" ? 844 : 1000 });
        await page.emulateMedia({ colorScheme: theme });
        for (const [name, enter] of Object.entries(states)) {
          await open(page, server.address);
          await enter();
          // As the page's own policy allows no other script, it is evaluated.
          await page.evaluate(axe);
          const { violations } = await page.evaluate(() => window.axe.run());
          const shown = violations.map(
            ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`,
          );
          assert.deepEqual(shown, [], `${theme} ${device} ${name}`);
          const overflow = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
          assert(overflow <= 0, `${name} is ${overflow} pixels too wide`);
          await page.screenshot({ path: join(output, `${theme}-${device}-${name}.png`), fullPage: true });
        }
        await page.emulateMedia({ colorScheme: null });
        await page.setViewportSize({ width: 1440, height: 1000 });
      });
    }
  }
});
