//! `dynamo-parsers`: the reasoning parser for Qwen, in its streaming form.

use dynamo_parsers::{ParserResult, ReasoningParser, ReasoningParserType};

use crate::contenders::{Reader, Sink};

pub struct DynamoV1;

impl Reader for DynamoV1 {
    fn read<S: Sink>(&self, chunks: &[&str], sink: &mut S) {
        let mut parser = ReasoningParserType::Qwen.get_reasoning_parser();
        for chunk in chunks {
            take(
                sink,
                &parser.parse_reasoning_streaming_incremental(chunk, &[]),
            );
        }
        take(sink, &parser.finish_reasoning_stream());
    }
}

fn take(sink: &mut impl Sink, result: &ParserResult) {
    sink.thought(result.reasoning_text.as_bytes());
    sink.text(result.normal_text.as_bytes());
}
