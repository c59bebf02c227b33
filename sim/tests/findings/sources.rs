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
