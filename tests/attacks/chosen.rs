//! Contexts of this crate that other code makes current by their handles, and visits to two libraries in each other.

use super::leaving::{Worker, current_handle, makes_current};
use super::{fail, nothing_fails, undisturbed};
use crate::common::{acl, alone, library, under_watch};
use crate::null::books;
use ascendcl::error::ObjectKind;
use ascendcl::raw::KeptStream;
use ascendcl::{Error, Library, Runtime, Setup, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};
use std::sync::mpsc::channel;

ascendcl::names!(Simulated, Booked);

fn open(device: i32) -> Runtime<Simulated> {
    on(library(), device)
}

fn on<N: ascendcl::Name>(library: Library, device: i32) -> Runtime<N> {
    Runtime::open(Setup::builder().library(library).device(device).build()).unwrap()
}

fn elsewhere<R: Send>(program: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| scope.spawn(program).join().unwrap())
}

/// The library did not say which context the device's default one is. The address of a destroyed context is used again.
#[proves(CTX_06, CTX_11, CTX_14)]
#[test]
fn a_context_of_this_crate_is_not_taken_for_a_default_one_without_a_name() {
    let (alone, _others) = undisturbed();
    control::configure(under_watch(Config::new().reuse_handles(true))).unwrap();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    fail("aclrtGetCurrentContext#2=507899,aclrtGetCurrentContext#3=507899");
    let device = acl.device(&mut thread, 0).unwrap();
    nothing_fails();
    let other = elsewhere(|| open(1));
    let ((tell, told), (end, ends)) = (channel(), channel::<()>());
    std::thread::scope(|threads| {
        let first = threads.spawn(|| {
            let scope = device.context(&mut Thread::new().unwrap(), |context, thread| {
                context.enter(thread, |_| tell.send(current_handle()).unwrap()).unwrap();
                ends.into_iter().for_each(drop);
            });
            scope.unwrap();
        });
        let handle = told.recv().unwrap();
        makes_current(handle);
        let next = other.enter(&mut thread, |_| {
            drop(end);
            first.join().unwrap();
            elsewhere(|| {
                let next = open(1);
                assert_eq!(next.with(|_| current_handle()).unwrap(), handle, "the address is used again");
                next
            })
        });
        assert_ne!(current_handle(), handle, "a context is current that nobody has chosen");
        elsewhere(|| [next.unwrap(), other].iter().for_each(|runtime| runtime.close().unwrap()));
    });
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// The stream's own context is entered.
fn is_here(stream: &KeptStream) -> bool {
    match stream.with_raw(|_| ()) {
        Ok(()) => true,
        Err(Error::WrongContext { what: ObjectKind::STREAM, .. }) => false,
        Err(error) => panic!("{error}"),
    }
}

/// Each thread was inside before or not, so that a visit takes the fast or the slow path.
#[proves(CTX_05, CTX_09, STREAM_09)]
#[test]
fn a_visit_to_another_library_inside_of_a_visit_leads_back_to_the_first_context() {
    for times in 0..3 {
        let (alone, books) = (alone(), books());
        let (first, second, worker) = (open(0), on::<Booked>(books.library(), 0), Worker::new());
        let attacks = || {
            let own = first.with(|current| current.stream().unwrap().keep()).unwrap();
            let theirs = second.with(|current| current.stream().unwrap().keep()).unwrap();
            (1..times).for_each(|_| first.with(|_| second.with(|_| ()).unwrap_err()).map(drop).unwrap());
            let works = |current: &mut ascendcl::Current<Simulated>| {
                let entered = current_handle();
                for _ in 0..=times {
                    let visit = second.enter(current, |inner| {
                        assert!(is_here(&theirs) && !is_here(&own));
                        // And back into the first one, from the second.
                        first.enter(inner, |_| assert!(is_here(&own) && !is_here(&theirs))).unwrap();
                        assert!(is_here(&theirs) && !is_here(&own));
                        drop(inner.upload(&[1_u8]).unwrap());
                    });
                    visit.unwrap();
                    assert!(is_here(&own) && !is_here(&theirs));
                    assert_eq!(current_handle(), entered);
                    assert_eq!(current.upload(&[1_u8]).unwrap().to_vec(current).unwrap(), [1]);
                }
            };
            (0..=times).for_each(|_| first.with(works).unwrap());
            assert!(!is_here(&own) && !is_here(&theirs));
            // A panic in the inner one leads back, too.
            let thrown = first.with(|current| {
                let inner = std::panic::AssertUnwindSafe(|| second.enter(current, |_| panic!("inside of both")));
                let thrown = std::panic::catch_unwind(inner).is_err();
                thrown && is_here(&own)
            });
            assert!(thrown.unwrap());
        };
        worker.run(attacks).unwrap();
        first.close().unwrap();
        second.close().unwrap();
        worker.end();
        books.assert_closed();
        alone.assert_nothing_lives();
    }
}

/// Other code has made a context of the first library current. It ends while the thread visits the second library inside of
/// another context of the first one.
#[proves(CTX_06, CTX_11, CTX_14)]
#[test]
fn a_chosen_context_that_ends_during_visits_to_two_libraries_is_not_made_current_again() {
    let (alone, books) = (alone(), books());
    control::configure(under_watch(Config::new().reuse_handles(true))).unwrap();
    let (chosen, other, theirs) = (open(0), open(1), on::<Booked>(books.library(), 0));
    let worker = Worker::new();
    let attacks = || {
        let handle = elsewhere(|| chosen.with(|_| current_handle()).unwrap());
        other.with(|_| ()).unwrap();
        makes_current(handle);
        let ends = || {
            elsewhere(|| {
                chosen.close().unwrap();
                let next = open(0);
                assert_eq!(next.with(|_| current_handle()).unwrap(), handle, "the address is used again");
                next
            })
        };
        let next = other.with(|current| theirs.enter(current, |_| ends()).unwrap()).unwrap();
        assert_ne!(current_handle(), handle, "nobody has chosen it");
        other.with(|current| drop(current.upload(&[1_u8]).unwrap())).unwrap();
        elsewhere(|| next.close().unwrap());
    };
    worker.run(attacks).unwrap();
    elsewhere(|| other.close().unwrap());
    theirs.close().unwrap();
    worker.end();
    books.assert_closed();
    alone.assert_nothing_lives();
}

/// The library refuses once to put back the context that other code has chosen. Another thread ends it meanwhile, or not.
#[proves(CTX_06, CTX_08, CTX_09, CTX_11)]
#[test]
fn a_chosen_context_that_could_not_be_put_back_is_put_back_later_if_it_lives() {
    for ends_meanwhile in [false, true] {
        let (alone, _others) = undisturbed();
        control::configure(under_watch(Config::new().reuse_handles(true))).unwrap();
        let (chosen, other, worker) = (open(0), open(1), Worker::new());
        let attacks = || {
            let handle = elsewhere(|| chosen.with(|_| current_handle()).unwrap());
            other.with(|_| ()).unwrap();
            makes_current(handle);
            other.with(|_| fail("aclrtSetCurrentContext#1=507899")).unwrap();
            nothing_fails();
            let home = current_handle();
            assert_ne!(home, handle);
            let next = elsewhere(|| {
                ends_meanwhile.then(|| {
                    chosen.close().unwrap();
                    let next = open(0);
                    assert_eq!(next.with(|_| current_handle()).unwrap(), handle, "the address is used again");
                    next
                })
            });
            other.with(|current| drop(current.upload(&[1_u8]).unwrap())).unwrap();
            assert_eq!(current_handle() == handle, !ends_meanwhile);
            elsewhere(|| next.into_iter().for_each(|next| next.close().unwrap()));
            makes_current(home);
        };
        worker.run(attacks).unwrap();
        elsewhere(|| [&chosen, &other].iter().for_each(|runtime| runtime.close().unwrap()));
        worker.end();
        alone.assert_nothing_lives();
    }
}

/// The same when the context ends with its scope, and no device is reset.
#[proves(CTX_06, CTX_08, CTX_09)]
#[test]
fn a_chosen_context_of_a_scope_that_has_ended_is_not_put_back_later() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let (worker, other) = (Worker::new(), open(1));
    let device = acl.device(&mut Thread::new().unwrap(), 0).unwrap();
    let ((tells, told), (ends, end)) = (channel(), channel::<()>());
    std::thread::scope(|threads| {
        let device = &device;
        let scope = move || {
            let mut thread = Thread::new().unwrap();
            let ended = device.context(&mut thread, |context, thread| {
                tells.send(context.enter(thread, |_| current_handle()).unwrap()).unwrap();
                end.recv().unwrap();
            });
            ended.unwrap();
        };
        let scope = threads.spawn(scope);
        let handle = told.recv().unwrap();
        let visits = || {
            other.with(|_| ()).unwrap();
            makes_current(handle);
            other.with(|_| fail("aclrtSetCurrentContext#1=507899")).unwrap();
            nothing_fails();
        };
        worker.run(visits).unwrap();
        ends.send(()).unwrap();
        scope.join().unwrap();
    });
    worker.run(|| other.with(|current| drop(current.upload(&[1_u8]).unwrap())).unwrap()).unwrap();
    device.reset(&mut Thread::new().unwrap()).unwrap();
    elsewhere(|| other.close().unwrap());
    worker.end();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Other code makes the context of a scope current on the thread that ends the scope.
#[proves(CTX_06, CTX_11)]
#[test]
fn a_chosen_context_that_its_own_thread_ends_is_not_put_back() {
    let (alone, _others) = undisturbed();
    let (acl, worker) = (acl(), Worker::new());
    let device = acl.device(&mut Thread::new().unwrap(), 0).unwrap();
    let attacks = || {
        let mut thread = Thread::new().unwrap();
        let scope = device.context(&mut thread, |context, thread| {
            let handle = context.enter(thread, |_| current_handle()).unwrap();
            assert_ne!(current_handle(), handle);
            makes_current(handle);
            handle
        });
        assert_ne!(current_handle(), scope.unwrap());
        device.with_current(&mut thread, |current| drop(current.upload(&[1_u8]).unwrap())).unwrap();
    };
    worker.run(attacks).unwrap();
    device.reset(&mut Thread::new().unwrap()).unwrap();
    worker.end();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Foreign code ends the context that the thread was in, and makes another one current. That one stays, also where the
/// address of the first one is used again.
#[proves(CTX_06, CTX_08)]
#[test]
fn a_chosen_context_that_foreign_code_ends_is_not_put_back_in_place_of_the_next_one() {
    let (alone, _others) = undisturbed();
    control::configure(under_watch(Config::new().reuse_handles(true))).unwrap();
    let (chosen, other, worker) = (open(0), open(1), Worker::new());
    let attacks = || {
        let handle = elsewhere(|| chosen.with(|_| current_handle()).unwrap());
        let chosen_next = elsewhere(|| other.with(|_| current_handle()).unwrap());
        makes_current(handle);
        let left = other.library().foreign(|| {
            makes_current(chosen_next);
            elsewhere(|| {
                chosen.close().unwrap();
                let next = open(0);
                assert_eq!(next.with(|_| current_handle()).unwrap(), handle, "the address is used again");
                next
            })
        });
        assert!(left.changed && left.refused.is_none(), "{left:?}");
        assert_eq!(current_handle(), chosen_next);
        elsewhere(|| left.result.close().unwrap());
        other.with(|current| drop(current.upload(&[1_u8]).unwrap())).unwrap();
        // This thread leaves the context of `other`, which ends elsewhere.
        super::leaving::sets_device(1);
        super::leaving::resets_device(1);
    };
    worker.run(attacks).unwrap();
    elsewhere(|| other.close().unwrap());
    worker.end();
    alone.assert_nothing_lives();
}
