//! The function whose instructions are counted, and the middle of times.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Rounds before the others: they look functions up and fill caches of the allocator. What they cost is subtracted.
const WARM_UP: u32 = 16;

thread_local!(static ELAPSED: Cell<Duration> = const { Cell::new(Duration::ZERO) });

/// How long the last rounds took, with what is done around the operation.
pub(crate) fn elapsed() -> Duration {
    ELAPSED.get()
}

/// Does an operation again and again. `around` gets what comes out, and makes of it what the next one takes; it is not
/// counted.
#[inline(always)]
pub(crate) fn rounds<A, B>(rounds: u32, first: A, mut operation: impl FnMut(A) -> B, mut around: impl FnMut(B) -> A) {
    let (mut state, mut start) = (first, Instant::now());
    for round in 0..WARM_UP + rounds {
        if round == WARM_UP {
            start = Instant::now();
        }
        state = around(counted_operation(&mut operation, state));
    }
    ELAPSED.set(start.elapsed());
    drop(state);
}

/// Callgrind counts from the entry of this function to its return. It has one caller per operation, and is the operation's only
/// caller: what the compiler does to one caller it does to the operation.
#[inline(never)]
pub(crate) fn counted_operation<A, B>(operation: &mut impl FnMut(A) -> B, state: A) -> B {
    operation(state)
}

/// Of times, which are not empty.
pub(crate) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
