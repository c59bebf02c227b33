//! A thread that uses two libraries: each has a current context of its own.

use super::super::leaving::{current_of, second_library};
use super::*;
use crate::common::alone;
use crate::null::books;

/// The library with the second notes on the thread.
#[proves(CTX_05, CTX_09)]
#[test]
fn a_context_of_the_second_library_is_returned_to_when_the_library_agrees() {
    let (alone, books) = (alone(), books());
    let library = second_library(&books);
    let (simulated, kept) = (acl(), books.acl());
    let device = take(&simulated, 0);
    let other = take(&kept, 0);
    let scope = other.context(&mut Thread::new().unwrap(), |outer, thread| {
        let scope = other.context(thread, |inner, _| {
            on_a_new_thread(|| {
                let mut thread = Thread::new().unwrap();
                device.with_current(&mut thread, |_| ()).unwrap();
                let entered = outer.enter(&mut thread, |current| {
                    let own = current_of(&library);
                    for _ in 0..20 {
                        inner.enter(current, |_| ()).unwrap();
                    }
                    inner.enter(current, |_| books.refuse("aclrtSetCurrentContext", 507_899, 1)).unwrap();
                    drop(current.upload(&[1_u8]).unwrap());
                    assert_eq!(current_of(&library), own);
                });
                entered.unwrap();
            });
        });
        scope.unwrap();
    });
    scope.unwrap();
    reset(other);
    reset(device);
    kept.close().unwrap();
    simulated.close().unwrap();
    books.assert_closed();
    alone.assert_nothing_lives();
}

/// The thread has taken a device of each, and another thread resets the one of the first.
#[proves(CTX_03, CTX_06)]
#[test]
fn what_is_noted_about_one_library_stays_when_the_thread_uses_a_second_one() {
    let (alone, books) = (alone(), books());
    let (simulated, kept) = (acl(), books.acl());
    let (zero, one) = (open(0, false), open(1, false));
    let home = home_of(&one);
    on_a_new_thread(|| {
        let mut thread = Thread::new().unwrap();
        let device = simulated.device(&mut thread, 0).unwrap();
        let other = kept.device(&mut thread, 0).unwrap();
        drop(thread);
        one.with(|_| reset(device)).unwrap();
        assert_eq!(current_handle(), home);
        reset(other);
    });
    zero.close().unwrap();
    one.close().unwrap();
    kept.close().unwrap();
    simulated.close().unwrap();
    books.assert_closed();
    alone.assert_nothing_lives();
}
