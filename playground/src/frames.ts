// Where in the frames of a provider's stream the texts are that they carry.
//
// The engine reports what a frame carries, not where. A carried text is a JSON string in its frame,
// so that is what is looked for. A text that is written in another way stays a part of the frame.

import { Bytes, byteLength } from "./bytes.js";
import { type Format, carried } from "./engine.js";
import type { Event } from "./events.js";
import { type Segment, describe } from "./segments.js";

/** Text of the message inside the stream. */
export interface Carried {
  /** Where it begins in the stream, in bytes, after its opening quote. */
  start: number;
  event: Event & { text: string };
}

export function locate(format: Format, text: string): Carried[] {
  const found: Carried[] = [];
  let start = 0;
  for (const { end, events } of carried(format, text)) {
    const frame = text.slice(start, end);
    let from = 0;
    for (const event of events) {
      if (!("text" in event) || event.type === "skip") continue;
      const at = find(frame, event.text, from);
      if (at === null) continue;
      found.push({ start: byteLength(text.slice(0, start + at)), event });
      from = at + 1;
    }
    if (events.length) start = end;
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Where a JSON string with this text is the value of a key or an item of a list. */
function find(frame: string, text: string, from: number): number | null {
  const json = JSON.stringify(text);
  for (let at = frame.indexOf(json, from); at >= 0; at = frame.indexOf(json, at + 1)) {
    const isValue = /[:[,]\s*$/.test(frame.slice(Math.max(0, at - 8), at));
    const isKey = /^\s*:/.test(frame.slice(at + json.length, at + json.length + 8));
    if (isValue && !isKey) return at + 1;
  }
  return null;
}

/** The segments of the stream, given those of the texts that it carries. */
export function frameSegments(
  found: readonly Carried[],
  texts: ReadonlyMap<string, { text: string; segments: readonly Segment[] }>,
  arrived: number,
  total: number,
): Segment[] {
  const inside = found.flatMap((piece) => inFrame(piece, texts));
  const all: Segment[] = [];
  let at = 0;
  for (const segment of [...inside, { start: total, end: total }]) {
    if (at < segment.start) all.push(frame(at, segment.start));
    if ("kind" in segment) all.push(segment);
    at = Math.max(at, segment.end);
  }
  return all.flatMap((segment) => cut(segment, arrived));
}

const frame = (start: number, end: number): Segment => ({
  start,
  end,
  kind: "frame",
  label: "frame of the provider",
  reason: "It carries the message, and is not part of it.",
  event: null,
});

/** What a carried text became, in bytes of the stream. */
function inFrame({ start, event }: Carried, texts: Parameters<typeof frameSegments>[1]): Segment[] {
  const { source, span } = event;
  const text = source && texts.get(source);
  if (!text || !span) return [{ ...describe(event), start, end: start + escaped(event.text), event }];
  const bytes = new Bytes(text.text);
  const overlapping = text.segments.filter((segment) => segment.start < span[1] && segment.end > span[0]);
  let at = start;
  return overlapping.map((segment) => {
    const part = bytes.text(Math.max(segment.start, span[0]), Math.min(segment.end, span[1]));
    const from = at;
    at += escaped(part);
    return { ...segment, start: from, end: at };
  });
}

/** How many bytes a text takes in a JSON string. */
const escaped = (text: string): number => byteLength(JSON.stringify(text)) - 2;

/** A segment as far as it has arrived, and the rest. */
function cut(segment: Segment, arrived: number): Segment[] {
  const { start, end, kind } = segment;
  const ahead = { ...segment, kind: "ahead" as const, label: "not arrived yet", event: null };
  if (start >= arrived) return [ahead];
  const waits = { ...segment, kind: "held" as const, label: "in a frame that is not complete" };
  const now = kind === "ahead" ? waits : segment;
  return end <= arrived
    ? [now]
    : [
        { ...now, end: arrived },
        { ...ahead, start: arrived },
      ];
}
