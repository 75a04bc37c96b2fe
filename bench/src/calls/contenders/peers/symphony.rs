//! `smg-symphony`: the table that it ships for the format, with the request's tools, which type the
//! values. Its events are drained after each chunk, as its documentation describes. There is no
//! tokenizer here, so the deltas have no token spans and nothing counts tokens.

use openai_protocol::common::Tool;
use symphony::formats::Table;
use symphony::{Declared, EngineFinish, Event, Events, Input, Parser};

use crate::calls::contenders::Cap;
use crate::calls::output::Output;
use crate::calls::scenario;

pub fn reader(table: &'static str) -> impl Fn(&[&str], Cap, &mut Output) + 'static {
    let tools: Vec<Tool> = serde_json::from_value(scenario::tools()).expect("OpenAI's form");
    let declared = Declared::of(&tools);
    let table = Table::named(table).expect("a known table");
    move |chunks, cap, output| {
        let mut engine = symphony::Engine::new(table.format(), declared.clone());
        let mut events = Events::new();
        for block in cap.blocks(chunks) {
            for text in block {
                let delta = Input::Delta {
                    token_ids: &[],
                    text,
                    spans: &[],
                };
                engine.feed(delta, &mut events).expect("no limit is set");
                take(output, &mut events);
            }
            output.chunks += block.len();
        }
        let end = Input::End {
            finish: EngineFinish::Stop,
        };
        engine.feed(end, &mut events).expect("the stream is open");
        take(output, &mut events);
    }
}

fn take(output: &mut Output, events: &mut Events) {
    for event in events.drain() {
        match event {
            // Its adapters show malformed text as content.
            Event::Content(text) | Event::Reasoning(text) | Event::Malformed { text, .. } => {
                output.text(&text.text);
            }
            Event::ToolCallStart { index, name, .. } => {
                output.part(index as usize, Some(&name), "");
            }
            Event::ToolCallArguments { index, json, .. } => {
                output.part(index as usize, None, &json);
            }
            _ => {}
        }
    }
}
