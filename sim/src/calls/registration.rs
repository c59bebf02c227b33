//! Memory of the caller that is registered: pinned, and within reach of the device under the same address.

use super::memory::not_null;
use super::wanted;
use crate::abi::{Address, Out};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::memory;
use crate::machine::watch;
use ascendcl_rules::{Flag, Object, Op, Place, Role};
use ascendcl_sys::constants::*;
use ascendcl_sys::types::*;
use core::ffi::c_void;

pub(crate) fn aclrtHostRegister(
    ptr: Address,
    size: u64,
    kind: aclrtHostRegisterType,
    mut dev_ptr: Out<'_, *mut c_void>,
) -> Answer {
    not_null(ptr)?;
    wanted(&dev_ptr)?;
    if size == 0 {
        return Err(Failure::invalid("registered memory has at least one byte"));
    }
    // Each is a bit, and memory that is only mapped has none.
    let known =
        aclrtHostRegisterType::ACL_HOST_REGISTER_IOMEMORY.0 | aclrtHostRegisterType::ACL_HOST_REGISTER_READONLY.0;
    if kind.0 & !known != 0 {
        return Err(Failure::unsupported(format!("there is no type of registration {}", kind.0)));
    }
    register(ptr, size)?;
    is_reachable(ptr)?;
    dev_ptr.set(ptr.pointer());
    Ok(())
}

pub(crate) fn aclrtHostRegisterV2(ptr: Address, size: u64, flag: u32) -> Answer {
    const KNOWN: u64 = ACL_HOST_REG_MAPPED | ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED;
    not_null(ptr)?;
    if size == 0 {
        return Err(Failure::invalid("registered memory has at least one byte"));
    }
    if flag == 0 || u64::from(flag) & !KNOWN != 0 {
        return Err(Failure::refused(format!("{flag:#x} is no combination of registration flags")));
    }
    register(ptr, size)
}

pub(crate) fn aclrtHostUnregister(ptr: Address) -> Answer {
    not_null(ptr)?;
    if memory::is_own_pinned(ptr) {
        current_context()?;
        return memory::unregister(ptr);
    }
    let call = watch::call(Op::FreeHost, ptr).flag(Flag::Registered, true).begin()?;
    current_context()?;
    call.end(memory::unregister(ptr))
}

pub(crate) fn aclrtHostGetDevicePointer(p_host: Address, mut p_device: Out<'_, *mut c_void>, flag: u32) -> Answer {
    not_null(p_host)?;
    wanted(&p_device)?;
    if flag != 0 {
        return Err(Failure::invalid(format!("the flag is reserved as 0, not {flag:#x}")));
    }
    current_context()?;
    if !memory::is_pinned(p_host) {
        let text =
            format!("{:#x} is neither registered nor pinned, so a device has no address for it", p_host.number());
        return Err(Failure::refused(text));
    }
    is_reachable(p_host)?;
    p_device.set(p_host.pointer());
    Ok(())
}

/// The program is told the block's address on the device: it may use the block as memory of the device from now on.
fn is_reachable(address: Address) -> Answer {
    let (start, _) = memory::block_around(address)?;
    watch::call(Op::Change, start).flag(Flag::Reachable, true).begin()?.end(Ok(()))
}

fn register(ptr: Address, size: u64) -> Answer {
    let size = usize::try_from(size).ok().filter(|size| *size > 0);
    let size = size.ok_or_else(|| Failure::invalid("registered memory has at least one byte, and fits into memory"))?;
    // The library's own pinned memory is pinned, registered or not: the checker knows it already.
    if memory::is_own_pinned(ptr) {
        current_context()?;
        return memory::register(ptr, size);
    }
    let call = watch::call(Op::Allocate, Object::memory(0)).flag(Flag::Registered, true);
    let call = call.writes(Address::NULL, size, Role::Contents, Some(Place::Host)).begin()?;
    current_context()?;
    memory::register(ptr, size)?;
    call.made(ptr.number());
    Ok(())
}
