//! Runs of model instances, and the streams of an instance that is built.

use super::*;
use crate::building::{complete, model, persistent};
use ascendcl_sys::constants::*;
use core::ptr::null_mut;

#[test]
fn a_run_looks_at_the_instance_then_at_its_stream_then_at_the_context() {
    let _world = world();
    let (capturing, idle, dead, gone, instance) = (stream(), stream(), dead(), captured(), captured());
    let (built, part) = model();
    complete(built, part);
    ok!(model_instance::aclmdlRIDestroy(gone));
    begin(capturing);
    for on in ANYWHERE {
        check([
            row!(on, model_instance::aclmdlRIExecuteAsync(aclmdlRI::NULL, dead) => NULL),
            row!(on, model_instance::aclmdlRIExecuteAsync(gone, capturing) => DEAD),
            row!(on, model_instance::aclmdlRIExecuteAsync(gone, part) => DEAD),
            row!(on, model_instance::aclmdlRIExecuteAsync(instance, dead) => DEAD),
            row!(on, model_instance::aclmdlRIExecuteAsync(instance, part) => REFUSED),
            row!(on, model_instance::aclmdlRIExecuteAsync(built, part) => REFUSED),
            row!(on, model_instance::aclmdlRIExecuteAsync(instance, capturing) => CAPTURED),
            row!(on, model_instance::aclmdlRIExecute(gone, 0) => DEAD),
            row!(on, model_instance::aclmdlRIExecute(built, 0) => REFUSED),
            row!(on, model_instance::aclmdlRIExecute(built, -2) => REFUSED),
            row!(on, model_instance::aclmdlRIExecute(instance, -1) => REFUSED),
        ]);
    }
    check([
        row!(Nowhere, model_instance::aclmdlRIExecuteAsync(instance, idle) => NO_CONTEXT),
        row!(Other, model_instance::aclmdlRIExecuteAsync(instance, idle) => ACL_ERROR_RT_MODEL_CONTEXT),
        row!(Nowhere, model_instance::aclmdlRIExecute(built, -1) => NO_CONTEXT),
        row!(Other, model_instance::aclmdlRIExecute(built, -1) => ACL_ERROR_RT_MODEL_CONTEXT),
    ]);
    end(capturing);
}

#[test]
fn binding_looks_at_the_flag_then_at_the_stream_then_at_the_context() {
    let _world = world();
    const HEAD: u32 = ACL_MODEL_STREAM_FLAG_HEAD;
    let (ordinary, kept, capturing, dead) = (stream(), persistent(), persistent(), dead());
    let (fast, stopping) = (flagged(ACL_STREAM_PERSISTENT | ACL_STREAM_FAST_LAUNCH), persistent());
    let (instance, part) = model();
    let (gone, _) = model();
    let whole = captured();
    ok!(model_instance::aclmdlRIDestroy(gone));
    begin(capturing);
    for on in ANYWHERE {
        check([
            row!(on, model_instance::aclmdlRIBindStream(aclmdlRI::NULL, dead, 7) => NULL),
            row!(on, model_instance::aclmdlRIBindStream(gone, kept, 7) => REFUSED),
            row!(on, model_instance::aclmdlRIBindStream(instance, dead, 7) => REFUSED),
            row!(on, model_instance::aclmdlRIBindStream(gone, ordinary, HEAD) => DEAD),
            row!(on, model_instance::aclmdlRIBindStream(instance, dead, HEAD) => DEAD),
            row!(on, model_instance::aclmdlRIBindStream(instance, ordinary, HEAD) => REFUSED),
            row!(on, model_instance::aclmdlRIBindStream(instance, part, HEAD) => BOUND),
            row!(on, model_instance::aclmdlRIBindStream(whole, part, HEAD) => BOUND),
            row!(on, model_instance::aclmdlRIBindStream(whole, capturing, HEAD) => REFUSED),
            row!(on, model_instance::aclmdlRIBindStream(instance, capturing, HEAD) => CAPTURED),
            row!(on, model_instance::aclmdlRIBindStream(instance, fast, HEAD) => UNSUPPORTED),
            row!(on, model_instance::aclmdlRIUnbindStream(whole, part) => REFUSED),
            row!(on, model_instance::aclmdlRIUnbindStream(instance, capturing) => CAPTURED),
        ]);
    }
    check([
        row!(Nowhere, model_instance::aclmdlRIBindStream(instance, kept, HEAD) => NO_CONTEXT),
        row!(Other, model_instance::aclmdlRIBindStream(instance, kept, HEAD) => ACL_ERROR_RT_MODEL_CONTEXT),
        row!(Own, model_instance::aclmdlRIBindStream(instance, kept, HEAD) => 0),
        row!(Own, stream::aclrtSetStreamFailureMode(stopping, ACL_STOP_ON_FAILURE.into()) => 0),
    ]);
    for on in ANYWHERE {
        check([row!(on, model_instance::aclmdlRIBindStream(instance, stopping, HEAD) => UNSUPPORTED)]);
    }
    end(capturing);
}

/// The AscendCL layer looks at no pointer of these calls.
#[test]
fn what_an_instance_has_is_asked_with_nulls_that_the_runtime_refuses() {
    let _world = world();
    let (instance, gone, dead) = (captured(), captured(), dead());
    let (built, part) = model();
    ok!(model_instance::aclmdlRIDestroy(gone));
    let (mut count, mut streams, mut tasks) = (0, [aclrtStream::NULL; 8], [aclmdlRITask::NULL; 8]);
    let (count, streams, tasks): (*mut u32, _, _) = (&mut count, streams.as_mut_ptr(), tasks.as_mut_ptr());
    let (nothing, none, nobody) = (null_mut(), aclmdlRI::NULL, aclrtStream::NULL);
    let mut name = [0; 8];
    let name = name.as_mut_ptr();
    for on in ANYWHERE {
        check([
            row!(on, model_instance::aclmdlRIGetStreams(none, streams, count) => REFUSED),
            row!(on, model_instance::aclmdlRIGetStreams(none, streams, nothing) => REFUSED),
            row!(on, model_instance::aclmdlRIGetStreams(instance, streams, nothing) => REFUSED),
            row!(on, model_instance::aclmdlRIGetStreams(gone, streams, nothing) => DEAD),
            row!(on, model_instance::aclmdlRIGetTasksByStream(nobody, tasks, count) => REFUSED),
            row!(on, model_instance::aclmdlRIGetTasksByStream(nobody, tasks, nothing) => REFUSED),
            row!(on, model_instance::aclmdlRIGetTasksByStream(part, tasks, nothing) => REFUSED),
            row!(on, model_instance::aclmdlRIGetTasksByStream(dead, tasks, nothing) => DEAD),
            row!(on, model_instance::aclmdlRITaskGetType(aclmdlRITask::NULL, null_mut()) => REFUSED),
            row!(on, model_instance::aclmdlRITaskDisable(aclmdlRITask::NULL) => REFUSED),
            row!(on, model_instance::aclmdlRIGetName(gone, 0, name) => DEAD),
            row!(on, model_instance::aclmdlRIGetName(instance, 0, name) => REFUSED),
            row!(on, model_instance::aclmdlRIUpdate(none) => REFUSED),
            row!(on, model_instance::aclmdlRIUpdate(gone) => DEAD),
            row!(on, model_instance::aclmdlRIUpdate(built) => UNSUPPORTED),
        ]);
    }
}

#[test]
fn the_end_of_a_build_looks_at_the_reserved_argument_then_at_the_instance_then_at_the_context() {
    let _world = world();
    let ((built, part), (gone, _), whole) = (model(), model(), captured());
    let (reserved, nobody) = (0x1000 as *mut core::ffi::c_void, aclrtStream::NULL);
    complete(built, part);
    ok!(model_instance::aclmdlRIDestroy(gone));
    for on in ANYWHERE {
        check([
            row!(on, model_instance::aclmdlRIBuildEnd(aclmdlRI::NULL, null_mut()) => NULL),
            row!(on, model_instance::aclmdlRIBuildEnd(gone, reserved) => NULL),
            row!(on, model_instance::aclmdlRIBuildEnd(built, reserved) => NULL),
            row!(on, model_instance::aclmdlRIBuildEnd(gone, null_mut()) => DEAD),
            row!(on, model_instance::aclmdlRIBuildEnd(whole, null_mut()) => REFUSED),
            row!(on, model_instance::aclmdlRIBindStream(built, nobody, ACL_MODEL_STREAM_FLAG_HEAD) => REFUSED),
            row!(on, model_instance::aclmdlRIUnbindStream(whole, nobody) => REFUSED),
        ]);
    }
    check([
        row!(Nowhere, model_instance::aclmdlRIBuildEnd(built, null_mut()) => NO_CONTEXT),
        row!(Other, model_instance::aclmdlRIBuildEnd(built, null_mut()) => ACL_ERROR_RT_MODEL_CONTEXT),
        row!(Own, model_instance::aclmdlRIBuildEnd(built, null_mut()) => 0),
        row!(Nowhere, model_instance::aclmdlRIUnbindStream(built, nobody) => REFUSED),
        row!(Nowhere, model_instance::aclmdlRIEndTask(built, nobody) => REFUSED),
        row!(Own, model_instance::aclmdlRIUnbindStream(built, nobody) => BOUND),
    ]);
}
