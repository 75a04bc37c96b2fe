// The WebAssembly module, which is loaded once.

import { initSync } from "../generated/tagstream.js";
import { TagstreamError } from "./error.js";

// Without the names of types that only browsers' libraries have: the package is used where they are missing.

/** The bytes of a module. */
export type ModuleBytes = ArrayBuffer | ArrayBufferView;

/** A `WebAssembly.Module`. */
export type CompiledModule = object;

let memory: WebAssembly.Memory | undefined;
/** Whether the module reads providers' streams. */
let isFull = false;

/** Loads the module from bytes or from a compiled module. Later calls do nothing. */
export function loadSync(module: ModuleBytes | CompiledModule): void {
  if (memory) return;
  const exports = initSync({ module: module as BufferSource | WebAssembly.Module });
  memory = exports.memory;
  isFull = "rawsession_new" in exports;
}

/**
 * Loads the module: from bytes, a compiled module, or a response with it (or a promise of one). Later calls do
 * nothing. Only `tagstream/slim` needs it; the other entries load their module themselves.
 */
export async function load(
  module: ModuleBytes | CompiledModule | Response | PromiseLike<ModuleBytes | CompiledModule | Response>,
): Promise<void> {
  const given = await module;
  if (memory) return;
  const source = typeof Response === "function" && given instanceof Response ? await bytesOf(given) : given;
  // Compiled asynchronously: the main thread of a browser may refuse to compile large modules otherwise.
  loadSync(source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source as BufferSource));
}

async function bytesOf(response: Response): Promise<ArrayBuffer> {
  if (response.ok) return response.arrayBuffer();
  throw new Error(`the WebAssembly module of tagstream is not at ${response.url} (status ${response.status})`);
}

/**
 * The buffer of the module's memory, which another one replaces when it grows.
 * @internal
 */
export function buffer(): ArrayBuffer {
  return loaded().buffer as ArrayBuffer;
}

/** @internal */
export function loaded(): WebAssembly.Memory {
  if (!memory) throw new Error("the WebAssembly module is not loaded: with tagstream/slim, `await load(module)` first");
  return memory;
}

/**
 * Refuses what the smaller module does not have.
 * @internal
 */
export function needFull(user: string): void {
  loaded();
  if (isFull) return;
  const message = `${user} reads providers' streams: load tagstream/full.wasm instead of tagstream/engine.wasm`;
  throw new TagstreamError("module", message);
}
