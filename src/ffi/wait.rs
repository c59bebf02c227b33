//! The one way to wait for the library: never without a limit.
//!
//! A wait without a limit may never return on the vendor's library while another thread queues on the same stream: its
//! loop looks at a number that does not advance for some tasks. So a wait is a row of calls with a time limit each
//! (*slices*), and a call that answers that its time is up is followed by the next one, which looks anew. In a release
//! that lacks the function with a limit, a wait for which the program gave no limit calls the function without one; a
//! wait with a limit is an error there.

use super::Api;
use super::answer::ReadyAnswer;
use crate::code::Code;
use crate::error::Error;
use ascendcl_macros::rule;
use ascendcl_sys::types::aclError;
use std::time::{Duration, Instant};

/// The length of the first slice in milliseconds; each slice is twice as long as the one before. A completion that the
/// library misses is found when the slice is over, so a wait takes at most twice as long as it should, and one first
/// slice more. Slices of one length would not do: a slice waits for everything that is queued when it begins, and other
/// threads can keep a stream busy for longer than that.
const SLICE: i32 = 250;

/// The shortest limit that the library takes, in milliseconds.
const SHORTEST: i32 = 1;

/// The length of the first slice, in milliseconds.
#[inline]
pub(super) fn first_slice(limit: Option<Duration>) -> i32 {
    limit.map_or(SLICE, |limit| milliseconds(limit).min(SLICE))
}

/// The target of a wait, as calls of the library. No lock is held and nothing is allocated while they run.
pub(super) struct Wait<W, U, Q> {
    /// Reads on from "could not": "synchronise a stream".
    pub(super) doing: &'static str,
    /// Calls the function with a limit in milliseconds.
    pub(super) within: W,
    /// Calls the one without.
    pub(super) unlimited: U,
    /// Whether a query says that there is nothing left to wait for.
    pub(super) is_over: Q,
}

impl<W: FnMut(i32) -> ReadyAnswer<aclError>, U: FnOnce() -> ReadyAnswer<aclError>, Q: FnOnce() -> bool> Wait<W, U, Q> {
    /// Waits; for at most `limit`, if there is one.
    pub(super) fn run(mut self, api: Api, limit: Option<Duration>) -> Result<(), Error> {
        let first = (self.within)(first_slice(limit));
        if first.is_success() { Ok(()) } else { self.after(api, limit, first) }
    }

    /// Continues a wait after the [first slice](first_slice) did not succeed. Hot paths, on which it usually succeeds,
    /// make that call themselves and come here only otherwise.
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

    /// Slices until the library says something else than that the time is up. A library that says so twice in a row
    /// long before the time is up has given up, and would be asked again and again.
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

    /// Waits in slices until the limit. Before it reports a timeout it asks the library once more, because the last
    /// slice can also have missed the end.
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

fn is_time_up(answer: &ReadyAnswer<aclError>) -> bool {
    answer.code().is_some_and(|code| Code::from(code).is_timeout())
}

/// A time limit as the library takes it: whole milliseconds, and never less than was asked for.
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
