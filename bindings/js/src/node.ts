// The entry for Node, Bun and Deno: the module is a file.

import { readFileSync } from "node:fs";
import { loadSync } from "./module.js";

loadSync(readFileSync(new URL("../generated/full.wasm", import.meta.url)));

export * from "./api.js";
