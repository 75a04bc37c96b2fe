//! Between the arguments of a call: what opens the next one, and what ends the call.

use super::super::reader::Reader;
use super::Place;
use super::head::name_in;
use super::state::OpenValue;
use crate::attributes::Attributes;
use crate::check::CallErrorCode;
use crate::dialect::{Layout, Repair};
use crate::event::Sink;
use crate::lexicon::Role;
use crate::policy::call::{NAMED, NameAt};
use crate::token::{Found, Shape};

impl<'r, S: Sink> Reader<'r, S> {
    pub(super) fn found_between(&mut self, found: &Found) {
        let start = self.index(found.start);
        self.plain(start);
        self.report_junk(found);
        match found.role {
            Role::Argument(number) => self.open_argument(number, found),
            Role::Key => self.open_key(found),
            Role::Value if self.may_be_json() => self.open_json(found),
            Role::Value => self.open_value_without_key(found),
            Role::CallEnd => {
                self.pass_over(found);
                self.finish_call(self.at);
                self.after_call();
            }
            Role::WrapperEnd | Role::Head(_) | Role::Again => self.close_call_without_closer(start),
            Role::Marker => {
                self.skip_call(self.index(found.end));
                self.pass_over(found);
            }
            _ => self.stray(found),
        }
    }

    /// Text between arguments is dropped; before a value's closer it is a value without opener.
    fn report_junk(&mut self, found: &Found) {
        if !std::mem::take(&mut self.calls().junk) {
            return;
        }
        let ends = matches!(
            found.role,
            Role::CallEnd | Role::WrapperEnd | Role::Head(_) | Role::Again
        );
        if ends && self.calls_ref().call.values.is_empty() {
            let message = "text stands where the arguments should be; write each as a tag";
            return self.refuse(CallErrorCode::MalformedCall, None, message);
        }
        if !matches!(found.role, Role::ValueEnd(_)) {
            return self.dropped("text between the arguments of a call was dropped");
        }
        let text = &self.window[self.index(found.start)..self.index(found.end)];
        let message =
            format!("`{text}` closes a value that nothing has opened; write the opening tag too");
        self.refuse(CallErrorCode::MalformedParameter, None, message);
        self.calls().junk = true;
    }

    /// A closer that closes nothing.
    fn stray(&mut self, found: &Found) {
        let reported = std::mem::take(&mut self.calls().junk);
        let end = self.index(found.end);
        let text = &self.window[self.index(found.start)..end];
        let done = format!("`{text}` stands where it means nothing and was passed over");
        if !reported && !self.mends(Repair::StrayCloser, &done) {
            let message = format!("`{text}` stands where it means nothing; leave it out");
            self.refuse(CallErrorCode::MalformedParameter, None, message);
        }
        self.skip_call(end);
        self.pass_over(found);
    }

    /// The wrapper's closer, or another call, has come before the call's closer.
    pub(super) fn close_call_without_closer(&mut self, start: usize) {
        let done = "the call had no closer and ends where the next thing begins";
        if !self.mends(Repair::MissingCallCloser, done) {
            self.refuse_open_call();
        }
        self.finish_call(start);
        self.after_call();
        self.at = start;
    }

    pub(super) fn refuse_open_call(&mut self) {
        let message = "the call has no closer; close it before anything else follows";
        self.refuse(CallErrorCode::MalformedCall, None, message);
    }

    pub(super) fn open_argument(&mut self, number: u16, found: &Found) {
        let tag = &self.window[self.index(found.start)..self.index(found.end)];
        let name = self.name_in_argument(number, found, tag);
        let is_string = self.says_string(found);
        let end = self.index(found.end);
        self.skip_call(end);
        self.pass_over(found);
        self.begin_value(name, is_string);
        if found.shape == Shape::SelfClosing {
            self.refuse_value_in_tag(found, tag);
            self.end_value(end);
            self.set_place(Place::Between);
        }
    }

    /// A tag that closes itself has no value; one that may stand in its attributes would be lost.
    fn refuse_value_in_tag(&mut self, found: &Found, tag: &str) {
        let rule = self.dialect();
        let attributes = Attributes::new(found.attributes(tag));
        let says = rule.says_string.as_ref().map(|says| &*says.attribute);
        let names = match &rule.argument {
            NameAt::Attribute(name) => Some(&**name),
            NameAt::Behind => return,
            _ => None,
        };
        let is_known = |key| says == Some(key) || names == Some(key);
        if attributes.iter().all(|attribute| is_known(attribute.name)) {
            return;
        }
        let message = format!("`{tag}` closes itself; write the value between two tags");
        let call = &mut self.calls().call;
        let name = call.argument().unwrap_or("").to_owned();
        call.problem(CallErrorCode::MalformedParameter, Some(&name), message);
    }

    /// The name of the argument that a tag with this text opens; empty if it has none.
    pub(super) fn name_in_argument<'t>(&self, number: u16, found: &Found, tag: &'t str) -> &'t str
    where
        'r: 't,
    {
        let rules = self.call_rules();
        if number < NAMED {
            let tool = self.calls_ref().call.rule(rules);
            return tool.map_or("", |tool| &tool.arguments[usize::from(number)]);
        }
        name_in(&self.dialect().argument, found, tag).unwrap_or("")
    }

    fn says_string(&self, found: &Found) -> Option<bool> {
        let says = self.dialect().says_string.as_ref()?;
        let attributes = Attributes::new(self.attributes(found));
        let value = attributes.get(&says.attribute)?;
        Some(says.is_string(value))
    }

    pub(super) fn begin_value(&mut self, name: &str, is_string: Option<bool>) {
        let rules = self.call_rules();
        let start = self.place(self.at);
        let lines = self.dialect().layout == Layout::Lines;
        let calls = self.calls();
        calls.junk = false;
        if name.is_empty() {
            let message = "an argument has no name; say which one it is";
            let code = CallErrorCode::MalformedParameter;
            calls.call.problem(code, None, message);
        }
        calls.call.begin_value(rules, name, is_string);
        calls.call.open = OpenValue {
            start,
            fresh: true,
            lines,
            ..OpenValue::default()
        };
        self.set_place(Place::Value);
    }

    fn open_value_without_key(&mut self, found: &Found) {
        self.skip_call(self.index(found.end));
        self.pass_over(found);
        self.begin_value("", None);
    }
}
