//! Contexts that a thread enters again and again: from the second time on it comes from the default context that it left
//! current.

use super::leaving::{Worker, current_handle, resets_device, sets_device};
use super::{fail, nothing_fails};
use crate::common::{acl, alone, library};
use ascendcl::runtime::CloseError;
use ascendcl::{Current, Error, Runtime, Setup, Thread};
use ascendcl_macros::proves;
use std::panic::{AssertUnwindSafe, catch_unwind};

ascendcl::names!(Visited);

/// So often a thread was inside before the attack.
const TIMES: [usize; 3] = [0, 1, 2];

fn open(device: i32) -> Runtime<Visited> {
    Runtime::open(Setup::builder().library(library()).device(device).build()).unwrap()
}

fn visit(runtime: &Runtime<Visited>, times: usize) {
    (0..times).for_each(|_| runtime.with(|_| ()).unwrap());
}

#[proves(CTX_11)]
#[test]
fn a_context_that_could_not_be_left_again_is_not_destroyed_by_another_thread() {
    for times in TIMES {
        let alone = alone();
        let (runtime, other, worker) = (open(0), open(1), Worker::new());
        let stays = || {
            visit(&runtime, times);
            runtime.with(|_| fail("aclrtSetCurrentContext#1+=507899")).unwrap();
            nothing_fails();
        };
        worker.run(stays).unwrap();
        let Err(CloseError::Teardown { errors }) = runtime.close() else { panic!("destroyed, after {times} visits") };
        assert!(matches!(errors.as_slice(), [Error::CurrentElsewhere { threads: 1 }]), "{errors:?}");
        // With the next context that it enters, the thread leaves this one.
        worker.run(|| visit(&other, 1)).unwrap();
        runtime.close().unwrap();
        worker.end();
        other.close().unwrap();
        alone.assert_nothing_lives();
    }
}

#[proves(CTX_05, CTX_09)]
#[test]
fn a_visit_that_is_refused_or_that_panics_leaves_current_what_was() {
    // A call that fails may have had its effect.
    for (times, answer) in TIMES.into_iter().flat_map(|times| [(times, "507899"), (times, "after:507899")]) {
        let alone = alone();
        let (runtime, worker) = (open(0), Worker::new());
        let attacks = || {
            visit(&runtime, times);
            let before = current_handle();
            fail(&format!("aclrtSetCurrentContext#1={answer}"));
            let refused = runtime.with(|_| panic!("it is not current"));
            assert!(matches!(refused, Err(Error::Vendor(_))), "{refused:?}");
            nothing_fails();
            assert!(times == 0 || current_handle() == before);
            let left = current_handle();
            let thrown = catch_unwind(AssertUnwindSafe(|| runtime.with(|_| panic!("inside"))));
            assert!(thrown.is_err());
            // The first visit leaves the default context, all others come back to it.
            assert!(times == 0 || current_handle() == left);
            runtime.with(|current| assert_eq!(current.upload(&[1_u8]).unwrap().to_vec(current).unwrap(), [1])).unwrap();
        };
        worker.run(attacks).unwrap();
        runtime.close().unwrap();
        worker.end();
        alone.assert_nothing_lives();
    }
}

/// Where the default context ends meanwhile, that of the visited context's device becomes current.
#[proves(CTX_06, CTX_14)]
#[test]
fn a_default_context_that_ends_during_a_visit_is_not_made_current_again() {
    for times in TIMES {
        let alone = alone();
        let (first, second, worker) = (open(0), open(1), Worker::new());
        let attacks = || {
            visit(&first, times.max(1));
            let of_the_first = current_handle();
            second
                .with(|_| {
                    let closed = std::thread::scope(|scope| scope.spawn(|| first.close()).join().unwrap());
                    closed.unwrap();
                    assert_ne!(current_handle(), of_the_first);
                })
                .unwrap();
            let home = current_handle();
            assert!(home != 0 && home != of_the_first);
            visit(&second, times);
            assert_eq!(current_handle(), home);
        };
        worker.run(attacks).unwrap();
        // The thread is not in the context, so it can be destroyed.
        second.close().unwrap();
        worker.end();
        alone.assert_nothing_lives();
    }
}

/// The long way leads back, too.
#[proves(CTX_05, CTX_08, CTX_09)]
#[test]
fn a_visit_during_which_calls_begin_or_cease_to_be_checked_comes_back_all_the_same() {
    // The first visit of a thread takes the long way in any case.
    for times in [1, 2] {
        let alone = alone();
        let (runtime, worker) = (open(0), Worker::new());
        let on_another_thread = |what: &(dyn Fn() + Sync)| {
            std::thread::scope(|scope| scope.spawn(what).join().unwrap());
        };
        let attacks = || {
            visit(&runtime, times);
            let before = current_handle();
            let works = |current: &mut ascendcl::Current<Visited>| {
                assert_eq!(current.upload(&[1_u8]).unwrap().to_vec(current).unwrap(), [1]);
            };
            let checked = std::sync::Mutex::new(None);
            let begins = || {
                let setup = Setup::builder().library(library()).device(1).verify_current(true).build();
                *checked.lock().unwrap() = Some(Runtime::<Visited>::open(setup).unwrap());
            };
            let ceases = || checked.lock().unwrap().take().unwrap().close().unwrap();
            runtime
                .with(|current| {
                    on_another_thread(&begins);
                    works(current);
                })
                .unwrap();
            assert_eq!(current_handle(), before);
            runtime.with(works).unwrap();
            runtime
                .with(|current| {
                    on_another_thread(&ceases);
                    works(current);
                })
                .unwrap();
            assert_eq!(current_handle(), before);
            runtime.with(works).unwrap();
            assert_eq!(current_handle(), before);
        };
        worker.run(attacks).unwrap();
        runtime.close().unwrap();
        worker.end();
        alone.assert_nothing_lives();
    }
}

/// Other code chooses a context after the crate left the default one current.
#[proves(CTX_08, CTX_09)]
#[test]
fn a_context_that_other_code_chose_between_two_visits_is_current_again_after_the_second() {
    for times in TIMES {
        let alone = alone();
        let (runtime, worker) = (open(0), Worker::new());
        let chooses = || {
            visit(&runtime, times);
            sets_device(1);
            let chosen = current_handle();
            for _ in 0..2 {
                visit(&runtime, 1);
                assert_eq!(current_handle(), chosen, "after {times} visits");
            }
            resets_device(1);
        };
        worker.run(chooses).unwrap();
        runtime.close().unwrap();
        worker.end();
        alone.assert_nothing_lives();
    }
}

/// The library refuses to go back to the outer context, and then calls would use the inner one.
#[proves(CTX_05, CTX_08)]
#[test]
fn a_visit_to_which_the_library_does_not_return_makes_no_call_in_the_context_inside_of_it() {
    for times in TIMES {
        let alone = alone();
        let (outer, inner, worker) = (open(0), open(1), Worker::new());
        let attacks = || {
            visit(&outer, times);
            visit(&inner, times);
            let works = |current: &mut ascendcl::Current<Visited>| {
                let own = current_handle();
                inner.enter(current, |_| fail("aclrtSetCurrentContext#1+=507899")).unwrap();
                assert_ne!(current_handle(), own);
                assert!(current.upload(&[1_u8]).is_err(), "after {times} visits");
                nothing_fails();
                assert_eq!(current.upload(&[1_u8]).unwrap().to_vec(current).unwrap(), [1]);
                assert_eq!(current_handle(), own);
            };
            outer.with(works).unwrap();
        };
        worker.run(attacks).unwrap();
        outer.close().unwrap();
        inner.close().unwrap();
        worker.end();
        alone.assert_nothing_lives();
    }
}

#[proves(CTX_11)]
#[test]
fn threads_that_could_not_leave_two_contexts_keep_each_from_its_end() {
    let alone = alone();
    let (runtimes, other) = ([open(0), open(1)], open(0));
    let workers = [Worker::new(), Worker::new()];
    for (runtime, worker) in runtimes.iter().zip(&workers) {
        worker.run(|| runtime.with(|_| fail("aclrtSetCurrentContext#1+=507899")).unwrap()).unwrap();
        nothing_fails();
    }
    let is_kept = |runtime: &Runtime<Visited>| {
        let Err(CloseError::Teardown { errors }) = runtime.close() else { panic!("a context was destroyed") };
        assert!(matches!(errors.as_slice(), [Error::CurrentElsewhere { threads: 1 }]), "{errors:?}");
    };
    runtimes.iter().for_each(is_kept);
    let [(first, in_first), (second, in_second)] = [(&runtimes[0], &workers[0]), (&runtimes[1], &workers[1])];
    in_second.run(|| visit(&other, 1)).unwrap();
    is_kept(first);
    second.close().unwrap();
    in_first.run(|| visit(&other, 1)).unwrap();
    first.close().unwrap();
    workers.into_iter().for_each(Worker::end);
    other.close().unwrap();
    alone.assert_nothing_lives();
}

/// A thread that could not leave a context cannot enter the next one either. So the first one stays current there, and
/// the next one never was.
#[proves(CTX_11)]
#[test]
fn a_context_that_could_not_be_left_is_not_destroyed_after_the_next_could_not_be_entered() {
    for times in TIMES {
        let alone = alone();
        let (runtime, refused, other, worker) = (open(0), open(1), open(0), Worker::new());
        let stays = || {
            visit(&refused, times);
            visit(&runtime, times);
            runtime.with(|_| fail("aclrtSetCurrentContext#1+=507899")).unwrap();
            refused.with(|_| ()).unwrap_err();
            nothing_fails();
        };
        worker.run(stays).unwrap();
        refused.close().unwrap();
        let Err(CloseError::Teardown { errors }) = runtime.close() else { panic!("destroyed, after {times} visits") };
        assert!(matches!(errors.as_slice(), [Error::CurrentElsewhere { threads: 1 }]), "{errors:?}");
        worker.run(|| visit(&other, 1)).unwrap();
        runtime.close().unwrap();
        worker.end();
        other.close().unwrap();
        alone.assert_nothing_lives();
    }
}

/// A thread that enters a context and is refused has left nothing, and the context never was current.
#[proves(CTX_11)]
#[test]
fn a_context_that_could_not_be_entered_ends_on_another_thread() {
    for times in TIMES {
        let alone = alone();
        let (home, refused, worker) = (open(0), open(1), Worker::new());
        let enters = || {
            visit(&refused, times);
            visit(&home, 1);
            fail("aclrtSetCurrentContext=507899");
            refused.with(|_| ()).unwrap_err();
            nothing_fails();
        };
        worker.run(enters).unwrap();
        refused.close().unwrap();
        home.close().unwrap();
        worker.end();
        alone.assert_nothing_lives();
    }
}

/// A default context is entered within itself. It goes on after the inner visit, and what was current before both is current
/// again after them, until its device is reset.
#[proves(CTX_06, CTX_09)]
#[test]
fn a_default_context_that_was_current_before_another_one_was_entered_twice_is_left_when_its_device_is_reset() {
    for visits in 0..3 {
        let alone = alone();
        let (acl, mut thread) = (acl(), Thread::new().unwrap());
        let (first, second) = (acl.device(&mut thread, 0).unwrap(), acl.device(&mut thread, 1).unwrap());
        let mut home = 0;
        let twice = second.default_context(&mut thread, |context, thread| {
            let inside = |current: &mut Current<_>| {
                home = current_handle();
                for _ in 0..visits {
                    second.default_context(current, |_, _| ()).unwrap();
                    assert_eq!(current_handle(), home);
                }
            };
            context.enter(thread, inside).unwrap();
        });
        twice.unwrap();
        assert_ne!(current_handle(), home);
        let resets = second.context(&mut thread, |context, thread| {
            let reset = || first.reset(&mut Thread::new().unwrap()).unwrap();
            context.enter(thread, |_| std::thread::scope(|threads| threads.spawn(reset).join().unwrap())).unwrap();
            assert_eq!(current_handle(), home, "after {visits} visits");
        });
        resets.unwrap();
        second.reset(&mut thread).unwrap();
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}

/// The library refuses once to go back to the entered context. What was current before it is current again after the visit,
/// until its device is reset.
#[proves(CTX_06, CTX_09)]
#[test]
fn a_default_context_that_a_visit_with_a_refusal_came_from_is_left_when_its_device_is_reset() {
    for times in TIMES {
        let alone = alone();
        let (acl, mut thread) = (acl(), Thread::new().unwrap());
        let first = acl.device(&mut thread, 0).unwrap();
        let home = current_handle();
        drop(thread);
        let other = open(1);
        visit(&other, times);
        let second = other.with(|current| {
            fail("aclrtSetCurrentContext#1=507899");
            let second = acl.device(current, 1).unwrap();
            nothing_fails();
            current.upload(&[1_u8]).unwrap().free(current).unwrap();
            second
        });
        assert_eq!(current_handle(), home);
        let reset = || first.reset(&mut Thread::new().unwrap()).unwrap();
        other.with(|_| std::thread::scope(|threads| threads.spawn(reset).join().unwrap())).unwrap();
        assert_ne!(current_handle(), home, "after {times} visits");
        second.unwrap().reset(&mut Thread::new().unwrap()).unwrap();
        other.close().unwrap();
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}
