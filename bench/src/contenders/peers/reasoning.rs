//! `reasoning-parser`: the parser for Qwen 3, in its streaming form.

use reasoning_parser::{ParserResult, Qwen3Parser, ReasoningParser as _};

use crate::contenders::{Reader, Sink};

pub struct ReasoningParser;

impl Reader for ReasoningParser {
    fn read<S: Sink>(&self, chunks: &[&str], sink: &mut S) {
        let mut parser = Qwen3Parser::new();
        for chunk in chunks {
            let result = parser.parse_reasoning_streaming_incremental(chunk);
            take(sink, &result.expect("under its limit of 4 MiB"));
        }
        take(sink, &parser.flush().expect("nothing to refuse"));
    }
}

fn take(sink: &mut impl Sink, result: &ParserResult) {
    sink.thought(result.reasoning_text.as_bytes());
    sink.text(result.normal_text.as_bytes());
}
