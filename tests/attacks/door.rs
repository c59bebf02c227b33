//! Functions that the safe layer lacks, and objects of other code.

use super::{collect, fail, hold, inside, nothing_fails, set};
use crate::common::{alone, assert_lives};
use ascendcl::{Brand, Current, DeviceBuffer, Error, Pending, Thread, error::ObjectKind, stream::StreamOps};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use ascendcl_sys::types::{aclrtMemcpyKind, aclrtStream};
use std::ffi::c_void;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const ON_DEVICE: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE;

/// Sets every byte, as foreign code would.
pub(super) fn set_raw<C: Brand>(
    current: &Current<C>,
    stream: *mut c_void,
    start: *mut c_void,
    bytes: usize,
    value: u8,
) -> i32 {
    let functions = current.library().as_raw();
    // SAFETY: the callers hand in memory of that many bytes, and a stream of the current context.
    unsafe { functions.aclrtMemsetAsync(start, bytes, value.into(), bytes, aclrtStream(stream)) }.unwrap()
}

/// A set of 64 bytes, queued by hand.
fn submitted<C: Brand>(current: &Current<C>, stream: &StreamOps<C>, value: u8) -> Pending<C, DeviceBuffer<C, u8>> {
    let buffer = current.device_buffer::<u8>(64).unwrap();
    // SAFETY: all of the buffer is set, on this stream.
    let queued = unsafe {
        stream.submit(current, "aclrtMemsetAsync", buffer, |stream, to| {
            set_raw(current, stream, to.start, to.bytes, value)
        })
    };
    queued.unwrap()
}

#[proves(MEM_02, MEM_07)]
#[test]
fn work_by_other_functions_gives_its_operands_back_by_a_wait() {
    let alone = alone();
    inside(|current| {
        let (stream, functions) = (current.stream().unwrap(), current.library().as_raw());
        let rows = [[1_u8; 64], [2; 64], [3; 64], [4; 64]].concat();
        let (from, to) = (current.upload(&rows).unwrap(), current.device_buffer::<u8>(2 * 64).unwrap());
        // SAFETY: the rows are inside of both buffers, and all of `to` is written.
        let copied = unsafe {
            stream.submit(current, "aclrtMemcpy2dAsync", (from, to), |stream, (from, to)| {
                assert_eq!((from.bytes, to.bytes), (256, 128));
                functions
                    .aclrtMemcpy2dAsync(to.start, 64, from.start, 128, 64, 2, ON_DEVICE, aclrtStream(stream))
                    .unwrap()
            })
        };
        let (from, to) = copied.unwrap().wait(current).unwrap();
        assert_eq!(to.to_vec(current).unwrap(), [[1; 64], [3; 64]].concat());
        assert_eq!(from.to_vec(current).unwrap(), rows);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn memory_of_foreign_work_that_was_dropped_is_not_freed_before_it_is_over() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let release = hold(current, &stream);
        let before = control::live().device_blocks;
        drop(submitted(current, &stream, 7));
        collect_without_waiting(current);
        assert_lives!(device_blocks, before + 1);
        release.send(()).unwrap();
        stream.synchronize(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, before);
    });
    alone.assert_nothing_lives();
}

/// Frees what is idle: an allocation that finds no room does that, and nothing is waited for.
pub(super) fn collect_without_waiting(current: &Current<impl Brand>) {
    fail("aclrtMalloc#1=207001");
    drop(current.device_buffer::<u8>(1));
    nothing_fails();
}

#[proves(MEM_02, ERR_01)]
#[test]
fn a_foreign_call_that_fails_gives_its_operands_back_when_nothing_of_it_can_run() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let buffer = current.upload(&[1_u8; 64]).unwrap();
        // SAFETY: the work is a set of the buffer, on this stream; the code says that it failed all the same.
        let refused = unsafe {
            stream.submit(current, "aFunctionOfOthers", buffer, |stream, to| {
                set_raw(current, stream, to.start, to.bytes, 9);
                507_899
            })
        };
        let refused = refused.unwrap_err();
        let Error::Vendor(error) = &refused.error else { panic!("{}", refused.error) };
        assert_eq!((error.call, error.code.number()), ("aFunctionOfOthers", 507_899));
        // The work was waited for.
        assert_eq!(refused.value.to_vec(current).unwrap(), [9; 64]);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_foreign_call_that_fails_while_its_stream_hangs_leaves_its_operands_in_doubt() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let other = current.stream().unwrap();
        let release = hold(current, &stream);
        let buffer = current.upload(&[1_u8; 64]).unwrap();
        // SAFETY: nothing is queued.
        let refused = unsafe { stream.submit(current, "aFunctionOfOthers", buffer, |_, _| 507_899) }.unwrap_err();
        let unused = other.set_bytes(current, refused.value, 1).unwrap_err();
        assert!(matches!(unused.error, Error::InDoubt { what: ObjectKind::DEVICE_MEMORY }), "{}", unused.error);
        // Nor do other functions get it.
        // SAFETY: the function is never called.
        let unused =
            unsafe { other.submit(current, "none", unused.value, |_, _| -> i32 { panic!("it runs") }) }.unwrap_err();
        assert!(matches!(unused.error, Error::InDoubt { what: ObjectKind::DEVICE_MEMORY }), "{}", unused.error);
        release.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_panic_behind_a_foreign_call_frees_nothing_that_its_work_uses() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        // Used on another stream before, which is idle now.
        let buffer = set(current, &first, 1).wait(current).unwrap();
        let release = hold(current, &second);
        let before = control::live().device_blocks;
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: all of the buffer is set, on this stream.
            let queued = unsafe {
                second.submit(current, "aclrtMemsetAsync", buffer, |stream, to| -> i32 {
                    set_raw(current, stream, to.start, to.bytes, 9);
                    panic!("behind the call")
                })
            };
            drop(queued);
        }));
        assert_eq!(*panicked.unwrap_err().downcast::<&str>().unwrap(), "behind the call");
        collect_without_waiting(current);
        assert_lives!(device_blocks, before, "the work still uses it");
        release.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04)]
#[test]
fn operands_in_flight_on_another_stream_come_back_and_the_function_does_not_run() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let work = set(current, &first, 1);
        // SAFETY: the function is never called.
        let refused = unsafe { second.submit(current, "none", work, |_, _| -> i32 { panic!("it runs") }) }.unwrap_err();
        assert!(matches!(refused.error, Error::OtherStream { .. }), "{}", refused.error);
        // On its own stream it is taken as it is.
        // SAFETY: all of the buffer is set, on this stream.
        let more = unsafe {
            first.submit(current, "aclrtMemsetAsync", refused.value, |stream, to| {
                set_raw(current, stream, to.start, to.bytes, 2)
            })
        };
        assert_eq!(more.unwrap().wait(current).unwrap().to_vec(current).unwrap(), [2; 4]);
    });
    alone.assert_nothing_lives();
}

#[proves(CTX_05)]
#[test]
fn foreign_work_is_not_queued_while_the_context_of_other_code_stays_current() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let buffer = current.upload(&[1_u8; 4]).unwrap();
        fail("aclrtSetCurrentContext=507899");
        let functions = current.library().as_raw();
        // SAFETY: takes a number.
        current.foreign(|| unsafe { functions.aclrtSetDevice(1) }.unwrap());
        // SAFETY: the function is never called.
        let refused =
            unsafe { stream.submit(current, "none", buffer, |_, _| -> i32 { panic!("it runs") }) }.unwrap_err();
        assert!(matches!(&refused.error, Error::Vendor(error) if error.call == "aclrtSetCurrentContext"));
        nothing_fails();
        // SAFETY: takes a number.
        current.foreign(|| unsafe { functions.aclrtResetDevice(1) }.unwrap());
    });
    alone.assert_nothing_lives();
}

#[test]
fn handles_are_those_of_the_library() {
    let alone = alone();
    inside(|current| {
        let functions = current.library().as_raw();
        let mut context = ascendcl_sys::types::aclrtContext::NULL;
        // SAFETY: there is a place for the handle.
        assert_eq!(unsafe { functions.aclrtGetCurrentContext(&mut context) }, Ok(0));
        assert_eq!(current.as_raw(), context.0);
        assert!(current.default_stream().as_raw().is_null());
        let (stream, event) = (current.stream().unwrap(), current.event().unwrap());
        assert!(!stream.as_raw().is_null() && !event.as_raw().is_null() && stream.as_raw() != event.as_raw());
        assert!(!current.device_buffer::<u8>(1).unwrap().as_raw().is_null());
        assert!(super::model(current).as_raw() > 0);
    });
    alone.assert_nothing_lives();
}

/// A stream of other code, in the context that is current.
pub(super) fn stream_of_others(current: &Current<impl Brand>) -> NonNull<c_void> {
    let mut stream = aclrtStream::NULL;
    // SAFETY: there is a place for the handle.
    assert_eq!(unsafe { current.library().as_raw().aclrtCreateStream(&mut stream) }, Ok(0));
    NonNull::new(stream.0).unwrap()
}

pub(super) fn destroy(current: &Current<impl Brand>, stream: NonNull<c_void>) {
    // SAFETY: the stream is this test's, and no value of the crate stands for it any more.
    assert_eq!(unsafe { current.library().as_raw().aclrtDestroyStream(aclrtStream(stream.as_ptr())) }, Ok(0));
}

#[proves(STREAM_01, STREAM_05)]
#[test]
fn a_stream_of_other_code_is_waited_for_and_not_destroyed() {
    let alone = alone();
    inside(|current| {
        let before = control::live().streams;
        let theirs = stream_of_others(current);
        // SAFETY: it is a stream of this context until `destroy` below.
        let stream = unsafe { current.adopt_stream(theirs) }.unwrap();
        assert_eq!(stream.as_raw(), theirs.as_ptr());
        let release = hold(current, &stream);
        let pending = set(current, &stream, 3);
        release.send(()).unwrap();
        assert_eq!(pending.wait(current).unwrap().to_vec(current).unwrap(), [3; 4]);
        let pending = set(current, &stream, 4);
        stream.destroy(current).unwrap();
        collect(current);
        assert_lives!(streams, before + 1, "other code still has its stream");
        destroy(current, theirs);
        pending.wait(current).unwrap();
        // One that is dropped is waited for, too, and is not there any more afterwards.
        let theirs = stream_of_others(current);
        // SAFETY: it is a stream of this context until `destroy` below.
        drop(set(current, &unsafe { current.adopt_stream(theirs) }.unwrap(), 5));
        collect(current);
        // Its row is used again.
        (0..16).for_each(|_| current.stream().unwrap().destroy(current).unwrap());
        assert_lives!(streams, before + 1);
        destroy(current, theirs);
        // The end of a scope waits for the streams that it has seen. This one is over, and its handle is used no more.
        let (theirs, mut copy) = (stream_of_others(current), [0_u8; 4]);
        let lent = current.copy_scope(|current, copies| {
            // SAFETY: it is a stream of this context until `destroy` below.
            let stream = unsafe { current.adopt_stream(theirs) }.unwrap();
            drop(copies.copy_to_host(current, &stream, current.upload(&[7_u8; 4]).unwrap(), &mut copy).unwrap());
            stream.destroy(current).unwrap();
            destroy(current, theirs);
        });
        lent.unwrap();
        assert_eq!(copy, [7; 4]);
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_01, DEV_10)]
#[test]
fn a_scope_ends_around_a_stream_of_other_code_that_was_forgotten() {
    let alone = alone();
    let acl = crate::common::acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let theirs = device.default_context(&mut thread, |context, thread| {
        let entered = context.enter(thread, |current| {
            let theirs = stream_of_others(current);
            // SAFETY: it is a stream of the default context until the end of this test.
            mem::forget(set(current, &unsafe { current.adopt_stream(theirs) }.unwrap(), 5));
            theirs
        });
        entered.unwrap()
    });
    let theirs = theirs.unwrap();
    assert_lives!(streams, 1);
    let destroyed = device.default_context(&mut thread, |context, thread| {
        context.enter(thread, |current| destroy(current, theirs)).unwrap();
    });
    destroyed.unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MEM_01, MEM_02)]
#[test]
fn memory_of_other_code_is_used_like_any_other_and_never_freed() {
    let alone = alone();
    inside(|current| {
        let functions = current.library().as_raw();
        let mut start = std::ptr::null_mut();
        let policy = ascendcl_sys::types::aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST;
        // SAFETY: there is a place for the address.
        assert_eq!(unsafe { functions.aclrtMalloc(&mut start, 256, policy) }, Ok(0));
        // SAFETY: there are 256 bytes, all of which are set.
        assert_eq!(unsafe { functions.aclrtMemset(start, 256, 5, 256) }, Ok(0));
        let start = NonNull::new(start).unwrap();
        // SAFETY: the memory is this test's until `aclrtFree` below, and nobody else uses it.
        let mut buffer = unsafe { current.adopt_memory::<u8>(start, 256) }.unwrap();
        assert_eq!(buffer.to_vec(current).unwrap(), [5; 256]);
        buffer.copy_from(current, &[6; 256]).unwrap();
        let stream = current.stream().unwrap();
        let pending = stream.set_bytes(current, buffer, 7).unwrap();
        let buffer = pending.wait(current).unwrap();
        assert_eq!((buffer.as_raw(), buffer.to_vec(current).unwrap()), (start.as_ptr(), vec![7; 256]));
        // Now memory of the crate is freed by the fast path.
        (0..2).for_each(|_| current.device_buffer::<u8>(4).unwrap().free(current).unwrap());
        let blocks = control::live().device_blocks;
        buffer.free(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, blocks);
        // SAFETY: the memory is this test's until `aclrtFree` below, and nobody else uses it.
        drop(unsafe { current.adopt_memory::<u64>(start, 32) }.unwrap());
        // SAFETY: the address space has no room for so many elements: the call refuses, and no buffer stands for them.
        assert!(unsafe { current.adopt_memory::<u64>(start, usize::MAX) }.is_err());
        collect(current);
        // SAFETY: no value of the crate stands for the memory any more.
        assert_eq!(unsafe { functions.aclrtFree(start.as_ptr()) }, Ok(0));
    });
    alone.assert_nothing_lives();
}

/// Raises the number that it gets, later than a stream is destroyed that nobody waits for.
unsafe extern "C" fn raised_later(number: *mut c_void) {
    std::thread::sleep(Duration::from_millis(30));
    // SAFETY: the test passes an atomic number that it leaks.
    unsafe { &*number.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
}

#[proves(STREAM_05)]
#[test]
fn a_stream_whose_handle_other_code_has_is_waited_for_before_it_is_destroyed() {
    let alone = alone();
    inside(|current| {
        let functions = current.library().as_raw();
        let number: &'static AtomicU32 = Box::leak(Box::default());
        let queue = |stream: *mut c_void| {
            let argument = (&raw const *number).cast_mut().cast::<c_void>();
            // SAFETY: the stream is live, and the number is there forever.
            unsafe { functions.aclrtLaunchHostFunc(aclrtStream(stream), Some(raised_later), argument) }.unwrap()
        };
        // The stream's clock counts none of this work.
        let stream = current.stream().unwrap();
        assert_eq!(queue(stream.as_raw()), 0);
        stream.destroy(current).unwrap();
        assert_eq!(number.load(Ordering::SeqCst), 1, "the stream was destroyed under foreign work");
        let stream = current.stream().unwrap();
        let mut kept = None;
        // SAFETY: nothing is queued by this call, and the stream is live when its handle is used.
        let submitted =
            unsafe { stream.submit(current, "none", (), |stream, ()| i32::from(kept.replace(stream).is_some())) };
        submitted.unwrap().wait(current).unwrap();
        assert_eq!(queue(kept.unwrap()), 0);
        stream.destroy(current).unwrap();
        assert_eq!(number.load(Ordering::SeqCst), 2, "the stream was destroyed under foreign work");
    });
    alone.assert_nothing_lives();
}
