//! The order of calls around the stamps, for all interleavings of a few threads (`loom`).
//!
//! The tests run files of the crate: how a submission stamps the memory that it uses, how a wait takes its mark, how a
//! failure is reported, when memory is idle, which rows have no handle, the gate, which functions are cached, and when
//! an allocator and its blocks are in use. Only the library is a model. It has one stream. Work is numbered in the
//! order of queueing. A wait completes all work that was queued before it, and reports a failure once. Two properties
//! are checked: memory that counts as idle is not used by incomplete work, and every waiter for failed work gets the
//! failure.
//!
//! `tools/mutants-of-stamps.sh` changes these files in ways that must make a test here fail.

#![allow(clippy::unwrap_used, clippy::panic)]

/// The files under test, on loom's atomics.
#[path = "../../src/ffi"]
mod ffi {
    use crate::inside::thread_hint;
    use loom::sync::atomic;
    use loom::thread::yield_now;

    #[allow(dead_code, unreachable_pub)]
    pub mod admission;
    #[allow(unreachable_pub)]
    pub mod cold_path;
    #[allow(dead_code, unreachable_pub)]
    pub mod free_slots;
    #[allow(dead_code, unreachable_pub)]
    pub mod function_cache;
    #[allow(dead_code, unreachable_pub)]
    pub mod gate;
    #[allow(dead_code, unreachable_pub)]
    pub mod in_place;
    #[allow(dead_code, unreachable_pub)]
    pub mod places;
    #[allow(dead_code, unreachable_pub)]
    pub mod sharing;
    #[allow(dead_code, unreachable_pub, unused_imports)]
    pub mod shelf;
    #[allow(dead_code, unreachable_pub)]
    pub mod stamp;
    #[allow(dead_code, unreachable_pub)]
    pub mod timeline;
    #[allow(unreachable_pub)]
    pub mod unreferenced;

    mod sync {
        pub(super) use crate::counted::Arc;
        pub(super) use crate::inside::LoomCell;
        pub(super) use loom::sync::Arc as SharedArc;
        pub(super) use loom::sync::atomic::{Ordering, fence};
    }
}

#[path = "../../src/allocator"]
mod allocator {
    use loom::sync::atomic;

    #[allow(dead_code, unreachable_pub)]
    pub mod recent;
    #[allow(dead_code, unreachable_pub)]
    pub mod size_class;
}

mod captures;
mod closings;
mod counted;
mod inside;
mod lent;
mod plain;
mod replays;
mod sharing;
mod shelves;
mod tickets;
mod two_streams;

use ascendcl_macros::proves;
use ffi::admission::Admission;
use ffi::gate::Gate;
use ffi::stamp::{LastUse, Obstacles, Ticket, Unknown};
use ffi::timeline::{Timeline, submitted};
use ffi::unreferenced::unreferenced;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use loom::thread;

const CONTEXT: u64 = 7;
const STREAM: u64 = 1;
const OTHER: u64 = 2;
const FAILED: i32 = 507_015;

/// One stream of the library, and what the safe layer knows of it.
struct Stream {
    timeline: Timeline,
    gate: Gate,
    queued: AtomicU64,
    complete: AtomicU64,
    /// Work failed, and no wait has reported it yet.
    failure: AtomicBool,
}

impl Stream {
    fn new(id: u64) -> Self {
        let (timeline, gate, failure) = (Timeline::new(id), Gate::open(), AtomicBool::new(false));
        Self { timeline, gate, queued: AtomicU64::new(0), complete: AtomicU64::new(0), failure }
    }

    /// For the one who has the stream's handle. Answers with the work's number in the library.
    fn submit(&self, used: &LastUse) -> u64 {
        match self.timeline.next_for(Obstacles::NONE, [used]) {
            Some(next) => self.queue(next, used, Ok(()), true),
            None => self.queue(Unknown, used, Ok(()), true),
        }
    }

    /// For one of several threads.
    fn submit_among_others(&self, used: &LastUse) -> u64 {
        self.queue(Unknown, used, Ok(()), true)
    }

    /// The library takes the work in any case, and returns `answer`.
    fn queue(&self, ticket: impl Ticket, used: &LastUse, answer: Result<(), i32>, settles: bool) -> u64 {
        let mut place = 0;
        let call = || {
            place = self.queued.fetch_add(1, Ordering::AcqRel) + 1;
            answer
        };
        let _number_or_code = self.queue_by(ticket, used, call, settles);
        place
    }

    /// Answers with the number of the submission.
    fn queue_by(
        &self,
        ticket: impl Ticket,
        used: &LastUse,
        call: impl FnOnce() -> Result<(), i32>,
        settles: bool,
    ) -> Result<u64, i32> {
        submitted!(&self.timeline, ticket, [used], call(), |code, _| (code, settles && self.synchronize().is_ok()))
    }

    /// As `RawStream::synchronize` calls it.
    fn synchronize(&self) -> Result<(), i32> {
        let inside = self.gate.pass_unless_captured().unwrap().without_address();
        let wait = || {
            let queued = self.queued.load(Ordering::Acquire);
            self.complete.fetch_max(queued, Ordering::AcqRel);
            if self.failure.swap(false, Ordering::AcqRel) { Err(FAILED) } else { Ok(()) }
        };
        self.timeline.wait(None, wait, |code| Some(*code), || self.gate.leave(inside), || || self.gate.inside() > 0)
    }

    /// Looks, at any moment, whether memory may be freed: all work of this stream uses it, so what was queued by now
    /// has to be complete then; `at_least` was queued before.
    fn collect(&self, used: &LastUse, at_least: u64) {
        let queued_by_now = self.queued.load(Ordering::Acquire).max(at_least);
        if self.calls_idle(used) {
            assert!(self.complete.load(Ordering::Acquire) >= queued_by_now, "idle memory is in use");
        }
    }

    fn calls_idle(&self, used: &LastUse) -> bool {
        used.is_over(|_, number| self.timeline.clock().has_done(number), || self.timeline.clock().is_idle())
    }
}

/// A thread that runs `program` with the stream and something that its work uses.
fn with<T: Send + Sync + 'static>(
    stream: &Arc<Stream>,
    shared: &Arc<T>,
    program: impl FnOnce(&Stream, &T) -> u64 + 'static,
) -> thread::JoinHandle<u64> {
    let (stream, shared) = (Arc::clone(stream), Arc::clone(shared));
    thread::spawn(move || program(&stream, &shared))
}

/// A thread that queues work, with the stream's handle. It has the number of its work already: loom does not look for other
/// threads' reads of the count beyond the thread's own.
fn submits(stream: &Arc<Stream>, used: &Arc<LastUse>) -> thread::JoinHandle<u64> {
    match stream.timeline.next_for(Obstacles::NONE, [&**used]) {
        Some(next) => with(stream, used, move |stream, used| stream.queue(next, used, Ok(()), true)),
        None => with(stream, used, Stream::submit_among_others),
    }
}

/// Three threads have too many interleavings: those with up to three switches that no thread asked for.
fn of_three_threads(program: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(program);
}

#[proves(MEM_02)]
#[test]
fn what_is_called_idle_is_complete_while_others_submit_and_wait() {
    of_three_threads(|| {
        let (stream, used) = (Arc::new(Stream::new(STREAM)), Arc::new(LastUse::of(CONTEXT)));
        let first = stream.submit(&used);
        let waits = with(&stream, &used, |stream, _| stream.synchronize().map_or(1, |()| 0));
        let submits = submits(&stream, &used);
        stream.collect(&used, first);
        waits.join().unwrap();
        let second = submits.join().unwrap();
        stream.collect(&used, second);
        stream.synchronize().unwrap();
        assert!(stream.calls_idle(&used));
    });
}

#[proves(MEM_02)]
#[test]
fn memory_that_is_used_again_is_not_idle_while_the_call_is_under_way() {
    loom::model(|| {
        let (stream, used) = (Arc::new(Stream::new(STREAM)), Arc::new(LastUse::of(CONTEXT)));
        let first = stream.submit(&used);
        stream.synchronize().unwrap();
        let submits = submits(&stream, &used);
        stream.collect(&used, first);
        submits.join().unwrap();
    });
}

#[proves(MEM_02)]
#[test]
fn memory_that_several_streams_used_is_not_idle_while_a_call_is_under_way() {
    for is_alone in [true, false] {
        loom::model(move || {
            let (stream, used) = (Arc::new(Stream::new(STREAM)), Arc::new(LastUse::of(CONTEXT)));
            // Used on another stream before, whose work is done.
            let other = Stream::new(OTHER);
            other.submit(&used);
            other.synchronize().unwrap();
            let first = stream.submit(&used);
            stream.synchronize().unwrap();
            let submits = match is_alone {
                true => submits(&stream, &used),
                false => with(&stream, &used, Stream::submit_among_others),
            };
            stream.collect(&used, first);
            let second = submits.join().unwrap();
            stream.collect(&used, second);
            stream.synchronize().unwrap();
            assert!(stream.calls_idle(&used));
        });
    }
}

#[proves(MEM_02)]
#[test]
fn memory_that_two_streams_use_is_idle_only_when_both_are() {
    for first in [STREAM, OTHER] {
        loom::model(move || {
            let (stream, other, used) = (Stream::new(STREAM), Stream::new(OTHER), LastUse::of(CONTEXT));
            let at = |id| if id == STREAM { &stream } else { &other };
            let are_idle = || [STREAM, OTHER].iter().all(|id| at(*id).timeline.clock().is_idle());
            let is_over = || used.is_over(|id, number| at(id).timeline.clock().has_done(number), are_idle);
            other.submit(&used);
            stream.submit(&used);
            at(first).synchronize().unwrap();
            assert!(!is_over(), "idle memory is in use");
            at(STREAM + OTHER - first).synchronize().unwrap();
            assert!(is_over());
        });
    }
}

#[proves(MEM_02)]
#[test]
fn a_wait_does_not_cover_what_is_queued_while_it_waits() {
    loom::model(|| {
        let (stream, mine, yours) =
            (Arc::new(Stream::new(STREAM)), LastUse::of(CONTEXT), Arc::new(LastUse::of(CONTEXT)));
        stream.submit(&mine);
        let submits = submits(&stream, &yours);
        stream.synchronize().unwrap();
        assert!(stream.calls_idle(&mine));
        let theirs = submits.join().unwrap();
        stream.collect(&yours, theirs);
    });
}

#[proves(MEM_02)]
#[test]
fn memory_at_rest_that_is_used_again_is_not_idle_before_that_work_is_complete() {
    loom::model(|| {
        let (stream, used) = (Arc::new(Stream::new(STREAM)), Arc::new(LastUse::of(CONTEXT)));
        let first = stream.submit(&used);
        // A wait gives the memory back: what used it so far is known to be done.
        stream.synchronize().unwrap();
        used.mark_idle();
        assert!(stream.calls_idle(&used));
        let submits = submits(&stream, &used);
        stream.collect(&used, first);
        let second = submits.join().unwrap();
        stream.collect(&used, second);
        stream.synchronize().unwrap();
        assert!(stream.calls_idle(&used));
    });
}

#[proves(MEM_02)]
#[test]
fn a_row_that_another_thread_stopped_naming_is_seen_with_the_stamps_of_its_last_use() {
    loom::model(|| {
        let stream = Arc::new(Stream::new(STREAM));
        let row = counted::Arc::new(LastUse::of(CONTEXT));
        let (handle, queues) = (row.clone(), Arc::clone(&stream));
        let submits = thread::spawn(move || {
            queues.submit(&handle);
            drop(handle);
        });
        // As `Ledger::collect` does it.
        for row in unreferenced([&row].into_iter()) {
            if stream.calls_idle(&row) {
                assert!(stream.complete.load(Ordering::Acquire) >= 1, "a row was freed under its work");
            }
        }
        submits.join().unwrap();
        assert_eq!(unreferenced([&row].into_iter()).len(), 1);
    });
}

#[proves(MEM_02)]
#[test]
fn what_a_failed_call_was_to_use_is_in_doubt_unless_a_wait_came_after_it() {
    for settles in [false, true] {
        loom::model(move || {
            let (stream, used) = (Arc::new(Stream::new(STREAM)), Arc::new(LastUse::of(CONTEXT)));
            let submits = with(&stream, &used, move |stream, used| {
                stream.queue(stream.timeline.next_for(Obstacles::NONE, [used]).unwrap(), used, Err(FAILED), settles)
            });
            stream.collect(&used, 0);
            let place = submits.join().unwrap();
            assert_eq!(used.is_in_doubt(), !settles);
            assert_eq!(stream.complete.load(Ordering::Acquire) >= place, settles);
            assert_eq!(stream.calls_idle(used.as_ref()), settles, "work that a wait covered is never over");
            stream.collect(&used, place);
        });
    }
}

#[proves(ERR_02)]
#[test]
fn everybody_who_waits_for_work_that_failed_is_told() {
    loom::model(|| {
        let (stream, used) = (Arc::new(Stream::new(STREAM)), Arc::new(LastUse::of(CONTEXT)));
        stream.submit(&used);
        stream.submit(&used);
        stream.failure.store(true, Ordering::Release);
        // As `Pending::wait` does it; the number of one is 1, that of the other 2.
        let is_told = |stream: &Stream, number: u64| {
            stream.synchronize().is_err() || stream.timeline.failure_among(number, number) == Some(FAILED)
        };
        let other = with(&stream, &used, move |stream, _| is_told(stream, 1).into());
        assert!(is_told(&stream, 2), "the failure was told to somebody else only");
        assert_eq!(other.join().unwrap(), 1, "the failure was told to somebody else only");
    });
}

#[proves(MEM_02, STREAM_16)]
#[test]
fn a_wait_that_failed_or_whose_time_was_up_covers_nothing() {
    loom::model(|| {
        let (stream, used) = (Arc::new(Stream::new(STREAM)), Arc::new(LastUse::of(CONTEXT)));
        let submits = submits(&stream, &used);
        for code in [None, Some(FAILED)] {
            let failed = stream.timeline.wait(None, || Err(()), |()| code, || false, || || false);
            assert_eq!(failed, Err(()));
        }
        stream.collect(&used, 0);
        let place = submits.join().unwrap();
        stream.collect(&used, place);
        assert!(!stream.calls_idle(&used));
    });
}

#[proves(STREAM_07, EVENT_06)]
#[test]
fn nobody_uses_an_object_while_or_after_it_is_destroyed() {
    loom::model(|| {
        let gate = Arc::new(Gate::open());
        let alive = Arc::new(AtomicBool::new(true));
        let user = {
            let (gate, alive) = (Arc::clone(&gate), Arc::clone(&alive));
            thread::spawn(move || {
                if let Some(_inside) = gate.pass() {
                    assert!(alive.load(Ordering::Acquire), "used after it was destroyed");
                }
            })
        };
        assert!(gate.close());
        alive.store(false, Ordering::Release);
        assert!(gate.pass().is_none());
        assert!(!gate.close(), "destroyed twice");
        user.join().unwrap();
    });
}
