/** What a caller set is wrong. The output of a model is never an error. */
export class TagstreamError extends Error {
  override readonly name = "TagstreamError";
  /** The option that is wrong: `profile`, `tools`, `preset`, `model`, `dialect`, `format` … */
  readonly option: string;
  /** The line in the text of the profile. */
  readonly line: number | undefined;
  /** The key in the profile or in the tools, as a path: `thinking.tags[1]`. */
  readonly key: string | undefined;

  constructor(option: string, message: string, line?: number | null, key?: string | null) {
    super(`${option}: ${message}`);
    this.option = option;
    this.line = line ?? undefined;
    this.key = key ?? undefined;
  }
}

/** Refuses what is not a string, which the module would take for an address in its memory. */
export function checkString(name: string, value: unknown): void {
  if (typeof value !== "string") throw new TypeError(`${name} must be a string, not ${typeOf(value)}`);
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value === null || value === undefined) return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Refuses options that do not exist, which would be ignored otherwise. */
export function checkNames(options: object, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError(`options must be an object, not ${typeOf(options)}`);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TagstreamError(unknown, `there is no such option; there are ${known.map((name) => `\`${name}\``).join(", ")}`);
}

/** Calls the module, whose errors are texts of JSON. */
export function checked<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    if (typeof thrown !== "string") throw thrown;
    const { option, message, line, key } = JSON.parse(thrown);
    throw new TagstreamError(option, message, line, key);
  }
}
