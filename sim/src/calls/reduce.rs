//! Copies that combine what they carry with what is at the destination.

use super::memory::is_somewhere;
use crate::abi::Address;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::named::Named;
use crate::machine::host::reduce::{Element, Way};
use crate::machine::memory::hold;
use crate::machine::watch;
use ascendcl_rules::{COPY_01, Op, Place, Role};
use ascendcl_sys::types::*;

/// `count` is in bytes.
pub(crate) fn aclrtReduceAsync(
    dst: Address,
    src: Address,
    count: u64,
    kind: aclrtReduceKind,
    data_type: aclDataType,
    stream: aclrtStream,
    reserve: Address,
) -> Answer {
    is_somewhere(dst, COPY_01).and(is_somewhere(src, COPY_01))?;
    if !reserve.is_null() {
        return Err(Failure::invalid("the reserved argument is not null"));
    }
    let element = element(data_type)?;
    let named = Named::find(stream)?;
    let known = aclrtReduceKind::ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM..=aclrtReduceKind::ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL;
    if count == 0 || !known.contains(&kind) {
        return Err(Failure::refused(format!("{count} bytes cannot be reduced in the way {}", kind.0)));
    }
    let bytes = usize::try_from(count).ok().filter(|bytes| bytes.is_multiple_of(element.size()));
    let bytes = bytes.ok_or_else(|| Failure::refused(format!("{count} bytes are no whole number of elements")))?;
    let call = watch::call(Op::Use, stream).queue(stream);
    let call = call.writes(dst, bytes, Role::Target, Some(Place::Device));
    let call = call.reads(src, bytes, Role::Source, Some(Place::Device)).begin()?;
    let stream = named.for_work()?;
    if stream.is_recording() {
        return Err(Failure::refused("a reduction cannot be captured"));
    }
    let way = way(kind)?;
    let holds = [hold(dst, bytes)?, hold(src, bytes)?];
    let queued = stream.submit_each(move |_| {
        let _kept = &holds;
        // A copy, because the two may overlap.
        let from = src.bytes(bytes);
        dst.with_bytes_mut(bytes, |to| way.combine(element, to, &from));
        Ok(())
    });
    call.end(queued.map(drop))
}

fn element(data_type: aclDataType) -> Answer<Element> {
    match data_type {
        aclDataType::ACL_FLOAT => Ok(Element::F32),
        aclDataType::ACL_FLOAT16 => Ok(Element::F16),
        aclDataType::ACL_BF16 => Ok(Element::Bf16),
        aclDataType::ACL_INT8 => Ok(Element::I8),
        aclDataType::ACL_INT16 => Ok(Element::I16),
        aclDataType::ACL_INT32 => Ok(Element::I32),
        other => Err(Failure::invalid(format!("nothing is reduced in the data type {}", other.0))),
    }
}

fn way(kind: aclrtReduceKind) -> Answer<Way> {
    match kind {
        aclrtReduceKind::ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM => Ok(Way::Sum),
        aclrtReduceKind::ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX => Ok(Way::Largest),
        aclrtReduceKind::ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN => Ok(Way::Smallest),
        other => Err(Failure::unsupported(format!(
            "what a device leaves that reduces in the way {} was not measured",
            other.0
        ))),
    }
}
