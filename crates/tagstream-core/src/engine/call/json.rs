//! A call whose arguments are JSON, by themselves or in an object that also has the name.

mod after;
mod fields;
mod written;

use super::envelope::{CallJson, JsonEvent};
use super::finish;
use super::wrapper::drop_between_calls;
use super::{JsonArguments, Site, arguments, begin_call};
use crate::check::{CallErrorCode, EnvelopeText};
use crate::engine::context::{Context, Reading};
use crate::engine::fast::{Fast, Plain};
use crate::engine::frame::{Ended, Frame, Place, Step};
use crate::event::SkipReason;
use crate::json::escapes::escape;
use crate::json::literals::Literals;
use crate::json::relaxed::RealJson;
use crate::lexicon::{Lexicon, Role};
use crate::line::is_space;
use crate::policy::Rules;
use crate::policy::call::Style;
use crate::scan::ShortSearch;
use crate::token::{Candidate, Token};
use std::ops::Range;

const NOT_LITERAL: &str = "the arguments are not a Python literal; write no expressions in them";
const EXTRA_BRACKET: &str = "one closing bracket too many after the JSON was passed over";
const NOT_OBJECT: &str = "the arguments are not a JSON object; write them as {\"name\": value}";

/// Where text of a string may end, besides at a control character.
const STRING_STOPS: ShortSearch = ShortSearch::new([b'"'; 3], b'"');

/// JSON that is being read.
#[derive(Debug)]
pub(in crate::engine) struct Json {
    site: Site,
    at: At,
    json: CallJson,
    /// A call is open; between the calls of a list none is.
    is_active: bool,
    /// Text that is not a call has come since the last call of a list.
    has_junk: bool,
    /// The JSON is between tags, and the closing one has yet to come.
    in_tags: bool,
    /// The arguments, as a range of the call's text that is empty until they have ended.
    arguments: Range<usize>,
    /// They are a string that holds JSON.
    is_string: bool,
    /// The object that holds the call, as a range of the call's text.
    object: Range<usize>,
    /// Where something begins, in the text of the call, that may not follow the JSON.
    junk_after: Option<usize>,
    /// How many commas have come after the last call of a list, and whether there was one.
    commas: u8,
    is_after_call: bool,
    /// The arguments as real JSON, where the dialect writes them otherwise.
    real: RealJson,
    /// The same, where it writes them as Python does.
    python: Option<Box<Literals>>,
    is_refused: bool,
    /// A closing bracket after the JSON has been passed over.
    has_extra_bracket: bool,
    /// The first marker after the JSON. If text follows it, the call has ended before it.
    marker_at: Option<u64>,
    /// How many backticks have come after the JSON: a fence may be around it.
    fence_marks: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Inside,
    /// In a string with the dialect's own quotes.
    Quoted,
    After,
    /// The call is broken: all is passed over to its end.
    Broken,
    /// A call, or a list of them, has ended with its JSON.
    Over {
        is_list: bool,
    },
}

/// JSON that holds a call, or a list of them, begins here.
pub(super) fn begin_envelope(site: Site, cx: &mut Context<'_>) -> Frame {
    let mut json = Json::arguments(site);
    if cx.byte(cx.reading.at) == b'[' {
        cx.skip(cx.reading.at, SkipReason::Wrapper);
        json.is_active = false;
    } else {
        begin_call(cx);
    }
    Frame::Json(json)
}

impl Place for Json {
    fn fits(&self, token: &Token) -> bool {
        self.site.fits(token)
    }

    fn lexicon<'r>(&self, rules: &'r Rules, _reading: &Reading) -> &'r Lexicon {
        match (self.at, &self.site.rule(rules).relaxed) {
            (At::Quoted, Some(relaxed)) => &relaxed.in_string,
            _ => &self.site.rule(rules).closers,
        }
    }

    fn read(&mut self, cx: &mut Context<'_>) -> Step {
        match self.at {
            At::Inside => self.read_inside(cx),
            At::After => self.read_after(cx),
            At::Quoted | At::Broken => cx.read_to(self.lexicon(cx.rules, cx.reading)),
            At::Over { is_list } => self.leave(is_list, cx),
        }
    }

    fn plain(&mut self, to: u64, cx: &mut Context<'_>) {
        let is_relaxed = self.site.rule(cx.rules).relaxed.is_some();
        match self.at {
            At::Inside if !self.is_active => {
                let is_layout = |byte| is_space(byte) || matches!(byte, b'[' | b',' | b']');
                drop_between_calls(to, &mut self.has_junk, is_layout, cx);
            }
            At::Inside if self.json.is_in_arguments() && is_relaxed => {
                self.emit_real(to, RealJson::take, cx);
            }
            At::Inside if self.json.is_in_arguments() && self.python.is_some() => {
                self.emit_python(to, cx);
            }
            At::Inside if self.json.is_in_arguments() => cx.emit_delta(to),
            At::After if self.marker_at.is_some() => {}
            At::Over { .. } => {}
            At::Quoted => self.emit_real(to, |real, text, _| real.take_string(text), cx),
            _ => cx.skip_call(to),
        }
    }

    /// A closing tag, or another opening tag, is where JSON has no string.
    fn found(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        if token.role == Role::Quote {
            return self.take_quote(token, cx);
        }
        if token.role != Role::Marker {
            self.marker_at = None;
        }
        self.plain(token.start, cx);
        if token.role == Role::Marker {
            return self.pass_marker(token, cx);
        }
        self.report_junk_after(cx);
        if self.at == At::Inside && self.is_active {
            self.refuse_unfinished(cx);
        }
        if self.at == At::After && !matches!(token.role, Role::ValueEnd(_)) {
            self.report_unclosed_tags(cx);
        }
        match token.role {
            _ if !self.is_active => {
                // A list of calls has no end of its own.
                cx.skip(token.end, SkipReason::Wrapper);
                Step::Pop(self.site.leave_calls(cx))
            }
            Role::ValueEnd(_) => self.close_tags(token, cx),
            Role::CallEnd => {
                self.finish(token.end, cx);
                Step::Pop(self.site.leave_call(cx))
            }
            Role::WrapperEnd if self.is_closed_by_wrapper(cx) => {
                self.finish(token.end, cx);
                Step::Pop(self.site.leave_calls(cx))
            }
            Role::Again => {
                if self.at == At::After {
                    cx.repaired(arguments::NO_CLOSING_TAG);
                }
                self.finish(token.start, cx);
                cx.reading.at = token.start;
                Step::Pop(self.site.leave_calls(cx))
            }
            _ if self.at == At::After && self.site.rule(cx.rules).call_closes => {
                arguments::close_without_closing_tag(token.start, self.site, Some(self), cx)
            }
            _ => {
                self.finish(token.start, cx);
                cx.reading.at = token.start;
                Step::Pop(self.site.leave_call(cx))
            }
        }
    }

    fn not_markup(&mut self, start: u64, _is_blank: bool, cx: &mut Context<'_>) -> Step {
        if self.at == At::After {
            if let Some(marker) = self.marker_at {
                return self.end_before_marker(marker, cx);
            }
            self.begin_junk_after(start, cx);
        } else if self.at == At::Inside && self.awaits_object(cx) {
            self.refuse_not_object(start, cx);
        }
        Step::Continue
    }

    fn end_of_message(&mut self, cx: &mut Context<'_>) -> Option<Step> {
        let end = cx.end();
        if let At::Over { is_list } = self.at {
            return Some(self.leave(is_list, cx));
        }
        if self.at == At::After {
            // Its JSON is complete, so that nothing is lost without a closing tag.
            self.marker_at = None;
            self.plain(end, cx);
            self.report_unclosed_tags(cx);
            if self.site.rule(cx.rules).call_closes {
                cx.repaired("the message ended before the closing tag of a call");
            }
            self.finish(end, cx);
            return Some(Step::Pop(self.site.leave_calls(cx)));
        }
        self.plain(end, cx);
        if self.is_active {
            self.report_junk_after(cx);
            finish::cut_off(self.site, Some(self), cx);
        }
        Some(Step::Pop(self.site.leave_calls(cx)))
    }

    fn takes_cut_off_tag(&mut self, _candidate: &Candidate, cx: &mut Context<'_>) -> bool {
        self.at != At::Inside || self.awaits_object(cx)
    }

    fn fast(&self, cx: &Context<'_>) -> Option<Fast> {
        let is_real = self.site.rule(cx.rules).relaxed.is_none() && self.python.is_none();
        let in_arguments = self.at == At::Inside && self.json.is_in_arguments();
        (is_real && in_arguments && !cx.store().call.is_truncated).then_some(Fast {
            plain: Plain::Json,
            stops: STRING_STOPS,
            asks_lexicon: false,
            holds_newline: false,
            room: cx.store().call.room_for(&cx.rules.limits),
        })
    }
}

impl JsonArguments for Json {
    /// The arguments, as the text of a JSON object; empty if there are none.
    fn text<'a>(&'a self, raw: &'a str) -> &'a str {
        if self.arguments.is_empty() {
            ""
        } else if let Some(python) = &self.python {
            &python.text
        } else if self.real.text.is_empty() {
            raw.get(self.arguments.clone()).unwrap_or("")
        } else {
            &self.real.text
        }
    }

    /// Whether nothing of the arguments has been emitted: they are a string that holds JSON, or there
    /// are none.
    fn is_unsaid(&self, raw: &str) -> bool {
        self.is_string || self.text(raw).is_empty()
    }

    /// The object that holds the call.
    fn envelope<'a>(&self, raw: &'a str) -> Option<EnvelopeText<'a>> {
        if self.object.is_empty() {
            return None;
        }
        let text = raw.get(self.object.clone())?;
        let arguments = if self.arguments.is_empty() {
            0..0
        } else {
            let offset = self.object.start;
            self.arguments.start - offset..self.arguments.end - offset
        };
        Some(EnvelopeText::new(text, arguments))
    }
}

impl Json {
    /// JSON by itself, of a call that has begun; or the object that holds a call.
    pub(super) fn arguments(site: Site) -> Self {
        Json {
            site,
            at: At::Inside,
            json: CallJson::default(),
            is_active: true,
            has_junk: false,
            in_tags: false,
            arguments: 0..0,
            is_string: false,
            object: 0..0,
            junk_after: None,
            commas: 0,
            is_after_call: false,
            real: RealJson::default(),
            python: None,
            is_refused: false,
            has_extra_bracket: false,
            marker_at: None,
            fence_marks: 0,
        }
    }

    /// Whether all of a chunk is text of a string of the arguments, as a quick look can tell. If so, it
    /// has been read.
    #[inline(always)]
    pub(in crate::engine) fn reads_string(&mut self, bytes: &[u8]) -> bool {
        let is_text = bytes.len() <= ShortSearch::MAX_BYTES
            && self.json.is_in_argument_string()
            // law: fast-json
            && !STRING_STOPS.stop_or_control(bytes);
        if is_text {
            self.json.read_unquoted(bytes);
        }
        is_text
    }

    /// Whether all of a chunk is text of the arguments, and nothing else happens in it. If so, it has
    /// been read.
    #[inline(never)]
    pub(in crate::engine) fn reads_through(&mut self, bytes: &[u8], rules: &Rules) -> bool {
        self.json.reads_through(bytes, self.site.rule(rules))
    }

    /// JSON between tags.
    pub(super) fn in_tags(site: Site) -> Self {
        Json {
            in_tags: true,
            ..Json::arguments(site)
        }
    }

    /// Whether the closing tag of the wrapper is that of the call. Where other calls may be in the wrapper,
    /// it closes a call that is not complete.
    fn is_closed_by_wrapper(&self, cx: &Context<'_>) -> bool {
        let rule = self.site.rule(cx.rules);
        !rule.call_closes && (rule.style == Style::Envelope || self.at != At::After)
    }

    fn finish(&mut self, end: u64, cx: &mut Context<'_>) {
        let site = self.site;
        finish::finish_call(end, site, Some(self), cx);
        self.is_active = false;
        self.has_junk = false;
    }

    // Inside.

    fn read_inside(&mut self, cx: &mut Context<'_>) -> Step {
        if self.awaits_object(cx) {
            match cx.next_byte() {
                None => return Step::Continue,
                Some(b'{') => {}
                Some(byte) if self.lexicon(cx.rules, cx.reading).stops.stop(byte) => {
                    return Step::BEGIN;
                }
                Some(_) => {
                    self.refuse_not_object(cx.reading.at, cx);
                    return Step::Continue;
                }
            }
        }
        let rule = self.site.rule(cx.rules);
        let (read, event) = self.json.read(cx.rest(), rule);
        cx.reading.at += read as u64;
        match event {
            Some(event) => self.act(event, cx),
            None => Step::Continue,
        }
    }

    /// Something else begins here.
    fn refuse_not_object(&mut self, start: u64, cx: &mut Context<'_>) {
        self.plain(start, cx);
        cx.refuse(CallErrorCode::InvalidJson, None, NOT_OBJECT);
        self.at = At::Broken;
    }

    /// Whether the object of the arguments, and nothing else, must begin here.
    fn awaits_object(&self, cx: &Context<'_>) -> bool {
        let is_bare = self.site.rule(cx.rules).style == Style::Json || self.in_tags;
        is_bare && !self.json.has_begun()
    }

    fn act(&mut self, event: JsonEvent, cx: &mut Context<'_>) -> Step {
        // Where the byte begins that the event is about.
        let start = cx.reading.at.saturating_sub(1);
        match event {
            JsonEvent::Markup => return Step::BEGIN,
            JsonEvent::Control(byte) => self.escape_control(byte, cx),
            JsonEvent::NotObject => self.refuse_here(CallErrorCode::InvalidJson, NOT_OBJECT, cx),
            JsonEvent::ArgumentsBegin => self.begin_arguments(start, cx),
            JsonEvent::NoArguments => {}
            JsonEvent::ArgumentsEnd => return self.end_arguments(cx),
            JsonEvent::Key(field) => self.refuse_second_field(field, cx),
            JsonEvent::KeyIsName => self.key_is_name(cx),
            JsonEvent::Name => self.name(cx),
            JsonEvent::Id => self.id(cx),
            JsonEvent::ObjectBegin => self.begin_object(start, cx),
            JsonEvent::ObjectEnd => return self.end_object(start, cx),
            JsonEvent::ListEnd => return self.end_list(cx),
            JsonEvent::Comma => self.count_comma(start, cx),
            JsonEvent::ExtraBracket => self.pass_extra_bracket(start, cx),
        }
        Step::Continue
    }

    /// Emits a control character as the escape that it should be, so that what is emitted is JSON.
    fn escape_control(&mut self, byte: u8, cx: &mut Context<'_>) {
        self.plain(cx.reading.at, cx);
        cx.reading.at += 1;
        let mut text = String::new();
        escape(byte, &mut text);
        cx.emit_instead(cx.reading.at, &text);
    }

    fn begin_arguments(&mut self, start: u64, cx: &mut Context<'_>) {
        cx.skip_call(start);
        let here = cx.store().call.raw.len();
        self.arguments = here..here;
        self.is_string = !self.json.is_in_arguments();
        let is_python = self.site.rule(cx.rules).python && !self.is_string;
        self.python = is_python.then(|| Box::new(Literals::value()));
        cx.store_mut().call.text_start = Some(here);
    }

    fn end_arguments(&mut self, cx: &mut Context<'_>) -> Step {
        let end = cx.reading.at;
        if self.is_string {
            cx.skip_call(end);
        } else if self.site.rule(cx.rules).relaxed.is_some() {
            self.emit_real(end, RealJson::take, cx);
        } else if self.python.is_some() {
            self.emit_python(end, cx);
            cx.skip_call(end);
        } else {
            cx.emit_delta(end);
        }
        self.arguments.end = cx.store().call.raw.len();
        cx.store_mut().call.text_start = None;
        let rule = self.site.rule(cx.rules);
        if rule.style == Style::Envelope {
            return Step::Continue;
        }
        if rule.call_closes || rule.relaxed.is_some() {
            self.at = At::After;
            return Step::Continue;
        }
        self.finish(end, cx);
        self.end(false)
    }

    /// A token that means nothing, such as one that stops the model. In JSON it is not JSON.
    fn pass_marker(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        if self.at == At::Inside && !self.is_active {
            cx.skip(token.end, SkipReason::Wrapper);
            return Step::Continue;
        }
        if self.at == At::After && !self.site.is_wrapped && !self.in_tags {
            self.marker_at.get_or_insert(token.start);
        }
        self.plain(token.end, cx);
        Step::Continue
    }

    // Objects and lists.

    fn begin_object(&mut self, start: u64, cx: &mut Context<'_>) {
        if self.json.is_in_list() {
            self.begin_in_list(start, cx);
        }
        cx.skip_call(start);
        self.object = cx.store().call.raw.len()..0;
    }

    fn end_object(&mut self, start: u64, cx: &mut Context<'_>) -> Step {
        cx.skip_call(start);
        self.object.end = cx.store().call.raw.len() + 1;
        let in_list = self.json.is_in_list();
        if self.site.rule(cx.rules).wrapper_closes && !in_list {
            self.at = At::After;
            return Step::Continue;
        }
        self.finish(cx.reading.at, cx);
        if !in_list {
            return self.end(false);
        }
        *self = Json {
            json: self.json.next_in_list(),
            is_active: false,
            is_after_call: true,
            ..Json::arguments(self.site)
        };
        Step::Continue
    }

    fn begin_in_list(&mut self, start: u64, cx: &mut Context<'_>) {
        if self.is_after_call && self.commas == 0 {
            self.repair_list(start, "there was no comma between the calls of a list", cx);
        }
        self.plain(start, cx);
        begin_call(cx);
        self.is_active = true;
        self.commas = 0;
    }

    fn count_comma(&mut self, start: u64, cx: &mut Context<'_>) {
        self.commas = self.commas.saturating_add(1);
        if self.commas == 2 {
            let message = "there was a comma too many between the calls of a list";
            self.repair_list(start, message, cx);
        }
    }

    /// The first one after a call is a mistake that is often made; others are text between calls.
    fn pass_extra_bracket(&mut self, start: u64, cx: &mut Context<'_>) {
        if self.is_after_call
            && self.commas == 0
            && !std::mem::replace(&mut self.has_extra_bracket, true)
        {
            self.repair_list(start, EXTRA_BRACKET, cx);
            cx.skip(cx.reading.at, SkipReason::Wrapper);
        }
    }

    /// Where something else has been dropped, that is what was wrong.
    fn repair_list(&mut self, at: u64, message: &str, cx: &mut Context<'_>) {
        self.plain(at, cx);
        if !self.has_junk {
            cx.repaired(message);
        }
    }

    fn end_list(&mut self, cx: &mut Context<'_>) -> Step {
        self.plain(cx.reading.at, cx);
        if self.commas == 1 {
            let message = "there was a comma after the last call of a list";
            self.repair_list(cx.reading.at, message, cx);
        }
        self.end(true)
    }

    /// The calls end with their JSON. A closing bracket too many may follow it directly.
    fn end(&mut self, is_list: bool) -> Step {
        self.at = At::Over { is_list };
        Step::Continue
    }

    fn leave(&self, is_list: bool, cx: &mut Context<'_>) -> Step {
        if matches!(cx.rest(), [b'}' | b']', ..]) {
            cx.reading.at += 1;
            cx.skip(cx.reading.at, SkipReason::Wrapper);
            cx.repaired(EXTRA_BRACKET);
        }
        // Models leave the wrapper's closing tag off. One that follows right after goes with the list.
        let is_bare = self.site.rule(cx.rules).wrapper_closes;
        Step::Pop(if is_list {
            Ended::Calls { is_bare }
        } else {
            self.site.leave_call(cx)
        })
    }
}
