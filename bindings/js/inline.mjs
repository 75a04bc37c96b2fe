// Writes a module as JavaScript: `node inline.mjs IN.wasm OUT`, for OUT.js and OUT.d.ts.
import { readFileSync, writeFileSync } from "node:fs";

const [input, output] = process.argv.slice(2);
writeFileSync(`${output}.js`, `export const base64 = "${readFileSync(input).toString("base64")}";\n`);
writeFileSync(`${output}.d.ts`, "export declare const base64: string;\n");
