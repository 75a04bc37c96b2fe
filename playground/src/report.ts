// A message as a reader of the page wants it: answer, thoughts, calls, elements, notices.

import type { Attributes, Event } from "./events.js";

export interface Thought {
  tag: string | null;
  text: string;
  state: "open" | "closed" | "unclosed";
}

export interface Call {
  index: number;
  id: string | null;
  name: string | null;
  state: "open" | "accepted" | "refused";
  /** The text of the arguments while they arrive: by name, or JSON under "". */
  pieces: Map<string, string>;
  arguments: unknown;
  problems: { code: string; message: string }[];
  raw: string;
}

export interface Element {
  id: number;
  parent: number | null;
  name: string;
  attributes: Attributes;
  body: string;
  parts: { name: string; text: string }[];
  state: "open" | "complete" | "incomplete";
}

export interface Report {
  choice: number;
  answer: string;
  thoughts: Thought[];
  calls: Call[];
  elements: Element[];
  notices: { code: string; message: string }[];
  finish: string | null;
}

/** One report for each choice of the message, from joined events. */
export function reports(events: readonly Event[]): Report[] {
  const choices = new Map<number, Report>();
  for (const event of events) {
    const report = choices.get(event.choice) ?? empty(event.choice);
    choices.set(event.choice, report);
    add(report, event);
  }
  return choices.size ? [...choices.values()] : [empty(0)];
}

function empty(choice: number): Report {
  return { choice, answer: "", thoughts: [], calls: [], elements: [], notices: [], finish: null };
}

function add(report: Report, event: Event): void {
  switch (event.type) {
    case "text":
      report.answer += event.text;
      break;
    case "thought_start":
      report.thoughts.push({ tag: event.tag, text: "", state: "open" });
      break;
    case "thought":
      if (report.thoughts.at(-1)?.state !== "open") report.thoughts.push({ tag: null, text: "", state: "open" });
      report.thoughts.at(-1)!.text += event.text;
      break;
    case "thought_end": {
      const thought = report.thoughts.at(-1);
      if (thought) thought.state = event.closed ? "closed" : "unclosed";
      break;
    }
    case "call_start":
      Object.assign(call(report, event.index), { id: event.id, name: event.name });
      break;
    case "call_delta": {
      const { pieces } = call(report, event.index);
      const name = event.argument ?? "";
      pieces.set(name, (pieces.get(name) ?? "") + event.text);
      break;
    }
    case "call_end":
      Object.assign(call(report, event.index), {
        id: event.id,
        name: event.name,
        state: "accepted",
        arguments: event.arguments,
      });
      break;
    case "call_error": {
      const refused = call(report, event.index);
      Object.assign(refused, { name: event.name, state: "refused", raw: event.raw });
      refused.problems.push({ code: event.code, message: event.message });
      break;
    }
    case "element_start":
      report.elements.push({
        id: event.id,
        parent: event.parent ?? null,
        name: event.name,
        attributes: event.attributes,
        body: "",
        parts: [],
        state: "open",
      });
      break;
    case "element_delta":
      grow(
        report.elements.find((element) => element.id === event.id),
        event.part ?? null,
        event.text,
      );
      break;
    case "element_end": {
      const element = report.elements.find((element) => element.id === event.id);
      const state = event.complete ? "complete" : "incomplete";
      if (element) Object.assign(element, { body: event.body ?? "", parts: event.parts, state });
      break;
    }
    case "notice":
      report.notices.push({ code: event.code, message: event.message });
      break;
    case "finish":
      report.finish = event.reason;
      break;
    case "skip":
    case "usage":
      break;
  }
}

function call(report: Report, index: number): Call {
  const found = report.calls.find((call) => call.index === index);
  if (found) return found;
  const made: Call = {
    index,
    id: null,
    name: null,
    state: "open",
    pieces: new Map(),
    arguments: null,
    problems: [],
    raw: "",
  };
  report.calls.push(made);
  return made;
}

function grow(element: Element | undefined, part: string | null, text: string): void {
  if (!element) return;
  if (part === null) {
    element.body += text;
    return;
  }
  const last = element.parts.at(-1);
  if (last?.name === part) last.text += text;
  else element.parts.push({ name: part, text });
}
