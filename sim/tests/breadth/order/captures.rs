//! Captures, their task groups, and their conditions.

use super::*;
use crate::building::model;
use crate::capture::GLOBAL;
use crate::conditions::{IF, PLAIN, SWITCH, WHILE, condition};
use ascendcl_sim::Config;
use ascendcl_sys::constants::*;
use core::ptr::null_mut;

#[test]
fn a_task_group_has_one_update_at_a_time_and_a_stream_has_one_too() {
    let _world = world();
    let (one, two, captured, group, other) = (stream(), stream(), stream(), group(), group());
    let (_model, part) = model();
    begin(captured);
    for on in ANYWHERE {
        check([
            row!(on, model_instance::aclmdlRICaptureTaskUpdateBegin(captured, group) => CAPTURED),
            row!(on, model_instance::aclmdlRICaptureTaskUpdateBegin(captured, aclrtTaskGrp(bogus())) => CAPTURED),
            row!(on, model_instance::aclmdlRICaptureTaskUpdateBegin(part, group) => BOUND),
            row!(on, model_instance::aclmdlRICaptureTaskUpdateEnd(captured) => CAPTURED),
            row!(on, model_instance::aclmdlRICaptureTaskUpdateEnd(part) => BOUND),
        ]);
    }
    check([
        row!(Own, model_instance::aclmdlRICaptureTaskUpdateBegin(one, group) => 0),
        row!(Own, model_instance::aclmdlRICaptureTaskUpdateBegin(one, group) => GROUP_STATUS),
        row!(Own, model_instance::aclmdlRICaptureTaskUpdateBegin(one, other) => GROUP_STATUS),
        row!(Own, model_instance::aclmdlRICaptureTaskUpdateBegin(two, group) => GROUP_STATUS),
        row!(Nowhere, model_instance::aclmdlRICaptureTaskUpdateBegin(one, other) => NO_CONTEXT),
        row!(Other, model_instance::aclmdlRICaptureTaskUpdateBegin(one, other) => OTHER_CONTEXT),
        row!(Own, model_instance::aclmdlRICaptureTaskUpdateEnd(two) => GROUP_STATUS),
        row!(Own, model_instance::aclmdlRICaptureTaskUpdateEnd(one) => 0),
        row!(Own, model_instance::aclmdlRICaptureTaskUpdateBegin(two, group) => 0),
        // The stream of the update ends, and the group is free again.
        row!(Own, stream::aclrtDestroyStream(two) => 0),
        row!(Own, model_instance::aclmdlRICaptureTaskUpdateBegin(one, group) => 0),
        row!(Own, model_instance::aclmdlRICaptureTaskUpdateEnd(one) => 0),
    ]);
}

#[test]
fn the_begin_of_a_capture_looks_at_mode_flags_context_instance_and_default_stream() {
    let _world = world();
    let (stream, scheduled, default, dead) = (stream(), flagged(ACL_STREAM_CPU_SCHEDULE), default_stream(), dead());
    let (_model, part) = model();
    let wrong = aclmdlRICaptureMode(3);
    for on in ANYWHERE {
        check([
            row!(on, model_instance::aclmdlRICaptureBegin(aclrtStream::NULL, wrong) => NULL),
            row!(on, model_instance::aclmdlRICaptureBegin(dead, wrong) => DEAD),
            row!(on, model_instance::aclmdlRICaptureBegin(default, wrong) => REFUSED),
            row!(on, model_instance::aclmdlRICaptureBegin(scheduled, wrong) => REFUSED),
            row!(on, model_instance::aclmdlRICaptureBegin(part, wrong) => REFUSED),
            row!(on, model_instance::aclmdlRICaptureBegin(scheduled, GLOBAL) => INTERNAL),
        ]);
    }
    check([
        row!(Nowhere, model_instance::aclmdlRICaptureBegin(default, GLOBAL) => NO_CONTEXT),
        row!(Other, model_instance::aclmdlRICaptureBegin(default, GLOBAL) => OTHER_CONTEXT),
        row!(Own, model_instance::aclmdlRICaptureBegin(default, GLOBAL) => UNSUPPORTED),
        row!(Nowhere, model_instance::aclmdlRICaptureBegin(part, GLOBAL) => NO_CONTEXT),
        row!(Other, model_instance::aclmdlRICaptureBegin(part, GLOBAL) => OTHER_CONTEXT),
        row!(Own, model_instance::aclmdlRICaptureBegin(part, GLOBAL) => BOUND),
    ]);
    begin(stream);
    check([
        row!(Nowhere, model_instance::aclmdlRICaptureBegin(stream, GLOBAL) => NO_CONTEXT),
        row!(Other, model_instance::aclmdlRICaptureBegin(stream, GLOBAL) => OTHER_CONTEXT),
        row!(Own, model_instance::aclmdlRICaptureBegin(stream, GLOBAL) => CAPTURED),
    ]);
    end(stream);
}

#[test]
fn the_end_of_a_capture_looks_at_flags_result_context_instance_and_default_stream() {
    let _world = world();
    let (stream, idle, scheduled) = (stream(), stream(), flagged(ACL_STREAM_CPU_SCHEDULE));
    let (default, dead) = (default_stream(), dead());
    let (_model, part) = model();
    let mut instance = aclmdlRI::NULL;
    let place: *mut aclmdlRI = &mut instance;
    begin(stream);
    for on in ANYWHERE {
        check([
            row!(on, model_instance::aclmdlRICaptureEnd(aclrtStream::NULL, place) => NULL),
            row!(on, model_instance::aclmdlRICaptureEnd(dead, place) => DEAD),
            row!(on, model_instance::aclmdlRICaptureEnd(scheduled, place) => INTERNAL),
            row!(on, model_instance::aclmdlRICaptureEnd(scheduled, null_mut()) => INTERNAL),
            row!(on, model_instance::aclmdlRICaptureEnd(stream, null_mut()) => REFUSED),
        ]);
    }
    for place in [place, null_mut()] {
        check([
            row!(Nowhere, model_instance::aclmdlRICaptureEnd(default, place) => NO_CONTEXT),
            row!(Other, model_instance::aclmdlRICaptureEnd(default, place) => OTHER_CONTEXT),
            row!(Own, model_instance::aclmdlRICaptureEnd(default, place) => UNSUPPORTED),
            row!(Nowhere, model_instance::aclmdlRICaptureEnd(part, place) => NO_CONTEXT),
            row!(Other, model_instance::aclmdlRICaptureEnd(part, place) => OTHER_CONTEXT),
            row!(Own, model_instance::aclmdlRICaptureEnd(part, place) => BOUND),
            row!(Nowhere, model_instance::aclmdlRICaptureEnd(idle, place) => NO_CONTEXT),
            row!(Other, model_instance::aclmdlRICaptureEnd(idle, place) => OTHER_CONTEXT),
            row!(Own, model_instance::aclmdlRICaptureEnd(idle, place) => NOT_CAPTURED),
        ]);
    }
    check([
        row!(Nowhere, model_instance::aclmdlRICaptureEnd(stream, place) => NO_CONTEXT),
        row!(Other, model_instance::aclmdlRICaptureEnd(stream, place) => OTHER_CONTEXT),
        row!(Own, model_instance::aclmdlRICaptureEnd(stream, place) => 0),
    ]);
}

#[test]
fn a_conditional_task_looks_at_its_parameters_before_the_context() {
    for documented in [false, true] {
        let _world = configured(Config::new().documented(documented));
        let (stream, dead, whole, gone) = (stream(), dead(), captured(), captured());
        ok!(model_instance::aclmdlRIDestroy(gone));
        let scheduled = flagged(ACL_STREAM_CPU_SCHEDULE);
        let none = || aclmdlRICondTaskParams {
            handle: aclmdlRICondHandle::NULL,
            kind: aclmdlRICondTaskType::ACL_MODEL_RI_COND_TYPE_IF,
            size: 0,
            modelRIArray: null_mut(),
        };
        let wrong = aclmdlRICaptureMode(3);
        for on in ANYWHERE {
            check([
                row!(on, model_instance::aclmdlRIAddCondTask(none(), aclrtStream::NULL, 0) => NULL),
                row!(on, model_instance::aclmdlRIAddCondTask(none(), dead, 0) => DEAD),
                row!(on, model_instance::aclmdlRIAddCondTask(none(), stream, 0) => REFUSED),
                row!(on, model_instance::aclmdlRICaptureToModelRIBegin(aclrtStream::NULL, whole, GLOBAL) => NULL),
                row!(on, model_instance::aclmdlRICaptureToModelRIBegin(dead, aclmdlRI::NULL, GLOBAL) => NULL),
                row!(on, model_instance::aclmdlRICaptureToModelRIBegin(dead, whole, GLOBAL) => DEAD),
                row!(on, model_instance::aclmdlRICaptureToModelRIBegin(stream, gone, GLOBAL) => DEAD),
                row!(on, model_instance::aclmdlRICaptureToModelRIBegin(scheduled, whole, wrong) => REFUSED),
                row!(on, model_instance::aclmdlRICaptureToModelRIBegin(scheduled, whole, GLOBAL) => INTERNAL),
                row!(on, model_instance::aclmdlRICaptureToModelRIBegin(stream, whole, GLOBAL) => REFUSED),
            ]);
        }
    }
}

#[test]
fn a_conditional_task_counts_its_bodies_after_the_context_and_the_capture() {
    let _world = configured(Config::new().documented(true));
    let (stream, idle) = (stream(), stream());
    begin(stream);
    let condition = || condition(stream, 1, PLAIN).0;
    let (used, fresh) = (condition(), condition());
    let mut bodies = [aclmdlRI::NULL; 3];
    let bodies = bodies.as_mut_ptr();
    let of = |handle, kind, size| aclmdlRICondTaskParams { handle, kind, size, modelRIArray: bodies };
    ok!(model_instance::aclmdlRIAddCondTask(of(used, IF, 1), stream, 0));
    for on in ANYWHERE {
        check([
            row!(on, model_instance::aclmdlRIAddCondTask(of(used, IF, 1), idle, 0) => REFUSED),
            row!(on, model_instance::aclmdlRIAddCondTask(of(fresh, IF, 0), idle, 0) => REFUSED),
            row!(on, model_instance::aclmdlRIAddCondTask(of(fresh, IF, 1), idle, 1) => REFUSED),
            row!(on, model_instance::aclmdlRIAddCondTask(of(fresh, aclmdlRICondTaskType(3), 1), idle, 0) => REFUSED),
        ]);
    }
    for (kind, wrong) in [(IF, 3), (WHILE, 2)] {
        check([
            row!(Nowhere, model_instance::aclmdlRIAddCondTask(of(fresh, kind, wrong), stream, 0) => NO_CONTEXT),
            row!(Other, model_instance::aclmdlRIAddCondTask(of(fresh, kind, wrong), stream, 0) => OTHER_CONTEXT),
            row!(Own, model_instance::aclmdlRIAddCondTask(of(fresh, kind, wrong), idle, 0) => NOT_CAPTURED),
            row!(Own, model_instance::aclmdlRIAddCondTask(of(fresh, kind, wrong), stream, 0) => REFUSED),
        ]);
    }
    check([row!(Own, model_instance::aclmdlRIAddCondTask(of(fresh, SWITCH, 3), stream, 0) => 0)]);
}
