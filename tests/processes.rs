//! What survives a fork: nothing of the library, and the child is told so.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use ascendcl::{Acl, Error, Library, ScopeError, Thread};
use ascendcl_macros::proves;
use common::{acl, alone};

#[proves(THREAD_05)]
#[test]
fn a_forked_child_cannot_use_the_library_and_the_parent_goes_on() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let forked = |error: &Error| matches!(error, Error::Forked { loaded_in, here } if loaded_in != here);
    let outcome = device.context(&mut thread, |context, thread| {
        // SAFETY: the child calls nothing but the code below, which allocates at most, and leaves by `_exit`.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            let refused = [
                acl.device_count().as_ref().is_err_and(forked),
                acl.device(thread, 1).as_ref().is_err_and(forked),
                context.enter(thread, |_| ()).as_ref().is_err_and(forked),
                Acl::init(Library::Simulator).as_ref().is_err_and(forked),
                matches!(device.context(thread, |_, _| ()), Err(ScopeError::NotOpened(error)) if forked(&error)),
            ];
            let wrong = refused.iter().filter(|refused| !**refused).count();
            // SAFETY: ends the child without running what belongs to the parent.
            unsafe { libc::_exit(i32::try_from(wrong).unwrap_or(100)) }
        }
        let mut status = 0;
        // SAFETY: waits for the child that was just made; `status` is a place for the answer.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "the child's status: {status}");
        context.enter(thread, |current| current.upload(&[1_u8]).unwrap().to_vec(current).unwrap()).unwrap()
    });
    assert_eq!(outcome.unwrap(), [1]);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn a_thread_may_end_inside_a_context_and_its_scope_goes_on() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    device
        .context(&mut thread, |context, thread| {
            std::thread::scope(|scope| {
                let ended = scope.spawn(|| {
                    let mut thread = Thread::new().unwrap();
                    context.enter(&mut thread, |current| {
                        std::mem::forget(current.stream().unwrap());
                        std::mem::forget(current.upload(&[0_u8; 64]).unwrap());
                        panic!("the thread ends here, with the context current");
                    })
                });
                assert!(ended.join().is_err());
            });
            context.enter(thread, |current| current.stream().unwrap().destroy(current).unwrap()).unwrap();
        })
        .unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}
