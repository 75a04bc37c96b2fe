// A middleware for the AI SDK: reasoning and tool calls from text.
//
// Its types are written so that it fits the interfaces of more than one major version without depending on any.

import { CachedProfiles } from "./cached.js";
import { checkNames } from "./error.js";
import type { Event } from "./event.js";
import { parse } from "./message.js";
import { Parser } from "./parser.js";
import { OPTIONS, type Options, type Profile } from "./profile.js";
import { through, type Change, type Emit } from "./through.js";

export interface MiddlewareOptions extends Options {
  /**
   * Whether the input of a call is streamed while it arrives, if its dialect has JSON for arguments. By default a call is
   * sent once it is complete and valid. One that is refused after its start ends with the arguments so far, which the SDK
   * reports as invalid.
   */
  streamCalls?: boolean;
  /** A refused call is shown as text (the default) or dropped. */
  refused?: "show" | "drop";
}

/** What the SDK passes to a middleware, as far as it matters here. */
interface Call<Result> {
  params: { tools?: readonly object[] | undefined; toolChoice?: { type: string } | undefined };
  doGenerate: () => PromiseLike<Result>;
}

interface StreamCall<Result> {
  params: Call<Result>["params"];
  doStream: () => PromiseLike<Result>;
}

type Generated = { content: { type: string }[]; finishReason: unknown; structuredOutputText?: string };
type Streamed = { stream: ReadableStream<{ type: string }> };

/** A middleware for `wrapLanguageModel` of the AI SDK. */
export interface Middleware<Version extends string> {
  specificationVersion: Version;
  wrapGenerate<Result extends Generated>(call: Call<Result>): Promise<Result>;
  wrapStream<Result extends Streamed>(call: StreamCall<Result>): Promise<Result>;
}

/**
 * A middleware for the AI SDK: what a model writes in its text becomes reasoning and tool calls.
 *
 * ```ts
 * const model = wrapLanguageModel({ model: provider("qwen3"), middleware: tagstreamMiddleware() });
 * ```
 */
export function tagstreamMiddleware<Version extends "v3" | "v4" = "v4">(
  options: MiddlewareOptions = {},
): Middleware<Version> {
  checkNames(options, [...OPTIONS, "streamCalls", "refused"]);
  const profiles = new CachedProfiles(options);
  const profileFor = (params: Call<unknown>["params"]) => profiles.get(toolsOf(params));
  return {
    specificationVersion: "v4" as Version,
    async wrapGenerate(call) {
      // Before the request is sent, so that a mistake in the options costs nothing.
      const profile = profileFor(call.params);
      const result = await call.doGenerate();
      const parts: Part[] = [];
      const ids = new Ids();
      let hasCalls = false;
      for (const part of result.content as Part[]) {
        if (part.type !== "text") {
          parts.push(part);
          continue;
        }
        const block = new Block(part, "0", profile, options, ids);
        const emit = (found: Part) => fold(found, parts);
        block.push(part["text"], emit);
        block.end(emit);
        hasCalls ||= block.hasCalls;
      }
      const { structuredOutputText: text } = result;
      const output = text === undefined ? {} : { structuredOutputText: parse(text, profile).content };
      return { ...result, ...output, content: parts, finishReason: finishReason(result.finishReason, hasCalls) };
    },
    async wrapStream(call) {
      const blocks = new Blocks(profileFor(call.params), options);
      const { stream, ...rest } = await call.doStream();
      return { ...rest, stream: through(stream as ReadableStream<Part>, blocks) } as never;
    },
  };
}

/** The tools of a request, as text; `undefined` if there are none that the model may call. */
function toolsOf({ tools, toolChoice }: Call<unknown>["params"]): string | undefined {
  const functions = ((tools ?? []) as Part[]).filter((tool) => tool.type === "function");
  if (functions.length === 0 || toolChoice?.type === "none") return undefined;
  return JSON.stringify(functions.map(({ name, inputSchema }) => ({ name, parameters: inputSchema })));
}

/** A part of a stream or of a content. */
type Part = { type: string; [key: string]: any };

/** Adds a part of a stream to a content. */
function fold(part: Part, content: Part[]): void {
  if (part.type === "tool-call") content.push(part);
  const [kind, step] = part.type.split("-");
  if (step === "start" && kind !== "tool") {
    const { type, id, ...rest } = part;
    content.push({ ...rest, type: kind!, text: "" });
  }
  if (step === "delta") content.at(-1)!["text"] += part["delta"];
}

/** After a call the model waits for its result, even if the provider took the call for text. */
function finishReason(reason: unknown, hasCalls: boolean): unknown {
  if (!hasCalls) return reason;
  if (reason === "stop") return "tool-calls";
  const { unified } = (reason ?? {}) as { unified?: string };
  return unified === "stop" ? { ...(reason as object), unified: "tool-calls" } : reason;
}

/** The texts of a stream, each with a parser of its own. */
class Blocks implements Change<Part, Part> {
  private readonly open = new Map<string, Block>();
  private readonly ids = new Ids();
  private hasCalls = false;

  constructor(
    private readonly profile: Profile,
    private readonly options: MiddlewareOptions,
  ) {}

  push(part: Part, emit: Emit<Part>): void {
    const { type, id } = part;
    switch (type) {
      case "text-start":
        this.open.set(id, new Block(part, id, this.profile, this.options, this.ids));
        break;
      case "text-delta":
        this.open.get(id)?.push(part["delta"], emit, part);
        break;
      case "text-end":
        this.endText(id, emit, part);
        break;
      case "finish":
        this.end(emit);
        emit({ ...part, finishReason: finishReason(part["finishReason"], this.hasCalls) });
        break;
      case "error":
        // The answer may go on.
        for (const block of this.open.values()) block.pause(emit);
        emit(part);
        break;
      default:
        emit(part);
    }
  }

  end(emit: Emit<Part>): void {
    for (const id of [...this.open.keys()]) this.endText(id, emit);
  }

  private endText(id: string, emit: Emit<Part>, part?: Part): void {
    const block = this.open.get(id);
    this.open.delete(id);
    block?.end(emit, part);
    this.hasCalls ||= block?.hasCalls ?? false;
  }
}

/**
 * The ids of the calls of one answer. A parser numbers the calls of its text; but an answer may have several texts, and the
 * SDK tells the calls of a whole conversation apart by their ids.
 */
class Ids {
  private readonly answer = Math.random().toString(36).slice(2, 10);
  private readonly used = new Set<string>();

  /** The id that the model gave, unless it gave it twice; otherwise a new one. */
  of(index: number, given: string): string {
    const isOwn = given !== `call_${index}` && !this.used.has(given);
    const id = isOwn ? given : `call_${this.answer}_${this.used.size}`;
    this.used.add(id);
    return id;
  }
}

/** What the provider says about a part of a text, such as its metadata or citations. */
function saidBy(part: Part | undefined): object {
  const { type, id, delta, ...said } = part ?? ({} as Partial<Part>);
  return said;
}

/** One text of the model, which becomes any number of texts, reasonings and calls. */
class Block {
  hasCalls = false;
  private readonly parser: Parser;
  /** Where the parts of the chunk that is being read go. */
  private emit: Emit<Part> = () => {};
  /** What is open now, with its id. */
  private current: { kind: "text" | "reasoning"; id: string } | undefined;
  private count = 0;
  /** What the provider said about deltas, until there is text that it can go with. */
  private said: object = {};
  /** The calls that have been announced, by number: what has been sent of their input. */
  private readonly announced = new Map<number, { id: string; name: string; sent: string }>();
  /** The calls that have been refused: one may have several problems, and is shown once. */
  private readonly refused = new Set<number>();

  constructor(
    /** The part that began the text; what the provider says about it holds for all texts in it. */
    private readonly start: Part,
    private readonly id: string,
    profile: Profile,
    private readonly options: MiddlewareOptions,
    private readonly ids: Ids,
  ) {
    this.parser = new Parser(profile);
  }

  push(text: string, emit: Emit<Part>, part?: Part): void {
    this.emit = emit;
    this.said = { ...this.said, ...saidBy(part) };
    for (const event of this.parser.push(text)) this.event(event);
  }

  end(emit: Emit<Part>, part?: Part): void {
    this.emit = emit;
    for (const event of this.parser.finish()) this.event(event);
    this.close({ ...this.said, ...saidBy(part) });
    this.parser.free();
  }

  /** Ends what is open, so that something else can come between. */
  pause(emit: Emit<Part>): void {
    this.emit = emit;
    this.close();
  }

  private event(event: Event): void {
    switch (event.type) {
      case "text":
        return this.write("text", event.text);
      case "thought":
        return this.write("reasoning", event.text);
      case "thought_end":
        return this.close();
      case "call_start":
        this.close();
        if (this.options.streamCalls) this.announce(event.index, event.id, event.name);
        return;
      case "call_delta":
        // Arguments that are not JSON are sent when their types are known.
        if (event.argument === undefined) this.send(event.index, event.text);
        return;
      case "call_end":
        return this.call(event.index, event.id, event.name, event.arguments_json);
      case "call_error":
        return this.refuse(event.index, event.code === "incomplete_call" ? "" : event.raw);
    }
  }

  private write(kind: "text" | "reasoning", text: string): void {
    if (this.current?.kind !== kind) {
      this.close();
      const id = kind === "text" && this.count === 0 ? this.id : `${this.id}-${this.count}`;
      this.count += 1;
      this.current = { kind, id };
      const { type, text: whole, ...rest } = this.start;
      this.emit(kind === "text" ? { ...rest, type: "text-start", id } : { type: "reasoning-start", id });
    }
    const said = kind === "text" ? this.said : {};
    if (kind === "text") this.said = {};
    this.emit({ ...said, type: `${kind}-delta`, id: this.current.id, delta: text });
  }

  /** Ends what is open. `said` is what the provider said at the end of the text. */
  private close(said: object = {}): void {
    const { kind, id } = this.current ?? {};
    if (kind) this.emit({ ...(kind === "text" && said), type: `${kind}-end`, id });
    this.current = undefined;
  }

  private announce(index: number, given: string, toolName: string): void {
    const id = this.ids.of(index, given);
    this.announced.set(index, { id, name: toolName, sent: "" });
    this.emit({ type: "tool-input-start", id, toolName });
  }

  private send(index: number, delta: string): void {
    const call = this.announced.get(index);
    if (!call) return;
    call.sent += delta;
    this.emit({ type: "tool-input-delta", id: call.id, delta });
  }

  private call(index: number, id: string, toolName: string, input: string): void {
    this.close();
    this.hasCalls = true;
    if (!this.announced.has(index)) this.announce(index, id, toolName);
    if (this.announced.get(index)!.sent === "") this.send(index, input);
    this.finishInput(index, input);
  }

  private finishInput(index: number, input: string): void {
    const { id, name } = this.announced.get(index)!;
    this.announced.delete(index);
    this.emit({ type: "tool-input-end", id });
    this.emit({ type: "tool-call", toolCallId: id, toolName: name, input });
  }

  private refuse(index: number, raw: string): void {
    const isKnown = this.refused.has(index);
    this.refused.add(index);
    const call = this.announced.get(index);
    if (call) this.finishInput(index, call.sent);
    else if (raw && !isKnown && this.options.refused !== "drop") this.write("text", raw);
  }
}
