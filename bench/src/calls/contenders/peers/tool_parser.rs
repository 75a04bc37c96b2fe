//! `tool-parser`: `parse_incremental`, and at the end what it reports as not yet streamed. It is
//! asynchronous but never waits, so one future drives a whole message.

use futures::executor::block_on;
use openai_protocol::common::Tool;
use tool_parser::parsers::QwenXmlParser;
use tool_parser::types::ToolCallItem;
use tool_parser::{
    DeepSeekDsmlParser, Glm4MoeParser, KimiK2Parser, MinimaxM2Parser, QwenParser,
    ToolParser as AnyParser,
};

use crate::calls::contenders::{Cap, Reader};
use crate::calls::output::Sink;
use crate::calls::scenario;

pub struct ToolParser {
    parser: &'static str,
    tools: Vec<Tool>,
}

impl ToolParser {
    pub fn new(parser: &'static str) -> Self {
        let tools = serde_json::from_value(scenario::tools()).expect("OpenAI's form");
        ToolParser { parser, tools }
    }
}

impl Reader for ToolParser {
    fn read<S: Sink>(&self, chunks: &[&str], cap: Cap, sink: &mut S) {
        block_on(read(make(self.parser), &self.tools, chunks, cap, sink));
    }
}

async fn read(
    mut parser: Box<dyn AnyParser>,
    tools: &[Tool],
    chunks: &[&str],
    cap: Cap,
    sink: &mut impl Sink,
) {
    for block in cap.blocks(chunks) {
        for chunk in block {
            // An error loses the chunk, which the check of the result reveals.
            if let Ok(result) = parser.parse_incremental(chunk, tools).await {
                sink.text(&result.normal_text);
                take(sink, &result.calls);
            }
        }
        sink.chunks(block.len());
    }
    take(sink, &parser.get_unstreamed_tool_args().unwrap_or_default());
    sink.text(&parser.take_unstreamed_normal_text());
}

fn take(sink: &mut impl Sink, calls: &[ToolCallItem]) {
    for call in calls {
        sink.part(call.tool_index, call.name.as_deref(), &call.parameters);
    }
}

fn make(parser: &str) -> Box<dyn AnyParser> {
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
