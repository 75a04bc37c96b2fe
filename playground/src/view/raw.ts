// The texts that arrived, every byte coloured by what it became.

import { Bytes, count, visible } from "../bytes.js";
import { KINDS, type Kind, type Segment } from "../segments.js";
import { find, h } from "./dom.js";

/** A text with its colours, and its name if there are several. */
export interface Box {
  name: string | null;
  text: string;
  segments: readonly Segment[];
}

/** Only the kinds that there are. */
function showLegend(texts: readonly Box[]): void {
  const present = new Set(texts.flatMap(({ segments }) => segments.map(({ kind }) => kind)));
  const kinds = Object.entries(KINDS).filter(([kind]) => present.has(kind as Kind));
  find("legend").replaceChildren(...kinds.map(([kind, name]) => h("li", h(`span.swatch.${kind}`), name)));
}

export function showRaw(texts: readonly Box[], whyEmpty: string): void {
  showLegend(texts);
  const focused = focusedPiece();
  const boxes = texts.flatMap(({ name, text, segments }, at) => [
    ...(name ? [h("p.source-name", name)] : []),
    box(text, segments, at, name),
  ]);
  find("raw").replaceChildren(...(boxes.length ? boxes : [h("p.empty", whyEmpty)]));
  if (focused) restoreFocus(focused);
  else hint();
}

function box(text: string, segments: readonly Segment[], at: number, name: string | null): HTMLElement {
  const bytes = new Bytes(text);
  const pieces = segments.map((segment, index) => {
    const shown = bytes.text(segment.start, segment.end);
    const piece = h(
      `span.piece.${style(segment)}`,
      {
        role: "option",
        tabindex: index === 0 ? 0 : -1,
        "aria-selected": "false",
        "data-kind": segment.kind,
        title: `${segment.label} · bytes ${segment.start}..${segment.end}\n${segment.reason}`,
      },
      shown,
    );
    const inspect = (): void => select(piece, segment, shown);
    piece.addEventListener("focus", inspect);
    piece.addEventListener("pointerenter", inspect);
    return piece;
  });
  const label = `The text, in ${count(pieces.length, "piece")}${name ? `: ${name}` : ""}`;
  const host = h("div.bytes", { role: "listbox", "aria-label": label, "data-text": at }, ...pieces);
  if (!pieces.length) host.setAttribute("tabindex", "0");
  host.addEventListener("keydown", (event) => move(host, event as KeyboardEvent));
  return host;
}

/** Tags are darker than what is between them, and markup of a call looks like a part of it. */
function style({ kind, event }: Segment): string {
  const type = event?.type ?? "";
  if (/^(thought|element)_(start|end)$/.test(type)) return `${kind}.tag`;
  if (event?.type !== "skip" || kind !== "skip") return kind;
  if (event.reason === "call" || event.reason === "wrapper") return "skip.of-call";
  return event.reason === "element" ? "skip.of-element" : kind;
}

/** Arrow keys go from piece to piece. */
function move(host: HTMLElement, event: KeyboardEvent): void {
  const pieces = [...host.querySelectorAll<HTMLElement>(".piece")];
  const at = pieces.indexOf(document.activeElement as HTMLElement);
  const last = pieces.length - 1;
  const targets: Record<string, number> = {
    ArrowRight: Math.min(at + 1, last),
    ArrowDown: Math.min(at + 1, last),
    ArrowLeft: Math.max(at - 1, 0),
    ArrowUp: Math.max(at - 1, 0),
    Home: 0,
    End: last,
  };
  const target = targets[event.key];
  if (target === undefined) return;
  event.preventDefault();
  pieces[target]?.focus();
}

function select(piece: HTMLElement, segment: Segment, shown: string): void {
  for (const other of document.querySelectorAll('.piece[aria-selected="true"]'))
    other.setAttribute("aria-selected", "false");
  for (const other of piece.parentElement!.children) other.setAttribute("tabindex", "-1");
  piece.setAttribute("aria-selected", "true");
  piece.setAttribute("tabindex", "0");
  const rows: [string, string | Node][] = [
    ["What", h("b", segment.label)],
    ["Why", segment.reason],
    [
      "Bytes",
      `${segment.start}..${segment.end} (${count(segment.end - segment.start, "byte")}): ${visible(shown, 80)}`,
    ],
    ["Event", h("code", segment.event ? JSON.stringify(withoutLong(segment.event)) : "none yet")],
  ];
  const list = h("dl", ...rows.flatMap(([name, value]) => [h("dt", name), h("dd", value)]));
  find("inspector").replaceChildren(list);
}

function hint(): void {
  find("inspector").replaceChildren(
    h("p.empty", "Point at a piece of the text, or focus it and use the arrow keys: here is what it became, and why."),
  );
}

/** The event for one line: long texts shortened, without what only this page needs. */
function withoutLong(event: object): object {
  const entries = Object.entries(event).filter(([key]) => key !== "source");
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === "string" ? visible(value, 60) : value]),
  );
}

function focusedPiece(): { text: string; index: number } | null {
  const piece = document.activeElement;
  const host = piece?.closest<HTMLElement>(".bytes");
  if (!piece?.classList.contains("piece") || !host) return null;
  return { text: host.dataset["text"]!, index: [...host.children].indexOf(piece) };
}

function restoreFocus({ text, index }: { text: string; index: number }): void {
  const host = document.querySelector(`.bytes[data-text="${text}"]`);
  const piece = host?.children[Math.min(index, host.children.length - 1)] as HTMLElement | undefined;
  piece?.focus();
}
