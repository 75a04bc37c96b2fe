//! Runs random batches on several threads, groups what fails, and notices what never ends.

use super::laws::{Case, Failure};
use super::{Batch, Reading, Subject};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// A reading that takes longer never ends.
const HANG_SECONDS: u64 = 30;

/// How many failures that look alike are made small; after that, one in [`RARELY`] is.
const OFTEN: usize = 3;
const RARELY: usize = 100;

/// What a hunt is asked to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many messages are checked.
    pub messages: usize,
    /// Where the seeds start.
    pub seed: u64,
    /// How many threads there are.
    pub jobs: usize,
    /// The laws of interest; all if there are none.
    pub only: Vec<String>,
    /// Goes on after the first failure.
    pub all: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            messages: 100_000,
            seed: 0,
            jobs: 1,
            only: Vec::new(),
            all: false,
        }
    }
}

impl Options {
    /// Reads an argument of a command line, with its value if it has one. False if it is unknown
    /// or its value is wrong.
    pub fn take(&mut self, argument: &str, mut value: impl FnMut() -> Option<String>) -> bool {
        let mut number = || value()?.replace('_', "").parse::<u64>().ok();
        match argument {
            "--messages" => number().map(|n| self.messages = n as usize).is_some(),
            "--seed" => number().map(|n| self.seed = n).is_some(),
            "--jobs" => number().map(|n| self.jobs = n as usize).is_some(),
            "--only" => {
                let only = value().unwrap_or_default();
                self.only = only.split(',').map(str::to_owned).collect();
                !only.is_empty()
            }
            "--all" => {
                self.all = true;
                true
            }
            _ => false,
        }
    }
}

/// What is done with each seed.
pub trait Task: Send + Sync + 'static {
    /// Checks random messages. Subjects should be [watched](Watch::subject).
    fn batch(&self, seed: u64, watch: &Watch) -> Batch;

    /// Makes a failing case small.
    fn minimize(&self, case: Case, watch: &Watch) -> Case;
}

/// What a worker is reading, and since when.
#[derive(Clone, Debug, Default)]
pub struct Watch(Arc<Mutex<Current>>);

#[derive(Debug, Default)]
struct Current {
    since: Option<Instant>,
    profile: Value,
    chunks: Vec<Vec<u8>>,
}

impl Watch {
    /// The same subject, with a record of what it is reading.
    pub fn subject<'s, S: Subject>(&'s self, subject: &'s S) -> Watched<'s, S> {
        Watched {
            watch: self,
            subject,
        }
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.0.lock().expect("no thread panics while it holds this")
    }

    /// What has been read for too long. It is given once.
    fn hang(&self) -> Option<Case> {
        let mut current = self.current();
        let limit = Duration::from_secs(HANG_SECONDS);
        current.since.take_if(|since| since.elapsed() > limit)?;
        Some(Case {
            profile: current.profile.take(),
            chunks: std::mem::take(&mut current.chunks),
            failure: Failure {
                law: "hang",
                signature: String::new(),
                detail: Value::Null,
            },
        })
    }
}

/// A subject with a record of what it is reading.
#[derive(Debug)]
pub struct Watched<'s, S> {
    watch: &'s Watch,
    subject: &'s S,
}

impl<S: Subject> Subject for Watched<'_, S> {
    type Policy = S::Policy;

    fn compile(&self, profile: &Value) -> Result<S::Policy, String> {
        self.watch.current().profile = profile.clone();
        self.subject.compile(profile)
    }

    fn read(&self, policy: &S::Policy, chunks: &[&[u8]], finish: bool) -> Reading {
        {
            let mut current = self.watch.current();
            current.since = Some(Instant::now());
            current.chunks.clear();
            current
                .chunks
                .extend(chunks.iter().map(|chunk| chunk.to_vec()));
        }
        let reading = self.subject.read(policy, chunks, finish);
        self.watch.current().since = None;
        reading
    }

    fn dialects(&self) -> Vec<Value> {
        self.subject.dialects()
    }
}

/// What the workers share.
struct Hunt<T> {
    task: T,
    options: Options,
    groups: Mutex<BTreeMap<String, (usize, Case)>>,
    /// How many failures of a law had the same kinds of events.
    alike: Mutex<HashMap<String, usize>>,
    messages: AtomicUsize,
    profiles: AtomicUsize,
    watches: Mutex<Vec<Watch>>,
    /// How many workers are at work, and have not been given up.
    working: AtomicUsize,
}

thread_local! {
    /// The last panic of this thread.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs the task until enough messages have been checked, and reports on standard error. Prints the
/// smallest case of each group of failures, one line of JSON each. True if there is none.
pub fn hunt<T: Task>(task: T, options: Options) -> bool {
    // A panic of a subject is reported as a failure; one of the hunt itself ends it.
    std::panic::set_hook(Box::new(|panic| {
        LAST_PANIC.with_borrow_mut(|last| *last = panic.to_string());
    }));
    let started = Instant::now();
    let hunt = Arc::new(Hunt {
        task,
        options,
        groups: Mutex::default(),
        alike: Mutex::default(),
        messages: AtomicUsize::new(0),
        profiles: AtomicUsize::new(0),
        watches: Mutex::default(),
        working: AtomicUsize::new(0),
    });
    for _ in 0..hunt.options.jobs {
        Hunt::start(&hunt);
    }
    let mut last = Instant::now();
    while hunt.working.load(Ordering::Relaxed) > 0 {
        Hunt::take_hangs(&hunt);
        std::thread::sleep(Duration::from_millis(50));
        if last.elapsed() > Duration::from_secs(10) {
            last = Instant::now();
            hunt.report(started);
        }
    }
    hunt.report(started);
    hunt.print()
}

impl<T: Task> Hunt<T> {
    fn groups(&self) -> MutexGuard<'_, BTreeMap<String, (usize, Case)>> {
        self.groups
            .lock()
            .expect("no thread panics while it holds this")
    }

    /// Starts a worker.
    fn start(hunt: &Arc<Self>) {
        let watch = Watch::default();
        let mut watches = hunt
            .watches
            .lock()
            .expect("no thread panics while it holds this");
        watches.push(watch.clone());
        hunt.working.fetch_add(1, Ordering::Relaxed);
        let hunt = Arc::clone(hunt);
        std::thread::spawn(move || {
            if catch_unwind(AssertUnwindSafe(|| hunt.work(&watch))).is_err() {
                LAST_PANIC.with_borrow(|panic| eprintln!("the hunt itself failed: {panic}"));
                std::process::exit(3);
            }
            hunt.working.fetch_sub(1, Ordering::Relaxed);
        });
    }

    fn work(&self, watch: &Watch) {
        while !self.is_done() {
            let number = self.profiles.fetch_add(1, Ordering::Relaxed) as u64;
            let seed = self.options.seed.wrapping_mul(1 << 32).wrapping_add(number);
            let batch = self.task.batch(seed, watch);
            for case in batch.failures {
                if self.is_wanted(&case) {
                    self.add(self.task.minimize(case, watch));
                }
            }
            self.messages.fetch_add(batch.messages, Ordering::Relaxed);
        }
    }

    fn is_done(&self) -> bool {
        let failed = !self.options.all && !self.groups().is_empty();
        failed || self.messages.load(Ordering::Relaxed) >= self.options.messages
    }

    fn is_wanted(&self, case: &Case) -> bool {
        let only = &self.options.only;
        let is_listed = only.is_empty() || only.iter().any(|law| law == case.failure.law);
        is_listed && !self.is_frequent(&case.failure)
    }

    /// Whether there are enough failures that look like this one. A frequent one would leave no
    /// time for the others.
    fn is_frequent(&self, failure: &Failure) -> bool {
        let mut alike = self
            .alike
            .lock()
            .expect("no thread panics while it holds this");
        let count = alike
            .entry(format!("{} | {}", failure.law, failure.signature))
            .or_default();
        *count += 1;
        *count > OFTEN && !count.is_multiple_of(RARELY)
    }

    fn add(&self, case: Case) {
        let mut groups = self.groups();
        let (count, smallest) = groups
            .entry(group(&case))
            .or_insert_with(|| (0, case.clone()));
        *count += 1;
        if size(&case) < size(smallest) {
            *smallest = case;
        }
    }

    /// Reports workers that do not come back. They cannot be stopped, so others take their place.
    fn take_hangs(hunt: &Arc<Self>) {
        let watches = hunt
            .watches
            .lock()
            .expect("no thread panics while it holds this")
            .clone();
        for case in watches.iter().filter_map(Watch::hang) {
            hunt.add(case);
            Hunt::start(hunt);
            hunt.working.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn report(&self, started: Instant) {
        let messages = self.messages.load(Ordering::Relaxed);
        let seconds = started.elapsed().as_secs_f64();
        eprintln!(
            "{messages} messages, {} profiles, {seconds:.0} s, {:.0} messages/s, {} groups of failures",
            self.profiles.load(Ordering::Relaxed),
            messages as f64 / seconds,
            self.groups().len()
        );
    }

    fn print(&self) -> bool {
        let groups = self.groups();
        for (count, case) in groups.values() {
            let mut line = case.to_json();
            line["count"] = json!(count);
            println!("{line}");
        }
        groups.is_empty()
    }
}

fn size(case: &Case) -> usize {
    case.profile.to_string().len() + case.chunks.concat().len()
}

/// The law, the kinds of the events and the settings that take part.
fn group(case: &Case) -> String {
    let mut features = Vec::new();
    collect(&case.profile, "", &mut features);
    features.sort();
    features.dedup();
    let Failure { law, signature, .. } = &case.failure;
    format!("{law} | {signature} | {}", features.join(" "))
}

fn collect(value: &Value, path: &str, features: &mut Vec<String>) {
    match value {
        // Which dialect it is, and which tools there are, seldom matters.
        _ if matches!(path, "calls.dialect" | "calls.tools" | "calls.aliases") => {
            features.push(path.to_owned());
        }
        Value::Object(map) => {
            for (key, value) in map {
                let dot = if path.is_empty() { "" } else { "." };
                collect(value, &format!("{path}{dot}{key}"), features);
            }
        }
        Value::Array(_) | Value::Number(_) => features.push(path.to_owned()),
        value => features.push(format!("{path}={value}")),
    }
}
