// The entry for Cloudflare Workers, which forbid compiling from bytes: the import is a compiled module.

import { loadSync } from "./module.js";
import module from "../generated/full.wasm";

loadSync(module);

export * from "./api.js";
