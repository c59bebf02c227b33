//! Threads that own a runtime.

use super::*;
use crate::common::library;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};

thread_local! {
    /// Dropped when the thread of the actor ends, which is after it gave the library back.
    static OF_ITS_THREAD: RefCell<Option<Sender<()>>> = const { RefCell::new(None) };
}

#[test]
fn an_actor_serves_calls_survives_their_panics_and_closes() {
    let alone = alone();
    let actor = Actor::<Worker, _>::open(library(), |current| Ok((current.stream()?, 0_usize))).unwrap();
    let call = || {
        actor.call(|current, (stream, calls)| {
            drop(upload(current, stream).wait(current).unwrap());
            *calls += 1;
            *calls
        })
    };
    let calls: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| (0..5).map(|_| call().unwrap()).max())).collect();
        threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(calls.into_iter().max(), Some(20));
    let caught = catch_unwind(AssertUnwindSafe(|| actor.call::<()>(|_, _| panic!("in a call"))));
    assert!(caught.is_err());
    assert_eq!(actor.call(|_, (_, calls)| *calls).unwrap(), 20);
    actor.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(ALLOC_18)]
#[test]
fn an_actor_does_not_wait_for_itself_nor_in_a_callback() {
    let alone = alone();
    let open = || Arc::new(Actor::<Worker, ()>::open(library(), |_| Ok(())).unwrap());
    let (actor, other) = (open(), open());
    let own = Arc::clone(&actor);
    let told = actor.call(move |_, ()| {
        let called = own.call(|_, ()| ());
        let closed = Arc::into_inner(own).map(Actor::close);
        (called, closed.is_none())
    });
    assert!(matches!(told, Ok((Err(Error::OwnJob), true))), "{told:?}");
    let within = Arc::clone(&other);
    let refused = actor.call(move |current, ()| {
        let stream = current.stream().unwrap();
        let told = stream.launch_host_fn(current, move || within.call(|_, ()| ()).is_err()).unwrap();
        told.wait(current).unwrap().into_result().unwrap()
    });
    assert!(refused.unwrap());
    Arc::into_inner(actor).unwrap().close().unwrap();
    Arc::into_inner(other).unwrap().close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn an_actor_that_cannot_be_opened_leaves_nothing_and_one_that_is_dropped_ends() {
    let alone = alone();
    let refused = Actor::<Worker, ()>::open(library(), |current| {
        mem::forget(current.stream()?);
        Err(Error::NotExecuted)
    });
    assert!(matches!(refused, Err(Error::NotExecuted)));
    sweep();
    let (ends, ended) = channel();
    let make = |current: &mut Current<Worker>| {
        OF_ITS_THREAD.set(Some(ends));
        current.stream()
    };
    drop(Actor::open(library(), make).unwrap());
    let told = ended.recv_timeout(Duration::from_secs(20));
    assert_eq!(told, Err(RecvTimeoutError::Disconnected));
    alone.assert_nothing_lives();
}

#[proves(THREAD_05)]
#[test]
fn a_forked_child_does_not_wait_for_the_thread_of_an_actor() {
    let alone = alone();
    let open = || Actor::<Worker, ()>::open(library(), |_| Ok(())).unwrap();
    let actors = in_a_forked_child([open(), open()], |[called, closed]| {
        let refused = called.call(|_, ()| ()).is_err_and(|error| is_forked(&error));
        let not_closed = matches!(closed.close(), Err(CloseError::Refused(error)) if is_forked(&error));
        let not_opened = Actor::<Worker, ()>::open(library(), |_| Ok(())).is_err_and(|error| is_forked(&error));
        drop(called);
        refused && not_closed && not_opened
    });
    for actor in actors {
        actor.call(|_, ()| ()).unwrap();
        actor.close().unwrap();
    }
    alone.assert_nothing_lives();
}

/// What an actor keeps, and closes it when it is dropped.
struct Closes {
    coming: Receiver<Actor<Worker, Self>>,
    told: Sender<Result<(), CloseError>>,
}

impl Drop for Closes {
    fn drop(&mut self) {
        let actor = self.coming.recv_timeout(Duration::from_secs(20)).unwrap();
        self.told.send(actor.close()).unwrap();
    }
}

/// The thread of the actor could not get into its context, so it ends while the actor is still there.
#[test]
fn an_actor_is_not_closed_by_its_own_thread() {
    let alone = alone();
    let ((gives, coming), (told, answer)) = (channel(), channel());
    let actor = Actor::open(library(), move |_: &mut Current<Worker>| {
        // The thread comes out of the context, and not in again.
        fail("aclrtSetCurrentContext#2=507899");
        Ok(Closes { coming, told })
    });
    gives.send(actor.unwrap()).unwrap();
    let refused = answer.recv_timeout(Duration::from_secs(20)).unwrap();
    nothing_fails();
    assert!(matches!(refused, Err(CloseError::Refused(Error::OwnJob))), "{refused:?}");
    let until = Instant::now() + Duration::from_secs(20);
    while control::live() != control::Live::default() && Instant::now() < until {
        drop(runtime::sweep(Some(Duration::from_secs(1))));
        thread::sleep(Duration::from_millis(1));
    }
    alone.assert_nothing_lives();
}

/// A capture of a job that does not like to be dropped.
struct Panics;

impl Drop for Panics {
    fn drop(&mut self) {
        if !thread::panicking() {
            panic!("a job that did not run");
        }
    }
}

/// What an actor keeps, and whose drop lasts until it is told to end.
struct Lasts(Receiver<()>);

impl Drop for Lasts {
    fn drop(&mut self) {
        let _ = self.0.recv_timeout(Duration::from_secs(20));
    }
}

/// The thread of the actor could not get into its context, and ends. Meanwhile others call it.
#[test]
fn callers_of_an_actor_that_ends_hear_why_and_do_not_wait_for_jobs_that_panic_when_they_are_dropped() {
    let alone = alone();
    let (ends, lasts) = channel();
    let actor = Actor::open(library(), move |_: &mut Current<Worker>| {
        fail("aclrtSetCurrentContext#2=507899");
        Ok(Lasts(lasts))
    });
    let (actor, (tell, told)) = (Arc::new(actor.unwrap()), channel());
    // The thread drops what it keeps.
    thread::sleep(Duration::from_millis(200));
    for _ in 0..4 {
        let (actor, tell, panics) = (Arc::clone(&actor), tell.clone(), Panics);
        thread::spawn(move || {
            let call = || actor.call(move |_, _| mem::forget(panics));
            let called = catch_unwind(AssertUnwindSafe(call));
            drop(actor);
            let _ = tell.send(called);
        });
    }
    // Each has queued its job.
    thread::sleep(Duration::from_millis(200));
    ends.send(()).unwrap();
    for _ in 0..4 {
        let called = told.recv_timeout(Duration::from_secs(20)).expect("a caller waits for ever");
        let Ok(Err(error @ Error::ActorEnded { .. })) = called else { panic!("{called:?}") };
        assert_eq!(error.code().map(ascendcl::error::Code::number), Some(507_899), "{error}");
        assert!(error.to_string().contains("aclrtSetCurrentContext"), "{error}");
    }
    // The thread takes no jobs any more.
    let told = actor.call(|_, _| ()).unwrap_err();
    assert!(told.code().is_some_and(|code| code.number() == 507_899), "{told}");
    nothing_fails();
    let closed = Arc::into_inner(actor).unwrap().close().unwrap_err();
    assert!(matches!(&closed, CloseError::Refused(Error::ActorEnded { .. })), "{closed}");
    assert!(closed.code().is_some_and(|code| code.number() == 507_899), "{closed}");
    sweep();
    alone.assert_nothing_lives();
}

#[proves(CB_01)]
#[test]
fn an_actor_is_not_closed_in_a_callback() {
    let alone = alone();
    let (ends, ended) = channel();
    let actor = Actor::<Worker, ()>::open(library(), |_| Ok(())).unwrap();
    let make = |_: &mut Current<Worker>| {
        OF_ITS_THREAD.set(Some(ends));
        Ok(())
    };
    let other = Actor::<Worker, ()>::open(library(), make).unwrap();
    let refused = actor.call(move |current, ()| {
        let stream = current.stream().unwrap();
        let told = stream.launch_host_fn(current, move || other.close()).unwrap();
        told.wait(current).unwrap().into_result().unwrap()
    });
    assert!(matches!(refused, Ok(Err(CloseError::Refused(Error::InsideCallback)))), "{refused:?}");
    actor.close().unwrap();
    // The other one ends by itself. When nothing lives any more, its thread may still be about to reset the device.
    let told = ended.recv_timeout(Duration::from_secs(20));
    assert_eq!(told, Err(RecvTimeoutError::Disconnected));
    alone.assert_nothing_lives();
}
