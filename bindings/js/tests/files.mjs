// The files of `cases/`, for Node, Bun and Deno.

import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../../../cases/", import.meta.url);
const lines = (url) => readFileSync(url, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));

/** All cases. */
export const cases = readdirSync(folder)
  .filter((name) => name.endsWith(".jsonl"))
  .sort()
  .flatMap((name) => lines(new URL(name, folder)));

/** The recorded streams of providers, with what is expected of them. */
export const streams = lines(new URL("wire/expect.jsonl", folder)).map((line) => ({
  ...line,
  bytes: new Uint8Array(readFileSync(new URL(`wire/${line.stream}`, folder))),
}));
