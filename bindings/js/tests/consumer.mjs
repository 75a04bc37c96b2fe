// A project that has installed the package as it would be published.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cases } from "./files.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));

/** The packed package, in the project's folder. */
export const PACKED = `tagstream-${version}.tgz`;

/** Entries of which an application may import nothing else: each has a check of its own in `only-….mjs`. */
export const SINGLE_ENTRIES = ["fetch", "ai"];

/** Every so many cases are in the sample. */
const STEP = 20;

/** Makes the project in `target/NAME`, with the sample of cases; returns its folder. */
export function makeConsumer(name) {
  const folder = `${root}target/${name}`;
  const installed = `${folder}/node_modules/tagstream`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: root });
  execFileSync("tar", ["xzf", `${folder}/${PACKED}`, "--strip-components=1", "-C", installed]);
  writeFileSync(`${folder}/package.json`, `{ "type": "module", "dependencies": { "tagstream": "${version}" } }\n`);
  const singles = SINGLE_ENTRIES.map((entry) => `only-${entry}.mjs`);
  for (const file of ["cases.mjs", "sample.mjs", "main.mjs", ...singles]) cpSync(`${root}tests/${file}`, `${folder}/${file}`);
  // The same with the entry that has everything in one file.
  const sample = readFileSync(`${root}tests/sample.mjs`, "utf8");
  mkdirSync(`${folder}/inline`);
  writeFileSync(`${folder}/inline/sample.mjs`, sample.replace(/"tagstream(\/ai|\/fetch)?"/g, '"tagstream/inline"').replaceAll('"./', '"../'));
  cpSync(`${root}tests/main.mjs`, `${folder}/inline/main.mjs`);
  const some = cases.filter((_, index) => index % STEP === 0);
  writeFileSync(`${folder}/sample-cases.mjs`, `export default ${JSON.stringify(some)};\n`);
  return folder;
}
