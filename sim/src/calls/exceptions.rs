//! Hearing of queued work that fails.

use super::wanted;
use crate::abi::{Name, Out};
use crate::failure::{Answer, Failure};
use crate::machine::streams::exceptions::{self, Info};
use crate::machine::thread::last_task;
use ascendcl_sys::types::*;
use core::ffi::c_void;

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

/// Stands for information that is not there. As a code it is -1.
const NO_INFORMATION: u32 = u32::MAX;

/// Information is there for the length of the callback.
fn ask(info: Name<aclrtExceptionInfo>, part: impl FnOnce(Info) -> u32) -> u32 {
    exceptions::find(info).map_or(NO_INFORMATION, part)
}

/// What fails here is no kernel, so that there are no arguments of one (-1).
pub(crate) fn aclrtGetArgsFromExceptionInfo(
    info: Name<aclrtExceptionInfo>,
    dev_args_ptr: Out<'_, *mut c_void>,
    dev_args_len: Out<'_, u32>,
) -> Answer {
    exceptions::find(info).ok_or_else(no_information)?;
    wanted(&dev_args_ptr).and(wanted(&dev_args_len))?;
    Err(no_information())
}

pub(crate) fn aclrtGetFuncHandleFromExceptionInfo(
    info: Name<aclrtExceptionInfo>,
    func: Out<'_, aclrtFuncHandle>,
) -> Answer {
    exceptions::find(info).ok_or_else(no_information)?;
    wanted(&func)?;
    Err(Failure::refused("what failed is no kernel"))
}

fn no_information() -> Failure {
    Failure::new(NO_INFORMATION.cast_signed(), "there is no information about a kernel that failed")
}

/// The task that this thread has queued last, by the number that an exception names it with. Tasks of default streams do not
/// count.
pub(crate) fn aclrtGetThreadLastTaskId(mut task_id: Out<'_, u32>) -> Answer {
    wanted(&task_id)?;
    task_id.set(last_task::last());
    Ok(())
}
