// Whole messages.

import { checkString } from "./error.js";
import { Profile, type Options } from "./profile.js";

/** What a message consists of. */
export interface Message {
  /** The visible text. */
  content: string;
  /** Its thoughts, in order. */
  thoughts: string[];
  /** Its calls that are complete and valid, in order. */
  tool_calls: ToolCall[];
  /** The notices, and what is wrong with each refused call. */
  notices: MessageNotice[];
}

export interface ToolCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  /** The arguments as text, in which numbers are as the model spelled them. */
  arguments_json: string;
}

export interface MessageNotice {
  code: string;
  message: string;
  /** The number of the refused call that it is about. */
  call?: number;
  /** Its tool, if it has a name. */
  tool?: string;
}

/** What becomes of white space where markup was taken out. */
export type Whitespace = "preserve" | "collapse" | "split" | "as-is";

/** Reads a whole message. */
export function parse(text: string, options?: Options | Profile, whitespace: Whitespace = "preserve"): Message {
  checkTexts(text, whitespace);
  return withArguments(JSON.parse(Profile.use(options, (raw) => raw.parse(text, whitespace))));
}

/** The module has the arguments of calls only as text. */
export function withArguments<M extends Message>(message: M): M {
  for (const call of message.tool_calls) call.arguments = JSON.parse(call.arguments_json);
  return message;
}

/** The text without tags of any name, and without their content. */
export function strip(text: string, options?: Options | Profile, whitespace: Whitespace = "preserve"): string {
  checkTexts(text, whitespace);
  return Profile.use(options, (raw) => raw.strip(text, whitespace));
}

function checkTexts(text: string, whitespace: Whitespace): void {
  checkString("text", text);
  checkString("whitespace", whitespace);
}
