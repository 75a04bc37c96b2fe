//! A counting allocator. It counts only when asked, so that timed runs pay one load for it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static ON: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

/// What some work did to the heap.
#[derive(Clone, Copy, Debug)]
pub struct Heap {
    /// Allocations and reallocations.
    pub calls: u64,
    /// The most bytes allocated at one time, not counting those from before.
    pub peak: u64,
}

/// Runs `work` and counts its allocations.
pub fn count<T>(work: impl FnOnce() -> T) -> (T, Heap) {
    CALLS.store(0, Relaxed);
    LIVE.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    ON.store(true, Relaxed);
    let value = work();
    ON.store(false, Relaxed);
    let heap = Heap {
        calls: CALLS.load(Relaxed),
        peak: PEAK.load(Relaxed).max(0).unsigned_abs(),
    };
    (value, heap)
}

fn note(calls: u64, bytes: i64) {
    if ON.load(Relaxed) {
        CALLS.fetch_add(calls, Relaxed);
        let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
        PEAK.fetch_max(live, Relaxed);
    }
}

// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as i64);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as i64);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(1, size as i64 - layout.size() as i64);
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(0, -(layout.size() as i64));
        unsafe { System.dealloc(pointer, layout) }
    }
}
