// The package in Chromium: as it is, bundled by vite, and bundled by esbuild.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { build as esbuild } from "esbuild";
import { chromium } from "playwright-core";
import { build as vite, createServer as developmentServer } from "vite";
import { makeConsumer, SINGLE_ENTRIES } from "./consumer.mjs";

const OK = /^ok: \d+ cases$/;
const TYPES = { html: "text/html", js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm" };
const script = (module) => `import { check } from "./${module}.mjs";\ndocument.title = await check();\n`;
let folder, server, browser;

/** Serves the project's files on the loopback interface. */
async function serveFiles() {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    try {
      const file = await readFile(folder + path);
      response.writeHead(200, { "content-type": TYPES[path.split(".").at(-1)] ?? "text/plain" }).end(file);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

before(async () => {
  folder = makeConsumer("browser");
  for (const path of ["page.mjs", "inline/page.mjs"]) writeFileSync(`${folder}/${path}`, script("sample"));
  for (const entry of SINGLE_ENTRIES) writeFileSync(`${folder}/page-${entry}.mjs`, script(`only-${entry}`));
  server = await serveFiles();
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** The result of the page, which its title shows. */
async function visit(path, port = server.address().port) {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`http://127.0.0.1:${port}/${path}`);
  await page.waitForFunction(() => document.title !== "", undefined, { timeout: 60_000 }).catch(() => {});
  assert.deepEqual(errors, []);
  const title = await page.title();
  await page.close();
  return title;
}

const html = (script) => `<!doctype html><link rel="icon" href="data:,">${script}`;

test("as it is, with an import map", async () => {
  const at = (file) => `/node_modules/tagstream/dist/${file}.js`;
  const imports = { tagstream: at("web"), "tagstream/fetch": at("with/fetch"), "tagstream/ai": at("with/ai") };
  const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`;
  writeFileSync(`${folder}/plain.html`, html(`${map}<script type="module" src="page.mjs"></script>`));
  assert.match(await visit("plain.html"), OK);
});

test("bundled by vite", async () => {
  writeFileSync(`${folder}/index.html`, html('<script type="module" src="./page.mjs"></script>'));
  await vite({ root: folder, base: "/dist/", logLevel: "error", build: { outDir: "dist", target: "esnext" } });
  assert.match(await visit("dist/index.html"), OK);
});

for (const entry of SINGLE_ENTRIES) {
  test(`bundled by vite, tagstream/${entry} alone`, async () => {
    writeFileSync(`${folder}/index.html`, html(`<script type="module" src="./page-${entry}.mjs"></script>`));
    await vite({ root: folder, base: "/single/", logLevel: "error", build: { outDir: "single", target: "esnext" } });
    assert.equal(await visit("single/index.html"), "ok");
  });
}

test("from vite's development server", async () => {
  writeFileSync(`${folder}/index.html`, html('<script type="module" src="./page.mjs"></script>'));
  const vite = await developmentServer({ root: folder, logLevel: "error", server: { host: "127.0.0.1", port: 0 } });
  try {
    await vite.listen();
    assert.match(await visit("index.html", vite.httpServer.address().port), OK);
  } finally {
    await vite.close();
  }
});

test("bundled by esbuild, with the module beside it", async () => {
  await esbuild({ absWorkingDir: folder, entryPoints: ["page.mjs"], bundle: true, format: "esm", outdir: "out/js", logLevel: "silent" });
  mkdirSync(`${folder}/out/generated`, { recursive: true });
  copyFileSync(`${folder}/node_modules/tagstream/generated/full.wasm`, `${folder}/out/generated/full.wasm`);
  writeFileSync(`${folder}/out/index.html`, html('<script type="module" src="js/page.js"></script>'));
  assert.match(await visit("out/index.html"), OK);
});

test("bundled by esbuild into one file", async () => {
  await esbuild({ absWorkingDir: folder, entryPoints: ["inline/page.mjs"], bundle: true, format: "esm", outfile: "one/page.js", logLevel: "silent" });
  writeFileSync(`${folder}/one/index.html`, html('<script type="module" src="page.js"></script>'));
  assert.match(await visit("one/index.html"), OK);
});
