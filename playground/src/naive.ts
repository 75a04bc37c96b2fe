// What a parser of a few regular expressions makes of the text that has arrived, for comparison.
//
// It is what people write first: match whole sections in the text so far, remove them, show the
// rest. It is meant well, and nothing in it is made worse than it has to be.

export interface Naive {
  answer: string;
  thoughts: string[];
  calls: { name: string; arguments: unknown }[];
  elements: { name: string; body: string }[];
}

const THINKING = /<(think|thinking|thought|reasoning|reflection)>([\s\S]*?)<\/\1>/g;
const JSON_CALL = /<tool_call>\s*(\{[\s\S]*?\})\s*<\/tool_call>/g;
const FUNCTION = /(?:<tool_call>\s*)?<function=([^>]+)>([\s\S]*?)<\/function>(?:\s*<\/tool_call>)?/g;
const PARAMETER = /<parameter=([^>]+)>([\s\S]*?)<\/parameter>/g;
const INVOKE = /<invoke name="([^"]+)">([\s\S]*?)<\/invoke>/g;
const NAMED_PARAMETER = /<parameter name="([^"]+)"[^>]*>([\s\S]*?)<\/parameter>/g;
// Not a repeated group for the arguments: it would take exponential time where a call is not closed.
const GLM = /<tool_call>(\w+)\s*((?:<arg_key>[\s\S]*?)?)<\/tool_call>/g;
const GLM_ARGUMENT = /<arg_key>([\s\S]*?)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g;
const WRAPPER = /<\/?function_calls>/g;

/** `names` are those of the elements to look for. */
export function naive(text: string, names: readonly string[]): Naive {
  const thoughts: string[] = [];
  const elements: Naive["elements"] = [];
  const calls: Naive["calls"] = [];
  const take = (name: string, body: string, argument: RegExp): string => {
    const pairs = Array.from(body.matchAll(argument), ([, key, value]) => [key!.trim(), value!.trim()] as const);
    calls.push({ name, arguments: Object.fromEntries(pairs) });
    return "";
  };
  const answer = text
    .replace(THINKING, (_, __, thought: string) => (thoughts.push(thought.trim()), ""))
    .replace(FUNCTION, (_, name: string, body: string) => take(name, body, PARAMETER))
    .replace(INVOKE, (_, name: string, body: string) => take(name, body, NAMED_PARAMETER))
    .replace(GLM, (_, name: string, body: string) => take(name, body, GLM_ARGUMENT))
    .replace(JSON_CALL, (whole, json: string) => {
      const call = parse(json);
      return call ? (calls.push(call), "") : whole;
    })
    .replace(WRAPPER, "")
    .replace(element(names), (_, name: string, body = "") => (elements.push({ name, body: body.trim() }), ""));
  return { answer: answer.trim(), thoughts, calls, elements };
}

/** Of any of these names, closed by itself or by a closing tag. */
function element(names: readonly string[]): RegExp {
  const any = names.map((name) => name.replace(/[^\w-]/g, "\\$&")).join("|");
  return any ? new RegExp(`<(${any})\\b[^>]*?(?:/>|>([\\s\\S]*?)</\\1>)`, "g") : /(?!)/g;
}

function parse(json: string): Naive["calls"][number] | null {
  try {
    const call = JSON.parse(json) as { name?: unknown; arguments?: unknown };
    return typeof call.name === "string" ? { name: call.name, arguments: call.arguments ?? {} } : null;
  } catch {
    return null;
  }
}

/** After which of these growing texts something that was on the screen is taken back. */
export function flashes(texts: readonly string[], names: readonly string[]): number[] {
  const answers = texts.map((text) => naive(text, names).answer);
  return answers.flatMap((answer, at) => ((answers[at + 1]?.startsWith(answer) ?? true) ? [] : [at]));
}
