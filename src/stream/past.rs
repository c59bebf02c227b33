//! What happened to the things that work in flight uses, before and on other streams: whose failures a wait has to tell.

use crate::error::Error;
use crate::ffi::{Api, Queue};
use std::sync::Arc;
use std::time::Duration;

/// How long a stream that says that it is idle is waited for.
const MOMENT: Duration = Duration::from_millis(1);

/// What an operand brings with it into the work that uses it next.
#[derive(Clone, Debug)]
pub struct Past {
    /// The first submission on the stream of the work whose failure was not told yet; `u64::MAX` when there is none.
    pub(super) since: u64,
    pub(super) elsewhere: Option<Elsewhere>,
}

/// Work on another stream, from which this stream took over.
#[derive(Clone, Debug)]
pub(super) struct Elsewhere {
    queue: Arc<Queue>,
    since: u64,
    number: u64,
    /// A take-over makes no allocation; one of what was taken over before does.
    before: Option<Box<Elsewhere>>,
}

impl Past {
    /// That of something idle.
    #[inline]
    pub(crate) const fn none() -> Self {
        Self { since: u64::MAX, elsewhere: None }
    }

    /// Of both.
    #[inline]
    pub(crate) fn and(self, other: Self) -> Self {
        let since = self.since.min(other.since);
        let elsewhere = match (self.elsewhere, other.elsewhere) {
            (Some(own), Some(other)) => Some(own.behind(other)),
            (own, other) => own.or(other),
        };
        Self { since, elsewhere }
    }

    /// Of work on this stream, its submissions from `since` to `number`, when another stream takes it over.
    pub(super) fn taken_over(queue: &Arc<Queue>, since: u64, number: u64, before: Option<Elsewhere>) -> Self {
        let is_well = queue.has_done(number) && queue.failure_among(since, number).is_none();
        let elsewhere = if since > number || is_well {
            before
        } else {
            Some(Elsewhere { queue: Arc::clone(queue), since, number, before: before.map(Box::new) })
        };
        Self { since: u64::MAX, elsewhere }
    }
}

impl Elsewhere {
    fn behind(mut self, other: Self) -> Self {
        let before = match self.before.take() {
            Some(before) => before.behind(other),
            None => other,
        };
        self.before = Some(Box::new(before));
        self
    }

    /// The failure that has not been told yet, if there is one; it counts as told then.
    ///
    /// A stream that nobody waited for is asked when it is idle. One that has more to do is not waited for: its failure is
    /// told to the next wait for it.
    #[cold]
    pub(super) fn untold(&mut self, api: Api) -> Option<Error> {
        if self.since <= self.number {
            if !self.queue.has_done(self.number) && self.queue.is_complete(api).unwrap_or(false) {
                // What it says is asked for below.
                let _ = self.queue.synchronize(api, Some(MOMENT));
            }
            let failure = self.queue.failure_among(self.since, self.number);
            if failure.is_some() {
                self.since = self.queue.after_failures();
                return failure;
            }
        }
        self.before.as_mut().and_then(|before| before.untold(api))
    }
}
