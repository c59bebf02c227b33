//! Submissions that failed although the library accepted the work.

use super::{fail, inside, set};
use crate::common::alone;
use crate::null::{WORK_FAILED, books, in_books, refusal};
use ascendcl::{DeviceBuffer, Error, HostBuffer, Scoped};
use ascendcl_macros::proves;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// Codes that say that a call was refused. The library may still have queued the work.
const REFUSALS: [i32; 6] = [100_000, 107_000, 107_003, 107_022, 207_001, 507_899];

#[proves(MEM_02, COPY_04)]
#[test]
fn buffers_of_a_copy_that_was_refused_and_taken_all_the_same_come_back_when_it_is_over() {
    for code in REFUSALS {
        let alone = alone();
        inside(|current| {
            let stream = current.stream().unwrap();
            let (device, host) = (current.upload(&[9_u8; 64]).unwrap(), current.host_buffer::<u8>(64).unwrap());
            fail(&format!("aclrtMemcpyAsync#1=after:{code}, aclrtMemcpyAsync#1=slow:1ms"));
            let slow = stream.launch_host_fn(current, || thread::sleep(Duration::from_millis(60))).unwrap();
            let failed = stream.copy_to_host(current, device, host).unwrap_err();
            assert_eq!(failed.error.code().unwrap().number(), code);
            let (device, host): (DeviceBuffer<Scoped<'_>, u8>, HostBuffer<Scoped<'_>, u8>) = failed.value;
            // Nothing writes to it any more: what the copy wrote is there.
            assert_eq!(*host, [9; 64], "{code}");
            device.free(current).unwrap();
            host.free(current).unwrap();
            slow.wait(current).unwrap().into_result().unwrap();
        });
        alone.assert_nothing_lives();
    }
}

#[proves(MEM_02)]
#[test]
fn buffers_of_a_set_that_was_refused_and_taken_and_cannot_be_waited_for_are_out_of_reach() {
    for code in REFUSALS {
        let alone = alone();
        inside(|current| {
            let stream = current.stream().unwrap();
            let buffer = current.upload(&[1_u8; 4]).unwrap();
            fail(&format!("aclrtMemsetAsync#1=after:{code}, aclrtSynchronizeStreamWithTimeout=507899"));
            let failed = stream.set_bytes(current, buffer, 2).unwrap_err();
            assert!(matches!(failed.value.to_vec(current), Err(Error::InDoubt { .. })), "{code}");
            fail("");
        });
        alone.assert_nothing_lives();
    }
}

#[proves(CB_08)]
#[test]
fn a_callback_that_was_refused_and_taken_all_the_same_is_used_once() {
    for code in REFUSALS {
        let alone = alone();
        let (kept, runs) = (Arc::new([code; 16]), Arc::new(AtomicUsize::new(0)));
        inside(|current| {
            let stream = current.stream().unwrap();
            fail(&format!("aclrtLaunchHostFunc#2=after:{code}"));
            let slow = stream.launch_host_fn(current, || thread::sleep(Duration::from_millis(20))).unwrap();
            let (keeps, counts) = (Arc::clone(&kept), Arc::clone(&runs));
            let callback = move || {
                assert_eq!(*keeps, [code; 16]);
                counts.fetch_add(1, Ordering::SeqCst);
            };
            let failed = stream.launch_host_fn(current, callback).unwrap_err();
            // Run here if it came back, and by the library otherwise: once in all.
            if let Some(callback) = failed.value {
                callback();
            }
            slow.wait(current).unwrap().into_result().unwrap();
            stream.synchronize(current).unwrap();
        });
        alone.assert_nothing_lives();
        assert_eq!((runs.load(Ordering::SeqCst), Arc::strong_count(&kept)), (1, 1), "{code}");
    }
}

#[proves(CB_08)]
#[test]
fn a_callback_whose_later_submissions_failed_is_kept() {
    let books = books();
    let captured = Arc::new(());
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        for (count, code) in [107_022, 107_023, 207_001, WORK_FAILED].into_iter().enumerate() {
            let keeps = Arc::clone(&captured);
            books.refuse("aclrtLaunchHostFunc", code, 1);
            let failed = stream.launch_host_fn(current, move || drop(keeps)).unwrap_err();
            assert_eq!(refusal(&failed.error), ("aclrtLaunchHostFunc", code));
            assert!(failed.value.is_none(), "{code}");
            assert_eq!(Arc::strong_count(&captured), count + 2);
        }
    });
}

#[proves(EVENT_05, STREAM_04)]
#[test]
fn an_event_whose_record_was_refused_and_took_place_hands_nothing_over_early() {
    for code in REFUSALS {
        let alone = alone();
        inside(|current| {
            let [one, two, three] = [(); 3].map(|()| current.stream().unwrap());
            let (go, waits) = mpsc::channel::<()>();
            drop(one.launch_host_fn(current, move || waits.recv_timeout(Duration::from_secs(20)).ok()).unwrap());
            let work = set(current, &one, 7);
            let event = one.record(current, current.event().unwrap()).unwrap();
            fail(&format!("aclrtRecordEvent#1=after:{code}"));
            let event = two.record(current, event).unwrap_err().value;
            let work = match three.adopt_after(current, work, &event) {
                Ok(work) => {
                    let failed = work.wait_within(current, Duration::from_millis(20)).unwrap_err();
                    assert!(
                        failed.error.code().unwrap().is_timeout(),
                        "{code}: the work was handed over before it was done"
                    );
                    failed.value
                }
                Err(failed) => failed.value,
            };
            go.send(()).unwrap();
            assert_eq!(work.wait(current).unwrap().to_vec(current).unwrap(), [7; 4]);
        });
        alone.assert_nothing_lives();
    }
}
