//! `dynamo-parsers`: the jail, its only way to read calls while they stream. It takes and gives
//! chunks of a chat completion, so the pieces are put into such, with no more in them than must be.

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

use super::{Cap, Output};
use crate::calls::scenario;

type Chunk = Annotated<CreateChatCompletionStreamResponse>;

pub fn reader(parser: &'static str) -> impl Fn(&[&str], Cap, &mut Output) + 'static {
    let tools = declared();
    move |pieces, cap, output| {
        // The stream must own what it gives.
        let owned: Vec<String> = pieces.iter().map(|&piece| piece.to_owned()).collect();
        let read = Arc::new(AtomicUsize::new(0));
        let input = futures::stream::iter(chunks(owned, cap, Arc::clone(&read)));
        let jail = JailedStream::builder()
            .tool_call_parser(parser)
            .tool_definitions(tools.clone())
            .build();
        let stream = std::pin::pin!(jail.apply(input));
        block_on(stream.for_each(|chunk| {
            take(output, &chunk);
            std::future::ready(())
        }));
        output.pieces = read.load(Relaxed);
    }
}

/// The pieces as chunks, until the time is over, and a last one.
fn chunks(
    pieces: Vec<String>,
    cap: Cap,
    read: Arc<AtomicUsize>,
) -> impl Iterator<Item = Chunk> + Send + 'static {
    let start = cap.start();
    let texts = pieces
        .into_iter()
        .enumerate()
        .map_while(move |(at, piece)| {
            let is_over = at % 1024 == 0 && cap.is_over(start);
            read.store(at + usize::from(!is_over), Relaxed);
            (!is_over).then_some(piece)
        });
    texts
        .map(|text| chunk(Some(text)))
        .chain(std::iter::once_with(|| chunk(None)))
}

fn chunk(text: Option<String>) -> Chunk {
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

fn take(output: &mut Output, chunk: &Chunk) {
    let choices = chunk.data.iter().flat_map(|data| &data.choices);
    for delta in choices.map(|choice| &choice.delta) {
        if let Some(ChatCompletionMessageContent::Text(text)) = &delta.content {
            output.text(text);
        }
        for call in delta.tool_calls.iter().flatten() {
            let Some(function) = &call.function else {
                continue;
            };
            let arguments = function.arguments.as_deref().unwrap_or("");
            output.part(call.index as usize, function.name.as_deref(), arguments);
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
