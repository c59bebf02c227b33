//! Waits for the device: the only way to do so, and always with a time limit for each call.
//!
//! With the vendor's library, a call that waits without a limit may never return while another thread queues on the
//! same stream: its loop looks at a number that does not advance for some tasks. So a wait is a series of calls,
//! each with a time limit (*slices*). After a call that timed out, the next one checks anew. Some releases lack the
//! function with a limit. There, a wait for which the program gave no limit calls the function without one, and a wait
//! with a limit is an error.

use super::Api;
use super::answer::ReadyAnswer;
use crate::code::Code;
use crate::error::Error;
use ascendcl_macros::rule;
use ascendcl_sys::types::aclError;
use std::time::{Duration, Instant};

/// The length of the first slice in milliseconds. Each slice is twice as long as the one before. A completion that the
/// library misses is found when the slice is over. So a wait takes at most twice as long as necessary, plus one first
/// slice. Slices of equal length would not suffice: a slice waits for everything that is queued when it begins, and
/// other threads can keep a stream busy for longer than that.
const SLICE: i32 = 250;

/// The shortest limit that the library accepts, in milliseconds.
const SHORTEST: i32 = 1;

/// The length of the first slice, in milliseconds.
#[inline]
pub(super) fn first_slice(limit: Option<Duration>) -> i32 {
    limit.map_or(SLICE, |limit| milliseconds(limit).min(SLICE))
}

/// What to wait for, as calls of the library. No lock is held and nothing is allocated while they run.
pub(super) struct Wait<W, U, Q> {
    /// Continues "could not": "synchronise a stream".
    pub(super) doing: &'static str,
    /// Calls the function with a limit in milliseconds.
    pub(super) within: W,
    /// Calls the function without a limit.
    pub(super) unlimited: U,
    /// Whether a query reports that there is nothing left to wait for.
    pub(super) is_over: Q,
}

impl<W: FnMut(i32) -> ReadyAnswer<aclError>, U: FnOnce() -> ReadyAnswer<aclError>, Q: FnOnce() -> bool> Wait<W, U, Q> {
    /// Waits, for at most `limit` if there is one.
    pub(super) fn run(mut self, api: Api, limit: Option<Duration>) -> Result<(), Error> {
        let first = (self.within)(first_slice(limit));
        if first.is_success() { Ok(()) } else { self.after(api, limit, first) }
    }

    /// Continues a wait whose [first slice](first_slice) did not succeed. Hot paths, on which the first slice usually
    /// succeeds, make that call themselves and call this only if it fails.
    pub(super) fn after(self, api: Api, limit: Option<Duration>, first: ReadyAnswer<aclError>) -> Result<(), Error> {
        match limit.map(milliseconds) {
            None if first.is_missing() => {
                let Self { doing, unlimited, .. } = self;
                unlimited().done(|| doing.to_owned())
            }
            None => self.without_end(api, first),
            Some(limit) => self.until(api, limit, first),
        }
    }

    /// Waits in slices until the library reports something other than a timeout. If it reports a timeout twice in a row
    /// long before the time is up, it has given up. The wait then ends with that error, or it would never end.
    fn without_end(mut self, api: Api, mut answer: ReadyAnswer<aclError>) -> Result<(), Error> {
        let (mut slice, mut too_early) = (SLICE, 0);
        while is_time_up(&answer) && too_early < 2 {
            api.forget_text();
            slice = slice.saturating_mul(2);
            let start = Instant::now();
            answer = (self.within)(slice);
            too_early = if start.elapsed() < length(slice) / 2 { too_early + 1 } else { 0 };
        }
        answer.done(|| self.doing.to_owned())
    }

    /// Waits in slices until the limit. Before it reports a timeout, it calls the library once more, because the last
    /// slice may also have missed a completion.
    fn until(mut self, api: Api, limit: i32, mut answer: ReadyAnswer<aclError>) -> Result<(), Error> {
        let (mut slice, mut left) = (SLICE, limit.saturating_sub(SLICE));
        while is_time_up(&answer) && left > 0 {
            api.forget_text();
            slice = slice.saturating_mul(2);
            answer = (self.within)(left.min(slice));
            left = left.saturating_sub(slice);
        }
        if is_time_up(&answer) {
            api.forget_text();
            answer = (self.within)(if (self.is_over)() { SLICE } else { SHORTEST });
        }
        answer.done(|| format!("{} within {limit} ms", self.doing))
    }
}

fn length(slice: i32) -> Duration {
    Duration::from_millis(slice.unsigned_abs().into())
}

/// Whether this answer of a first slice ends the wait.
pub(super) fn is_final(answer: &ReadyAnswer<aclError>) -> bool {
    !answer.is_missing() && !is_time_up(answer)
}

fn is_time_up(answer: &ReadyAnswer<aclError>) -> bool {
    answer.code().is_some_and(|code| Code::from(code).is_timeout())
}

/// Converts a time limit for the library: whole milliseconds, and never less than requested.
#[rule(STREAM_16, EVENT_11)]
pub(super) fn milliseconds(limit: Duration) -> i32 {
    i32::try_from(limit.as_nanos().div_ceil(1_000_000)).unwrap_or(i32::MAX).max(SHORTEST)
}

#[cfg(test)]
mod tests {
    use super::{Duration, milliseconds};

    #[test]
    fn limits_are_rounded_up_to_whole_milliseconds() {
        let limits =
            [0, 1, 999_999, 1_000_000, 1_000_001, 1_999_999].map(|limit| milliseconds(Duration::from_nanos(limit)));
        assert_eq!(limits, [1, 1, 1, 1, 2, 2]);
        assert_eq!(milliseconds(Duration::MAX), i32::MAX);
    }
}
