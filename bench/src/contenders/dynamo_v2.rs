//! `dynamo-parsers-v2`: the unified parser for Qwen 3, driven as its documentation says a server
//! should, through `parse_into` with one buffer.

use dynamo_parsers_v2::{
    UnifiedParserEvent, UnifiedParserOutput, create_unified_parser_for_family,
};

use super::Tally;

pub fn run(pieces: &[&str]) -> Tally {
    let mut tally = Tally::default();
    let mut parser = create_unified_parser_for_family("qwen3", &[]).expect("a known family");
    let mut output = UnifiedParserOutput::default();
    for piece in pieces {
        parser
            .parse_into(piece, &mut output)
            .expect("text is accepted");
        take(&mut tally, &output);
        output.events.clear();
    }
    take(&mut tally, &parser.finish().expect("text is accepted"));
    tally
}

fn take(tally: &mut Tally, output: &UnifiedParserOutput) {
    for event in output {
        match event {
            UnifiedParserEvent::Text(text) => tally.text(text.as_bytes()),
            UnifiedParserEvent::Reasoning(text) => tally.thought(text.as_bytes()),
            UnifiedParserEvent::ToolCall(call) => tally.rest(call.arguments.as_bytes()),
            UnifiedParserEvent::MessageStart(_) | UnifiedParserEvent::MessageEnd => {}
        }
    }
}
