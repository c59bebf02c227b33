//! Streams that are created by a list of settings.

use super::model::Value;
use super::stream::create_with;
use crate::abi::{Address, Name, Out};
use crate::failure::{Answer, Failure};
use crate::machine::models::lent;
use crate::machine::streams::stream_settings::{self as settings, StreamSettings};
use ascendcl_sys::types::*;

pub(crate) fn aclrtCreateStreamConfigHandle() -> Option<Name<aclrtStreamConfigHandle>> {
    Some(settings::create())
}

pub(crate) fn aclrtDestroyStreamConfigHandle(handle: Name<aclrtStreamConfigHandle>) -> Answer {
    settings::destroy(handle)
}

pub(crate) fn aclrtSetStreamConfigOpt(
    handle: Name<aclrtStreamConfigHandle>,
    attr: aclrtStreamConfigAttr,
    attr_value: Address,
    value_size: usize,
) -> Answer {
    if attr_value.is_null() {
        return Err(Failure::invalid("the value is null"));
    }
    let mut changed = settings::find(handle)?;
    let value = Value { start: attr_value, bytes: value_size };
    match attr {
        aclrtStreamConfigAttr::ACL_RT_STREAM_FLAG => changed.flags = number(attr_value, value_size)?,
        aclrtStreamConfigAttr::ACL_RT_STREAM_PRIORITY => changed.priority = number(attr_value, value_size)?,
        aclrtStreamConfigAttr::ACL_RT_STREAM_WORK_ADDR_PTR => changed.work.0 = Some(value.address()?),
        aclrtStreamConfigAttr::ACL_RT_STREAM_WORK_SIZE => changed.work.1 = value.number()?,
        other => return Err(Failure::invalid(format!("there is no setting {} of a stream", other.0))),
    }
    settings::change(handle, changed)
}

pub(crate) fn aclrtCreateStreamV2(stream: Out<'_, aclrtStream>, handle: Name<aclrtStreamConfigHandle>) -> Answer {
    let StreamSettings { priority, flags, work } = settings::find(handle)?;
    create_with(stream, priority, flags, lent(work))
}

/// The manual's example has numbers of four bytes, and the structure of the C header one of eight.
fn number(value: Address, size: usize) -> Answer<u32> {
    match size {
        4 => Ok(u32::from_ne_bytes(value.array())),
        8 => u32::try_from(u64::from_ne_bytes(value.array()))
            .map_err(|_| Failure::invalid("the value is larger than 32 bits")),
        _ => Err(Failure::invalid(format!("the value has 4 or 8 bytes, and {size} are given"))),
    }
}
