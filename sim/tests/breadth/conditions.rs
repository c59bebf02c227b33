//! Conditions of captured instances, where the manual's word counts.

use crate::capture::{GLOBAL, Log, RELAXED, begin, end, replay};
use crate::support::*;
use crate::world::*;
use ascendcl_sim::Config;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ptr::null_mut;

pub(crate) const IF: aclmdlRICondTaskType = aclmdlRICondTaskType::ACL_MODEL_RI_COND_TYPE_IF;
pub(crate) const WHILE: aclmdlRICondTaskType = aclmdlRICondTaskType::ACL_MODEL_RI_COND_TYPE_WHILE;
pub(crate) const SWITCH: aclmdlRICondTaskType = aclmdlRICondTaskType::ACL_MODEL_RI_COND_TYPE_SWITCH;
pub(crate) const PLAIN: aclmdlRICondHandleFlag = aclmdlRICondHandleFlag(0);
const ASSIGN: aclmdlRICondHandleFlag = aclmdlRICondHandleFlag::ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT;

/// A condition of what is captured on the stream, and the place of its number.
pub(crate) fn condition(
    stream: aclrtStream,
    first: u32,
    flag: aclmdlRICondHandleFlag,
) -> (aclmdlRICondHandle, *mut u64) {
    let (mut status, mut instance) = (aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_NONE, aclmdlRI::NULL);
    ok!(model_instance::aclmdlRICaptureGetInfo(stream, &mut status, &mut instance));
    let (mut handle, mut place) = (aclmdlRICondHandle::NULL, null_mut());
    ok!(model_instance::aclmdlRICondHandleCreate(instance, first, flag, &mut handle));
    ok!(model_instance::aclmdlRICondHandleGetCondPtr(handle, &mut place));
    (handle, place)
}

fn params(handle: aclmdlRICondHandle, kind: aclmdlRICondTaskType, bodies: &mut [aclmdlRI]) -> aclmdlRICondTaskParams {
    aclmdlRICondTaskParams { handle, kind, size: bodies.len() as u32, modelRIArray: bodies.as_mut_ptr() }
}

fn add<const N: usize>(stream: aclrtStream, handle: aclmdlRICondHandle, kind: aclmdlRICondTaskType) -> [aclmdlRI; N] {
    let mut bodies = [aclmdlRI::NULL; N];
    ok!(model_instance::aclmdlRIAddCondTask(params(handle, kind, &mut bodies), stream, 0));
    assert!(bodies.iter().all(|body| !body.is_null()));
    bodies
}

fn body(stream: aclrtStream, instance: aclmdlRI, tasks: impl FnOnce()) {
    ok!(model_instance::aclmdlRICaptureToModelRIBegin(stream, instance, GLOBAL));
    tasks();
    assert_eq!(end(stream), instance, "the end tells the body");
}

fn documented() -> World {
    configured(Config::new().documented(true))
}

#[test]
fn the_number_that_a_run_begins_with_says_which_body_of_an_if_runs() {
    let _world = documented();
    for (first, expected) in [(0, [0, 2, 9]), (5, [0, 1, 9])] {
        let (main, side, log) = (stream(), stream(), Log::default());
        begin(main);
        log.add(main, 0);
        let (handle, _) = condition(main, first, ASSIGN);
        let bodies: [_; 2] = add(main, handle, IF);
        body(side, bodies[0], || log.add(side, 1));
        body(side, bodies[1], || log.add(side, 2));
        log.add(main, 9);
        let instance = end(main);
        synchronize(side);
        assert_eq!(log.take(), []);
        for _ in 0..2 {
            replay(instance, side);
            assert_eq!(log.take(), expected);
        }
        ok!(model_instance::aclmdlRIDestroy(instance));
    }
}

#[test]
fn a_loop_goes_on_until_its_body_writes_zero_and_a_switch_runs_the_body_of_that_number() {
    let _world = documented();
    let (main, side, log) = (stream(), stream(), Log::default());
    begin(main);
    let (handle, place) = condition(main, 1, ASSIGN);
    let [round]: [_; 1] = add(main, handle, WHILE);
    body(side, round, || {
        log.add(side, 1);
        ok!(copy::aclrtMemsetAsync(place.cast(), 8, 0, 8, side));
    });
    let (handle, place) = condition(main, 0, PLAIN);
    let cases: [_; 3] = add(main, handle, SWITCH);
    for (number, case) in (10..).zip(cases) {
        body(side, case, || log.add(side, number));
    }
    let instance = end(main);
    for (number, expected) in [(0_u64, vec![1, 10]), (2, vec![1, 12]), (3, vec![1])] {
        let bytes = number.to_ne_bytes();
        let kind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
        ok!(copy::aclrtMemcpy(place.cast(), 8, bytes.as_ptr().cast(), 8, kind));
        replay(instance, main);
        assert_eq!(log.take(), expected);
    }
    ok!(model_instance::aclmdlRIDestroy(instance));
}

#[test]
fn a_capture_does_not_end_before_those_of_its_bodies_and_goes_on() {
    let _world = documented();
    let (main, side, log) = (stream(), stream(), Log::default());
    begin(main);
    let (handle, _) = condition(main, 1, ASSIGN);
    let [first]: [_; 1] = add(main, handle, IF);
    let mut instance = aclmdlRI::NULL;
    let early = ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING;
    fails!(early, "not captured yet", model_instance::aclmdlRICaptureEnd(main, &mut instance));
    ok!(model_instance::aclmdlRICaptureToModelRIBegin(side, first, RELAXED));
    fails!(early, "being captured", model_instance::aclmdlRICaptureEnd(main, &mut instance));
    log.add(side, 7);
    assert_eq!(end(side), first);
    replay(end(main), side);
    assert_eq!(log.take(), [7]);
}

#[test]
fn bodies_are_neither_destroyed_nor_run_nor_captured_twice_and_a_condition_has_one_task() {
    let _world = documented();
    let (main, side) = (stream(), stream());
    begin(main);
    let (handle, _) = condition(main, 1, ASSIGN);
    let [first]: [_; 1] = add(main, handle, IF);
    let mut again = [aclmdlRI::NULL];
    fails!(
        ACL_ERROR_RT_PARAM_INVALID,
        "for one task",
        model_instance::aclmdlRIAddCondTask(params(handle, IF, &mut again), main, 0)
    );
    let (other, _) = condition(main, 1, PLAIN);
    fails!(
        ACL_ERROR_RT_PARAM_INVALID,
        "2 bodies",
        model_instance::aclmdlRIAddCondTask(params(other, WHILE, &mut [aclmdlRI::NULL; 2]), main, 0)
    );
    fails!(
        ACL_ERROR_RT_PARAM_INVALID,
        "0 bodies",
        model_instance::aclmdlRIAddCondTask(params(other, SWITCH, &mut []), main, 0)
    );
    fails!(
        ACL_ERROR_RT_STREAM_NOT_CAPTURED,
        "",
        model_instance::aclmdlRIAddCondTask(params(other, IF, &mut again), side, 0)
    );
    body(side, first, || ());
    fails!(ACL_ERROR_RT_PARAM_INVALID, "once", model_instance::aclmdlRICaptureToModelRIBegin(side, first, GLOBAL));
    fails!(ACL_ERROR_RT_INVALID_HANDLE, "", model_instance::aclmdlRIExecuteAsync(first, side));
    fails!(ACL_ERROR_RT_INVALID_HANDLE, "", model_instance::aclmdlRIDestroy(first));
    let instance = end(main);
    let mut late = aclmdlRICondHandle::NULL;
    fails!(
        ACL_ERROR_RT_PARAM_INVALID,
        "has ended",
        model_instance::aclmdlRICondHandleCreate(instance, 1, ASSIGN, &mut late)
    );
    ok!(model_instance::aclmdlRIDestroy(instance));
    let mut place = null_mut();
    fails!(ACL_ERROR_RT_INVALID_HANDLE, "", model_instance::aclmdlRICondHandleGetCondPtr(handle, &mut place));
}

#[test]
fn the_memory_of_conditions_goes_with_their_instance_or_with_a_capture_that_comes_to_nothing() {
    let world = documented();
    let before = ascendcl_sim::control::live().device_blocks;
    let (main, side, inner) = (stream(), stream(), stream());
    let nested = || {
        begin(main);
        let (handle, _) = condition(main, 1, ASSIGN);
        let [first]: [_; 1] = add(main, handle, IF);
        body(side, first, || {
            let (handle, _) = condition(side, 1, ASSIGN);
            let [second]: [_; 1] = add(side, handle, IF);
            body(inner, second, || ());
        });
    };
    nested();
    let instance = end(main);
    replay(instance, side);
    assert_eq!(ascendcl_sim::control::live().device_blocks, before + 2);
    ok!(model_instance::aclmdlRIDestroy(instance));
    assert_eq!(ascendcl_sim::control::live().device_blocks, before);
    nested();
    // A group that is left open: the capture is over, and makes no instance.
    ok!(model_instance::aclmdlRICaptureTaskGrpBegin(main));
    let mut none = aclmdlRI::NULL;
    fails!(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "still open", model_instance::aclmdlRICaptureEnd(main, &mut none));
    assert_eq!(ascendcl_sim::control::live().device_blocks, before);
    drop(world);
}
