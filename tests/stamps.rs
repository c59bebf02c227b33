//! The write-ahead stamps and the gate, for all interleavings of a few threads (`loom`).
//!
//! The library is a model of one stream: work has a number in the order of queueing, and a synchronise completes what
//! was queued before it began. What must hold: memory that the stamps call idle is not used by work that is not complete.

#![allow(clippy::unwrap_used)]

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
use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
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
