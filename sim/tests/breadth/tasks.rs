//! The streams and the tasks of models that were captured or built, and tasks that are left out.

use crate::building::{bind, complete, model, persistent, run};
use crate::capture::{Log, begin, end, replay};
use crate::support::*;
use crate::world::*;
use ascendcl_sim::{Checks, Config, control};
use ascendcl_sys::constants::ACL_MODEL_STREAM_FLAG_HEAD as HEAD;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ptr::null_mut;

pub(crate) fn streams(model: aclmdlRI) -> Vec<aclrtStream> {
    let mut count = 0;
    ok!(model_instance::aclmdlRIGetStreams(model, null_mut(), &mut count));
    let mut found = vec![aclrtStream::NULL; count as usize];
    ok!(model_instance::aclmdlRIGetStreams(model, found.as_mut_ptr(), &mut count));
    assert_eq!(count as usize, found.len());
    found
}

fn tasks(stream: aclrtStream) -> Vec<aclmdlRITask> {
    let mut count = 0;
    ok!(model_instance::aclmdlRIGetTasksByStream(stream, null_mut(), &mut count));
    let mut found = vec![aclmdlRITask::NULL; count as usize];
    ok!(model_instance::aclmdlRIGetTasksByStream(stream, found.as_mut_ptr(), &mut count));
    found
}

fn kinds(stream: aclrtStream) -> Vec<aclmdlRITaskType> {
    let kind = |task: &aclmdlRITask| {
        let mut kind = aclmdlRITaskType(99);
        ok!(model_instance::aclmdlRITaskGetType(*task, &mut kind));
        kind
    };
    tasks(stream).iter().map(kind).collect()
}

const DEFAULT: aclmdlRITaskType = aclmdlRITaskType::ACL_MODEL_RI_TASK_DEFAULT;
const RECORD: aclmdlRITaskType = aclmdlRITaskType::ACL_MODEL_RI_TASK_EVENT_RECORD;
const WAIT: aclmdlRITaskType = aclmdlRITaskType::ACL_MODEL_RI_TASK_EVENT_WAIT;
const WRITE: aclmdlRITaskType = aclmdlRITaskType::ACL_MODEL_RI_TASK_VALUE_WRITE;

#[test]
fn a_captured_model_has_a_stream_of_its_own_for_each_that_took_part() {
    let _world = world();
    let (origin, side, log, memory) = (stream(), stream(), Log::default(), device_memory(16));
    let (fork, join) = (event(), event());
    let before = control::live().streams;
    begin(origin);
    log.add(origin, 1);
    ok!(event::aclrtRecordEvent(fork, origin));
    ok!(event::aclrtStreamWaitEvent(side, fork));
    ok!(copy::aclrtValueWrite(memory, 1, 0, side));
    ok!(event::aclrtRecordEvent(join, side));
    ok!(event::aclrtStreamWaitEvent(origin, join));
    let model = end(origin);
    let own = streams(model);
    assert_eq!(streams(model), own, "they stay the same");
    assert!(own.iter().all(|stream| ![origin, side].contains(stream)));
    assert_eq!(own.len(), 2);
    assert_eq!(kinds(own[0]), [DEFAULT, RECORD, WAIT], "the stream on which the capture began comes first");
    assert_eq!(kinds(own[1]), [WAIT, WRITE, RECORD]);
    assert_eq!(control::live().streams, before, "the program made none of them");
    fails!(
        ACL_ERROR_RT_PARAM_INVALID,
        "no model instance",
        model_instance::aclmdlRIGetTasksByStream(origin, null_mut(), &mut 0)
    );
    replay(model, origin);
    assert_eq!(log.take(), [1]);
    let task = tasks(own[0])[0];
    ok!(model_instance::aclmdlRIDestroy(model));
    let gone = ACL_ERROR_RT_INVALID_HANDLE;
    fails!(gone, "live stream", stream::aclrtSynchronizeStream(own[0]));
    fails!(gone, "live task", model_instance::aclmdlRITaskGetType(task, &mut DEFAULT.clone()));
    fails!(gone, "live model instance", model_instance::aclmdlRIGetStreams(model, null_mut(), &mut 0));
}

#[test]
fn there_has_to_be_room_for_all_of_them() {
    let _world = world();
    let (captured, memory) = (stream(), device_memory(16));
    begin(captured);
    (0..3).for_each(|_| ok!(copy::aclrtMemsetAsync(memory, 16, 1, 16, captured)));
    let model = end(captured);
    let own = streams(model)[0];
    let (short, mut room, mut place) = (ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, 2, [aclmdlRITask::NULL; 3]);
    fails!(short, "room for 2, and 3", model_instance::aclmdlRIGetTasksByStream(own, place.as_mut_ptr(), &mut room));
    assert_eq!((room, place), (2, [aclmdlRITask::NULL; 3]), "nothing is stored");
}

#[test]
fn a_stream_of_a_captured_model_takes_no_more_work() {
    let _world = world();
    let (captured, memory) = (stream(), device_memory(16));
    begin(captured);
    ok!(copy::aclrtMemsetAsync(memory, 16, 1, 16, captured));
    let model = end(captured);
    let own = streams(model)[0];
    ok!(stream::aclrtSynchronizeStream(own));
    fails!(ACL_ERROR_RT_STREAM_MODEL, "part of a model instance", stream::aclrtDestroyStream(own));
    replay(model, captured);
    ok!(copy::aclrtMemsetAsync(memory, 16, 1, 16, own));
    let late = ACL_ERROR_RT_MODEL_EXECUTE;
    fails!(late, "after its end", model_instance::aclmdlRIExecuteAsync(model, captured));
    assert_eq!(tasks(own).len(), 1);
}

#[test]
fn tasks_that_are_disabled_do_not_run_after_the_update_where_the_manual_counts() {
    let _world = configured(Config::new().documented(true));
    let (captured, log) = (stream(), Log::default());
    begin(captured);
    (1..=3).for_each(|number| log.add(captured, number));
    let model = end(captured);
    let tasks = tasks(streams(model)[0]);
    ok!(model_instance::aclmdlRITaskDisable(tasks[1]));
    replay(model, captured);
    assert_eq!(log.take(), [1, 2, 3], "the update decides");
    ok!(model_instance::aclmdlRIUpdate(model));
    for _ in 0..2 {
        replay(model, captured);
        assert_eq!(log.take(), [1, 3]);
    }
}

#[test]
fn this_device_leaves_no_task_out_as_measured() {
    let _world = configured(Config::new().documented(false));
    let (captured, log) = (stream(), Log::default());
    begin(captured);
    log.add(captured, 1);
    let model = end(captured);
    let task = tasks(streams(model)[0])[0];
    let unsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    fails!(unsupported, "disabled", model_instance::aclmdlRITaskDisable(task));
    fails!(unsupported, "changed", model_instance::aclmdlRIUpdate(model));
    replay(model, captured);
    assert_eq!(log.take(), [1]);
}

#[test]
fn a_model_that_is_built_shows_the_programs_own_streams() {
    let _world = world();
    let ((model, first), second, memory) = (model(), persistent(), device_memory(16));
    bind(model, second, HEAD);
    ok!(copy::aclrtMemsetAsync(memory, 16, 1, 16, first));
    ok!(copy::aclrtValueWrite(memory, 1, 0, first));
    complete(model, first);
    assert_eq!(streams(model), [first, second]);
    assert_eq!(kinds(first), [DEFAULT, WRITE, DEFAULT], "the end is a task, too");
    assert_eq!(kinds(second), []);
}

#[test]
fn the_checks_find_nothing_in_a_program_that_is_right() {
    let _world = configured(Config::new().checks(Checks::Strict));
    control::take_findings();
    let ((model, part), captured, memory) = (model(), stream(), device_memory(16));
    ok!(copy::aclrtMemsetAsync(memory, 16, 1, 16, part));
    complete(model, part);
    let to = pinned(&[0; 16]);
    for _ in 0..2 {
        ok!(copy::aclrtMemset(memory, 16, 3, 16));
        run(model);
        ok!(copy::aclrtMemcpy(to, 16, memory, 16, TO_HOST));
        assert_eq!(host(to, 16), [1; 16]);
    }
    ok!(model_instance::aclmdlRIUnbindStream(model, part));
    ok!(model_instance::aclmdlRIDestroy(model));
    ok!(stream::aclrtDestroyStream(part));
    begin(captured);
    ok!(copy::aclrtMemsetAsync(memory, 16, 1, 16, captured));
    let model = end(captured);
    assert_eq!(tasks(streams(model)[0]).len(), 1);
    replay(model, captured);
    ok!(model_instance::aclmdlRIDestroy(model));
    ok!(memory::aclrtFree(memory));
    ok!(memory::aclrtFreeHost(to));
    ok!(stream::aclrtDestroyStream(captured));
    ok!(device::aclrtResetDevice(0));
    ok!(process::aclFinalize());
    assert_eq!(control::take_findings(), []);
}

#[test]
fn who_waits_for_a_stream_of_a_model_is_told_that_this_waits_for_nothing() {
    let _world = configured(Config::new().checks(Checks::Report));
    control::take_findings();
    let (captured, memory) = (stream(), device_memory(16));
    begin(captured);
    ok!(copy::aclrtMemsetAsync(memory, 16, 1, 16, captured));
    let instance = end(captured);
    let own = streams(instance)[0];
    ok!(stream::aclrtSynchronizeStream(own));
    let (model, part) = model();
    complete(model, part);
    ok!(stream::aclrtSynchronizeStream(part));
    let found: Vec<String> = control::take_findings().iter().map(|finding| finding.rule.to_string()).collect();
    assert_eq!(found, ["STREAM-13", "STREAM-13"]);
    synchronize(captured);
    // The streams of the library go with the instance.
    ok!(model_instance::aclmdlRIDestroy(instance));
    ok!(stream::aclrtDestroyStream(captured));
    ok!(memory::aclrtFree(memory));
    ok!(model_instance::aclmdlRIDestroy(model));
    ok!(stream::aclrtDestroyStream(part));
    ok!(device::aclrtResetDevice(0));
    ok!(process::aclFinalize());
    assert_eq!(control::take_findings(), []);
}

#[test]
fn a_callback_of_a_model_that_waits_for_the_run_is_told_that_this_never_ends() {
    let _world = world();
    let ((model, part), runner) = (model(), stream());
    let (tell, told) = std::sync::mpsc::channel();
    let number = runner.0.addr();
    launch_each(part, move || {
        let runner = aclrtStream(core::ptr::without_provenance_mut(number));
        ok!(device::aclrtSetDevice(0));
        tell.send(call!(stream::aclrtSynchronizeStream(runner))).unwrap();
    });
    complete(model, part);
    ok!(model_instance::aclmdlRIExecuteAsync(model, runner));
    assert_eq!(told.recv_timeout(std::time::Duration::from_secs(60)), Ok(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT));
    synchronize(runner);
}

#[test]
fn memory_that_is_not_pinned_is_no_part_of_a_model() {
    let _world = world();
    let ((model, part), memory, mut own) = (model(), device_memory(16), [0_u8; 16]);
    let (refused, place) = (ACL_ERROR_RT_PARAM_INVALID, own.as_mut_ptr().cast());
    fails!(refused, "not pinned", copy::aclrtMemcpyAsync(memory, 16, place, 16, TO_DEVICE, part));
    fails!(refused, "not pinned", copy::aclrtMemcpyAsync(place, 16, memory, 16, TO_HOST, part));
    fails!(refused, "not pinned", copy::aclrtMemsetAsync(place, 16, 1, 16, part));
    complete(model, part);
    run(model);
}

#[test]
fn tasks_are_dropped_from_a_stream_until_the_build_ends() {
    let _world = world();
    let ((model, part), log) = (model(), Log::default());
    log.add(part, 1);
    ok!(process::aclrtPersistentTaskClean(part));
    log.add(part, 2);
    complete(model, part);
    run(model);
    assert_eq!(log.take(), [2]);
    let internal = ACL_ERROR_RT_INTERNAL_ERROR;
    fails!(internal, "the build of the model instance has ended", process::aclrtPersistentTaskClean(part));
    fails!(internal, "no tasks that can be dropped", process::aclrtPersistentTaskClean(persistent()));
}

#[test]
fn models_that_wait_side_by_side_leave_workers_for_others() {
    let _world = world();
    let mut waiting = Vec::new();
    for _ in 0..6 {
        let ((model, first), second, runner) = (model(), persistent(), stream());
        bind(model, second, HEAD);
        let mut notify = aclrtNotify::NULL;
        ok!(event::aclrtCreateNotify(&mut notify, 0));
        ok!(event::aclrtWaitAndResetNotify(notify, first, 0));
        complete(model, first);
        ok!(model_instance::aclmdlRIExecuteAsync(model, runner));
        std::thread::sleep(std::time::Duration::from_millis(20));
        waiting.push((notify, runner));
    }
    let other = stream();
    for (notify, runner) in waiting {
        ok!(event::aclrtRecordNotify(notify, other));
        synchronize(runner);
    }
}

/// The reset waits for a host function, and the device is set again after the two seconds that a set waits for a reset.
#[test]
fn a_reset_that_lasts_takes_nothing_of_the_next_default_context() {
    let _world = world();
    let (open, opened) = std::sync::mpsc::channel::<()>();
    launch(aclrtStream::NULL, move || {
        let _ = opened.recv();
    });
    let resetting = std::thread::spawn(|| ok!(device::aclrtResetDevice(0)));
    // The context is not there any more when the reset waits.
    let mut context = aclrtContext::NULL;
    while call!(device::aclrtGetCurrentContext(&mut context)) == 0 {
        std::thread::yield_now();
    }
    ok!(device::aclrtSetDevice(0));
    let (model, origin, option) = (digits(), stream(), aclSysParamOpt::ACL_OPT_DETERMINISTIC);
    ok!(device::aclrtCtxSetSysParamOpt(option, 1));
    begin(origin);
    let graph = end(origin);
    drop(open);
    resetting.join().unwrap();
    let mut value = 9;
    ok!(device::aclrtCtxGetSysParamOpt(option, &mut value));
    assert_eq!(value, 1);
    ok!(model_instance::aclmdlRIDestroy(graph));
    ok!(model::aclmdlUnload(model));
    synchronize(origin);
}
