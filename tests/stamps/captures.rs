//! The gate's mark of a capture: one thread begins and ends a capture while others wait, submit or destroy.

use super::*;

/// What a stream answers that is being captured, or that is gone.
const REFUSED: i32 = 107_000;

/// A stream that can be captured.
struct Capturable {
    stream: Stream,
    admission: Admission,
    /// The library captures it.
    captured: AtomicBool,
}

impl Capturable {
    fn new() -> Arc<Self> {
        let (admission, captured) = (Admission::of(CONTEXT), AtomicBool::new(false));
        Arc::new(Self { stream: Stream::new(STREAM), admission, captured })
    }

    fn begin(&self) -> bool {
        self.admission.begin_capture(&self.stream.gate)
    }

    fn end(&self) {
        self.admission.end_capture(&self.stream.gate);
    }

    fn close(&self) -> bool {
        self.admission.close(&self.stream.gate)
    }

    /// As `RawGraph::begin` and `RawGraph::end` do it.
    fn capture(&self) -> bool {
        let begun = self.begin();
        if begun {
            assert!(!self.captured.load(Ordering::Relaxed), "two captures of one stream");
            self.captured.store(true, Ordering::Relaxed);
            // As `RawStream::capture_call` does it.
            let inside = self.stream.gate.pass();
            assert!(inside.is_some() && self.stream.gate.is_capturing(), "a captured task runs now");
            drop(inside);
            assert!(!self.admission.is_for(CONTEXT), "a captured stream takes work that is not captured");
            self.captured.store(false, Ordering::Relaxed);
            self.end();
        }
        begun
    }

    /// As `RawStream::submit` does it: only a stream that is there and not captured takes work.
    fn submit(&self, used: &LastUse) -> Option<u64> {
        self.admission.is_for(CONTEXT).then(|| self.stream.submit(used))
    }

    /// As `RawStream::synchronize` does it. The library refuses to wait for a stream whose capture began after the look
    /// at the gate.
    fn synchronize(&self) -> Result<(), i32> {
        let inside = self.stream.gate.pass_unless_captured().ok_or(REFUSED)?.without_address();
        let wait = || {
            if self.captured.load(Ordering::Relaxed) {
                return Err(REFUSED);
            }
            let queued = self.stream.queued.load(Ordering::Acquire);
            self.stream.complete.fetch_max(queued, Ordering::AcqRel);
            Ok(())
        };
        let end = || {
            let others = self.stream.gate.leave(inside);
            assert!(self.stream.gate.inside() <= 1, "more threads are inside than there are");
            others
        };
        self.stream.timeline.wait(None, wait, |_| None, end, || || self.stream.gate.inside() > 0)
    }
}

fn on<R: 'static>(stream: &Arc<Capturable>, program: impl FnOnce(&Capturable) -> R + 'static) -> thread::JoinHandle<R> {
    let stream = Arc::clone(stream);
    thread::spawn(move || program(&stream))
}

#[proves(GRAPH_04, MEM_02)]
#[test]
fn a_wait_that_meets_a_capture_covers_no_replay_that_it_did_not_wait_for() {
    // It has as many steps as programs of three threads.
    of_three_threads(|| {
        let (stream, graph) = (Capturable::new(), Arc::new(LastUse::of(CONTEXT)));
        let captures = {
            let graph = Arc::clone(&graph);
            on(&stream, move |stream| {
                assert!(stream.capture());
                stream.submit(&graph).expect("a stream takes work after its capture")
            })
        };
        let _done_or_refused = stream.synchronize();
        stream.stream.collect(&graph, 0);
        let replay = captures.join().unwrap();
        stream.stream.collect(&graph, replay);
        stream.synchronize().unwrap();
        assert!(stream.stream.calls_idle(&graph));
    });
}

#[proves(GRAPH_04)]
#[test]
fn who_sees_that_a_capture_is_over_sees_the_librarys_end_of_it() {
    loom::model(|| {
        let stream = Capturable::new();
        assert!(stream.begin());
        stream.captured.store(true, Ordering::Relaxed);
        assert!(stream.submit(&LastUse::of(CONTEXT)).is_none(), "a captured stream took other work");
        assert_eq!(stream.stream.gate.inside(), 0, "a capture counts as a call that is inside");
        let ends = on(&stream, |stream| {
            stream.captured.store(false, Ordering::Relaxed);
            stream.end();
        });
        if !stream.stream.gate.is_capturing() {
            assert!(!stream.captured.load(Ordering::Relaxed), "a capture that is under way counts as over");
        }
        ends.join().unwrap();
        assert!(stream.submit(&LastUse::of(CONTEXT)).is_some());
    });
}

#[proves(GRAPH_01)]
#[test]
fn one_of_two_threads_captures_a_stream_at_a_time() {
    loom::model(|| {
        let stream = Capturable::new();
        let other = on(&stream, Capturable::capture);
        let own = stream.capture();
        assert!(other.join().unwrap() || own, "nobody captured it");
        assert!(stream.capture(), "a capture was left open");
    });
}

#[proves(GRAPH_01, STREAM_07)]
#[test]
fn a_stream_that_is_destroyed_is_not_captured() {
    loom::model(|| {
        let (stream, alive) = (Capturable::new(), Arc::new(AtomicBool::new(true)));
        let captures = {
            let alive = Arc::clone(&alive);
            on(&stream, move |stream| {
                // The gate keeps out the capture's calls, and nobody waits for its end.
                if stream.begin()
                    && let Some(_inside) = stream.stream.gate.pass()
                {
                    assert!(alive.load(Ordering::Acquire), "captured after it was destroyed");
                }
            })
        };
        assert!(stream.close());
        alive.store(false, Ordering::Release);
        captures.join().unwrap();
        assert!(!stream.begin(), "a destroyed stream is captured");
        assert!(!stream.admission.is_for(CONTEXT), "a destroyed stream takes work");
        assert!(stream.stream.gate.is_closed() && !stream.close(), "destroyed twice");
    });
}

#[proves(STREAM_07, GRAPH_04)]
#[test]
fn a_capture_hides_no_call_from_the_thread_that_destroys() {
    of_three_threads(|| {
        let (stream, alive) = (Capturable::new(), Arc::new(AtomicBool::new(true)));
        let waits = {
            let alive = Arc::clone(&alive);
            on(&stream, move |stream| {
                if let Some(_inside) = stream.stream.gate.pass() {
                    assert!(alive.load(Ordering::Acquire), "used after it was destroyed");
                }
            })
        };
        let captures = on(&stream, |stream| {
            if stream.begin() {
                stream.end();
            }
        });
        assert!(stream.close());
        alive.store(false, Ordering::Release);
        waits.join().unwrap();
        captures.join().unwrap();
        assert!(!stream.stream.gate.is_capturing(), "the mark of a capture that did not begin is left");
        assert_eq!(stream.stream.gate.inside(), 0);
    });
}

#[proves(GRAPH_01)]
#[test]
fn a_stream_that_could_not_be_destroyed_takes_work_and_captures_again() {
    loom::model(|| {
        let stream = Capturable::new();
        let captures = on(&stream, |stream| stream.begin());
        assert!(stream.close());
        stream.admission.reopen(&stream.stream.gate);
        let begun = captures.join().unwrap();
        assert_eq!(stream.stream.gate.is_capturing(), begun, "the gate and its caller disagree about a capture");
        assert_eq!(stream.stream.gate.is_open(), !begun);
        let is_let_in = stream.stream.gate.pass_unless_captured().is_some();
        assert_eq!(is_let_in, !begun, "the flags disagree");
        assert_eq!(stream.admission.is_for(CONTEXT), !begun);
        if begun {
            stream.end();
        }
        assert!(stream.capture());
    });
}
