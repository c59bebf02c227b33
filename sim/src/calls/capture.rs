//! Capturing the work of streams.

use super::{instance_handle, wanted};
use crate::abi::{InOut, Out};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::{Named, submission_stream};
use crate::machine::recording::conditions::{complete_body, is_body};
use crate::machine::{capture, instances};
use ascendcl_sys::types::*;

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
    capture::begin_update(&stream.for_work()?, handle)
}

pub(crate) fn aclmdlRICaptureTaskUpdateEnd(stream: aclrtStream) -> Answer {
    named(stream)?;
    capture::end_update(&submission_stream(stream)?)
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
pub(super) fn not_default(stream: Named) -> Answer<Named> {
    if stream.stream().is_some_and(|stream| stream.is_default()) {
        return Err(capture::of_the_default_stream(Failure::unsupported("the default stream is not captured")));
    }
    Ok(stream)
}

pub(super) fn known_mode(mode: aclmdlRICaptureMode) -> Answer {
    if mode > aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED {
        return Err(Failure::refused(format!("there is no capture mode {}", mode.0)));
    }
    Ok(())
}
