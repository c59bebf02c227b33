//! Work over several operands that is taken apart in flight: each part keeps its own memory until the work is over.

use super::{collect, fail, hold, inside, must_not_call, nothing_fails};
use crate::common::{alone, assert_lives};
use ascendcl::{Current, DeviceBuffer, Error, Pending, Scoped, operator::Operator, stream::StreamOps};
use ascendcl_macros::proves;
use std::time::Duration;

type Bytes<'c> = DeviceBuffer<Scoped<'c>, u8>;
type Three<'c> = Pending<Scoped<'c>, (Bytes<'c>, Bytes<'c>, Bytes<'c>)>;

fn bytes<'c>(current: &Current<Scoped<'c>>, value: u8) -> Bytes<'c> {
    current.upload(&[value; 4]).unwrap()
}

/// Work of other code on three buffers.
fn three<'c>(current: &Current<Scoped<'c>>, stream: &StreamOps<Scoped<'c>>) -> Three<'c> {
    let operands = (bytes(current, 1), bytes(current, 2), bytes(current, 3));
    // SAFETY: the function queues nothing.
    unsafe { stream.submit(current, "kernel", operands, |_, (_, _, _)| 0) }.unwrap()
}

#[proves(MEM_02, STREAM_04)]
#[test]
fn a_part_that_was_dropped_is_not_freed_while_the_work_runs_also_if_another_part_was_waited_for() {
    let alone = alone();
    inside(|current| {
        let (stream, other) = (current.stream().unwrap(), current.stream().unwrap());
        let release = hold(current, &stream);
        let (first, second, third) = three(current, &stream).split();
        drop(first);
        must_not_call("aclrtFree=507899");
        assert_eq!(current.collect_within(Duration::ZERO).len(), 0);
        // A part that another stream takes over is idle there before the work is: this must free none of the others.
        let event = stream.record(current, current.event().unwrap()).unwrap();
        let second = other.adopt_after(current, second, &event).unwrap();
        let (second, error) = match second.wait_within(current, Duration::from_millis(5)) {
            Err(failed) => (failed.value, failed.error),
            Ok(_) => panic!("the work is held"),
        };
        assert!(error.code().is_some_and(|code| code.is_timeout()), "{error}");
        drop(third);
        assert_eq!(current.collect_within(Duration::ZERO).len(), 0);
        nothing_fails();
        assert_lives!(device_blocks, 3);
        release.send(()).unwrap();
        let second = second.wait(current).unwrap();
        assert_eq!(second.to_vec(current).unwrap(), [2; 4]);
        stream.synchronize(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 1, "the part that the program has");
    });
    alone.assert_nothing_lives();
}

/// The wait for one part covers all, and what was dropped is freed afterwards.
#[test]
fn a_wait_for_one_part_gives_that_one_back() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let (first, second, third) = three(current, &stream).split();
        drop((first, third));
        assert_eq!(second.wait(current).unwrap().to_vec(current).unwrap(), [2; 4]);
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

/// Each part is an operand of the next work, up to eight, and in lists.
#[test]
fn parts_are_used_by_the_next_work_in_their_order() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let new = |value| bytes(current, value);
        let operands = (new(1), new(2), new(3), new(4), new(5), new(6), new(7), new(8));
        // SAFETY: the function queues nothing.
        let eight = unsafe { stream.submit(current, "kernel", operands, |_, _| 0) }.unwrap().split();
        let moved = stream.copy_on_device(current, eight.2, eight.7).unwrap();
        let ((third, eighth), first) = moved.join(eight.0).unwrap().wait(current).unwrap();
        let values = [third, eighth, first].map(|part| part.to_vec(current).unwrap()[0]);
        assert_eq!(values, [3, 3, 1]);

        // SAFETY: the function queues nothing.
        let (one,) =
            unsafe { stream.submit(current, "kernel", (new(1),), |_, (_,)| 0) }.unwrap().wait(current).unwrap();
        assert_eq!(one.to_vec(current).unwrap(), [1; 4]);

        let list: Vec<_> = (0..5).map(|value| bytes(current, value)).collect();
        // SAFETY: the function queues nothing.
        let parts = unsafe { stream.submit(current, "kernel", list, |_, _| 0) }.unwrap().split();
        let values: Vec<_> =
            parts.into_iter().map(|part| part.wait(current).unwrap().to_vec(current).unwrap()[0]).collect();
        assert_eq!(values, [0, 1, 2, 3, 4]);

        // What `and` has put together comes apart again.
        let parts = stream.set_bytes(current, new(0), 7).unwrap().join(stream.set_bytes(current, new(0), 8).unwrap());
        let (first, _, last) = parts.unwrap().and(stream.set_bytes(current, new(0), 9).unwrap()).unwrap().split();
        let last = stream.copy_on_device(current, last, first).unwrap().wait(current).unwrap().1;
        assert_eq!(last.to_vec(current).unwrap(), [9; 4]);
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04)]
#[test]
fn a_part_is_refused_by_another_stream_without_an_event() {
    let alone = alone();
    inside(|current| {
        let (stream, other) = (current.stream().unwrap(), current.stream().unwrap());
        let (first, second, third) = three(current, &stream).split();
        for part in [first, second, third] {
            let failed = other.set_bytes(current, part, 9).unwrap_err();
            assert!(matches!(failed.error, Error::OtherStream { .. }), "{}", failed.error);
            assert_ne!(failed.value.wait(current).unwrap().to_vec(current).unwrap(), [9; 4]);
        }
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02)]
#[test]
fn a_failure_is_told_to_each_part_once() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let (first, second, third) = three(current, &stream).split();
        fail("aclrtSynchronizeStream#1=after:507015, aclrtSynchronizeStreamWithTimeout#1=after:507015");
        assert!(stream.synchronize(current).is_err());
        nothing_fails();
        for part in [first, second, third] {
            let failed = part.wait(current).unwrap_err();
            assert!(matches!(failed.error, Error::WorkFailed { .. }), "{}", failed.error);
            failed.value.wait(current).unwrap();
        }
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04)]
#[test]
fn an_array_of_operands_comes_apart_in_its_order() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let x = |value: i32| current.upload_tensor(&[2], &[value, 10]).unwrap();
        let sum = Operator::new("Add").bind(current, [x(3), x(4)], [current.tensor::<i32>(&[2]).unwrap()]).unwrap();
        let (inputs, sums) = stream.launch(current, sum).unwrap().split();
        let ([three, four], [sum]) = (inputs.split(), sums.split());
        // The last one first: each wait covers the whole work.
        let values = [sum, four, three].map(|part| part.wait(current).unwrap().to_vec(current).unwrap());
        assert_eq!(values, [[7, 20], [4, 10], [3, 10]]);
    });
    alone.assert_nothing_lives();
}
