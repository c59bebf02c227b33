//! Conditional tasks of captured models. As measured, this device has none; the manual's word (`documented`) has them.

use super::capture::{can_be_captured, known_mode, named, not_default};
use super::wanted;
use crate::abi::{Address, Out};
use crate::config;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use crate::machine::recording::conditions::{find_body, find_condition};
use crate::machine::{capture, instances};
use ascendcl_sys::types::*;

pub(crate) fn aclmdlRICondHandleCreate(
    model_ri: aclmdlRI,
    default_launch_value: u32,
    flag: aclmdlRICondHandleFlag,
    mut handle: Out<'_, aclmdlRICondHandle>,
) -> Answer {
    if model_ri.is_null() {
        return Err(Failure::invalid("the model instance is null"));
    }
    wanted(&handle)?;
    if flag > aclmdlRICondHandleFlag::ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT {
        return Err(Failure::refused(format!("there is no condition with the flag {}", flag.0)));
    }
    let is_captured = capture::is_capturing(model_ri.0.addr());
    if !is_captured {
        instances::find(model_ri)?.of_current_context()?;
    }
    if !config::is_documented() {
        return Err(Failure::unsupported(
            "this device has no conditional tasks; the manual's word (`documented`) has them",
        ));
    }
    current_context()?;
    let assigns = flag == aclmdlRICondHandleFlag::ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT;
    let first = assigns.then_some(default_launch_value.into());
    let made = capture::add_condition(model_ri.0.addr(), first);
    let made =
        made.ok_or_else(|| Failure::refused("the capture of the model instance has ended; conditions come before"))?;
    handle.set(made?.handle());
    Ok(())
}

pub(crate) fn aclmdlRICondHandleGetCondPtr(handle: aclmdlRICondHandle, mut ptr: Out<'_, *mut u64>) -> Answer {
    if handle.is_null() {
        return Err(Failure::invalid("the condition is null"));
    }
    wanted(&ptr)?;
    let condition = find_condition(handle).ok_or_else(|| Failure::unknown("condition"))?;
    ptr.set(condition.address().pointer().cast());
    Ok(())
}

/// Stores one body for each branch: one or two of an if, one of a loop, any number of a switch.
pub(crate) fn aclmdlRIAddCondTask(params: aclmdlRICondTaskParams, stream: aclrtStream, flags: u32) -> Answer {
    named(stream)?;
    let stream = Named::find(stream)?;
    let (kind, count) = (params.kind, params.size);
    if kind > aclmdlRICondTaskType::ACL_MODEL_RI_COND_TYPE_SWITCH || count == 0 || flags != 0 {
        let text = format!("there is no conditional task of kind {} with {count} bodies and flags {flags}", kind.0);
        return Err(Failure::refused(text));
    }
    let condition =
        find_condition(params.handle).ok_or_else(|| Failure::refused("the parameters name no condition"))?;
    let places = Address::of_array(params.modelRIArray);
    if places.is_null() {
        return Err(Failure::refused("there is no place for the bodies: the array is null"));
    }
    condition.check_no_task()?;
    let stream = stream.for_work()?;
    for (at, body) in capture::add_task(&stream, condition, kind, count as usize)?.into_iter().enumerate() {
        places.offset(at * size_of::<aclmdlRI>()).write(&body.0.addr().to_ne_bytes());
    }
    Ok(())
}

pub(crate) fn aclmdlRICaptureToModelRIBegin(
    stream: aclrtStream,
    model_ri: aclmdlRI,
    mode: aclmdlRICaptureMode,
) -> Answer {
    named(stream)?;
    if model_ri.is_null() {
        return Err(Failure::invalid("the model instance is null"));
    }
    let stream = Named::find(stream)?;
    let body = find_body(model_ri);
    if body.is_none() {
        instances::find(model_ri)?;
    }
    known_mode(mode)?;
    can_be_captured(&stream)?;
    let body = body.ok_or_else(|| Failure::refused("the model instance is not the body of a conditional task"))?;
    capture::begin_body(model_ri.0.addr(), &body, &not_default(stream.for_work()?)?, mode)
}
