// What was read: answer, thoughts, calls, elements, notices.

import type { Call, Element, Report, Thought } from "../report.js";
import { find, h } from "./dom.js";

/** `isChecked`: whether tools are declared, so that calls are checked. */
export function showReports(reports: readonly Report[], isChecked: boolean): void {
  const parts = reports.flatMap((report) => [
    ...(reports.length > 1 ? [h("h3", `Choice ${report.choice}`)] : []),
    ...sections(report, isChecked),
  ]);
  find("read").replaceChildren(...parts);
}

/** In place of reports, where the settings are wrong. */
export function showNothing(reason: string): void {
  find("read").replaceChildren(h("p.empty", reason));
}

const heading = (name: string, items: readonly unknown[]): HTMLElement =>
  h("h3", name, items.length > 1 ? h("span.count", ` (${items.length})`) : "");

function sections(report: Report, isChecked: boolean): HTMLElement[] {
  const { answer, thoughts, calls, elements, notices, finish } = report;
  const roots = elements.filter(({ parent }) => !elements.some(({ id }) => id === parent));
  const section = (name: string, cards: HTMLElement[]): HTMLElement[] =>
    cards.length ? [heading(name, cards), ...cards] : [];
  return [
    h("h3", "Answer"),
    answer.trim() ? h("div.answer", answer) : h("p.empty", answer ? "Only white space." : "No visible text."),
    ...section("Thoughts", thoughts.map(thoughtCard)),
    ...section(
      "Tool calls",
      calls.map((call) => callCard(call, isChecked)),
    ),
    ...section(
      "Elements",
      roots.map((root) => elementCard(root, elements)),
    ),
    ...section(
      "Notices",
      notices.map(({ code, message }) => card("notice", code, null, h("div.body", message))),
    ),
    ...(finish === null ? [] : [h("p.empty", `The provider's reason for the end: ${finish}`)]),
  ];
}

type Badge = readonly [style: string, words: string];

function card(kind: string, name: string, badge: Badge | null, ...body: HTMLElement[]): HTMLElement {
  const head = h("div.head", h("span.name", name), badge ? h(`span.badge.${badge[0]}`, badge[1]) : "");
  return h(`div.card.is-${kind}`, head, ...body);
}

function thoughtCard({ tag, text, state }: Thought): HTMLElement {
  const badges: Record<Thought["state"], Badge | null> = {
    open: ["wait", "still thinking"],
    closed: null,
    unclosed: ["bad", "never closed"],
  };
  return card("thought", tag ?? "thought", badges[state], h("div.body", text));
}

const CALLS: Record<Call["state"] | "unchecked", Badge> = {
  open: ["wait", "arriving: do not run it yet"],
  accepted: ["good", "complete and checked"],
  unchecked: ["wait", "complete; no tools to check it against"],
  refused: ["bad", "refused: do not run it"],
};

function callCard(call: Call, isChecked: boolean): HTMLElement {
  const { state, name, problems } = call;
  const kind = state === "refused" ? "refused" : "call";
  const body = [argumentsList(call), ...(problems.length ? [toModel(call)] : [])];
  return card(kind, name ?? "(no name)", CALLS[state === "accepted" && !isChecked ? "unchecked" : state], ...body);
}

function argumentsList({ state, arguments: given, pieces, raw }: Call): HTMLElement {
  if (state === "accepted") {
    const entries = Object.entries(given as Record<string, unknown>);
    if (!entries.length) return h("p.empty", "No arguments.");
    return pairs(entries.map(([name, value]) => [name, JSON.stringify(value, null, 2)]));
  }
  if (!pieces.size) return raw ? pairs([["as written", raw]]) : h("p.empty", "No arguments yet.");
  return pairs(Array.from(pieces, ([name, text]) => [name || "JSON", text]));
}

const pairs = (rows: [string, string][]): HTMLElement =>
  h("dl.arguments.mono", ...rows.flatMap(([name, value]) => [h("dt", name), h("dd", { tabindex: 0 }, value)]));

/** The errors as they would be sent back as the result of the call. */
function toModel({ problems }: Call): HTMLElement {
  const words = problems.map(({ code, message }) => `${code}: ${message}`).join("\n");
  return h("div.to-model.mono", h("b", "Sent back to the model"), words);
}

function elementCard(element: Element, all: readonly Element[]): HTMLElement {
  const { name, attributes, body, parts, state } = element;
  const badges: Record<Element["state"], Badge | null> = {
    open: ["wait", "growing"],
    complete: null,
    incomplete: ["bad", "not complete"],
  };
  const children = all.filter(({ parent }) => parent === element.id);
  const made = card("element", `<${name}>`, badges[state]);
  const given = Object.entries(attributes).map(([key, value]) => h("div", h("dt", key), h("dd", attribute(value))));
  if (given.length) made.append(h("dl.attributes.mono", ...given));
  if (parts.length) made.append(pairs(parts.map((part) => [`<${part.name}>`, part.text])));
  if (body.trim()) made.append(h("div.body", dedented(body)));
  if (children.length) made.append(h("div.children", ...children.map((child) => elementCard(child, all))));
  return made;
}

const attribute = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Without the white space around it, and without the indent that its lines share. */
function dedented(body: string): string {
  const lines = body.split("\n");
  const indents = lines.filter((line) => line.trim()).map((line) => /^\s*/.exec(line)![0].length);
  const indent = Math.min(...indents);
  return lines
    .map((line) => line.slice(indent))
    .join("\n")
    .trim();
}
