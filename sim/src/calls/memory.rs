//! Memory.

use super::{device, wanted};
use crate::abi::{Address, Out};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::{Context, current_context};
use crate::machine::memory::{self, Place};
use crate::machine::watch;
use ascendcl_rules::{self as rules, Flag, MEM_09, Object, Op, Role, RuleId};
use ascendcl_sys::error_codes::ACL_ERROR_RT_INVALID_MEMORY_TYPE;
use ascendcl_sys::types::*;
use core::ffi::c_void;

/// The policy only says where the vendor's library takes pages from.
pub(crate) fn aclrtMalloc(place: Out<'_, *mut c_void>, size: usize, policy: aclrtMemMallocPolicy) -> Answer {
    check_policy(policy)?;
    allocate(place, size, rules::Place::Device, |context| memory::allocate_device(context.device(), size))
}

pub(crate) fn aclrtMallocAlign32(place: Out<'_, *mut c_void>, size: usize, policy: aclrtMemMallocPolicy) -> Answer {
    check_policy(policy)?;
    allocate(place, size, rules::Place::Device, |context| memory::allocate_device(context.device(), size))
}

pub(crate) fn aclrtMallocCached(place: Out<'_, *mut c_void>, size: usize, policy: aclrtMemMallocPolicy) -> Answer {
    check_policy(policy)?;
    allocate(place, size, rules::Place::Device, |context| memory::allocate_device(context.device(), size))
}

/// The library takes policies that there are not, and then chooses itself (MEM-09). Two policies of pages cannot be told
/// from a third one: their bits together are its number.
fn check_policy(policy: aclrtMemMallocPolicy) -> Answer {
    use aclrtMemMallocPolicy as P;
    const PAGES: u32 = 0xff;
    const BANDWIDTHS: u32 = P::ACL_MEM_TYPE_LOW_BAND_WIDTH.0 | P::ACL_MEM_TYPE_HIGH_BAND_WIDTH.0;
    const KNOWN: u32 = PAGES | BANDWIDTHS | P::ACL_MEM_ACCESS_USER_SPACE_READONLY.0;
    let known = policy.0 & PAGES <= P::ACL_MEM_MALLOC_HUGE1G_ONLY_P2P.0 && policy.0 & !KNOWN == 0;
    if known && policy.0 & BANDWIDTHS != BANDWIDTHS {
        return Ok(());
    }
    watch::mistaken(|| {
        let text = format!("the policy is {:#x}, which is no policy and no documented combination of two", policy.0);
        let fix = "pass one policy of pages, such as ACL_MEM_MALLOC_HUGE_FIRST, and at most one bandwidth with it, \
                   such as ACL_MEM_TYPE_HIGH_BAND_WIDTH";
        Failure::refused(text).breaks(MEM_09, "one policy of pages, with at most one bandwidth", fix)
    })
}

pub(crate) fn aclrtMallocHost(place: Out<'_, *mut c_void>, size: usize) -> Answer {
    allocate_host(place, size, false)
}

/// Pinned memory; the program may know the address that a device has for it.
pub(super) fn allocate_host(place: Out<'_, *mut c_void>, size: usize, reachable: bool) -> Answer {
    let call = watch::call(Op::Allocate, Object::memory(0)).flag(Flag::Reachable, reachable);
    allocate_by(call, place, size, rules::Place::Host, |_| memory::allocate_host(size))
}

/// Ordinary memory of the device serves pictures here. The checker tells the two apart.
pub(crate) fn acldvppMalloc(place: Out<'_, *mut c_void>, size: usize) -> Answer {
    let call = watch::call(Op::Allocate, Object::memory(0)).flag(Flag::Media, true);
    allocate_by(call, place, size, rules::Place::Device, |context| memory::allocate_device(context.device(), size))
}

fn allocate(
    place: Out<'_, *mut c_void>,
    size: usize,
    side: rules::Place,
    allocate: impl FnOnce(&Context) -> Answer<Address>,
) -> Answer {
    allocate_by(watch::call(Op::Allocate, Object::memory(0)), place, size, side, allocate)
}

fn allocate_by(
    call: watch::Watching,
    mut place: Out<'_, *mut c_void>,
    size: usize,
    side: rules::Place,
    allocate: impl FnOnce(&Context) -> Answer<Address>,
) -> Answer {
    wanted(&place)?;
    memory::possible(size)?;
    let call = call.writes(Address::NULL, size, Role::Contents, Some(side)).begin()?;
    let context = current_context()?;
    let address = allocate(&context)?;
    call.made(address.number());
    place.set(address.pointer());
    Ok(())
}

pub(crate) fn aclrtFree(dev_ptr: Address) -> Answer {
    free(watch::call(Op::Free, dev_ptr), dev_ptr)
}

pub(crate) fn acldvppFree(dev_ptr: Address) -> Answer {
    free(watch::call(Op::Free, dev_ptr).flag(Flag::Media, true), dev_ptr)
}

fn free(call: watch::Watching, dev_ptr: Address) -> Answer {
    let call = call.begin()?;
    not_null(dev_ptr)?;
    call.end(memory::free_device(dev_ptr))
}

pub(crate) fn aclrtFreeHost(host_ptr: Address) -> Answer {
    let call = watch::call(Op::FreeHost, host_ptr).begin()?;
    not_null(host_ptr)?;
    watch::ends(host_ptr);
    call.end(memory::free_host(host_ptr))
}

/// Waits for the current context's streams first.
pub(crate) fn aclrtFreeWithDevSync(dev_ptr: Address) -> Answer {
    let call = watch::call(Op::FreeSynced, dev_ptr).begin()?;
    not_null(dev_ptr)?;
    device::synchronize(None)?;
    call.end(memory::free_device(dev_ptr))
}

pub(crate) fn aclrtFreeHostWithDevSync(host_ptr: Address) -> Answer {
    let call = watch::call(Op::FreeHostSynced, host_ptr).begin()?;
    not_null(host_ptr)?;
    device::synchronize(None)?;
    watch::ends(host_ptr);
    call.end(memory::free_host(host_ptr))
}

/// There is one kind of memory, high-bandwidth memory. Other kinds have size 0.
pub(crate) fn aclrtGetMemInfo(attr: aclrtMemAttr, mut free: Out<'_, usize>, mut total: Out<'_, usize>) -> Answer {
    wanted(&free).and(wanted(&total))?;
    if attr > aclrtMemAttr::ACL_MEM_P2P_HUGE1G {
        let text = format!("there is no kind of memory {}", attr.0);
        return Err(Failure::new(ACL_ERROR_RT_INVALID_MEMORY_TYPE, text));
    }
    let call = watch::call(Op::Ask, Object::PROCESS).begin()?;
    let context = current_context()?;
    let device = context.device();
    let (left, size) = match attr {
        aclrtMemAttr::ACL_DDR_MEM
        | aclrtMemAttr::ACL_DDR_MEM_HUGE
        | aclrtMemAttr::ACL_DDR_MEM_NORMAL
        | aclrtMemAttr::ACL_DDR_MEM_P2P_HUGE
        | aclrtMemAttr::ACL_DDR_MEM_P2P_NORMAL => (0, 0),
        _ => (device.memory_left(), device.memory_size()),
    };
    free.set(left);
    total.set(size);
    call.end(Ok(()))
}

/// Device memory is coherent here: there is nothing to write back.
pub(crate) fn aclrtMemFlush(dev_ptr: Address, size: usize) -> Answer {
    cached(dev_ptr, size)
}

pub(crate) fn aclrtMemInvalidate(dev_ptr: Address, size: usize) -> Answer {
    cached(dev_ptr, size)
}

fn cached(dev_ptr: Address, size: usize) -> Answer {
    not_null(dev_ptr)?;
    if size == 0 {
        return Err(Failure::invalid("the size is 0"));
    }
    current_context()?;
    memory::hold(dev_ptr, size).map(|_| ())
}

pub(crate) fn aclrtPointerGetAttributes(ptr: Address, mut attributes: Out<'_, aclrtPtrAttributes>) -> Answer {
    const DEVICE_PAGE: u32 = 2 << 20;
    const HOST_PAGE: u32 = 4096;
    not_null(ptr)?;
    wanted(&attributes)?;
    let (kind, id, page) = match memory::describe(ptr).map(|found| found.place) {
        Some(Place::Device(id)) => (aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE, id, DEVICE_PAGE),
        Some(Place::Host) => (aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_HOST, 0, HOST_PAGE),
        None => (aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0, HOST_PAGE),
    };
    attributes.set(aclrtPtrAttributes { location: aclrtMemLocation { id, kind }, pageSize: page, rsv: [0; 4] });
    Ok(())
}

pub(super) fn not_null(address: Address) -> Answer {
    if address.is_null() { Err(null()) } else { Ok(()) }
}

/// The memory that a copy or fill works on is somewhere. `rule`: what it breaks otherwise.
pub(super) fn is_somewhere(address: Address, rule: RuleId) -> Answer {
    if address.is_null() { Err(watch::no_memory(rule, null())) } else { Ok(()) }
}

fn null() -> Failure {
    Failure::invalid("the address is null")
}
