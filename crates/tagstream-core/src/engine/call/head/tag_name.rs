//! Names that are in tags.

use crate::attributes::Attributes;
use crate::engine::context::Context;
use crate::policy::call::NameAt;
use crate::token::Token;

/// Where the name is in a tag.
pub(super) fn name_span(name: &NameAt, token: &Token, cx: &Context<'_>) -> Option<(u64, u64)> {
    let tag = cx.text(token.start, token.end);
    let text = name_in(name, token, tag)?;
    let start = token.start + (text.as_ptr() as usize - tag.as_ptr() as usize) as u64;
    Some((start, start + text.len() as u64))
}

/// The name in a tag with this text, if it has one.
pub(in crate::engine::call) fn name_in<'t>(
    name: &NameAt,
    token: &Token,
    tag: &'t str,
) -> Option<&'t str> {
    let text = match name {
        NameAt::Attribute(key) => Attributes::new(token.attributes(tag)).get(key)?,
        NameAt::After => trim_quotes(token.attributes(tag)),
        NameAt::Tag(_) | NameAt::Name => token.name(tag),
        NameAt::Text => "",
    };
    let text = text.trim();
    (!text.is_empty()).then_some(text)
}

/// A name as models write it after `=`: it may have quotes.
fn trim_quotes(text: &str) -> &str {
    let text = text.trim();
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    quoted('"').or_else(|| quoted('\'')).unwrap_or(text)
}

/// The name in an id such as `functions.read:0`; what is missing of the rest is forgiven.
pub(super) fn name_in_id<'a>(id: &'a str, before: &str, after: &str) -> &'a str {
    let name = id.strip_prefix(before).unwrap_or(id);
    match name.rsplit_once(after) {
        Some((name, number)) if number.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => name,
    }
}
