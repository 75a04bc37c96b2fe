// What the code of a module is: `node sizes.mjs target/full.wasm`, for one that has its names, as `build-wasm` leaves it.
//
// A function belongs to the first of these that its symbol names: one that is generic is made for a type of a crate.
import { readFileSync } from "node:fs";

const JSONSCHEMA = "jsonschema and what it needs";
const OWNERS = {
  jsonschema: JSONSCHEMA,
  referencing: JSONSCHEMA,
  fluent_uri: JSONSCHEMA,
  num_: JSONSCHEMA,
  fraction: JSONSCHEMA,
  data_encoding: JSONSCHEMA,
  email_address: JSONSCHEMA,
  ahash: JSONSCHEMA,
  tagstream_wire: "tagstream-wire: providers' streams",
  tagstream_js: "tagstream-js: the interface to JavaScript",
  tagstream_core: "tagstream-core: the engine, profiles and dialects",
  tagstream: "tagstream: profiles' files, tools, checks, views",
  toml: "TOML",
  serde_json: "JSON",
};
const REST = "the standard library, the allocator, hash maps, glue";

const bytes = readFileSync(process.argv[2]);
let at = 8;

function number() {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return value;
  }
}

function text() {
  const length = number();
  return bytes.toString("utf8", at, (at += length));
}

function limits() {
  const hasMaximum = bytes[at++] & 1;
  number();
  if (hasMaximum) number();
}

/** How many functions the module imports: they come first in the list of names. */
function countImports() {
  let functions = 0;
  for (let left = number(); left > 0; left--) {
    text();
    text();
    const kind = bytes[at++];
    if (kind === 0) {
      number();
      functions += 1;
    } else if (kind === 1 || kind === 2) {
      if (kind === 1) at += 1;
      limits();
    } else at += 2;
  }
  return functions;
}

const lengths = [];
const names = new Map();
let [imported, data] = [0, 0];
while (at < bytes.length) {
  const section = bytes[at++];
  const length = number();
  const end = at + length;
  if (section === 2) imported = countImports();
  if (section === 10) {
    for (let left = number(); left > 0; left--) {
      const size = number();
      lengths.push(size);
      at += size;
    }
  }
  if (section === 11) data = length;
  if (section === 0 && text() === "name") {
    while (at < end) {
      const kind = bytes[at++];
      const next = number() + at;
      if (kind === 1) for (let left = number(); left > 0; left--) names.set(number(), text());
      at = next;
    }
  }
  at = end;
}

const sums = new Map();
lengths.forEach((length, index) => {
  const name = names.get(index + imported) ?? "";
  const owner = OWNERS[Object.keys(OWNERS).find((crate) => name.includes(crate))] ?? REST;
  sums.set(owner, (sums.get(owner) ?? 0) + length);
});
const row = (size, name) => console.log(`${Math.round(size / 1000).toString().padStart(6)} kB  ${name}`);
for (const [owner, size] of [...sums].sort(([, a], [, b]) => b - a)) row(size, owner);
row(lengths.reduce((sum, length) => sum + length, 0), "all functions");
row(data, "data");
