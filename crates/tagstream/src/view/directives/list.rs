//! The list of directives, kept up to date event by event.

use super::grown::{Grown, Space, is_white};
use super::model::{Directive, LOG, Level, Notice, Refusal, What};
use crate::CallErrorCode;
use crate::json_entries;
use crate::{ElementView, Event, EventKind, NoticeCode, Span};
use std::sync::Arc;

/// A list of directives: made from the events of any engine or stream.
///
/// [`Directives`](super::Directives) is one with an engine of its own.
#[derive(Clone, Debug, Default)]
pub struct DirectiveList {
    list: Vec<Directive>,
    notices: Vec<Notice>,
    /// The parameters that keep their white space.
    verbatim: Arc<[String]>,
    /// The index of the growing text.
    text: Option<usize>,
    /// The index of the open thought.
    thought: Option<usize>,
    /// The open calls: the number and the index of each.
    calls: Vec<(u64, usize)>,
    /// The open elements, outermost first: the number and the index of each.
    elements: Vec<(u64, usize)>,
    value: Option<OpenValue>,
    /// What the last event added to, if that is the text of an element.
    growing: Option<Growing>,
    /// The index of the first directive that has changed.
    changed: usize,
    /// How many bytes have been looked at here, counting each time.
    looked: usize,
}

/// The growing value.
#[derive(Clone, Copy, Debug)]
struct OpenValue {
    directive: usize,
    param: usize,
    /// Its end in the message so far. What does not start there is another value.
    end: u64,
}

/// The text of an element that may continue to grow.
#[derive(Clone, Copy, Debug)]
struct Growing {
    element: u64,
    directive: usize,
    /// The part; `None` for text outside of parts.
    param: Option<usize>,
}

impl DirectiveList {
    /// Takes the next event.
    pub fn event(&mut self, event: Event<'_>) {
        self.show_all();
        match event.kind {
            EventKind::Text(text) => self.add_text(text),
            EventKind::ThoughtStart { .. } => self.thought = Some(self.begin(What::Thought, "")),
            EventKind::Thought(text) => self.add_thought(text),
            EventKind::ThoughtEnd { closed, .. } => self.end_thought(closed),
            EventKind::CallStart { index, name, .. } => self.start_call(index, name),
            EventKind::CallDelta {
                index,
                argument: Some(argument),
                text,
                ..
            } => self.add_argument(index, argument, text, event.span),
            EventKind::CallEnd {
                index, arguments, ..
            } => self.end_call(index, arguments),
            EventKind::CallError { .. } => self.refuse_call(&event.kind),
            EventKind::ElementStart {
                id,
                name,
                attributes,
                ..
            } => self.start_element(id, name, attributes.raw()),
            EventKind::ElementDelta { id, part, text, .. } => {
                self.add_part(id, part, text, event.span);
            }
            EventKind::ElementEnd(view) => self.end_element(&view),
            EventKind::Notice { code, message, .. } => self.notice(code, message.to_owned()),
            _ => {}
        }
    }
}

impl DirectiveList {
    pub(super) fn new(verbatim: Arc<[String]>) -> Self {
        DirectiveList {
            verbatim,
            ..Self::default()
        }
    }

    /// All directives so far, in the order of the message.
    #[must_use]
    pub fn directives(&self) -> &[Directive] {
        &self.list
    }

    /// The index of the first directive that is new or has changed since
    /// [`mark_read`](Self::mark_read); the length of the list if there is none.
    #[must_use]
    pub fn first_changed(&self) -> usize {
        self.changed
    }

    /// Marks all changes so far as read.
    pub fn mark_read(&mut self) {
        self.changed = self.list.len();
    }

    /// Omits what may be the start of a tag at the end of the growing text. Call it after each
    /// chunk with the open elements of the engine or the stream. If the omitted bytes are text, the
    /// next event shows them again.
    ///
    /// [`Directives`](super::Directives) calls it itself.
    pub fn leave_off<'a>(&mut self, open: impl IntoIterator<Item = ElementView<'a>>) {
        let Some(growing) = self.growing else { return };
        let mut open = open.into_iter();
        if let Some(view) = open.find(|view| view.id == growing.element) {
            let shown = match growing.param {
                Some(_) => view
                    .parts
                    .len()
                    .checked_sub(1)
                    .and_then(|last| view.parts.get(last))
                    .map(|part| part.text),
                None => view.body,
            };
            let length = shown.map_or(usize::MAX, str::len);
            self.looked += self.text_of(growing).omit_after(length);
        }
    }

    /// Something else follows what might have been the start of a tag.
    fn show_all(&mut self) {
        if let Some(growing) = self.growing.take()
            && self.text_of(growing).show_all()
        {
            self.touch(growing.directive);
        }
    }

    fn text_of(&mut self, growing: Growing) -> &mut Grown {
        let directive = &mut self.list[growing.directive];
        match growing.param {
            Some(param) => directive.params.value_mut(param),
            None => &mut directive.content,
        }
    }

    /// Ends the message: its last text is no longer partial. What was cut off stays partial.
    pub fn end(&mut self) {
        self.end_text();
    }

    /// The notices since the last call of this method.
    pub fn notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    pub(super) fn looked(&self) -> usize {
        self.looked
    }

    pub(super) fn into_directives(self) -> Vec<Directive> {
        self.list
    }

    /// Begins a directive, which ends the text before it.
    fn begin(&mut self, what: What, name: &str) -> usize {
        self.end_text();
        self.list.push(Directive::new(what, name));
        self.list.len() - 1
    }

    fn touch(&mut self, place: usize) -> &mut Directive {
        self.changed = self.changed.min(place);
        &mut self.list[place]
    }

    fn notice(&mut self, code: NoticeCode, message: String) {
        self.notices.push(Notice { code, message });
    }

    // Text and thoughts.

    /// White space alone is not a directive.
    fn add_text(&mut self, text: &str) {
        let place = match self.text {
            Some(place) => place,
            None if text.chars().all(is_white) => return,
            None => self.begin(What::Text, ""),
        };
        self.text = Some(place);
        self.looked += self.touch(place).content.push(text);
    }

    fn end_text(&mut self) {
        if let Some(place) = self.text.take() {
            self.touch(place).partial = false;
        }
    }

    fn add_thought(&mut self, text: &str) {
        if let Some(place) = self.thought {
            self.looked += self.touch(place).content.push(text);
        }
    }

    fn end_thought(&mut self, closed: bool) {
        if let Some(place) = self.thought.take() {
            self.touch(place).partial = !closed;
        }
    }

    // Tools.

    fn start_call(&mut self, index: u64, name: &str) {
        let place = self.begin(What::Tool, name);
        self.calls.push((index, place));
    }

    fn add_argument(&mut self, index: u64, argument: &str, text: &str, span: Span) {
        let call = self.calls.iter().rfind(|(number, _)| *number == index);
        if let Some(&(_, place)) = call {
            // The engine has removed the newlines that are layout.
            let space = self.space(argument, Space::Kept);
            self.add_value(place, argument, text, span, space);
        }
    }

    fn end_call(&mut self, index: u64, arguments: &str) {
        let Some(place) = take_number(&mut self.calls, index) else {
            return;
        };
        match json_entries(arguments) {
            Some(entries) => {
                let values = entries.iter().map(|(name, text)| (&**name, &**text));
                self.settle(place, values, Space::Kept);
                self.touch(place).partial = false;
            }
            None => self.refuse(
                place,
                Refusal {
                    code: CallErrorCode::InvalidJson,
                    message: "the arguments are not a JSON object; write them as one".to_owned(),
                    raw: arguments.to_owned(),
                },
            ),
        }
    }

    /// A refused use stays in the list, and stays partial: it must not be acted on.
    fn refuse_call(&mut self, error: &EventKind<'_>) {
        let EventKind::CallError {
            index,
            name,
            code,
            message,
            raw,
            ..
        } = *error
        else {
            return;
        };
        let open = self.calls.iter().rfind(|(number, _)| *number == index);
        let place = match open {
            Some(&(_, place)) => place,
            None => {
                self.start_call(index, name.unwrap_or(""));
                self.list.len() - 1
            }
        };
        let refusal = Refusal {
            code,
            message: message.to_owned(),
            raw: raw.to_owned(),
        };
        self.refuse(place, refusal);
    }

    fn refuse(&mut self, place: usize, refusal: Refusal) {
        self.value = None;
        self.touch(place).refusals.push(refusal);
    }

    // Elements.

    fn start_element(&mut self, id: u64, name: &str, attributes: &str) {
        let what = if name.eq_ignore_ascii_case(LOG) {
            What::Log
        } else {
            What::Own
        };
        let parent = self.elements.last().map(|&(_, place)| place);
        let place = self.begin(what, name);
        self.list[place].parent = parent;
        self.list[place].attributes.push_str(attributes);
        self.elements.push((id, place));
    }

    fn add_part(&mut self, id: u64, part: Option<&str>, text: &str, span: Span) {
        let element = self.elements.iter().rfind(|(number, _)| *number == id);
        let Some(&(_, place)) = element else { return };
        let param = part.map(|part| {
            let space = self.space(part, Space::Lines);
            self.add_value(place, part, text, span, space)
        });
        if param.is_none() {
            self.looked += self.touch(place).content.push(text);
        }
        self.growing = Some(Growing {
            element: id,
            directive: place,
            param,
        });
    }

    fn end_element(&mut self, view: &ElementView<'_>) {
        let Some(place) = take_number(&mut self.elements, view.id) else {
            return;
        };
        let parts = view.parts;
        self.settle(
            place,
            parts.iter().map(|part| (part.name, part.text)),
            Space::Lines,
        );
        let directive = self.touch(place);
        directive.partial = !view.complete;
        if view.complete {
            self.report_parts(place);
        }
    }

    fn report_parts(&mut self, place: usize) {
        let directive = &self.list[place];
        let name = &directive.name;
        let mut notices = Vec::new();
        for part in directive.params.repeated() {
            let message = format!("`{part}` was given twice in <{name}>; the last one counts");
            notices.push((NoticeCode::Repaired, message));
        }
        if directive.what == What::Log {
            if let Some(level) = directive.params.get("level")
                && directive.level().is_none()
            {
                let levels = Level::ALL.map(Level::as_str).join(", ");
                let message = format!("unknown level `{level}`, so it is info; allowed: {levels}");
                notices.push((NoticeCode::Repaired, message));
            }
            if directive.params.get("message").is_some() && !directive.content.is_blank() {
                let text = crate::json::preview(directive.content.shown());
                let message = format!("text between the parts of <{name}> was dropped: {text}");
                notices.push((NoticeCode::Dropped, message));
            }
        }
        for (code, message) in notices {
            self.notice(code, message);
        }
    }

    // Values.

    fn space(&self, name: &str, verbatim: Space) -> Space {
        let is_named = |other: &String| other.eq_ignore_ascii_case(name);
        if self.verbatim.iter().any(is_named) {
            verbatim
        } else {
            Space::Trimmed
        }
    }

    /// Adds to the growing value, or begins one; returns its index among the parameters.
    fn add_value(
        &mut self,
        place: usize,
        name: &str,
        text: &str,
        span: Span,
        space: Space,
    ) -> usize {
        let goes_on = self.value.filter(|value| {
            value.directive == place && value.end == span.start && span.start < span.end
        });
        let directive = self.touch(place);
        let param = match goes_on {
            Some(value) => value.param,
            None => directive.params.begin(name, space),
        };
        let looked = directive.params.value_mut(param).push(text);
        self.looked += looked;
        self.value = Some(OpenValue {
            directive: place,
            param,
            end: span.end,
        });
        param
    }

    /// Takes the final values. An empty value produced no event before.
    fn settle<'a>(
        &mut self,
        place: usize,
        values: impl Iterator<Item = (&'a str, &'a str)>,
        verbatim: Space,
    ) {
        self.value = None;
        let mut params = std::mem::take(&mut self.touch(place).params);
        self.looked += params.settle(values, |name| self.space(name, verbatim));
        self.list[place].params = params;
    }
}

/// Removes the entry with this number from a list; returns its index.
fn take_number(list: &mut Vec<(u64, usize)>, number: u64) -> Option<usize> {
    let at = list.iter().rposition(|(other, _)| *other == number)?;
    Some(list.remove(at).1)
}
