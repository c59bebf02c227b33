//! Handles that are dropped in any order, and programs that return early.

use super::with_device;
use super::{collect, inside, model, must_not_call, nothing_fails, set, upload};
use crate::common::{alone, assert_lives};
use crate::null::{WORK_FAILED, books, refusal};
use ascendcl::Error;
use ascendcl_macros::proves;
use std::sync::mpsc::channel;
use std::time::Duration;

#[proves(STREAM_05, MEM_02)]
#[test]
fn handles_dropped_in_any_order_with_a_collection_after_each_free_nothing_early() {
    let alone = alone();
    for order in permutations(4) {
        inside(|current| {
            let stream = current.stream().unwrap();
            let copy = upload(current, &stream);
            let spare = current.upload(&[1_u8, 2]).unwrap();
            let mut handles: Vec<Option<Box<dyn Named + '_>>> = vec![
                Some(Box::new(stream)),
                Some(Box::new(copy)),
                Some(Box::new(spare)),
                Some(Box::new(model(current))),
            ];
            for index in order {
                handles[index] = None;
                collect(current);
            }
            assert_lives!(streams, 0, "a dropped stream is synchronised and destroyed");
            assert_lives!(models, 0);
        });
        alone.assert_nothing_lives();
    }
}

trait Named {}
impl<T> Named for T {}

fn permutations(length: usize) -> Vec<Vec<usize>> {
    (0..length).fold(vec![vec![]], |shorter, next| {
        let longer = |order: &Vec<usize>, place: usize| {
            let mut longer = order.clone();
            longer.insert(place, next);
            longer
        };
        shorter.iter().flat_map(|order| (0..=order.len()).map(move |place| longer(order, place))).collect()
    })
}

#[test]
fn an_early_return_at_any_step_leaves_nothing() {
    let alone = alone();
    for last in 0..6 {
        let returned = inside(|current| {
            let step = |number: usize| if number == last { Err(Error::ThreadTaken) } else { Ok(()) };
            step(0)?;
            let stream = current.stream()?;
            step(1)?;
            let copy = upload(current, &stream);
            step(2)?;
            let (host, target) = copy.wait(current)?;
            step(3)?;
            let copy = stream.copy_to_host(current, target, host)?;
            step(4)?;
            copy.wait(current)?.0.free(current)?;
            step(5)?;
            Ok::<_, Error>(())
        });
        assert!(returned.is_err());
        alone.assert_nothing_lives();
    }
}

/// The library has no more streams, and the waits of the creation are the ones that are told of a failure.
#[proves(ERR_02, STREAM_11)]
#[test]
fn a_failure_of_which_a_creation_was_told_is_told_by_the_next_collection() {
    const NO_MORE_STREAMS: i32 = 207_008;
    let books = books();
    with_device(books.acl(), |device, thread| {
        let entered = device.with_current(thread, |current| {
            let stream = current.stream().unwrap();
            drop(upload(current, &stream));
            drop(stream);
            books.refuse("aclrtSynchronizeStreamWithTimeout", WORK_FAILED, 1);
            books.refuse("aclrtCreateStream", NO_MORE_STREAMS, 2);
            current.stream().unwrap_err();
            books.refuse_no_more("aclrtCreateStream");
            let errors = current.collect();
            let told: Vec<_> = errors.iter().map(refusal).collect();
            assert_eq!(told, [("aclrtSynchronizeStreamWithTimeout", WORK_FAILED)]);
            collect(current);
        });
        entered.unwrap();
    });
    books.assert_closed();
}

/// A service may never collect.
#[proves(ERR_02, STREAM_11)]
#[test]
fn the_failures_that_creations_were_told_of_take_no_more_memory_than_64_of_them() {
    const NO_MORE_STREAMS: i32 = 207_008;
    let books = books();
    with_device(books.acl(), |device, thread| {
        let entered = device.with_current(thread, |current| {
            for _ in 0..100 {
                let stream = current.stream().unwrap();
                drop(upload(current, &stream));
                drop(stream);
                books.refuse("aclrtSynchronizeStreamWithTimeout", WORK_FAILED, 1);
                books.refuse("aclrtCreateStream", NO_MORE_STREAMS, 1);
                current.stream().unwrap().destroy(current).unwrap();
            }
            assert_eq!(current.collect().len(), 64);
            collect(current);
        });
        entered.unwrap();
    });
    books.assert_closed();
}

/// Only a device that has no more memory is a reason to free what was dropped.
#[test]
fn an_allocation_that_fails_for_another_reason_than_room_frees_nothing_and_is_not_repeated() {
    const NO_MEMORY: i32 = 207_001;
    const INTERNAL: i32 = 507_899;
    let books = books();
    with_device(books.acl(), |device, thread| {
        let entered = device.with_current(thread, |current| {
            for (code, calls, freed) in [(INTERNAL, 1, 0), (NO_MEMORY, 2, 1)] {
                drop(current.device_buffer::<u8>(64).unwrap());
                let count = || (books.calls("aclrtMalloc"), books.calls("aclrtFree"));
                let before = count();
                books.refuse("aclrtMalloc", code, 1);
                let allocated = current.device_buffer::<u8>(64);
                assert_eq!(allocated.is_ok(), code == NO_MEMORY, "{code}");
                assert_eq!(count(), (before.0 + calls, before.1 + freed), "{code}");
                collect(current);
            }
        });
        entered.unwrap();
    });
    books.assert_closed();
}

/// Queries and waits said that the work of the streams is over whose rows are used again.
#[proves(STREAM_05)]
#[test]
fn a_stream_that_takes_the_place_of_an_idle_one_is_not_waited_for_while_its_work_runs() {
    const STREAMS: usize = 8;
    const LONG: Duration = Duration::from_secs(20);
    let alone = alone();
    inside(|current| {
        let streams = || [(); STREAMS].map(|()| current.stream().unwrap());
        for stream in streams() {
            let works = [(); 5].map(|()| set(current, &stream, 1));
            while !stream.is_complete(current).unwrap() {
                std::thread::yield_now();
            }
            stream.synchronize(current).unwrap();
            drop(works);
            stream.destroy(current).unwrap();
        }
        let held = streams().map(|stream| {
            let (release, released) = channel::<()>();
            drop(stream.launch_host_fn(current, move || released.recv_timeout(LONG).is_ok()).unwrap());
            (stream, release)
        });
        must_not_call("aclrtSynchronizeStreamWithTimeout=507899, aclrtSynchronizeStream=507899");
        collect(current);
        nothing_fails();
        held.iter().for_each(|(_, release)| release.send(()).unwrap());
    });
    alone.assert_nothing_lives();
}
