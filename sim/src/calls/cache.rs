//! Hints for a device's cache. Memory needs none here: they are checked, and run as tasks that do nothing.

use super::memory::not_null;
use super::notify::on_device;
use crate::abi::{Address, Out};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use crate::machine::memory::hold;
use crate::machine::watch;
use ascendcl_rules::{Op, Place as Claimed, Role};
use ascendcl_sys::error_codes::ACL_ERROR_RT_DRV_INTERNAL_ERROR;
use ascendcl_sys::types::*;

pub(crate) fn aclrtCmoAsync(src: Address, size: usize, cmo_type: aclrtCmoType, stream: aclrtStream) -> Answer {
    not_null(src)?;
    if size == 0 {
        return Err(Failure::invalid("the size is 0"));
    }
    let named = Named::find(stream)?;
    known(cmo_type)?;
    named.for_work()?.submit_each(|_| Ok(())).map(drop)
}

/// A descriptor: a mark, the memory, and the number of bytes. The device's descriptors look otherwise.
const DESCRIPTOR: usize = 3 * WORD;
const WORD: usize = size_of::<u64>();
const MARK: u64 = u64::from_ne_bytes(*b"cmo desc");

pub(crate) fn aclrtCmoGetDescSize(mut size: Out<'_, usize>) -> Answer {
    if size.is_null() {
        return Err(Failure::refused("there is no place for the size"));
    }
    current_context()?;
    size.set(DESCRIPTOR);
    Ok(())
}

pub(crate) fn aclrtCmoSetDesc(desc: Address, src: Address, size: usize) -> Answer {
    if desc.is_null() || src.is_null() || size == 0 {
        return Err(Failure::refused("the descriptor or the memory is null, or the size is 0"));
    }
    on_device(desc)?;
    let call = watch::call(Op::Use, desc);
    let call = call.writes(desc, DESCRIPTOR, Role::Target, Some(Claimed::Device)).begin()?;
    current_context()?;
    let _hold = hold(desc, DESCRIPTOR)?;
    for (index, word) in [MARK, src.number() as u64, size as u64].into_iter().enumerate() {
        desc.offset(index * WORD).write(&word.to_ne_bytes());
    }
    call.end(Ok(()))
}

pub(crate) fn aclrtCmoAsyncWithDesc(
    desc: Address,
    cmo_type: aclrtCmoType,
    stream: aclrtStream,
    reserve: Address,
) -> Answer {
    if desc.is_null() || !reserve.is_null() {
        return Err(Failure::refused("the descriptor is null, or the reserved argument is not"));
    }
    let named = Named::find(stream)?;
    known(cmo_type)?;
    on_device(desc)?;
    let call = watch::call(Op::Use, stream).queue(stream);
    let call = call.reads(desc, DESCRIPTOR, Role::Source, Some(Claimed::Device)).begin()?;
    let stream = named.for_work()?;
    let kept = hold(desc, DESCRIPTOR)?;
    let queued = stream.submit_each(move |_| {
        let _kept = &kept;
        if u64::from_ne_bytes(desc.array::<WORD>()) == MARK {
            return Ok(());
        }
        let text = "what is at the descriptor's place was not written by aclrtCmoSetDesc";
        Err(Failure::new(ACL_ERROR_RT_DRV_INTERNAL_ERROR, text))
    });
    call.end(queued.map(drop))
}

fn known(cmo_type: aclrtCmoType) -> Answer {
    if cmo_type > aclrtCmoType::ACL_RT_CMO_TYPE_FLUSH {
        return Err(Failure::refused(format!("there is no hint {}", cmo_type.0)));
    }
    Ok(())
}
