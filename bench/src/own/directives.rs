//! What code handling costs the directive list: instructions, counted by callgrind. On messages
//! without code there is a bound.

use std::hint::black_box;

use tagstream::view::directives::{Directives, Registry};
use tagstream::{CodeStyle, Profile, ToolSignature};

use crate::instructions::callgrind;

/// Small enough for callgrind to be quick, and long enough for a steady figure.
const SIZE: usize = 256 << 10;
const CHUNK: usize = 64;
/// The most that code handling may cost on messages without code.
const MOST: f64 = 1.10;

/// What a message consists of besides prose.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum Kind {
    Prose,
    Directives,
    Code,
    CodeAndDirectives,
}

impl Kind {
    const ALL: [Kind; 4] = [
        Kind::Prose,
        Kind::Directives,
        Kind::Code,
        Kind::CodeAndDirectives,
    ];

    fn name(self) -> &'static str {
        match self {
            Kind::Prose => "prose",
            Kind::Directives => "directives",
            Kind::Code => "code",
            Kind::CodeAndDirectives => "code-and-directives",
        }
    }

    fn has_code(self) -> bool {
        matches!(self, Kind::Code | Kind::CodeAndDirectives)
    }

    fn has_directives(self) -> bool {
        matches!(self, Kind::Directives | Kind::CodeAndDirectives)
    }
}

const PROSE: [&str; 4] = [
    "The loop runs while a < b, and every step halves the rest; that is why it ends.\n",
    "Read the file first, then change the two lines that name the port, and nothing else.\n\n",
    "- one: the parser keeps its place between chunks\n- two: Vec<T> is no tag here\n",
    "It's fine & small: 3 > 2, x/y, caf\u{e9}, \"quoted\" text (and more of it).\n",
];

const USES: [&str; 3] = [
    "<log_message>\n<message>three files changed</message>\n<level>info</level>\n</log_message>\n",
    "<read_file>\n<path>src/main.rs</path>\n</read_file>\n",
    "<write_to_file>\n<path>src/port.rs</path>\n<content>\nconst PORT: u16 = 8080;\nfn main() { if 1 < 2 {} }\n</content>\n</write_to_file>\n",
];

const CODE: [&str; 3] = [
    "Call `read_file` first, then ``cat `ls` `` in a shell.\n",
    "```rust\nfn main() {\n    let a: Vec<u8> = b\"<x>\".to_vec();\n    assert!(a.len() < 4);\n}\n```\n",
    "~~~\n<log_message>\n<message>an example</message>\n</log_message>\n~~~\n\n",
];

/// The tools of the preset `roo`, with the parameters that the message uses.
const TOOLS: [&str; 18] = [
    "execute_command",
    "read_file",
    "write_to_file",
    "apply_diff",
    "insert_content",
    "search_and_replace",
    "search_files",
    "list_files",
    "list_code_definition_names",
    "browser_action",
    "use_mcp_tool",
    "access_mcp_resource",
    "ask_followup_question",
    "attempt_completion",
    "switch_mode",
    "new_task",
    "fetch_instructions",
    "codebase_search",
];

/// Prints the figures.
///
/// # Errors
/// Code handling costs more than it may, or valgrind cannot be run.
pub fn print() -> Result<(), String> {
    println!("the directive list in chunks of {CHUNK} bytes, asked after each; instructions/byte");
    println!(
        "{:<20} {:>10} {:>10} {:>7}",
        "message", "none", "markdown", "ratio"
    );
    let mut too_much = Vec::new();
    for kind in Kind::ALL {
        let name = kind.name();
        let (none, markdown) = (per_byte(name, "none")?, per_byte(name, "markdown")?);
        let ratio = markdown / none;
        let verdict = if kind.has_code() {
            ""
        } else if ratio <= MOST {
            "ok"
        } else {
            "too much"
        };
        println!("{name:<20} {none:>10.3} {markdown:>10.3} {ratio:>7.3}  {verdict}");
        too_much.extend((verdict == "too much").then_some(name));
    }
    if too_much.is_empty() {
        return Ok(());
    }
    Err(format!(
        "code handling may take {MOST} times the instructions on messages without code, and takes \
         more for: {}",
        too_much.join(", ")
    ))
}

/// The difference of two runs, so that start-up and making the message do not count.
fn per_byte(message: &str, code: &str) -> Result<f64, String> {
    let run = |times: &str| callgrind(&["repeat-directives", message, code, times]);
    let (few, many) = (run("1")?, run("5")?);
    Ok((many - few) as f64 / 4.0 / SIZE as f64)
}

/// Makes the list `times` times, for callgrind to count.
pub fn repeat(kind: Kind, code: &str, times: usize) -> Result<(), String> {
    let text = text(kind);
    let registry = registry(code)?;
    let chunks = chunks(&text);
    for _ in 0..times {
        let mut directives = Directives::new(&registry);
        let mut shown = 0;
        for chunk in &chunks {
            directives.push(black_box(chunk));
            let last = directives.directives().last();
            shown += last.map_or(0, |directive| directive.content().len());
        }
        directives.finish();
        black_box((shown, directives.directives().len()));
    }
    Ok(())
}

fn registry(code: &str) -> Result<Registry, String> {
    let tools = TOOLS.map(|name| ToolSignature::new(name, ["path", "content"]));
    let profile: Profile = Directives::profile(tools).code(match code {
        "none" => CodeStyle::None,
        _ => CodeStyle::Markdown,
    });
    Registry::new(&profile).map_err(|error| error.to_string())
}

fn text(kind: Kind) -> String {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < SIZE {
        text.push_str(PROSE[number % PROSE.len()]);
        if kind.has_code() && number % 3 == 1 {
            text.push_str(CODE[number / 3 % CODE.len()]);
        }
        if kind.has_directives() && number % 3 == 2 {
            text.push_str(USES[number / 3 % USES.len()]);
        }
        number += 1;
    }
    text
}

fn chunks(text: &str) -> Vec<&str> {
    let mut chunks = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.floor_char_boundary(CHUNK));
        chunks.push(chunk);
        rest = after;
    }
    chunks
}
