// What the page knows about one input: how it is read, and what it is at each point of the stream.

import { Bytes, byteLength, count } from "./bytes.js";
import { cuts } from "./cuts.js";
import { type Format, type Policy, type Problem, compile, detect, isProblem } from "./engine.js";
import { type Event, type Span, join } from "./events.js";
import { type Carried, frameSegments, locate } from "./frames.js";
import { type Naive, flashes, naive } from "./naive.js";
import { type Moment, type Reading, read } from "./reading.js";
import { type Report, reports } from "./report.js";
import { type Segment, explainHeld, segments } from "./segments.js";
import type { State } from "./state.js";

/** How many moments are looked at for flashes: a naive parser reads all of the text at each. */
const MAX_FLASHES = 1000;

export interface Run {
  policy: Policy;
  format: Exclude<Format, "auto">;
  text: string;
  stream: Uint8Array;
  reading: Reading;
  /** Where the texts are in the frames of a provider's stream. */
  carried: readonly Carried[];
  /** What every byte of each text is in the end. */
  final: ReadonlyMap<string, readonly Segment[]>;
  /** The names of the elements that there are. */
  names: readonly string[];
  /** The text of the first choice at a moment. */
  arrived: (moment: Moment) => string;
  /** The moments after which a naive parser takes back what it has shown. */
  flashes: readonly number[];
}

/** Reads the input of this state, or reports what is wrong with its settings. */
export function start(state: State): Run | Problem {
  const policy = compile(state);
  if (isProblem(policy)) return policy;
  const stream = new Bytes(state.text).all;
  const format = detect(state.format, stream);
  const ends = cuts(state.mode, state.text, stream.length, state.seed, state.recorded);
  const reading = read(policy, format, stream, ends);
  const last = reading.moments.at(-1)!;
  const final = new Map(coloured(reading, last).map(({ source, segments }) => [source, segments]));
  const arrived = firstChoice(reading);
  const shown = reading.moments.slice(0, MAX_FLASHES).map(arrived);
  const carried = format === "text" ? [] : locate(format, state.text);
  const names = [...new Set(reading.events.flatMap((event) => (event.type === "element_start" ? [event.name] : [])))];
  const found = { policy, format, text: state.text, stream, reading, carried, final, names };
  return { ...found, arrived, flashes: flashes(shown, names) };
}

/** What the page shows at a point of the stream. */
export interface Shown {
  position: number;
  texts: readonly ColouredText[];
  /** The provider's stream itself. */
  frames: ColouredText | null;
  events: readonly Event[];
  reports: readonly Report[];
  /** What is in the text of the first choice: all that a naive parser sees. */
  ofText: Report;
  naive: Naive;
  takenBack: number;
  certain: string;
  held: string;
}

export interface ColouredText {
  source: string;
  text: string;
  segments: readonly Segment[];
}

/** `position` counts chunks; null is after the end of the stream. */
export function at(run: Run, position: number | null): Shown {
  const { reading, flashes } = run;
  const last = reading.moments.length - 1;
  const index = Math.min(position ?? last, last);
  const moment = reading.moments[index]!;
  const events = join(reading.events.slice(0, moment.events));
  const found = reports(events);
  const texts = coloured(reading, moment).map((text) => ({
    ...text,
    segments: text.segments.map(held(run, index, text)),
  }));
  return {
    position: index,
    texts,
    frames: run.format === "text" ? null : frames(run, texts, moment.arrived),
    events,
    reports: found,
    ofText: reports(events.filter(({ source, choice }) => source && choice === 0))[0]!,
    naive: naive(run.arrived(moment), run.names),
    takenBack: flashes.filter((flash) => flash < index).length,
    certain: certainOf(found),
    held: heldOf(texts),
  };
}

function frames({ text, stream, carried }: Run, texts: readonly ColouredText[], arrived: number): ColouredText {
  const bySource = new Map(texts.map((coloured) => [coloured.source, coloured]));
  return { source: "stream", text, segments: frameSegments(carried, bySource, arrived, stream.length) };
}

function coloured({ events, texts }: Reading, moment: Moment): ColouredText[] {
  const out = join(events.slice(0, moment.events));
  return Array.from(texts, ([source, text]) => {
    const ofText = out.filter((event) => event.source === source);
    return { source, text, segments: segments(ofText, moment.lengths.get(source) ?? 0, byteLength(text)) };
  });
}

/** Gives the reason of a held segment, which depends on what it turns out to be. */
function held(
  { reading, final }: Run,
  index: number,
  { source, text, segments }: ColouredText,
): (segment: Segment) => Segment {
  return (segment) => {
    if (segment.kind !== "held") return segment;
    const { start, end } = segment;
    const covers = (span: Span): boolean => span[0] <= start && start < span[1];
    const decided = reading.events.findIndex((event) => event.source === source && event.span && covers(event.span));
    const then = reading.moments.slice(0, -1).find(({ events }) => events > decided);
    const bytes = new Bytes(text);
    const reason = explainHeld({
      text: bytes.text(start, end),
      before: bytes.text(0, start),
      previous: segments[segments.indexOf(segment) - 1]?.event ?? null,
      became: final.get(source)?.find((piece) => covers([piece.start, piece.end])),
      later: then ? then.arrived - reading.moments[index]!.arrived : null,
    });
    return { ...segment, reason };
  };
}

function certainOf(found: readonly Report[]): string {
  const sum = (of: (report: Report) => number): number => found.reduce((total, report) => total + of(report), 0);
  const calls = (state: string): number => sum((report) => report.calls.filter((call) => call.state === state).length);
  const refused = calls("refused");
  const parts = [
    `${count(
      sum(({ answer }) => answer.length),
      "character",
    )} of answer`,
    count(
      sum(({ thoughts }) => thoughts.length),
      "thought",
    ),
    count(calls("accepted"), "complete call"),
    ...(refused ? [`${refused} refused`] : []),
    ...(calls("open") ? [`${calls("open")} arriving`] : []),
  ];
  const elements = sum((report) => report.elements.length);
  return [...parts, ...(elements ? [count(elements, "element")] : [])].join(", ");
}

function heldOf(texts: readonly ColouredText[]): string {
  const all = texts.flatMap(({ segments }) => segments.filter(({ kind }) => kind === "held"));
  if (!all.length) return "nothing";
  return all.map(({ start, end, reason }) => `${count(end - start, "byte")}. ${reason}`).join(" ");
}

/** The text of the first choice, as far as it has arrived at a moment. */
function firstChoice({ texts }: Reading): Run["arrived"] {
  const first = [...texts].filter(([source]) => source.startsWith("0."));
  const bytes = first.map(([source, text]) => [source, new Bytes(text)] as const);
  return ({ lengths }) => bytes.map(([source, text]) => text.text(0, lengths.get(source) ?? 0)).join("");
}

/** What a text is called, if there is anything else beside it. */
export function nameOf(source: string, { texts, frames }: Shown): string | null {
  if (source === "stream") return "The stream as it was sent";
  const [choice, text] = source.split(".").map(Number);
  if (texts.length > 1) return `Message of choice ${choice}, text ${text! + 1}`;
  return frames && "The message that the stream carries";
}
