// Events as docs/spec.md 7 defines them, and how pieces of them are joined.
//
// A reader may report one text in many pieces, depending on the cuts. Joined, the events of a
// message are the same for every cut: that is what the page shows, and what it compares.

export type Span = readonly [start: number, end: number];
export type Attributes = Record<string, unknown>;

interface Common {
  choice: number;
  /** The text that the event was found in; absent for what a provider reports natively. */
  source?: string;
  /** The bytes of that text that it accounts for. */
  span?: Span;
}

export type Event = Common &
  (
    | { type: "text" | "thought"; text: string }
    | { type: "thought_start"; tag: string | null; attributes: Attributes }
    | { type: "thought_end"; closed: boolean }
    | { type: "call_start"; index: number; id: string; name: string }
    | { type: "call_delta"; index: number; argument?: string | null; text: string }
    | { type: "call_end"; index: number; id: string; name: string; arguments: unknown }
    | {
        type: "call_error";
        index: number;
        name: string | null;
        code: string;
        argument?: string | null;
        message: string;
        raw: string;
      }
    | { type: "element_start"; id: number; parent?: number | null; name: string; attributes: Attributes }
    | { type: "element_delta"; id: number; part?: string | null; text: string }
    | {
        type: "element_end";
        id: number;
        name: string;
        attributes: Attributes;
        body?: string | null;
        parts: { name: string; attributes: Attributes; text: string }[];
        complete: boolean;
      }
    | { type: "notice"; code: string; message: string }
    | { type: "skip"; reason: string; text: string }
    | { type: "finish"; reason: string | null }
    | { type: "usage"; usage: unknown }
  );

/** What a piece continues, or null for an event that is always whole. */
function run(event: Event): string | null {
  switch (event.type) {
    case "text":
    case "thought":
      return event.type;
    case "skip":
      return `skip ${event.reason}`;
    case "call_delta":
      return `call ${event.index} ${event.argument ?? ""}`;
    case "element_delta":
      return `element ${event.id} ${event.part ?? ""}`;
    default:
      return null;
  }
}

function joined(before: Event, next: Event): Event | null {
  const key = run(next);
  const isAdjacent = before.source === next.source && before.span?.[1] === next.span?.[0];
  if (key === null || key !== run(before) || !isAdjacent || !("text" in before) || !("text" in next)) return null;
  const both = { ...before, text: before.text + next.text };
  return before.span && next.span ? { ...both, span: [before.span[0], next.span[1]] } : both;
}

/** The events with every run of pieces as one event, one choice after the other. */
export function join(events: readonly Event[]): Event[] {
  const choices = new Map<number, Event[]>();
  for (const event of events) {
    const list = choices.get(event.choice) ?? [];
    choices.set(event.choice, list);
    const last = list.at(-1);
    const both = last && joined(last, event);
    if (both) list[list.length - 1] = both;
    else list.push(event);
  }
  const inOrder = [...choices].sort(([a], [b]) => a - b);
  return inOrder.flatMap(([, list]) => list);
}
