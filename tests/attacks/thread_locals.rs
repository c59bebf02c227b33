//! Thread-local variables of the program, whose destructors use this crate: on threads of the program, of actors and of the
//! library.

use super::common::{Alone, alone, data, library};
use super::finish;
use crate::common::assert_lives;
use ascendcl::capture::CaptureMode;
use ascendcl::runtime::{self, Actor, CloseError};
use ascendcl::{Acl, Brand, Current, Error, Library, Runtime, Stream, Thread};
use ascendcl_macros::proves;
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

ascendcl::names!(Worker, Another);

const LONG: Duration = Duration::from_secs(20);

/// Runs code when the thread ends.
#[derive(Default)]
struct AtTheEnd(Vec<Box<dyn FnOnce()>>);

impl Drop for AtTheEnd {
    fn drop(&mut self) {
        self.0.drain(..).for_each(|code| code());
    }
}

thread_local! {
    static END: RefCell<AtTheEnd> = RefCell::default();
    static KEPT: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

fn at_the_end(code: impl FnOnce() + 'static) {
    END.with_borrow_mut(|end| end.0.push(Box::new(code)));
}

fn keep(value: impl Any) {
    KEPT.with_borrow_mut(|kept| kept.push(Box::new(value)));
}

fn open() -> Arc<Runtime<Worker>> {
    Arc::new(Runtime::open(library()).unwrap())
}

#[track_caller]
fn close(alone: &Alone, runtime: Arc<Runtime<Worker>>) {
    runtime.close().unwrap();
    drop(runtime);
    let errors: Vec<_> = runtime::sweep(None).iter().map(Error::to_string).collect();
    assert_eq!(errors, [""; 0]);
    alone.assert_nothing_lives();
}

/// Queues callbacks, whose memory the crate keeps in variables of the thread, and a future.
fn works(current: &mut Current<Worker>) {
    let stream = current.stream().unwrap();
    for number in 0..3 {
        let reply = stream.launch_host_fn(current, move || number).unwrap();
        assert_eq!(reply.wait(current).unwrap().into_result().unwrap(), number);
    }
    let set = stream.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 3).unwrap();
    let set = finish(set.when_done(current, &stream).unwrap()).wait(current).unwrap();
    assert_eq!(set.to_vec(current).unwrap(), [3; 8]);
    stream.destroy(current).unwrap();
}

/// The crate has variables of the thread, too. They may end before the program's variables, or behind them.
#[test]
fn a_thread_that_ends_enters_a_runtime_before_and_behind_the_variables_of_the_crate() {
    let alone = alone();
    let runtime = open();
    for crate_first in [true, false] {
        let own = Arc::clone(&runtime);
        let (says, said) = channel();
        let ends = move |own: Arc<Runtime<Worker>>| {
            at_the_end(move || {
                own.with(works).unwrap();
                let panics = catch_unwind(AssertUnwindSafe(|| own.with(|_| std::panic::panic_any("inside"))));
                assert_eq!(panics.unwrap_err().downcast_ref(), Some(&"inside"));
                own.with(works).unwrap();
                says.send(()).unwrap();
            });
        };
        let thread = thread::spawn(move || {
            if crate_first {
                own.with(works).unwrap();
                ends(own);
            } else {
                ends(Arc::clone(&own));
                own.with(works).unwrap();
            }
        });
        thread.join().unwrap();
        said.try_recv().expect("the destructor has done all of it");
    }
    close(&alone, runtime);
}

#[test]
fn a_thread_that_ends_opens_runtimes_runs_the_short_form_and_sweeps() {
    let alone = alone();
    let (says, said) = channel();
    let thread = thread::spawn(move || {
        at_the_end(move || {
            let runtime = Runtime::<Another>::open(library()).unwrap();
            let stream = runtime.with(|current| current.stream()).unwrap().unwrap();
            runtime.close().unwrap();
            drop(stream);
            drop(Runtime::<Another>::open(library()).unwrap());
            let length = ascendcl::run(library(), |current| Ok::<_, Error>(current.upload(&[1_u8; 5])?.len()));
            assert_eq!(length.unwrap(), 5);
            says.send(runtime::sweep(None).len()).unwrap();
        });
    });
    thread.join().unwrap();
    assert_eq!(
        said.try_recv(),
        Ok(0),
        "the destructor has done all of it, and the sweep has taken the dropped one down"
    );
    alone.assert_nothing_lives();
}

/// Nothing of them calls the library where it is dropped, and nothing is lost.
#[test]
fn what_a_thread_keeps_in_its_variables_is_taken_down_by_its_runtime() {
    let alone = alone();
    let runtime = open();
    let own = Arc::clone(&runtime);
    let thread = thread::spawn(move || {
        own.with(|current| {
            let mut stream = current.stream().unwrap().without_allocator();
            let buffer = current.upload(&[1_u8; 64]).unwrap();
            let graph = stream.capture(current, CaptureMode::Relaxed, buffer, |capture, mut buffer| {
                capture.set_bytes(&mut buffer, 7)
            });
            keep(stream.replay(current, graph.unwrap()).unwrap());
            let other = current.stream().unwrap();
            let set = other.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap();
            keep(set.when_done(current, &other).unwrap());
            keep(other.record(current, current.event().unwrap()).unwrap());
            keep(other.launch_host_fn(current, || 1).unwrap());
            keep(current.upload(&[1.0_f32; 4]).unwrap().into_shared());
            keep(current.host_buffer::<f32>(4).unwrap());
            keep((stream, other));
        })
        .unwrap();
        keep(Runtime::<Another>::open(library()).unwrap());
        keep(own);
    });
    thread.join().unwrap();
    // The other runtime was dropped with the thread.
    close(&alone, runtime);
}

#[test]
fn a_model_and_a_lane_in_variables_of_a_thread_are_taken_down_by_their_runtime() {
    let alone = alone();
    let runtime = open();
    let own = Arc::clone(&runtime);
    let thread = thread::spawn(move || {
        own.with(|current| {
            let model = current.load_model(data("digits.onnx")).unwrap();
            let stream = current.stream().unwrap().without_allocator();
            let bound = model.bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
            keep(stream.execute(current, bound).unwrap());
            keep(current.load_model(data("digits.onnx")).unwrap());
            keep(current.stored_workspace_lane::<Another, _>(stream, current.workspace(1 << 16).unwrap()));
        })
        .unwrap();
    });
    thread.join().unwrap();
    close(&alone, runtime);
}

/// The thread of an actor ends behind its runtime. Its variables may still name the actor.
#[test]
fn variables_of_an_actors_thread_end_when_its_runtime_is_closed() {
    let alone = alone();
    let actor = Actor::<Worker, Stream<Worker>>::open(library(), |current| current.stream()).unwrap();
    let actor = Arc::new(actor);
    let own: Arc<Mutex<Option<Arc<Actor<Worker, Stream<Worker>>>>>> = Arc::default();
    *own.lock().unwrap() = Some(Arc::clone(&actor));
    let (says, said) = channel();
    let named = Arc::clone(&own);
    actor
        .call(move |_, _| {
            at_the_end(move || {
                let actor = named.lock().unwrap().take().unwrap();
                let call = actor.call(|_, _| ()).unwrap_err();
                let start = actor.start(|_, _| ()).unwrap_err();
                let end = actor.close_by_force(LONG).unwrap_err();
                drop(actor);
                let swept = runtime::sweep(None).len();
                says.send((call, start, end, swept)).unwrap();
            });
        })
        .unwrap();
    assert!(actor.close_by_force(LONG).unwrap().is_empty());
    let (call, start, end, swept) = said.recv_timeout(LONG).unwrap();
    assert!(matches!((call, start), (Error::OwnJob, Error::OwnJob)));
    assert!(matches!(end, CloseError::Refused(Error::OwnJob)), "{end}");
    assert_eq!(swept, 0);
    drop(actor);
    alone.assert_nothing_lives();
}

/// What each call of the library says in a destructor that runs when the library ends its thread.
fn says_at_the_end(own: Arc<Runtime<Worker>>, wrong: impl Fn(&str) + 'static) {
    at_the_end(move || {
        let is_refused = |what: &str, answer: Result<(), Error>| match answer {
            Err(Error::InsideCallback) => {}
            other => wrong(&format!("{what}: {other:?}")),
        };
        is_refused("enter", own.with(|_| ()));
        is_refused("thread", Thread::new().map(drop));
        is_refused("open", Runtime::<Another>::open(library()).map(drop));
        is_refused("actor", Actor::<Another, ()>::open(library(), |_| Ok(())).map(drop));
        is_refused("initialise", Acl::init(library()).map(drop));
        is_refused("check", own.library().check_calls_allowed());
        match own.close() {
            Err(CloseError::Refused(Error::InsideCallback)) => {}
            other => wrong(&format!("close: {other:?}")),
        }
        match runtime::sweep(None).as_slice() {
            [Error::InsideCallback] => {}
            other => wrong(&format!("sweep: {other:?}")),
        }
        wrong("");
    });
}

/// What the destructor said, which has ended by then.
#[track_caller]
fn is_refused_all(said: &Receiver<String>) {
    let mut wrong = Vec::new();
    loop {
        match said.recv_timeout(LONG).expect("the thread of the callbacks ends with its context") {
            end if end.is_empty() => break,
            what => wrong.push(what),
        }
    }
    assert_eq!(wrong, [""; 0], "the library was called on its own thread");
}

/// The library ends the thread of the callbacks with its context. If it waits for that thread then, each call from there would
/// wait for the library.
#[proves(CB_01)]
#[test]
fn variables_that_a_callback_has_set_do_not_call_the_library_when_they_end() {
    let alone = alone();
    let runtime = open();
    let (says, said) = channel();
    let own = Arc::clone(&runtime);
    runtime
        .with(|current| {
            let stream = current.stream().unwrap();
            let callback = move || says_at_the_end(own, move |what| says.send(what.to_owned()).unwrap());
            stream.launch_host_fn(current, callback).unwrap().wait(current).unwrap().into_result().unwrap();
            // The thread of the program goes on.
            works_in_any(current);
        })
        .unwrap();
    runtime.close().unwrap();
    is_refused_all(&said);
    close(&alone, runtime);
}

fn works_in_any<C: Brand>(current: &Current<C>) {
    assert_eq!(current.upload(&[1_u8; 4]).unwrap().to_vec(current).unwrap(), [1; 4]);
    assert!(matches!(Thread::new(), Err(Error::ThreadTaken)));
}

#[proves(CB_01)]
#[test]
fn variables_that_a_callback_of_a_graph_has_set_do_not_call_the_library_when_they_end() {
    let alone = alone();
    let runtime = open();
    let (says, said) = channel();
    let state = (Arc::clone(&runtime), Mutex::new(says));
    runtime
        .with(|current| {
            let mut stream = current.stream().unwrap().without_allocator();
            let graph = stream.capture(current, CaptureMode::Relaxed, (), |capture, ()| {
                capture.launch_host_fn(state, |(own, says)| {
                    let says = says.lock().unwrap().clone();
                    says_at_the_end(Arc::clone(own), move |what| says.send(what.to_owned()).unwrap());
                })
            });
            let graph = stream.replay(current, graph.unwrap()).unwrap().wait(current).unwrap();
            drop(graph);
            works_in_any(current);
        })
        .unwrap();
    runtime.close().unwrap();
    is_refused_all(&said);
    close(&alone, runtime);
}

/// A library may run a callback on the thread that waits for it. That thread is the program's.
#[test]
fn a_thread_of_the_program_on_which_a_callback_ran_calls_the_library_afterwards() {
    let (_alone, _books) = super::undisturbed();
    // SAFETY: the library is the tests' own, and has the functions of the table with their signatures.
    let library = || unsafe { Library::at(crate::common::null_library()) };
    let runtime = Runtime::<Another>::open(library()).unwrap();
    let ran_on = runtime.with(|current| {
        let stream = current.stream().unwrap();
        let reply = stream.launch_host_fn(current, || thread::current().id()).unwrap();
        while !stream.is_complete(current).unwrap() {}
        reply.wait(current).unwrap().into_result().unwrap()
    });
    assert_eq!(ran_on.unwrap(), thread::current().id());
    runtime.with(|current| drop(current.stream().unwrap())).unwrap();
    runtime.close().unwrap();
    assert!(Thread::new().is_ok());
}

/// The thread that watches futures is no thread of the library: futures go on, whatever their wakers leave there.
#[test]
fn wakers_may_set_variables_of_the_thread_that_watches_futures() {
    struct Sets;

    impl std::task::Wake for Sets {
        fn wake(self: Arc<Self>) {
            keep(self);
        }
    }

    let alone = alone();
    let runtime = open();
    let waker = std::task::Waker::from(Arc::new(Sets));
    for _ in 0..3 {
        let (release, done) = runtime
            .with(|current| {
                let stream = current.stream().unwrap();
                let release = super::hold(current, &stream);
                let set = stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 1).unwrap();
                (release, set.when_done(current, &stream).unwrap())
            })
            .unwrap();
        let mut done = Box::pin(done);
        assert!(done.as_mut().poll(&mut std::task::Context::from_waker(&waker)).is_pending());
        release.send(()).unwrap();
        runtime.with(|current| drop(finish(done).wait(current).unwrap())).unwrap();
    }
    assert_lives!(contexts, 1);
    close(&alone, runtime);
}
