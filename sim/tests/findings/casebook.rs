//! Misuse that public projects met, as it looks at the C calls. The numbers are those of the project's casebook.

use crate::support::*;
use ascendcl_rules::RuleId;
use ascendcl_sim::{Checks, control};
use std::ffi::c_void;

/// As [`broken`], without a device that is set.
fn broken_bare(run: impl FnOnce()) -> Vec<RuleId> {
    let _machine = machine(Checks::Report);
    ok!(aclInit(std::ptr::null()));
    run();
    control::take_findings().iter().map(|finding| finding.rule).collect()
}

#[test]
fn case_2_memory_is_asked_for_before_a_device_is_set() {
    let ask = || {
        let (mut free, mut total) = (0, 0);
        acl!(aclrtGetMemInfo(aclrtMemAttr::ACL_HBM_MEM, &mut free, &mut total));
    };
    assert_eq!(broken_bare(ask), [rules::MEM_06]);
    assert_eq!(broken(ask), []);
}

/// What a worker does with a stream, a block of 64 bytes on the device and pinned memory.
type Work = (&'static str, fn(aclrtStream, *mut c_void, *mut c_void) -> aclError);

/// Cases 3 to 8 and 13: a worker uses what the main thread made, and has chosen no context.
#[test]
fn case_3_a_worker_has_no_context() {
    let works: [Work; 5] = [
        ("a copy", |_, block, pinned| acl!(aclrtMemcpy(block, 64, pinned, 64, TO_DEVICE))),
        ("a queued copy", |stream, block, pinned| acl!(aclrtMemcpyAsync(block, 64, pinned, 64, TO_DEVICE, stream))),
        ("a queued copy onto itself", |stream, block, _| {
            acl!(aclrtMemcpyAsync(block, 64, block, 64, ON_DEVICE, stream))
        }),
        ("a queued set", |stream, block, _| acl!(aclrtMemsetAsync(block, 64, 0, 64, stream))),
        ("a 2-D copy", |stream, block, pinned| {
            acl!(aclrtMemcpy2dAsync(block, 32, pinned, 32, 32, 2, TO_DEVICE, stream))
        }),
    ];
    for (what, work) in works {
        println!("{what}");
        breaks_without(rules::THREAD_01, |chosen| {
            let shared = Shared::new((current(), stream(), malloc(64), malloc_host(64)));
            on_a_thread(move || {
                let (context, stream, block, pinned) = shared.get();
                if chosen {
                    ok!(aclrtSetCurrentContext(context));
                }
                assert_eq!(work(stream, block, pinned) == ACL_SUCCESS, chosen);
            });
        });
    }
}

#[test]
fn case_10_a_helper_leaves_its_own_context_behind() {
    let helper = |restores: bool| {
        let before = current();
        context(0);
        if restores {
            ok!(aclrtSetCurrentContext(before));
        }
    };
    breaks_without(rules::STREAM_09, |restores| {
        let (stream, block) = (stream(), malloc(64));
        helper(restores);
        acl!(aclrtMemsetAsync(block, 64, 0, 64, stream));
    });
}

#[test]
fn case_16_a_copy_comes_before_the_context() {
    let run = |chosen: bool| {
        let shared = Shared::new((current(), malloc(64)));
        on_a_thread(move || {
            let (context, block) = shared.get();
            let bytes = [0_u8; 64];
            if chosen {
                ok!(aclrtSetCurrentContext(context));
            }
            acl!(aclrtMemcpy(block, 64, bytes.as_ptr().cast(), 64, TO_DEVICE));
            ok!(aclrtSetCurrentContext(context));
        });
    };
    breaks_without(rules::THREAD_01, run);
}

#[test]
fn case_17_a_second_library_initialises_and_one_finalises_for_both() {
    breaks_without(rules::INIT_07, |counted| {
        assert_eq!(acl!(aclInit(std::ptr::null())), ACL_ERROR_REPEAT_INITIALIZE);
        ok!(aclrtResetDevice(0));
        if counted {
            let mut left = 0;
            ok!(aclFinalizeReference(&mut left));
            ok!(aclFinalizeReference(&mut left));
        } else {
            ok!(aclFinalize());
        }
    });
}

#[test]
fn case_22_memory_is_freed_after_the_library_was_finalised() {
    let found = broken(|| {
        let block = malloc(64);
        ok!(aclFinalize());
        ok!(aclrtFree(block));
    });
    assert_eq!(found, [rules::INIT_02]);
    let repaired = broken(|| {
        ok!(aclrtFree(malloc(64)));
        ok!(aclrtResetDevice(0));
        ok!(aclFinalize());
    });
    assert_eq!(repaired, []);
}

#[test]
fn case_27_memory_is_freed_after_its_device_was_reset() {
    let found = broken(|| {
        let block = malloc(64);
        ok!(aclrtResetDevice(0));
        ok!(aclrtFree(block));
    });
    assert_eq!(found, [rules::MEM_12]);
    let repaired = broken(|| {
        ok!(aclrtFree(malloc(64)));
        ok!(aclrtResetDevice(0));
    });
    assert_eq!(repaired, []);
}

#[test]
fn case_28_forced_and_counted_resets_are_mixed() {
    breaks_without(rules::DEV_09, |once| {
        ok!(aclrtResetDeviceForce(0));
        if !once {
            assert_eq!(acl!(aclrtResetDevice(0)), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
        }
    });
    // The manual has all threads set the device, and the last of them reset it by force.
    breaks_without(rules::DEV_08, |once| {
        on_a_thread(|| ok!(aclrtSetDevice(0)));
        ok!(aclrtResetDeviceForce(0));
        if !once {
            on_a_thread(|| assert_ne!(acl!(aclrtResetDeviceForce(0)), ACL_SUCCESS));
        }
    });
}

#[test]
fn case_30_memory_is_freed_after_a_wait_that_timed_out() {
    breaks_without(rules::STREAM_16, |waited| {
        let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
        let gate = Gate::close(stream);
        queue_copy(block, pinned, TO_DEVICE, stream);
        assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(stream, 20)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        if waited {
            gate.open();
            sync(stream);
        }
        ok!(aclrtFree(block));
        gate.open();
    });
}

#[test]
fn case_32_memory_of_one_stream_is_used_again_by_another() {
    breaks_without(rules::STREAM_04, |ordered| {
        let (block, pinned, other, a, b) = (malloc(64), malloc_host(64), malloc_host(64), stream(), stream());
        queue_copy(block, pinned, TO_DEVICE, a);
        if ordered {
            let event = event();
            ok!(aclrtRecordEvent(event, a));
            ok!(aclrtStreamWaitEvent(b, event));
        }
        // A pool that ignores streams has handed out the same block again.
        queue_copy(block, other, TO_DEVICE, b);
    });
}

/// Cases 34 and 41: the synchronous copy is taken for a wait.
#[test]
fn case_41_a_synchronous_copy_reads_what_a_stream_has_not_written_yet() {
    breaks_without(rules::COPY_07, |synced| {
        let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
        queue_copy(block, pinned, TO_DEVICE, stream);
        if synced {
            sync(stream);
        }
        let mut bytes = [0_u8; 64];
        ok!(aclrtMemcpy(bytes.as_mut_ptr().cast(), 64, block, 64, TO_HOST));
    });
}

#[test]
fn case_36_cleanup_uses_a_destroyed_stream() {
    breaks_without(rules::STREAM_08, |live| {
        let stream = stream();
        if !live {
            ok!(aclrtDestroyStream(stream));
        }
        acl!(aclrtSynchronizeStream(stream));
    });
}

#[test]
fn case_44_leaks_are_named_when_the_library_is_finalised() {
    let run = |clean: bool| {
        let event = event();
        ok!(aclrtRecordEvent(event, aclrtStream::NULL));
        sync(aclrtStream::NULL);
        if clean {
            ok!(aclrtDestroyEvent(event));
            ok!(aclrtResetDevice(0));
        }
        ok!(aclFinalize());
    };
    breaks_without(rules::INIT_02, run);
}
