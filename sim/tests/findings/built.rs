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

/// A persistent stream.
fn part() -> aclrtStream {
    let mut part = aclrtStream::NULL;
    ok!(aclrtCreateStreamWithConfig(&mut part, 0, ACL_STREAM_PERSISTENT));
    part
}

/// What is found when an instance is built so, on one stream and the instance `x`: begi`n`, `b`ind, `w`ork, en`d` of the
/// tasks, end of the b`u`ild, `r`un, `y`: destroy it, `s`: destroy the stream; with codes that are not looked at.
fn built(steps: &str) -> Vec<(RuleId, &'static str)> {
    broken_by(|| {
        let (mut model, part, block) = (aclmdlRI::NULL, part(), malloc(64));
        for step in steps.chars() {
            match step {
                'n' => acl!(aclmdlRIBuildBegin(&mut model, 0)),
                'b' => acl!(aclmdlRIBindStream(model, part, ACL_MODEL_STREAM_FLAG_HEAD)),
                'o' => acl!(aclmdlRIBindStream(model, part, ACL_MODEL_STREAM_FLAG_DEFAULT)),
                'w' => acl!(aclrtMemsetAsync(block, 64, 1, 64, part)),
                'd' => acl!(aclmdlRIEndTask(model, part)),
                'u' => acl!(aclmdlRIBuildEnd(model, std::ptr::null_mut())),
                'r' => acl!(aclmdlRIExecute(model, -1)),
                'y' => acl!(aclmdlRIDestroy(model)),
                _ => acl!(aclrtDestroyStream(part)),
            };
        }
        ok!(aclrtFree(block));
        ok!(aclrtResetDevice(0));
        ok!(aclFinalize());
    })
}

#[test]
fn an_instance_is_built_in_its_order_and_ends_before_its_streams() {
    assert_eq!(built("nbwdurrys"), []);
    assert_eq!(built("nbwdys"), [], "a build may be given up");
    let wrong = [
        ("nbwdrys", rules::GRAPH_08, "aclmdlRIExecute"),
        ("nbwurys", rules::GRAPH_08, "aclmdlRIExecute"),
        ("nowdurys", rules::GRAPH_08, "aclmdlRIExecute"),
        ("nbwdwurys", rules::GRAPH_08, "aclrtMemsetAsync"),
        ("nbwduwrys", rules::GRAPH_08, "aclrtMemsetAsync"),
        ("nbwddurys", rules::GRAPH_08, "aclmdlRIEndTask"),
        ("nbbwdurys", rules::GRAPH_08, "aclmdlRIBindStream"),
        ("nduys", rules::GRAPH_08, "aclmdlRIEndTask"),
        ("nurys", rules::GRAPH_08, "aclmdlRIBuildEnd"),
        ("nbwduryrs", rules::MODEL_14, "aclmdlRIExecute"),
        ("nbwduryys", rules::MODEL_14, "aclmdlRIDestroy"),
        ("nbwdursy", rules::GRAPH_05, "aclrtDestroyStream"),
    ];
    for (steps, rule, by) in wrong {
        assert_eq!(built(steps), [(rule, by)], "{steps}");
    }
}

#[test]
fn an_instance_takes_persistent_streams() {
    for null in [false, true] {
        let found = broken_by(|| {
            let (mut model, ordinary) = (aclmdlRI::NULL, stream());
            ok!(aclmdlRIBuildBegin(&mut model, 0));
            let given = if null { aclrtStream::NULL } else { ordinary };
            assert_ne!(acl!(aclmdlRIBindStream(model, given, ACL_MODEL_STREAM_FLAG_HEAD)), 0);
            assert_ne!(acl!(aclmdlRIBuildEnd(model, std::ptr::null_mut())), 0);
        });
        assert_eq!(found, [(rules::GRAPH_08, "aclmdlRIBindStream")]);
    }
}

#[test]
fn an_instance_is_used_in_its_context() {
    let steps: [(fn(aclmdlRI) -> aclError, _); 3] = [
        (|model| acl!(aclmdlRIExecute(model, -1)), "aclmdlRIExecute"),
        (|model| acl!(aclmdlRIExecuteAsync(model, aclrtStream::NULL)), "aclmdlRIExecuteAsync"),
        (|model| acl!(aclmdlRIDestroy(model)), "aclmdlRIDestroy"),
    ];
    for (step, by) in steps {
        let run = |own: bool| {
            broken_by(|| {
                let ((model, ..), here) = (upload(), current());
                let other = context(0);
                ok!(aclrtSetCurrentContext(if own { here } else { other }));
                assert_eq!(step(model) == 0, own);
            })
        };
        assert_eq!(run(false), [(rules::MODEL_01, by)]);
        assert_eq!(run(true), []);
    }
    let after = broken_by(|| {
        let own = context(0);
        let (model, ..) = upload();
        ok!(aclrtDestroyContext(own));
        ok!(aclrtSetDevice(0));
        assert_ne!(acl!(aclmdlRIDestroy(model)), 0);
    });
    assert_eq!(after, [(rules::CTX_10, "aclrtDestroyContext")], "what follows is the same mistake");
}

/// Strict checks refuse to destroy an instance that runs, so its stream cannot be destroyed.
#[test]
fn what_a_refused_destroy_leaves_is_no_second_mistake() {
    let _machine = machine(ascendcl_sim::Checks::Strict);
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    let (mut model, part, stream, block) = (aclmdlRI::NULL, part(), stream(), malloc(64));
    ok!(aclmdlRIBuildBegin(&mut model, 0));
    ok!(aclmdlRIBindStream(model, part, ACL_MODEL_STREAM_FLAG_HEAD));
    ok!(aclrtMemsetAsync(block, 64, 1, 64, part));
    ok!(aclmdlRIEndTask(model, part));
    ok!(aclmdlRIBuildEnd(model, std::ptr::null_mut()));
    ok!(aclmdlRIExecuteAsync(model, stream));
    assert_ne!(acl!(aclmdlRIDestroy(model)), 0);
    sync(stream);
    ok!(aclrtDestroyStream(stream));
    assert_ne!(acl!(aclrtDestroyStream(part)), 0);
    acl!(aclrtFree(block));
    ok!(aclrtResetDevice(0));
    ok!(aclFinalize());
    let found = ascendcl_sim::control::take_findings();
    let found: Vec<_> = found.iter().map(|finding| (finding.rule, finding.call.name)).collect();
    assert_eq!(found, [(rules::GRAPH_07, "aclmdlRIDestroy")]);
}
