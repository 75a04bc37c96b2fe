// Bundles the page into `dist/`: one file that needs nothing else, and a worker that keeps it for
// when there is no network.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { Parser } from "tagstream";
import { examples } from "./examples.mjs";

process.chdir(fileURLToPath(new URL(".", import.meta.url)));

/** Whether this example is one complete call, and nothing else. */
function isCall({ text, dialects, tools }) {
  const parser = new Parser({ dialect: dialects, tools });
  const types = [...parser.push(text), ...parser.finish()].map(({ type }) => type);
  return (
    types.filter((type) => type === "call_end").length === 1 && !types.includes("text") && !types.includes("call_error")
  );
}

async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    loader: { ".gz": "binary" },
    logLevel: "warning",
  });
  return outputFiles[0].text.trim();
}

const hash = (text, encoding) => createHash("sha256").update(text).digest(encoding);

mkdirSync("src/generated", { recursive: true });
writeFileSync("src/generated/examples.json", JSON.stringify(examples(isCall)));
// Compressed, because a third is added to what is in a page as text.
const module = readFileSync(fileURLToPath(import.meta.resolve("tagstream/full.wasm")));
writeFileSync("src/generated/full.wasm.gz", gzipSync(module, { level: 9 }));
const script = await bundle("src/main.ts");
const style = await bundle("src/style.css");
// Nothing but this script and this style, and no request at all.
const policy = [
  "default-src 'none'",
  `script-src 'sha256-${hash(script, "base64")}' 'wasm-unsafe-eval'`,
  `style-src 'sha256-${hash(style, "base64")}'`,
  "img-src data:",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
// Functions, because `$` has a meaning in a replacement.
const page = readFileSync("src/index.html", "utf8")
  .replace("<!-- csp -->", () => `<meta http-equiv="Content-Security-Policy" content="${policy}" />`)
  .replace("<!-- style -->", () => `<style>${style}</style>`)
  .replace("<!-- script -->", () => `<script type="module">${script}</script>`);
mkdirSync("dist", { recursive: true });
writeFileSync("dist/index.html", page);
writeFileSync("dist/sw.js", readFileSync("src/sw.js", "utf8").replace("VERSION", hash(page, "hex").slice(0, 16)));
console.log(`playground/dist/index.html: ${Math.round(page.length / 1024)} KiB`);
