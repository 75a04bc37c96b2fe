// A file server and a browser for the tests.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
export const FILE = pathToFileURL(join(dist, "index.html")).href;

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const TYPES = { html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8" };

/** Serves `dist/` on a port of this machine, as any file server does. */
export async function serve() {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname.replace(/\/$/, "/index.html");
    try {
      const body = readFileSync(join(dist, path));
      response.writeHead(200, { "content-type": TYPES[path.split(".").at(-1)] ?? "text/plain" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const close = () => (server.closeAllConnections(), new Promise((closed) => server.close(closed)));
  return { address: `http://127.0.0.1:${server.address().port}/`, close };
}

/**
 * A browser with a profile of its own. Whatever its pages write to the console as an error or
 * request from elsewhere is a failure at the end.
 */
export async function launch(options = {}) {
  const folder = mkdtempSync(join(tmpdir(), "tagstream-playground-"));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: FLAGS,
    viewport: { width: 1440, height: 1000 },
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  context.setDefaultTimeout(20_000);
  const faults = [];
  const watch = (page) => {
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) faults.push(`${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => faults.push(String(error.stack)));
  };
  context.pages().forEach(watch);
  context.on("page", watch);
  context.on("request", (request) => {
    const url = new URL(request.url());
    const isOurs = ["file:", "data:", "blob:"].includes(url.protocol) || url.hostname === "127.0.0.1";
    if (!isOurs) faults.push(`request: ${url}`);
  });
  const close = async () => {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
    assert.deepEqual(faults, []);
  };
  return { context, close };
}

/** Opens the page, and waits until it has shown everything. */
export async function open(page, address) {
  await page.goto("about:blank");
  await page.goto(address);
  await page.waitForSelector("html[data-ready]");
}
