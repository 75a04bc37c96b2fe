//! `dynamo-parsers-v2`: the parsers for tool calls alone, and the unified ones, which are driven
//! through `parse_into` with one buffer, as their documentation recommends for a server.

use dynamo_parsers_v2::{
    Tool, ToolCallDelta, ToolParseResult, UnifiedParserEvent, UnifiedParserOutput,
    create_tool_parser_for_family, create_unified_parser_for_family,
};
use serde_json::Value;

use crate::calls::contenders::Cap;
use crate::calls::output::Output;
use crate::calls::scenario;

pub fn tools(family: &'static str) -> impl Fn(&[&str], Cap, &mut Output) + 'static {
    let tools = declared();
    move |chunks, cap, output| {
        let mut parser = create_tool_parser_for_family(family, &tools).expect("a known family");
        for block in cap.blocks(chunks) {
            for chunk in block {
                take(output, &parser.push(chunk).expect("text is accepted"));
            }
            output.chunks += block.len();
        }
        take(output, &parser.finish().expect("text is accepted"));
    }
}

pub fn unified(family: &'static str) -> impl Fn(&[&str], Cap, &mut Output) + 'static {
    let tools = declared();
    move |chunks, cap, output| {
        let mut parser = create_unified_parser_for_family(family, &tools).expect("a known family");
        let mut buffer = UnifiedParserOutput::default();
        for block in cap.blocks(chunks) {
            for chunk in block {
                let read = parser.parse_into(chunk, &mut buffer);
                read.expect("text is accepted");
                take_unified(output, &buffer);
                buffer.events.clear();
            }
            output.chunks += block.len();
        }
        take_unified(output, &parser.finish().expect("text is accepted"));
    }
}

fn take(output: &mut Output, result: &ToolParseResult) {
    output.text(&result.normal_text);
    result.calls.iter().for_each(|call| take_call(output, call));
}

fn take_unified(output: &mut Output, events: &UnifiedParserOutput) {
    for event in events {
        match event {
            UnifiedParserEvent::Text(text) | UnifiedParserEvent::Reasoning(text) => {
                output.text(text);
            }
            UnifiedParserEvent::ToolCall(call) => take_call(output, call),
            _ => {}
        }
    }
}

fn take_call(output: &mut Output, call: &ToolCallDelta) {
    output.part(call.tool_index, call.name.as_deref(), &call.arguments);
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
