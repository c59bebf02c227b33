//! Attacks on memory that several read: names that are forgotten, dropped and moved, and owners that come back early.

mod arena;
mod chains;
mod models;
mod operators;
mod outputs;
mod refused;
mod views;

use super::common::alone;
use super::null::{TIMEOUT, books, in_books};
use super::{collect, inside};
use crate::common::assert_lives;
use ascendcl::{
    Brand, Current, DeviceBuffer, Error, Pending, Runtime, Scoped, SharedBuffer, Stream, Thread, error::ObjectKind,
};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

ascendcl::names!(Worker, Other);

const LONG: Duration = Duration::from_secs(20);

/// Four numbers that several read.
fn table<C: Brand>(current: &Current<C>) -> SharedBuffer<C, f32> {
    current.upload(&[1.0_f32, 2.0, 3.0, 4.0]).unwrap().into_shared()
}

/// A stream that works until something is sent.
pub(super) fn held<C: Brand>(current: &Current<C>) -> (Stream<C>, Sender<()>) {
    let (stream, release, _) = held_from(current);
    (stream, release)
}

/// Like [`held`], when the work has begun. The functions of a context run on one thread, one after the other: of two
/// held streams that are released in an order, the first has to work before there is a second.
fn held_at_work<C: Brand>(current: &Current<C>) -> (Stream<C>, Sender<()>) {
    let (stream, release, begun) = held_from(current);
    begun.recv_timeout(LONG).unwrap();
    (stream, release)
}

fn held_from<C: Brand>(current: &Current<C>) -> (Stream<C>, Sender<()>, Receiver<()>) {
    let ((release, released), (begins, begun)) = (channel(), channel());
    let stream = current.stream().unwrap();
    let work = move || {
        // Nobody may be waiting for it.
        let _ = begins.send(());
        released.recv_timeout(LONG).is_ok()
    };
    drop(stream.launch_host_fn(current, work).unwrap());
    (stream, release, begun)
}

/// A copy of the table in flight.
fn reads<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    table: SharedBuffer<C, f32>,
) -> Pending<C, (SharedBuffer<C, f32>, ascendcl::HostBuffer<C, f32>)> {
    let room = current.host_buffer(table.len()).unwrap();
    stream.copy_to_host(current, table, room).unwrap()
}

/// What is refused comes back; why, is the answer.
#[track_caller]
fn not_alone<C: Brand>(
    current: &Current<C>,
    table: SharedBuffer<C, f32>,
    why: impl FnOnce(&Error) -> bool,
) -> SharedBuffer<C, f32> {
    let refused = table.try_unshare(current).unwrap_err();
    assert!(why(&refused.error), "{}", refused.error);
    refused.value
}

fn still_shared(error: &Error) -> bool {
    matches!(error, Error::StillShared)
}

fn still_running(error: &Error) -> bool {
    matches!(error, Error::StillRunning { what: ObjectKind::DEVICE_MEMORY })
}

#[proves(MEM_02)]
#[test]
fn two_streams_read_one_buffer_at_once() {
    let alone = alone();
    inside(|current| {
        let ((first, go), (second, on)) = (held(current), held(current));
        let table = table(current);
        let one = reads(current, &first, table.clone());
        let two = reads(current, &second, table.clone());
        let table = not_alone(current, table, still_shared);
        let copy = first.copy_on_device(current, table.clone(), current.device_buffer(4).unwrap()).unwrap();
        assert!(!one.is_complete(current).unwrap() && !two.is_complete(current).unwrap(), "both are in flight");
        go.send(()).unwrap();
        on.send(()).unwrap();
        let ((one, first_copy), (two, second_copy)) = (one.wait(current).unwrap(), two.wait(current).unwrap());
        assert_eq!((&*first_copy, &*second_copy), (&[1.0, 2.0, 3.0, 4.0][..], &[1.0, 2.0, 3.0, 4.0][..]));
        let (source, copy) = copy.wait(current).unwrap();
        assert_eq!(copy.to_vec(current).unwrap(), [1.0, 2.0, 3.0, 4.0]);
        drop((one, two, source));
        let mut owned = table.try_unshare(current).unwrap();
        owned.copy_from(current, &[0.0; 4]).unwrap();
        owned.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_forgotten_reader_keeps_the_memory_until_the_end_of_the_scope() {
    let alone = alone();
    inside(|current| {
        let (stream, go) = held(current);
        let table = table(current);
        mem::forget(reads(current, &stream, table.clone()));
        let table = not_alone(current, table, still_shared);
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        let table = not_alone(current, table, still_shared);
        let blocks = control::live().device_blocks;
        drop(table);
        collect(current);
        assert_lives!(device_blocks, blocks, "a forgotten name keeps it");
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_reader_that_was_dropped_in_flight_is_waited_for_before_the_memory_is_one_owners() {
    let alone = alone();
    inside(|current| {
        let (stream, go) = held(current);
        let table = table(current);
        drop(reads(current, &stream, table.clone()));
        let table = not_alone(current, table, still_running);
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        let owned = table.try_unshare(current).unwrap();
        owned.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn memory_whose_readers_on_two_streams_were_dropped_is_freed_when_both_are_done() {
    let alone = alone();
    for first in [0, 1] {
        inside(|current| {
            let ((one, go), (two, on)) = (held(current), held(current));
            let table = table(current);
            drop(reads(current, &one, table.clone()));
            drop(reads(current, &two, table));
            let blocks = control::live().device_blocks;
            collect_but_streams(current, &[&one, &two], blocks);
            go.send(()).unwrap();
            on.send(()).unwrap();
            let streams = [&one, &two];
            streams[first].synchronize(current).unwrap();
            collect(current);
            assert_lives!(device_blocks, blocks, "one of the two was not waited for");
            streams[1 - first].synchronize(current).unwrap();
            collect(current);
            assert_lives!(device_blocks, blocks - 1);
        });
        alone.assert_nothing_lives();
    }
}

/// A collection frees nothing that the streams use.
#[track_caller]
fn collect_but_streams<C: Brand>(current: &Current<C>, streams: &[&Stream<C>], blocks: usize) {
    assert!(streams.iter().all(|stream| !stream.is_complete(current).unwrap()));
    collect(current);
    assert_lives!(device_blocks, blocks, "freed under a reader");
}

#[proves(MEM_02)]
#[test]
fn names_that_go_on_other_threads_free_nothing_under_a_reader() {
    let alone = alone();
    for _ in 0..20 {
        inside(|current| {
            let (stream, go) = held(current);
            let shared = table(current);
            let work: Vec<_> = (0..4).map(|_| reads(current, &stream, shared.clone())).collect();
            let clones: Vec<_> = (0..4).map(|_| shared.clone()).collect();
            let blocks = control::live().device_blocks;
            std::thread::scope(|scope| {
                for (work, clone) in work.into_iter().zip(clones) {
                    scope.spawn(move || drop((work, clone)));
                }
                scope.spawn(move || drop(shared));
                collect(current);
            });
            collect_but_streams(current, &[&stream], blocks);
            go.send(()).unwrap();
            stream.synchronize(current).unwrap();
            collect(current);
            assert_lives!(device_blocks, blocks - 1);
        });
        alone.assert_nothing_lives();
    }
}

#[proves(MEM_02, THREAD_01)]
#[test]
fn threads_that_read_and_drop_at_once_leave_memory_that_is_freed_after_all_of_them() {
    let alone = alone();
    super::in_context(|context, thread| {
        let shared = context.enter(thread, |current| table(current)).unwrap();
        std::thread::scope(|scope| {
            for waits in [true, false, true, false] {
                let shared = shared.clone();
                scope.spawn(move || {
                    context
                        .enter(&mut Thread::new().unwrap(), |current| {
                            for _ in 0..50 {
                                let stream = current.stream().unwrap();
                                let work = reads(current, &stream, shared.clone());
                                if waits {
                                    assert_eq!(*work.wait(current).unwrap().1, [1.0, 2.0, 3.0, 4.0]);
                                } else {
                                    drop(work);
                                }
                                if !waits {
                                    collect(current);
                                }
                            }
                        })
                        .unwrap();
                });
            }
        });
        context
            .enter(thread, |current| {
                collect(current);
                let owned = shared.try_unshare(current).unwrap();
                owned.free(current).unwrap();
                assert_lives!(device_blocks, 0);
            })
            .unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn readers_on_more_streams_than_are_told_apart_are_all_waited_for() {
    let alone = alone();
    inside(|current| {
        let mut shared = table(current);
        let held: Vec<_> = (0..6).map(|_| held(current)).collect();
        for (stream, _) in &held {
            drop(reads(current, stream, shared.clone()));
        }
        for (_, go) in &held {
            go.send(()).unwrap();
        }
        for (stream, _) in &held {
            shared = not_alone(current, shared, still_running);
            stream.synchronize(current).unwrap();
        }
        shared.try_unshare(current).unwrap().free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_panic_behind_a_submission_leaves_memory_that_is_waited_for() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let shared = table(current);
        let given = (shared.clone(), shared.clone());
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: nothing is queued.
            let _ = unsafe { stream.submit(current, "none", given, |_, _| -> i32 { panic!("behind the call") }) };
        }));
        assert!(panicked.is_err());
        shared.try_unshare(current).unwrap().free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// More names than streams are told apart.
#[proves(MEM_02)]
#[test]
fn memory_whose_readers_are_done_is_one_owners_again_and_is_freed_while_another_stream_works() {
    let alone = alone();
    inside(|current| {
        let (stream, shared) = (current.stream().unwrap(), table(current));
        (0..5).for_each(|_| drop(reads(current, &stream, shared.clone())));
        stream.synchronize(current).unwrap();
        let (_other, go) = held(current);
        let shared = shared.try_unshare(current).unwrap().into_shared();
        drop(reads(current, &stream, shared));
        stream.synchronize(current).unwrap();
        let blocks = control::live().device_blocks;
        collect(current);
        assert_lives!(device_blocks, blocks - 1);
        go.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}
