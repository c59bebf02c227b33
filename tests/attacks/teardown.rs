//! Teardown: after drops in every order, in the vendor's order of calls, and with stuck streams.

use super::{collect, upload, with_device};
use crate::null::{Books, TIMEOUT, WORK_FAILED, books, in_books, refusal};
use ascendcl::{Acl, Brand, Current, Device, Error, ScopeError, Scoped, Thread};
use ascendcl_macros::proves;
use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

const LIMIT: Duration = Duration::from_millis(5);

/// A device of the bookkeeping library, and the errors of one scope on it that could not be taken down.
fn stuck<'a>(
    acl: &'a Acl,
    thread: &mut Thread,
    program: impl for<'c> FnOnce(&mut Current<Scoped<'c>>),
) -> (Device<'a>, Vec<Error>) {
    let device = acl.device(thread, 0).unwrap().with_teardown_timeout(LIMIT);
    let Err(ScopeError::Teardown { errors, result }) = device.with_current(thread, program) else {
        panic!("the scope was taken down")
    };
    assert_eq!(result, Some(()), "the program's result comes out all the same");
    (device, errors)
}

#[track_caller]
fn assert_objects_left(error: &Error, with: &str) {
    assert!(matches!(error, Error::ObjectsLeft { device: 0, .. }), "{error}");
    let left = format!("device 0 cannot be reset, because {with} could not be released: ");
    assert!(error.to_string().starts_with(&left), "{error}");
    assert!(error.to_string().ends_with(" [DEV-10]"), "{error}");
}

fn leaves_a_copy_and_a_model(current: &mut Current<impl Brand>) {
    mem::forget(current.load_model("model").unwrap());
    drop(upload(current, &current.stream().unwrap()));
}

/// The calls since the last look, without those that only say which context is current.
fn lasting(books: &Books) -> Vec<String> {
    books.log().into_iter().filter(|call| call != "aclrtSetCurrentContext").collect()
}

#[proves(INIT_02, INIT_07, DEV_02, DEV_05, DEV_10, STREAM_05)]
#[test]
fn a_scope_is_taken_down_in_the_vendors_order() {
    let books = books();
    with_device(books.acl(), |device, thread| {
        device
            .with_current(thread, |current| {
                leaves_a_copy_and_a_model(current);
                books.log();
            })
            .unwrap();
        let mut calls = lasting(&books);
        // Memory goes in any order.
        calls[4..6].sort();
        assert_eq!(
            calls,
            [
                "aclrtSynchronizeStreamWithTimeout",
                "aclmdlUnload",
                "aclrtSynchronizeStreamWithTimeout",
                "aclrtDestroyStream",
                "aclrtFree",
                "aclrtFreeHost",
                "aclrtDestroyContext",
            ]
        );
    });
    assert_eq!(lasting(&books), ["aclrtResetDevice", "aclFinalizeReference"]);
    books.assert_closed();
}

#[proves(DEV_10, STREAM_16)]
#[test]
fn a_timed_out_stream_keeps_everything_and_the_device_until_it_is_done() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let (device, errors) = stuck(&acl, &mut thread, |current| {
        leaves_a_copy_and_a_model(current);
        books.refuse_to_synchronize(TIMEOUT);
    });
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(refusal(&errors[0]), ("aclrtSynchronizeStreamWithTimeout", TIMEOUT));
    assert!(errors[0].code().is_some_and(|code| code.is_timeout()));

    let failed = device.reset(&mut thread).unwrap_err();
    assert_objects_left(&failed.error, "1 model(s), 1 stream(s), 2 block(s) of memory");
    for call in ["aclrtFree", "aclrtFreeHost", "aclmdlUnload", "aclrtDestroyStream", "aclrtDestroyContext"] {
        assert_eq!(books.calls(call), 0, "{call}");
    }
    assert_eq!(books.calls("aclrtResetDevice"), 0);

    books.synchronize_again();
    failed.value.reset(&mut thread).unwrap();
    acl.close().unwrap();
    books.assert_closed();
}

#[proves(MEM_02, ERR_02)]
#[test]
fn failed_work_keeps_everything_also_without_a_limit() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let scope = device.with_current(&mut thread, |current| {
        mem::forget(upload(current, &current.stream().unwrap()));
        books.refuse_to_synchronize(WORK_FAILED);
        "the result"
    });
    let Err(ScopeError::Teardown { errors, result: Some("the result") }) = scope else { panic!("{scope:?}") };
    assert_eq!(refusal(&errors[0]), ("aclrtSynchronizeStreamWithTimeout", WORK_FAILED));
    let failed = device.reset(&mut thread).unwrap_err();
    assert_objects_left(&failed.error, "1 stream(s), 2 block(s) of memory");
    assert_eq!((books.calls("aclrtFree"), books.calls("aclrtFreeHost")), (0, 0));
    books.synchronize_again();
    failed.value.reset(&mut thread).unwrap();
    acl.close().unwrap();
    books.assert_closed();
}

#[test]
fn one_stuck_stream_of_two_keeps_the_memory_of_both() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let (device, errors) = stuck(&acl, &mut thread, |current| {
        drop(upload(current, &current.stream().unwrap()));
        drop(upload(current, &current.stream().unwrap()));
        books.refuse("aclrtSynchronizeStreamWithTimeout", TIMEOUT, 2);
    });
    assert_eq!(errors.len(), 1);
    assert_eq!((books.calls("aclrtFree"), books.calls("aclrtDestroyStream")), (0, 0));
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    books.assert_closed();
}

#[proves(CTX_03)]
#[test]
fn two_stuck_contexts_are_both_named_and_both_taken_down_later() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let (device, _) = stuck(&acl, &mut thread, |current| {
        leaves_a_copy_and_a_model(current);
        books.refuse_to_synchronize(TIMEOUT);
    });
    let second = device.with_current(&mut thread, |current| mem::forget(current.stream().unwrap()));
    assert!(matches!(second, Err(ScopeError::Teardown { .. })));
    let failed = device.reset(&mut thread).unwrap_err();
    assert_objects_left(&failed.error, "1 model(s), 1 stream(s), 2 block(s) of memory; 1 stream(s)");
    books.synchronize_again();
    failed.value.reset(&mut thread).unwrap();
    acl.close().unwrap();
    books.assert_closed();
}

#[proves(INIT_02)]
#[test]
fn a_library_with_a_stuck_device_is_closed_only_when_the_work_is_done() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let (device, _) = stuck(&acl, &mut thread, |current| {
        leaves_a_copy_and_a_model(current);
        books.refuse_to_synchronize(TIMEOUT);
    });
    // Neither forgetting the device nor closing the library is a way around.
    mem::forget(device);
    let failed = acl.close().unwrap_err();
    assert_objects_left(&failed.error, "1 model(s), 1 stream(s), 2 block(s) of memory");
    assert_eq!((books.calls("aclFinalizeReference"), books.calls("aclrtFree")), (0, 0));
    books.synchronize_again();
    failed.value.close().unwrap();
    books.assert_closed();
}

#[test]
fn a_panic_over_a_stuck_stream_goes_on_and_keeps_what_is_stuck() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(LIMIT);
    let panicked: Result<_, Box<dyn Any + Send>> = catch_unwind(AssertUnwindSafe(|| {
        device.with_current(&mut thread, |current| {
            drop(upload(current, &current.stream().unwrap()));
            books.refuse_to_synchronize(TIMEOUT);
            panic!("over a stuck stream")
        })
    }));
    assert_eq!(panicked.unwrap_err().downcast_ref::<&str>(), Some(&"over a stuck stream"));
    let failed = device.reset(&mut thread).unwrap_err();
    assert_objects_left(&failed.error, "1 stream(s), 2 block(s) of memory");
    books.synchronize_again();
    failed.value.reset(&mut thread).unwrap();
    acl.close().unwrap();
    books.assert_closed();
}

#[proves(STREAM_16, COPY_04)]
#[test]
fn a_copy_whose_wait_timed_out_keeps_its_buffers_until_a_later_wait() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        let copy = upload(current, &stream);
        books.refuse_to_synchronize(TIMEOUT);
        let failed = copy.wait_within(current, LIMIT).unwrap_err();
        assert_eq!(refusal(&failed.error), ("aclrtSynchronizeStreamWithTimeout", TIMEOUT));
        let failed = failed.value.wait(current).unwrap_err();
        collect(current);
        assert_eq!((books.calls("aclrtFree"), books.calls("aclrtFreeHost")), (0, 0));
        books.synchronize_again();
        let (host, target) = failed.value.wait_within(current, LIMIT).unwrap();
        host.free(current).unwrap();
        target.free(current).unwrap();
    });
}

#[proves(STREAM_16, MEM_02, MEM_13)]
#[test]
fn a_copy_dropped_after_its_wait_timed_out_is_not_freed_before_its_stream_is_done() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        books.refuse_to_synchronize(TIMEOUT);
        drop(upload(current, &stream).wait_within(current, LIMIT));
        collect(current);
        assert_eq!(stream.synchronize_within(current, LIMIT).unwrap_err().code().unwrap().number(), TIMEOUT);
        collect(current);
        assert_eq!((books.calls("aclrtFree"), books.calls("aclrtFreeHost")), (0, 0));
        // Out of room: what is in flight makes none.
        books.refuse("aclrtMalloc", 207_001, 1);
        assert!(current.device_buffer::<u8>(1).is_err());
        assert_eq!(books.calls("aclrtFree"), 0);
        books.synchronize_again();
        stream.synchronize_within(current, LIMIT).unwrap();
        collect(current);
        assert_eq!((books.calls("aclrtFree"), books.calls("aclrtFreeHost")), (1, 1));
    });
}

#[test]
fn a_dropped_stream_that_is_stuck_is_reported_by_each_collection_and_stays() {
    let books = books();
    in_books(&books, |current| {
        drop(upload(current, &current.stream().unwrap()));
        books.refuse_to_synchronize(WORK_FAILED);
        for _ in 0..2 {
            let errors = current.collect();
            assert_eq!(
                errors.iter().map(refusal).collect::<Vec<_>>(),
                [("aclrtSynchronizeStreamWithTimeout", WORK_FAILED)]
            );
        }
        assert_eq!((books.calls("aclrtFree"), books.calls("aclrtDestroyStream")), (0, 0));
        books.synchronize_again();
        collect(current);
    });
}

#[proves(MEM_02)]
#[test]
fn a_wait_that_covers_one_stream_does_not_cover_another() {
    let books = books();
    in_books(&books, |current| {
        let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
        let (host, target) = upload(current, &one).wait(current).unwrap();
        // The same buffers, on a second stream; the first is waited for.
        drop(two.copy_to_host(current, target, host).unwrap());
        one.synchronize(current).unwrap();
        one.destroy(current).unwrap();
        collect(current);
        assert_eq!((books.calls("aclrtFree"), books.calls("aclrtFreeHost")), (0, 0));
        two.synchronize(current).unwrap();
        collect(current);
        assert_eq!((books.calls("aclrtFree"), books.calls("aclrtFreeHost")), (1, 1));
    });
}

#[proves(MEM_01)]
#[test]
fn nothing_is_freed_that_a_program_still_uses_while_memory_runs_out() {
    let books = books();
    in_books(&books, |current| {
        let kept = current.upload(&[1.0_f32; 8]).unwrap();
        drop(current.device_buffer::<f32>(8).unwrap());
        books.refuse("aclrtMalloc", 207_001, 1);
        let next = current.device_buffer::<f32>(8).unwrap();
        assert_eq!(books.calls("aclrtFree"), 1, "the dropped one made room");
        assert_eq!(kept.to_vec(current).unwrap(), [1.0; 8]);
        next.free(current).unwrap();
    });
}

#[test]
fn a_panicking_program_and_a_refused_teardown_are_both_seen() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        device.context(&mut thread, |_, _| {
            books.refuse("aclrtDestroyContext", WORK_FAILED, 1);
            panic!("the program's");
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(books.live(), "1 context + device 0 taken 1 time(s) + initialised");
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    books.assert_closed();
}
