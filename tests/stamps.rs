//! The write-ahead stamps and the gate, for all interleavings of a few threads (`loom`).
//!
//! The library is a model of one stream: work has a number in the order of queueing, and a synchronise completes what
//! was queued before it began. What must hold: memory that the stamps call idle is not used by work that is not complete.

#![allow(clippy::unwrap_used, clippy::panic)]

/// The files under test, on loom's atomics.
#[path = "../src/ffi"]
mod ffi {
    use loom::sync::atomic;
    use loom::thread::yield_now;

    #[allow(dead_code, unreachable_pub)]
    pub mod gate;
    #[allow(dead_code, unreachable_pub)]
    pub mod stamp;
}

use ascendcl_macros::proves;
use ffi::gate::Gate;
use ffi::stamp::{Awaits, Clock, LastUse};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use loom::thread;

const STREAM: u64 = 1;

/// One stream of the library, and the safe layer's clock for it.
struct Stream {
    clock: Clock,
    queued: AtomicU64,
    complete: AtomicU64,
}

impl Stream {
    fn new() -> Self {
        Self { clock: Clock::new(), queued: AtomicU64::new(0), complete: AtomicU64::new(0) }
    }

    /// As `Queue::submit` does it. Answers with the work's number in the library.
    fn submit(&self, used: &LastUse) -> u64 {
        used.begin(STREAM);
        let number = self.queued.fetch_add(1, Ordering::AcqRel) + 1;
        used.end(self.clock.stamp());
        number
    }

    /// As `Queue::synchronize` does it.
    fn synchronize(&self) {
        let covers = self.clock.mark();
        let queued = self.queued.load(Ordering::Acquire);
        self.complete.fetch_max(queued, Ordering::AcqRel);
        self.clock.reached(covers);
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
        match used.awaits() {
            Awaits::Nothing => true,
            Awaits::Submission { number, .. } => self.clock.has_done(number),
            Awaits::Everything => self.clock.is_idle(),
            Awaits::Call => false,
        }
    }
}

#[proves(MEM_02)]
#[test]
fn what_is_called_idle_is_complete_while_others_submit_and_wait() {
    loom::model(|| {
        let stream = Arc::new(Stream::new());
        let used = Arc::new(LastUse::new());
        let first = stream.submit(&used);

        let waits = {
            let stream = Arc::clone(&stream);
            thread::spawn(move || stream.synchronize())
        };
        let submits = {
            let (stream, used) = (Arc::clone(&stream), Arc::clone(&used));
            thread::spawn(move || stream.submit(&used))
        };
        stream.collect(&used, first);
        waits.join().unwrap();
        let second = submits.join().unwrap();
        stream.collect(&used, second);
        stream.synchronize();
        assert!(stream.calls_idle(&used));
    });
}

#[proves(MEM_02)]
#[test]
fn memory_that_is_used_again_is_not_idle_while_the_call_is_under_way() {
    loom::model(|| {
        let stream = Arc::new(Stream::new());
        let used = Arc::new(LastUse::new());
        let first = stream.submit(&used);
        stream.synchronize();
        let submits = {
            let (stream, used) = (Arc::clone(&stream), Arc::clone(&used));
            thread::spawn(move || stream.submit(&used))
        };
        stream.collect(&used, first);
        submits.join().unwrap();
    });
}

#[proves(MEM_02)]
#[test]
fn memory_that_several_streams_used_is_not_idle_while_a_call_is_under_way() {
    const OTHER: u64 = 2;
    loom::model(|| {
        let stream = Arc::new(Stream::new());
        let used = Arc::new(LastUse::new());
        // Used on another stream before, whose work is done.
        used.begin(OTHER);
        used.end(1);
        let first = stream.submit(&used);
        stream.synchronize();
        let submits = {
            let (stream, used) = (Arc::clone(&stream), Arc::clone(&used));
            thread::spawn(move || stream.submit(&used))
        };
        stream.collect(&used, first);
        submits.join().unwrap();
    });
}

#[proves(MEM_02)]
#[test]
fn a_wait_does_not_cover_what_is_queued_while_it_waits() {
    loom::model(|| {
        let stream = Arc::new(Stream::new());
        let (mine, yours) = (LastUse::new(), Arc::new(LastUse::new()));
        stream.submit(&mine);
        let submits = {
            let (stream, yours) = (Arc::clone(&stream), Arc::clone(&yours));
            thread::spawn(move || stream.submit(&yours))
        };
        stream.synchronize();
        assert!(stream.calls_idle(&mine));
        let theirs = submits.join().unwrap();
        stream.collect(&yours, theirs);
    });
}

#[proves(MEM_02)]
#[test]
fn memory_at_rest_that_is_used_again_is_not_idle_before_that_work_is_complete() {
    loom::model(|| {
        let stream = Arc::new(Stream::new());
        let used = Arc::new(LastUse::new());
        let first = stream.submit(&used);
        // A wait gives the memory back: what used it so far is known to be done.
        stream.synchronize();
        used.rest();
        assert!(stream.calls_idle(&used));
        let submits = {
            let (stream, used) = (Arc::clone(&stream), Arc::clone(&used));
            thread::spawn(move || stream.submit(&used))
        };
        stream.collect(&used, first);
        let second = submits.join().unwrap();
        stream.collect(&used, second);
        stream.synchronize();
        assert!(stream.calls_idle(&used));
    });
}

#[proves(MEM_02, STREAM_04)]
#[test]
fn memory_that_another_stream_took_over_is_idle_only_when_that_stream_was_waited_for_afterwards() {
    const OTHER: u64 = 2;
    loom::model(|| {
        let (stream, other) = (Arc::new(Stream::new()), Arc::new(Stream::new()));
        let used = Arc::new(LastUse::new());
        let first = stream.submit(&used);
        let dropped = Arc::new(AtomicBool::new(false));

        let takes_over = {
            let (other, used, dropped) = (Arc::clone(&other), Arc::clone(&used), Arc::clone(&dropped));
            thread::spawn(move || {
                // As `Tasks::take_over` does it: the other stream waits for an event behind the work.
                other.submit(&LastUse::new());
                used.follow(OTHER, other.clock.mark());
                // As dropping the last handle does it.
                dropped.store(true, Ordering::Release);
            })
        };
        let waits = {
            let (stream, other) = (Arc::clone(&stream), Arc::clone(&other));
            thread::spawn(move || {
                let covers = other.clock.mark();
                if other.queued.load(Ordering::Acquire) > 0 {
                    // The event is complete, and so is the work before it.
                    stream.complete.fetch_max(first, Ordering::AcqRel);
                }
                other.clock.reached(covers);
            })
        };
        // As `Shelf::unnamed` and `Shelf::has_done` do it.
        if dropped.load(Ordering::Relaxed) {
            fence(Ordering::Acquire);
            let idle = match used.awaits() {
                Awaits::Submission { stream: OTHER, number } => other.clock.has_done(number),
                unexpected => panic!("{unexpected:?}"),
            };
            assert!(!idle || stream.complete.load(Ordering::Acquire) >= first, "idle memory is in use");
        }
        takes_over.join().unwrap();
        waits.join().unwrap();
    });
}

#[proves(STREAM_04, EVENT_05)]
#[test]
fn an_event_covers_nothing_that_another_thread_queued_behind_it() {
    loom::model(|| {
        let stream = Arc::new(Stream::new());
        let queues = {
            let stream = Arc::clone(&stream);
            thread::spawn(move || {
                let place = stream.submit(&LastUse::new());
                // As `Pending::new` does it.
                (place, stream.clock.mark())
            })
        };
        // As `RawEvent::record` does it, on a default stream that both threads see.
        let before = stream.clock.mark();
        let record = stream.submit(&LastUse::new());
        let (place, number) = queues.join().unwrap();
        assert!(number > before || place < record, "work behind the event counts as covered");
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
