//! Notifies that count. This device has none, so that no handle ever names one.

use crate::abi::{In, Out};
use crate::failure::{Answer, Failure};
use ascendcl_sys::constants::*;
use ascendcl_sys::types::*;

pub(crate) fn aclrtCntNotifyCreate(cnt_notify: Out<'_, aclrtCntNotify>, flag: u64) -> Answer {
    if cnt_notify.is_null() {
        return Err(Failure::refused("there is no place for the result: the pointer is null"));
    }
    if flag != u64::from(ACL_NOTIFY_DEFAULT) && flag != u64::from(ACL_NOTIFY_DEVICE_USE_ONLY) {
        return Err(Failure::refused(format!("there is no notify with the flag {flag:#x}")));
    }
    Err(Failure::unsupported("this device has no notifies that count"))
}

pub(crate) fn aclrtCntNotifyDestroy(cnt_notify: aclrtCntNotify) -> Answer {
    never_made(cnt_notify)
}

pub(crate) fn aclrtCntNotifyGetId(cnt_notify: aclrtCntNotify, _notify_id: Out<'_, u32>) -> Answer {
    never_made(cnt_notify)
}

pub(crate) fn aclrtCntNotifyRecord(
    cnt_notify: aclrtCntNotify,
    _stream: aclrtStream,
    _info: In<'_, aclrtCntNotifyRecordInfo>,
) -> Answer {
    never_made(cnt_notify)
}

pub(crate) fn aclrtCntNotifyWaitWithTimeout(
    cnt_notify: aclrtCntNotify,
    _stream: aclrtStream,
    _info: In<'_, aclrtCntNotifyWaitInfo>,
) -> Answer {
    never_made(cnt_notify)
}

pub(crate) fn aclrtCntNotifyReset(cnt_notify: aclrtCntNotify, _stream: aclrtStream) -> Answer {
    never_made(cnt_notify)
}

fn never_made(cnt_notify: aclrtCntNotify) -> Answer {
    if cnt_notify.is_null() {
        return Err(Failure::refused("the notify is null"));
    }
    Err(Failure::unknown("notify that counts"))
}
