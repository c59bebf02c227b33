//! Notifies that count. This device has none, so that no handle ever names one.

use crate::abi::{In, Out};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use ascendcl_sys::constants::ACL_NOTIFY_DEFAULT;
use ascendcl_sys::types::*;

pub(crate) fn aclrtCntNotifyCreate(cnt_notify: Out<'_, aclrtCntNotify>, flag: u64) -> Answer {
    if flag != u64::from(ACL_NOTIFY_DEFAULT) {
        return Err(Failure::refused(format!("there is no notify that counts with the flag {flag:#x}")));
    }
    current_context()?;
    if cnt_notify.is_null() {
        return Err(Failure::refused("there is no place for the result: the pointer is null"));
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
    stream: aclrtStream,
    info: In<'_, aclrtCntNotifyRecordInfo>,
) -> Answer {
    check_description(&info)?;
    never_made_on(cnt_notify, stream)
}

pub(crate) fn aclrtCntNotifyWaitWithTimeout(
    cnt_notify: aclrtCntNotify,
    stream: aclrtStream,
    info: In<'_, aclrtCntNotifyWaitInfo>,
) -> Answer {
    check_description(&info)?;
    never_made_on(cnt_notify, stream)
}

pub(crate) fn aclrtCntNotifyReset(cnt_notify: aclrtCntNotify, stream: aclrtStream) -> Answer {
    never_made_on(cnt_notify, stream)
}

fn check_description<T: Copy>(info: &In<'_, T>) -> Answer {
    if info.is_null() { Err(Failure::invalid("there is no description: the pointer is null")) } else { Ok(()) }
}

/// A handle that is unknown comes before one that is null; of two, the notify's comes first.
fn never_made_on(cnt_notify: aclrtCntNotify, stream: aclrtStream) -> Answer {
    if cnt_notify.is_null() {
        Named::find(stream)?;
    }
    never_made(cnt_notify)
}

fn never_made(cnt_notify: aclrtCntNotify) -> Answer {
    if cnt_notify.is_null() {
        return Err(Failure::refused("the notify is null"));
    }
    Err(Failure::unknown("notify that counts"))
}
