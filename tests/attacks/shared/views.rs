//! Parts of shared memory, and the same memory as other elements.

use super::super::{collect, inside};
use super::{held, not_alone, reads, still_running, still_shared, table};
use crate::common::{alone, assert_lives};
use ascendcl::{Error, SharedBuffer, error::ObjectKind};
use ascendcl_macros::proves;
use std::ops::Bound;

#[proves(MEM_02)]
#[test]
fn a_part_outlives_the_names_of_the_whole() {
    let alone = alone();
    inside(|current| {
        let part = table(current).slice(1..3).unwrap().slice(1..).unwrap();
        collect(current);
        assert_lives!(device_blocks, 1, "a part keeps all of it");
        assert_eq!(part.to_vec(current).unwrap(), [3.0]);
        drop(part);
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn parts_that_overlap_are_read_on_two_streams_at_once() {
    let alone = alone();
    inside(|current| {
        let ((first, go), (second, on)) = (held(current), held(current));
        let whole = table(current);
        let one = reads(current, &first, whole.slice(..3).unwrap());
        let two = reads(current, &second, whole.slice(1..=3).unwrap());
        let whole = not_alone(current, whole, still_shared);
        go.send(()).unwrap();
        on.send(()).unwrap();
        assert_eq!(*one.wait(current).unwrap().1, [1.0, 2.0, 3.0]);
        drop(two);
        let whole = not_alone(current, whole, still_running);
        second.synchronize(current).unwrap();
        whole.try_unshare(current).unwrap().free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(COPY_01)]
#[test]
fn parts_that_are_not_there_are_refused_and_empty_ones_are_not() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let whole = table(current);
        let refused = |part: Result<SharedBuffer<_, f32>, Error>, start: usize, end: usize| {
            let Err(Error::NoSuchPart { what: ObjectKind::DEVICE_MEMORY, start: s, end: e, length: 4 }) = part else {
                panic!("{part:?}")
            };
            assert_eq!((s, e), (start, end));
        };
        refused(whole.slice(2..5), 2, 5);
        refused(whole.slice(5..), 5, 4);
        #[allow(clippy::reversed_empty_ranges, reason = "the attack")]
        let backwards = 3..1;
        refused(whole.slice(backwards), 3, 1);
        refused(whole.slice(..=usize::MAX), 0, usize::MAX);
        refused(whole.slice((Bound::Excluded(usize::MAX), Bound::Unbounded)), usize::MAX, 4);
        refused(whole.slice(usize::MAX - 1..usize::MAX), usize::MAX - 1, usize::MAX);
        for empty in [whole.slice(4..).unwrap(), whole.slice(0..0).unwrap()] {
            assert!(empty.is_empty() && empty.to_vec(current).unwrap().is_empty());
            assert!(empty.slice(0..1).is_err());
            let (_, host) = reads(current, &stream, empty).wait(current).unwrap();
            assert!(host.is_empty());
        }
        // An empty part names the memory like every other.
        let (empty, whole) = (whole.slice(4..4).unwrap(), not_alone(current, whole.clone(), still_shared));
        drop(whole);
        drop(empty);
        let nothing = current.upload::<f32>(&[]).unwrap().into_shared();
        assert!(nothing.slice(..).unwrap().cast::<u64>().unwrap().is_empty());
        nothing.try_unshare(current).unwrap().free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(COPY_09)]
#[test]
fn a_part_that_begins_where_no_copy_on_the_device_may_is_given_back() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let whole = current.upload(&[7.0_f32; 32]).unwrap().into_shared();
        let room = current.device_buffer::<f32>(8).unwrap();
        let refused = stream.copy_on_device(current, whole.slice(1..9).unwrap(), room).unwrap_err();
        assert!(matches!(refused.error, Error::Misaligned { past: 4, alignment: 64 }), "{}", refused.error);
        let (part, room) = refused.value;
        let refused = stream.copy_part_on_device(current, part, 3..5, room.zero(current).unwrap(), 0).unwrap_err();
        assert!(matches!(refused.error, Error::Misaligned { past: 16, .. }), "{}", refused.error);
        let (part, room) = refused.value;
        let (part, host) = stream
            .copy_part_to_host(current, part, 2..8, current.host_buffer::<f32>(8).unwrap(), 1)
            .unwrap()
            .wait(current)
            .unwrap();
        assert_eq!((part.len(), &*host), (8, &[0.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 0.0][..]));
        let copied = stream.copy_on_device(current, whole.slice(16..24).unwrap(), room).unwrap().wait(current).unwrap();
        assert_eq!(copied.1.to_vec(current).unwrap(), [7.0; 8]);
    });
    alone.assert_nothing_lives();
}

#[test]
fn other_elements_need_their_alignment_and_whole_ones() {
    let alone = alone();
    inside(|current| {
        let bytes = current.upload(&(0_u8..16).collect::<Vec<_>>()).unwrap().into_shared();
        let odd = bytes.slice(..6).unwrap().cast::<u32>().unwrap_err();
        assert!(matches!(odd, Error::CannotCast { bytes: 6, size: 4, past: 0, alignment: 4 }), "{odd}");
        let past = bytes.slice(2..10).unwrap().cast::<f64>().unwrap_err();
        assert!(matches!(past, Error::CannotCast { bytes: 8, past: 2, alignment: 8, .. }), "{past}");
        let words = bytes.slice(4..12).unwrap().cast::<u16>().unwrap();
        let expected = [[4, 5], [6, 7], [8, 9], [10, 11]].map(u16::from_ne_bytes);
        assert_eq!(words.to_vec(current).unwrap(), expected);
        let back = words.slice(1..2).unwrap().cast::<u8>().unwrap();
        assert_eq!(back.to_vec(current).unwrap(), [6, 7]);
        drop((words, back));
        let longs = bytes.cast::<u64>().unwrap();
        let bytes = bytes.try_unshare(current).unwrap_err();
        assert!(still_shared(&bytes.error), "a cast is one more name: {}", bytes.error);
        drop(bytes);
        assert_eq!(longs.try_unshare(current).unwrap().len(), 2);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, MEM_13)]
#[test]
fn the_last_part_becomes_a_buffer_and_gives_up_the_whole_with_it() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let whole = current.upload(&[5.0_f32; 64]).unwrap().into_shared();
        let part = whole.slice(16..32).unwrap();
        let part = part.try_unshare(current).unwrap_err().value;
        drop(whole);
        let mut part = part.try_unshare(current).unwrap();
        part.copy_from(current, &[1.0; 16]).unwrap();
        let part = stream.set_bytes(current, part, 0).unwrap().wait(current).unwrap();
        assert_eq!(part.to_vec(current).unwrap(), [0.0; 16]);
        // Shared and taken back once more: it is that part, not the whole.
        let part = part.into_shared();
        assert!(matches!(part.slice(..17), Err(Error::NoSuchPart { length: 16, .. })));
        let part = part.try_unshare(current).unwrap();
        assert_eq!(part.len(), 16);
        part.free(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

/// A part that is an owner's again is written by work that is then dropped: the whole is freed after that work.
#[proves(MEM_02)]
#[test]
fn work_on_a_part_that_is_an_owners_again_keeps_the_whole() {
    let alone = alone();
    inside(|current| {
        let (stream, go) = held(current);
        let part = table(current).slice(..2).unwrap();
        let part = part.try_unshare(current).unwrap();
        drop(stream.set_bytes(current, part, 1).unwrap());
        collect(current);
        assert_lives!(device_blocks, 1, "freed under a writer");
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}
