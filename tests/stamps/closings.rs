//! Objects that their owner destroys where little has to be looked at, while other threads wait for them or ask them.

use super::*;

/// An object of the library, and how the safe layer keeps others away from it.
struct Object {
    gate: Gate,
    admission: Admission,
    alive: AtomicBool,
    ended: AtomicU64,
}

impl Object {
    fn new() -> Arc<Self> {
        let (gate, admission) = (Gate::open(), Admission::of(CONTEXT));
        Arc::new(Self { gate, admission, alive: AtomicBool::new(true), ended: AtomicU64::new(0) })
    }

    /// As a wait or a query does it. Returns whether the object was there.
    fn ask(&self) -> bool {
        let Some(inside) = self.gate.pass_unless_captured() else { return false };
        assert!(self.alive.load(Ordering::Relaxed), "used after it was destroyed");
        drop(inside);
        true
    }

    /// As `RawStream::destroy_at_once` and `RawEvent::destroy_at_once` do it. `None` where there is more to look at.
    fn ends_at_once(&self, agrees: bool) -> Option<bool> {
        self.admission.close_at_once(&self.gate).then(|| self.ends(agrees))
    }

    /// As `RawEvent::destroy` does it with a limit. Returns whether the object was destroyed.
    fn ends_unless_in_use(&self) -> bool {
        assert!(self.admission.shut(&self.gate), "nobody else destroys it");
        let is_empty = self.gate.becomes_empty(|| false);
        self.ends(is_empty)
    }

    /// As `RawStream::destroy` does it.
    fn ends_after_a_look(&self) {
        if self.admission.close(&self.gate) {
            self.ends(true);
        }
    }

    fn ends(&self, agrees: bool) -> bool {
        if agrees {
            // One step: loom does not look for another thread's read beyond one of this thread.
            assert!(self.alive.swap(false, Ordering::Relaxed), "destroyed twice");
            self.ended.fetch_add(1, Ordering::Relaxed);
        } else {
            self.admission.reopen(&self.gate);
        }
        agrees
    }
}

fn on<R: 'static>(object: &Arc<Object>, program: impl FnOnce(&Object) -> R + 'static) -> thread::JoinHandle<R> {
    let object = Arc::clone(object);
    thread::spawn(move || program(&object))
}

#[proves(STREAM_07, EVENT_06)]
#[test]
fn who_is_inside_of_an_object_keeps_it_from_being_destroyed_at_once() {
    loom::model(|| {
        let object = Object::new();
        let asks = on(&object, Object::ask);
        let at_once = object.ends_at_once(true);
        if at_once.is_none() {
            object.ends_after_a_look();
        }
        assert!(!object.ask(), "a destroyed object is used");
        assert!(!object.admission.is_for(CONTEXT), "a destroyed object takes work");
        assert!(!asks.join().unwrap() || !object.alive.load(Ordering::Relaxed));
        assert_eq!(object.ended.load(Ordering::Relaxed), 1);
    });
}

/// The owner, and the thread that recovers the device.
#[proves(STREAM_07, EVENT_06)]
#[test]
fn one_of_two_threads_destroys_an_object() {
    loom::model(|| {
        let object = Object::new();
        let other = on(&object, Object::ends_after_a_look);
        let _at_once_or_not = object.ends_at_once(true);
        other.join().unwrap();
        assert_eq!(object.ended.load(Ordering::Relaxed), 1);
        assert!(!object.ask());
    });
}

#[proves(STREAM_07, EVENT_06)]
#[test]
fn an_object_that_the_library_refused_to_destroy_at_once_is_used_and_destroyed_later() {
    loom::model(|| {
        let object = Object::new();
        let asks = on(&object, Object::ask);
        let refused = object.ends_at_once(false);
        assert_ne!(refused, Some(true));
        asks.join().unwrap();
        assert!(object.ask() && object.admission.is_for(CONTEXT), "it is there, and takes work");
        assert_eq!(object.ends_at_once(true), Some(true));
        assert!(!object.ask());
    });
}

#[proves(STREAM_07, EVENT_06)]
#[test]
fn an_object_that_is_in_use_for_too_long_stays_and_is_destroyed_later() {
    loom::model(|| {
        let object = Object::new();
        let asks = on(&object, Object::ask);
        let is_destroyed = object.ends_unless_in_use();
        asks.join().unwrap();
        assert_eq!(object.ask(), !is_destroyed);
        assert_eq!(object.admission.is_for(CONTEXT), !is_destroyed);
        assert!(is_destroyed || object.ends_unless_in_use(), "nobody is inside");
        assert!(!object.ask());
        assert_eq!(object.ended.load(Ordering::Relaxed), 1);
    });
}

/// The note of a failure is before the end of a call that was inside.
#[proves(ERR_02)]
#[test]
fn who_leaves_an_open_gate_learns_whether_another_call_is_inside() {
    loom::model(|| {
        let (object, noted) = (Object::new(), Arc::new(AtomicBool::new(false)));
        let inside = object.gate.pass_unless_captured().unwrap().without_address();
        let other = {
            let noted = Arc::clone(&noted);
            let inside = object.gate.pass_unless_captured().unwrap().without_address();
            on(&object, move |object| {
                noted.store(true, Ordering::Relaxed);
                object.gate.leave(inside);
            })
        };
        let others = object.gate.leave(inside);
        assert!(others || noted.load(Ordering::Relaxed), "another call left unseen");
        other.join().unwrap();
        let alone = object.gate.pass_unless_captured().unwrap().without_address();
        assert!(!object.gate.leave(alone), "nobody else was inside");
    });
}
