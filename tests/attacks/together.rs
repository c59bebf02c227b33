//! Work over three and four operands: of two streams, failed, forgotten, and stored.

use super::{collect, fail, inside, nothing_fails, set, undisturbed};
use crate::common::{alone, assert_lives, library};
use ascendcl::{Current, DeviceBuffer, Error, Pending, Runtime};
use ascendcl_macros::proves;
use std::mem;

ascendcl::names!(Vision);

type Bytes = DeviceBuffer<Vision, u8>;

/// Named in one line.
struct Batch {
    work: Pending<Vision, (Bytes, Bytes, Bytes)>,
}

#[test]
fn work_over_three_operands_is_stored_in_a_struct() {
    let (alone, _books) = undisturbed();
    let runtime = Runtime::<Vision>::open(library()).unwrap();
    let stream = runtime.with(|current| current.stream().unwrap()).unwrap();
    let queue = |current: &Current<Vision>, value| {
        stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), value).unwrap()
    };
    let batch = runtime
        .with(|current| {
            let work = queue(current, 1).join(queue(current, 2)).unwrap().and(queue(current, 3)).unwrap();
            Batch { work }
        })
        .unwrap();
    let values = runtime
        .with(|current| {
            let (first, second, third) = batch.work.wait(current).unwrap();
            [first, second, third].map(|bytes| bytes.to_vec(current).unwrap()[0])
        })
        .unwrap();
    assert_eq!(values, [1, 2, 3]);
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(STREAM_04)]
#[test]
fn operands_of_two_streams_come_back_as_they_were() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let pair = set(current, &first, 1).join(set(current, &first, 2)).unwrap();
        let failed = pair.and(set(current, &second, 3)).unwrap_err();
        assert!(matches!(failed.error, Error::OtherStream { .. }), "{}", failed.error);
        let (pair, other) = *failed.value;
        assert_eq!(other.wait(current).unwrap().to_vec(current).unwrap(), [3; 4]);
        let four = pair.and(set(current, &first, 4)).unwrap().and(set(current, &first, 5)).unwrap();
        let (one, _, _, last) = four.wait(current).unwrap();
        assert_eq!((one.to_vec(current).unwrap(), last.to_vec(current).unwrap()), (vec![1; 4], vec![5; 4]));
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02)]
#[test]
fn a_failure_of_one_operand_is_told_to_all_three() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let first = set(current, &stream, 1);
        fail("aclrtSynchronizeStream#1=after:507015, aclrtSynchronizeStreamWithTimeout#1=after:507015");
        assert!(stream.synchronize(current).is_err());
        nothing_fails();
        let three = set(current, &stream, 2).join(set(current, &stream, 3)).unwrap().and(first).unwrap();
        let failed = three.wait(current).unwrap_err();
        assert!(matches!(failed.error, Error::WorkFailed { .. }), "{}", failed.error);
        let (_, third, _) = failed.value.wait(current).unwrap();
        assert_eq!(third.to_vec(current).unwrap(), [3; 4]);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn forgotten_operands_are_freed_after_the_work() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let pair = set(current, &stream, 1).join(set(current, &stream, 2)).unwrap();
        drop(pair.and(set(current, &stream, 3)).unwrap());
        mem::forget(set(current, &stream, 4).join(set(current, &stream, 5)).unwrap());
        stream.synchronize(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 2, "what was dropped is freed");
    });
    alone.assert_nothing_lives();
}
