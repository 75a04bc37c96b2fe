//! The content blocks of a provider's stream.

use super::Blocks;
use crate::failure::Failure;
use crate::output::Output;
use crate::problems::Problems;
use crate::stream::View;
use std::collections::BTreeMap;
use tagstream::view::buffer::BufferOptions;
use tagstream::{Event, EventKind, NoticeCode};
use tagstream_wire::{WireEvent, WireKind};

/// Each text, thought and native call of a choice is a block, numbered in the order of the stream.
pub(super) struct Provider {
    options: BufferOptions,
    choices: BTreeMap<u64, Choice>,
    is_cut_off: bool,
}

struct Choice {
    blocks: Blocks,
    next: u64,
    /// The block of the text that is open.
    text: Option<u64>,
    /// The blocks of native calls that are open, by the number of the call.
    calls: BTreeMap<u64, Call>,
}

struct Call {
    block: u64,
    has_arguments: bool,
}

impl Provider {
    pub(super) fn new(options: BufferOptions) -> Result<Self, Failure> {
        let first = Choice::new(&options, 0)?;
        Ok(Provider {
            options,
            choices: BTreeMap::from([(0, first)]),
            is_cut_off: false,
        })
    }
}

impl View for Provider {
    const REPORTS_PROBLEMS: bool = true;

    fn event(&mut self, _event: Event<'_>, _out: &mut Output) {}

    fn wire(&mut self, event: &WireEvent<'_>, out: &mut Output) {
        let WireKind::Message(kind) = event.event else {
            return;
        };
        if let EventKind::Notice { code, .. } = kind {
            self.is_cut_off |= code == NoticeCode::TruncatedStream;
        }
        let options = &self.options;
        let choice = self.choices.entry(event.choice).or_insert_with(|| {
            // The same options have made a buffer before.
            Choice::new(options, event.choice)
                .unwrap_or_else(|_| unreachable!("the options are valid"))
        });
        choice.event(&kind, event.span.is_none(), out);
    }

    /// The buffer reports calls that are wrong, with more words.
    fn reports(&self, event: &WireEvent<'_>) -> bool {
        matches!(event.event, WireKind::Message(EventKind::CallError { .. }))
    }

    fn problems(&mut self, problems: &mut Problems) {
        for choice in self.choices.values_mut() {
            choice.blocks.report(problems);
        }
    }

    fn is_over(&self) -> bool {
        self.choices.values().any(|choice| choice.blocks.is_over())
    }

    fn finished(&mut self, out: &mut Output) {
        for choice in self.choices.values_mut() {
            if !self.is_cut_off {
                choice.stop_text(out);
            }
            choice.blocks.end();
        }
    }
}

impl Choice {
    fn new(options: &BufferOptions, choice: u64) -> Result<Self, Failure> {
        Ok(Choice {
            blocks: Blocks::new(options, choice)?,
            next: 0,
            text: None,
            calls: BTreeMap::new(),
        })
    }

    fn event(&mut self, kind: &EventKind<'_>, is_native: bool, out: &mut Output) {
        match *kind {
            EventKind::Text(text) => self.text(text),
            EventKind::ThoughtStart { .. } if is_native => {
                self.stop_text(out);
                self.number();
            }
            EventKind::CallStart {
                index, id, name, ..
            } => {
                self.stop_text(out);
                let block = self.number();
                self.blocks.start(block, name, Some(id));
                let has_arguments = false;
                self.calls.insert(
                    index,
                    Call {
                        block,
                        has_arguments,
                    },
                );
            }
            EventKind::CallDelta { index, text, .. } => self.arguments(index, text),
            EventKind::CallEnd {
                index, arguments, ..
            } => {
                if self
                    .calls
                    .get(&index)
                    .is_some_and(|call| !call.has_arguments)
                {
                    self.arguments(index, arguments);
                }
                self.stop_call(index, out);
            }
            EventKind::CallError { index, code, .. }
                if code != tagstream::CallErrorCode::IncompleteCall =>
            {
                self.stop_call(index, out);
            }
            _ => {}
        }
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    fn text(&mut self, text: &str) {
        let block = match self.text {
            Some(block) => block,
            None => self.number(),
        };
        self.text = Some(block);
        self.blocks.push(block, text, None);
    }

    fn stop_text(&mut self, out: &mut Output) {
        if let Some(block) = self.text.take() {
            self.blocks.stop(block, out);
        }
    }

    fn arguments(&mut self, index: u64, text: &str) {
        if let Some(call) = self.calls.get_mut(&index) {
            call.has_arguments = true;
            self.blocks.push(call.block, text, None);
        }
    }

    fn stop_call(&mut self, index: u64, out: &mut Output) {
        if let Some(call) = self.calls.remove(&index) {
            self.blocks.stop(call.block, out);
        }
    }
}
