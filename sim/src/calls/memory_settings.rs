//! Memory with attributes, and what kind of memory an address is in.

use super::wanted;
use crate::abi::{Address, In, Out};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::memory::virtual_memory::is_reserved;
use crate::machine::memory::{Place, describe, possible};
use ascendcl_sys::types::*;
use core::ffi::c_void;

/// The AscendCL layer looks at the list, the runtime below at what is in it, with the context before the attributes.
pub(crate) fn aclrtMallocWithCfg(
    dev_ptr: Out<'_, *mut c_void>,
    size: usize,
    policy: aclrtMemMallocPolicy,
    cfg: In<'_, aclrtMallocConfig>,
) -> Answer {
    wanted(&dev_ptr)?;
    if cfg.get().is_some_and(|config| config.numAttrs != 0 && config.attrs.is_null()) {
        return Err(no_list(Failure::invalid));
    }
    possible(size)?;
    let list = list(&cfg)?;
    if let Ok(context) = current_context() {
        for (attribute, number) in list {
            let fits = match attribute {
                // The module is for statistics of the vendor's tools.
                aclrtMallocAttrType::ACL_RT_MEM_ATTR_RSV | aclrtMallocAttrType::ACL_RT_MEM_ATTR_MODULE_ID => true,
                aclrtMallocAttrType::ACL_RT_MEM_ATTR_DEVICE_ID => context.device().id() == number,
                _ => false,
            };
            if !fits {
                let text = format!("device memory cannot have the attribute {} with {number}", attribute.0);
                return Err(Failure::refused(text));
            }
        }
    }
    super::aclrtMalloc(dev_ptr, size, policy)
}

/// No memory here is closer to a device's scheduler than other memory of the device.
pub(crate) fn aclrtMallocForTaskScheduler(
    dev_ptr: Out<'_, *mut c_void>,
    size: usize,
    policy: aclrtMemMallocPolicy,
    cfg: In<'_, aclrtMallocConfig>,
) -> Answer {
    aclrtMallocWithCfg(dev_ptr, size, policy, cfg)
}

/// Host and device share their addresses here, as the attribute for it asks. The attributes come before the context.
pub(crate) fn aclrtMallocHostWithCfg(ptr: Out<'_, *mut c_void>, size: u64, cfg: In<'_, aclrtMallocConfig>) -> Answer {
    wanted(&ptr)?;
    let size =
        usize::try_from(size).map_err(|_| Failure::invalid(format!("{size} bytes are more than an address has")))?;
    possible(size)?;
    let mut reachable = false;
    for (attribute, number) in list(&cfg)? {
        match attribute {
            aclrtMallocAttrType::ACL_RT_MEM_ATTR_MODULE_ID => {}
            aclrtMallocAttrType::ACL_RT_MEM_ATTR_VA_FLAG => reachable = number != 0,
            other => return Err(Failure::refused(format!("host memory has no attribute {}", other.0))),
        }
    }
    super::memory::allocate_host(ptr, size, reachable)
}

/// The attributes of an allocation. Without a configuration there are none; one without a list is none (107000).
fn list(cfg: &In<'_, aclrtMallocConfig>) -> Answer<Vec<(aclrtMallocAttrType, u32)>> {
    if cfg.get().is_some_and(|config| config.attrs.is_null()) {
        return Err(no_list(Failure::refused));
    }
    Ok(cfg.attributes())
}

fn no_list(failure: fn(&'static str) -> Failure) -> Failure {
    failure("the configuration has no list of attributes: the pointer is null")
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
    if addr_list.is_null() {
        return Err(Failure::invalid("the array of addresses is null"));
    }
    check_result.set(0);
    if reserve != 0 {
        return Err(Failure::refused("the reserved argument is 0"));
    }
    if size == 0 {
        return Err(Failure::refused("there are no addresses"));
    }
    if mem_type & !(DEVICE | MEDIA | RESERVED) != 0 {
        return Err(Failure::refused(format!("{mem_type:#x} is no set of types of device memory")));
    }
    let is_of_type = |address: Address| match describe(address).map(|found| found.place) {
        _ if is_reserved(address) => mem_type & RESERVED != 0,
        Some(Place::Device(_)) => mem_type & DEVICE != 0,
        _ => false,
    };
    check_result.set(addr_list.addresses(size as usize).into_iter().all(is_of_type).into());
    Ok(())
}
