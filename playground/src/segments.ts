// What each byte of a text became.

import { count, visible } from "./bytes.js";
import type { Event } from "./events.js";

export type Kind =
  | "text"
  | "thought"
  | "call"
  | "argument"
  | "refused"
  | "element"
  | "skip"
  | "frame"
  | "held"
  | "ahead";

/** A stretch of a text, in bytes. */
export interface Segment {
  start: number;
  end: number;
  kind: Kind;
  /** In a few words, what the bytes are. */
  label: string;
  /** Why they are that. */
  reason: string;
  event: Event | null;
}

/** For the legend, in this order. */
export const KINDS: Record<Kind, string> = {
  text: "answer",
  thought: "thought",
  call: "tool call",
  argument: "argument",
  element: "element",
  skip: "markup or dropped",
  refused: "refused call",
  frame: "frame of the provider",
  held: "held: not certain yet",
  ahead: "not arrived yet",
};

const SKIPPED: Record<string, string> = {
  tag: "a tag of a section",
  hidden: "a hidden section",
  empty_section: "a section without content",
  marker: "a marker of the profile, such as a special token",
  orphan_close: "a closing tag without an opening tag",
  white_space: "white space beside markup",
  wrapper: "the wrapper of tool calls",
  call: "markup of a tool call",
  element: "markup of an element",
  limit: "longer than a limit of the profile",
};

/** The segments of one text, from joined events; `length` bytes have arrived, of `total`. */
export function segments(events: readonly Event[], length: number, total: number): Segment[] {
  const calls = callsOf(events);
  const refused = new Set(events.flatMap((event) => (event.type === "call_error" ? [event.index] : [])));
  const found = events.flatMap((event, at): Segment[] => {
    if (!event.span || event.span[0] === event.span[1]) return [];
    const [start, end] = event.span;
    const described = describe(event);
    const kind = refused.has(calls[at] ?? -1) ? "refused" : described.kind;
    return [{ ...described, start, end, kind, event }];
  });
  const certain = found.at(-1)?.end ?? 0;
  if (certain < length) found.push(rest(certain, length, "held"));
  if (length < total) found.push(rest(length, total, "ahead"));
  return found;
}

/** The call that each event belongs to. Markup of a call belongs to the call that an event after it names. */
function callsOf(events: readonly Event[]): (number | null)[] {
  let next: number | null = null;
  const backwards = events.toReversed().map((event) => {
    if ("index" in event) return (next = event.index);
    return event.type === "skip" && event.reason === "call" ? next : null;
  });
  return backwards.reverse();
}

function rest(start: number, end: number, kind: "held" | "ahead"): Segment {
  const held = "What follows decides what these bytes are.";
  const reason = kind === "held" ? held : "These bytes have not arrived at this point of the stream.";
  return { start, end, kind, label: KINDS[kind], reason, event: null };
}

type Description = Pick<Segment, "kind" | "label" | "reason">;

/** An event in words. */
export function describe(event: Event): Description {
  const as = (kind: Kind, label: string, reason: string): Description => ({ kind, label, reason });
  switch (event.type) {
    case "text":
      return as("text", "text of the answer", "No markup of the profile: passed on unchanged.");
    case "thought":
      return as("thought", "text of a thought", "Inside a thinking section.");
    case "thought_start":
      return as("thought", "a thought begins", event.tag ? `The opener \`${event.tag}\`.` : "The prompt opened it.");
    case "thought_end":
      return as("thought", "the thought ends", event.closed ? "Its closing tag." : "It has no closing tag.");
    case "call_start":
      return as("call", `call ${event.index} begins: ${event.name}`, `Its id is ${event.id}.`);
    case "call_delta":
      return as(
        "argument",
        event.argument ? `argument ${event.argument}` : "arguments as JSON",
        `Of call ${event.index}.`,
      );
    case "call_end":
      return as("call", `call ${event.index} is complete: ${event.name}`, "Its arguments fit their schema, if one is declared.");
    case "call_error":
      return as("refused", `call ${event.index} is refused: ${event.code}`, event.message);
    case "element_start":
      return as("element", `element ${event.name} begins`, "The profile lists its name.");
    case "element_delta":
      return as(
        "element",
        event.part ? `part ${event.part} of an element` : "body of an element",
        `Of element ${event.id}.`,
      );
    case "element_end":
      return as("element", `element ${event.name} ends`, event.complete ? "Its closing tag." : "It is not complete.");
    case "notice":
      return as("skip", `notice: ${event.code}`, event.message);
    case "skip":
      return as("skip", "skipped", `Dropped: ${SKIPPED[event.reason] ?? event.reason}.`);
    case "finish":
      return as("skip", "the message is finished", `The provider's reason: ${event.reason ?? "none"}.`);
    case "usage":
      return as("skip", "usage", JSON.stringify(event.usage));
  }
}

/** Bytes at the end of what has arrived that no event accounts for yet. */
export interface Held {
  text: string;
  /** The text before them, and the event of its end. */
  before: string;
  previous: Event | null;
  /** What they turn out to be, and how many bytes later that is certain; null: when the stream ends. */
  became: Segment | undefined;
  later: number | null;
}

/** Why they are held, and for how long. */
export function explainHeld(held: Held): string {
  const { became, later } = held;
  const outcome = later === null ? "Only the end of the stream decides" : `It is certain ${count(later, "byte")} later`;
  return `${doubt(held)} ${outcome}${became ? `: ${became.label}` : ""}.`;
}

function doubt({ text, before, previous, became }: Held): string {
  const shown = `“${visible(text, 40)}”`;
  const event = became?.event;
  const paragraph = before.slice(before.lastIndexOf("\n\n") + 1);
  if (text.trim() === "") return "White space is dropped if markup follows, and is text otherwise.";
  if (/^\s*[`~]/.test(text)) return "Backticks may begin code, in which markup does not count.";
  if (/^\s*<[^<>]*$/.test(text)) return `${shown} may be the beginning of a tag, or only text.`;
  if (paragraph.split("`").length % 2 === 0) return `A backtick is open before ${shown}: it may be quoted.`;
  if (previous && isInCall(previous)) return `${shown} may end the argument or be a part of it: what follows decides.`;
  if (event?.type === "thought_start") return `${shown} opens a section, which is dropped if it has no content.`;
  if (event?.type === "element_start") return `${shown} is an element only if its closing tag follows.`;
  if (became?.kind === "call" || became?.kind === "refused" || became?.kind === "skip") {
    return `${shown} may begin a call, or be mentioned in a sentence: what follows decides.`;
  }
  return `${shown} is markup or text: what follows decides.`;
}

const isInCall = (event: Event): boolean =>
  event.type === "call_start" || event.type === "call_delta" || (event.type === "skip" && event.reason === "call");
