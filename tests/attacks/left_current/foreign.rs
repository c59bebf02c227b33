//! Contexts that a thread could not leave, and foreign code that leaves them.

use super::*;

/// The foreign code enters another context, so the thread has left the first one. That one is not made current again:
/// the program did not choose it, and any thread may destroy it.
#[proves(CTX_09, CTX_11)]
#[test]
fn a_context_that_foreign_code_has_left_is_destroyed_elsewhere() {
    let (alone, _others) = undisturbed();
    let (zero, one) = (open(0, false), open(1, false));
    let (own, other) = (zero.with(|_| current_handle()).unwrap(), home_of(&one));
    on_a_new_thread(|| {
        stays_in(&zero);
        assert_eq!(current_handle(), own);
        let left = zero.library().foreign(|| visit(&one));
        assert!(left.refused.is_none(), "{left:?}");
        assert_eq!(current_handle(), other);
        close(&zero);
        one.with(|current| drop(current.upload(&[1_u8]).unwrap())).unwrap();
    });
    one.close().unwrap();
    alone.assert_nothing_lives();
}

/// The thread ends in a context that lives as long as its device.
#[proves(CTX_09, CTX_14)]
#[test]
fn a_thread_whose_foreign_code_left_a_context_does_not_end_in_it() {
    let (alone, _others) = undisturbed();
    let (zero, one) = (open(0, false), open(1, false));
    on_a_new_thread(|| {
        stays_in(&zero);
        zero.library().foreign(|| visit(&one));
        visit(&one);
    });
    zero.close().unwrap();
    one.close().unwrap();
    alone.assert_nothing_lives();
}

/// Foreign code that makes nothing current changes nothing: the context is still current on a thread.
#[proves(CTX_11)]
#[test]
fn a_context_that_foreign_code_did_not_leave_is_not_destroyed() {
    let (alone, _others) = undisturbed();
    let (zero, one) = (open(0, false), open(1, false));
    let own = zero.with(|_| current_handle()).unwrap();
    on_a_new_thread(|| {
        stays_in(&zero);
        let left = zero.library().foreign(|| ());
        assert_eq!((current_handle(), left.changed), (own, false));
        let refused = on_a_new_thread(|| zero.close().unwrap_err().to_string());
        assert!(refused.contains("CTX-11"), "{refused}");
        visit(&one);
        close(&zero);
    });
    one.close().unwrap();
    alone.assert_nothing_lives();
}

/// The thread is in a context, and could not leave one that it had entered inside of that. After foreign code it works in
/// the outer one.
#[proves(CTX_05, CTX_11)]
#[test]
fn an_outer_context_is_the_one_after_foreign_code_if_an_inner_one_could_not_be_left() {
    let (alone, _others) = undisturbed();
    let (zero, one) = (open(0, false), open(1, false));
    let outer = zero.with(|_| current_handle()).unwrap();
    on_a_new_thread(|| {
        let works = |current: &mut ascendcl::Current<Left>| {
            one.enter(current, |_| fail(REFUSED)).unwrap();
            nothing_fails();
            assert_ne!(current_handle(), outer);
            zero.library().foreign(|| sets_device(1));
            drop(current.upload(&[1_u8]).unwrap());
            assert_eq!(current_handle(), outer);
            close(&one);
            resets_device(1);
        };
        zero.with(works).unwrap();
    });
    zero.close().unwrap();
    alone.assert_nothing_lives();
}
