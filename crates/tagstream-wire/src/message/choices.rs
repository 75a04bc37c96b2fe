//! The choices of a stream, by their index.

/// No request asks for more; a stream that says so is broken.
const MAX_CHOICES: usize = 1024;

/// What has an index.
pub(crate) trait Indexed {
    fn index(&self) -> u64;
}

/// The choice with this index, which may be new; `None` if there are too many.
pub(crate) fn choice<T: Indexed>(
    choices: &mut Vec<T>,
    index: u64,
    new: impl FnOnce() -> T,
) -> Option<&mut T> {
    let known = choices.iter().position(|choice| choice.index() == index);
    if known.is_none() && choices.len() >= MAX_CHOICES {
        return None;
    }
    let at = known.unwrap_or_else(|| {
        choices.push(new());
        choices.len() - 1
    });
    choices.get_mut(at)
}
