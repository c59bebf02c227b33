//! Questions about devices, and objects that this device does not have.

use super::*;
use crate::labels::label;
use ascendcl_sys::constants::*;
use core::ffi::c_void;
use core::ptr::{null, null_mut};

#[test]
fn a_notify_that_counts_has_no_flag_and_a_context_comes_before_its_place() {
    let _world = world();
    let mut notify = aclrtCntNotify::NULL;
    let (place, nothing): (*mut aclrtCntNotify, _) = (&mut notify, null_mut());
    for on in ANYWHERE {
        check([
            row!(on, event::aclrtCntNotifyCreate(place, ACL_NOTIFY_DEVICE_USE_ONLY.into()) => REFUSED),
            row!(on, event::aclrtCntNotifyCreate(nothing, 99) => REFUSED),
        ]);
    }
    check([
        row!(Nowhere, event::aclrtCntNotifyCreate(place, 0) => NO_CONTEXT),
        row!(Nowhere, event::aclrtCntNotifyCreate(nothing, 0) => NO_CONTEXT),
        row!(Own, event::aclrtCntNotifyCreate(nothing, 0) => REFUSED),
        row!(Own, event::aclrtCntNotifyCreate(place, 0) => UNSUPPORTED),
    ]);
}

#[test]
fn work_with_a_notify_that_counts_looks_at_the_description_then_at_both_handles() {
    let _world = world();
    let (stream, dead) = (stream(), dead());
    let (none, unknown) = (aclrtCntNotify::NULL, aclrtCntNotify(bogus()));
    // SAFETY: zeros are a value of every member.
    let (mut record, mut wait): (aclrtCntNotifyRecordInfo, aclrtCntNotifyWaitInfo) = unsafe { core::mem::zeroed() };
    let (record, wait): (*mut aclrtCntNotifyRecordInfo, *mut aclrtCntNotifyWaitInfo) = (&mut record, &mut wait);
    for on in ANYWHERE {
        check([
            row!(on, event::aclrtCntNotifyRecord(none, dead, null_mut()) => NULL),
            row!(on, event::aclrtCntNotifyRecord(unknown, stream, null_mut()) => NULL),
            row!(on, event::aclrtCntNotifyRecord(unknown, stream, record) => DEAD),
            row!(on, event::aclrtCntNotifyRecord(none, dead, record) => DEAD),
            row!(on, event::aclrtCntNotifyRecord(none, stream, record) => REFUSED),
            row!(on, event::aclrtCntNotifyWaitWithTimeout(none, dead, null_mut()) => NULL),
            row!(on, event::aclrtCntNotifyWaitWithTimeout(none, dead, wait) => DEAD),
            row!(on, event::aclrtCntNotifyWaitWithTimeout(none, stream, wait) => REFUSED),
            row!(on, event::aclrtCntNotifyReset(none, dead) => DEAD),
            row!(on, event::aclrtCntNotifyReset(none, stream) => REFUSED),
        ]);
    }
}

/// The AscendCL layer looks at neither.
#[test]
fn a_name_of_a_system_on_chip_and_the_place_of_the_answer_are_the_runtimes_to_refuse() {
    let _world = world();
    let mut fits = 7;
    let place: *mut i32 = &mut fits;
    let (empty, name) = (c"".as_ptr(), c"Ascend910B1".as_ptr());
    for on in ANYWHERE {
        check([
            row!(on, device::aclrtCheckArchCompatibility(null(), place) => REFUSED),
            row!(on, device::aclrtCheckArchCompatibility(name, null_mut()) => REFUSED),
            row!(on, device::aclrtCheckArchCompatibility(empty, place) => REFUSED),
            row!(on, device::aclrtCheckArchCompatibility(name, place) => 0),
        ]);
    }
}

#[test]
fn the_feature_is_looked_at_before_the_device_that_is_asked_for_it() {
    let _world = world();
    let mut value = 7;
    let (place, unknown): (*mut i32, _) = (&mut value, aclrtDevFeatureType(77));
    let known = aclrtDevFeatureType::ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV;
    for on in ANYWHERE {
        check([
            row!(on, device::aclrtGetDeviceCapability(5, unknown, null_mut()) => NULL),
            row!(on, device::aclrtGetDeviceCapability(5, unknown, place) => REFUSED),
            row!(on, device::aclrtGetDeviceCapability(5, known, place) => ACL_ERROR_RT_INVALID_DEVICEID),
        ]);
    }
}

#[test]
fn a_negative_number_of_a_device_is_no_argument_where_the_process_counts() {
    let _world = world();
    let mut id = 7;
    let place: *mut i32 = &mut id;
    for on in ANYWHERE {
        check([
            row!(on, device::aclrtGetLogicDevIdByUserDevId(-1, null_mut()) => NULL),
            row!(on, device::aclrtGetLogicDevIdByUserDevId(-1, place) => REFUSED),
            row!(on, device::aclrtGetUserDevIdByLogicDevId(-1, place) => REFUSED),
            row!(on, device::aclrtGetLogicDevIdByUserDevId(5, place) => ACL_ERROR_RT_INVALID_DEVICEID),
            row!(on, device::aclrtGetUserDevIdByLogicDevId(5, place) => ACL_ERROR_RT_INVALID_DEVICEID),
        ]);
    }
    assert_eq!(id, 7);
}

#[test]
fn labels_and_streams_that_start_each_other_look_for_nulls_before_handles() {
    let _world = world();
    let (dead, stream, mut gone) = (dead(), stream(), label());
    ok!(kernel::aclrtDestroyLabel(gone));
    let (labels, mut list): (*mut aclrtLabel, _) = (&mut gone, aclrtLabelList::NULL);
    let list: *mut aclrtLabelList = &mut list;
    let value = device_memory(8);
    let (equal, narrow) = (aclrtCondition::ACL_RT_EQUAL, aclrtCompareDataType::ACL_RT_SWITCH_INT32);
    let (none, other): (_, *mut c_void) = (aclrtStream::NULL, null_mut());
    let switch = move |left, cond, right, kind, yes, no, on| -> i32 {
        call!(kernel::aclrtSwitchStream(left, cond, right, kind, yes, no, on))
    };
    assert_eq!(switch(value, equal, value, narrow, dead, stream, stream), NULL, "the reserved stream comes first");
    assert_eq!(switch(value, equal, value, narrow, stream, stream, dead), NULL, "the reserved stream comes first");
    assert_eq!(switch(value, equal, other, narrow, dead, none, dead), NULL);
    assert_eq!(switch(value, equal, value, narrow, dead, none, stream), DEAD);
    assert_eq!(switch(value, aclrtCondition(77), value, narrow, stream, none, stream), REFUSED);
    assert_eq!(switch(value, equal, value, aclrtCompareDataType(77), stream, none, stream), REFUSED);
    for on in ANYWHERE {
        check([
            row!(on, kernel::aclrtSetLabel(gone, none) => NULL),
            row!(on, kernel::aclrtSetLabel(gone, stream) => DEAD),
            row!(on, kernel::aclrtCreateLabelList(labels, 0, list) => REFUSED),
            row!(on, kernel::aclrtCreateLabelList(labels, 65_536, list) => REFUSED),
            row!(on, kernel::aclrtCreateLabelList(labels, 1, list) => DEAD),
        ]);
    }
}

#[test]
fn the_stream_of_numbers_by_chance_is_looked_up_before_what_is_drawn() {
    let _world = world();
    let dead = dead();
    // SAFETY: zeros are a value of every member.
    let mut task: aclrtRandomNumTaskInfo = unsafe { core::mem::zeroed() };
    let mut unknown = task;
    unknown.dataType = aclDataType::ACL_STRING;
    let (task, unknown): (*mut aclrtRandomNumTaskInfo, *mut aclrtRandomNumTaskInfo) = (&mut task, &mut unknown);
    for on in ANYWHERE {
        check([
            row!(on, copy::aclrtRandomNumAsync(unknown, dead, null_mut()) => NULL),
            row!(on, copy::aclrtRandomNumAsync(task, dead, null_mut()) => DEAD),
        ]);
    }
}

#[test]
fn tasks_are_dropped_of_a_stream_of_an_instance_alone_whatever_context_is_current() {
    let _world = world();
    let (dead, stream) = (dead(), stream());
    for on in ANYWHERE {
        check([
            row!(on, process::aclrtPersistentTaskClean(aclrtStream::NULL) => REFUSED),
            row!(on, process::aclrtPersistentTaskClean(dead) => DEAD),
            row!(on, process::aclrtPersistentTaskClean(stream) => INTERNAL),
        ]);
    }
}

#[test]
fn a_stream_for_the_devices_own_use_has_no_other_flag_and_priorities_have_a_sign() {
    let _world = world();
    let mut made = aclrtStream::NULL;
    let place: *mut aclrtStream = &mut made;
    let own = ACL_STREAM_DEVICE_USE_ONLY;
    for on in ANYWHERE {
        check([
            row!(on, stream::aclrtCreateStreamWithConfig(place, 0, own | ACL_STREAM_PERSISTENT) => REFUSED),
            row!(on, stream::aclrtCreateStreamWithConfig(place, 0, own | ACL_STREAM_FAST_LAUNCH) => REFUSED),
            row!(on, stream::aclrtCreateStreamWithConfig(place, 0, own | ACL_STREAM_HUGE) => REFUSED),
        ]);
    }
    for (priority, kept) in [(0, 0), (7, 7), (8, 7), (u32::MAX >> 1, 7), (1 << 31, 0), (u32::MAX, 0)] {
        let mut found = 99;
        ok!(stream::aclrtCreateStreamWithConfig(place, priority, 0));
        ok!(stream::aclrtStreamGetPriority(made, &mut found));
        assert_eq!(found, kept, "{priority:#x}");
        ok!(stream::aclrtDestroyStream(made));
    }
}

#[test]
fn the_place_of_a_condition_comes_before_its_handle() {
    let _world = world();
    let (mut found, unknown): (*mut u64, _) = (null_mut(), aclmdlRICondHandle(bogus()));
    let place: *mut *mut u64 = &mut found;
    for on in ANYWHERE {
        check([
            row!(on, model_instance::aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle::NULL, place) => NULL),
            row!(on, model_instance::aclmdlRICondHandleGetCondPtr(unknown, null_mut()) => NULL),
            row!(on, model_instance::aclmdlRICondHandleGetCondPtr(unknown, place) => DEAD),
        ]);
    }
}

#[test]
fn atomic_operations_are_looked_at_behind_the_devices_that_are_asked_for_them() {
    let _world = world();
    let operations = [0, 12, 44, 45].map(aclrtAtomicOperation);
    let (asked, mut found) = (operations.as_ptr(), [7; 4]);
    let place: *mut u32 = found.as_mut_ptr();
    let (nothing, none): (*mut u32, *const aclrtAtomicOperation) = (null_mut(), null());
    let no_device = ACL_ERROR_RT_INVALID_DEVICEID;
    for on in ANYWHERE {
        check([
            row!(on, device::aclrtDeviceGetHostAtomicCapabilities(nothing, asked, 3, 9) => REFUSED),
            row!(on, device::aclrtDeviceGetHostAtomicCapabilities(place, none, 3, 9) => REFUSED),
            row!(on, device::aclrtDeviceGetHostAtomicCapabilities(place, asked, 0, 9) => REFUSED),
            row!(on, device::aclrtDeviceGetHostAtomicCapabilities(place, asked, 4, 9) => no_device),
            row!(on, device::aclrtDeviceGetHostAtomicCapabilities(place, asked, 4, -1) => no_device),
            row!(on, device::aclrtDeviceGetHostAtomicCapabilities(place, asked, 4, 0) => REFUSED),
            row!(on, device::aclrtDeviceGetP2PAtomicCapabilities(place, asked, 0, 9, 9) => REFUSED),
            row!(on, device::aclrtDeviceGetP2PAtomicCapabilities(place, asked, 4, 0, 0) => no_device),
            row!(on, device::aclrtDeviceGetP2PAtomicCapabilities(place, asked, 4, 0, 9) => no_device),
            row!(on, device::aclrtDeviceGetP2PAtomicCapabilities(place, asked, 4, 0, 1) => REFUSED),
            row!(on, device::aclrtDeviceGetP2PAtomicCapabilities(place, asked, 3, 0, 1) => UNSUPPORTED),
        ]);
    }
    assert_eq!(found, [7; 4]);
    ok!(device::aclrtDeviceGetHostAtomicCapabilities(place, asked, 3, 0));
    assert_eq!(found, [0, 0, 0, 7]);
}

#[test]
fn memory_has_no_errors_to_repair() {
    let _world = world();
    let (mut found, mut errors) = (7, [aclrtMemUceInfo { addr: core::ptr::null_mut(), len: 0, reserved: [0; 14] }]);
    let place: *mut usize = &mut found;
    let errors = errors.as_mut_ptr();
    check([
        row!(Own, memory::aclrtGetMemUceInfo(9, core::ptr::null_mut(), 1, place) => NULL),
        row!(Own, memory::aclrtGetMemUceInfo(9, errors, 1, core::ptr::null_mut()) => NULL),
        row!(Own, memory::aclrtGetMemUceInfo(9, errors, 1, place) => ACL_ERROR_RT_INVALID_DEVICEID),
    ]);
    assert_eq!(found, 7);
    check([row!(Nowhere, memory::aclrtGetMemUceInfo(0, errors, 0, place) => 0)]);
    assert_eq!(found, 0);
}
