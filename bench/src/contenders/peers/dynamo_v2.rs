//! `dynamo-parsers-v2`: the unified parser for Qwen 3, driven through `parse_into` with one buffer,
//! as its documentation recommends for a server.

use dynamo_parsers_v2::{
    UnifiedParserEvent, UnifiedParserOutput, create_unified_parser_for_family,
};

use crate::contenders::{Reader, Sink};

pub struct DynamoV2;

impl Reader for DynamoV2 {
    fn read<S: Sink>(&self, chunks: &[&str], sink: &mut S) {
        let mut parser = create_unified_parser_for_family("qwen3", &[]).expect("a known family");
        let mut output = UnifiedParserOutput::default();
        for chunk in chunks {
            parser
                .parse_into(chunk, &mut output)
                .expect("text is accepted");
            take(sink, &output);
            output.events.clear();
        }
        take(sink, &parser.finish().expect("text is accepted"));
    }
}

fn take(sink: &mut impl Sink, output: &UnifiedParserOutput) {
    for event in output {
        match event {
            UnifiedParserEvent::Text(text) => sink.text(text.as_bytes()),
            UnifiedParserEvent::Reasoning(text) => sink.thought(text.as_bytes()),
            UnifiedParserEvent::ToolCall(call) => sink.markup(call.arguments.as_bytes()),
            UnifiedParserEvent::MessageStart(_) | UnifiedParserEvent::MessageEnd => {}
        }
    }
}
