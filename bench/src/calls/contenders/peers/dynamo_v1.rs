//! `dynamo-parsers`: the jail, its only way to read calls while they stream. It maps a stream of
//! chat completion responses to another one, so each chunk is wrapped in a response with as few
//! fields as possible.

use dynamo_parsers::ToolDefinition;
use dynamo_parsers::jail::{Annotated, JailedStream};
use dynamo_protocols::types::{
    ChatChoiceStream, ChatCompletionMessageContent, ChatCompletionStreamResponseDelta,
    CreateChatCompletionStreamResponse, FinishReason,
};
use futures::StreamExt;
use futures::executor::block_on;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::calls::contenders::{Cap, Reader};
use crate::calls::output::Sink;
use crate::calls::scenario;

type Response = Annotated<CreateChatCompletionStreamResponse>;

pub struct DynamoV1 {
    parser: &'static str,
    tools: Vec<ToolDefinition>,
}

impl DynamoV1 {
    pub fn new(parser: &'static str) -> Self {
        DynamoV1 {
            parser,
            tools: declared(),
        }
    }
}

impl Reader for DynamoV1 {
    fn read<S: Sink>(&self, chunks: &[&str], cap: Cap, sink: &mut S) {
        // The stream must own its items.
        let owned: Vec<String> = chunks.iter().map(|&chunk| chunk.to_owned()).collect();
        let read = Arc::new(AtomicUsize::new(0));
        let input = futures::stream::iter(responses(owned, cap, Arc::clone(&read)));
        let jail = JailedStream::builder()
            .tool_call_parser(self.parser)
            .tool_definitions(self.tools.clone())
            .build();
        let stream = std::pin::pin!(jail.apply(input));
        block_on(stream.for_each(|response| {
            take(sink, &response);
            std::future::ready(())
        }));
        sink.chunks(read.load(Relaxed));
    }
}

/// The chunks as responses, until the time is used up, and a last response.
fn responses(
    chunks: Vec<String>,
    cap: Cap,
    read: Arc<AtomicUsize>,
) -> impl Iterator<Item = Response> + Send + 'static {
    let start = cap.start();
    let texts = chunks
        .into_iter()
        .enumerate()
        .map_while(move |(at, chunk)| {
            let is_over = at % 1024 == 0 && cap.is_over(start);
            read.store(at + usize::from(!is_over), Relaxed);
            (!is_over).then_some(chunk)
        });
    texts
        .map(|text| response(Some(text)))
        .chain(std::iter::once_with(|| response(None)))
}

fn response(text: Option<String>) -> Response {
    let finish_reason = text.is_none().then_some(FinishReason::Stop);
    let choice = ChatChoiceStream {
        index: 0,
        delta: ChatCompletionStreamResponseDelta {
            role: None,
            content: text.map(ChatCompletionMessageContent::Text),
            tool_calls: None,
            function_call: None,
            refusal: None,
            reasoning_content: None,
        },
        finish_reason,
        logprobs: None,
    };
    Annotated {
        data: Some(CreateChatCompletionStreamResponse {
            id: String::new(),
            choices: vec![choice],
            created: 0,
            model: String::new(),
            system_fingerprint: None,
            object: String::new(),
            usage: None,
            service_tier: None,
        }),
        id: None,
        event: None,
        comment: None,
        error: None,
    }
}

fn take(sink: &mut impl Sink, response: &Response) {
    let choices = response.data.iter().flat_map(|data| &data.choices);
    for delta in choices.map(|choice| &choice.delta) {
        if let Some(ChatCompletionMessageContent::Text(text)) = &delta.content {
            sink.text(text);
        }
        for call in delta.tool_calls.iter().flatten() {
            let Some(function) = &call.function else {
                continue;
            };
            let arguments = function.arguments.as_deref().unwrap_or("");
            sink.part(call.index as usize, function.name.as_deref(), arguments);
        }
    }
}

fn declared() -> Vec<ToolDefinition> {
    let tool = |tool: &Value| ToolDefinition {
        name: tool["function"]["name"].as_str().unwrap_or("").to_owned(),
        parameters: Some(tool["function"]["parameters"].clone()),
        strict: None,
    };
    let tools = scenario::tools();
    tools.as_array().into_iter().flatten().map(tool).collect()
}
