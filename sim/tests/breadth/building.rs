//! Models that a program builds task by task, and their runs.

use crate::capture::{Log, begin, end};
use crate::support::*;
use crate::world::*;
use ascendcl_sim::control;
use ascendcl_sys::constants::{
    ACL_EVENT_SYNC, ACL_MODEL_STREAM_FLAG_DEFAULT as LATER, ACL_MODEL_STREAM_FLAG_HEAD as HEAD, ACL_STREAM_PERSISTENT,
};
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;

pub(crate) fn persistent() -> aclrtStream {
    let mut stream = aclrtStream::NULL;
    ok!(stream::aclrtCreateStreamWithConfig(&mut stream, 0, ACL_STREAM_PERSISTENT));
    stream
}

/// A model to build, with one stream that starts with its runs.
pub(crate) fn model() -> (aclmdlRI, aclrtStream) {
    let (mut model, stream) = (aclmdlRI::NULL, persistent());
    ok!(model_instance::aclmdlRIBuildBegin(&mut model, 0));
    bind(model, stream, HEAD);
    (model, stream)
}

pub(crate) fn bind(model: aclmdlRI, stream: aclrtStream, flag: u32) {
    ok!(model_instance::aclmdlRIBindStream(model, stream, flag));
}

pub(crate) fn complete(model: aclmdlRI, stream: aclrtStream) {
    ok!(model_instance::aclmdlRIEndTask(model, stream));
    ok!(model_instance::aclmdlRIBuildEnd(model, null_mut()));
}

pub(crate) fn run(model: aclmdlRI) {
    ok!(model_instance::aclmdlRIExecute(model, -1));
}

fn fill(address: *mut c_void, value: i32, stream: aclrtStream) {
    ok!(copy::aclrtMemsetAsync(address, 16, value, 16, stream));
}

#[test]
fn a_model_runs_its_tasks_in_order_each_time_that_it_is_run_and_not_before() {
    let _world = world();
    let ((model, part), runner, log) = (model(), stream(), Log::default());
    (1..=3).for_each(|number| log.add(part, number));
    synchronize(part);
    complete(model, part);
    assert_eq!(log.take(), [], "nothing runs before the model does");
    for _ in 0..2 {
        ok!(model_instance::aclmdlRIExecuteAsync(model, runner));
        synchronize(runner);
        assert_eq!(log.take(), [1, 2, 3]);
    }
    run(model);
    assert_eq!(log.take(), [1, 2, 3], "a run without a stream is over when the call returns");
}

#[test]
fn each_run_reads_and_writes_what_is_in_memory_then() {
    let _world = world();
    let (model, part) = model();
    let (x, y) = (device_memory(16), device_memory(16));
    ok!(copy::aclrtMemcpyAsync(y, 16, x, 16, ON_DEVICE, part));
    fill(x, 9, part);
    complete(model, part);
    for (value, found) in [(1, 1), (2, 2)] {
        ok!(copy::aclrtMemset(x, 16, value, 16));
        run(model);
        assert_eq!(read_device(y), [found; 16]);
        assert_eq!(read_device(x), [9; 16]);
    }
    run(model);
    assert_eq!(read_device(y), [9; 16], "the second run in a row reads what the first one wrote");
}

const ON_DEVICE: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE;

fn read_device(address: *mut c_void) -> Vec<u8> {
    let to = pinned(&[0; 16]);
    ok!(copy::aclrtMemcpy(to, 16, address, 16, TO_HOST));
    host(to, 16)
}

#[test]
fn memory_that_is_freed_early_stays_for_the_runs_that_use_it() {
    let _world = world();
    let (model, part) = model();
    let memory = device_memory(16);
    fill(memory, 5, part);
    complete(model, part);
    ok!(memory::aclrtFree(memory));
    run(model);
    ok!(model_instance::aclmdlRIDestroy(model));
}

#[test]
fn streams_that_start_with_a_run_wait_for_each_others_events() {
    let _world = world();
    let ((model, first), second, log) = (model(), persistent(), Log::default());
    bind(model, second, HEAD);
    let (there, back) = (recordable(), recordable());
    log.add(first, 1);
    ok!(event::aclrtRecordEvent(there, first));
    ok!(event::aclrtStreamWaitEvent(second, there));
    log.add(second, 2);
    ok!(event::aclrtRecordEvent(back, second));
    ok!(event::aclrtStreamWaitEvent(first, back));
    log.add(first, 3);
    complete(model, first);
    for _ in 0..20 {
        run(model);
        assert_eq!(log.take(), [1, 2, 3]);
    }
    let outside = stream();
    let code = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    fails!(code, "recorded by a stream of a model", event::aclrtStreamWaitEvent(outside, there));
    fails!(code, "recorded by a stream of a model", event::aclrtSynchronizeEvent(there));
    ok!(event::aclrtRecordEvent(there, outside));
    ok!(event::aclrtSynchronizeEvent(there));
}

#[test]
fn an_event_from_outside_is_not_waited_for_in_a_model() {
    let _world = world();
    let ((model, part), outside, event) = (model(), stream(), recordable());
    ok!(event::aclrtRecordEvent(event, outside));
    let code = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    fails!(code, "same model instance", event::aclrtStreamWaitEvent(part, event));
    complete(model, part);
    run(model);
}

fn recordable() -> aclrtEvent {
    let mut event = aclrtEvent::NULL;
    ok!(event::aclrtCreateEventWithFlag(&mut event, ACL_EVENT_SYNC));
    event
}

#[test]
fn a_wait_that_no_stream_of_the_model_can_end_fails_the_run() {
    let _world = world();
    let ((model, first), second, event) = (model(), persistent(), recordable());
    // It is bound, and nothing starts it.
    bind(model, second, LATER);
    ok!(event::aclrtRecordEvent(event, second));
    ok!(event::aclrtStreamWaitEvent(first, event));
    complete(model, first);
    let code = ACL_ERROR_RT_MODEL_EXECUTE;
    fails!(code, "no stream of the model instance records", model_instance::aclmdlRIExecute(model, -1));
}

#[test]
fn a_stream_that_is_not_a_head_runs_when_another_one_starts_it() {
    let _world = world();
    let ((model, first), second, log) = (model(), persistent(), Log::default());
    bind(model, second, LATER);
    log.add(second, 2);
    ok!(model_instance::aclmdlRIEndTask(model, second));
    log.add(first, 1);
    ok!(kernel::aclrtActiveStream(second, first));
    complete(model, first);
    for _ in 0..5 {
        run(model);
        assert_eq!(log.take(), [1, 2]);
    }
}

#[test]
fn work_that_comes_after_the_end_is_taken_and_keeps_the_model_from_running() {
    let _world = world();
    let (memory, runner) = (device_memory(16), stream());
    let code = ACL_ERROR_RT_MODEL_EXECUTE;
    for after_the_build in [false, true] {
        let (model, part) = model();
        ok!(model_instance::aclmdlRIEndTask(model, part));
        if after_the_build {
            ok!(model_instance::aclmdlRIBuildEnd(model, null_mut()));
        }
        fill(memory, 1, part);
        ok!(model_instance::aclmdlRIBuildEnd(model, null_mut()));
        fails!(code, "after its end", model_instance::aclmdlRIExecute(model, -1));
        fails!(code, "after its end", model_instance::aclmdlRIExecuteAsync(model, runner));
    }
}

#[test]
fn a_wrong_order_is_refused_with_what_was_found() {
    let _world = world();
    let ((model, part), ordinary) = (model(), stream());
    let (execute, unbound) = (ACL_ERROR_RT_MODEL_EXECUTE, ACL_ERROR_RT_STREAM_MODEL);
    let mut other = aclmdlRI::NULL;
    ok!(model_instance::aclmdlRIBuildBegin(&mut other, 0));
    fails!(unbound, "no stream is bound", model_instance::aclmdlRIBuildEnd(other, null_mut()));
    fails!(execute, "no stream is bound", model_instance::aclmdlRIExecute(other, -1));
    fails!(execute, "still being built", model_instance::aclmdlRIExecute(model, -1));
    let refused = ACL_ERROR_RT_PARAM_INVALID;
    fails!(refused, "not persistent", model_instance::aclmdlRIBindStream(model, ordinary, HEAD));
    fails!(refused, "ACL_MODEL_STREAM_FLAG_HEAD", model_instance::aclmdlRIBindStream(other, persistent(), 7));
    fails!(unbound, "bound again", model_instance::aclmdlRIBindStream(other, part, HEAD));
    fails!(unbound, "not bound", model_instance::aclmdlRIUnbindStream(other, part));
    let internal = ACL_ERROR_RT_INTERNAL_ERROR;
    fails!(internal, "not bound", model_instance::aclmdlRIEndTask(other, part));
    ok!(model_instance::aclmdlRIBuildEnd(model, null_mut()));
    fails!(execute, "aclmdlRIEndTask", model_instance::aclmdlRIExecute(model, -1));
    fails!(refused, "takes no more streams", model_instance::aclmdlRIBindStream(model, persistent(), HEAD));
    fails!(ACL_ERROR_INVALID_PARAM, "reserved", model_instance::aclmdlRIBuildEnd(model, bogus()));
    ok!(model_instance::aclmdlRIEndTask(model, part));
    fails!(internal, "ended already", model_instance::aclmdlRIEndTask(model, part));
    run(model);
    fails!(refused, "no time limit", model_instance::aclmdlRIExecute(model, 0));
    begin(ordinary);
    let captured = end(ordinary);
    fails!(refused, "was captured", model_instance::aclmdlRIBindStream(captured, persistent(), HEAD));
    fails!(refused, "was captured", model_instance::aclmdlRIBuildEnd(captured, null_mut()));
}

#[test]
fn a_bound_stream_is_neither_destroyed_nor_captured_nor_given_a_model_to_run() {
    let _world = world();
    let ((model, part), unbound) = (model(), ACL_ERROR_RT_STREAM_MODEL);
    complete(model, part);
    fails!(unbound, "part of a model instance", stream::aclrtDestroyStream(part));
    fails!(unbound, "part of a model instance", stream::aclrtDestroyStreamForce(part));
    fails!(unbound, "part of a model", model_instance::aclmdlRICaptureBegin(part, crate::capture::GLOBAL));
    let refused = ACL_ERROR_RT_PARAM_INVALID;
    fails!(refused, "part of a model instance", model_instance::aclmdlRIExecuteAsync(model, part));
    ok!(model_instance::aclmdlRIUnbindStream(model, part));
    fails!(ACL_ERROR_RT_MODEL_EXECUTE, "no stream is bound", model_instance::aclmdlRIExecute(model, -1));
    ok!(stream::aclrtDestroyStream(part));
    ok!(model_instance::aclmdlRIDestroy(model));
}

#[test]
fn handles_mean_nothing_after_destroy_and_the_streams_are_free() {
    let _world = world();
    let ((model, part), unknown) = (model(), ACL_ERROR_RT_INVALID_HANDLE);
    complete(model, part);
    ok!(model_instance::aclmdlRIDestroy(model));
    fails!(unknown, "live model instance", model_instance::aclmdlRIDestroy(model));
    fails!(unknown, "live model instance", model_instance::aclmdlRIExecute(model, -1));
    fails!(unknown, "live model instance", model_instance::aclmdlRIBindStream(model, part, HEAD));
    fails!(unknown, "live model instance", model_instance::aclmdlRIBuildEnd(model, null_mut()));
    let mut next = aclmdlRI::NULL;
    ok!(model_instance::aclmdlRIBuildBegin(&mut next, 0));
    bind(next, part, HEAD);
    ok!(model_instance::aclmdlRIDestroy(next));
    ok!(stream::aclrtDestroyStream(part));
    assert_eq!(control::live().streams, 0);
}

#[test]
fn a_failing_task_fails_the_run_and_the_next_tasks_run_all_the_same() {
    let _world = world();
    let ((model, part), runner, log, value) = (model(), stream(), Log::default(), notify());
    ok!(event::aclrtWaitAndResetNotify(value, part, 1));
    log.add(part, 1);
    complete(model, part);
    ok!(model_instance::aclmdlRIExecuteAsync(model, runner));
    assert_eq!(call!(stream::aclrtSynchronizeStream(runner)), ACL_ERROR_RT_WAIT_TIMEOUT);
    assert_eq!(log.take(), [1]);
}

#[test]
fn a_run_is_waited_for_until_the_time_limit_and_goes_on() {
    let _world = world();
    let ((model, part), log, value) = (model(), Log::default(), notify());
    log.add(part, 0);
    ok!(event::aclrtWaitAndResetNotify(value, part, 0));
    log.add(part, 1);
    complete(model, part);
    let late = ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    fails!(late, "still working", model_instance::aclmdlRIExecute(model, 30));
    let mut ran = Vec::new();
    let mut has_run = |tasks: usize| {
        while ran.len() < tasks {
            std::thread::sleep(std::time::Duration::from_millis(1));
            ran.extend(log.take());
        }
        ran.clone()
    };
    has_run(1);
    // The next run comes after the one that goes on.
    let (other, runner) = (stream(), stream());
    ok!(model_instance::aclmdlRIExecuteAsync(model, runner));
    ok!(event::aclrtRecordNotify(value, other));
    assert_eq!(has_run(3), [0, 1, 0]);
    ok!(event::aclrtRecordNotify(value, other));
    synchronize(runner);
    assert_eq!(has_run(4), [0, 1, 0, 1]);
}

fn notify() -> aclrtNotify {
    let mut notify = aclrtNotify::NULL;
    ok!(event::aclrtCreateNotify(&mut notify, 0));
    notify
}

#[test]
fn a_model_of_another_context_is_neither_built_nor_run() {
    let _world = world();
    let (model, part) = model();
    complete(model, part);
    let mut own = aclrtContext::NULL;
    ok!(device::aclrtCreateContext(&mut own, 0));
    let foreign = ACL_ERROR_RT_MODEL_CONTEXT;
    fails!(foreign, "not current", model_instance::aclmdlRIExecute(model, -1));
    fails!(foreign, "not current", model_instance::aclmdlRIUnbindStream(model, part));
    ok!(device::aclrtDestroyContext(own));
}

#[test]
fn the_end_of_the_context_takes_its_models_and_their_streams() {
    let _world = world();
    let (mut before, mut own) = (aclrtContext::NULL, aclrtContext::NULL);
    ok!(device::aclrtGetCurrentContext(&mut before));
    ok!(device::aclrtCreateContext(&mut own, 0));
    let ((built, part), captured) = (model(), stream());
    complete(built, part);
    run(built);
    begin(captured);
    let instance = end(captured);
    let streams = crate::tasks::streams(instance);
    ok!(device::aclrtDestroyContext(own));
    ok!(device::aclrtSetCurrentContext(before));
    let unknown = ACL_ERROR_RT_INVALID_HANDLE;
    fails!(unknown, "live model", model_instance::aclmdlRIExecute(built, -1));
    fails!(unknown, "live model", model_instance::aclmdlRIDestroy(instance));
    fails!(unknown, "live stream", stream::aclrtDestroyStream(part));
    fails!(unknown, "live stream", stream::aclrtSynchronizeStream(streams[0]));
    assert_eq!(control::live().streams, 0);
}

#[test]
fn runs_that_are_asked_for_at_once_come_one_after_the_other() {
    let _world = world();
    let ((model, first), second, log) = (model(), persistent(), Log::default());
    bind(model, second, HEAD);
    let joins = recordable();
    log.add(first, 1);
    log.add(second, 2);
    ok!(event::aclrtRecordEvent(joins, second));
    ok!(event::aclrtStreamWaitEvent(first, joins));
    log.add(first, 3);
    complete(model, first);
    let runners: Vec<aclrtStream> = (0..4).map(|_| stream()).collect();
    for _ in 0..5 {
        runners.iter().for_each(|runner| ok!(model_instance::aclmdlRIExecuteAsync(model, *runner)));
    }
    runners.iter().for_each(|runner| synchronize(*runner));
    let ran = log.take();
    assert_eq!(ran.len(), 60);
    assert!(ran.chunks(3).all(|run| run[2] == 3 && run[0] + run[1] == 3), "{ran:?}");
}

#[test]
fn a_stream_that_is_bound_takes_models_and_operators() {
    let _world = world();
    let ((built, part), id) = (model(), load(&crate::files::sum("rows", None)));
    let (from, to) = (pinned(&bytes(&[1.0; 4])), pinned(&[0; 16]));
    let (x, y) = (device_memory(16), device_memory(16));
    let (input, output) = (dataset(&[(x, 16)]), dataset(&[(y, 16)]));
    attach(input, 0, &[1, 4]);
    ok!(copy::aclrtMemcpyAsync(x, 16, from, 16, TO_DEVICE, part));
    ok!(model::aclmdlExecuteAsync(id, input, output, part));
    ok!(copy::aclrtMemcpyAsync(to, 16, y, 16, TO_HOST, part));
    complete(built, part);
    for value in [1.0, 2.0] {
        let values = bytes(&[value; 4]);
        // SAFETY: the block has 16 bytes, and nothing runs.
        unsafe { core::ptr::copy_nonoverlapping(values.as_ptr(), from.cast(), 16) };
        run(built);
        assert_eq!(floats(&host(to, 16)), [10.0 + value; 4]);
    }
    ok!(model_instance::aclmdlRIDestroy(built));
    ok!(model::aclmdlUnload(id));
}

#[test]
fn a_fresh_start_breaks_off_what_runs() {
    let first = world();
    let ((model, part), runner, value) = (model(), stream(), notify());
    ok!(event::aclrtWaitAndResetNotify(value, part, 0));
    complete(model, part);
    ok!(model_instance::aclmdlRIExecuteAsync(model, runner));
    drop(first);
    let _second = world();
    assert!(control::live().is_empty());
    let (next, part) = self::model();
    complete(next, part);
    run(next);
}
