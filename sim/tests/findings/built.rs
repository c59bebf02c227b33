//! Model instances that are built task by task: what their runs use.

use crate::memory::store;
use crate::support::*;
use ascendcl_rules::RuleId;
use ascendcl_sim::exports::model_instance::*;
use std::ffi::c_void;

/// An instance whose only stream copies pinned memory to a block.
fn upload() -> (aclmdlRI, *mut c_void, *mut c_void) {
    let (mut model, mut part) = (aclmdlRI::NULL, aclrtStream::NULL);
    let (block, pinned) = (malloc(64), malloc_host(64));
    store(pinned, 1);
    ok!(aclrtCreateStreamWithConfig(&mut part, 0, ACL_STREAM_PERSISTENT));
    ok!(aclmdlRIBuildBegin(&mut model, 0));
    ok!(aclmdlRIBindStream(model, part, ACL_MODEL_STREAM_FLAG_HEAD));
    queue_copy(block, pinned, TO_DEVICE, part);
    ok!(aclmdlRIEndTask(model, part));
    ok!(aclmdlRIBuildEnd(model, std::ptr::null_mut()));
    (model, block, pinned)
}

#[test]
fn what_the_tasks_use_is_freed_after_the_instance() {
    for pinned_too in [false, true] {
        breaks_without(rules::GRAPH_05, |destroyed| {
            let (model, block, pinned) = upload();
            ok!(aclmdlRIExecute(model, -1));
            if destroyed {
                ok!(aclmdlRIDestroy(model));
            }
            if pinned_too {
                ok!(aclrtFreeHost(pinned));
            } else {
                ok!(aclrtFree(block));
            }
        });
    }
}

#[test]
fn a_run_is_work_of_its_stream() {
    let cases: [(RuleId, fn(aclmdlRI, *mut c_void, *mut c_void)); 3] = [
        (rules::COPY_07, |_, block, _| {
            let mut own = [0_u8; 64];
            ok!(aclrtMemcpy(own.as_mut_ptr().cast(), 64, block, 64, TO_HOST));
        }),
        (rules::GRAPH_07, |model, _, _| ok!(aclmdlRIDestroy(model))),
        (rules::COPY_04, |_, _, pinned| ok!(aclrtMemset(pinned, 64, 1, 64))),
    ];
    for (rule, then) in cases {
        breaks_without(rule, |synced| {
            let ((model, block, pinned), stream) = (upload(), stream());
            ok!(aclmdlRIExecuteAsync(model, stream));
            if synced {
                sync(stream);
            }
            then(model, block, pinned);
        });
    }
}

#[test]
fn runs_of_one_instance_come_one_after_the_other_on_any_stream() {
    let run = || {
        let ((model, ..), streams) = (upload(), [stream(), stream()]);
        streams.iter().for_each(|stream| ok!(aclmdlRIExecuteAsync(model, *stream)));
        ok!(aclmdlRIExecute(model, -1));
        streams.iter().for_each(|stream| sync(*stream));
    };
    assert_eq!(broken(run), []);
}

#[test]
fn a_run_that_returns_when_it_is_over_leaves_nothing_in_flight() {
    let run = || {
        let (model, block, pinned) = upload();
        ok!(aclmdlRIExecute(model, -1));
        store(pinned, 2);
        ok!(aclrtMemset(block, 64, 0, 64));
        ok!(aclmdlRIDestroy(model));
    };
    assert_eq!(broken(run), []);
}
