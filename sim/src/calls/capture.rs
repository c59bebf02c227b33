//! Capturing the work of streams, and running what was captured.

use super::wanted;
use crate::abi::{HostCallback, InOut, Opaque, Out, Text};
use crate::failure::{Answer, Failure};
use crate::machine::capture::{self, Instance};
use crate::machine::{Named, current_context, submission_stream};
use ascendcl_sys::types::*;
use core::ffi::c_char;

pub(crate) fn aclmdlRICaptureBegin(stream: aclrtStream, mode: aclmdlRICaptureMode) -> Answer {
    named(stream)?;
    let stream = not_default(Named::find(stream)?)?;
    known_mode(mode)?;
    capture::begin(&stream.for_work()?, mode)
}

pub(crate) fn aclmdlRICaptureEnd(stream: aclrtStream, mut model_ri: Out<'_, aclmdlRI>) -> Answer {
    named(stream)?;
    let stream = not_default(Named::find(stream)?)?.for_work()?;
    if model_ri.is_null() && capture::status(&stream).is_some() {
        return Err(Failure::refused("there is no place for the model instance: the pointer is null"));
    }
    model_ri.set(aclmdlRI::NULL);
    model_ri.set(handle(capture::end(&stream)?));
    Ok(())
}

/// The instance is null while nothing is captured.
pub(crate) fn aclmdlRICaptureGetInfo(
    stream: aclrtStream,
    mut status: Out<'_, aclmdlRICaptureStatus>,
    mut model_ri: Out<'_, aclmdlRI>,
) -> Answer {
    named(stream)?;
    let number = capture::status(&*Named::find(stream)?.in_any_context()?);
    status.set(match number {
        None => aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_NONE,
        Some(_) => aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE,
    });
    model_ri.set(number.map_or(aclmdlRI::NULL, handle));
    Ok(())
}

/// Sets whose captures this thread respects, and answers what held before.
pub(crate) fn aclmdlRICaptureThreadExchangeMode(mut mode: InOut<'_, aclmdlRICaptureMode>) -> Answer {
    let exchange = |mode| {
        known_mode(mode)?;
        current_context()?;
        Ok(capture::exchange_mode(mode))
    };
    mode.replace(exchange).unwrap_or_else(|| Err(Failure::invalid("the mode is null")))
}

pub(crate) fn aclmdlRICaptureTaskGrpBegin(stream: aclrtStream) -> Answer {
    named(stream)?;
    capture::begin_group(&*Named::find(stream)?.in_any_context()?)
}

pub(crate) fn aclmdlRICaptureTaskGrpEnd(stream: aclrtStream, mut handle: Out<'_, aclrtTaskGrp>) -> Answer {
    named(stream)?;
    wanted(&handle)?;
    handle.set(aclrtTaskGrp::NULL);
    handle.set(capture::end_group(&*Named::find(stream)?.in_any_context()?)?);
    Ok(())
}

pub(crate) fn aclmdlRICaptureTaskUpdateBegin(stream: aclrtStream, handle: aclrtTaskGrp) -> Answer {
    named(stream)?;
    let stream = Named::find(stream)?;
    if handle.is_null() {
        return Err(Failure::invalid("the task group is null"));
    }
    capture::begin_update(&stream.for_work()?, handle)
}

pub(crate) fn aclmdlRICaptureTaskUpdateEnd(stream: aclrtStream) -> Answer {
    named(stream)?;
    capture::end_update(&submission_stream(stream)?)
}

pub(crate) fn aclmdlRIExecuteAsync(model_ri: aclmdlRI, stream: aclrtStream) -> Answer {
    not_null(model_ri)?;
    let named = Named::find(stream)?;
    if let Some(stream) = named.stream() {
        capture::refuse_on(stream, "given a model instance to run")?;
    }
    let instance = capture::find(model_ri)?;
    let stream = named.in_any_context()?;
    instance.of_current_context()?;
    if stream.context() != current_context()?.id() {
        return Err(Failure::other_context("stream"));
    }
    instance.submit(&stream)
}

/// A model instance that was captured runs on a stream of the program's alone.
pub(crate) fn aclmdlRIExecute(model_ri: aclmdlRI, _timeout: i32) -> Answer {
    not_null(model_ri)?;
    capture::find(model_ri)?;
    Err(Failure::refused("a model instance that was captured is run by aclmdlRIExecuteAsync"))
}

/// There is nothing to break off: what was captured runs on a stream of the program's.
pub(crate) fn aclmdlRIAbort(model_ri: aclmdlRI) -> Answer {
    if model_ri.is_null() {
        return Err(Failure::refused("the model instance is null"));
    }
    capture::find(model_ri).map(drop)
}

/// Says on the standard output what an instance has.
pub(crate) fn aclmdlRIDebugPrint(model_ri: aclmdlRI) -> Answer {
    not_null(model_ri)?;
    println!("{}", capture::describe(model_ri)?);
    Ok(())
}

/// Writes what an instance has to a file, as JSON. It may still be captured.
pub(crate) fn aclmdlRIDebugJsonPrint(model_ri: aclmdlRI, path: Text<'_>, _flags: u32) -> Answer {
    not_null(model_ri)?;
    let path = path.get().ok_or_else(|| Failure::invalid("the path is null"))?;
    let text = capture::describe(model_ri)?;
    std::fs::write(&*path, text).map_err(|error| Failure::refused(format!("{path} cannot be written: {error}")))
}

pub(crate) fn aclmdlRIDestroy(model_ri: aclmdlRI) -> Answer {
    capture::remove(model_ri)
}

pub(crate) fn aclmdlRIDestroyRegisterCallback(model_ri: aclmdlRI, func: aclrtCallback, user_data: Opaque) -> Answer {
    let func = callback_of(model_ri, func)?;
    let instance = capture::find(model_ri)?;
    if instance.is_registered(|callback| callback.calls(func)) {
        return Err(Failure::refused("the callback is registered with this model instance already"));
    }
    capture::register(model_ri, HostCallback::new(func, user_data))
}

pub(crate) fn aclmdlRIDestroyUnregisterCallback(model_ri: aclmdlRI, func: aclrtCallback) -> Answer {
    let func = callback_of(model_ri, func)?;
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
    let instance = capture::find(model_ri)?;
    instance.of_current_context()?;
    instance.rename(&name);
    Ok(())
}

/// The name with its terminating zero has to fit (107039).
pub(crate) fn aclmdlRIGetName(model_ri: aclmdlRI, max_len: u32, mut name: Out<'_, c_char>) -> Answer {
    wanted(&name)?;
    let instance = capture::find(model_ri)?;
    instance.of_current_context()?;
    let found = Instance::name(&instance);
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

/// The same for the default stream by its own handle, which is another code.
fn not_default(stream: Named) -> Answer<Named> {
    if stream.stream().is_some_and(|stream| stream.is_default()) {
        return Err(Failure::unsupported("the default stream is not captured"));
    }
    Ok(stream)
}

/// The calls about callbacks have another code for what is null (107000).
fn callback_of<F>(model_ri: aclmdlRI, func: Option<F>) -> Answer<F> {
    let func = func.filter(|_| !model_ri.is_null());
    func.ok_or_else(|| Failure::refused("the model instance or the callback is null"))
}

fn not_null(model_ri: aclmdlRI) -> Answer {
    if model_ri.is_null() { Err(Failure::invalid("the model instance is null")) } else { Ok(()) }
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
