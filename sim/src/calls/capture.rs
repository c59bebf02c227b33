//! Capturing the work of streams.

use super::{instance_handle, wanted};
use crate::abi::{InOut, Out};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use crate::machine::recording::conditions::{complete_body, is_body};
use crate::machine::streams::refusals::{refuse_bound, refuse_on};
use crate::machine::streams::stream::Stream;
use crate::machine::{capture, instances};
use ascendcl_sys::constants::ACL_STREAM_CPU_SCHEDULE;
use ascendcl_sys::error_codes::ACL_ERROR_RT_INTERNAL_ERROR;
use ascendcl_sys::types::*;
use std::sync::Arc;

pub(crate) fn aclmdlRICaptureBegin(stream: aclrtStream, mode: aclmdlRICaptureMode) -> Answer {
    named(stream)?;
    let stream = Named::find(stream)?;
    known_mode(mode)?;
    can_be_captured(&stream)?;
    capture::begin(&not_default(stream.for_work()?)?, mode)
}

pub(crate) fn aclmdlRICaptureEnd(stream: aclrtStream, mut model_ri: Out<'_, aclmdlRI>) -> Answer {
    named(stream)?;
    let stream = Named::find(stream)?;
    can_be_captured(&stream)?;
    if model_ri.is_null() && stream.stream().is_some_and(|stream| capture::status(stream).is_some()) {
        return Err(Failure::refused("there is no place for the model instance: the pointer is null"));
    }
    let stream = stream.for_work()?;
    refuse_bound(&stream, "captured")?;
    let stream = not_default(stream)?;
    model_ri.set(aclmdlRI::NULL);
    let captured = capture::end(&stream)?;
    let number = captured.number();
    match is_body(number) {
        true => complete_body(captured),
        false => drop(instances::add_captured(captured)),
    }
    model_ri.set(instance_handle(number));
    Ok(())
}

/// The instance is null while nothing is captured.
pub(crate) fn aclmdlRICaptureGetInfo(
    stream: aclrtStream,
    mut status: Out<'_, aclmdlRICaptureStatus>,
    mut model_ri: Out<'_, aclmdlRI>,
) -> Answer {
    named(stream)?;
    if status.is_null() && model_ri.is_null() {
        return Err(Failure::invalid("there is no place for the status, and none for the model instance"));
    }
    let number = capture::status(&*Named::find(stream)?.in_any_context()?);
    status.set(match number {
        None => aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_NONE,
        Some(_) => aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE,
    });
    model_ri.set(number.map_or(aclmdlRI::NULL, instance_handle));
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
    capture::begin_update(&updating(stream)?, handle)
}

pub(crate) fn aclmdlRICaptureTaskUpdateEnd(stream: aclrtStream) -> Answer {
    named(stream)?;
    capture::end_update(&updating(Named::find(stream)?)?)
}

/// The stream of an update's begin or end: neither captured nor part of an instance, which is looked at before the context.
fn updating(stream: Named) -> Answer<Arc<Stream>> {
    if let Some(stream) = stream.stream() {
        refuse_on(stream, "given new work for a task group")?;
        refuse_bound(stream, "given new work for a task group")?;
    }
    stream.for_work()
}

/// The default stream, which null names elsewhere, is not captured.
pub(super) fn named(stream: aclrtStream) -> Answer {
    if stream.is_null() {
        Err(capture::of_the_default_stream(Failure::invalid("the stream is null, and the default one is not captured")))
    } else {
        Ok(())
    }
}

/// The same for the default stream by its own handle, which is another code.
pub(super) fn not_default(stream: Arc<Stream>) -> Answer<Arc<Stream>> {
    if stream.is_default() {
        return Err(capture::of_the_default_stream(Failure::unsupported("the default stream is not captured")));
    }
    Ok(stream)
}

/// The flags of the stream allow it (507000), which is looked at before the context.
pub(super) fn can_be_captured(stream: &Named) -> Answer {
    if stream.stream().is_some_and(|stream| stream.flags() & ACL_STREAM_CPU_SCHEDULE != 0) {
        let text = "a stream that a processor of the device schedules cannot be captured";
        return Err(Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, text));
    }
    Ok(())
}

pub(super) fn known_mode(mode: aclmdlRICaptureMode) -> Answer {
    if mode > aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED {
        return Err(Failure::refused(format!("there is no capture mode {}", mode.0)));
    }
    Ok(())
}
