//! `reasoning-parser`: the parser for Qwen 3, in its streaming form.

use reasoning_parser::{ParserResult, Qwen3Parser, ReasoningParser};

use super::Tally;

pub fn run(pieces: &[&str]) -> Tally {
    let mut tally = Tally::default();
    let mut parser = Qwen3Parser::new();
    for piece in pieces {
        let result = parser.parse_reasoning_streaming_incremental(piece);
        take(&mut tally, &result.expect("under its limit of 4 MiB"));
    }
    take(&mut tally, &parser.flush().expect("nothing to refuse"));
    tally
}

fn take(tally: &mut Tally, result: &ParserResult) {
    tally.thought(result.reasoning_text.as_bytes());
    tally.text(result.normal_text.as_bytes());
}
