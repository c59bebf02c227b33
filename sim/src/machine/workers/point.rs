//! A point that is reached once: an event's record, or the end of a blocking callback. Threads and streams wait for it.

use crate::failure::Failure;
use crate::locks::{expired, lock, wait};
use crate::machine::thread::visits;
use crate::machine::workers::served::{Link, Outcome, Served};
use crate::machine::workers::waiting::{Target, Waiting};
use ascendcl_sys::error_codes::ACL_ERROR_RT_EVENT_SYNC_TIMEOUT;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

pub(crate) struct Point {
    state: Mutex<State>,
    settled: Condvar,
}

struct State {
    /// The stream or thread that will reach it.
    by: Link,
    outcome: Option<Outcome>,
    parked: Vec<(Arc<dyn Served>, u64)>,
    /// A thread has waited for it, and waits no more.
    given_up: bool,
}

impl Point {
    pub(in crate::machine) fn new(by: Link) -> Self {
        let state = State { by, outcome: None, parked: Vec::new(), given_up: false };
        Self { state: Mutex::new(state), settled: Condvar::new() }
    }

    /// Whom those wait for who wait for it.
    pub(in crate::machine) fn awaits(&self) -> Option<Link> {
        let state = lock(&self.state);
        state.outcome.is_none().then_some(state.by)
    }

    /// It was not reached for a long time. Waits for it may end earlier.
    pub(in crate::machine) fn is_forsaken(&self) {
        lock(&self.state).by = Link::Never;
    }

    /// The number of the stream that is to reach it.
    pub(in crate::machine) fn stream(&self) -> Option<usize> {
        match lock(&self.state).by {
            Link::Stream(number) => Some(number),
            Link::Thread(_) | Link::Reporter(_) | Link::Later | Link::Elsewhere | Link::Never => None,
        }
    }

    pub(crate) fn outcome(&self) -> Option<Outcome> {
        lock(&self.state).outcome
    }

    /// Blocks this thread; `None` when the deadline came first. Fails when the wait can never end.
    pub(crate) fn wait(&self, deadline: Option<Instant>) -> Result<Option<Outcome>, Failure> {
        let _waits = visits::waits();
        let awaits = || self.awaits();
        let mut waiting = Waiting::new(Target::Reached(&awaits), deadline);
        let mut state = lock(&self.state);
        while state.outcome.is_none() && !expired(deadline) {
            state = wait(&self.settled, state, waiting.until());
            if state.outcome.is_none() {
                drop(state);
                let failure = waiting.given_up(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
                state = lock(&self.state);
                if let Some(failure) = failure
                    && state.outcome.is_none()
                {
                    state.given_up = true;
                    return Err(failure);
                }
            }
        }
        state.given_up |= state.outcome.is_none();
        Ok(state.outcome)
    }

    /// Resumes the stream with this ticket when the point has been reached. If it has been already, says so instead.
    pub(in crate::machine) fn park(&self, stream: Arc<dyn Served>, ticket: u64) -> Option<Outcome> {
        let mut state = lock(&self.state);
        if state.outcome.is_none() {
            state.parked.push((stream, ticket));
        }
        state.outcome
    }

    /// Says whether anybody still waited, or may come to wait.
    fn settle(&self, outcome: Outcome) -> bool {
        let (parked, mut taken) = {
            let mut state = lock(&self.state);
            state.outcome = Some(outcome);
            let parked = std::mem::take(&mut state.parked);
            let taken = parked.is_empty() && !state.given_up;
            (parked, taken)
        };
        self.settled.notify_all();
        for (stream, ticket) in parked {
            taken |= stream.resume(ticket, Ok(outcome));
        }
        taken
    }
}

/// The duty to reach a point. If it is dropped first, the point counts as discarded, so no wait lasts forever.
pub(crate) struct Duty(Option<Arc<Point>>);

impl Duty {
    pub(crate) fn new(point: &Arc<Point>) -> Self {
        Self(Some(Arc::clone(point)))
    }

    /// Whether anybody else still knows the point.
    pub(in crate::machine) fn is_awaited(&self) -> bool {
        self.0.as_ref().is_some_and(|point| Arc::strong_count(point) > 1)
    }

    /// From now on another process may have the point reached.
    pub(in crate::machine) fn is_up_to_others(&self) {
        if let Some(point) = &self.0 {
            lock(&point.state).by = Link::Elsewhere;
        }
    }

    /// The point will never be reached, and its waiters keep waiting, as on the vendor's devices.
    pub(in crate::machine) fn abandon(mut self) {
        if let Some(point) = self.0.take() {
            lock(&point.state).by = Link::Never;
        }
    }

    pub(crate) fn fulfil(self) {
        let _ = self.fulfil_for_one();
    }

    /// The same for a point that one stream or thread waits for: `false` when that one has given up.
    pub(in crate::machine) fn fulfil_for_one(mut self) -> bool {
        self.0.take().is_some_and(|point| point.settle(Outcome::Reached(Instant::now())))
    }
}

impl Drop for Duty {
    fn drop(&mut self) {
        if let Some(point) = self.0.take() {
            point.settle(Outcome::Discarded);
        }
    }
}
