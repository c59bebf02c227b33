//! Attacks on memory that several read: names that are forgotten, dropped and moved, and owners that come back early.

mod models;
mod operators;
mod views;

use super::common::alone;
use super::null::{TIMEOUT, books, in_books};
use super::{collect, inside};
use ascendcl::{
    Brand, Current, DeviceBuffer, Error, Library, Pending, Runtime, Scoped, SharedBuffer, Stream, Thread,
    error::ObjectKind,
};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

ascendcl::names!(Worker, Other);

const LONG: Duration = Duration::from_secs(20);

/// Four numbers that several read.
fn table<C: Brand>(current: &Current<C>) -> SharedBuffer<C, f32> {
    current.upload(&[1.0_f32, 2.0, 3.0, 4.0]).unwrap().into_shared()
}

/// A stream that works until something is sent.
pub(super) fn held<C: Brand>(current: &Current<C>) -> (Stream<C>, Sender<()>) {
    let (release, released) = channel();
    let stream = current.stream().unwrap();
    drop(stream.launch_host_fn(current, move || released.recv_timeout(LONG).is_ok()).unwrap());
    (stream, release)
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
        assert!(!one.is_done(current).unwrap() && !two.is_done(current).unwrap(), "both are in flight");
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
        assert_eq!(control::live().device_blocks, blocks, "a forgotten name keeps it");
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
            assert_eq!(control::live().device_blocks, blocks, "one of the two was not waited for");
            streams[1 - first].synchronize(current).unwrap();
            collect(current);
            assert_eq!(control::live().device_blocks, blocks - 1);
        });
        alone.assert_nothing_lives();
    }
}

/// A collection frees nothing that the streams use.
#[track_caller]
fn collect_but_streams<C: Brand>(current: &Current<C>, streams: &[&Stream<C>], blocks: usize) {
    assert!(streams.iter().all(|stream| !stream.is_done(current).unwrap()));
    collect(current);
    assert_eq!(control::live().device_blocks, blocks, "freed under a reader");
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
            assert_eq!(control::live().device_blocks, blocks - 1);
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
                assert_eq!(control::live().device_blocks, 0);
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
            let _ = unsafe { stream.submit(current, "none", given, |_, _| panic!("behind the call")) };
        }));
        assert!(panicked.is_err());
        shared.try_unshare(current).unwrap().free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(CTX_06, MEM_11)]
#[test]
fn names_that_outlive_their_runtime_do_nothing() {
    struct Holder {
        weights: SharedBuffer<Worker, f32>,
        runtime: Runtime<Worker>,
    }
    let alone = alone();
    let runtime = Runtime::<Worker>::open(Library::Simulator).unwrap();
    let weights = runtime.with(|current| table(current)).unwrap();
    let holder = Holder { weights, runtime };
    let (clone, view) = (holder.weights.clone(), holder.weights.slice(1..3).unwrap());
    let work = holder
        .runtime
        .with(|current| {
            let stream = current.stream().unwrap();
            reads(current, &stream, holder.weights.clone())
        })
        .unwrap();
    holder.runtime.close().unwrap();
    alone.assert_nothing_lives();
    drop(work);
    drop(holder);
    let next = Runtime::<Worker>::open(Library::Simulator).unwrap();
    next.with(|current| {
        let wrong = |error: &Error| matches!(error, Error::WrongContext { what: ObjectKind::DEVICE_MEMORY, .. });
        assert!(wrong(&clone.to_vec(current).unwrap_err()));
        let stream = current.stream().unwrap();
        let refused = stream.copy_to_host(current, clone.clone(), current.host_buffer(4).unwrap()).unwrap_err();
        assert!(wrong(&refused.error), "{}", refused.error);
        assert_eq!(refused.value.0.len(), 4);
        let view = view.try_unshare(current).unwrap_err();
        assert!(wrong(&view.error), "{}", view.error);
        drop((refused, clone));
        let last = view.value.try_unshare(current).unwrap_err();
        assert!(wrong(&last.error), "{}", last.error);
    })
    .unwrap();
    next.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MEM_11)]
#[test]
fn memory_of_one_context_is_not_read_in_another_of_the_same_name() {
    let alone = alone();
    let (one, two) =
        (Runtime::<Other>::open(Library::Simulator).unwrap(), Runtime::<Other>::open(Library::Simulator).unwrap());
    let shared = one.with(|current| table(current)).unwrap();
    two.with(|current| {
        let stream = current.stream().unwrap();
        let own = current.device_buffer(4).unwrap();
        let refused = stream.copy_on_device(current, shared.slice(..).unwrap(), own).unwrap_err();
        assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
        let (view, own) = refused.value;
        drop(view);
        let refused = stream.copy_on_device(current, shared.clone(), own).unwrap_err();
        assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
    })
    .unwrap();
    one.with(|current| shared.try_unshare(current).unwrap().free(current).unwrap()).unwrap();
    one.close().unwrap();
    two.close().unwrap();
    alone.assert_nothing_lives();
}

/// The copy fails, and so does the wait after it: one name is in doubt, the others are not.
#[proves(MEM_02)]
#[test]
fn a_name_that_a_failed_copy_may_use_keeps_the_memory_from_its_owner_and_from_no_reader() {
    let books = books();
    in_books(&books, |current| {
        let (stream, other) = (current.stream().unwrap(), current.stream().unwrap());
        let shared = table(current);
        books.refuse("aclrtMemcpyAsync", TIMEOUT, 1);
        books.refuse_to_synchronize(TIMEOUT);
        let failed =
            stream.copy_to_host(current, shared.clone(), current.host_buffer(4).unwrap()).map(drop).unwrap_err();
        books.synchronize_again();
        let doubted = failed.value.0;
        let again = stream.copy_to_host(current, doubted, current.host_buffer(4).unwrap()).map(drop).unwrap_err();
        assert!(matches!(again.error, Error::InDoubt { .. }), "{}", again.error);
        reads(current, &other, shared.clone()).wait(current).unwrap();
        drop(again);
        let shared = not_alone(current, shared, still_running);
        stream.synchronize(current).unwrap();
        shared.try_unshare(current).unwrap().free(current).unwrap();
    });
}

#[proves(MEM_02)]
#[test]
fn every_refused_copy_gives_the_shared_memory_back_and_the_owner_takes_it() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        let mut owned = current.upload(&[1.0_f32; 4]).unwrap();
        for (name, code) in [("aclrtMemcpyAsync", 507_899), ("aclrtMemcpyAsync", 107_002)] {
            let shared = owned.into_shared();
            books.refuse(name, code, 1);
            let host = current.host_buffer(4).unwrap();
            let refused = stream.copy_to_host(current, shared.clone(), host).map(drop).unwrap_err();
            drop(refused.value);
            owned = shared.try_unshare(current).unwrap();
        }
        books.refuse("aclrtFree", 507_899, 1);
        let kept = owned.free(current).unwrap_err();
        kept.value.into_shared().try_unshare(current).unwrap().free(current).unwrap();
    });
}

/// The shared buffer is handed to another stream, which is then the one to be waited for.
#[proves(MEM_02, STREAM_04)]
#[test]
fn a_reader_that_another_stream_took_over_is_waited_for_there() {
    let alone = alone();
    inside(|current| {
        let ((first, go), (second, on)) = (held(current), held(current));
        let shared = table(current);
        let work = reads(current, &first, shared.clone());
        let event = first.record(current, current.event().unwrap()).unwrap();
        let work = second.adopt_after(current, work, &event).unwrap();
        let (source, host) = work.split();
        let more = second.copy_to_host(current, source, current.host_buffer(4).unwrap()).unwrap();
        drop((more, host));
        go.send(()).unwrap();
        first.synchronize(current).unwrap();
        let shared = not_alone(current, shared, still_running);
        on.send(()).unwrap();
        second.synchronize(current).unwrap();
        shared.try_unshare(current).unwrap().free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn swapped_readers_and_readers_of_the_wrong_stream_release_nothing_early() {
    let alone = alone();
    inside(|current| {
        let ((first, go), second) = (held(current), current.stream().unwrap());
        let (one, two) = (table(current), table(current));
        let (mut a, mut b) = (reads(current, &first, one.clone()), reads(current, &second, two.clone()));
        mem::swap(&mut a, &mut b);
        let (read, _) = a.wait(current).unwrap();
        drop((read, two.try_unshare(current).map(drop)));
        let one = not_alone(current, one, still_shared);
        let refused = second.copy_to_host(current, b.split().0, current.host_buffer(4).unwrap()).map(drop).unwrap_err();
        assert!(matches!(refused.error, Error::OtherStream { .. }), "{}", refused.error);
        drop(refused);
        let one = not_alone(current, one, still_running);
        go.send(()).unwrap();
        first.synchronize(current).unwrap();
        one.try_unshare(current).unwrap().free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// Shared, taken back and shared again, with work left behind in each round.
#[proves(MEM_02)]
#[test]
fn memory_that_is_shared_again_and_again_is_waited_for_each_time() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let mut owned = current.upload(&[0.0_f32; 4]).unwrap();
        for round in 0..20 {
            owned.copy_from(current, &[round as f32; 4]).unwrap();
            let shared = owned.into_shared();
            drop(reads(current, &stream, shared.clone()));
            stream.synchronize(current).unwrap();
            assert_eq!(shared.to_vec(current).unwrap(), [round as f32; 4]);
            owned = shared.try_unshare(current).unwrap();
        }
        let written: DeviceBuffer<Scoped<'_>, f32> =
            stream.set_bytes(current, owned, 0).unwrap().wait(current).unwrap();
        written.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// An allocation that finds no room frees what nobody names; a shared block that work reads is not among that.
#[proves(MEM_02, MEM_04)]
#[test]
fn an_allocation_without_room_frees_no_shared_memory_that_is_read() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        drop(reads(current, &stream, table(current)));
        drop(table(current));
        books.refuse("aclrtMalloc", 207_001, 1);
        let freed = books.calls("aclrtFree");
        current.device_buffer::<u8>(16).unwrap();
        assert_eq!(books.calls("aclrtFree"), freed + 1, "one was read, the other was not");
    });
}
