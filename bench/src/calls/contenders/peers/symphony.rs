//! `smg-symphony`: the table that it ships for the format, with the request's tools, which type the
//! values. Its events are drained after each chunk, as its documentation describes. There is no
//! tokenizer here, so the deltas have no token spans and nothing counts tokens.

use openai_protocol::common::Tool;
use symphony::formats::Table;
use symphony::{Declared, EngineFinish, Event, Events, Input, Parser};

use crate::calls::contenders::{Cap, Reader};
use crate::calls::output::Sink;
use crate::calls::scenario;

pub struct Symphony {
    table: Table,
    declared: Declared,
}

impl Symphony {
    pub fn new(table: &str) -> Self {
        let tools: Vec<Tool> = serde_json::from_value(scenario::tools()).expect("OpenAI's form");
        Symphony {
            table: Table::named(table).expect("a known table"),
            declared: Declared::of(&tools),
        }
    }
}

impl Reader for Symphony {
    fn read<S: Sink>(&self, chunks: &[&str], cap: Cap, sink: &mut S) {
        let mut engine = symphony::Engine::new(self.table.format(), self.declared.clone());
        let mut events = Events::new();
        for block in cap.blocks(chunks) {
            for text in block {
                let delta = Input::Delta {
                    token_ids: &[],
                    text,
                    spans: &[],
                };
                engine.feed(delta, &mut events).expect("no limit is set");
                take(sink, &mut events);
            }
            sink.chunks(block.len());
        }
        let end = Input::End {
            finish: EngineFinish::Stop,
        };
        engine.feed(end, &mut events).expect("the stream is open");
        take(sink, &mut events);
    }
}

fn take(sink: &mut impl Sink, events: &mut Events) {
    for event in events.drain() {
        match event {
            // Its adapters show malformed text as content.
            Event::Content(text) | Event::Reasoning(text) | Event::Malformed { text, .. } => {
                sink.text(&text.text);
            }
            Event::ToolCallStart { index, name, .. } => {
                sink.part(index as usize, Some(&name), "");
            }
            Event::ToolCallArguments { index, json, .. } => {
                sink.part(index as usize, None, &json);
            }
            _ => {}
        }
    }
}
