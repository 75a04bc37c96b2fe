// The entry that has the module in it, as base64: for bundles of one file.

import { base64 } from "../generated/inline.js";
import { loadSync } from "./module.js";

loadSync(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));

export * from "./api.js";
