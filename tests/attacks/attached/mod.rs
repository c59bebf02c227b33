//! Objects of other code that are attached to a context: they end once, in their turn, and before what they use.

mod refusing;
mod uses;

use super::{collect, fail, hold, inside, nothing_fails, upload, with_device};
use crate::common::{acl, alone, library};
use ascendcl::capture::CaptureMode;
use ascendcl::raw::{Attach, Attached, EndingContext, EndsBefore, Uses};
use ascendcl::runtime::{self, CloseError};
use ascendcl::{Brand, Current, Error, Runtime, ScopeError, Thread, error::ObjectKind};
use ascendcl_macros::proves;
use ascendcl_sim::control::{self, Live};
use std::error::Error as AnyError;
use std::mem;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

ascendcl::names!(Worker);

const EVERYTHING: u8 = EndsBefore::Everything as u8;
const MODELS: u8 = EndsBefore::Models as u8;
const EVENTS: u8 = EndsBefore::Events as u8;
const STREAMS: u8 = EndsBefore::Streams as u8;
const MEMORY: u8 = EndsBefore::Memory as u8;
const CONTEXT: u8 = EndsBefore::Context as u8;

/// What was taken down, in order, and what lived then.
#[derive(Default)]
struct Log {
    ended: Mutex<Vec<(&'static str, Live)>>,
    /// How often taking down fails, and how often it panics, before it succeeds.
    fails: AtomicU32,
    panics: AtomicU32,
    dropped: AtomicU32,
}

impl Log {
    fn names(&self) -> Vec<&'static str> {
        self.ended.lock().unwrap().iter().map(|(name, _)| *name).collect()
    }

    fn lived(&self, name: &str) -> Live {
        self.ended.lock().unwrap().iter().find(|(known, _)| *known == name).unwrap().1
    }

    fn probe<const STAGE: u8>(self: &Arc<Self>, name: &'static str) -> Probe<STAGE> {
        Probe { name, log: Arc::clone(self) }
    }
}

struct Probe<const STAGE: u8> {
    name: &'static str,
    log: Arc<Log>,
}

// SAFETY: it stands for nothing in the library.
unsafe impl<const STAGE: u8> Attach for Probe<STAGE> {
    const NAME: &'static str = "probe";
    const ENDS_BEFORE: EndsBefore = match STAGE {
        EVERYTHING => EndsBefore::Everything,
        MODELS => EndsBefore::Models,
        EVENTS => EndsBefore::Events,
        STREAMS => EndsBefore::Streams,
        MEMORY => EndsBefore::Memory,
        _ => EndsBefore::Context,
    };

    fn take_down(&self, from: &EndingContext<'_>) -> Result<(), Box<dyn AnyError + Send + Sync>> {
        assert!(!from.context().is_null() && from.library().is_simulator() && !from.was_reset());
        let once =
            |left: &AtomicU32| left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok();
        if once(&self.log.fails) {
            from.library().check_call("end a probe", "probeEnd", 507_899)?;
        }
        assert!(!once(&self.log.panics), "a probe");
        self.log.ended.lock().unwrap().push((self.name, control::live()));
        Ok(())
    }
}

impl<const STAGE: u8> Drop for Probe<STAGE> {
    fn drop(&mut self) {
        self.log.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

fn attach<C: Brand, const STAGE: u8, U: Uses<C>>(
    current: &Current<C>,
    probe: Probe<STAGE>,
    uses: U,
) -> Attached<C, Probe<STAGE>, U> {
    current.attach(probe, uses).map_err(Error::from).unwrap()
}

#[proves(DEV_10)]
#[test]
fn what_was_left_ends_in_its_turn_and_the_last_one_first() {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    inside(|current| {
        // Attached in another order than they end in.
        drop(attach(current, log.probe::<CONTEXT>("context"), ()));
        mem::forget(attach(current, log.probe::<MEMORY>("memory"), ()));
        mem::forget(attach(current, log.probe::<STREAMS>("first of the streams"), ()));
        mem::forget(attach(current, log.probe::<STREAMS>("second of the streams"), ()));
        mem::forget(attach(current, log.probe::<EVENTS>("events"), ()));
        mem::forget(attach(current, log.probe::<MODELS>("models"), ()));
        drop(attach(current, log.probe::<EVERYTHING>("everything"), ()));
        mem::forget((current.stream().unwrap(), current.event().unwrap(), crate::model(current)));
        mem::forget(current.upload(&[1_u8]).unwrap());
    });
    let order =
        ["everything", "models", "events", "second of the streams", "first of the streams", "memory", "context"];
    assert_eq!(log.names(), order);
    let lives = |name| {
        let live = log.lived(name);
        (live.models, live.events, live.streams, live.device_blocks > 0, live.contexts)
    };
    assert_eq!(lives("everything"), (1, 1, 1, true, 1));
    assert_eq!(lives("models"), (1, 1, 1, true, 1));
    assert_eq!(lives("events"), (0, 1, 1, true, 1));
    assert_eq!(lives("second of the streams"), (0, 0, 1, true, 1));
    assert_eq!(lives("memory"), (0, 0, 0, true, 1));
    assert_eq!(lives("context"), (0, 0, 0, false, 1));
    // A forgotten handle keeps the value on the host, as every forgotten `Arc` does.
    assert_eq!(log.dropped.load(Ordering::SeqCst), 2);
    alone.assert_nothing_lives();
}

#[proves(DEV_10)]
#[test]
fn what_is_taken_down_ends_once_and_gives_back_what_it_used() {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    inside(|current| {
        let used = (current.stream().unwrap(), current.upload(&[7_u8]).unwrap());
        let attached = attach(current, log.probe::<STREAMS>("one"), used);
        attached.get(current).unwrap();
        assert_eq!(attached.uses().1.len(), 1);
        let (stream, buffer) = attached.take_down(current).map_err(Error::from).unwrap();
        assert_eq!((log.names().len(), log.dropped.load(Ordering::SeqCst)), (1, 1));
        assert_eq!(buffer.to_vec(current).unwrap(), [7]);
        stream.destroy(current).map_err(Error::from).unwrap();
        collect(current);
    });
    assert_eq!(log.names(), ["one"]);
    alone.assert_nothing_lives();
}

#[proves(DEV_10, STREAM_05, MEM_02)]
#[test]
fn what_a_forgotten_object_uses_outlives_it() {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    inside(|current| {
        let (stream, buffer) = (current.stream().unwrap(), current.upload(&[7_u8]).unwrap());
        let (event, host) = (current.event().unwrap(), current.host_buffer::<u8>(1).unwrap());
        let shared = current.upload(&[8_u8]).unwrap().into_shared();
        let used = ((stream, vec![buffer]), event, (host, crate::model(current)), shared);
        let before = control::live();
        mem::forget(attach(current, log.probe::<STREAMS>("one"), used));
        collect(current);
        assert_eq!(control::live(), before);
        assert_eq!(log.names(), [""; 0]);
    });
    assert_eq!(log.lived("one").streams, 1);
    alone.assert_nothing_lives();
}

#[proves(DEV_10)]
#[test]
fn what_was_dropped_is_collected_when_no_work_can_use_it() {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    inside(|current| {
        let (stream, other) = (current.stream().unwrap(), current.stream().unwrap());
        let release = hold(current, &stream);
        drop(attach(current, log.probe::<STREAMS>("one"), ()));
        // The work could be the object's: another stream says nothing about it.
        other.synchronize(current).unwrap();
        collect(current);
        assert_eq!(log.names(), [""; 0]);
        release.send(()).unwrap();
        stream.synchronize(current).unwrap();
        collect(current);
        assert_eq!(log.names(), ["one"]);
        collect(current);
    });
    assert_eq!((log.names(), log.dropped.load(Ordering::SeqCst)), (vec!["one"], 1));
    alone.assert_nothing_lives();
}

#[proves(DEV_10)]
#[test]
fn what_was_dropped_ends_in_its_turn_at_a_collection_too() {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    inside(|current| {
        drop(attach(current, log.probe::<STREAMS>("first of the streams"), ()));
        drop(attach(current, log.probe::<STREAMS>("second of the streams"), ()));
        // The last one that was attached needs the least.
        drop(attach(current, log.probe::<CONTEXT>("context"), ()));
        collect(current);
        assert_eq!(log.names(), ["second of the streams", "first of the streams", "context"]);
    });
    alone.assert_nothing_lives();
}

#[proves(DEV_10)]
#[test]
fn work_that_other_code_has_queued_is_waited_for() {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    inside(|current| {
        let stream = current.stream().unwrap();
        let release = hold(current, &stream);
        let attached = attach(current, log.probe::<STREAMS>("one"), ());
        thread::scope(|scope| {
            let log = &log;
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(50));
                assert_eq!(log.names(), [""; 0], "taken down under work");
                release.send(()).unwrap();
            });
            attached.take_down(current).map_err(Error::from).unwrap();
        });
        assert_eq!(log.names(), ["one"]);
        stream.synchronize(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_09)]
#[test]
fn it_is_used_and_taken_down_in_its_own_context_only() {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    let open = || Runtime::<Worker>::open(library()).unwrap();
    let (first, second) = (open(), open());
    let attached = first.with(|current| attach(current, log.probe::<STREAMS>("one"), ())).unwrap();
    let attached = second
        .with(|current| {
            let error = attached.get(current).err().unwrap();
            assert!(matches!(error, Error::WrongContext { what: ObjectKind::ATTACHED, .. }), "{error}");
            let failed = attached.take_down(current).unwrap_err();
            assert!(matches!(failed.error, Error::WrongContext { what: ObjectKind::ATTACHED, .. }), "{}", failed.error);
            failed.value
        })
        .unwrap();
    assert_eq!(log.names(), [""; 0]);
    first.close().unwrap();
    assert_eq!(log.names(), ["one"]);
    // It outlives its runtime, and is nothing any more.
    second.with(|current| assert!(attached.take_down(current).is_err())).unwrap();
    second.close().unwrap();
    assert_eq!((log.names(), log.dropped.load(Ordering::SeqCst)), (vec!["one"], 1));
    alone.assert_nothing_lives();
}

#[proves(DEV_10)]
#[test]
fn a_runtime_ends_what_is_stored_beside_it_in_any_order_of_fields() {
    struct Before {
        _attached: Attached<Worker, Probe<STREAMS>>,
        _runtime: Runtime<Worker>,
    }
    let (alone, log) = (alone(), Arc::new(Log::default()));
    let runtime = Runtime::open(library()).unwrap();
    let attached = runtime.with(|current| attach(current, log.probe("one"), ())).unwrap();
    drop(Before { _attached: attached, _runtime: runtime });
    let runtime = Runtime::<Worker>::open(library()).unwrap();
    let attached: Attached<_, Probe<STREAMS>> = runtime.with(|current| attach(current, log.probe("two"), ())).unwrap();
    drop(runtime);
    drop(attached);
    assert!(runtime::sweep(Some(Duration::from_secs(10))).is_empty());
    assert_eq!(log.names(), ["one", "two"]);
    alone.assert_nothing_lives();
}

/// Tries what is not allowed while it is taken down.
struct Reenters(Arc<Runtime<Worker>>, Arc<Mutex<Vec<String>>>);

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Reenters {
    const NAME: &'static str = "object that enters";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn AnyError + Send + Sync>> {
        let mut tried = self.1.lock().unwrap();
        tried.push(format!("{:?}", Thread::new().err()));
        tried.push(format!("{:?}", self.0.with(|_| ()).err()));
        tried.push(format!("{:?}", self.0.close().err()));
        tried.push(format!("{:?}", runtime::sweep(None)));
        Ok(())
    }
}

#[proves(THREAD_01, CTX_11)]
#[test]
fn nothing_is_entered_or_closed_while_an_object_is_taken_down() {
    let (alone, tried) = (alone(), Arc::default());
    let runtime = Arc::new(Runtime::open(library()).unwrap());
    let object = Reenters(Arc::clone(&runtime), Arc::clone(&tried));
    runtime.with(|current| mem::forget(current.attach(object, ()).map_err(Error::from).unwrap())).unwrap();
    runtime.close().unwrap();
    let tried = tried.lock().unwrap();
    assert!(tried[0].starts_with("Some(ThreadTaken: "), "{}", tried[0]);
    assert!(tried[1].starts_with("Some("), "{}", tried[1]);
    assert!(tried[2].starts_with("Some("), "{}", tried[2]);
    assert!(tried[3].starts_with("[ThreadTaken: "), "{}", tried[3]);
    alone.assert_nothing_lives();
}

#[proves(GRAPH_04, DEV_10)]
#[test]
fn nothing_is_taken_down_while_a_stream_is_captured() {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    let runtime = Runtime::<Worker>::open(library()).unwrap();
    runtime
        .with(|current| {
            let attached = Mutex::new(Some(attach(current, log.probe::<STREAMS>("one"), ())));
            let mut stream = current.stream().unwrap().without_allocator();
            let graph = stream.capture(current, CaptureMode::Relaxed, (), |_, ()| {
                thread::scope(|scope| {
                    let other = scope.spawn(|| {
                        runtime.with(|current| {
                            let taken = attached.lock().unwrap().take().unwrap();
                            let failed = taken.take_down(current).unwrap_err();
                            assert!(matches!(failed.error, Error::Capturing), "{}", failed.error);
                            drop(failed.value);
                            assert_eq!(log.names(), [""; 0]);
                            // Collecting says nothing of an object that may be in use.
                            assert!(current.collect().is_empty());
                        })
                    });
                    other.join().unwrap().unwrap();
                });
                assert_eq!(log.names(), [""; 0]);
                Ok(())
            });
            drop(graph.map_err(Error::from).unwrap());
            collect(current);
            assert_eq!(log.names(), ["one"]);
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(DEV_10)]
#[test]
fn it_goes_to_another_thread_and_ends_there() {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    with_device(acl(), |device, thread| {
        device
            .context(thread, |context, _| {
                let attached = thread::scope(|scope| {
                    let made = scope.spawn(|| {
                        context
                            .enter(&mut Thread::new().unwrap(), |current| {
                                attach(current, log.probe::<STREAMS>("one"), ())
                            })
                            .unwrap()
                    });
                    made.join().unwrap()
                });
                thread::scope(|scope| {
                    scope.spawn(|| {
                        let end = |current: &mut Current<_>| attached.take_down(current).map_err(Error::from).unwrap();
                        context.enter(&mut Thread::new().unwrap(), end).unwrap();
                    });
                });
                assert_eq!(log.names(), ["one"]);
            })
            .unwrap();
    });
    alone.assert_nothing_lives();
}
