//! Conditional tasks of captured models. This device has none, so that no handle ever names a condition, and no model is the
//! body of such a task.

use super::wanted;
use crate::abi::Out;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::named::Named;
use crate::machine::instances;
use ascendcl_sys::types::*;

pub(crate) fn aclmdlRICondHandleCreate(
    model_ri: aclmdlRI,
    _default_launch_value: u32,
    flag: aclmdlRICondHandleFlag,
    handle: Out<'_, aclmdlRICondHandle>,
) -> Answer {
    if model_ri.is_null() {
        return Err(Failure::invalid("the model instance is null"));
    }
    wanted(&handle)?;
    if flag > aclmdlRICondHandleFlag::ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT {
        return Err(Failure::refused(format!("there is no condition with the flag {}", flag.0)));
    }
    instances::find(model_ri)?.of_current_context()?;
    Err(Failure::unsupported("this device has no conditional tasks"))
}

pub(crate) fn aclmdlRICondHandleGetCondPtr(_handle: aclmdlRICondHandle, _ptr: Out<'_, *mut u64>) -> Answer {
    Err(Failure::invalid("this is not the handle of a condition"))
}

pub(crate) fn aclmdlRIAddCondTask(_params: aclmdlRICondTaskParams, stream: aclrtStream, _flags: u32) -> Answer {
    Named::find(stream)?.for_work()?;
    Err(Failure::refused("the parameters name no condition"))
}

pub(crate) fn aclmdlRICaptureToModelRIBegin(
    stream: aclrtStream,
    model_ri: aclmdlRI,
    _mode: aclmdlRICaptureMode,
) -> Answer {
    let stream = Named::find(stream)?;
    if model_ri.is_null() {
        return Err(Failure::invalid("the model instance is null"));
    }
    instances::find(model_ri)?;
    stream.for_work()?;
    Err(Failure::refused("the model instance is not the body of a conditional task"))
}
