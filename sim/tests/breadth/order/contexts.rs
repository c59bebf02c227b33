//! Which calls look for a context behind their arguments, and whether it has to be that of the object.

use super::*;
use crate::labels::label;

const OTHER_INSTANCE: i32 = ACL_ERROR_RT_MODEL_CONTEXT;
const OTHER_LABEL: i32 = ACL_ERROR_RT_LABEL_CONTEXT;

#[test]
fn a_limit_of_operators_whose_step_is_the_devices_needs_a_context() {
    let _world = world();
    let mut microseconds = 7;
    let place: *mut u64 = &mut microseconds;
    check([
        row!(Nowhere, process::aclrtSetOpExecuteTimeOutV2(5, core::ptr::null_mut()) => NULL),
        row!(Nowhere, process::aclrtSetOpExecuteTimeOutV2(5, place) => NO_CONTEXT),
        row!(Nowhere, process::aclrtGetOpTimeOutInterval(place) => NO_CONTEXT),
        row!(Nowhere, process::aclrtSetOpExecuteTimeOut(5) => 0),
        row!(Nowhere, process::aclrtSetOpExecuteTimeOutWithMs(5) => 0),
    ]);
    assert_eq!(microseconds, 7);
    check([
        row!(Other, process::aclrtSetOpExecuteTimeOutV2(5, place) => 0),
        row!(Other, process::aclrtGetOpTimeOutInterval(place) => 0),
    ]);
}

#[test]
fn the_number_of_a_notify_needs_a_context_and_the_abort_of_an_instance_its_own() {
    let _world = world();
    let (mut notify, mut id, captured) = (aclrtNotify::NULL, 0, captured());
    ok!(event::aclrtCreateNotify(&mut notify, 0));
    let place: *mut u32 = &mut id;
    check([
        row!(Nowhere, event::aclrtGetNotifyId(aclrtNotify(core::ptr::without_provenance_mut(8)), place) => DEAD),
        row!(Nowhere, event::aclrtGetNotifyId(notify, place) => NO_CONTEXT),
        row!(Other, event::aclrtGetNotifyId(notify, place) => 0),
        row!(Nowhere, model_instance::aclmdlRIAbort(aclmdlRI::NULL) => REFUSED),
        row!(Nowhere, model_instance::aclmdlRIAbort(captured) => NO_CONTEXT),
        row!(Other, model_instance::aclmdlRIAbort(captured) => OTHER_INSTANCE),
        row!(Own, model_instance::aclmdlRIAbort(captured) => 0),
    ]);
}

#[test]
fn a_label_is_set_and_destroyed_in_its_own_context() {
    let _world = world();
    let (label, stream, dead) = (label(), stream(), dead());
    check([
        row!(Nowhere, kernel::aclrtSetLabel(label, dead) => DEAD),
        row!(Nowhere, kernel::aclrtSetLabel(label, stream) => NO_CONTEXT),
        row!(Other, kernel::aclrtSetLabel(label, stream) => OTHER_LABEL),
        row!(Nowhere, kernel::aclrtDestroyLabel(aclrtLabel::NULL) => NULL),
        row!(Nowhere, kernel::aclrtDestroyLabel(label) => NO_CONTEXT),
        row!(Other, kernel::aclrtDestroyLabel(label) => OTHER_LABEL),
        row!(Own, kernel::aclrtDestroyLabel(label) => 0),
        row!(Other, kernel::aclrtDestroyLabel(label) => DEAD),
    ]);
}

#[test]
fn what_belongs_to_the_work_of_a_stream_is_asked_in_its_context() {
    use aclrtStreamAttr as A;
    let _world = world();
    let (stream, dead, mut flag, mut value) = (stream(), dead(), 0, aclrtStreamAttrValue { reserve: [0; 4] });
    let (flag, value): (*mut u32, *mut aclrtStreamAttrValue) = (&mut flag, &mut value);
    check([
        row!(Nowhere, stream::aclrtGetStreamOverflowSwitch(dead, flag) => DEAD),
        row!(Nowhere, stream::aclrtGetStreamOverflowSwitch(stream, flag) => NO_CONTEXT),
        row!(Other, stream::aclrtGetStreamOverflowSwitch(stream, flag) => OTHER_CONTEXT),
        row!(Own, stream::aclrtGetStreamOverflowSwitch(stream, flag) => 0),
        row!(Own, stream::aclrtGetStreamOverflowSwitch(aclrtStream::NULL, flag) => 0),
    ]);
    for attribute in [A::ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, A::ACL_STREAM_ATTR_USER_CUSTOM_TAG] {
        check([
            row!(Nowhere, stream::aclrtGetStreamAttribute(stream, attribute, value) => NO_CONTEXT),
            row!(Other, stream::aclrtGetStreamAttribute(stream, attribute, value) => OTHER_CONTEXT),
            row!(Own, stream::aclrtGetStreamAttribute(stream, attribute, value) => 0),
        ]);
    }
    let (priority, cache, failure) =
        (A::ACL_STREAM_ATTR_PRIORITY, A::ACL_STREAM_ATTR_CACHE_OP_INFO, A::ACL_STREAM_ATTR_FAILURE_MODE);
    check([
        row!(Nowhere, stream::aclrtGetStreamAttribute(stream, priority, value) => NO_CONTEXT),
        row!(Other, stream::aclrtGetStreamAttribute(stream, priority, value) => 0),
        row!(Nowhere, stream::aclrtSetStreamAttribute(stream, priority, value) => NO_CONTEXT),
        row!(Other, stream::aclrtSetStreamAttribute(stream, priority, value) => 0),
        row!(Nowhere, stream::aclrtGetStreamAttribute(stream, failure, value) => 0),
        row!(Nowhere, stream::aclrtGetStreamAttribute(stream, cache, value) => 0),
        row!(Nowhere, stream::aclrtSetStreamAttribute(stream, cache, value) => 0),
    ]);
}

#[test]
fn that_no_stream_can_be_stopped_is_said_in_any_context() {
    let _world = world();
    let (stream, dead) = (stream(), dead());
    check([
        row!(Nowhere, stream::aclrtStreamStop(dead) => DEAD),
        row!(Nowhere, stream::aclrtStreamStop(stream) => NO_CONTEXT),
        row!(Other, stream::aclrtStreamStop(stream) => UNSUPPORTED),
    ]);
}

#[test]
fn what_the_driver_can_do_is_asked_without_a_context() {
    let _world = world();
    let mut value = 7;
    let place: *mut i32 = &mut value;
    let [scheduler, driver] = [
        aclrtDevFeatureType::ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV,
        aclrtDevFeatureType::ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV,
    ];
    check([
        row!(Nowhere, device::aclrtGetDeviceCapability(0, scheduler, place) => NO_CONTEXT),
        row!(Nowhere, device::aclrtGetDeviceCapability(0, driver, place) => 0),
    ]);
    assert_eq!(value, 0);
}
