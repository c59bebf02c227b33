//! Captured work and its replays.

use crate::files;
use crate::support::*;
use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

pub(crate) const GLOBAL: aclmdlRICaptureMode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
pub(crate) const LOCAL: aclmdlRICaptureMode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
pub(crate) const RELAXED: aclmdlRICaptureMode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED;

pub(crate) fn begin(stream: aclrtStream) {
    ok!(model_instance::aclmdlRICaptureBegin(stream, GLOBAL));
}

pub(crate) fn end(stream: aclrtStream) -> aclmdlRI {
    let mut instance = aclmdlRI::NULL;
    ok!(model_instance::aclmdlRICaptureEnd(stream, &mut instance));
    assert!(!instance.is_null());
    instance
}

pub(crate) fn replay(instance: aclmdlRI, stream: aclrtStream) {
    ok!(model_instance::aclmdlRIExecuteAsync(instance, stream));
    synchronize(stream);
}

/// A list that host functions add to.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u32>>>);

impl Log {
    pub(crate) fn add(&self, stream: aclrtStream, number: u32) {
        let log = self.clone();
        launch_each(stream, move || log.0.lock().unwrap().push(number));
    }

    pub(crate) fn take(&self) -> Vec<u32> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

#[test]
fn what_is_captured_does_not_run_and_every_replay_runs_it_in_order() {
    let _world = world();
    let (captured, runner, log) = (stream(), stream(), Log::default());
    log.add(captured, 0);
    begin(captured);
    (1..=3).for_each(|number| log.add(captured, number));
    let instance = end(captured);
    synchronize(captured);
    assert_eq!(log.take(), [0], "what came before the capture ran, and nothing else");
    for _ in 0..3 {
        replay(instance, runner);
        assert_eq!(log.take(), [1, 2, 3]);
    }
    log.add(captured, 4);
    synchronize(captured);
    assert_eq!(log.take(), [4], "after the capture the stream runs its work again");
    let refused = ACL_ERROR_RT_PARAM_INVALID;
    fails!(refused, "run by aclmdlRIExecuteAsync", model_instance::aclmdlRIExecute(instance, -1));
    assert_eq!(log.take(), []);
    ok!(model_instance::aclmdlRIDestroy(instance));
}

#[test]
fn a_replay_reads_what_is_in_memory_when_it_runs() {
    let _world = world();
    let (stream, id) = (stream(), load(&files::sum("rows", None)));
    let (from, to) = (pinned(&bytes(&[1.0; 4])), pinned(&[0; 16]));
    let (x, y) = (device_memory(16), device_memory(16));
    let (input, output) = (dataset(&[(x, 16)]), dataset(&[(y, 16)]));
    attach(input, 0, &[1, 4]);
    begin(stream);
    ok!(copy::aclrtMemcpyAsync(x, 16, from, 16, TO_DEVICE, stream));
    ok!(model::aclmdlExecuteAsync(id, input, output, stream));
    ok!(copy::aclrtMemcpyAsync(to, 16, y, 16, TO_HOST, stream));
    let instance = end(stream);
    for value in [1.0, 2.0, 30.0] {
        let values = bytes(&[value; 4]);
        // SAFETY: the block has 16 bytes, and nothing is queued.
        unsafe { core::ptr::copy_nonoverlapping(values.as_ptr(), from.cast(), 16) };
        replay(instance, stream);
        assert_eq!(floats(&host(to, 16)), [10.0 + value; 4]);
    }
    ok!(model::aclmdlUnload(id));
    ok!(model_instance::aclmdlRIExecuteAsync(instance, stream));
    assert_ne!(call!(stream::aclrtSynchronizeStream(stream)), 0, "the captured model is gone");
    ok!(model_instance::aclmdlRIDestroy(instance));
}

#[test]
fn a_stream_joins_by_an_event_and_leads_back_by_another() {
    let _world = world();
    let (origin, side, log) = (stream(), stream(), Log::default());
    let (fork, join) = (event(), event());
    begin(origin);
    log.add(origin, 1);
    ok!(event::aclrtRecordEvent(fork, origin));
    ok!(event::aclrtStreamWaitEvent(side, fork));
    log.add(side, 2);
    ok!(event::aclrtRecordEvent(join, side));
    log.add(origin, 3);
    ok!(event::aclrtStreamWaitEvent(origin, join));
    log.add(origin, 4);
    let instance = end(origin);
    assert_eq!(log.take(), []);
    replay(instance, origin);
    assert_eq!(log.take(), [1, 2, 3, 4]);
    log.add(side, 5);
    synchronize(side);
    assert_eq!(log.take(), [5], "the stream that joined left the capture with its end");
}

#[test]
fn a_stream_that_is_captured_takes_no_replay_and_its_capture_goes_on() {
    let _world = world();
    let (stream, log) = (stream(), Log::default());
    begin(stream);
    log.add(stream, 1);
    let inner = end(stream);
    begin(stream);
    let captured = ACL_ERROR_RT_STREAM_CAPTURED;
    fails!(captured, "being captured", model_instance::aclmdlRIExecuteAsync(inner, stream));
    log.add(stream, 2);
    let outer = end(stream);
    replay(outer, stream);
    assert_eq!(log.take(), [2]);
}

#[test]
fn an_event_can_be_used_anew_after_the_capture() {
    let _world = world();
    let (stream, event) = (stream(), event());
    begin(stream);
    ok!(event::aclrtRecordEvent(event, stream));
    fails!(ACL_ERROR_RT_EVENT_CAPTURED, "during a capture", event::aclrtSynchronizeEvent(event));
    end(stream);
    ok!(event::aclrtSynchronizeEvent(event));
    ok!(event::aclrtRecordEvent(event, stream));
    ok!(event::aclrtSynchronizeEvent(event));
}

/// A model that adds 10 to its input, and a place for its output.
struct Work {
    id: u32,
    output: *mut aclmdlDataset,
    place: *mut core::ffi::c_void,
}

impl Work {
    fn new() -> Self {
        let place = device_memory(16);
        Self { id: load(&files::sum("rows", None)), output: dataset(&[(place, 16)]), place }
    }

    /// Four times this value.
    fn input(value: f32) -> *mut aclmdlDataset {
        let input = dataset(&[(on_device(&bytes(&[value; 4])), 16)]);
        attach(input, 0, &[1, 4]);
        input
    }

    fn run(&self, input: *mut aclmdlDataset, stream: aclrtStream) {
        ok!(model::aclmdlExecuteAsync(self.id, input, self.output, stream));
    }

    fn result(&self) -> f32 {
        floats(&from_device(self.place, 16))[0]
    }
}

#[test]
fn a_task_group_gets_new_work_where_the_stream_comes_to_the_update() {
    let _world = world();
    let (stream, updater, work) = (stream(), stream(), Work::new());
    let (one, two) = (Work::input(1.0), Work::input(2.0));
    begin(stream);
    ok!(model_instance::aclmdlRICaptureTaskGrpBegin(stream));
    work.run(one, stream);
    let mut group = aclrtTaskGrp::NULL;
    ok!(model_instance::aclmdlRICaptureTaskGrpEnd(stream, &mut group));
    let instance = end(stream);
    replay(instance, stream);
    assert_eq!(work.result(), 11.0);

    ok!(model_instance::aclmdlRICaptureTaskUpdateBegin(updater, group));
    work.run(two, updater);
    ok!(model_instance::aclmdlRICaptureTaskUpdateEnd(updater));
    synchronize(updater);
    assert_eq!(work.result(), 11.0, "new work does not run by itself");
    replay(instance, stream);
    assert_eq!(work.result(), 12.0);

    ok!(model_instance::aclmdlRICaptureTaskUpdateBegin(updater, group));
    let wrong = ACL_ERROR_RT_MODEL_UPDATE_FAILED;
    fails!(wrong, "has 1 tasks, and 0 came", model_instance::aclmdlRICaptureTaskUpdateEnd(updater));
    let status = ACL_ERROR_STREAM_TASK_GROUP_STATUS;
    fails!(status, "updates no task group", model_instance::aclmdlRICaptureTaskUpdateEnd(updater));
    replay(instance, stream);
    assert_eq!(work.result(), 12.0, "an update that failed changed nothing");
}

#[test]
fn a_task_group_takes_no_other_work_than_kernels_and_breaks_its_capture_over_it() {
    let _world = world();
    let (stream, log) = (stream(), Log::default());
    let refused = ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT;
    begin(stream);
    ok!(model_instance::aclmdlRICaptureTaskGrpBegin(stream));
    let place = device_memory(4);
    fails!(refused, "cores alone", copy::aclrtMemsetAsync(place, 4, 0, 4, stream));
    let mut group = aclrtTaskGrp(place);
    fails!(refused, "does not take", model_instance::aclmdlRICaptureTaskGrpEnd(stream, &mut group));
    assert!(group.is_null());
    let mut instance = aclmdlRI::NULL;
    let broken = ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED;
    fails!(broken, "broken off", model_instance::aclmdlRICaptureEnd(stream, &mut instance));
    log.add(stream, 1);
    synchronize(stream);
    assert_eq!(log.take(), [1], "the stream works again");

    begin(stream);
    ok!(model_instance::aclmdlRICaptureTaskGrpBegin(stream));
    ok!(model_instance::aclmdlRICaptureTaskGrpEnd(stream, &mut group));
    let instance = end(stream);
    ok!(model_instance::aclmdlRICaptureTaskUpdateBegin(stream, group));
    fails!(refused, "cores alone", copy::aclrtMemsetAsync(place, 4, 0, 4, stream));
    let captured = ACL_ERROR_RT_STREAM_CAPTURED;
    fails!(captured, "being captured", model_instance::aclmdlRIExecuteAsync(instance, stream));
    ok!(model_instance::aclmdlRICaptureTaskUpdateEnd(stream));
}

#[test]
fn an_instance_has_a_name_an_id_and_says_when_it_is_destroyed() {
    let _world = world();
    let stream = stream();
    begin(stream);
    let instance = end(stream);
    ok!(model_instance::aclmdlRISetName(instance, c("decode").as_ptr()));
    let mut name = [1; 7];
    ok!(model_instance::aclmdlRIGetName(instance, 7, name.as_mut_ptr()));
    assert_eq!(string(name.as_ptr()), "decode");
    let small = ACL_ERROR_INVALID_PARAM;
    fails!(small, "room for 6", model_instance::aclmdlRIGetName(instance, 6, name.as_mut_ptr()));
    begin(stream);
    let other = end(stream);
    let id = |instance| {
        let mut id = 0;
        ok!(model_instance::aclmdlRIGetId(instance, &mut id));
        id
    };
    assert_ne!(id(instance), id(other));

    static DESTROYED: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn destroyed(_: *mut core::ffi::c_void) {
        DESTROYED.fetch_add(1, SeqCst);
    }
    for instance in [instance, other] {
        ok!(model_instance::aclmdlRIDestroyRegisterCallback(instance, Some(destroyed), core::ptr::null_mut()));
    }
    ok!(model_instance::aclmdlRIDestroyUnregisterCallback(other, Some(destroyed)));
    ok!(model_instance::aclmdlRIDestroy(other));
    assert_eq!(DESTROYED.load(SeqCst), 0);
    ok!(model_instance::aclmdlRIDestroy(instance));
    assert_eq!(DESTROYED.load(SeqCst), 1);
}
