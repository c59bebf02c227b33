//! A hint that differs between threads.

/// A number that is the same for a thread most of the time, and differs between most threads: stacks are two megabytes or
/// more apart. It costs fewer instructions than a thread-local value, and only decides where a search begins.
#[inline(always)]
pub(super) fn thread_hint() -> usize {
    let on_the_stack = 0_u8;
    core::ptr::from_ref(&on_the_stack).addr() >> 21
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::Barrier;
    use std::thread::scope;

    const THREADS: usize = 8;

    /// A hint that moved would send a thread to a slot that it has not used before, each time.
    #[test]
    fn the_hint_of_a_thread_stays() {
        let hints: HashSet<_> = (0..100).map(|_| thread_hint()).collect();
        assert_eq!(hints.len(), 1);
    }

    /// With one hint for all, threads would meet on one slot. Two threads may have one hint.
    #[test]
    fn most_threads_that_live_at_once_have_hints_of_their_own() {
        let all_live = Barrier::new(THREADS);
        let hints: HashSet<_> = scope(|scope| {
            let hint = || {
                all_live.wait();
                let hint = thread_hint();
                all_live.wait();
                hint
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(hint)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(hints.len() > THREADS / 2, "{THREADS} threads have {} hints", hints.len());
    }
}
