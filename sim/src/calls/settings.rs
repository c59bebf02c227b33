//! Settings of streams and devices that are kept and can be asked for.

use super::{no_default_stream, wanted};
use crate::abi::{AttributeValue, In, Out};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use crate::machine::device::settings;
use crate::machine::device::{self, Device};
use crate::machine::life::devices;
use crate::machine::streams::refusals::refuse_on;
use crate::machine::streams::stream::Stream;
use crate::machine::streams::{self, stopping};
use ascendcl_sys::constants::*;
use ascendcl_sys::error_codes::ACL_ERROR_RT_DEV_SETUP_ERROR;
use ascendcl_sys::types::*;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

pub(crate) fn aclrtSetStreamFailureMode(stream: aclrtStream, mode: u64) -> Answer {
    set_attribute(stream, aclrtStreamAttr::ACL_STREAM_ATTR_FAILURE_MODE, mode)
}

pub(crate) fn aclrtSetStreamOverflowSwitch(stream: aclrtStream, flag: u32) -> Answer {
    if flag > 1 {
        return Err(Failure::invalid(format!("{flag} is no value of the overflow switch, which is 0 or 1")));
    }
    set_attribute(stream, aclrtStreamAttr::ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, flag.into())
}

pub(crate) fn aclrtGetStreamOverflowSwitch(stream: aclrtStream, mut flag: Out<'_, u32>) -> Answer {
    wanted(&flag)?;
    flag.set(Named::find(stream)?.for_work()?.settings.overflow_check.load(SeqCst));
    Ok(())
}

pub(crate) fn aclrtSetStreamAttribute(
    stream: aclrtStream,
    stm_attr_type: aclrtStreamAttr,
    value: In<'_, aclrtStreamAttrValue>,
) -> Answer {
    let value = value.get().ok_or_else(|| Failure::invalid("the value is null"))?;
    let number = match stm_attr_type {
        aclrtStreamAttr::ACL_STREAM_ATTR_FAILURE_MODE => value.failure_mode(),
        _ => value.word().into(),
    };
    set_attribute(stream, stm_attr_type, number)
}

/// Attribute and value come before a capture, and this before the context.
fn set_attribute(stream: aclrtStream, attribute: aclrtStreamAttr, value: u64) -> Answer {
    let named = Named::find(stream)?;
    if attribute == aclrtStreamAttr::ACL_STREAM_ATTR_FAILURE_MODE {
        return set_failure_mode(named, value);
    }
    let word = u32::try_from(value).ok().filter(|word| match attribute {
        aclrtStreamAttr::ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK | aclrtStreamAttr::ACL_STREAM_ATTR_CACHE_OP_INFO => {
            *word <= 1
        }
        aclrtStreamAttr::ACL_STREAM_ATTR_USER_CUSTOM_TAG | aclrtStreamAttr::ACL_STREAM_ATTR_PRIORITY => true,
        _ => false,
    });
    let refuse = || Failure::refused(format!("{value} is no value of the stream attribute {}", attribute.0));
    let word = word.ok_or_else(refuse)?;
    named_for_priority(&named, attribute)?;
    let of_captured =
        [aclrtStreamAttr::ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, aclrtStreamAttr::ACL_STREAM_ATTR_USER_CUSTOM_TAG];
    if let Some(stream) = named.stream().filter(|_| of_captured.contains(&attribute)) {
        refuse_on(stream, "given this attribute")?;
    }
    let stream = reached_for(named, attribute)?;
    match attribute {
        aclrtStreamAttr::ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK => stream.settings.overflow_check.store(word, SeqCst),
        aclrtStreamAttr::ACL_STREAM_ATTR_CACHE_OP_INFO => stream.settings.cache_operators.store(word, SeqCst),
        aclrtStreamAttr::ACL_STREAM_ATTR_USER_CUSTOM_TAG => stream.settings.tag.store(word, SeqCst),
        // Taken, and without effect: the priority of a stream is chosen when it is created.
        _ => {}
    }
    Ok(())
}

/// Some attributes belong to the work of the stream, and its context has to be current. A priority needs any context, and the
/// other attributes none: to the records of operators null is no stream without one.
fn reached_for(named: Named, attribute: aclrtStreamAttr) -> Answer<Arc<Stream>> {
    match attribute {
        aclrtStreamAttr::ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK | aclrtStreamAttr::ACL_STREAM_ATTR_USER_CUSTOM_TAG => {
            named.for_work()
        }
        aclrtStreamAttr::ACL_STREAM_ATTR_PRIORITY => {
            current_context()?;
            named.in_any_context()
        }
        aclrtStreamAttr::ACL_STREAM_ATTR_CACHE_OP_INFO if named.stream().is_none() && current_context().is_err() => {
            Err(no_default_stream())
        }
        _ => named.in_any_context(),
    }
}

/// Null is not the default stream where a priority is concerned (107000).
fn named_for_priority(named: &Named, attribute: aclrtStreamAttr) -> Answer {
    if attribute == aclrtStreamAttr::ACL_STREAM_ATTR_PRIORITY && named.stream().is_none() {
        return Err(Failure::refused("the stream is null"));
    }
    Ok(())
}

/// The lowest bit says whether the stream stops at failures; the others are not looked at. What holds already is not set
/// again, and what cannot be taken back is refused, whatever context is current.
fn set_failure_mode(named: Named, mode: u64) -> Answer {
    let stop = mode & u64::from(ACL_STOP_ON_FAILURE) != 0;
    if let Some(stream) = named.stream() {
        current_context()?;
        if stream.is_bound() {
            return Err(Failure::unsupported("the stream belongs to a model, and its mode is chosen before that"));
        }
        if stop == stream.settings.stops_at_failure() {
            return Ok(());
        }
        if !stop {
            return stream.settings.stop_at_failure(false);
        }
    }
    let stream = named.for_work()?;
    if stop {
        return stopping::begin(&stream);
    }
    stream.settings.stop_at_failure(false)
}

pub(crate) fn aclrtGetStreamAttribute(
    stream: aclrtStream,
    stm_attr_type: aclrtStreamAttr,
    mut value: Out<'_, aclrtStreamAttrValue>,
) -> Answer {
    wanted(&value)?;
    let named = Named::find(stream)?;
    named_for_priority(&named, stm_attr_type)?;
    let stream = reached_for(named, stm_attr_type)?;
    let settings = &stream.settings;
    let number = match stm_attr_type {
        aclrtStreamAttr::ACL_STREAM_ATTR_FAILURE_MODE => u32::from(settings.stops_at_failure()),
        aclrtStreamAttr::ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK => settings.overflow_check.load(SeqCst),
        aclrtStreamAttr::ACL_STREAM_ATTR_USER_CUSTOM_TAG => settings.tag.load(SeqCst),
        aclrtStreamAttr::ACL_STREAM_ATTR_CACHE_OP_INFO => settings.cache_operators.load(SeqCst),
        aclrtStreamAttr::ACL_STREAM_ATTR_PRIORITY => stream.priority(),
        other => return Err(Failure::refused(format!("there is no stream attribute {}", other.0))),
    };
    value.set(aclrtStreamAttrValue { reserve: [number, 0, 0, 0] });
    Ok(())
}

/// Smaller numbers come first.
pub(crate) fn aclrtDeviceGetStreamPriorityRange(mut least: Out<'_, i32>, mut greatest: Out<'_, i32>) -> Answer {
    const LEAST: i32 = 7;
    least.set(LEAST);
    greatest.set(0);
    Ok(())
}

pub(crate) fn aclrtSetDeviceSatMode(mode: aclrtFloatOverflowMode) -> Answer {
    if mode >= aclrtFloatOverflowMode::ACL_RT_OVERFLOW_MODE_UNDEF {
        return Err(Failure::refused(format!("there is no overflow mode {}", mode.0)));
    }
    settings::choose_overflow_mode(mode);
    Ok(())
}

pub(crate) fn aclrtGetDeviceSatMode(mut mode: Out<'_, aclrtFloatOverflowMode>) -> Answer {
    wanted(&mode)?;
    mode.set(settings::overflow_mode());
    Ok(())
}

pub(crate) fn aclrtSetDeviceResLimit(device_id: i32, kind: aclrtDevResLimitType, value: u32) -> Answer {
    settings::cores(kind)?;
    device_in_use(device_id)?.core_limits().set(kind, value)
}

pub(crate) fn aclrtGetDeviceResLimit(device_id: i32, kind: aclrtDevResLimitType, mut value: Out<'_, u32>) -> Answer {
    wanted(&value)?;
    settings::cores(kind)?;
    value.set(limit_of(&*device_in_use(device_id)?, kind)?);
    Ok(())
}

pub(crate) fn aclrtResetDeviceResLimit(device_id: i32) -> Answer {
    device_in_use(device_id)?.core_limits().reset();
    Ok(())
}

/// A device that a thread has set (507033).
fn device_in_use(device_id: i32) -> Answer<Arc<Device>> {
    let device = device::device(device_id.into())?;
    if !devices::is_set(&device) {
        let text = format!("no thread has set device {device_id}");
        return Err(Failure::new(ACL_ERROR_RT_DEV_SETUP_ERROR, text));
    }
    Ok(device)
}

pub(crate) fn aclrtSetStreamResLimit(stream: aclrtStream, kind: aclrtDevResLimitType, value: u32) -> Answer {
    let named = Named::find(stream)?;
    settings::cores(kind)?;
    named.in_any_context()?.settings.limits.set(kind, value)
}

/// A setting that the stream does not have comes from its device.
pub(crate) fn aclrtGetStreamResLimit(
    stream: aclrtStream,
    kind: aclrtDevResLimitType,
    mut value: Out<'_, u32>,
) -> Answer {
    wanted(&value)?;
    let named = Named::find(stream)?;
    settings::cores(kind)?;
    let stream = named.in_any_context()?;
    value.set(match stream.settings.limits.get(kind)? {
        Some(limit) => limit,
        None => limit_of(stream.device(), kind)?,
    });
    Ok(())
}

pub(crate) fn aclrtResetStreamResLimit(stream: aclrtStream) -> Answer {
    Named::find(stream)?.in_any_context()?.settings.limits.reset();
    Ok(())
}

pub(crate) fn aclrtUseStreamResInCurrentThread(stream: aclrtStream) -> Answer {
    settings::use_stream(Named::find(stream)?.in_any_context()?.number());
    Ok(())
}

pub(crate) fn aclrtUnuseStreamResInCurrentThread(stream: aclrtStream) -> Answer {
    if Named::find(stream)?.in_any_context()?.number() == settings::stream_in_use() {
        settings::use_stream(0);
    }
    Ok(())
}

/// The limit that applies on this thread: that of the stream that it uses, or the device's, for which it needs a context.
pub(crate) fn aclrtGetResInCurrentThread(kind: aclrtDevResLimitType, mut value: Out<'_, u32>) -> Answer {
    wanted(&value)?;
    settings::cores(kind)?;
    let stream = streams::numbered(settings::stream_in_use());
    let own = stream.map(|stream| stream.settings.limits.get(kind)).transpose()?.flatten();
    value.set(match own {
        Some(limit) => limit,
        None => limit_of(current_context()?.device(), kind)?,
    });
    Ok(())
}

fn limit_of(device: &Device, kind: aclrtDevResLimitType) -> Answer<u32> {
    match device.core_limits().get(kind)? {
        Some(limit) => Ok(limit),
        None => settings::cores(kind),
    }
}
