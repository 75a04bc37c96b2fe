// Prints the result of the sample, in Node, Bun and Deno.

import { check } from "./sample.mjs";

console.log(await check());
