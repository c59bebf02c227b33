//! Copies whose addresses stand in device memory. The device looks at them when it comes to the copy.
//!
//! What the copies use is known only then, so the checker sees the place of the addresses, and not what they lead to.

use super::copy::{aclrtMemcpyAsync, fits};
use super::descriptor::{Descriptor, WORD};
use super::memory::not_null;
use super::notify::on_device;
use super::wanted;
use crate::abi::{Address, Out, copy};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::named::Named;
use crate::machine::memory::{Place, describe, hold};
use crate::machine::watch;
use ascendcl_rules::{Flag, Op, Place as Claimed, Role};
use ascendcl_sys::error_codes::ACL_ERROR_RT_DRV_INTERNAL_ERROR;
use ascendcl_sys::types::*;
use std::borrow::Cow;

/// Where the copy takes place depends on the memory here as well, so this is the ordinary copy.
pub(crate) fn aclrtMemcpyAsyncWithCondition(
    dst: Address,
    dest_max: usize,
    src: Address,
    count: usize,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> Answer {
    aclrtMemcpyAsync(dst, dest_max, src, count, kind, stream)
}

/// The source, the destination and the number of bytes.
static COPY: Descriptor<3> = Descriptor { mark: *b"copydesc", written_by: "aclrtSetMemcpyDesc" };

pub(crate) fn aclrtGetMemcpyDescSize(kind: aclrtMemcpyKind, mut desc_size: Out<'_, usize>) -> Answer {
    wanted(&desc_size)?;
    inside_a_device(kind)?;
    desc_size.set(Descriptor::<3>::BYTES);
    Ok(())
}

pub(crate) fn aclrtSetMemcpyDesc(
    desc: Address,
    kind: aclrtMemcpyKind,
    src_addr: Address,
    dst_addr: Address,
    count: usize,
    config: Address,
) -> Answer {
    not_null(desc)?;
    is_direction(kind)?;
    not_null(src_addr).and(not_null(dst_addr))?;
    if count == 0 {
        return Err(Failure::invalid("there are no bytes to copy"));
    }
    if !config.is_null() {
        return Err(Failure::invalid("the reserved argument is not null"));
    }
    inside_a_device(kind)?;
    COPY.write(desc, [src_addr.number() as u64, dst_addr.number() as u64, count as u64])
}

pub(crate) fn aclrtMemcpyAsyncWithDesc(desc: Address, kind: aclrtMemcpyKind, stream: aclrtStream) -> Answer {
    not_null(desc)?;
    is_direction(kind)?;
    if stream == aclrtStream::NULL {
        return Err(Failure::invalid("the stream is null, and the default one is not taken"));
    }
    let named = Named::find(stream)?;
    inside_a_device(kind)?;
    COPY.queue(desc, stream, named, |[from, to, count]| {
        let count = usize::try_from(u64::from_ne_bytes(count)).unwrap_or(usize::MAX);
        copy_found(Address::from_bytes(to), Address::from_bytes(from), count)
    })
}

/// `dst` and `src` are the places of the addresses, in device memory.
#[allow(clippy::too_many_arguments)]
pub(crate) fn aclrtMemcpyAsyncWithOffset(
    dst: Address,
    dest_max: usize,
    dst_data_offset: usize,
    src: Address,
    count: usize,
    src_data_offset: usize,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> Answer {
    if count == 0 {
        return Ok(());
    }
    // The layer below looks at all of it, and has one code for it.
    if kind != aclrtMemcpyKind::ACL_MEMCPY_INNER_DEVICE_TO_DEVICE {
        return Err(Failure::refused(inside(kind)));
    }
    let named = Named::find(stream)?;
    if dst.is_null() || src.is_null() {
        return Err(Failure::refused("the place of an address is null"));
    }
    fits(count, dest_max.saturating_sub(dst_data_offset))?;
    on_device(dst).and(on_device(src))?;
    let call = watch::call(Op::Use, stream).queue(stream).flag(Flag::Elsewhere, true);
    let call = [dst, src].into_iter().fold(call, |call, at| call.reads(at, WORD, Role::Source, Some(Claimed::Device)));
    let call = call.begin()?;
    let stream = named.for_work()?;
    let kept = [hold(dst, WORD)?, hold(src, WORD)?];
    let queued = stream.submit_each(move |_| {
        let _kept = &kept;
        let [to, from] = [dst, src].map(|at| Address::from_bytes(at.array()));
        copy_found(to.offset(dst_data_offset), from.offset(src_data_offset), count)
    });
    call.end(queued.map(drop))
}

/// Copies between addresses that the device has found in its memory. Both have to be in blocks of devices.
fn copy_found(to: Address, from: Address, count: usize) -> Answer {
    let place = |address: Address| describe(address).map(|found| found.place);
    for address in [to, from] {
        if !matches!(place(address), Some(Place::Device(_))) {
            return Err(failed(format!("the address {:#x} that was found is in no device memory", address.number())));
        }
    }
    let _holds = [hold(to, count).map_err(as_failure)?, hold(from, count).map_err(as_failure)?];
    copy(to, from, count);
    Ok(())
}

fn failed(text: impl Into<Cow<'static, str>>) -> Failure {
    Failure::new(ACL_ERROR_RT_DRV_INTERNAL_ERROR, text)
}

/// What refuses a call fails the stream here.
fn as_failure(refused: Failure) -> Failure {
    failed(refused.text)
}

fn is_direction(kind: aclrtMemcpyKind) -> Answer {
    match kind {
        other if other > aclrtMemcpyKind::ACL_MEMCPY_INTER_DEVICE_TO_DEVICE => {
            Err(Failure::invalid(format!("there is no direction {}", other.0)))
        }
        _ => Ok(()),
    }
}

fn inside_a_device(kind: aclrtMemcpyKind) -> Answer {
    is_direction(kind)?;
    match kind {
        aclrtMemcpyKind::ACL_MEMCPY_INNER_DEVICE_TO_DEVICE => Ok(()),
        other => Err(Failure::unsupported(inside(other))),
    }
}

fn inside(kind: aclrtMemcpyKind) -> String {
    format!("addresses in device memory lead inside a device; found direction {}", kind.0)
}
