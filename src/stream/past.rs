//! Earlier work on the operands of a piece of work. A wait has to report its failures, too.

use crate::code::Code;
use crate::error::Error;
use crate::ffi::{Api, RawStream};
use std::sync::Arc;
use std::time::Duration;

/// The limit of a wait for a stream that has answered that it is idle. Another handle may have queued work since.
pub(super) const MOMENT: Duration = Duration::from_millis(1);

/// The earlier work on an operand, for the work that uses the operand next.
#[derive(Clone, Debug)]
pub struct Past {
    /// The first submission on this stream whose failure was not reported yet; `u64::MAX` if there is none.
    pub(super) since: u64,
    pub(super) other_streams: OtherStreams,
}

/// The first submission of a piece of work whose failure was not reported yet, as the distance to the last submission.
/// It is small, because programs store work in flight in results and futures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unreported(u32);

/// Work on other streams that this stream took over.
#[derive(Clone, Debug)]
pub(super) enum OtherStreams {
    None,
    /// The first take-over does not allocate. The fields of a [`TakenOver`] are repeated here, because with the struct in
    /// it the enum would be larger by a word.
    One {
        unreported: Unreported,
        queue: Arc<RawStream>,
        number: u64,
    },
    /// A second take-over allocates. Each stream is listed once, however often the work was on it. `Arc<[_]>` keeps the
    /// enum small.
    Several(Arc<[TakenOver]>),
}

/// Work on a stream, up to a submission.
#[derive(Clone, Debug)]
pub(super) struct TakenOver {
    unreported: Unreported,
    queue: Arc<RawStream>,
    number: u64,
}

impl Unreported {
    /// All failures were reported.
    pub(super) const NONE: Self = Self(u32::MAX);
    /// The distance is unknown: it stands for all submissions of the stream.
    const FAR: u32 = u32::MAX - 1;

    /// From `since` on; none if `since` is after `number`.
    #[inline]
    pub(super) fn between(since: u64, number: u64) -> Self {
        match number.checked_sub(since) {
            Some(distance) => Self(u32::try_from(distance).unwrap_or(Self::FAR).min(Self::FAR)),
            None => Self::NONE,
        }
    }

    /// The first submission; `u64::MAX` for none.
    #[inline]
    pub(super) fn since(self, number: u64) -> u64 {
        match self {
            Self::NONE => u64::MAX,
            Self(Self::FAR) => 0,
            Self(distance) => number.saturating_sub(distance.into()),
        }
    }
}

impl Past {
    /// The past of an idle operand: no earlier work has anything left to report.
    #[inline]
    pub(crate) const fn none() -> Self {
        Self { since: u64::MAX, other_streams: OtherStreams::None }
    }

    /// The past of two operands together.
    #[inline]
    pub(crate) fn and(self, other: Self) -> Self {
        Self { since: self.since.min(other.since), other_streams: self.other_streams.and(other.other_streams) }
    }

    /// The past of work that another stream takes over: the submissions of `queue` up to `number`, and what came before.
    pub(super) fn taken_over(
        queue: &Arc<RawStream>,
        number: u64,
        unreported: Unreported,
        before: OtherStreams,
    ) -> Self {
        let own = TakenOver { unreported, queue: Arc::clone(queue), number };
        let other_streams = if own.is_well() { before } else { own.alone().and(before) };
        Self { since: u64::MAX, other_streams }
    }
}

impl OtherStreams {
    #[inline]
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, one) | (one, Self::None) => one,
            (own, other) => own.together(other),
        }
    }

    #[cold]
    fn together(self, other: Self) -> Self {
        let mut all = self.into_vec();
        // Work that has succeeded since then has nothing to report. If it were not removed, work that is handed to one new
        // stream after another would keep all of these streams.
        all.retain(|known| !known.is_well());
        for one in other.into_vec().into_iter().filter(|one| !one.is_well()) {
            match all.iter_mut().find(|known| Arc::ptr_eq(&known.queue, &one.queue)) {
                Some(known) => known.extend(&one),
                None => all.push(one),
            }
        }
        match all.len() {
            0 | 1 => all.pop().map_or(Self::None, TakenOver::alone),
            _ => Self::Several(all.into()),
        }
    }

    fn into_vec(self) -> Vec<TakenOver> {
        match self {
            Self::None => Vec::new(),
            Self::One { unreported, queue, number } => vec![TakenOver { unreported, queue, number }],
            Self::Several(all) => all.to_vec(),
        }
    }

    /// Whether there is work on other streams.
    #[inline]
    pub(super) fn is_somewhere(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// The failure that has not been reported yet, if there is one. It counts as reported after this call.
    pub(super) fn next_failure(&mut self, api: Api) -> Option<Error> {
        if matches!(self, Self::None) { None } else { self.look(api) }
    }

    #[cold]
    fn look(&mut self, api: Api) -> Option<Error> {
        match self {
            Self::None => None,
            Self::One { unreported, queue, number } => look_at(unreported, queue, *number, api),
            Self::Several(all) => {
                Arc::make_mut(all).iter_mut().find_map(|one| look_at(&mut one.unreported, &one.queue, one.number, api))
            }
        }
    }
}

impl TakenOver {
    /// Whether the work is known to be done, and has no failure that was not reported yet.
    fn is_well(&self) -> bool {
        self.queue.has_done(self.number)
            && self.queue.failure_among(self.unreported.since(self.number), self.number).is_none()
    }

    /// Adds other work on the same stream.
    fn extend(&mut self, other: &Self) {
        let since = self.unreported.since(self.number).min(other.unreported.since(other.number));
        self.number = self.number.max(other.number);
        self.unreported = Unreported::between(since, self.number);
    }

    fn alone(self) -> OtherStreams {
        OtherStreams::One { unreported: self.unreported, queue: self.queue, number: self.number }
    }
}

/// The failure that has not been reported yet, if there is one. If nobody has waited for the stream, and it is idle,
/// this asks it. If it has more to do, this does not wait: the next wait for that stream gets the failure.
fn look_at(unreported: &mut Unreported, queue: &RawStream, number: u64, api: Api) -> Option<Error> {
    if *unreported == Unreported::NONE {
        return None;
    }
    let unknown = if queue.has_done(number) { None } else { ask(queue, api) };
    let failure = queue.failure_among(unreported.since(number), number);
    if failure.is_some() {
        *unreported = Unreported::between(queue.after_failures(), number);
    }
    // If the work is known to be done by now, the wait of another thread has looked for failures.
    failure.or_else(|| unknown.filter(|_| !queue.has_done(number)))
}

/// Waits for the stream if it is idle, which notes a failure. Returns an error if the library does not say whether work
/// failed.
#[cold]
fn ask(queue: &RawStream, api: Api) -> Option<Error> {
    let answer = match queue.is_complete(api) {
        Ok(true) => match queue.synchronize(api, Some(MOMENT)) {
            // An old release has no wait with a limit. The stream is idle, so this one does not take long, either.
            Err(Error::MissingFunction(_)) => queue.synchronize(api, None),
            answer => answer,
        },
        Ok(false) => Ok(()),
        Err(error) => Err(error),
    };
    // A stream that is captured, that is in another context, or that got more work meanwhile, has more to do.
    let has_more = |error: &Error| {
        let reports_nothing = |code: Code| !code.reports_work();
        matches!(error, Error::Capturing | Error::WrongContext { .. }) || error.code().is_some_and(reports_nothing)
    };
    answer.err().filter(|error| !has_more(error))
}
