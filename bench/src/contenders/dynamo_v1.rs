//! `dynamo-parsers`: the reasoning parser for Qwen, in its streaming form.

use dynamo_parsers::{ParserResult, ReasoningParser, ReasoningParserType};

use super::Tally;

pub fn run(pieces: &[&str]) -> Tally {
    let mut tally = Tally::default();
    let mut parser = ReasoningParserType::Qwen.get_reasoning_parser();
    for piece in pieces {
        take(
            &mut tally,
            &parser.parse_reasoning_streaming_incremental(piece, &[]),
        );
    }
    take(&mut tally, &parser.finish_reasoning_stream());
    tally
}

fn take(tally: &mut Tally, result: &ParserResult) {
    tally.thought(result.reasoning_text.as_bytes());
    tally.text(result.normal_text.as_bytes());
}
