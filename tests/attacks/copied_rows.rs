//! Copies of rows that reach beyond a buffer, that overlap, or whose buffers are used meanwhile.

use super::{collect, fail, inside, nothing_fails};
use crate::common::{acl, alone, under_watch};
use ascendcl::memory::Rows;
use ascendcl::{Current, Error, Scoped, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};
use std::mem;
use std::thread;
use std::time::Duration;

/// Three of the eight columns of four rows, from the third on.
fn part() -> Rows {
    Rows::builder().width(3).height(4).from_pitch(8).from_start(2).to_pitch(3).build()
}

/// The way back.
fn back() -> Rows {
    Rows::builder().width(3).height(4).from_pitch(3).to_pitch(8).to_start(2).build()
}

fn picture() -> Vec<u16> {
    (0..32).collect()
}

const PART: [u16; 12] = [2, 3, 4, 10, 11, 12, 18, 19, 20, 26, 27, 28];

#[proves(COPY_10, COPY_01)]
#[test]
fn rows_are_cut_out_of_a_picture_and_put_back() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let (host, room) = (current.pageable_buffer(picture()), current.upload(&[0_u16; 12]).unwrap());
        let cut = stream.copy_rows_to_device(current, host, room, part()).unwrap();
        let (_, device) = cut.wait(current).unwrap();
        assert_eq!(device.to_vec(current).unwrap(), PART);
        let back = Rows::builder().width(3).height(4).from_pitch(3).to_pitch(8).to_start(5).build();
        let whole = current.host_buffer::<u16>(32).unwrap();
        let copy = stream.copy_rows_to_host(current, device, whole, back).unwrap();
        let (device, whole) = copy.wait(current).unwrap();
        assert_eq!((whole[4], &whole[5..8], &whole[13..16], &whole[29..]), (0, &PART[..3], &PART[3..6], &PART[9..]));
        let shared = device.into_shared();
        let copy = stream.copy_rows_to_host(current, shared.clone(), current.host_buffer(32).unwrap(), back).unwrap();
        let failed = shared.try_unshare(current).unwrap_err();
        assert!(matches!(failed.error, Error::StillShared), "{}", failed.error);
        let (name, again) = copy.wait(current).unwrap();
        assert_eq!((&again[5..8], &again[29..]), (&PART[..3], &PART[9..]));
        drop(name);
        let device = failed.value.try_unshare(current).unwrap();
        // The same at once.
        let mut at_once = vec![0_u16; 32];
        device.copy_rows_to(current, &mut at_once, back).unwrap();
        assert_eq!(at_once, *whole);
        let mut again = current.upload(&[0_u16; 12]).unwrap();
        again.copy_rows_from(current, &picture(), part()).unwrap();
        assert_eq!(again.to_vec(current).unwrap(), PART);
    });
    alone.assert_nothing_lives();
}

/// Rows that are no part of a source of 32 elements and a destination of 12.
fn wrong() -> Vec<(Rows, &'static str)> {
    let at = |width, height, from_pitch, from_start, to_pitch, to_start| {
        let rows = Rows::builder().width(width).height(height).from_pitch(from_pitch).from_start(from_start);
        rows.to_pitch(to_pitch).to_start(to_start).build()
    };
    const MOST: usize = usize::MAX;
    vec![
        (at(9, 1, 8, 0, 12, 0), "overlaps"),
        (at(3, 4, 8, 0, 2, 0), "overlaps"),
        (at(3, 5, 8, 2, 3, 0), "out of range"),
        (at(3, 4, 8, 6, 3, 0), "out of range"),
        (at(3, 4, 8, 2, 3, 1), "out of range"),
        (at(3, 4, 8, MOST, 3, 0), "out of range"),
        (at(3, 2, MOST, 0, 3, 0), "out of range"),
        (at(3, 4, 8, 0, MOST / 2, 0), "out of range"),
        (at(MOST, 1, MOST, 0, MOST, 0), "overlaps"),
        (at(MOST / 2 + 1, 2, MOST, 0, MOST, 0), "overlaps"),
        (at(1, MOST, 1, 0, 1, 0), "overlaps"),
        (at(0, 5 * 1024 * 1024 + 1, 0, 0, 0, 0), "overlaps"),
        (at(1, 5 * 1024 * 1024, 1, 0, 1, 0), "out of range"),
        (at(2_500_001, 1, 2_500_001, 0, 2_500_001, 0), "overlaps"),
        (at(2_500_000, 1, 2_500_000, 0, 2_500_000, 0), "out of range"),
        (at(0, 0, 0, 33, 0, 0), "out of range"),
    ]
}

#[proves(COPY_10, COPY_01)]
#[test]
fn rows_beyond_a_buffer_do_not_reach_the_library() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let (mut host, mut device) = (current.pageable_buffer(picture()), current.upload(&[7_u16; 12]).unwrap());
        let calls = control::calls();
        for (rows, why) in wrong() {
            let failed = stream.copy_rows_to_device(current, host, device, rows).unwrap_err();
            let expected = match why {
                "overlaps" => matches!(failed.error, Error::NoSuchRows { .. }),
                _ => matches!(failed.error, Error::NoSuchPart { .. }),
            };
            assert!(expected, "{rows:?}: {}", failed.error);
            (host, device) = failed.value;
            assert!(device.copy_rows_from(current, &host, rows).is_err(), "{rows:?}");
        }
        assert_eq!(control::calls(), calls);
        assert_eq!(device.to_vec(current).unwrap(), [7; 12]);
    });
    alone.assert_nothing_lives();
}

#[test]
fn no_rows_are_copied_without_harm() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        for (width, height) in [(0, 4), (3, 0), (0, 0)] {
            let rows = Rows::builder().width(width).height(height).from_pitch(8).to_pitch(3).build();
            let (host, device) = (current.pageable_buffer(picture()), current.upload(&[7_u16; 12]).unwrap());
            let copy = stream.copy_rows_to_device(current, host, device, rows).unwrap();
            let (_, device) = copy.wait(current).unwrap();
            assert_eq!(device.to_vec(current).unwrap(), [7; 12]);
        }
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, COPY_04)]
#[test]
fn forgotten_copies_of_rows_keep_their_buffers() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        drop(stream.launch_host_fn(current, || thread::sleep(Duration::from_millis(50))).unwrap());
        let (host, device) = (current.host_buffer::<u16>(32).unwrap(), current.upload(&[7_u16; 12]).unwrap());
        let before = control::live();
        mem::forget(stream.copy_rows_to_device(current, host, device, part()).unwrap());
        collect(current);
        let live = control::live();
        assert_eq!((live.device_blocks, live.host_blocks), (before.device_blocks, before.host_blocks));
        stream.synchronize(current).unwrap();
        drop(current.collect());
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04)]
#[test]
fn rows_in_flight_on_another_stream_are_not_copied() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let device = first.set_bytes(current, current.device_buffer::<u16>(12).unwrap(), 1).unwrap();
        let host = current.pageable_buffer(picture());
        let failed = second.copy_rows_to_device(current, host, device, part()).unwrap_err();
        assert!(matches!(failed.error, Error::OtherStream { .. }), "{}", failed.error);
        let (host, device) = failed.value;
        let (_, device) = first.copy_rows_to_device(current, host, device, part()).unwrap().wait(current).unwrap();
        assert_eq!(device.to_vec(current).unwrap(), PART);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_copy_of_rows_in_doubt_gives_nothing_to_read() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let (host, device) = (current.host_buffer::<u16>(32).unwrap(), current.upload(&[7_u16; 12]).unwrap());
        fail("aclrtMemcpy2dAsync=507899, aclrtSynchronizeStreamWithTimeout=507899, aclrtSynchronizeStream=507899");
        let failed = stream.copy_rows_to_device(current, host, device, part()).unwrap_err();
        nothing_fails();
        let (host, device) = failed.value;
        assert!(host.is_empty());
        let in_doubt = |error: &Error| assert!(matches!(error, Error::InDoubt { .. }), "{error}");
        in_doubt(&device.to_vec(current).unwrap_err());
        let failed = stream.copy_rows_to_device(current, host, device, part()).unwrap_err();
        assert!(matches!(failed.error, Error::NoSuchPart { .. } | Error::InDoubt { .. }), "{}", failed.error);
        let (_, mut device) = failed.value;
        in_doubt(&device.copy_rows_to(current, &mut [0; 32], back()).unwrap_err());
        in_doubt(&device.copy_rows_from(current, &picture(), part()).unwrap_err());
        let other = current.stream().unwrap();
        let failed = other.copy_rows_to_device(current, current.host_buffer(32).unwrap(), device, part()).unwrap_err();
        in_doubt(&failed.error);
        let (host, device) = failed.value;
        in_doubt(&other.copy_rows_to_host(current, device, host, back()).unwrap_err().error);
    });
    alone.assert_nothing_lives();
}

#[proves(COPY_10)]
#[test]
fn a_copy_of_rows_that_the_library_refuses_is_an_error() {
    let alone = alone();
    inside(|current| {
        let mut device = current.upload(&[7_u16; 12]).unwrap();
        fail("aclrtMemcpy2d=507899");
        let refused = [
            device.copy_rows_to(current, &mut [0; 32], back()).unwrap_err(),
            device.copy_rows_from(current, &picture(), part()).unwrap_err(),
        ];
        nothing_fails();
        assert!(refused.iter().all(|error| error.code().unwrap().number() == 507_899), "{refused:?}");
    });
    alone.assert_nothing_lives();
}

#[proves(COPY_10)]
#[test]
fn a_program_on_the_device_is_told_before_the_library_is_asked() {
    let alone = alone();
    control::configure(under_watch(Config::new()).on_device(true)).unwrap();
    let (acl, mut thread) = (acl(), Thread::new().unwrap());
    let device = acl.device(&mut thread, 0).unwrap();
    let copies = |current: &mut Current<Scoped<'_>>| {
        let stream = current.stream().unwrap();
        let (host, device) = (current.host_buffer::<u16>(32).unwrap(), current.upload(&[7_u16; 12]).unwrap());
        let failed = stream.copy_rows_to_device(current, host, device, part()).unwrap_err();
        assert!(matches!(failed.error, Error::RowsOnDevice), "{}", failed.error);
        let (_, mut device) = failed.value;
        let error = device.copy_rows_to(current, &mut [0; 32], back()).unwrap_err();
        assert!(matches!(error, Error::RowsOnDevice), "{error}");
        let error = device.copy_rows_from(current, &picture(), part()).unwrap_err();
        assert!(matches!(error, Error::RowsOnDevice), "{error}");
    };
    device.with_current(&mut thread, copies).unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
    control::configure(under_watch(Config::new())).unwrap();
}

/// The last row ends where the memory ends.
#[proves(COPY_10)]
#[test]
fn rows_of_a_slice_that_has_no_byte_more_are_copied() {
    let alone = alone();
    inside(|current| {
        let rows = Rows::builder().width(2).height(2).from_pitch(2).to_pitch(2).build();
        let mut device = current.upload(&[0_u8; 4]).unwrap();
        device.copy_rows_from(current, &[1, 2, 3, 4], rows).unwrap();
        assert_eq!(device.to_vec(current).unwrap(), [1, 2, 3, 4]);
    });
    alone.assert_nothing_lives();
}

/// Neither of the two buffers is memory of the host that the library does not know.
#[proves(COPY_10, STREAM_12)]
#[test]
fn a_copy_of_rows_from_pinned_memory_is_queued_behind_work_that_goes_on() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let (release, held) = std::sync::mpsc::channel::<()>();
        drop(stream.launch_host_fn(current, move || held.recv_timeout(Duration::from_secs(20)).is_ok()).unwrap());
        let rows = Rows::builder().width(2).height(2).from_pitch(2).to_pitch(2).build();
        let room = stream.set_bytes(current, current.upload(&[0_u8; 4]).unwrap(), 1).unwrap();
        let copy = stream.copy_rows_to_device(current, current.host_buffer(4).unwrap(), room, rows).unwrap();
        assert!(!copy.is_complete(current).unwrap());
        release.send(()).unwrap();
        copy.wait(current).unwrap();
    });
    alone.assert_nothing_lives();
}
