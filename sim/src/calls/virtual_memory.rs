//! Virtual memory: reserve addresses, allocate physical memory, map one to the other.

use super::memory::not_null;
use super::wanted;
use crate::abi::{Address, In, Out};
use crate::failure::{Answer, Failure};
use crate::machine::memory::physical::{self, GRANULARITY};
use crate::machine::memory::{self, mapped, virtual_memory};
use crate::machine::watch;
use ascendcl_rules::{Flag, Object, Op, Place, Role};
use ascendcl_sys::types::*;
use core::ffi::c_void;

/// The expected address is only a hint.
pub(crate) fn aclrtReserveMemAddress(
    mut vir_ptr: Out<'_, *mut c_void>,
    size: usize,
    alignment: usize,
    _expect_ptr: Address,
    flags: u64,
) -> Answer {
    /// Normal or huge pages; here that makes no difference.
    const KNOWN_FLAGS: u64 = 1;
    wanted(&vir_ptr)?;
    not_empty(size)?;
    if flags > KNOWN_FLAGS {
        return Err(Failure::invalid(format!("there is no page type {flags}")));
    }
    let call = watch::call(Op::Allocate, Object::range(0));
    let call = call.writes(Address::NULL, size, Role::Contents, None).begin()?;
    let start = virtual_memory::reserve(size, alignment)?;
    call.made(start.number());
    vir_ptr.set(start.pointer());
    Ok(())
}

/// The addresses of a range have no cache of their own here, so there is nothing to leave out.
pub(crate) fn aclrtReserveMemAddressNoUCMemory(
    vir_ptr: Out<'_, *mut c_void>,
    size: usize,
    alignment: usize,
    expect_ptr: Address,
    flags: u64,
) -> Answer {
    aclrtReserveMemAddress(vir_ptr, size, alignment, expect_ptr, flags)
}

pub(crate) fn aclrtReleaseMemAddress(vir_ptr: Address) -> Answer {
    not_null(vir_ptr)?;
    let call = watch::call(Op::Free, Object::range(vir_ptr.number() as u64)).begin()?;
    call.end(mapped::release(vir_ptr))
}

pub(crate) fn aclrtMallocPhysical(
    mut handle: Out<'_, aclrtDrvMemHandle>,
    size: usize,
    prop: In<'_, aclrtPhysicalMemProp>,
    flags: u64,
) -> Answer {
    wanted(&handle)?;
    let properties = given(&prop)?;
    not_empty(size)?;
    no_flags(flags)?;
    let call = of_memory(watch::call(Op::Allocate, Object::physical(0)), properties.location);
    let call = call.writes(Address::NULL, size, Role::Contents, None).begin()?;
    let made = physical::allocate(size, properties)?;
    call.made(made.0.addr());
    handle.set(made);
    Ok(())
}

pub(crate) fn aclrtFreePhysical(handle: aclrtDrvMemHandle) -> Answer {
    known(handle)?;
    let call = watch::call(Op::Free, handle).begin()?;
    call.end(physical::free(handle))
}

pub(crate) fn aclrtMapMem(
    vir_ptr: Address,
    size: usize,
    offset: usize,
    handle: aclrtDrvMemHandle,
    flags: u64,
) -> Answer {
    map(vir_ptr, size, offset, handle, flags, aclrtMemAccessFlags::ACL_RT_MEM_ACCESS_FLAGS_READWRITE)
}

/// Nothing may use the mapping before it was given access.
pub(crate) fn aclrtMemMapNoAccess(
    vir_ptr: Address,
    size: usize,
    offset: usize,
    handle: aclrtDrvMemHandle,
    flags: u64,
) -> Answer {
    map(vir_ptr, size, offset, handle, flags, aclrtMemAccessFlags::ACL_RT_MEM_ACCESS_FLAGS_NONE)
}

fn map(
    vir_ptr: Address,
    size: usize,
    offset: usize,
    handle: aclrtDrvMemHandle,
    flags: u64,
    access: aclrtMemAccessFlags,
) -> Answer {
    not_null(vir_ptr)?;
    let without_handle = || watch::mapped_without_a_handle(vir_ptr.number());
    known(handle).inspect_err(|_| without_handle())?;
    not_empty(size)?;
    no_flags(flags)?;
    let missed = || {
        watch::missed(handle);
        without_handle();
    };
    let location = physical::properties(handle).inspect_err(|_| missed())?.location;
    let place = match location.kind {
        aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE => Place::Device,
        _ => Place::Host,
    };
    let call = of_memory(watch::call(Op::Allocate, Object::memory(0)), location).flag(Flag::Mapped, true);
    let call = call.flag(Flag::NoAccess, is_closed(access)).flag(Flag::Inside, offset != 0).with(handle);
    let call = call.writes(vir_ptr, size, Role::Contents, Some(place)).begin()?;
    mapped::map(vir_ptr, size, offset, handle, access.0)?;
    call.made(vir_ptr.number());
    Ok(())
}

/// The device that the memory is on takes part.
fn of_memory(call: watch::Watching, location: aclrtMemLocation) -> watch::Watching {
    match location.kind {
        aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE => call.with(Object::device(location.id.into())),
        _ => call,
    }
}

fn is_closed(access: aclrtMemAccessFlags) -> bool {
    access == aclrtMemAccessFlags::ACL_RT_MEM_ACCESS_FLAGS_NONE
}

pub(crate) fn aclrtUnmapMem(vir_ptr: Address) -> Answer {
    not_null(vir_ptr)?;
    let call = watch::call(Op::Free, vir_ptr).flag(Flag::Mapped, true).begin()?;
    call.end(memory::unmap(vir_ptr))
}

pub(crate) fn aclrtMemSetAccess(
    vir_ptr: Address,
    size: usize,
    desc: In<'_, aclrtMemAccessDesc>,
    count: usize,
) -> Answer {
    if vir_ptr.is_null() || desc.is_null() || count == 0 || size == 0 {
        return Err(Failure::refused("the address, the size, the descriptions and their number are not 0 or null"));
    }
    for desc in desc.list(count) {
        let access = desc.flags;
        if access > aclrtMemAccessFlags::ACL_RT_MEM_ACCESS_FLAGS_READWRITE {
            return Err(Failure::refused(format!("there is no access {}", access.0)));
        }
        let call = watch::call(Op::Change, vir_ptr).flag(Flag::Mapped, true).flag(Flag::NoAccess, is_closed(access));
        let call = call.writes(vir_ptr, size, Role::Contents, None).begin()?;
        call.end(memory::allow(vir_ptr, size, access))?;
    }
    Ok(())
}

pub(crate) fn aclrtMemGetAccess(
    vir_ptr: Address,
    location: In<'_, aclrtMemLocation>,
    mut flag: Out<'_, u64>,
) -> Answer {
    not_null(vir_ptr)?;
    wanted(&flag)?;
    if location.is_null() {
        return Err(Failure::invalid("the location is null"));
    }
    flag.set(memory::access_of(vir_ptr)?.0.into());
    Ok(())
}

pub(crate) fn aclrtMemGetAllocationGranularity(
    prop: In<'_, aclrtPhysicalMemProp>,
    option: aclrtMemGranularityOptions,
    mut granularity: Out<'_, usize>,
) -> Answer {
    wanted(&granularity)?;
    physical::check_kind(&given(&prop)?)?;
    if option > aclrtMemGranularityOptions::ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED {
        return Err(Failure::invalid(format!("there is no granularity {}", option.0)));
    }
    granularity.set(GRANULARITY);
    Ok(())
}

pub(crate) fn aclrtMemGetAllocationPropertiesFromHandle(
    handle: aclrtDrvMemHandle,
    mut prop: Out<'_, aclrtPhysicalMemProp>,
) -> Answer {
    wanted(&prop)?;
    known(handle)?;
    prop.set(physical::properties(handle)?);
    Ok(())
}

pub(crate) fn aclrtMemRetainAllocationHandle(vir_ptr: Address, mut handle: Out<'_, aclrtDrvMemHandle>) -> Answer {
    not_null(vir_ptr)?;
    wanted(&handle)?;
    let found = memory::handle_of(vir_ptr)?;
    let call = watch::call(Op::Retain, found).begin()?;
    call.end(physical::retain(found))?;
    handle.set(found);
    Ok(())
}

pub(crate) fn aclrtMemGetAddressRange(
    ptr: Address,
    mut pbase: Out<'_, *mut c_void>,
    mut psize: Out<'_, usize>,
) -> Answer {
    not_null(ptr)?;
    if pbase.is_null() && psize.is_null() {
        return Err(Failure::refused("there is no place for a result: both pointers are null"));
    }
    let (start, size) = memory::block_around(ptr)?;
    pbase.set(start.pointer());
    psize.set(size);
    Ok(())
}

fn given(prop: &In<'_, aclrtPhysicalMemProp>) -> Answer<aclrtPhysicalMemProp> {
    prop.get().ok_or_else(|| Failure::invalid("the properties are null"))
}

fn known(handle: aclrtDrvMemHandle) -> Answer {
    if handle.is_null() { Err(Failure::invalid("the handle is null")) } else { Ok(()) }
}

fn not_empty(size: usize) -> Answer {
    if size == 0 { Err(Failure::invalid("the size is 0")) } else { Ok(()) }
}

fn no_flags(flags: u64) -> Answer {
    if flags == 0 { Ok(()) } else { Err(Failure::invalid(format!("the flags are reserved as 0, not {flags:#x}"))) }
}
