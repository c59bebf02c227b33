//! Which context a thread comes back to after the library refused calls there, and after other code chose contexts. None
//! that has ended is made current, and what other code chose is current again.

mod foreign;
mod inside;
mod libraries;
mod notes;
mod owed;

use super::leaving::{current_handle, makes_current, resets_device, sets_device};
use super::{fail, must_not_call, nothing_fails, undisturbed};
use crate::common::{acl, library};
use ascendcl::{Acl, Device, Error, RunError, Runtime, ScopeError, Setup, Thread};
use ascendcl_macros::proves;

ascendcl::names!(Left);

/// The library makes no context current any more.
const REFUSED: &str = "aclrtSetCurrentContext#1+=507899";

/// Runs the job on a thread that has used no context before.
#[track_caller]
fn on_a_new_thread<R: Send>(job: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|threads| match threads.spawn(job).join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// A runtime in a context of its own, or in the default one of the device, which this thread does not notice.
fn open(device: i32, default_context: bool) -> Runtime<Left> {
    let setup = Setup::builder().library(library()).device(device).default_context(default_context).build();
    on_a_new_thread(|| Runtime::open(setup).unwrap())
}

fn visit(runtime: &Runtime<Left>) {
    runtime.with(|_| ()).unwrap();
}

/// Visits the context, and the library refuses to make another one current again.
fn stays_in(runtime: &Runtime<Left>) {
    runtime.with(|_| fail(REFUSED)).unwrap();
    nothing_fails();
}

/// The default context of the runtime's device.
fn home_of(runtime: &Runtime<Left>) -> usize {
    on_a_new_thread(|| {
        visit(runtime);
        current_handle()
    })
}

fn close(runtime: &Runtime<Left>) {
    on_a_new_thread(|| runtime.close().unwrap());
}

fn reset(device: Device<'_>) {
    on_a_new_thread(|| device.reset(&mut Thread::new().unwrap()).unwrap());
}

fn take(acl: &Acl, device: i32) -> Device<'_> {
    on_a_new_thread(|| acl.device(&mut Thread::new().unwrap(), device).unwrap())
}

/// A second part of the program takes the device and gives it back: what was noted about it counts no more.
fn is_reset_once(acl: &Acl, device: i32) {
    reset(take(acl, device));
}

/// The thread is in a default context that it could not leave. Other code did not choose that.
#[proves(CTX_03, CTX_09, CTX_14)]
#[test]
fn a_default_context_that_could_not_be_left_is_current_until_its_device_is_reset() {
    for ends in [false, true] {
        let (alone, _others) = undisturbed();
        let (default, one) = (open(0, true), open(1, false));
        let (home, other) = (home_of(&default), home_of(&one));
        on_a_new_thread(|| {
            stays_in(&default);
            assert_eq!(current_handle(), home);
            one.with(|_| ends.then(|| close(&default))).unwrap();
            assert_eq!(current_handle(), if ends { other } else { home });
        });
        default.close().unwrap();
        one.close().unwrap();
        alone.assert_nothing_lives();
    }
}

/// The same where the thread came from a default context and takes the fast way.
#[proves(CTX_03, CTX_09)]
#[test]
fn a_default_context_that_could_not_be_left_by_a_thread_with_another_one_is_not_made_current_after_its_end() {
    let (alone, _others) = undisturbed();
    let (default, zero) = (open(1, true), open(0, false));
    let home = home_of(&zero);
    on_a_new_thread(|| {
        (0..3).for_each(|_| visit(&zero));
        (0..3).for_each(|_| visit(&default));
        stays_in(&default);
        assert_ne!(current_handle(), home);
        zero.with(|_| close(&default)).unwrap();
        assert_eq!(current_handle(), home);
    });
    zero.close().unwrap();
    alone.assert_nothing_lives();
}

/// The thread is in a context of a runtime that it could not leave. Then other code chooses.
#[proves(CTX_08, CTX_09)]
#[test]
fn what_other_code_chooses_on_a_thread_that_could_not_leave_a_context_is_current_again() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let (zero, again, one) = (open(0, false), open(0, false), open(1, false));
    let (home, own) = (home_of(&zero), zero.with(|_| current_handle()).unwrap());
    on_a_new_thread(|| {
        stays_in(&zero);
        makes_current(home);
        // The crate did not leave it, so no reset that it knows of says anything about it.
        one.with(|_| is_reset_once(&acl, 0)).unwrap();
        assert_eq!(current_handle(), home);
    });
    on_a_new_thread(|| {
        stays_in(&zero);
        sets_device(1);
        let chosen = current_handle();
        visit(&again);
        assert_eq!(current_handle(), chosen);
        resets_device(1);
    });
    on_a_new_thread(|| {
        stays_in(&zero);
        visit(&one);
        makes_current(own);
        visit(&one);
        assert_eq!(current_handle(), own);
        visit(&zero);
        makes_current(home);
    });
    for runtime in [zero, again, one] {
        runtime.close().unwrap();
    }
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_06, CTX_09)]
#[test]
fn a_default_context_stays_current_when_another_device_is_reset() {
    let (alone, _others) = undisturbed();
    let (acl, mut thread) = (acl(), Thread::new().unwrap());
    let first = acl.device(&mut thread, 0).unwrap();
    let home = current_handle();
    let second = acl.device(&mut thread, 1).unwrap();
    second.reset(&mut thread).unwrap();
    assert_eq!(current_handle(), home);
    first.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// One take has the note that the crate left the default context current, another one has been reset.
#[proves(CTX_06, DEV_12)]
#[test]
fn a_default_context_that_may_have_ended_says_no_device() {
    let (alone, _others) = undisturbed();
    let (acl, mut thread) = (acl(), Thread::new().unwrap());
    let devices = [(); 2].map(|()| acl.device(&mut thread, 1).unwrap());
    drop(thread);
    let [first, second] = devices;
    reset(first);
    // Other tests may have left device 0 in use; then that is taken.
    let ran = ascendcl::run(library(), |current| Ok::<_, Error>(current.device_id()));
    assert!(matches!(ran, Ok(0) | Err(RunError::Setup(Error::NoDeviceNamed { .. }))), "{ran:?}");
    second.reset(&mut Thread::new().unwrap()).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// The library refused a reset, and then other threads reset the device.
#[proves(CTX_03, CTX_06)]
#[test]
fn a_default_context_whose_reset_was_refused_is_not_made_current_after_others_reset_its_device() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let one = open(1, false);
    let home = home_of(&one);
    on_a_new_thread(|| {
        let mut thread = Thread::new().unwrap();
        let [first, second] = [(); 2].map(|()| acl.device(&mut thread, 0).unwrap());
        fail("aclrtResetDevice#1=507899");
        let first = first.reset(&mut thread).unwrap_err().value;
        nothing_fails();
        drop(thread);
        one.with(|_| [first, second].into_iter().for_each(reset)).unwrap();
        assert_eq!(current_handle(), home);
    });
    one.close().unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// The library did not say which context setting the device made current. The next look at the current context gives that
/// its name.
#[proves(CTX_08, CTX_09)]
#[test]
fn a_default_context_without_a_name_is_current_again_and_gets_its_name() {
    for visits in [true, false] {
        let (alone, _others) = undisturbed();
        let (acl, mut thread) = (acl(), Thread::new().unwrap());
        fail("aclrtGetCurrentContext#2=507899,aclrtGetCurrentContext#3=507899");
        let device = acl.device(&mut thread, 1).unwrap();
        nothing_fails();
        drop(thread);
        let (home, again) = (current_handle(), open(1, false));
        if visits {
            let zero = open(0, false);
            visit(&zero);
            assert_eq!(current_handle(), home);
            close(&zero);
        } else {
            fail("aclrtGetDevice=507899");
            drop(ascendcl::run(library(), |_| Ok::<_, Error>(())));
            nothing_fails();
        }
        // What other code chooses now is another context.
        sets_device(0);
        let chosen = current_handle();
        again.with(|_| reset(device)).unwrap();
        assert_eq!(current_handle(), chosen);
        resets_device(0);
        again.close().unwrap();
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}

/// The answers are right, but come with an error.
#[proves(ERR_01)]
#[test]
fn an_answer_with_an_error_names_no_default_context() {
    let (alone, _others) = undisturbed();
    let (acl, mut thread) = (acl(), Thread::new().unwrap());
    fail("aclrtGetCurrentContext#2=after:507899,aclrtGetCurrentContext#3=after:507899");
    let device = acl.device(&mut thread, 0).unwrap();
    nothing_fails();
    let unknown = device.default_context(&mut thread, |_, _| ()).unwrap_err();
    assert!(matches!(unknown, ScopeError::NotOpened(Error::NullAnswer { .. })), "{unknown:?}");
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_04, CTX_14)]
#[test]
fn a_new_context_that_could_not_be_left_or_created_leaves_the_default_one_current() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let (device, again) = (take(&acl, 0), open(0, false));
    let home = home_of(&again);
    on_a_new_thread(|| {
        let mut thread = Thread::new().unwrap();
        fail("aclrtCreateContext=507899");
        device.context(&mut thread, |_, _| ()).unwrap_err();
        nothing_fails();
        assert_eq!(current_handle(), home);
    });
    on_a_new_thread(|| {
        let mut thread = Thread::new().unwrap();
        fail(REFUSED);
        let scope = device.context(&mut thread, |context, thread| {
            nothing_fails();
            context.enter(thread, |_| assert_ne!(current_handle(), home)).unwrap();
            assert_eq!(current_handle(), home);
        });
        scope.unwrap();
    });
    reset(device);
    again.close().unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// The library refused to destroy the context, so it is still one that the crate has created.
#[proves(CTX_03, CTX_09)]
#[test]
fn a_context_that_could_not_be_destroyed_at_once_is_not_made_current_after_its_end() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let (device, one) = (take(&acl, 0), open(1, false));
    let home = home_of(&one);
    let created = on_a_new_thread(|| {
        let scope = device.context(&mut Thread::new().unwrap(), |context, thread| {
            let created = context.enter(thread, |_| current_handle()).unwrap();
            fail("aclrtDestroyContext#1=507899");
            created
        });
        nothing_fails();
        match scope {
            Err(ScopeError::Teardown { result, .. }) => result,
            other => panic!("{other:?}"),
        }
    });
    on_a_new_thread(|| {
        makes_current(created);
        one.with(|_| reset(device)).unwrap();
        assert_eq!(current_handle(), home);
    });
    one.close().unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Other code chose the context of a runtime on the thread that closes it, and the library refuses to destroy the context.
#[proves(CTX_08, CTX_09)]
#[test]
fn a_chosen_context_that_could_not_be_destroyed_is_current_again() {
    let (alone, _others) = undisturbed();
    let (zero, again) = (open(0, false), open(0, false));
    let (home, own) = (home_of(&again), zero.with(|_| current_handle()).unwrap());
    on_a_new_thread(|| {
        makes_current(own);
        fail("aclrtDestroyContext=507899");
        zero.close().unwrap_err();
        nothing_fails();
        assert_eq!(current_handle(), own);
        makes_current(home);
    });
    zero.close().unwrap();
    again.close().unwrap();
    alone.assert_nothing_lives();
}

/// The thread could not leave a context. Then it makes another one, which the library makes current.
#[proves(CTX_04, CTX_11)]
#[test]
fn a_context_that_a_thread_has_left_for_a_new_one_ends() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let (device, zero) = (take(&acl, 0), open(0, false));
    on_a_new_thread(|| {
        stays_in(&zero);
        fail(REFUSED);
        let scope = device.context(&mut Thread::new().unwrap(), |_, _| {
            nothing_fails();
            close(&zero);
        });
        scope.unwrap();
    });
    reset(device);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}
