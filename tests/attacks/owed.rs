//! Contexts that the library refused to restore: which context is current later, and in which context work runs.

use super::leaving::{current_handle, makes_current, resets_device, sets_device};
use super::{fail, nothing_fails, undisturbed};
use crate::common::{acl, library};
use ascendcl::{Current, Device, Error, ScopeError, Scoped, Thread};
use ascendcl_macros::proves;

/// Work of several kinds, all in the context that is entered.
fn works_here(current: &mut Current<Scoped<'_>>) {
    let entered = current_handle();
    let stream = current.stream().unwrap();
    let buffer = stream.set_bytes(current, current.upload(&[0_u8; 8]).unwrap(), 1).unwrap().wait(current).unwrap();
    assert_eq!(buffer.to_vec(current).unwrap(), [1; 8]);
    stream.destroy(current).unwrap();
    assert_eq!(current_handle(), entered, "the entered context stays current");
}

/// Other code on this thread uses device 1. The library refuses, so many times, to make its context current again.
#[proves(CTX_08, CTX_09)]
#[test]
fn a_context_of_other_code_that_could_not_be_put_back_is_not_made_current_inside_the_next_scope() {
    for refused in 1..=4 {
        let (alone, _others) = undisturbed();
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        sets_device(1);
        let chosen = current_handle();
        let device = acl.device(&mut thread, 0).unwrap();
        assert_eq!(current_handle(), chosen);
        fail(&format!("aclrtSetCurrentContext#{refused}=507899"));
        let refusals = device.context(&mut thread, |context, thread| {
            let entered = context.enter(thread, works_here).is_err();
            // Inside another one, too.
            let nested = context.enter(thread, |current| device.with_current(current, works_here).is_err());
            usize::from(entered) + nested.map_or(1, usize::from)
        });
        nothing_fails();
        assert!(refusals.unwrap() <= 1);
        device.reset(&mut thread).unwrap();
        assert_eq!(current_handle(), chosen, "other code has its context back");
        resets_device(1);
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}

#[proves(CTX_08)]
#[test]
fn other_code_that_chose_again_keeps_its_choice() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    sets_device(1);
    let device = acl.device(&mut thread, 0).unwrap();
    device
        .context(&mut thread, |context, thread| {
            context.enter(thread, |_| fail("aclrtSetCurrentContext#1=507899")).unwrap();
            nothing_fails();
            sets_device(0);
            let chosen = current_handle();
            context.enter(thread, works_here).unwrap();
            assert_eq!(current_handle(), chosen);
        })
        .unwrap();
    resets_device(0);
    resets_device(1);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// The library does not say what the device's default context is, and then refuses to make it current again.
#[proves(CTX_03, CTX_06)]
#[test]
fn a_default_context_that_could_not_be_put_back_is_not_made_current_after_its_device_was_reset() {
    for (refused, with_a_scope) in [(1, false), (1, true), (2, true), (3, true)] {
        let (alone, _others) = undisturbed();
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        fail(&format!(
            "aclrtGetCurrentContext#2=507899,aclrtGetCurrentContext#3=507899,aclrtSetCurrentContext#{refused}+=507899"
        ));
        let device = acl.device(&mut thread, 0).unwrap();
        let unknown = device.default_context(&mut thread, |_, _| ()).unwrap_err();
        assert!(matches!(unknown, ScopeError::NotOpened(Error::NullAnswer { .. })), "{unknown:?}");
        if with_a_scope {
            let _ = device.with_current(&mut thread, |_| ());
        }
        nothing_fails();
        device.reset(&mut thread).unwrap();
        works_on(&acl.device(&mut thread, 1).unwrap(), &mut thread);
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}

fn works_on(device: &Device<'_>, thread: &mut Thread) {
    device.with_current(thread, works_here).unwrap();
}

/// The library does not say what the device's default context is, and another thread resets the device.
#[proves(CTX_03, CTX_06)]
#[test]
fn a_default_context_that_the_library_did_not_name_is_not_put_back_after_another_thread_reset_its_device() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    fail("aclrtGetCurrentContext#2=507899,aclrtGetCurrentContext#3=507899");
    let device = acl.device(&mut thread, 0).unwrap();
    nothing_fails();
    let other = acl.device(&mut thread, 1).unwrap();
    let ended = other.with_current(&mut thread, |current| {
        resets_elsewhere(device);
        works_here(current);
    });
    ended.unwrap();
    other.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Takes a scope down on the device's default context. At its end, the library refuses to put back what other code has
/// chosen.
fn is_owed(device: &Device<'_>, thread: &mut Thread) {
    let chosen = current_handle();
    // The scope is left, its end enters the context, and leaves it.
    let plan = "aclrtSetCurrentContext#3=507899";
    device.default_context(thread, |context, thread| context.enter(thread, |_| fail(plan)).unwrap()).unwrap();
    nothing_fails();
    assert_ne!(current_handle(), chosen);
}

/// Other code on this thread has chosen the context of device 1, and the library has refused to put it back. `then` makes
/// the library put it back, and resets device 0.
fn is_put_back_by(then: impl FnOnce(Device<'_>, Thread)) {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    sets_device(1);
    let chosen = current_handle();
    let device = acl.device(&mut thread, 0).unwrap();
    is_owed(&device, &mut thread);
    then(device, thread);
    assert_eq!(current_handle(), chosen);
    resets_device(1);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_08, CTX_09)]
#[test]
fn a_reset_gives_other_code_its_context_back_that_could_not_be_put_back_before() {
    is_put_back_by(|device, mut thread| device.reset(&mut thread).unwrap());
}

#[proves(CTX_08, CTX_09)]
#[test]
fn the_short_form_runs_on_the_device_of_other_code_whose_context_could_not_be_put_back_before() {
    is_put_back_by(|device, thread| {
        drop(thread);
        let ran = ascendcl::run(library(), |current| Ok::<_, Error>(current.device_id()));
        assert_eq!(ran.unwrap(), 1);
        let chosen = current_handle();
        device.reset(&mut Thread::new().unwrap()).unwrap();
        assert_eq!(current_handle(), chosen, "it was put back before the reset");
    });
}

/// The library refuses once more where the short form asks it.
#[proves(CTX_08, CTX_09)]
#[test]
fn a_context_of_other_code_that_could_not_be_put_back_twice_is_put_back_later() {
    is_put_back_by(|device, thread| {
        drop(thread);
        fail("aclrtSetCurrentContext#1=507899");
        let ran = ascendcl::run(library(), |_| {
            nothing_fails();
            Ok::<_, Error>(())
        });
        ran.unwrap();
        let chosen = current_handle();
        device.reset(&mut Thread::new().unwrap()).unwrap();
        assert_eq!(current_handle(), chosen, "it was put back before the reset");
    });
}

/// Other code has chosen the context of a scope, and the library refuses to put it back behind another one.
#[proves(CTX_03, CTX_09)]
#[test]
fn the_context_of_a_scope_that_could_not_be_put_back_is_not_made_current_after_its_end() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let other = acl.device(&mut thread, 1).unwrap();
    let ended = device.context(&mut thread, |context, thread| {
        makes_current(context.enter(thread, |_| current_handle()).unwrap());
        is_owed(&other, thread);
    });
    ended.unwrap();
    device.with_current(&mut thread, works_here).unwrap();
    other.reset(&mut thread).unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

fn resets_elsewhere(device: Device<'_>) {
    std::thread::scope(|scope| {
        scope.spawn(|| device.reset(&mut Thread::new().unwrap()).unwrap());
    });
}

/// Other code has chosen the default context of device 1, which another thread resets before, or inside of, the scope behind
/// which the context was to be put back.
#[proves(CTX_03, CTX_06)]
#[test]
fn a_context_that_could_not_be_put_back_is_not_made_current_after_its_device_was_reset() {
    for is_inside in [false, true] {
        let (alone, _others) = undisturbed();
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap();
        let chosen = acl.device(&mut thread, 1).unwrap();
        makes_current(
            chosen
                .default_context(&mut thread, |own, thread| own.enter(thread, |_| current_handle()))
                .unwrap()
                .unwrap(),
        );
        is_owed(&device, &mut thread);
        if is_inside {
            // The library refuses where the scope begins, too.
            fail("aclrtSetCurrentContext#1=507899");
            let ended = device.context(&mut thread, |context, thread| {
                nothing_fails();
                context.enter(thread, |current| {
                    resets_elsewhere(chosen);
                    works_here(current);
                })
            });
            ended.unwrap().unwrap();
        } else {
            resets_elsewhere(chosen);
        }
        drop(thread);
        ascendcl::run(library(), |current| {
            works_here(current);
            Ok::<_, Error>(())
        })
        .unwrap();
        device.reset(&mut Thread::new().unwrap()).unwrap();
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}

/// The library refuses all but one call, also until another context has ended, which has nothing to do with the first.
#[proves(CTX_08)]
#[test]
fn a_context_of_other_code_is_still_put_back_after_another_context_has_ended() {
    const CALLS: usize = 6;
    let ended = |agrees: usize| {
        let (alone, _others) = undisturbed();
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        sets_device(1);
        let chosen = current_handle();
        let device = acl.device(&mut thread, 0).unwrap();
        let plan: Vec<_> = (1..=CALLS)
            .filter(|call| *call != agrees)
            .map(|call| format!("aclrtSetCurrentContext#{call}=507899"))
            .collect();
        let ended =
            device.context(&mut thread, |context, thread| context.enter(thread, |_| fail(&plan.join(","))).unwrap());
        let has_ended = ended.is_ok();
        nothing_fails();
        device.reset(&mut thread).unwrap();
        assert_eq!(current_handle(), chosen, "other code has its context back: {agrees}");
        resets_device(1);
        acl.close().unwrap();
        alone.assert_nothing_lives();
        has_ended
    };
    assert!((1..=CALLS).map(ended).fold(false, |some, has_ended| some | has_ended), "none of the contexts could end");
}
