//! Pinned memory that queued work reads, and that changes: who may have written it.

use crate::graphs::captured;
use crate::memory::store;
use crate::support::*;
use ascendcl_sim::exports::model_instance::*;
use std::ffi::c_void;

/// Waits until the stream has done its work, without a call that says so.
fn until_over() {
    std::thread::sleep(std::time::Duration::from_millis(50));
}

fn writer(pinned: *mut c_void) -> impl FnOnce() + Send + 'static {
    let pinned = Shared(pinned);
    move || store(pinned.get(), 2)
}

#[test]
fn a_function_of_the_program_that_was_queued_before_writes_the_source() {
    // On the same stream, and on another one that it waits for.
    for other in [false, true] {
        let run = || {
            let (block, pinned, streams, event) = (malloc(64), malloc_host(64), [stream(), stream()], event());
            let first = streams[usize::from(other)];
            store(pinned, 1);
            long_fill(first);
            launch(first, writer(pinned));
            ok!(aclrtRecordEvent(event, first));
            ok!(aclrtStreamWaitEvent(streams[0], event));
            queue_copy(block, pinned, TO_DEVICE, streams[0]);
            until_over();
            sync(streams[0]);
        };
        assert_eq!(broken(run), [], "{other}");
    }
}

#[test]
fn a_function_of_the_program_that_is_queued_behind_writes_the_source() {
    // By itself, and in a replay.
    for replayed in [false, true] {
        let run = || {
            let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
            store(pinned, 1);
            let graph = replayed.then(|| captured(stream, || launch_again(stream, pinned)));
            queue_copy(block, pinned, TO_DEVICE, stream);
            match graph {
                Some(graph) => ok!(aclmdlRIExecuteAsync(graph, stream)),
                None => launch_again(stream, pinned),
            }
            until_over();
            sync(stream);
        };
        assert_eq!(broken(run), [], "{replayed}");
    }
}

#[test]
fn a_copy_that_waits_for_a_notify_reads_what_was_written_before_its_record() {
    let run = || {
        let (block, pinned, streams, mut notify) =
            (malloc(64), malloc_host(64), [stream(), stream()], aclrtNotify::NULL);
        ok!(aclrtCreateNotify(&mut notify, 0));
        store(pinned, 1);
        ok!(aclrtWaitAndResetNotify(notify, streams[0], 0));
        queue_copy(block, pinned, TO_DEVICE, streams[0]);
        store(pinned, 2);
        ok!(aclrtRecordNotify(notify, streams[1]));
        sync(streams[0]);
    };
    assert_eq!(broken(run), []);
}

#[test]
fn what_a_replay_reads_is_written_when_the_replay_is_over() {
    breaks_without(rules::COPY_04, |synced| {
        let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
        store(pinned, 1);
        let graph = captured(stream, || {
            long_fill(stream);
            queue_copy(block, pinned, TO_DEVICE, stream);
        });
        for byte in 2..4 {
            ok!(aclmdlRIExecuteAsync(graph, stream));
            if synced {
                sync(stream);
            }
            store(pinned, 2);
            sync(stream);
            // Between two replays it is the program's.
            store(pinned, byte);
        }
    });
}

#[test]
fn what_a_replay_writes_itself_it_also_reads() {
    let run = |own: bool| {
        broken(|| {
            let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
            ok!(aclrtMemset(block, 64, 7, 64));
            store(pinned, 1);
            let graph = captured(stream, || {
                if own {
                    launch_again(stream, pinned);
                } else {
                    queue_copy(pinned, block, TO_HOST, stream);
                }
                queue_copy(block, pinned, TO_DEVICE, stream);
            });
            ok!(aclmdlRIExecuteAsync(graph, stream));
            until_over();
            sync(stream);
        })
    };
    assert_eq!(run(false), []);
    assert_eq!(run(true), []);
}

/// Queues a function that may run more than once.
fn launch_again(stream: aclrtStream, pinned: *mut c_void) {
    unsafe extern "C" fn fill(pinned: *mut c_void) {
        store(pinned, 2);
    }
    ok!(aclrtLaunchHostFunc(stream, Some(fill), pinned));
}

#[test]
fn pinned_memory_is_filled_again_when_its_copy_is_over_however_the_program_knows() {
    let run = |wait: &dyn Fn(aclrtStream)| {
        broken(|| {
            let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
            store(pinned, 1);
            queue_copy(block, pinned, TO_DEVICE, stream);
            wait(stream);
            store(pinned, 2);
            queue_copy(block, pinned, TO_DEVICE, stream);
            sync(stream);
        })
    };
    assert_eq!(run(&|_| until_over()), [rules::COPY_04], "no wait");
    // A copy of memory that is not pinned waits until it has run, behind the first copy.
    let pageable = |stream: aclrtStream| {
        let (other, mut bytes) = (malloc(64), [0_u8; 64]);
        ok!(aclrtMemset(other, 64, 1, 64));
        queue_copy(bytes.as_mut_ptr().cast(), other, TO_HOST, stream);
    };
    assert_eq!(run(&pageable), []);
    let signal = |stream: aclrtStream| {
        let (told, tells) = std::sync::mpsc::channel();
        launch(stream, move || told.send(()).unwrap());
        tells.recv().unwrap();
    };
    assert_eq!(run(&signal), []);
    assert_eq!(run(&|stream| ok!(aclrtStreamAbort(stream))), []);
}

#[test]
fn other_memory_at_the_address_of_a_source_has_other_bytes() {
    let run = || {
        let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
        store(pinned, 1);
        queue_copy(block, pinned, TO_DEVICE, stream);
        ok!(aclrtStreamAbort(stream));
        ok!(aclrtFreeHost(pinned));
        let again: Vec<_> = (0..64).map(|_| malloc_host(64)).collect();
        for again in again {
            store(again, 2);
            queue_copy(block, again, TO_DEVICE, stream);
        }
        sync(stream);
    };
    assert_eq!(broken(run), []);
}

#[test]
fn a_source_that_changes_before_its_copy_is_over_is_found_although_a_larger_copy_of_it_follows() {
    breaks_without(rules::COPY_04, |waited| {
        let (blocks, pinned, stream) = ([malloc(128), malloc(128)], malloc_host(128), stream());
        store(pinned, 1);
        queue_copy(blocks[0], pinned, TO_DEVICE, stream);
        if waited {
            sync(stream);
        }
        store(pinned, 2);
        ok!(aclrtMemcpyAsync(blocks[1], 128, pinned, 128, TO_DEVICE, stream));
        sync(stream);
    });
}

#[test]
fn a_copy_that_waits_until_it_has_run_shows_which_sources_have_changed_before() {
    breaks_without(rules::COPY_04, |waited| {
        let (block, pinned, stream, mut bytes) = (malloc(64), malloc_host(64), stream(), [0_u8; 64]);
        store(pinned, 1);
        queue_copy(block, pinned, TO_DEVICE, stream);
        if waited {
            sync(stream);
        }
        store(pinned, 2);
        queue_copy(bytes.as_mut_ptr().cast(), block, TO_HOST, stream);
    });
}

#[test]
fn the_rows_of_a_copy_do_not_change_before_it_is_over_and_what_is_between_them_may() {
    let run = |waited: bool, at: usize| {
        broken(|| {
            let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
            store(pinned, 1);
            ok!(aclrtMemcpy2dAsync(block, 16, pinned, 32, 16, 2, TO_DEVICE, stream));
            if waited {
                sync(stream);
            }
            // SAFETY: the block has 64 bytes; a copy that reads it meanwhile is what the test is about.
            unsafe { pinned.cast::<u8>().add(at).write(2) };
            sync(stream);
        })
    };
    for row in [0, 32] {
        assert_eq!(run(false, row), [rules::COPY_04], "{row}");
        assert_eq!(run(true, row), [], "{row}");
    }
    assert_eq!(run(false, 16), [], "between the rows");
}

#[test]
fn the_sources_of_a_batch_do_not_change_before_it_is_over() {
    breaks_without(rules::COPY_04, |waited| {
        let (blocks, pinned, stream) = ([malloc(64), malloc(64)], [malloc_host(64), malloc_host(64)], stream());
        pinned.iter().for_each(|pinned| store(*pinned, 1));
        let location = |kind| aclrtMemLocation { id: 0, kind };
        let mut attributes = [aclrtMemcpyBatchAttr {
            dstLoc: location(aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE),
            srcLoc: location(aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_HOST),
            rsv: [0; 16],
        }];
        let (mut to, mut from, mut sizes, mut indexes, mut failed) = (blocks, pinned, [64; 2], [0], 0);
        let mut rooms = sizes;
        ok!(aclrtMemcpyBatchAsync(
            to.as_mut_ptr(),
            rooms.as_mut_ptr(),
            from.as_mut_ptr(),
            sizes.as_mut_ptr(),
            2,
            attributes.as_mut_ptr(),
            indexes.as_mut_ptr(),
            1,
            &mut failed,
            stream,
        ));
        if waited {
            sync(stream);
        }
        store(pinned[1], 2);
        sync(stream);
    });
}

#[test]
fn a_copy_or_replay_that_a_stopped_stream_refuses_reads_nothing() {
    for replayed in [false, true] {
        let run = || {
            let (block, pinned, event) = (malloc(64), malloc_host(64), event());
            let [held, failing, stream] = [(); 3].map(|()| stream());
            store(pinned, 1);
            let graph = replayed.then(|| captured(stream, || queue_copy(block, pinned, TO_DEVICE, stream)));
            let gate = Gate::close(held);
            ok!(aclrtRecordEvent(event, held));
            ok!(aclrtSetStreamFailureMode(failing, ACL_STOP_ON_FAILURE.into()));
            ok!(aclrtStreamWaitEventWithTimeout(failing, event, 1));
            // The failure stops all streams of the context. No thread has waited for it.
            while acl!(aclrtMemsetAsync(block, 64, 1, 64, stream)) == ACL_SUCCESS {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            let refused = match graph {
                Some(graph) => acl!(aclmdlRIExecuteAsync(graph, stream)),
                None => acl!(aclrtMemcpyAsync(block, 64, pinned, 64, TO_DEVICE, stream)),
            };
            assert_eq!(refused, ACL_ERROR_RT_WAIT_TIMEOUT);
            store(pinned, 2);
            assert_eq!(acl!(aclrtSynchronizeStream(stream)), ACL_ERROR_RT_WAIT_TIMEOUT);
            gate.open();
        };
        assert_eq!(broken(run), [], "{replayed}");
    }
}
