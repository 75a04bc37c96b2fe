// Reads a stream cut in many random ways, and compares what comes out.

import { randomCuts } from "./cuts.js";
import type { Format, Policy } from "./engine.js";
import { join } from "./events.js";
import { read } from "./reading.js";

export interface Proof {
  cuts: number;
  chunks: number;
  /** The seed of the first cut with another result. */
  different: number | null;
}

/** How long the page may stand still, in milliseconds. */
const SLICE = 30;

export async function proof(
  policy: Policy,
  format: Format,
  stream: Uint8Array,
  cuts: number,
  /** Returns whether to go on. */
  progress: (done: number) => boolean,
): Promise<Proof> {
  const result = (ends: readonly number[]): string => JSON.stringify(join(read(policy, format, stream, ends).events));
  const whole = result(stream.length ? [stream.length] : []);
  let chunks = 0;
  let pause = performance.now() + SLICE;
  for (let seed = 1; seed <= cuts; seed++) {
    const ends = randomCuts(stream.length, seed);
    chunks += ends.length;
    if (result(ends) !== whole) return { cuts: seed, chunks, different: seed };
    if (performance.now() > pause) {
      if (!progress(seed)) return { cuts: seed, chunks, different: null };
      await new Promise((resume) => setTimeout(resume));
      pause = performance.now() + SLICE;
    }
  }
  return { cuts, chunks, different: null };
}
