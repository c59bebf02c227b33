//! Actors that several threads share, and one of them closes by force.

use super::several_by_force::{BRIEFLY, DEVICE, HANGS, alone_on_three, works_anew};
use super::*;

/// On a busy machine the jobs of others may take longer than a short limit.
fn close(actor: &Actor<Worker, impl Sized + 'static>) -> Result<Vec<String>, CloseError> {
    loop {
        match actor.close_by_force(BRIEFLY) {
            Err(CloseError::Busy { .. }) => {}
            closed => return closed,
        }
    }
}

/// Threads share the actor, and go on calling it, also while its device hangs. Each call is run or refused.
#[proves(DEV_08, DEV_10)]
#[test]
fn an_actor_that_threads_call_is_closed_by_force_from_one_of_them() {
    let alone = alone_on_three();
    let setup = || Setup::builder().library(library()).device(DEVICE).build();
    for hangs in [false, true] {
        let actor = Arc::new(Actor::<Worker, _>::open(setup(), |current| Ok((current.stream()?, 0_u32))).unwrap());
        if hangs {
            fail(HANGS);
            let queued = actor.call(|current, (stream, _)| {
                mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap());
            });
            queued.unwrap();
        }
        let calls = || {
            let mut run = 0;
            loop {
                match actor.call(|_, (_, calls)| *calls += 1) {
                    Ok(()) => run += 1,
                    Err(Error::ActorEnded { cause: None }) => break run,
                    Err(error) => panic!("{error}"),
                }
            }
        };
        let lost: Vec<_> = thread::scope(|scope| {
            let callers: Vec<_> = (0..3).map(|_| scope.spawn(calls)).collect();
            thread::sleep(Duration::from_millis(20));
            let closers: Vec<_> = (0..3).map(|_| scope.spawn(|| close(&actor).unwrap())).collect();
            let lost = closers.into_iter().map(|closer| closer.join().unwrap()).collect();
            assert!(callers.into_iter().map(|caller| caller.join().unwrap()).sum::<u32>() > 0);
            lost
        });
        nothing_fails();
        assert!(lost.iter().all(Vec::is_empty), "{lost:?}");
        assert_eq!(actor.close_by_force(BRIEFLY).unwrap(), [""; 0], "it is closed");
        assert!(format!("{actor:?}").contains("is_open: false"), "{actor:?}");
        Arc::into_inner(actor).unwrap().close().unwrap();
        sweep();
        works_anew();
        alone.assert_nothing_lives();
    }
}

/// In a job, which would wait for itself: the actor goes on.
#[proves(THREAD_01)]
#[test]
fn an_actor_that_a_job_closes_by_force_goes_on() {
    let alone = alone_on_three();
    let setup = Setup::builder().library(library()).device(DEVICE).build();
    let actor = Arc::new(Actor::<Worker, ()>::open(setup, |_| Ok(())).unwrap());
    let own = Arc::clone(&actor);
    let told = actor.call(move |_, ()| own.close_by_force(BRIEFLY)).unwrap();
    assert!(matches!(told, Err(CloseError::Refused(Error::OwnJob))), "{told:?}");
    assert_eq!(actor.call(|_, ()| 7).unwrap(), 7);
    assert_eq!(close(&actor).unwrap(), [""; 0]);
    alone.assert_nothing_lives();
}

/// The library refuses the end once. One of the threads hears of it, and what is left is there for the sweep.
#[proves(DEV_10)]
#[test]
fn a_refused_end_is_told_to_one_of_the_threads_that_close() {
    let alone = alone_on_three();
    let setup = Setup::builder().library(library()).device(DEVICE).build();
    let actor = Actor::<Worker, ()>::open(setup, |_| Ok(())).unwrap();
    fail("aclrtDestroyContext=507899,aclrtResetDeviceForce=507899");
    let ends: Vec<_> = thread::scope(|scope| {
        let closers: Vec<_> = (0..3).map(|_| scope.spawn(|| close(&actor))).collect();
        closers.into_iter().map(|closer| closer.join().unwrap()).collect()
    });
    nothing_fails();
    let refused = ends.iter().filter(|end| matches!(end, Err(CloseError::Teardown { .. }))).count();
    let empty = ends.iter().filter(|end| end.as_ref().is_ok_and(Vec::is_empty)).count();
    assert_eq!((refused, empty), (1, 2), "{ends:?}");
    drop(actor);
    sweep();
    works_anew();
    alone.assert_nothing_lives();
}

/// A job waits without a limit. The threads that close get their answer in time, and the actor ends behind the job.
#[proves(DEV_08, DEV_10)]
#[test]
fn a_job_that_does_not_end_holds_nobody_who_closes_its_actor() {
    let alone = alone_on_three();
    let setup = Setup::builder().library(library()).device(DEVICE).build();
    let actor = Actor::<Worker, _>::open(setup, |current| current.stream()).unwrap();
    let (release, released) = channel::<()>();
    let waits = actor.start(move |current, stream| {
        released.recv().unwrap();
        let work = stream.set_bytes(current, current.device_buffer::<u8>(8)?, 1)?;
        work.wait(current)?.to_vec(current)
    });
    let begun = Instant::now();
    thread::scope(|scope| {
        let closers: Vec<_> =
            (0..16).map(|_| scope.spawn(|| actor.close_by_force(Duration::from_millis(200)))).collect();
        for closer in closers {
            let closed = closer.join().unwrap();
            assert!(matches!(closed, Err(CloseError::Busy { inside: 1 })), "{closed:?}");
        }
    });
    let closed = actor.close_by_force(Duration::ZERO);
    assert!(matches!(closed, Err(CloseError::Busy { inside: 1 })), "{closed:?}");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let behind = actor.start(|_, _| ()).unwrap();
    release.send(()).unwrap();
    assert_eq!(finish(waits.unwrap()).unwrap().unwrap(), [1; 8], "it runs in a context that is there");
    assert!(matches!(finish(behind), Err(Error::ActorEnded { cause: None })));
    assert_eq!(actor.close_by_force(Duration::from_secs(10)).unwrap(), [""; 0]);
    sweep();
    works_anew();
    alone.assert_nothing_lives();
}

/// The actor is dropped behind a close that did not wait for its job. It ends behind the job, by itself.
#[proves(DEV_08, DEV_10)]
#[test]
fn an_actor_that_is_dropped_behind_a_busy_close_ends_behind_its_job() {
    for forgets in [false, true] {
        let alone = alone_on_three();
        let setup = Setup::builder().library(library()).device(DEVICE).build();
        let actor = Actor::<Worker, _>::open(setup, |current| current.stream()).unwrap();
        let (release, released) = channel::<()>();
        let waits = actor.start(move |current, stream| {
            released.recv().unwrap();
            current.upload(&[1_u8; 8])?.to_vec(current).map(|read| (read, stream.is_complete(current)))
        });
        let closed = actor.close_by_force(Duration::ZERO);
        assert!(matches!(closed, Err(CloseError::Busy { inside: 1 })), "{closed:?}");
        if forgets {
            mem::forget(actor)
        } else {
            drop(actor)
        }
        release.send(()).unwrap();
        let (read, complete) = finish(waits.unwrap()).unwrap().unwrap();
        assert_eq!((read, complete.unwrap()), (vec![1; 8], true));
        let begun = Instant::now();
        while control::live().contexts > 0 && begun.elapsed() < Duration::from_secs(20) {
            thread::sleep(Duration::from_millis(1));
        }
        sweep();
        works_anew();
        alone.assert_nothing_lives();
    }
}
