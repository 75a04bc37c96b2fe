//! `sanitize_content`: a string without the start of a tag at its end.

/// The content without the start of a tag at its end: `<` or `</`, with or without letters after
/// it.
///
/// It removes what `<\/?[a-zA-Z]*$` matches, once. It reads from the end and stops at the first
/// byte that cannot be part of it, so that it looks at the tail only, and it copies nothing.
///
/// This is for text of unknown origin. [`Nodes`](super::Nodes) does not need it, because there the
/// engine knows what may be the start of a tag.
///
/// ```
/// use tagstream::view::sanitize_content;
///
/// assert_eq!(sanitize_content("Content text</no"), "Content text");
/// assert_eq!(sanitize_content("a < b"), "a < b");
/// ```
#[must_use]
pub fn sanitize_content(content: &str) -> &str {
    let before_name = content.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let before_slash = before_name.strip_suffix('/').unwrap_or(before_name);
    before_slash.strip_suffix('<').unwrap_or(content)
}
