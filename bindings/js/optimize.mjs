// Makes a module smaller: `node optimize.mjs IN.wasm OUT.wasm`.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const [input, output] = process.argv.slice(2);
const tool = fileURLToPath(new URL("./bin/wasm-opt", import.meta.resolve("binaryen")));
// What Rust's default for the target uses. With all features on, the result has types that Node 20 refuses.
const features = [
  "bulk-memory",
  "bulk-memory-opt",
  "nontrapping-float-to-int",
  "sign-ext",
  "mutable-globals",
  "reference-types",
  "multivalue",
].map((name) => `--enable-${name}`);
const run = spawnSync(process.execPath, [tool, "-Oz", ...features, input, "-o", output], { stdio: "inherit" });
process.exit(run.status ?? 1);
