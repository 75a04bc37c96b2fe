// The entry for browsers and bundlers: the module is fetched from beside the script.

import { load } from "./module.js";

await load(fetch(new URL("../generated/full.wasm", import.meta.url)));

export * from "./api.js";
