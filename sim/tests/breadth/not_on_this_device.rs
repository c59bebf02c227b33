//! Functions that check their arguments, and then say that this device does not do it.

use crate::capture::{begin, end};
use crate::support::*;
use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ptr::null_mut;

const UNSUPPORTED: i32 = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
const INVALID: i32 = ACL_ERROR_RT_PARAM_INVALID;

#[test]
fn no_notify_that_counts_is_ever_made() {
    let _world = world();
    let (stream, mut notify, mut id) = (stream(), aclrtCntNotify::NULL, 7);
    fails!(UNSUPPORTED, "that count", event::aclrtCntNotifyCreate(&mut notify, 0));
    assert_eq!(notify, aclrtCntNotify::NULL);
    let notify = aclrtCntNotify(bogus());
    fails!(ACL_ERROR_RT_INVALID_HANDLE, "live notify", event::aclrtCntNotifyGetId(notify, &mut id));
    fails!(ACL_ERROR_RT_INVALID_HANDLE, "live notify", event::aclrtCntNotifyReset(notify, stream));
    fails!(ACL_ERROR_RT_INVALID_HANDLE, "live notify", event::aclrtCntNotifyDestroy(notify));
    assert_eq!(id, 7);
    synchronize(stream);
}

#[test]
fn no_condition_is_ever_made_and_a_refused_task_leaves_the_capture_whole() {
    let _world = world();
    let stream = stream();
    begin(stream);
    let params = aclmdlRICondTaskParams {
        handle: aclmdlRICondHandle::NULL,
        kind: aclmdlRICondTaskType::ACL_MODEL_RI_COND_TYPE_IF,
        size: 0,
        modelRIArray: null_mut(),
    };
    fails!(INVALID, "no condition", model_instance::aclmdlRIAddCondTask(params, stream, 0));
    let model = end(stream);
    let mut condition = aclmdlRICondHandle::NULL;
    let flag = aclmdlRICondHandleFlag(0);
    fails!(UNSUPPORTED, "conditional", model_instance::aclmdlRICondHandleCreate(model, 1, flag, &mut condition));
    assert_eq!(condition, aclmdlRICondHandle::NULL);
    ok!(model_instance::aclmdlRIDestroy(model));
    fails!(ACL_ERROR_RT_INVALID_HANDLE, "", model_instance::aclmdlRICondHandleCreate(model, 1, flag, &mut condition));
}
