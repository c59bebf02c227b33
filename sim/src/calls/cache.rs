//! Hints for a device's cache. Memory needs none here: they are checked, and run as tasks that do nothing.

use super::descriptor::Descriptor;
use super::memory::not_null;
use crate::abi::{Address, Out};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
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

/// Nobody here reads which memory the hint is about, so the descriptor is its mark.
static HINT: Descriptor<0> = Descriptor { mark: *b"cmo desc", written_by: "aclrtCmoSetDesc" };

pub(crate) fn aclrtCmoGetDescSize(mut size: Out<'_, usize>) -> Answer {
    if size.is_null() {
        return Err(Failure::refused("there is no place for the size"));
    }
    current_context()?;
    size.set(Descriptor::<0>::BYTES);
    Ok(())
}

pub(crate) fn aclrtCmoSetDesc(desc: Address, src: Address, size: usize) -> Answer {
    if desc.is_null() || src.is_null() || size == 0 {
        return Err(Failure::refused("the descriptor or the memory is null, or the size is 0"));
    }
    HINT.write(desc, [])
}

pub(crate) fn aclrtCmoAsyncWithDesc(
    desc: Address,
    cmo_type: aclrtCmoType,
    stream: aclrtStream,
    reserve: Address,
) -> Answer {
    if !reserve.is_null() {
        return Err(Failure::refused("the reserved argument is not null"));
    }
    let named = Named::find(stream)?;
    if desc.is_null() {
        return Err(Failure::refused("the descriptor is null"));
    }
    known(cmo_type)?;
    HINT.queue(desc, stream, named, |[]| Ok(()))
}

fn known(cmo_type: aclrtCmoType) -> Answer {
    if cmo_type > aclrtCmoType::ACL_RT_CMO_TYPE_FLUSH {
        return Err(Failure::refused(format!("there is no hint {}", cmo_type.0)));
    }
    Ok(())
}
