//! Labels and switches: which tasks of a built model run is decided by what stands in memory.

use crate::building::{bind, complete, model, persistent, run};
use crate::capture::Log;
use crate::support::*;
use crate::world::*;
use ascendcl_sys::constants::ACL_MODEL_STREAM_FLAG_DEFAULT as LATER;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ffi::c_void;

pub(crate) fn label() -> aclrtLabel {
    let mut label = aclrtLabel::NULL;
    ok!(kernel::aclrtCreateLabel(&mut label));
    label
}

fn list(labels: &mut [aclrtLabel]) -> aclrtLabelList {
    let mut list = aclrtLabelList::NULL;
    ok!(kernel::aclrtCreateLabelList(labels.as_mut_ptr(), labels.len(), &mut list));
    list
}

fn set(label: aclrtLabel, stream: aclrtStream) {
    ok!(kernel::aclrtSetLabel(label, stream));
}

fn switch(index: *mut c_void, most: u32, list: aclrtLabelList, stream: aclrtStream) {
    ok!(kernel::aclrtSwitchLabelByIndex(index, most, list, stream));
}

/// Puts integers into device memory.
fn put(address: *mut c_void, values: &[i32]) {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    ok!(copy::aclrtMemcpy(address, bytes.len(), pinned(&bytes), bytes.len(), TO_DEVICE));
}

#[test]
fn the_index_in_memory_says_behind_which_label_a_run_goes_on() {
    let _world = world();
    let ((model, part), index, log) = (model(), device_memory(4), Log::default());
    let mut labels = [label(), label(), label()];
    let list = list(&mut labels);
    log.add(part, 0);
    switch(index, 3, list, part);
    log.add(part, 100);
    for (label, number) in labels.iter().zip(1..) {
        set(*label, part);
        log.add(part, number);
    }
    complete(model, part);
    for (value, ran) in [(0, vec![0, 1, 2, 3]), (1, vec![0, 2, 3]), (2, vec![0, 3]), (3, vec![0, 3]), (-1, vec![0, 3])]
    {
        put(index, &[value]);
        run(model);
        assert_eq!(log.take(), ran, "index {value}: one that is too large counts as the last");
    }
    // What was built stays as it is.
    labels.iter().for_each(|label| ok!(kernel::aclrtDestroyLabel(*label)));
    ok!(kernel::aclrtDestroyLabelList(list));
    put(index, &[1]);
    run(model);
    assert_eq!(log.take(), [0, 2, 3]);
}

#[test]
fn a_switch_that_goes_back_makes_a_loop() {
    let _world = world();
    let ((model, part), index, log) = (model(), device_memory(4), Log::default());
    let steps = device_memory(16);
    let mut labels = [label(), label()];
    let list = list(&mut labels);
    set(labels[0], part);
    log.add(part, 1);
    // The index of the next turn is the one that stands behind.
    ok!(copy::aclrtMemcpyAsync(index, 4, steps, 4, ON_DEVICE, part));
    for place in 0..3 {
        let to = steps.wrapping_byte_add(4 * place);
        ok!(copy::aclrtMemcpyAsync(to, 4, to.wrapping_byte_add(4), 4, ON_DEVICE, part));
    }
    switch(index, 2, list, part);
    log.add(part, 100);
    set(labels[1], part);
    log.add(part, 2);
    complete(model, part);
    put(steps, &[0, 0, 1, 1]);
    run(model);
    assert_eq!(log.take(), [1, 1, 1, 2]);
    put(steps, &[1, 0, 0, 0]);
    run(model);
    assert_eq!(log.take(), [1, 2]);
}

const ON_DEVICE: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE;

#[test]
fn a_loop_without_an_end_is_broken_off() {
    let _world = world();
    let ((model, part), runner, index, log) = (model(), stream(), device_memory(4), Log::default());
    let mut labels = [label()];
    let list = list(&mut labels);
    log.add(part, 1);
    set(labels[0], part);
    switch(index, 1, list, part);
    complete(model, part);
    ok!(model_instance::aclmdlRIExecuteAsync(model, runner));
    // An abort breaks off what runs, and not what has yet to begin.
    while log.take().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let late = ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    fails!(late, "still working", stream::aclrtSynchronizeStreamWithTimeout(runner, 30));
    ok!(model_instance::aclmdlRIAbort(model));
    assert_eq!(call!(stream::aclrtSynchronizeStream(runner)), ACL_ERROR_RT_MODEL_ABORT_NORMAL);
}

#[test]
fn a_label_is_set_once_and_is_in_one_list() {
    let _world = world();
    let ((_model, part), internal) = (model(), ACL_ERROR_RT_INTERNAL_ERROR);
    let mut both = [label(), label()];
    set(both[0], part);
    fails!(internal, "set once", kernel::aclrtSetLabel(both[0], part));
    let first = list(&mut both);
    let mut second = aclrtLabelList::NULL;
    fails!(internal, "one list at most", kernel::aclrtCreateLabelList(both.as_mut_ptr(), 2, &mut second));
    ok!(kernel::aclrtDestroyLabelList(first));
    list(&mut both);
    let gone = both[1];
    ok!(kernel::aclrtDestroyLabel(gone));
    let unknown = ACL_ERROR_RT_INVALID_HANDLE;
    fails!(unknown, "live label", kernel::aclrtSetLabel(gone, part));
    fails!(unknown, "live label", kernel::aclrtCreateLabelList(both.as_mut_ptr(), 2, &mut second));
}

#[test]
fn switches_refuse_what_makes_no_sense() {
    let _world = world();
    let ((model, part), ordinary, index) = (model(), stream(), device_memory(4));
    let mut labels = [label(), label()];
    let list = list(&mut labels);
    let (outside, refused) = (ACL_ERROR_RT_STREAM_MODEL, ACL_ERROR_RT_PARAM_INVALID);
    fails!(outside, "aclmdlRIBindStream", kernel::aclrtSetLabel(label(), ordinary));
    fails!(outside, "no model", kernel::aclrtSwitchLabelByIndex(index, 2, list, ordinary));
    fails!(refused, "at least 1", kernel::aclrtSwitchLabelByIndex(index, 0, list, part));
    fails!(refused, "no memory of a device", kernel::aclrtSwitchLabelByIndex(pinned(&[0; 4]), 2, list, part));
    fails!(outside, "not bound to the model", kernel::aclrtActiveStream(persistent(), part));
    // More labels than the list has are a mistake that only the run can see.
    switch(index, 3, list, part);
    set(labels[0], part);
    complete(model, part);
    let execute = ACL_ERROR_RT_MODEL_EXECUTE;
    put(index, &[2]);
    fails!(execute, "the list has 2 labels", model_instance::aclmdlRIExecute(model, -1));
    put(index, &[1]);
    fails!(execute, "set on no stream", model_instance::aclmdlRIExecute(model, -1));
    put(index, &[0]);
    run(model);
}

#[test]
fn a_comparison_of_two_values_starts_a_stream() {
    let _world = world();
    const LESS: aclrtCondition = aclrtCondition::ACL_RT_LESS;
    const NARROW: aclrtCompareDataType = aclrtCompareDataType::ACL_RT_SWITCH_INT32;
    let ((model, part), other, values, log) = (model(), persistent(), device_memory(8), Log::default());
    let right = values.wrapping_byte_add(4);
    bind(model, other, LATER);
    log.add(other, 2);
    ok!(model_instance::aclmdlRIEndTask(model, other));
    log.add(part, 1);
    let null = aclrtStream::NULL;
    ok!(kernel::aclrtSwitchStream(values, LESS, right, NARROW, other, null, part));
    complete(model, part);
    for (pair, ran) in [([1, 2], vec![1, 2]), ([2, 2], vec![1]), ([-3, 2], vec![1, 2]), ([2, -3], vec![1])] {
        put(values, &pair);
        run(model);
        assert_eq!(log.take(), ran, "{pair:?}");
    }
    let invalid = ACL_ERROR_INVALID_PARAM;
    fails!(invalid, "reserved", kernel::aclrtSwitchStream(values, LESS, right, NARROW, other, other, part));
    fails!(invalid, "no model", kernel::aclrtSwitchStream(values, LESS, right, NARROW, other, null, stream()));
    let nonsense = aclrtCondition(77);
    let refused = ACL_ERROR_RT_PARAM_INVALID;
    fails!(refused, "no condition 77", kernel::aclrtSwitchStream(values, nonsense, right, NARROW, other, null, part));
}

#[test]
fn a_process_has_so_many_labels_and_a_fresh_start_takes_them_all() {
    let first = world();
    (0..65_535).for_each(|_| {
        label();
    });
    let mut none = aclrtLabel::NULL;
    fails!(ACL_ERROR_RT_INTERNAL_ERROR, "65535 labels", kernel::aclrtCreateLabel(&mut none));
    drop(first);
    let _world = world();
    label();
}
