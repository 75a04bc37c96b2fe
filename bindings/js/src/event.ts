// The events of a message: the types and fields of section 7 of docs/spec.md.

/** Where an event is in the message: `[start, end)` in bytes of UTF-8. The spans of all events tile the message. */
export type Span = [start: number, end: number];

/** The attributes of a tag; one that is given more than once has a list. */
export type Attributes = Record<string, string | string[]>;

/** Visible text. */
export interface Text {
  type: "text";
  text: string;
}

/** The start of a thought. The tag is `null` if the prompt opened it, or if the provider reported it separately. */
export interface ThoughtStart {
  type: "thought_start";
  tag: string | null;
  attributes: Attributes;
}

/** Text of a thought. */
export interface Thought {
  type: "thought";
  text: string;
}

export interface ThoughtEnd {
  type: "thought_end";
  closed: boolean;
}

/** The start of a call: its name is certain and accepted. */
export interface CallStart {
  type: "call_start";
  index: number;
  id: string;
  name: string;
}

/** Text of a call's arguments: to be shown, not to be acted on. JSON arguments have no `argument`. */
export interface CallDelta {
  type: "call_delta";
  index: number;
  argument?: string;
  text: string;
}

/** A call that is complete and valid. */
export interface CallEnd {
  type: "call_end";
  index: number;
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  /** The arguments as text, in which numbers are as the model spelled them. */
  arguments_json: string;
}

export type CallErrorCode =
  | "unknown_tool"
  | "missing_required"
  | "unknown_argument"
  | "type_mismatch"
  | "invalid_json"
  | "malformed_parameter"
  | "malformed_call"
  | "incomplete_call"
  | "limit";

/** A problem of a refused call. The message can be sent back to the model. */
export interface CallError {
  type: "call_error";
  index: number;
  name: string | null;
  code: CallErrorCode;
  argument: string | null;
  message: string;
  raw: string;
}

export interface ElementStart {
  type: "element_start";
  id: number;
  parent: number | null;
  name: string;
  attributes: Attributes;
}

/** Text of an element; without `part`, of its body. */
export interface ElementDelta {
  type: "element_delta";
  id: number;
  part?: string;
  text: string;
}

export interface ElementPart {
  name: string;
  attributes: Attributes;
  text: string;
}

export interface ElementEnd {
  type: "element_end";
  id: number;
  name: string;
  attributes: Attributes;
  /** Absent if the tag closed itself. */
  body?: string;
  parts: ElementPart[];
  complete: boolean;
}

/** An element that is still open, as far as it has been read. */
export type OpenElement = Omit<ElementEnd, "type"> & { parent: number | null };

/** Something to know. More codes may be added. */
export interface Notice {
  type: "notice";
  code: string;
  message: string;
}

export type SkipReason =
  | "tag"
  | "hidden"
  | "empty_section"
  | "marker"
  | "orphan_close"
  | "white_space"
  | "wrapper"
  | "call"
  | "element"
  | "limit";

/** Bytes that produce no other event. */
export interface Skip {
  type: "skip";
  reason: SkipReason;
  text: string;
}

/** An event without its place. */
export type EventKind =
  | Text
  | ThoughtStart
  | Thought
  | ThoughtEnd
  | CallStart
  | CallDelta
  | CallEnd
  | CallError
  | ElementStart
  | ElementDelta
  | ElementEnd
  | Notice
  | Skip;

/** One certain statement about the message. */
export type Event = EventKind & { span: Span };

/** The end of a choice of a provider's stream, with the provider's own word for the reason. */
export interface Finish {
  type: "finish";
  reason: string;
}

/** How many tokens were used: the provider's own object. */
export interface Usage {
  type: "usage";
  usage: Record<string, unknown>;
}

/** An event of a provider's stream. What the provider reports separately has no span. */
export type WireEvent = (EventKind | Finish | Usage) & { choice: number; span?: Span };
