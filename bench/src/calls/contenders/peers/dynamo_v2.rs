//! `dynamo-parsers-v2`: the parsers for tool calls alone, and the unified ones, which are driven
//! through `parse_into` with one buffer, as their documentation recommends for a server.

use dynamo_parsers_v2::{
    Tool, ToolCallDelta, ToolParseResult, UnifiedParserEvent, UnifiedParserOutput,
    create_tool_parser_for_family, create_unified_parser_for_family,
};
use serde_json::Value;

use crate::calls::contenders::{Cap, Reader};
use crate::calls::output::Sink;
use crate::calls::scenario;

pub struct DynamoV2 {
    family: &'static str,
    tools: Vec<Tool>,
}

pub struct DynamoV2Unified(DynamoV2);

impl DynamoV2 {
    pub fn new(family: &'static str) -> Self {
        DynamoV2 {
            family,
            tools: declared(),
        }
    }
}

impl DynamoV2Unified {
    pub fn new(family: &'static str) -> Self {
        DynamoV2Unified(DynamoV2::new(family))
    }
}

impl Reader for DynamoV2 {
    fn read<S: Sink>(&self, chunks: &[&str], cap: Cap, sink: &mut S) {
        let parser = create_tool_parser_for_family(self.family, &self.tools);
        let mut parser = parser.expect("a known family");
        for block in cap.blocks(chunks) {
            for chunk in block {
                take(sink, &parser.push(chunk).expect("text is accepted"));
            }
            sink.chunks(block.len());
        }
        take(sink, &parser.finish().expect("text is accepted"));
    }
}

impl Reader for DynamoV2Unified {
    fn read<S: Sink>(&self, chunks: &[&str], cap: Cap, sink: &mut S) {
        let parser = create_unified_parser_for_family(self.0.family, &self.0.tools);
        let mut parser = parser.expect("a known family");
        let mut buffer = UnifiedParserOutput::default();
        for block in cap.blocks(chunks) {
            for chunk in block {
                let read = parser.parse_into(chunk, &mut buffer);
                read.expect("text is accepted");
                take_unified(sink, &buffer);
                buffer.events.clear();
            }
            sink.chunks(block.len());
        }
        take_unified(sink, &parser.finish().expect("text is accepted"));
    }
}

fn take(sink: &mut impl Sink, result: &ToolParseResult) {
    sink.text(&result.normal_text);
    result.calls.iter().for_each(|call| take_call(sink, call));
}

fn take_unified(sink: &mut impl Sink, events: &UnifiedParserOutput) {
    for event in events {
        match event {
            UnifiedParserEvent::Text(text) | UnifiedParserEvent::Reasoning(text) => {
                sink.text(text);
            }
            UnifiedParserEvent::ToolCall(call) => take_call(sink, call),
            _ => {}
        }
    }
}

fn take_call(sink: &mut impl Sink, call: &ToolCallDelta) {
    sink.part(call.tool_index, call.name.as_deref(), &call.arguments);
}

fn declared() -> Vec<Tool> {
    let tool = |tool: &Value| Tool {
        name: tool["function"]["name"].as_str().unwrap_or("").to_owned(),
        description: None,
        parameters: tool["function"]["parameters"].clone(),
        strict: None,
    };
    let tools = scenario::tools();
    tools.as_array().into_iter().flatten().map(tool).collect()
}
