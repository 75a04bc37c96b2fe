//! `tool-parser`: `parse_incremental`, and at the end what it reports as not yet streamed. It is
//! asynchronous but never waits, so one future drives a whole message.

use futures::executor::block_on;
use openai_protocol::common::Tool;
use tool_parser::parsers::QwenXmlParser;
use tool_parser::types::ToolCallItem;
use tool_parser::{
    DeepSeekDsmlParser, Glm4MoeParser, KimiK2Parser, MinimaxM2Parser, QwenParser, ToolParser,
};

use crate::calls::contenders::Cap;
use crate::calls::output::Output;
use crate::calls::scenario;

pub fn reader(parser: &'static str) -> impl Fn(&[&str], Cap, &mut Output) + 'static {
    let tools: Vec<Tool> = serde_json::from_value(scenario::tools()).expect("OpenAI's form");
    move |chunks, cap, output| block_on(read(make(parser), &tools, chunks, cap, output))
}

async fn read(
    mut parser: Box<dyn ToolParser>,
    tools: &[Tool],
    chunks: &[&str],
    cap: Cap,
    output: &mut Output,
) {
    for block in cap.blocks(chunks) {
        for chunk in block {
            // An error loses the chunk, which the check of the result reveals.
            if let Ok(result) = parser.parse_incremental(chunk, tools).await {
                output.text(&result.normal_text);
                take(output, &result.calls);
            }
        }
        output.chunks += block.len();
    }
    take(
        output,
        &parser.get_unstreamed_tool_args().unwrap_or_default(),
    );
    output.text(&parser.take_unstreamed_normal_text());
}

fn take(output: &mut Output, calls: &[ToolCallItem]) {
    for call in calls {
        output.part(call.tool_index, call.name.as_deref(), &call.parameters);
    }
}

fn make(parser: &str) -> Box<dyn ToolParser> {
    match parser {
        "qwen_xml" => Box::new(QwenXmlParser::new()),
        "glm47_moe" => Box::new(Glm4MoeParser::glm47()),
        "minimax_m2" => Box::new(MinimaxM2Parser::new()),
        "deepseek_v4" => Box::new(DeepSeekDsmlParser::v4()),
        "kimik2" => Box::new(KimiK2Parser::new()),
        "qwen" => Box::new(QwenParser::new()),
        _ => panic!("no parser {parser}"),
    }
}
