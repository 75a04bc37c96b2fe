//! The lock of what several threads may use.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// A mutex that reports re-entry. While objects are made, the garbage collector may run a destructor, which
/// may use the same parser: it would wait for its own thread for ever.
#[derive(Default)]
pub(crate) struct Lock<T> {
    state: Mutex<T>,
    /// The thread that holds it, as the address of its [`TOKEN`]; 0 if none does.
    owner: AtomicUsize,
}

pub(crate) struct Guard<'a, T> {
    state: MutexGuard<'a, T>,
    owner: &'a AtomicUsize,
}

thread_local! {
    /// Each thread has its own, at an address of its own.
    static TOKEN: u8 = const { 0 };
}

impl<T> Lock<T> {
    pub(crate) fn new(state: T) -> Self {
        let (state, owner) = (Mutex::new(state), AtomicUsize::new(0));
        Lock { state, owner }
    }

    /// Waits for other threads without keeping them from running.
    ///
    /// # Errors
    /// This thread holds the lock.
    #[inline]
    pub(crate) fn lock(&self, py: Python<'_>) -> PyResult<Guard<'_, T>> {
        let thread = TOKEN.with(|token| std::ptr::from_ref(token).addr());
        let state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            // A thread sees at least what it has stored itself.
            Err(TryLockError::WouldBlock) if self.owner.load(Relaxed) == thread => {
                return Err(PyRuntimeError::new_err(
                    "used again by the thread that is using it, such as in a destructor",
                ));
            }
            Err(TryLockError::WouldBlock) => {
                let state = self.state.lock_py_attached(py);
                state.unwrap_or_else(PoisonError::into_inner)
            }
        };
        self.owner.store(thread, Relaxed);
        let owner = &self.owner;
        Ok(Guard { state, owner })
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.owner.store(0, Relaxed);
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.state
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.state
    }
}
