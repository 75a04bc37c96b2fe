//! Why bytes were skipped, in words.

use tagstream::SkipReason;

pub(crate) fn words(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::Tag => "a tag of a section",
        SkipReason::Hidden => "a hidden section",
        SkipReason::EmptySection => "a section without content",
        SkipReason::Marker => "a marker",
        SkipReason::OrphanClose => "a closing tag without an opening tag",
        SkipReason::WhiteSpace => "white space beside markup",
        SkipReason::Wrapper => "the wrapper of tool calls",
        SkipReason::Call => "markup of the call",
        SkipReason::Element => "markup of the element",
        SkipReason::Limit => "longer than a limit",
        _ => reason.as_str(),
    }
}
