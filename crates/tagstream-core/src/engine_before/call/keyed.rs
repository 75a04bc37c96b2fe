//! JSON in which the name of the call is a key, and its value the arguments.

use super::super::reader::Reader;
use super::state::Field;
use crate::check::CallErrorCode;
use crate::event::Sink;
use crate::json::escapes::unescaped;

impl<S: Sink> Reader<'_, S> {
    /// A key of the object has been read.
    pub(super) fn name_is_key(&mut self) {
        let call = &mut self.calls().call;
        call.json.field = Field::Arguments;
        let key = unescaped(&call.json.key).unwrap_or_default().into_owned();
        if self.state.hold.is_some() {
            self.calls().call.name = key;
            return self.probed();
        }
        match self.calls_ref().call.name.is_empty() {
            true => {
                self.plain(self.at);
                self.accept_name(&key, self.at);
            }
            false => self.refuse_second_key(&key),
        }
    }

    fn refuse_second_key(&mut self, key: &str) {
        let call = &mut self.calls().call;
        call.json.field = Field::Other;
        let message = format!(
            "`{key}` stands beside `{}`: an object may name one tool; write one for each call",
            call.name
        );
        call.problem(CallErrorCode::MalformedCall, None, message);
    }
}
