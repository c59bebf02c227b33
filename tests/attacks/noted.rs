//! What the crate notes of a context that is current on a thread, or that is not: the library refuses to leave it, does not
//! say which one it is, or ends it.

use super::leaving::{Worker, current_handle, makes_current, resets_device, sets_device};
use super::{fail, nothing_fails, undisturbed};
use crate::common::{acl, alone, library};
use ascendcl::runtime::CloseError;
use ascendcl::{Acl, Error, Runtime, ScopeError, Setup, Thread};
use ascendcl_macros::proves;
use std::mem;
use std::sync::mpsc::channel;
use std::time::Duration;

ascendcl::names!(Noted);

fn open(device: i32) -> Runtime<Noted> {
    Runtime::open(Setup::builder().library(library()).device(device).build()).unwrap()
}

/// A thread of a pool cannot leave the first context. Then it makes a second one, which it cannot leave either.
#[proves(CTX_04, CTX_11)]
#[test]
fn a_context_that_stays_current_where_it_was_made_is_not_destroyed_elsewhere() {
    let alone = alone();
    let (first, other, worker) = (open(0), open(0), Worker::new());
    let mut second = None;
    let stays = || {
        first.with(|_| fail("aclrtSetCurrentContext=507899,aclrtGetCurrentContext=507899")).unwrap();
        second = Some(open(1));
        nothing_fails();
    };
    worker.run(stays).unwrap();
    let second = second.unwrap();
    let Err(CloseError::Teardown { errors }) = second.close() else { panic!("it was destroyed") };
    assert!(matches!(errors.as_slice(), [Error::CurrentElsewhere { threads: 1 }]), "{errors:?}");
    // The thread left the first one when it made the second one.
    first.close().unwrap();
    worker.run(|| other.with(|_| ()).unwrap()).unwrap();
    second.close().unwrap();
    worker.end();
    other.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_04, CTX_11)]
#[test]
fn a_context_that_a_thread_left_when_it_set_another_device_ends_on_another_thread() {
    let alone = alone();
    let (acl, runtime, worker) = (acl(), open(0), Worker::new());
    let mut device = None;
    let sets = || {
        runtime.with(|_| fail("aclrtSetCurrentContext#1=507899")).unwrap();
        nothing_fails();
        device = Some(acl.device(&mut Thread::new().unwrap(), 1).unwrap());
    };
    worker.run(sets).unwrap();
    worker.end();
    runtime.close().unwrap();
    device.unwrap().reset(&mut Thread::new().unwrap()).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Nothing is current on the thread, and the library says so.
#[proves(CTX_11)]
#[test]
fn a_context_that_a_fresh_thread_could_not_enter_ends_on_another_thread() {
    let alone = alone();
    let (runtime, worker) = (open(0), Worker::new());
    let enters = || {
        fail("aclrtSetCurrentContext=507899");
        runtime.with(|_| ()).unwrap_err();
        nothing_fails();
        assert_eq!(current_handle(), 0);
    };
    worker.run(enters).unwrap();
    worker.end();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// Inside a callback the crate makes no call, so no context can become current there.
#[proves(CTX_11, THREAD_05)]
#[test]
fn a_library_that_a_callback_tried_to_close_is_closed_afterwards() {
    const BRIEFLY: Duration = Duration::from_millis(200);
    let alone = alone();
    let (acl, mut thread) = (acl(), Thread::new().unwrap());
    let (gives, gets) = channel::<Acl>();
    let (returns, comes) = channel();
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let ended = device.with_current(&mut thread, |current| {
        let closes = move || {
            let acl = gets.recv().unwrap();
            returns.send(acl.close().unwrap_err().value).unwrap();
        };
        mem::forget(current.stream().unwrap().launch_host_fn(current, closes).unwrap());
    });
    assert!(matches!(ended, Err(ScopeError::Teardown { .. })), "{ended:?}");
    drop(device);
    gives.send(acl).unwrap();
    comes.recv().unwrap().close().unwrap();
    alone.assert_nothing_lives();
}

/// Other code has set the device, too, so its default context goes on after the scope and after the reset.
#[proves(CTX_08, DEV_04)]
#[test]
fn a_default_context_that_other_code_chose_stays_its_choice_after_a_scope_on_it_has_ended() {
    let (alone, _others) = undisturbed();
    let (acl, mut thread) = (acl(), Thread::new().unwrap());
    sets_device(0);
    let chosen = current_handle();
    let device = acl.device(&mut thread, 0).unwrap();
    device.default_context(&mut thread, |_, _| ()).unwrap();
    device.reset(&mut thread).unwrap();
    assert_eq!(current_handle(), chosen);
    let second = acl.device(&mut thread, 1).unwrap();
    assert_eq!(current_handle(), chosen, "the crate has changed it");
    second.reset(&mut thread).unwrap();
    assert_eq!(current_handle(), chosen);
    resets_device(0);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// The next default context of a device has the handle of the one before.
#[proves(CTX_08)]
#[test]
fn a_default_context_that_other_code_chose_after_the_crate_has_reset_its_device_is_its_choice() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let on_the_device = |setup: Setup, device: i32| {
        let ran = ascendcl::run(setup, |current| {
            assert_eq!(current.device_id(), device);
            Ok::<_, Error>(())
        });
        ran.unwrap();
    };
    on_the_device(Setup::builder().library(library()).device(1).build(), 1);
    sets_device(1);
    let chosen = current_handle();
    on_the_device(library().into(), 1);
    assert_eq!(current_handle(), chosen);
    resets_device(1);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Other code has chosen another context when the crate resets the device, and chooses the device afterwards.
#[proves(CTX_08)]
#[test]
fn a_default_context_that_other_code_chose_after_a_reset_in_another_context_is_its_choice() {
    let (alone, _others) = undisturbed();
    let (acl, other) = (acl(), open(0));
    let context = other.with(|_| current_handle()).unwrap();
    // On this thread the default context of device 1 is left current, and not that of device 0.
    let worker = Worker::new();
    let chooses = || {
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 1).unwrap();
        makes_current(context);
        device.reset(&mut thread).unwrap();
        drop(thread);
        sets_device(1);
        let chosen = current_handle();
        let ran = ascendcl::run(library(), |current| {
            assert_eq!(current.device_id(), 1);
            Ok::<_, Error>(())
        });
        ran.unwrap();
        assert_eq!(current_handle(), chosen);
        resets_device(1);
    };
    worker.run(chooses).unwrap();
    worker.end();
    other.close().unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// The library does not answer the first question.
#[proves(CTX_08)]
#[test]
fn a_context_of_other_code_is_put_back_although_the_library_did_not_name_it_at_once() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    sets_device(1);
    let chosen = current_handle();
    let device = acl.device(&mut Thread::new().unwrap(), 0).unwrap();
    let enters = || device.with_current(&mut Thread::new().unwrap(), |_| ()).unwrap();
    let takes = || {
        let mut thread = Thread::new().unwrap();
        acl.device(&mut thread, 0).unwrap().reset(&mut thread).unwrap();
    };
    let runs = || {
        let ran = ascendcl::run(library(), |current| {
            assert_eq!(current.device_id(), 1, "other code has chosen it");
            Ok::<_, Error>(())
        });
        ran.unwrap();
    };
    for steps in [&enters, &takes, &runs] as [&dyn Fn(); 3] {
        fail("aclrtGetCurrentContext#1=507899");
        steps();
        nothing_fails();
        assert_eq!(current_handle(), chosen);
    }
    device.reset(&mut Thread::new().unwrap()).unwrap();
    resets_device(1);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}
