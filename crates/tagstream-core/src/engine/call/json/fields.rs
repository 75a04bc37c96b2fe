//! What the keys of an object say: the name of the call, its id and its arguments.

use super::Json;
use crate::check::CallErrorCode;
use crate::engine::call::envelope::Field;
use crate::engine::call::{JsonArguments, finish};
use crate::engine::context::Context;
use crate::engine::frame::Place;

const WRONG_ESCAPE: &str =
    "the name of the tool has an escape that is not JSON; write it without escapes";
const WRONG_ID: &str = "the id has an escape that is not JSON; write it without escapes";

impl Json {
    /// What has been said of a call cannot be said otherwise by the same key again.
    pub(super) fn refuse_second_field(&mut self, field: Field, cx: &mut Context<'_>) {
        let call = &mut cx.store_mut().call;
        let (what, is_said) = match field {
            Field::Name => ("its name", !call.name.is_empty()),
            Field::Arguments => ("its arguments", self.json.has_arguments()),
            _ => return,
        };
        // law: second-field
        if is_said {
            self.json.ignore_field();
            let message = format!("the call gives {what} twice; give it once");
            self.refuse_here(CallErrorCode::MalformedCall, &message, cx);
        }
    }

    pub(super) fn id(&mut self, cx: &mut Context<'_>) {
        if cx.store().call.is_started {
            return;
        }
        match self.json.text() {
            Some(id) => cx.store_mut().call.id = id,
            None => self.refuse_here(CallErrorCode::InvalidJson, WRONG_ID, cx),
        }
    }

    pub(super) fn name(&mut self, cx: &mut Context<'_>) {
        if cx.store().call.is_started {
            return;
        }
        let Some(name) = self.json.text() else {
            return cx.refuse(CallErrorCode::InvalidJson, None, WRONG_ESCAPE);
        };
        if name.is_empty() {
            return;
        }
        self.plain(cx.reading.at, cx);
        finish::accept_name(&name, cx.reading.at, cx);
        // Arguments that came before the name have waited for it.
        let has_waited = !self.is_unsaid(&cx.store().call.raw);
        if has_waited && cx.store().call.is_started {
            let text = self.text(&cx.store().call.raw).to_owned();
            cx.emit_earlier_json(&text);
        }
    }

    /// A key has been read that is the name of the call.
    pub(super) fn key_is_name(&mut self, cx: &mut Context<'_>) {
        let Some(key) = self.json.text() else {
            return cx.refuse(CallErrorCode::InvalidJson, None, WRONG_ESCAPE);
        };
        if key.is_empty() {
            return cx.refuse(CallErrorCode::MalformedCall, None, finish::NAMELESS_KEY);
        }
        if cx.store().call.name.is_empty() {
            self.plain(cx.reading.at, cx);
            return finish::accept_name(&key, cx.reading.at, cx);
        }
        self.json.ignore_field();
        let message = format!(
            "`{key}` comes beside `{}`: an object may name one tool; write one for each call",
            cx.store().call.name
        );
        self.refuse_here(CallErrorCode::MalformedCall, &message, cx);
    }

    /// Refuses the call after its text so far has been kept: the text may be too long, and the order of
    /// problems must not depend on the cut.
    pub(super) fn refuse_here(&mut self, code: CallErrorCode, message: &str, cx: &mut Context<'_>) {
        self.plain(cx.reading.at, cx);
        cx.refuse(code, None, message);
    }
}
