//! State that all threads of a program share: the allowed failures, and the observations.

use crate::program::{Faults, Kind, Program};
use ascendcl::{Device, Error};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

pub(crate) struct World<'w> {
    pub(crate) device: &'w Device<'w>,
    pub(crate) faults: &'w Faults,
    pub(crate) on_device: bool,
    /// The library has what the manual says, and so it has conditions.
    pub(crate) documented: bool,
    pub(crate) forgets: bool,
    /// Several threads run: one may meet the capture of another.
    several: bool,
    /// Graphs may have blocks of pools, also graphs that were dropped or forgotten.
    captured_pools: AtomicBool,
    next: AtomicU64,
}

/// What the programs did, all together: a test that compares nothing shows nothing.
#[derive(Default, Debug)]
pub(crate) struct Seen {
    pub(crate) steps: AtomicU64,
    pub(crate) compared: AtomicU64,
    pub(crate) waits: AtomicU64,
    pub(crate) errors: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) replays: AtomicU64,
    pub(crate) conditions: AtomicU64,
    pub(crate) pooled: AtomicU64,
    pub(crate) forced: AtomicU64,
}

pub(crate) static SEEN: Seen = Seen {
    steps: AtomicU64::new(0),
    compared: AtomicU64::new(0),
    waits: AtomicU64::new(0),
    errors: AtomicU64::new(0),
    refused: AtomicU64::new(0),
    replays: AtomicU64::new(0),
    conditions: AtomicU64::new(0),
    pooled: AtomicU64::new(0),
    forced: AtomicU64::new(0),
};

impl<'w> World<'w> {
    pub(crate) fn new(device: &'w Device<'w>, program: &'w Program) -> Self {
        let Program { machine, faults, forgets, threads, .. } = program;
        let (on_device, documented, several) = (machine.on_device, machine.documented, threads.len() > 1);
        Self {
            device,
            faults,
            on_device,
            documented,
            forgets: *forgets,
            several,
            captured_pools: AtomicBool::new(false),
            next: AtomicU64::new(1),
        }
    }

    pub(crate) fn captures_a_pool(&self) {
        self.captured_pools.store(true, Relaxed);
    }

    /// A number that was not there before: of a stream, or of a moment.
    pub(crate) fn next(&self) -> u64 {
        self.next.fetch_add(1, Relaxed)
    }

    pub(crate) fn is_faulty(&self) -> bool {
        self.faults.kind != Kind::None
    }

    /// Whether work can fail on the device after it was queued.
    pub(crate) fn work_can_fail(&self) -> bool {
        self.faults.kind == Kind::Lost
    }

    /// An operation that is right failed. That may be where something goes wrong on purpose.
    #[track_caller]
    pub(crate) fn failed(&self, what: &str, error: &Error) {
        SEEN.errors.fetch_add(1, Relaxed);
        let left = ["aclmdlRICaptureEnd", "aclmdlRICaptureTaskUpdateEnd"];
        let captures = self.several || left.into_iter().any(crate::run::was_injected);
        if captures && is_of_a_capture(error) {
            return;
        }
        if matches!(error, Error::BlocksInUse { .. }) && self.captured_pools.load(Relaxed) {
            return;
        }
        assert!(self.is_faulty(), "{what} failed although nothing goes wrong: {error}");
        // No fault of these programs has a code of misuse: such a code comes of the crate. But for the one of work that
        // was discarded, which is what becomes of an event on a lost device.
        const DISCARDED: i32 = 107_023;
        let code = error.code().map_or(0, |code| code.number());
        assert!(
            code == DISCARDED || !(100_000..200_000).contains(&code),
            "{what}: the library says that it was misused: {error}"
        );
    }

    #[track_caller]
    pub(crate) fn well<T>(&self, what: &str, result: Result<T, impl Into<Error>>) -> Option<T> {
        result.map_err(|error| self.failed(what, &error.into())).ok()
    }

    /// An operation that is wrong was refused, and by the right error if nothing else can be the reason.
    #[track_caller]
    pub(crate) fn refused(&self, what: &str, error: &Error) {
        SEEN.refused.fetch_add(1, Relaxed);
        let right = matches!(
            error,
            Error::OtherStream { .. } | Error::LengthMismatch { .. } | Error::NoSuchPart { .. } | Error::NotCovered
        );
        assert!(right || self.is_faulty(), "{what} was refused for another reason: {error}");
    }

    /// A buffer holds what it has to.
    #[track_caller]
    pub(crate) fn compare(&self, what: &str, found: &[f32], holds: Option<&[f32]>) {
        let Some(holds) = holds else { return };
        SEEN.compared.fetch_add(1, Relaxed);
        let same = found.len() == holds.len() && found.iter().zip(holds).all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(same, "{what} holds {found:?} and not {holds:?}");
    }
}

impl World<'_> {
    pub(crate) fn waits_succeed_at_the_second_try(&self) -> bool {
        matches!(self.faults.kind, Kind::None | Kind::One | Kind::Full)
    }
}

/// Another thread captures the stream, or a stream of the context; or the library has refused to end a capture, which
/// lasts then. Meanwhile the library may refuse synchronous copies, too (107030, GRAPH-04).
fn is_of_a_capture(error: &Error) -> bool {
    const CAPTURED: [i32; 4] = [107_027, 107_028, 107_030, 107_041];
    matches!(error, Error::Capturing) || error.code().is_some_and(|code| CAPTURED.contains(&code.number()))
}
