//! Work on all cores, with results in the order of the input.

use rayon::ThreadPool;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, sync_channel};

/// Threads to work with; `None`: everything on the calling thread.
pub(crate) struct Pipeline {
    pool: Option<ThreadPool>,
    /// How many blocks exist at once. Together with the size of a block it bounds the memory.
    depth: usize,
}

impl Pipeline {
    /// A pipeline with this many threads; 0: one for each core.
    pub(crate) fn new(threads: usize) -> Self {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = (threads != 1).then(|| pool.build().ok()).flatten();
        let pool = pool.filter(|pool| pool.current_num_threads() > 1);
        let threads = pool.as_ref().map_or(1, ThreadPool::current_num_threads);
        Pipeline {
            pool,
            depth: 2 * threads + 1,
        }
    }

    /// Everything on the calling thread.
    pub(crate) fn none() -> Self {
        Pipeline {
            pool: None,
            depth: 1,
        }
    }

    /// Takes blocks from `next` until there are none, lets `work` change each on any thread, and gives
    /// them to `put` in order. `next` gets a block that `put` is done with, so that its memory is used
    /// again. Both run on the calling thread.
    pub(crate) fn run<B: Send, E>(
        &self,
        mut next: impl FnMut(Option<B>) -> Result<Option<B>, E>,
        work: impl Fn(&mut B) + Sync,
        mut put: impl FnMut(&mut B) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(pool) = &self.pool else {
            let mut spare = None;
            while let Some(mut block) = next(spare)? {
                work(&mut block);
                put(&mut block)?;
                spare = Some(block);
            }
            return Ok(());
        };
        let work = &work;
        pool.in_place_scope(|scope| {
            let mut waiting: VecDeque<Receiver<B>> = VecDeque::new();
            let mut spare = None;
            let mut is_over = false;
            loop {
                while !is_over && waiting.len() < self.depth {
                    let Some(mut block) = next(spare.take())? else {
                        is_over = true;
                        break;
                    };
                    let (sender, receiver) = sync_channel(1);
                    scope.spawn(move |_| {
                        work(&mut block);
                        // Nobody waits for it if the run has failed meanwhile.
                        let _ = sender.send(block);
                    });
                    waiting.push_back(receiver);
                }
                let Some(receiver) = waiting.pop_front() else {
                    return Ok(());
                };
                // A worker that panicked has sent nothing; the scope passes its panic on.
                let Ok(mut block) = receiver.recv() else {
                    return Ok(());
                };
                put(&mut block)?;
                spare = Some(block);
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    #[test]
    fn blocks_come_out_in_order() {
        for threads in [1, 2, 5] {
            let (mut numbers, mut seen) = (0..100, Vec::new());
            let next = |_| Ok::<_, Infallible>(numbers.next());
            let work = |n: &mut i32| *n *= 2;
            let put = |n: &mut i32| {
                seen.push(*n);
                Ok(())
            };
            let Ok(()) = Pipeline::new(threads).run(next, work, put);
            assert!(seen.iter().copied().eq((0..100).map(|n| n * 2)));
        }
    }

    #[test]
    fn an_error_ends_the_run() {
        for threads in [1, 2] {
            let mut numbers = 0..;
            let put = |n: &mut i32| if *n == 7 { Err("seven") } else { Ok(()) };
            let run = Pipeline::new(threads).run(|_| Ok(numbers.next()), |_| (), put);
            assert_eq!(run, Err("seven"));
        }
    }
}
