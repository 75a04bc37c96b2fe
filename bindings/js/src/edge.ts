// The entry for other edge workers, whose bundlers compile what is imported with `?module`.

import { loadSync } from "./module.js";
import module from "../generated/full.wasm?module";

loadSync(module);

export * from "./api.js";
