//! `tool-parser`: `parse_incremental`, and at the end what it says it has kept. It is asynchronous,
//! but never waits; one future drives a whole message.

use futures::executor::block_on;
use openai_protocol::common::Tool;
use tool_parser::parsers::QwenXmlParser;
use tool_parser::types::ToolCallItem;
use tool_parser::{
    DeepSeekDsmlParser, Glm4MoeParser, KimiK2Parser, MinimaxM2Parser, QwenParser, ToolParser,
};

use super::{Cap, Output};
use crate::calls::scenario;

pub fn reader(parser: &'static str) -> impl Fn(&[&str], Cap, &mut Output) + 'static {
    let tools: Vec<Tool> = serde_json::from_value(scenario::tools()).expect("OpenAI's form");
    move |pieces, cap, output| block_on(read(make(parser), &tools, pieces, cap, output))
}

async fn read(
    mut parser: Box<dyn ToolParser>,
    tools: &[Tool],
    pieces: &[&str],
    cap: Cap,
    output: &mut Output,
) {
    for block in cap.blocks(pieces) {
        for piece in block {
            // An error is a piece that is lost: the check will show it.
            if let Ok(result) = parser.parse_incremental(piece, tools).await {
                output.text(&result.normal_text);
                take(output, &result.calls);
            }
        }
        output.pieces += block.len();
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
