//! Hearing of queued work that fails.

use super::wanted;
use crate::abi::{Name, Out};
use crate::failure::{Answer, Failure};
use crate::machine::streams::exceptions::{self, Info};
use crate::machine::thread::last_task;
use ascendcl_sys::types::*;

/// Null removes the functions that were set here.
pub(crate) fn aclrtSetExceptionInfoCallback(callback: aclrtExceptionInfoCallback) -> Answer {
    exceptions::set(callback);
    Ok(())
}

pub(crate) fn aclrtExceptionInfoCallbackRegister(callback: aclrtExceptionInfoCallback) -> Answer {
    exceptions::register(callback.ok_or_else(callback_is_null)?);
    Ok(())
}

/// Removing a function that is not registered succeeds.
pub(crate) fn aclrtExceptionInfoCallbackUnregister(callback: aclrtExceptionInfoCallback) -> Answer {
    exceptions::unregister(callback.ok_or_else(callback_is_null)?);
    Ok(())
}

fn callback_is_null() -> Failure {
    Failure::refused("the callback is null")
}

pub(crate) fn aclrtGetTaskIdFromExceptionInfo(info: Name<aclrtExceptionInfo>) -> u32 {
    ask(info, |info| info.task)
}

pub(crate) fn aclrtGetStreamIdFromExceptionInfo(info: Name<aclrtExceptionInfo>) -> u32 {
    ask(info, |info| info.stream)
}

pub(crate) fn aclrtGetThreadIdFromExceptionInfo(info: Name<aclrtExceptionInfo>) -> u32 {
    ask(info, |info| info.thread)
}

pub(crate) fn aclrtGetDeviceIdFromExceptionInfo(info: Name<aclrtExceptionInfo>) -> u32 {
    ask(info, |info| info.device)
}

pub(crate) fn aclrtGetErrorCodeFromExceptionInfo(info: Name<aclrtExceptionInfo>) -> u32 {
    ask(info, |info| info.code)
}

/// Information is there for the length of the callback; the largest number stands for none.
fn ask(info: Name<aclrtExceptionInfo>, part: impl FnOnce(Info) -> u32) -> u32 {
    exceptions::find(info).map_or(u32::MAX, part)
}

/// The task that this thread has queued last, by the number that an exception names it with. Tasks of default streams do not
/// count.
pub(crate) fn aclrtGetThreadLastTaskId(mut task_id: Out<'_, u32>) -> Answer {
    wanted(&task_id)?;
    task_id.set(last_task::last());
    Ok(())
}
