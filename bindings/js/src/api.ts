// What the package exports, whatever loads its module.

import { dialects as rawDialects, presets as rawPresets } from "../generated/tagstream.js";
import { loaded } from "./module.js";

export { tagstreamMiddleware, type Middleware, type MiddlewareOptions } from "./ai.js";
export type { Chunk, Chunks } from "./chunk.js";
export { TagstreamError } from "./error.js";
export type * from "./event.js";
export { tagstreamFetch, type FetchOptions } from "./fetch.js";
export { parse, strip, type Message, type MessageNotice, type ToolCall, type Whitespace } from "./message.js";
export { Parser } from "./parser.js";
export { Profile, type Options, type Tools } from "./profile.js";
export { events, filter, Filter, TagstreamTransform, type FilterOptions } from "./streams.js";
export { aggregate, Rewriter, Session, type Aggregate, type Format, type RewriteOptions } from "./wire.js";

/** All presets. */
export function presets(): { name: string; description: string; source: string }[] {
  loaded();
  return JSON.parse(rawPresets());
}

/** All dialects of tool calls. */
export function dialects(): { name: string; source: string }[] {
  loaded();
  return JSON.parse(rawDialects());
}
