// Where in the text of a list of tools an error is.

/** The line of a place such as `tools[0].parameters.type`, or of what the message itself says. */
export function lineOf(json: string, place: string, message: string): number | null {
  const said = / line (\d+)/.exec(message);
  if (said) return Number(said[1]);
  const steps = Array.from(place.matchAll(/\[(\d+)\]|([^.[\]]+)/g), ([, index, key]) => index ?? key!);
  const at = find(json, steps[0] === "tools" && json.trimStart().startsWith("[") ? steps.slice(1) : steps);
  return at === null ? null : json.slice(0, at).split("\n").length;
}

/** The position of the value that these keys lead to, or of the last one of them that there is. */
function find(json: string, steps: readonly string[]): number | null {
  const tokens = Array.from(json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g));
  let at = 0;
  const peek = (): string => tokens[at]?.[0] ?? "";
  const skip = (): void => {
    let depth = 0;
    do {
      if (/^[{[]$/.test(peek())) depth++;
      if (/^[}\]]$/.test(peek())) depth--;
      at++;
    } while (depth > 0 && at < tokens.length);
  };
  /** Moves to the value of a key or index of the value at `at`; whether there is one. */
  const enter = (step: string): boolean => {
    const inList = peek() === "[";
    at++;
    for (let index = 0; at < tokens.length && !/^[}\]]$/.test(peek()); index++) {
      const key = inList ? String(index) : peek().slice(1, -1);
      if (!inList) at += 2;
      if (key === step) return true;
      skip();
      if (peek() === ",") at++;
    }
    return false;
  };
  let place = tokens[0]?.index ?? null;
  for (const step of steps) {
    if (!/^[{[]$/.test(peek()) || !enter(step)) break;
    place = tokens[at]?.index ?? place;
  }
  return place;
}
