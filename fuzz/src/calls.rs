//! Profiles that read calls, in any dialect and with any settings.

use arbitrary::Arbitrary;
use tagstream::dialect::{Arguments, spellings};
use tagstream::{
    CallSettings, CallsInThinking, CallsInside, Dialect, OrphanClose, Profile, RefusedCalls,
    Thinking, ToolSignature, UnknownTool,
};

/// What the fuzzer chooses.
#[derive(Arbitrary, Debug)]
pub struct Settings {
    dialect: u8,
    /// One value in 16 chooses all dialects: compiling them takes longer than anything else.
    all: u8,
    tools: bool,
    unwrapped: bool,
    in_thinking: u8,
    in_code: bool,
    decode_entities: bool,
    drops: bool,
    unknown: u8,
    missing_end: bool,
    shows_refused: bool,
    near_misses: bool,
    /// 0 is no limit.
    max_calls: u8,
    small: bool,
}

impl Settings {
    fn dialects(&self) -> Vec<Dialect> {
        let built_in = tagstream::dialect::built_in();
        let one = usize::from(self.dialect) % built_in.len();
        let chosen = built_in
            .iter()
            .enumerate()
            .filter(|(i, _)| self.all % 16 == 15 || *i == one);
        chosen
            .map(|(_, dialect)| dialect.dialect().clone())
            .collect()
    }

    pub fn profile(&self) -> Profile {
        let mut calls = CallSettings::dialects(self.dialects());
        if self.tools {
            calls = calls.tool(ToolSignature::new("f", ["a", "b"]));
        }
        calls.unwrapped = self.unwrapped;
        let in_thinking = [
            CallsInThinking::Ignore,
            CallsInThinking::Promote,
            CallsInThinking::End,
        ];
        calls.in_thinking = in_thinking[usize::from(self.in_thinking) % in_thinking.len()];
        if self.in_code {
            calls.in_code = CallsInside::Promote;
        }
        calls.decode_entities = self.decode_entities;
        if self.drops {
            calls.orphan_close = OrphanClose::Drop;
        }
        let unknown = [UnknownTool::Report, UnknownTool::Text, UnknownTool::Pass];
        calls.unknown_tool = unknown[usize::from(self.unknown) % unknown.len()];
        calls.missing_end = self.missing_end;
        if self.shows_refused {
            calls.refused = RefusedCalls::Text;
        }
        calls.near_misses = self.near_misses;
        calls.max_calls = (self.max_calls > 0).then(|| u64::from(self.max_calls % 4));
        let mut profile = Profile::new()
            .calls(calls)
            .thinking(Thinking::tags(["think"]));
        if self.small {
            (
                profile.limits.value,
                profile.limits.lookahead,
                profile.limits.tag,
            ) = (24, 12, 40);
        }
        profile
    }

    /// The dialects' own markup, so that the fuzzer need not guess it.
    pub fn markup(&self) -> Vec<String> {
        let mut markup: Vec<String> = [
            "<think>",
            "</think>",
            "`",
            "```\n",
            "\n",
            "{\"",
            "\"}",
            "{\"name\":\"f\",",
            "<f>",
            "</f>",
            "<a>",
            "</a>",
        ]
        .map(String::from)
        .into();
        for dialect in self.dialects() {
            let wrapper = dialect.wrapper.into_iter();
            markup.extend(wrapper.flat_map(|w| [w.open, w.close, w.ignore].concat()));
            let call = dialect.call.into_iter();
            markup.extend(call.flat_map(|c| [c.open, c.close].concat()));
            match dialect.arguments {
                Arguments::Elements { open, close, .. } => markup.extend([open, close].concat()),
                Arguments::Pairs { key, value, .. } => markup.extend(key.into_iter().chain(value)),
                Arguments::Json { quote, .. } => markup.extend(quote),
                _ => {}
            }
        }
        let filled = |text: String| {
            let text = text.replace("{name}", "f").replace("{argument}", "a");
            text.replace("{id}", "i1").replace("{skip}", "f")
        };
        let spelled = markup.iter().flat_map(|text| spellings(text));
        spelled.map(filled).collect()
    }
}
