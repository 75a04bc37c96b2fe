// The package as it is published: in Node, Bun, Deno and Cloudflare's runtime, and bundled.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build as esbuild } from "esbuild";
import { Miniflare } from "miniflare";
import { makeConsumer, PACKED, SINGLE_ENTRIES } from "./consumer.mjs";

const bin = fileURLToPath(new URL("../node_modules/.bin/", import.meta.url));
const OK = /^ok: \d+ cases\s*$/;
let folder;
before(() => void (folder = makeConsumer("consumer")));

const run = (command, ...options) => execFileSync(command, options, { cwd: folder, encoding: "utf8", timeout: 120_000 });

test("the published files", () => {
  const files = run("tar", "tzf", PACKED).trim().split("\n").sort();
  assert.ok(files.includes("package/generated/full.wasm") && files.includes("package/generated/engine.wasm"));
  assert.deepEqual(files.filter((file) => !/^package\/(package\.json|README\.md|LICENSE-\w+|(dist|generated)\/.*\.(js|d\.ts|wasm))$/.test(file)), []);
});

test("Node", () => assert.match(run(process.execPath, "main.mjs"), OK));
test("Bun", () => assert.match(run(`${bin}bun`, "run", "main.mjs"), OK));
test("Deno", () => assert.match(run(`${bin}deno`, "run", "--allow-read", "--node-modules-dir=manual", "main.mjs"), OK));

test("tagstream/slim with the smaller module", () => {
  const script = `
    import { readFileSync } from "node:fs";
    import { Parser, Rewriter, Session, aggregate, load, parse, tagstreamFetch } from "tagstream/slim";
    try { new Parser(); } catch (error) { console.log(error.message.includes("load(module)")); }
    await load(readFileSync(new URL(import.meta.resolve("tagstream/engine.wasm"))));
    console.log(parse("<think>a</think>b", { preset: "qwen3" }).content);
    const uses = [
      () => new Session(),
      () => new Rewriter(),
      () => aggregate("{}"),
      () => tagstreamFetch({ fetch() { console.log("sent"); } })("http://localhost/v1/chat/completions", { method: "POST", body: "{}" }),
    ];
    for (const use of uses) {
      try { await use(); } catch (error) { console.log(error.constructor.name, error.message.includes("tagstream/full.wasm")); }
    }`;
  const refused = "TagstreamError true\n".repeat(4);
  assert.equal(run(process.execPath, "--input-type=module", "--eval", script), `true\nb\n${refused}`);
});

const bundle = (options) =>
  esbuild({ absWorkingDir: folder, entryPoints: ["main.mjs"], bundle: true, format: "esm", logLevel: "silent", ...options });

test("esbuild, one file with tagstream/inline", async () => {
  await bundle({ entryPoints: ["inline/main.mjs"], outfile: "one/main.mjs", platform: "node", minify: true });
  assert.match(run(process.execPath, "one/main.mjs"), OK);
});

test("esbuild for Node, with the module beside it", async () => {
  await bundle({ outdir: "bundled/js", platform: "node", outExtension: { ".js": ".mjs" } });
  mkdirSync(`${folder}/bundled/generated`, { recursive: true });
  copyFileSync(`${folder}/node_modules/tagstream/generated/full.wasm`, `${folder}/bundled/generated/full.wasm`);
  assert.match(run(process.execPath, "bundled/js/main.mjs"), OK);
});

for (const entry of SINGLE_ENTRIES) {
  test(`esbuild for Node, of tagstream/${entry} alone`, async () => {
    const contents = `import { check } from "./only-${entry}.mjs";\nconsole.log(await check());`;
    const outfile = `single/js/${entry}.mjs`;
    await bundle({ entryPoints: undefined, stdin: { contents, resolveDir: folder }, outfile, platform: "node" });
    mkdirSync(`${folder}/single/generated`, { recursive: true });
    copyFileSync(`${folder}/node_modules/tagstream/generated/full.wasm`, `${folder}/single/generated/full.wasm`);
    assert.equal(run(process.execPath, outfile), "ok\n");
  });
}

/** Leaves the import of the module to the runtime, as the bundlers of edge workers do. */
const compiled = {
  name: "compiled",
  setup: (build) =>
    build.onResolve({ filter: /\.wasm(\?module)?$/ }, ({ path }) => ({ path: path.replace(/.*\//, "./").replace("?module", ""), external: true })),
};

for (const condition of ["workerd", "edge-light"]) {
  test(`an edge worker, by the condition ${condition}`, async () => {
    const contents = `
      import { check } from "./sample.mjs";
      export default { async fetch() {
        let forbidden = false;
        try { new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)); } catch { forbidden = true; }
        return new Response(JSON.stringify({ forbidden, result: await check() }));
      } };`;
    const { outputFiles } = await esbuild({
      absWorkingDir: folder, stdin: { contents, resolveDir: folder }, bundle: true, format: "esm", write: false,
      conditions: [condition], plugins: [compiled], logLevel: "silent",
    });
    const worker = new Miniflare({
      compatibilityDate: "2025-01-01",
      modules: [
        { type: "ESModule", path: "worker.mjs", contents: outputFiles[0].text },
        { type: "CompiledWasm", path: "full.wasm", contents: readFileSync(`${folder}/node_modules/tagstream/generated/full.wasm`) },
      ],
    });
    try {
      const { forbidden, result } = await (await worker.dispatchFetch("http://localhost/")).json();
      assert.ok(forbidden, "this runtime is expected to forbid compiling from bytes");
      assert.match(result, OK);
    } finally {
      await worker.dispose();
    }
  });
}
