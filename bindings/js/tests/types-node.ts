// The types in a project that has Node's library and not that of browsers.

import { Parser, Profile, aggregate, events, filter, type Event } from "tagstream";
import { tagstreamMiddleware } from "tagstream/ai";
import { tagstreamFetch } from "tagstream/fetch";
import { load, loadSync } from "tagstream/slim";
import { readFileSync } from "node:fs";

export const found: Event[] = new Parser(new Profile({ preset: "qwen3" })).push("text");
export const all = [aggregate, events, filter, tagstreamMiddleware, tagstreamFetch];
loadSync(readFileSync("engine.wasm"));
await load(fetch("https://example.com/engine.wasm"));
// @ts-expect-error: there is no document here, so that nothing above can have meant a browser's
export type None = Document;
