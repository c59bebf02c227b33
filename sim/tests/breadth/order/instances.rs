//! Runs of model instances, and the streams of an instance that is built.

use super::*;
use crate::building::{complete, model, persistent};
use ascendcl_sys::constants::*;

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
