//! Foreign work over a vector of operands, and over a tuple of eight.

use super::door::{collect_without_waiting, set_raw};
use super::hold;
use super::{collect, inside, set};
use crate::common::{alone, assert_lives};
use ascendcl::raw::RawMemory;
use ascendcl::{Brand, Current, DeviceBuffer, Error, stream::StreamOps};
use ascendcl_macros::proves;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Sets each piece of memory to its number, from 1 on.
fn number(current: &Current<impl Brand>, stream: *mut c_void, pieces: &[RawMemory]) -> i32 {
    pieces.iter().zip(1..).for_each(|(piece, value)| {
        set_raw(current, stream, piece.start, piece.bytes, value);
    });
    0
}

fn buffers<C: Brand>(current: &Current<C>, count: usize) -> Vec<DeviceBuffer<C, u8>> {
    (0..count).map(|_| current.upload(&[0_u8; 64]).unwrap()).collect()
}

#[proves(MEM_02)]
#[test]
fn a_vector_of_operands_is_in_flight_as_one_and_comes_back() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        // One is in flight on the stream before.
        let mut works: Vec<_> = (0..20).map(|_| set(current, &stream, 9)).collect();
        works.truncate(17);
        // SAFETY: the bytes of each operand are set, on this stream.
        let work = unsafe {
            stream.submit(current, "aclrtMemsetAsync", works, |stream, pieces| number(current, stream, &pieces))
        };
        let done = work.unwrap().wait(current).unwrap();
        let read: Vec<_> = done.iter().map(|buffer| buffer.to_vec(current).unwrap()[3]).collect();
        assert_eq!(read, (1..=17).collect::<Vec<u8>>());
        // A vector of nothing is work without operands.
        let none: Vec<DeviceBuffer<_, u8>> = Vec::new();
        // SAFETY: nothing is queued.
        let work = unsafe { stream.submit(current, "none", none, |_, pieces| i32::from(!pieces.is_empty())) };
        assert!(work.unwrap().wait(current).unwrap().is_empty());
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn no_operand_of_a_vector_is_freed_before_the_work_is_over() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let release = hold(current, &stream);
        // SAFETY: the bytes of each operand are set, on this stream.
        let work = unsafe {
            stream.submit(current, "aclrtMemsetAsync", buffers(current, 5), |stream, pieces| {
                number(current, stream, &pieces)
            })
        };
        drop(work.unwrap());
        collect_without_waiting(current);
        assert_lives!(device_blocks, 5);
        release.send(()).unwrap();
        stream.synchronize(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, STREAM_04)]
#[test]
fn a_vector_with_one_operand_that_cannot_be_used_comes_back_whole_and_nothing_runs() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let never = |_: *mut c_void, _: Vec<RawMemory>| -> i32 { panic!("it runs") };
        let works = vec![set(current, &first, 1), set(current, &second, 2), set(current, &first, 3)];
        // SAFETY: the function is never called.
        let refused = unsafe { first.submit(current, "none", works, never) }.unwrap_err();
        assert!(matches!(refused.error, Error::OtherStream { .. }), "{}", refused.error);
        for (work, value) in refused.value.into_iter().zip(1..) {
            assert_eq!(work.wait(current).unwrap().to_vec(current).unwrap(), [value; 4]);
        }
        // One in doubt.
        let release = hold(current, &second);
        let doubtful = current.upload(&[1_u8; 64]).unwrap();
        // SAFETY: nothing is queued.
        let doubtful = unsafe { second.submit(current, "none", doubtful, |_, _| 507_899) }.unwrap_err().value;
        let mut all = buffers(current, 3);
        all.insert(1, doubtful);
        // SAFETY: the function is never called.
        let refused = unsafe { first.submit(current, "none", all, never) }.unwrap_err();
        assert!(matches!(refused.error, Error::InDoubt { .. }), "{}", refused.error);
        assert_eq!(refused.value.len(), 4);
        release.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn all_operands_of_a_vector_are_in_doubt_after_a_failure_that_could_not_be_waited_for() {
    let alone = alone();
    inside(|current| {
        let (stream, other) = (current.stream().unwrap(), current.stream().unwrap());
        let release = hold(current, &stream);
        // SAFETY: nothing is queued.
        let refused = unsafe { stream.submit(current, "none", buffers(current, 3), |_, _| 507_899) }.unwrap_err();
        for buffer in refused.value {
            let unused = other.set_bytes(current, buffer, 1).unwrap_err();
            assert!(matches!(unused.error, Error::InDoubt { .. }), "{}", unused.error);
        }
        release.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_panic_over_a_vector_frees_nothing_that_the_work_uses() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let release = hold(current, &stream);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the bytes of each operand are set, on this stream.
            let queued = unsafe {
                stream.submit(current, "aclrtMemsetAsync", buffers(current, 3), |stream, pieces| -> i32 {
                    number(current, stream, &pieces);
                    panic!("behind the call")
                })
            };
            drop(queued);
        }));
        assert_eq!(*panicked.unwrap_err().downcast::<&str>().unwrap(), "behind the call");
        collect_without_waiting(current);
        assert_lives!(device_blocks, 3, "the work still uses them");
        release.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_tuple_of_eight_operands_is_in_flight_as_one_and_comes_back() {
    let alone = alone();
    inside(|current| {
        let stream: &StreamOps<_> = &current.stream().unwrap();
        let release = hold(current, stream);
        let one = || current.upload(&[0_u8; 64]).unwrap();
        let host = current.host_buffer::<u8>(64).unwrap();
        let operands = (one(), one(), set(current, stream, 9), one(), one(), one(), one(), host);
        // SAFETY: the bytes of the operands on the device are set, on this stream.
        let work = unsafe {
            stream.submit(current, "aclrtMemsetAsync", operands, |stream, (a, b, c, d, e, f, g, _)| {
                number(current, stream, &[a, b, c, d, e, f, g])
            })
        };
        collect_without_waiting(current);
        assert_lives!(device_blocks, 7);
        release.send(()).unwrap();
        let (a, _, c, .., g, host) = work.unwrap().wait(current).unwrap();
        assert_eq!([&a, &c, &g].map(|buffer| buffer.to_vec(current).unwrap()[0]), [1, 3, 7]);
        host.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}
