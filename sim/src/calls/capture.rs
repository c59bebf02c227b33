//! Capturing the work of streams, and running what was captured.

use super::{deadline, wanted};
use crate::abi::{HostCallback, InOut, Opaque, Out, Text};
use crate::failure::{Answer, Failure};
use crate::machine::capture::{self, Instance};
use crate::machine::{current_context, submission_stream, waiting_stream};
use ascendcl_sys::types::*;
use core::ffi::c_char;

pub(crate) fn aclmdlRICaptureBegin(stream: aclrtStream, mode: aclmdlRICaptureMode) -> Answer {
    named(stream)?;
    known_mode(mode)?;
    capture::begin(&submission_stream(stream)?, mode)
}

pub(crate) fn aclmdlRICaptureEnd(stream: aclrtStream, mut model_ri: Out<'_, aclmdlRI>) -> Answer {
    named(stream)?;
    if model_ri.is_null() {
        return Err(Failure::refused("there is no place for the model instance: the pointer is null"));
    }
    model_ri.set(aclmdlRI::NULL);
    model_ri.set(handle(capture::end(&submission_stream(stream)?)?));
    Ok(())
}

/// The instance is null while nothing is captured.
pub(crate) fn aclmdlRICaptureGetInfo(
    stream: aclrtStream,
    mut status: Out<'_, aclmdlRICaptureStatus>,
    mut model_ri: Out<'_, aclmdlRI>,
) -> Answer {
    named(stream)?;
    if model_ri.is_null() {
        wanted(&status)?;
    }
    let (found, number) = match capture::status(&*waiting_stream(stream)?) {
        None => (aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_NONE, None),
        Some((number, true)) => (aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE, Some(number)),
        Some((number, false)) => (aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED, Some(number)),
    };
    status.set(found);
    model_ri.set(number.map_or(aclmdlRI::NULL, handle));
    Ok(())
}

/// Sets whose captures this thread respects, and answers what held before.
pub(crate) fn aclmdlRICaptureThreadExchangeMode(mut mode: InOut<'_, aclmdlRICaptureMode>) -> Answer {
    let exchange = |mode| known_mode(mode).map(|()| capture::exchange_mode(mode));
    mode.replace(exchange).unwrap_or_else(|| Err(Failure::invalid("the mode is null")))
}

pub(crate) fn aclmdlRICaptureTaskGrpBegin(stream: aclrtStream) -> Answer {
    named(stream)?;
    capture::begin_group(&*submission_stream(stream)?)
}

pub(crate) fn aclmdlRICaptureTaskGrpEnd(stream: aclrtStream, mut handle: Out<'_, aclrtTaskGrp>) -> Answer {
    named(stream)?;
    wanted(&handle)?;
    handle.set(capture::end_group(&*submission_stream(stream)?)?);
    Ok(())
}

pub(crate) fn aclmdlRICaptureTaskUpdateBegin(stream: aclrtStream, handle: aclrtTaskGrp) -> Answer {
    named(stream)?;
    if handle.is_null() {
        return Err(Failure::invalid("the task group is null"));
    }
    capture::begin_update(&submission_stream(stream)?, handle)
}

pub(crate) fn aclmdlRICaptureTaskUpdateEnd(stream: aclrtStream) -> Answer {
    named(stream)?;
    capture::end_update(&submission_stream(stream)?)
}

pub(crate) fn aclmdlRIExecuteAsync(model_ri: aclmdlRI, stream: aclrtStream) -> Answer {
    let instance = capture::find(model_ri)?;
    instance.submit(&submission_stream(stream)?).map(drop)
}

/// Runs it apart from the program's streams, and waits for the end.
pub(crate) fn aclmdlRIExecute(model_ri: aclmdlRI, timeout: i32) -> Answer {
    let deadline = deadline(timeout)?;
    let instance = capture::find(model_ri)?;
    let context = current_context()?;
    instance.execute(&context, deadline)
}

pub(crate) fn aclmdlRIDestroy(model_ri: aclmdlRI) -> Answer {
    capture::remove(model_ri)
}

pub(crate) fn aclmdlRIDestroyRegisterCallback(model_ri: aclmdlRI, func: aclrtCallback, user_data: Opaque) -> Answer {
    let func = func.ok_or_else(|| Failure::refused("the callback is null"))?;
    capture::register(model_ri, HostCallback::new(func, user_data))
}

pub(crate) fn aclmdlRIDestroyUnregisterCallback(model_ri: aclmdlRI, func: aclrtCallback) -> Answer {
    let func = func.ok_or_else(|| Failure::refused("the callback is null"))?;
    if capture::find(model_ri)?.unregister(|callback| callback.calls(func)) {
        return Ok(());
    }
    Err(Failure::refused("the callback is not registered with this model instance"))
}

pub(crate) fn aclmdlRIGetId(model_ri: aclmdlRI, mut model_ri_id: Out<'_, u32>) -> Answer {
    wanted(&model_ri_id)?;
    model_ri_id.set(capture::find(model_ri)?.id());
    Ok(())
}

pub(crate) fn aclmdlRISetName(model_ri: aclmdlRI, name: Text<'_>) -> Answer {
    let name = name.get().ok_or_else(|| Failure::invalid("the name is null"))?;
    capture::find(model_ri)?.rename(&name);
    Ok(())
}

/// The name with its terminating zero has to fit (107039).
pub(crate) fn aclmdlRIGetName(model_ri: aclmdlRI, max_len: u32, mut name: Out<'_, c_char>) -> Answer {
    wanted(&name)?;
    let found = Instance::name(&*capture::find(model_ri)?);
    super::store_text(&mut name, &found, max_len as usize)
}

/// The default stream, which null names elsewhere, is not captured.
fn named(stream: aclrtStream) -> Answer {
    if stream.is_null() {
        Err(Failure::invalid("the stream is null, and the default one is not captured"))
    } else {
        Ok(())
    }
}

fn known_mode(mode: aclmdlRICaptureMode) -> Answer {
    if mode > aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED {
        return Err(Failure::refused(format!("there is no capture mode {}", mode.0)));
    }
    Ok(())
}

fn handle(number: usize) -> aclmdlRI {
    aclmdlRI(core::ptr::without_provenance_mut(number))
}
