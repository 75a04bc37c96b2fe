// The entry that loads nothing: the caller does, with `load` or `loadSync`.

export * from "./api.js";
export { load, loadSync } from "./module.js";
