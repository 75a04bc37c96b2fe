//! Which item of an OpenAI response an event belongs to.

use std::collections::HashMap;

/// No response has more items, and no id more bytes; a stream that says so is broken.
const MAX_ITEMS: usize = 1 << 12;
const MAX_ID_BYTES: usize = 1024;

/// The items of a response, by what events call them.
///
/// An event names its item by its place and by its id. llama.cpp leaves the place out.
#[derive(Debug, Default)]
pub(super) struct Items {
    ids: HashMap<String, u64>,
    last: u64,
    /// One more than the highest place there was.
    next: u64,
}

impl Items {
    /// The place of the item with this place or id; of the last one, if neither is given.
    pub(super) fn place(&mut self, index: Option<u64>, id: Option<&str>) -> u64 {
        let known = id.and_then(|id| self.ids.get(id)).copied();
        let place = index.or(known).unwrap_or(match id {
            Some(_) => self.next,
            None => self.last,
        });
        if let Some(id) = id.filter(|id| id.len() <= MAX_ID_BYTES && known != Some(place))
            && self.ids.len() < MAX_ITEMS
        {
            self.ids.insert(id.to_owned(), place);
        }
        self.last = place;
        self.next = self.next.max(place.saturating_add(1));
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_found_by_its_place_or_its_id() {
        let mut items = Items::default();
        assert_eq!(items.place(Some(4), Some("a")), 4);
        assert_eq!(items.place(None, Some("b")), 5);
        assert_eq!(items.place(None, Some("a")), 4);
        assert_eq!(items.place(None, None), 4);
        assert_eq!(items.place(Some(2), Some("a")), 2);
        assert_eq!(items.place(None, Some("c")), 6);
    }
}
