// One reading of a stream: what had come out after each chunk.

import type { Format, Policy } from "./engine.js";
import { open } from "./engine.js";
import type { Cuts } from "./cuts.js";
import type { Event } from "./events.js";

/** How far the reader was after a chunk. */
export interface Moment {
  /** How many bytes of the stream had arrived. */
  arrived: number;
  /** How many of the events were out. */
  events: number;
  /** How many bytes of each text had arrived; those that no event accounts for are held. */
  lengths: ReadonlyMap<string, number>;
}

export interface Reading {
  events: readonly Event[];
  /** `moments[i]` is after `i` chunks; the last one is after the end of the stream. */
  moments: readonly Moment[];
  /** The texts that the stream carries, in the order in which they begin. */
  texts: ReadonlyMap<string, string>;
}

export function read(policy: Policy, format: Format, stream: Uint8Array, cuts: Cuts): Reading {
  const reader = open(policy, format);
  const events: Event[] = [];
  const moments: Moment[] = [{ arrived: 0, events: 0, lengths: new Map() }];
  const step = (arrived: number, found: readonly Event[]): void => {
    for (const event of found) events.push(event);
    moments.push({ arrived, events: events.length, lengths: reader.lengths() });
  };
  let start = 0;
  for (const end of cuts) {
    step(end, reader.push(stream.subarray(start, end)));
    start = end;
  }
  step(stream.length, reader.finish());
  return { events, moments, texts: reader.texts() };
}
