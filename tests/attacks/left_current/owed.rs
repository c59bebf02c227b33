//! Contexts of other code that the library refused to make current again.

use super::*;

/// A reset of any device says nothing about a context of other code that was made current again.
#[proves(CTX_08, CTX_09)]
#[test]
fn a_context_of_other_code_is_current_again_whatever_device_was_reset() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let zero = open(0, false);
    on_a_new_thread(|| {
        sets_device(1);
        let chosen = current_handle();
        visit(&zero);
        assert_eq!(current_handle(), chosen);
        zero.with(|_| is_reset_once(&acl, 0)).unwrap();
        assert_eq!(current_handle(), chosen);
        resets_device(1);
    });
    zero.close().unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// The thread takes a device, and the library refuses to make the context of other code current again. That context may
/// have ended by now, so the default one is what the crate left current.
#[proves(CTX_03, CTX_06)]
#[test]
fn a_default_context_that_took_the_place_of_one_that_was_chosen_is_left_until_its_device_is_reset() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let (zero, one) = (open(0, false), open(1, false));
    let (home, other) = (home_of(&zero), home_of(&one));
    on_a_new_thread(|| {
        sets_device(1);
        fail(REFUSED);
        let device = acl.device(&mut Thread::new().unwrap(), 0).unwrap();
        nothing_fails();
        assert_eq!(current_handle(), home);
        is_reset_once(&acl, 1);
        one.with(|_| reset(device)).unwrap();
        assert_eq!(current_handle(), other);
        resets_device(1);
    });
    zero.close().unwrap();
    one.close().unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Other code chose the default context, or it is still to be made current. A scope in this context ends, which does not
/// end the context: it stays the choice of the other code, also when the device is given back once.
#[proves(CTX_03, CTX_08)]
#[test]
fn a_default_context_that_was_chosen_stays_the_choice_after_a_scope_in_it() {
    for is_owed in [false, true] {
        let (alone, _others) = undisturbed();
        let acl = acl();
        let (device, again, one) = (take(&acl, 0), open(0, false), open(1, false));
        let home = home_of(&again);
        on_a_new_thread(|| {
            makes_current(home);
            if is_owed {
                one.with(|_| fail(REFUSED)).unwrap();
            }
            let scope = device.default_context(&mut Thread::new().unwrap(), |_, _| nothing_fails());
            scope.unwrap();
            assert_eq!(current_handle(), home);
            one.with(|_| is_reset_once(&acl, 0)).unwrap();
            assert_eq!(current_handle(), home);
        });
        reset(device);
        again.close().unwrap();
        one.close().unwrap();
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}
