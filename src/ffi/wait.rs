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
    use super::{Code, Duration, Wait, is_final, length, milliseconds};
    use crate::ffi::Api;
    use crate::ffi::call::{Current, Ready, call};
    use crate::ffi::condition::ThisProcess;
    use ascendcl_sys::error_codes::{ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, ACL_SUCCESS};
    use ascendcl_sys::types::aclrtStream;
    use core::ffi::{c_char, c_void};
    use core::ptr::NonNull;
    use core::sync::atomic::{AtomicUsize, Ordering};

    /// How often a library was asked for its text of an error.
    static TEXTS: AtomicUsize = AtomicUsize::new(0);

    extern "C" fn no_text() -> *const c_char {
        TEXTS.fetch_add(1, Ordering::SeqCst);
        core::ptr::null()
    }

    /// Waits in a library that answers in turn: the time is up so many times, the first ones at once, and the others after
    /// half of it; then the wait succeeds. Returns the limits that the library was given, and what the wait returns.
    fn waited(limit: Option<u64>, at_once: usize, all: usize, is_over: bool) -> (Vec<i32>, bool) {
        let table = |name: &str| match name {
            "aclGetRecentErrMsg" => NonNull::new(no_text as *mut c_void),
            _ => None,
        };
        // SAFETY: `Api::from_table` asks that each address is of a function with the table's signature. `no_text` has
        // it.
        let api = unsafe { Api::from_table("texts", table) };
        let ready: Ready<ThisProcess> = api.ready().unwrap();
        let mut limits = Vec::new();
        let within = |limit| {
            limits.push(limit);
            if limits.len() > at_once && limits.len() <= all {
                std::thread::sleep(length(limit) / 2);
            }
            let code = if limits.len() > all { ACL_SUCCESS } else { ACL_ERROR_RT_STREAM_SYNC_TIMEOUT };
            ready.answered("waits", code)
        };
        let wait = Wait { doing: "wait", within, unlimited: || unreachable!(), is_over: || is_over };
        let waited = wait.run(api, limit.map(Duration::from_millis)).is_ok();
        (limits, waited)
    }

    #[test]
    fn a_wait_asks_for_longer_and_longer_times_and_leaves_no_text() {
        assert!(Code::from(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT).is_timeout());
        for (is_over, last) in [(false, 1), (true, 250)] {
            let before = TEXTS.load(Ordering::SeqCst);
            assert_eq!(waited(Some(1500), 3, 3, is_over), (vec![250, 500, 750, last], true));
            assert_eq!(TEXTS.load(Ordering::SeqCst) - before, 3, "one text of each time that was up");
        }
        assert_eq!(waited(Some(1500), 4, 4, false), (vec![250, 500, 750, 1], false));
        // Without an end, a library that gives up twice in a row long before the time is not asked again.
        assert_eq!(waited(None, 3, 3, false), (vec![250, 500, 1000], false));
        assert_eq!(waited(None, 1, 3, false), (vec![250, 500, 1000, 2000], true));
    }

    #[test]
    fn an_answer_is_the_last_one_unless_the_time_is_up_or_nothing_was_called() {
        let ready = Ready::<Current>::checked(Api::without_functions());
        let answered = |code| is_final(&ready.answered("waits", code));
        assert_eq!([507_011, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT].map(answered), [true, false]);
        // SAFETY: the library lacks the function, so nothing is called.
        let missing = unsafe { call!(ready.aclrtSynchronizeStreamWithTimeout(aclrtStream::NULL, 1)) };
        assert!(!is_final(&missing));
    }

    #[test]
    fn limits_are_rounded_up_to_whole_milliseconds() {
        let limits =
            [0, 1, 999_999, 1_000_000, 1_000_001, 1_999_999].map(|limit| milliseconds(Duration::from_nanos(limit)));
        assert_eq!(limits, [1, 1, 1, 1, 2, 2]);
        assert_eq!(milliseconds(Duration::MAX), i32::MAX);
    }
}
