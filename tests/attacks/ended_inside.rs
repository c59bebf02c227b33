//! Values of the program that end inside of its own code, where this crate has called it: in wakers, callbacks, jobs and the hook
//! of panics.

use super::common::{alone, library};
use super::{finish, hold};
use ascendcl::runtime::{self, Actor, CloseError};
use ascendcl::stream::{HostFnResult, WhenDone};
use ascendcl::{DeviceBuffer, Error, Runtime, Stream, Thread};
use ascendcl_macros::proves;
use std::cell::OnceCell;
use std::mem;
use std::panic::{self, AssertUnwindSafe, catch_unwind, panic_any};
use std::pin::Pin;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

ascendcl::names!(Worker, Another);

const LONG: Duration = Duration::from_secs(20);

/// A waker that runs code.
struct Does<F>(F);

impl<F: Fn() + Send + Sync> Wake for Does<F> {
    fn wake(self: Arc<Self>) {
        (self.0)();
    }
}

fn waker(does: impl Fn() + Send + Sync + 'static) -> Waker {
    Waker::from(Arc::new(Does(does)))
}

/// What may have a future and its waker in common.
type Place<F> = Arc<Mutex<Option<F>>>;

/// Polls a future, which is not ready.
#[track_caller]
fn begins<F: Future + Unpin>(place: &Place<F>, waker: &Waker) {
    let mut future = place.lock().unwrap();
    assert!(Pin::new(future.as_mut().unwrap()).poll(&mut Context::from_waker(waker)).is_pending());
}

fn poll_again<F: Future + Unpin>(mut future: F) -> Poll<F::Output> {
    Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop()))
}

/// The thread that watches futures runs the waker. The future ends inside, and the thread goes on with others.
#[test]
fn a_waker_drops_polls_or_forgets_its_own_future() {
    type Work = WhenDone<Worker, HostFnResult<i32>>;
    let alone = alone();
    let runtime = Runtime::<Worker>::open(library()).unwrap();
    let ends: [fn(Work); 3] = [drop, |future| assert!(poll_again(future).is_ready()), mem::forget];
    for end in ends.into_iter().chain(ends) {
        let (release, released) = channel::<()>();
        let (says, said) = channel();
        let work = runtime.with(|current| {
            let stream = current.stream().unwrap();
            let callback = move || i32::from(released.recv_timeout(LONG).is_ok());
            stream.launch_host_fn(current, callback).unwrap().when_done(current, &stream).unwrap()
        });
        let place = Arc::new(Mutex::new(Some(work.unwrap())));
        let own = Arc::clone(&place);
        let waker = waker(move || {
            end(own.lock().unwrap().take().unwrap());
            says.send(()).unwrap();
        });
        begins(&place, &waker);
        release.send(()).unwrap();
        said.recv_timeout(LONG).expect("the waker has come back");
    }
    runtime.close().unwrap();
    drop(runtime);
    alone.assert_nothing_lives();
}

/// The actor's thread runs the waker.
#[test]
fn a_waker_ends_its_own_answer_and_cannot_wait_for_its_actor() {
    let alone = alone();
    let actor = Arc::new(Actor::<Worker, u32>::open(library(), |_| Ok(3)).unwrap());
    let (says, said) = channel();
    for polls in [true, false] {
        let (release, released) = channel::<()>();
        let answer = actor.start(move |_, state| (released.recv_timeout(LONG).is_ok(), *state)).unwrap();
        let place = Arc::new(Mutex::new(Some(answer)));
        let (own, of, says) = (Arc::clone(&place), Arc::clone(&actor), says.clone());
        let waker = waker(move || {
            let answer = own.lock().unwrap().take().unwrap();
            let is_right = match polls {
                true => matches!(poll_again(answer), Poll::Ready(Ok((true, 3)))),
                false => {
                    drop(answer);
                    true
                }
            };
            let call = of.call(|_, _| ()).unwrap_err();
            let start = of.start(|_, _| ()).unwrap_err();
            let end = of.close_by_force(LONG).unwrap_err();
            says.send((is_right, call, start, end)).unwrap();
        });
        begins(&place, &waker);
        release.send(()).unwrap();
        let (is_right, call, start, end) = said.recv_timeout(LONG).expect("the waker has come back");
        assert!(
            is_right && matches!((&call, &start), (Error::InsideCallback, Error::InsideCallback)),
            "{call} {start}"
        );
        assert!(matches!(end, CloseError::Refused(Error::OwnJob)), "{end}");
    }
    assert_eq!(actor.call(|_, state| *state).unwrap(), 3, "the actor goes on");
    assert!(actor.close_by_force(LONG).unwrap().is_empty());
    drop(actor);
    alone.assert_nothing_lives();
}

/// What a callback returned is dropped by the library's thread, and has the last handles of the stream and more.
#[proves(CB_01, STREAM_12)]
#[test]
fn the_result_of_a_callback_takes_the_last_handles_along_and_ends_nothing() {
    struct Last {
        has: Option<(Arc<Runtime<Worker>>, Stream<Worker>, DeviceBuffer<Worker, u8>)>,
        says: Sender<bool>,
    }

    impl Drop for Last {
        fn drop(&mut self) {
            let Some((runtime, stream, buffer)) = self.has.take() else { return };
            let is_refused = [runtime.with(|_| ()).err(), Thread::new().err()];
            let mut all = is_refused.iter().all(|error| matches!(error, Some(Error::InsideCallback)));
            all &= matches!(runtime.close(), Err(CloseError::Refused(Error::InsideCallback)));
            all &= matches!(runtime::sweep(None).as_slice(), [Error::InsideCallback]);
            drop((buffer, stream, runtime));
            self.says.send(all).unwrap();
            panic_any("and it panics");
        }
    }

    let alone = alone();
    let runtime = Arc::new(Runtime::<Worker>::open(library()).unwrap());
    let (says, said) = channel();
    let (release, released) = channel::<()>();
    runtime
        .with(|current| {
            let stream = current.stream().unwrap();
            let set = stream.set_bytes(current, current.device_buffer(4).unwrap(), 1).unwrap().wait(current).unwrap();
            let queue = current.stream().unwrap();
            let last = Last { has: Some((Arc::clone(&runtime), stream, set)), says };
            let callback = move || {
                let _ = released.recv_timeout(LONG);
                last
            };
            drop(queue.launch_host_fn(current, callback).unwrap());
            mem::forget(queue);
        })
        .unwrap();
    drop(runtime);
    release.send(()).unwrap();
    assert!(said.recv_timeout(LONG).unwrap(), "the library was called on its own thread");
    assert!(runtime::sweep(None).is_empty());
    alone.assert_nothing_lives();
}

#[test]
fn a_job_drops_the_last_handle_of_its_actor_which_has_a_value_of_it() {
    type Own = Place<Arc<Actor<Worker, State>>>;

    struct State {
        stream: Stream<Worker>,
        says: Sender<&'static str>,
    }

    impl Drop for State {
        fn drop(&mut self) {
            self.says.send("the state ends").unwrap();
        }
    }

    /// In a thread-local variable: it ends with its thread, which has closed its runtime by then.
    struct AtEnd(Sender<&'static str>);

    impl Drop for AtEnd {
        fn drop(&mut self) {
            let _ = self.0.send("the thread ends");
        }
    }

    thread_local!(static AT_END: OnceCell<AtEnd> = const { OnceCell::new() });

    let alone = alone();
    let (own, (says, said)) = (Own::default(), channel());
    let ends = says.clone();
    let make = move |current: &mut ascendcl::Current<Worker>| Ok(State { stream: current.stream()?, says: ends });
    let actor = Arc::new(Actor::open(library(), make).unwrap());
    *own.lock().unwrap() = Some(Arc::clone(&actor));
    let (release, released) = channel::<()>();
    let answer = actor
        .start(move |current, state| {
            released.recv_timeout(LONG).unwrap();
            // The program has dropped its handle.
            drop(own.lock().unwrap().take());
            assert!(AT_END.with(|end| end.set(AtEnd(says.clone())).is_ok()));
            let set = state.stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 2).unwrap();
            says.send("the job goes on").unwrap();
            set.wait(current).unwrap().to_vec(current).unwrap()
        })
        .unwrap();
    drop(actor);
    release.send(()).unwrap();
    assert_eq!(finish(answer).unwrap(), [2; 4]);
    assert_eq!(said.recv_timeout(LONG), Ok("the job goes on"));
    assert_eq!(said.recv_timeout(LONG), Ok("the state ends"));
    // The thread closes its runtime by itself.
    assert_eq!(said.recv_timeout(LONG), Ok("the thread ends"));
    alone.assert_nothing_lives();
}

/// The hook runs where the panic begins: in callbacks, in jobs, inside of contexts and outside.
#[test]
fn the_hook_of_panics_uses_the_crate_wherever_the_panic_begins() {
    const OURS: &str = "a panic of this test";

    let alone = alone();
    let runtime = Arc::new(Runtime::<Worker>::open(library()).unwrap());
    let heard: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let (hook, own, said) = (Arc::new(panic::take_hook()), Arc::clone(&runtime), Arc::clone(&heard));
    let before = Arc::clone(&hook);
    panic::set_hook(Box::new(move |info| {
        if info.payload().downcast_ref::<&str>() != Some(&OURS) {
            return before(info);
        }
        let entered = match own.with(|current| current.upload(&[1_u8]).is_ok()) {
            Ok(true) => "entered",
            Err(Error::ThreadTaken) => "taken",
            Err(Error::InsideCallback) => "callback",
            _ => "wrong",
        };
        said.lock().unwrap().push(entered);
    }));
    let ours = || panic_any(OURS);
    assert!(catch_unwind(ours).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| runtime.with(|_| ours()))).is_err());
    let reply = runtime.with(|current| {
        let stream = current.stream().unwrap();
        stream.launch_host_fn(current, || panic_any(OURS)).unwrap().wait(current).unwrap().into_result()
    });
    assert!(matches!(reply.unwrap(), Err::<(), _>(Error::CallbackPanicked { .. })));
    let actor = Actor::<Another, ()>::open(library(), |_| Ok(())).unwrap();
    let panics = AssertUnwindSafe(|| actor.call::<()>(|_, ()| panic_any(OURS)));
    assert!(catch_unwind(panics).is_err());
    actor.close().unwrap();
    let place: Place<_> = Arc::default();
    let release = runtime.with(|current| {
        let stream = current.stream().unwrap();
        let release = hold(current, &stream);
        let work = stream.launch_host_fn(current, || 1).unwrap().when_done(current, &stream).unwrap();
        *place.lock().unwrap() = Some(work);
        release
    });
    let (says, woken) = channel();
    let waker = waker(move || {
        says.send(()).unwrap();
        panic_any(OURS)
    });
    begins(&place, &waker);
    release.unwrap().send(()).unwrap();
    woken.recv_timeout(LONG).unwrap();
    let work = finish(place.lock().unwrap().take().unwrap());
    assert_eq!(runtime.with(|current| work.wait(current).unwrap().into_result().unwrap()).unwrap(), 1);
    let until = Instant::now() + LONG;
    while heard.lock().unwrap().len() < 5 && Instant::now() < until {
        std::thread::yield_now();
    }
    panic::set_hook(Box::new(move |info| hook(info)));
    assert_eq!(*heard.lock().unwrap(), ["entered", "taken", "callback", "taken", "callback"]);
    runtime.close().unwrap();
    drop(runtime);
    alone.assert_nothing_lives();
}
