//! Between the arguments of a call: what opens the next one, and what ends the call.

use super::finish;
use super::head::{self, Around, Decision, name_in};
use super::json::Json;
use super::key::Key;
use super::value::Value;
use super::{JsonArguments, Site};
use crate::attributes::Attributes;
use crate::check::CallErrorCode;
use crate::dialect::Repair;
use crate::engine::context::{Context, Reading, is_blank};
use crate::engine::frame::{Answer, Ended, Frame, Place, Step};
use crate::lexicon::{Lexicon, Number, Role};
use crate::policy::Rules;
use crate::policy::call::{ANY_NAME, NameAt, Style};
use crate::token::{Candidate, Shape, Token};

pub(super) const NO_CLOSING_TAG: &str =
    "the call had no closing tag and ends where the next thing begins";

/// A call whose arguments are tags.
#[derive(Debug)]
pub(in crate::engine) struct Arguments {
    site: Site,
    tool: Option<Number>,
    /// Text that is not an argument has come since the last thing that counts, and where it begins in
    /// the text of the call.
    has_junk: bool,
    junk_start: usize,
    /// One JSON object may come in place of the arguments: nothing has come yet.
    may_be_json: bool,
}

impl Place for Arguments {
    fn fits(&self, token: &Token) -> bool {
        self.site.fits(token)
    }

    fn lexicon<'r>(&self, rules: &'r Rules, _reading: &Reading) -> &'r Lexicon {
        self.site.rule(rules).between(self.tool)
    }

    fn read(&mut self, cx: &mut Context<'_>) -> Step {
        if self.may_be_json {
            return self.read_first(cx);
        }
        cx.read_to(self.lexicon(cx.rules, cx.reading))
    }

    /// White space is layout, all else is not.
    fn plain(&mut self, to: u64, cx: &mut Context<'_>) {
        if to > cx.mark {
            if !self.has_junk && !is_blank(cx.text(cx.mark, to)) {
                self.has_junk = true;
                self.junk_start = cx.store().call.raw.len();
            }
            cx.skip_call(to);
        }
    }

    fn found(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        self.plain(token.start, cx);
        self.report_junk(token, cx);
        match token.role {
            Role::Argument(number) => self.open_argument(number, token, cx),
            Role::Key => self.open_key(token, cx),
            Role::Value if self.may_hold_json(cx) => {
                cx.skip_call(token.end);
                Step::Replace(Frame::Json(Json::in_tags(self.site)))
            }
            Role::Value => {
                cx.skip_call(token.end);
                self.begin_value("", None, cx)
            }
            Role::CallEnd => {
                finish::finish_call(token.end, self.site, None, cx);
                Step::Pop(self.site.leave_call(cx))
            }
            Role::WrapperEnd | Role::Head(_) | Role::Again => {
                close_without_closing_tag(token.start, self.site, None, cx)
            }
            Role::Marker => {
                cx.skip_call(token.end);
                Step::Continue
            }
            _ => self.pass_stray(token, cx),
        }
    }

    fn answered(&mut self, answer: Answer, token: &Token, cx: &mut Context<'_>) -> Step {
        cx.reading.at = token.start;
        self.may_be_json = false;
        match answer {
            Answer::Call(_) => Step::Replace(Frame::Json(Json::arguments(self.site))),
            _ => Step::Continue,
        }
    }

    fn resumed(&mut self, ended: Ended, cx: &mut Context<'_>) -> Step {
        self.has_junk = false;
        if let Ended::Calls { .. } = ended {
            return Step::Pop(ended);
        }
        // The token after a value has been read to find out that the value ends. It is not read
        // again, if it is the next thing here.
        if let Ended::Argument(Some(token)) = ended
            && token.start >= cx.reading.at
        {
            let next = self.lexicon(cx.rules, cx.reading).find(cx.unread());
            if next == Some((token.start - cx.reading.at) as usize) {
                cx.pass(&token);
                return self.found(&token, cx);
            }
        }
        Step::Continue
    }

    fn end_of_message(&mut self, cx: &mut Context<'_>) -> Option<Step> {
        self.plain(cx.end(), cx);
        if self.is_complete(cx) {
            cx.repaired("the message ended before the closing tag of a call");
            finish::finish_call(cx.end(), self.site, None, cx);
        } else {
            finish::cut_off(self.site, None, cx);
        }
        Some(Step::Pop(self.site.leave_calls(cx)))
    }

    fn takes_cut_off_tag(&mut self, candidate: &Candidate, cx: &mut Context<'_>) -> bool {
        let ends = |role| matches!(role, Role::CallEnd | Role::WrapperEnd | Role::Marker);
        let lexicon = self.lexicon(cx.rules, cx.reading);
        if !candidate.may_be(lexicon, |role, _| !ends(role)) {
            // It could only have ended the call.
            self.plain(candidate.start, cx);
            cx.skip_call(cx.end());
        }
        true
    }
}

impl Arguments {
    /// Whether the call is complete at the end of the message, although it is not closed: its values
    /// are closed, and the provider does not say that the message was cut off.
    fn is_complete(&self, cx: &Context<'_>) -> bool {
        let is_whole = !self.has_junk && !cx.store().call.values.is_empty();
        // law: missing-end
        is_whole && cx.call_rules().missing_end && !cx.store().is_cut_off
    }

    pub(super) fn new(site: Site, cx: &Context<'_>) -> Self {
        Arguments {
            site,
            tool: cx.store().call.tool,
            has_junk: false,
            junk_start: 0,
            may_be_json: site.rule(cx.rules).json,
        }
    }

    // JSON in place of arguments.

    /// White space aside, the first thing after the head tells how the arguments are written.
    fn read_first(&mut self, cx: &mut Context<'_>) -> Step {
        match cx.next_byte() {
            None => Step::Continue,
            Some(b'{') => {
                self.plain(cx.reading.at, cx);
                let token = Token::empty(cx.reading.at, Role::Value);
                let around = Around {
                    in_wrapper: true,
                    in_thinking: self.site.in_thinking,
                    in_call: true,
                    needs_tag: false,
                    begins_stretch: false,
                };
                match head::look_at_json(self.site.dialect, around, cx) {
                    Decision::Later(step) => step,
                    Decision::Now(answer) => self.answered(answer, &token, cx),
                }
            }
            Some(_) => {
                self.may_be_json = false;
                Step::Continue
            }
        }
    }

    /// Whether the arguments may be JSON between tags: no argument has come.
    fn may_hold_json(&self, cx: &Context<'_>) -> bool {
        self.site.rule(cx.rules).style == Style::Elements && cx.store().call.values.is_empty()
    }

    // What does not belong here.

    /// Text between arguments is dropped; before the closing tag of a value it is a value without an
    /// opening tag.
    fn report_junk(&mut self, token: &Token, cx: &mut Context<'_>) {
        if !std::mem::take(&mut self.has_junk) {
            return;
        }
        let text = cx.store().call.raw.get(self.junk_start..).unwrap_or("");
        if let Some(name) = undeclared(text, self.site, cx) {
            return refuse_undeclared(&name, cx);
        }
        let ends_call = matches!(
            token.role,
            Role::CallEnd | Role::WrapperEnd | Role::Head(_) | Role::Again
        );
        let call = &cx.store().call;
        if ends_call && call.values.is_empty() && call.problems.is_empty() {
            let message = "there is text where the arguments should be; write each as a tag";
            return cx.refuse(CallErrorCode::MalformedCall, None, message);
        }
        if !matches!(token.role, Role::ValueEnd(_)) {
            return cx.dropped("text between the arguments of a call was dropped");
        }
        let text = cx.text(token.start, token.end);
        let message =
            format!("`{text}` closes a value that nothing has opened; write the opening tag too");
        cx.refuse(CallErrorCode::MalformedParameter, None, message);
        self.has_junk = true;
    }

    /// A closing tag that closes nothing.
    fn pass_stray(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        let is_reported = std::mem::take(&mut self.has_junk);
        let text = cx.text(token.start, token.end);
        let message = format!("`{text}` means nothing here and was passed over");
        if !is_reported && !cx.repairs(self.site, Repair::StrayCloser, &message) {
            let message = format!("`{text}` means nothing here; leave it out");
            cx.refuse(CallErrorCode::MalformedParameter, None, message);
        }
        cx.skip_call(token.end);
        Step::Continue
    }

    // Arguments.

    fn open_argument(&mut self, number: Number, token: &Token, cx: &mut Context<'_>) -> Step {
        let tag = cx.text(token.start, token.end);
        let name = name_in_argument(number, token, tag, self.site, cx);
        if name.is_empty() && token.shape == Shape::Open {
            return self.open_key(token, cx);
        }
        let name = &*self.site.rule(cx.rules).decoded(name);
        let is_string = self.says_string(token, cx);
        cx.skip_call(token.end);
        if token.shape != Shape::SelfClosing {
            return self.begin_value(name, is_string, cx);
        }
        let mut value = Value::begin(name, is_string, self.site, self.tool, cx);
        self.refuse_value_in_tag(token, tag, cx);
        value.end(token.end, cx);
        self.has_junk = false;
        Step::Continue
    }

    /// The name of an argument follows, in a tag of its own.
    fn open_key(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        cx.skip_call(token.end);
        Step::Push(Frame::Key(Key::new(self.site, self.tool, cx)))
    }

    fn begin_value(&mut self, name: &str, is_string: Option<bool>, cx: &mut Context<'_>) -> Step {
        let value = Value::begin(name, is_string, self.site, self.tool, cx);
        Step::Push(Frame::Value(value))
    }

    /// A tag that closes itself has no value; one that may be in its attributes would be lost.
    fn refuse_value_in_tag(&mut self, token: &Token, tag: &str, cx: &mut Context<'_>) {
        let rule = self.site.rule(cx.rules);
        let attributes = Attributes::new(token.attributes(tag));
        let says = rule.says_string.as_ref().map(|says| &*says.attribute);
        let names = match &rule.argument {
            NameAt::Attribute(name) => Some(&**name),
            NameAt::After => return,
            _ => None,
        };
        let is_known = |key| says == Some(key) || names == Some(key);
        if attributes.iter().all(|attribute| is_known(attribute.name)) {
            return;
        }
        let message = format!("`{tag}` closes itself; write the value between two tags");
        let name = cx.store().call.argument().unwrap_or("").to_owned();
        cx.refuse(CallErrorCode::MalformedParameter, Some(&name), message);
    }

    fn says_string(&self, token: &Token, cx: &Context<'_>) -> Option<bool> {
        let says = self.site.rule(cx.rules).says_string.as_ref()?;
        let attributes = Attributes::new(cx.attributes(token));
        Some(says.is_string(attributes.get(&says.attribute)?))
    }
}

/// The name of the argument that text in a call begins with, where the tags are the names: it is not
/// declared, or it would not be text.
pub(super) fn undeclared(text: &str, site: Site, cx: &Context<'_>) -> Option<String> {
    let tag = text.trim_start().strip_prefix('<')?;
    let end = tag.find(|c: char| !(c.is_alphanumeric() || "_-.:".contains(c)))?;
    let is_name = end > 0 && site.rule(cx.rules).has_named_tags();
    is_name.then(|| tag[..end].to_owned())
}

pub(super) fn refuse_undeclared(name: &str, cx: &mut Context<'_>) {
    let call = &cx.store().call;
    let declared = call.rule(cx.call_rules()).map(|tool| &tool.arguments);
    let declared = declared.into_iter().flatten();
    let declared: Vec<_> = declared.map(|name| format!("`{name}`")).collect();
    let there_are = match declared.join(", ") {
        names if names.is_empty() => "it takes none".to_owned(),
        names => format!("there are: {names}"),
    };
    let message = format!("`{}` has no argument `{name}`; {there_are}", call.name);
    cx.refuse(CallErrorCode::MalformedParameter, Some(name), message);
}

/// The name of the argument that a tag with this text opens; empty if it has none.
pub(super) fn name_in_argument<'t, 'r: 't>(
    number: Number,
    token: &Token,
    tag: &'t str,
    site: Site,
    cx: &Context<'r>,
) -> &'t str {
    if number < ANY_NAME {
        let tool = cx.store().call.rule(cx.call_rules());
        return tool.map_or("", |tool| &tool.arguments[number as usize]);
    }
    let name_at = match number {
        ANY_NAME => &NameAt::Name,
        _ => &site.rule(cx.rules).argument,
    };
    name_in(name_at, token, tag).unwrap_or("")
}

/// The wrapper's closing tag, or another call, has come before the call's closing tag.
pub(super) fn close_without_closing_tag(
    start: u64,
    site: Site,
    json: Option<&dyn JsonArguments>,
    cx: &mut Context<'_>,
) -> Step {
    if json.is_some() {
        // JSON that is complete says that the call is.
        cx.repaired(NO_CLOSING_TAG);
    } else if !cx.repairs(site, Repair::MissingCallCloser, NO_CLOSING_TAG) {
        let message = "the call has no closing tag; close it before anything else follows";
        cx.refuse(CallErrorCode::MalformedCall, None, message);
    }
    finish::finish_call(start, site, json, cx);
    cx.reading.at = start;
    Step::Pop(site.leave_call(cx))
}
