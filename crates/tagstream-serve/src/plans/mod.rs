//! What is looked for in answers, compiled once for each route, format and set of tools.

mod compile;

pub(crate) use compile::{Reading, check};

use crate::config::Route;
use compile::compile;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tagstream_wire::Format;

/// The declarations of tools that are kept, together. Compiled, short ones take some 50 times as much.
const MAX_TOOLS_BYTES: usize = 2 << 20;

/// The compiled plans of one configuration.
#[derive(Debug)]
pub(crate) struct Plans {
    limit: usize,
    cache: Mutex<Cache>,
}

/// The least recently used ones go when there are too many.
#[derive(Debug, Default)]
struct Cache {
    entries: HashMap<Key, Entry>,
    /// Of all declarations of tools.
    bytes: usize,
    clock: u64,
}

/// The number of a route, the format, and the declaration of the tools.
type Key = (usize, Format, Option<String>);

#[derive(Debug)]
struct Entry {
    /// `None`: the tools cannot be understood.
    reading: Option<Arc<Reading>>,
    used: u64,
}

impl Cache {
    fn get(&mut self, key: &Key) -> Option<Option<Arc<Reading>>> {
        self.clock += 1;
        let entry = self.entries.get_mut(key)?;
        entry.used = self.clock;
        Some(entry.reading.clone())
    }

    fn insert(&mut self, key: Key, reading: Option<Arc<Reading>>, limit: usize) {
        let bytes = bytes_of(&key);
        if bytes > MAX_TOOLS_BYTES {
            return;
        }
        while self.entries.len() >= limit || self.bytes + bytes > MAX_TOOLS_BYTES {
            self.remove_oldest();
        }
        let used = self.clock;
        self.bytes += bytes;
        if self.entries.insert(key, Entry { reading, used }).is_some() {
            // Another request has compiled the same meanwhile.
            self.bytes -= bytes;
        }
    }

    fn remove_oldest(&mut self) {
        let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used);
        if let Some(key) = oldest.map(|(key, _)| key.clone()) {
            self.bytes -= bytes_of(&key);
            self.entries.remove(&key);
        }
    }
}

fn bytes_of(key: &Key) -> usize {
    key.2.as_ref().map_or(0, String::len)
}

impl Plans {
    pub(crate) fn new(limit: usize) -> Self {
        Plans {
            limit: limit.max(1),
            cache: Mutex::default(),
        }
    }

    /// How a route's answers in this format are read, with these tools; `None` if the tools cannot be
    /// understood.
    pub(crate) fn get(
        &self,
        number: usize,
        route: &Route,
        format: Format,
        tools: Option<String>,
    ) -> Option<Arc<Reading>> {
        let key = (number, format, tools);
        if let Some(known) = self.cache().get(&key) {
            return known;
        }
        // Compiled without the lock: other requests need not wait for it.
        let compiled = compile(route, format, key.2.as_deref());
        if let Err(problem) = &compiled {
            tracing::warn!(
                problem,
                "the tools of a request cannot be used; its answer passes unchanged"
            );
        }
        let reading = compiled.ok().map(Arc::new);
        self.cache().insert(key, reading.clone(), self.limit);
        reading
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn the_declarations_that_are_kept_are_bounded() {
        let mut cache = Cache::default();
        for number in 0..10 {
            let tools = "x".repeat(MAX_TOOLS_BYTES / 3 + number);
            cache.insert((0, Format::OpenAi, Some(tools)), None, usize::MAX);
        }
        assert_eq!(cache.entries.len(), 2);
        let too_long = "x".repeat(MAX_TOOLS_BYTES + 1);
        cache.insert((0, Format::OpenAi, Some(too_long)), None, usize::MAX);
        assert!(cache.entries.len() == 2 && cache.bytes <= MAX_TOOLS_BYTES);
    }

    #[test]
    fn the_default_reads_the_thinking_of_all_presets_and_the_cache_is_bounded() {
        let config = Config::for_upstream("http://127.0.0.1:1");
        let route = &config.routes[0];
        let plans = Plans::new(2);
        let tools = |name: &str| {
            Some(format!(
                r#"{{"tools":[{{"name":"{name}","input_schema":{{}}}}]}}"#
            ))
        };
        for name in ["a", "b", "c", "a"] {
            assert!(plans.get(0, route, Format::OpenAi, tools(name)).is_some());
            assert!(plans.cache().entries.len() <= 2);
        }
        let first = plans.get(0, route, Format::OpenAi, tools("a")).unwrap();
        let again = plans.get(0, route, Format::OpenAi, tools("a")).unwrap();
        assert!(Arc::ptr_eq(&first, &again));
        assert!(
            plans
                .get(0, route, Format::OpenAi, Some("{\"tools\":3}".into()))
                .is_none()
        );
    }
}
