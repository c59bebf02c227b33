//! Memory with attributes, and what kind of memory an address is in.

use super::wanted;
use crate::abi::{Address, In, Out};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::memory::virtual_memory::is_reserved;
use crate::machine::memory::{Place, describe};
use ascendcl_sys::types::*;
use core::ffi::c_void;

pub(crate) fn aclrtMallocWithCfg(
    dev_ptr: Out<'_, *mut c_void>,
    size: usize,
    policy: aclrtMemMallocPolicy,
    cfg: In<'_, aclrtMallocConfig>,
) -> Answer {
    if attributes(&cfg)? {
        return Err(Failure::unsupported("the addresses of device memory are its own (ACL_RT_MEM_ATTR_VA_FLAG)"));
    }
    super::aclrtMalloc(dev_ptr, size, policy)
}

/// Host and device share their addresses here, as the attribute for it asks.
pub(crate) fn aclrtMallocHostWithCfg(ptr: Out<'_, *mut c_void>, size: u64, cfg: In<'_, aclrtMallocConfig>) -> Answer {
    let reachable = attributes(&cfg)?;
    let size =
        usize::try_from(size).map_err(|_| Failure::invalid(format!("{size} bytes are more than an address has")))?;
    super::memory::allocate_host(ptr, size, reachable)
}

/// Whether a device is to have the memory at the same address. Without a list there are no attributes.
fn attributes(cfg: &In<'_, aclrtMallocConfig>) -> Answer<bool> {
    cfg.attributes().into_iter().try_fold(false, |reachable, (attribute, number)| match attribute {
        // The module is for statistics of the vendor's tools.
        aclrtMallocAttrType::ACL_RT_MEM_ATTR_MODULE_ID => Ok(reachable),
        aclrtMallocAttrType::ACL_RT_MEM_ATTR_DEVICE_ID => {
            let own = current_context()?.device().id();
            let text = || format!("the memory is for device {number}, and the current context is of device {own}");
            if own == number { Ok(reachable) } else { Err(Failure::unsupported(text())) }
        }
        aclrtMallocAttrType::ACL_RT_MEM_ATTR_VA_FLAG => Ok(number != 0),
        other => Err(Failure::invalid(format!("there is no attribute {} of memory", other.0))),
    })
}

/// Answers 1 if each address is in memory of one of these types, otherwise 0.
pub(crate) fn aclrtCheckMemType(
    addr_list: In<'_, *mut c_void>,
    size: u32,
    mem_type: u32,
    mut check_result: Out<'_, u32>,
    reserve: u32,
) -> Answer {
    const DEVICE: u32 = 0x2;
    const MEDIA: u32 = 0x8;
    const RESERVED: u32 = 0x10;
    wanted(&check_result)?;
    if addr_list.is_null() || size == 0 {
        return Err(Failure::invalid("there are no addresses"));
    }
    if mem_type == 0 || mem_type & !(DEVICE | MEDIA | RESERVED) != 0 {
        return Err(Failure::invalid(format!("{mem_type:#x} is no set of types of device memory")));
    }
    if reserve != 0 {
        return Err(Failure::invalid("the reserved argument is 0"));
    }
    let is_of_type = |address: Address| match describe(address).map(|found| found.place) {
        _ if is_reserved(address) => mem_type & RESERVED != 0,
        Some(Place::Device(_)) => mem_type & DEVICE != 0,
        _ => false,
    };
    check_result.set(addr_list.addresses(size as usize).into_iter().all(is_of_type).into());
    Ok(())
}
