//! What happened to the things that work in flight uses, before and on other streams: whose failures a wait has to
//! tell.

use crate::error::Error;
use crate::ffi::{Api, RawStream};
use std::sync::Arc;
use std::time::Duration;

/// How long a stream that says that it is idle is waited for.
const MOMENT: Duration = Duration::from_millis(1);

/// What an operand brings with it into the work that uses it next.
#[derive(Clone, Debug)]
pub struct Past {
    /// The first submission on the stream of the work whose failure was not told yet; `u64::MAX` when there is none.
    pub(super) since: u64,
    pub(super) other_streams: OtherStreams,
}

/// The first submission of a piece of work whose failure was not told yet, as the distance to its last: work in flight
/// lies in results and futures of programs, so it is small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Untold(u32);

/// Work on other streams, from which this stream took over.
#[derive(Clone, Debug)]
pub(super) enum OtherStreams {
    None,
    /// A take-over makes no allocation.
    One {
        untold: Untold,
        queue: Arc<RawStream>,
        number: u64,
    },
    /// One of what was taken over before does.
    Several(Box<(OtherStreams, OtherStreams)>),
}

impl Untold {
    /// All failures were told.
    pub(super) const NONE: Self = Self(u32::MAX);
    /// The distance is not known: all submissions of the stream.
    const FAR: u32 = u32::MAX - 1;

    /// From `since` on; none if that is behind `number`.
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
    /// That of something idle.
    #[inline]
    pub(crate) const fn none() -> Self {
        Self { since: u64::MAX, other_streams: OtherStreams::None }
    }

    /// Of both.
    #[inline]
    pub(crate) fn and(self, other: Self) -> Self {
        Self { since: self.since.min(other.since), other_streams: self.other_streams.and(other.other_streams) }
    }

    /// Of work on this stream, its submissions up to `number`, when another stream takes it over.
    pub(super) fn taken_over(queue: &Arc<RawStream>, number: u64, untold: Untold, before: OtherStreams) -> Self {
        let is_well = queue.has_done(number) && queue.failure_among(untold.since(number), number).is_none();
        let other_streams = if untold == Untold::NONE || is_well {
            before
        } else {
            OtherStreams::One { untold, queue: Arc::clone(queue), number }.and(before)
        };
        Self { since: u64::MAX, other_streams }
    }
}

impl OtherStreams {
    #[inline]
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, one) | (one, Self::None) => one,
            (own, other) => Self::Several(Box::new((own, other))),
        }
    }

    /// Whether there is any.
    #[inline]
    pub(super) fn is_somewhere(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// The failure that has not been told yet, if there is one; it counts as told then.
    pub(super) fn untold(&mut self, api: Api) -> Option<Error> {
        if matches!(self, Self::None) { None } else { self.look(api) }
    }

    /// A stream that nobody waited for is asked when it is idle. One that has more to do is not waited for: its failure
    /// is told to the next wait for it.
    #[cold]
    fn look(&mut self, api: Api) -> Option<Error> {
        match self {
            Self::None => None,
            Self::One { untold, .. } if *untold == Untold::NONE => None,
            Self::One { untold, queue, number } => {
                if !queue.has_done(*number) && queue.is_complete(api).unwrap_or(false) {
                    // What it says is asked for below.
                    let _ = queue.synchronize(api, Some(MOMENT));
                }
                let failure = queue.failure_among(untold.since(*number), *number);
                if failure.is_some() {
                    *untold = Untold::between(queue.after_failures(), *number);
                }
                failure
            }
            Self::Several(both) => both.0.look(api).or_else(|| both.1.look(api)),
        }
    }
}
