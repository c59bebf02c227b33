//! What the crate notes of a thread where a scope is opened or ends, a device is reset, or a context cannot be entered.

use super::*;

/// The library does not say which context is current, either.
const UNKNOWN: &str = "aclrtSetCurrentContext=507899,aclrtGetCurrentContext=507899";

/// Opening a scope in a default context makes nothing current. So the thread is still in the context that it could not
/// leave.
#[proves(CTX_11)]
#[test]
fn a_context_that_could_not_be_left_is_not_destroyed_after_a_scope_in_a_default_one_was_opened() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let (device, zero) = (take(&acl, 1), open(0, false));
    on_a_new_thread(|| {
        stays_in(&zero);
        fail(REFUSED);
        let scope = device.default_context(&mut Thread::new().unwrap(), |_, _| {
            nothing_fails();
            let refused = on_a_new_thread(|| zero.close().unwrap_err().to_string());
            assert!(refused.contains("CTX-11"), "{refused}");
        });
        scope.unwrap();
        close(&zero);
    });
    reset(device);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// The thread makes a context, which the library makes current. It cannot leave that one, either.
#[proves(CTX_04, CTX_11)]
#[test]
fn a_context_that_was_left_for_a_new_one_ends_although_the_library_does_not_say_what_is_current() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let (device, zero) = (take(&acl, 0), open(0, false));
    on_a_new_thread(|| {
        zero.with(|_| fail(UNKNOWN)).unwrap();
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

/// The thread cannot enter a second context, so it is still in the first one.
#[proves(CTX_11)]
#[test]
fn a_context_that_could_not_be_left_is_not_destroyed_after_a_second_one_could_not_be_entered() {
    let (alone, _others) = undisturbed();
    let (zero, one) = (open(0, false), open(1, false));
    on_a_new_thread(|| {
        stays_in(&zero);
        fail(UNKNOWN);
        one.with(|_| ()).unwrap_err();
        nothing_fails();
        let refused = on_a_new_thread(|| zero.close().unwrap_err().to_string());
        assert!(refused.contains("CTX-11"), "{refused}");
        // With the next context that it enters, the thread leaves the first one.
        visit(&one);
        close(&zero);
    });
    one.close().unwrap();
    alone.assert_nothing_lives();
}

/// Other code has chosen another context where the crate resets a device. What the crate had left is still its own.
#[proves(CTX_03, CTX_06)]
#[test]
fn a_default_context_is_not_made_current_after_its_end_although_another_device_was_reset_before() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let (device, zero, one) = (take(&acl, 0), open(0, false), open(1, false));
    let (home, other) = (home_of(&zero), home_of(&one));
    let own = zero.with(|_| current_handle()).unwrap();
    on_a_new_thread(|| {
        visit(&one);
        makes_current(own);
        device.reset(&mut Thread::new().unwrap()).unwrap();
        makes_current(other);
        zero.with(|_| close(&one)).unwrap();
        assert_eq!(current_handle(), home);
    });
    zero.close().unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// The reset is not the last one of the device, so its default context is still current on the thread.
#[proves(CTX_03, CTX_06)]
#[test]
fn a_default_context_that_is_current_after_a_reset_is_not_made_current_after_the_last_one() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let (second, one) = (take(&acl, 0), open(1, false));
    let home = home_of(&one);
    on_a_new_thread(|| {
        let mut thread = Thread::new().unwrap();
        acl.device(&mut thread, 0).unwrap().reset(&mut thread).unwrap();
        drop(thread);
        one.with(|_| reset(second)).unwrap();
        assert_eq!(current_handle(), home);
    });
    one.close().unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_14)]
#[test]
fn a_thread_without_a_context_that_takes_one_down_is_in_the_default_one_afterwards() {
    let (alone, _others) = undisturbed();
    let (zero, again) = (open(0, false), open(0, false));
    let home = home_of(&again);
    on_a_new_thread(|| {
        zero.close().unwrap();
        assert_eq!(current_handle(), home);
    });
    again.close().unwrap();
    alone.assert_nothing_lives();
}

/// The library refuses to make a default context current, and to go back. So another default context stays, which ends
/// later.
#[proves(CTX_03, CTX_06)]
#[test]
fn a_default_context_that_stays_current_where_another_one_could_not_be_entered_is_not_made_current_after_its_end() {
    let (alone, _others) = undisturbed();
    let (default, zero, one) = (open(0, true), open(0, false), open(1, false));
    let home = home_of(&zero);
    on_a_new_thread(|| {
        visit(&one);
        fail(REFUSED);
        default.with(|_| ()).unwrap_err();
        nothing_fails();
        zero.with(|_| close(&one)).unwrap();
        assert_eq!(current_handle(), home);
    });
    default.close().unwrap();
    zero.close().unwrap();
    alone.assert_nothing_lives();
}

/// The thread is in a context. Inside of foreign code, other code chooses a second one, and foreign code ends that.
#[proves(CTX_03, CTX_09)]
#[test]
fn a_context_that_foreign_code_ends_inside_of_foreign_code_is_not_made_current_again() {
    let (alone, _others) = undisturbed();
    let (zero, one) = (open(0, false), open(1, false));
    let (home, other) = (home_of(&zero), one.with(|_| current_handle()).unwrap());
    on_a_new_thread(|| {
        let works = |current: &mut ascendcl::Current<Left>| {
            let outer = zero.library().foreign(|| {
                makes_current(other);
                let inner = zero.library().foreign(|| {
                    makes_current(home);
                    close(&one);
                });
                assert!(inner.refused.is_none(), "{inner:?}");
            });
            assert!(outer.refused.is_none(), "{outer:?}");
            drop(current.upload(&[1_u8]).unwrap());
        };
        zero.with(works).unwrap();
    });
    zero.close().unwrap();
    alone.assert_nothing_lives();
}

/// A default context is entered inside of a visit by the fast path, and could not be left. After the visit the thread is in
/// the default context from before, and the crate knows that.
#[proves(CTX_03, CTX_06)]
#[test]
fn a_default_context_that_is_current_again_after_an_inner_one_is_not_made_current_after_its_end() {
    let (alone, _others) = undisturbed();
    let (zero, one, inner) = (open(0, false), open(1, false), open(1, true));
    let (home, other) = (home_of(&zero), home_of(&one));
    on_a_new_thread(|| {
        (0..3).for_each(|_| visit(&zero));
        let works = |current: &mut ascendcl::Current<Left>| {
            inner.enter(current, |_| fail(REFUSED)).unwrap();
            nothing_fails();
            drop(current.upload(&[1_u8]).unwrap());
            // Functions are cached again.
            on_a_new_thread(|| (0..3).for_each(|_| visit(&one)));
        };
        zero.with(works).unwrap();
        assert_eq!(current_handle(), home);
        one.with(|_| close(&zero)).unwrap();
        assert_eq!(current_handle(), other);
    });
    inner.close().unwrap();
    one.close().unwrap();
    alone.assert_nothing_lives();
}

/// The thread leaves a context while it is in another one, which it could not leave.
#[proves(CTX_03, CTX_09)]
#[test]
fn a_context_that_was_left_from_inside_of_another_one_is_not_made_current_after_its_end() {
    let (alone, _others) = undisturbed();
    let (zero, again, one) = (open(0, false), open(0, false), open(1, false));
    let (home, other) = (home_of(&again), home_of(&one));
    on_a_new_thread(|| {
        (0..3).for_each(|_| visit(&zero));
        let stays = |current: &mut ascendcl::Current<Left>| {
            one.enter(current, |_| fail(REFUSED)).unwrap();
            nothing_fails();
        };
        zero.with(stays).unwrap();
        assert_eq!(current_handle(), home);
        close(&zero);
        // The device was reset, so nobody knows whether its default context is still there.
        visit(&one);
        assert_eq!(current_handle(), other);
    });
    again.close().unwrap();
    one.close().unwrap();
    alone.assert_nothing_lives();
}

/// Other code has left the first context by choosing the second one, which the thread then could not leave.
#[proves(CTX_11)]
#[test]
fn a_context_that_other_code_has_left_ends_although_the_thread_could_not_leave_its_choice() {
    let (alone, _others) = undisturbed();
    let (zero, one) = (open(0, false), open(1, false));
    let own = one.with(|_| current_handle()).unwrap();
    on_a_new_thread(|| {
        stays_in(&zero);
        makes_current(own);
        fail(REFUSED);
        one.with(|_| ()).unwrap_err();
        nothing_fails();
        close(&zero);
        visit(&one);
    });
    one.close().unwrap();
    alone.assert_nothing_lives();
}

/// The handles are right, but come with an error.
#[proves(ERR_01, CTX_14)]
#[test]
fn an_answer_with_an_error_names_no_context_to_return_to() {
    let (alone, _others) = undisturbed();
    let (zero, one) = (open(0, false), open(1, false));
    let (home, other) = (home_of(&zero), home_of(&one));
    on_a_new_thread(|| {
        (0..3).for_each(|_| visit(&zero));
        assert_eq!(current_handle(), home);
        fail("aclrtGetCurrentContext=after:507899");
        visit(&one);
        nothing_fails();
        assert_eq!(current_handle(), other);
    });
    zero.close().unwrap();
    one.close().unwrap();
    alone.assert_nothing_lives();
}
