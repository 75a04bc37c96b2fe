// The program that reads the same input in the same way, in several languages. Each one prints the
// events of the message.

import type { Format } from "./engine.js";
import type { Input } from "./state.js";

/** `format` is what the stream was detected to be. */
type Write = (input: Input, format: Exclude<Format, "auto">) => string;

export const LANGUAGES: Record<string, Write> = {
  TypeScript: typescript,
  Python: python,
  Rust: rust,
  Shell: shell,
};

const isJson = (profile: string): boolean => profile.trimStart().startsWith("{");
const lines = (...rows: (string | false | null)[]): string =>
  rows.filter((row) => row !== false && row !== null).join("\n") + "\n";

function typescript(input: Input, format: Exclude<Format, "auto">): string {
  const { profile, preset, dialects, tools, text } = input;
  const reader = format === "text" ? "Parser" : "Session";
  return lines(
    `import { ${reader} } from "tagstream";`,
    "",
    `const message = ${JSON.stringify(text)};`,
    "const options = {",
    profile === null ? `  preset: ${JSON.stringify(preset)},` : `  profile: ${JSON.stringify(profile)},`,
    dialects && `  dialect: ${JSON.stringify(dialects)},`,
    tools.trim() !== "" && `  tools: ${JSON.stringify(JSON.parse(tools), null, 2).replaceAll("\n", "\n  ")},`,
    "};",
    `const reader = new ${reader}(${format === "text" ? "" : `"${format}", `}options);`,
    "for (const event of [...reader.push(message), ...reader.finish()]) console.log(event);",
  );
}

/** JSON strings are Python strings, except for half a character. */
function python(input: Input, format: Exclude<Format, "auto">): string {
  const { profile, preset, dialects, tools, text } = input;
  const own = profile !== null && (isJson(profile) ? "json.loads" : "tomllib.loads");
  const settings = [
    own ? `profile=${own}(${JSON.stringify(profile)})` : `preset=${JSON.stringify(preset)}`,
    dialects && `dialect=${JSON.stringify(dialects)}`,
    tools.trim() !== "" && `tools=${tripleQuoted(tools)}`,
  ].filter(Boolean);
  const reader = format === "text" ? "Parser(" : `Session("${format}", `;
  return lines(
    own && `import ${own.split(".")[0]}`,
    "import tagstream",
    "",
    `message = ${JSON.stringify(text)}`,
    `reader = tagstream.${reader}${settings.join(", ")})`,
    "for event in reader.push(message) + reader.finish():",
    "    print(event)",
  );
}

/** As it is, if nothing in it means something to Python. */
const tripleQuoted = (text: string): string => (/\\|"""|"$/.test(text) ? JSON.stringify(text) : `"""${text}"""`);

function rust(input: Input, format: Exclude<Format, "auto">): string {
  const { profile, preset, dialects, tools, text } = input;
  const hasTools = tools.trim() !== "";
  const isPlain = !dialects && !hasTools;
  const names = dialects?.map((name) => `"${name}".to_owned()`).join(", ");
  const source = profile === null ? `Preset::find("${preset}").ok_or("no such preset")?.source()` : "PROFILE";
  return lines(
    format === "text" ? "" : '// In Cargo.toml: tagstream = { version = "0.1", features = ["wire"] }',
    dialects && "use tagstream::calls::DialectChoice;",
    !isPlain && `use tagstream::profile::{self, CallOptions${profile === null ? ", Preset" : ""}};`,
    format !== "text" && "use tagstream::wire::{Format, Session};",
    hasTools && "use tagstream::Tools;",
    "",
    `const MESSAGE: &str = ${stringLiteral(text)};`,
    profile !== null && `const PROFILE: &str = ${stringLiteral(profile)};`,
    hasTools && `const TOOLS: &str = ${stringLiteral(tools)};`,
    "",
    "fn main() -> Result<(), Box<dyn std::error::Error>> {",
    !isPlain && "    let calls = CallOptions::new()",
    dialects && `        .dialect(DialectChoice::List(vec![${names}]))${hasTools ? "" : ";"}`,
    hasTools && "        .tools(Tools::parse(TOOLS)?);",
    isPlain
      ? `    let profile = ${profile === null ? `tagstream::preset("${preset}")?` : "tagstream::profile::parse(PROFILE)?"};`
      : `    let profile = profile::parse_with(${source}, &calls)?.profile;`,
    ...(format === "text"
      ? [
          "    for event in tagstream::events(&profile.compile()?, [MESSAGE]) {",
          '        println!("{event:?}");',
          "    }",
        ]
      : [
          `    let mut session = Session::new(&profile, "${format}".parse::<Format>()?)?;`,
          '    session.push(MESSAGE.as_bytes(), &mut |event| println!("{event:?}"));',
          '    session.finish(&mut |event| println!("{event:?}"));',
        ]),
    "    Ok(())",
    "}",
  ).trimStart();
}

/**
 * What must not be in a raw string: control characters, and those that change the direction of text, which Rust's
 * compiler refuses.
 */
const UNSAFE = /[^\P{Cc}\n\t]|\p{Bidi_Control}/u;

/** A raw string with as many marks as the text needs; an ordinary one for what raw strings forbid. */
function stringLiteral(text: string): string {
  if (UNSAFE.test(text)) {
    const escape = (character: string): string =>
      /["\\]/.test(character) ? `\\${character}` : `\\u{${character.codePointAt(0)!.toString(16)}}`;
    return `"${text.replace(new RegExp(`["\\\\]|${UNSAFE.source}`, "gu"), escape)}"`;
  }
  const runs = Array.from(text.matchAll(/"(#*)/g), ([, marks]) => marks!.length + 1);
  const marks = "#".repeat(Math.max(0, ...runs));
  return `r${marks}"${text}"${marks}`;
}

function shell(input: Input, format: Exclude<Format, "auto">): string {
  const { profile, preset, dialects, tools, text } = input;
  const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;
  const hasTools = tools.trim() !== "";
  const own = profile !== null && `profile.${isJson(profile) ? "json" : "toml"}`;
  const flags = [
    own ? `--profile ${own}` : `--preset ${preset}`,
    dialects && `--dialect ${dialects.join(",")}`,
    hasTools && "--tools tools.json",
    `--from ${format}`,
  ].filter(Boolean);
  return lines(
    own && `printf '%s' ${quoted(profile!)} > ${own}`,
    hasTools && `printf '%s' ${quoted(tools)} > tools.json`,
    `printf '%s' ${quoted(text)} | tagstream events ${flags.join(" ")}`,
  );
}
