//! Allocators of the caller.

use super::wanted;
use crate::abi::Out;
use crate::failure::{Answer, Failure};
use crate::machine::allocators;
use crate::machine::allocators::calls::refuse_inside;
use crate::machine::watch::{self, Named};
use ascendcl_rules::{ALLOC_06, ALLOC_21, Member, Object, Op};
use ascendcl_sys::types::*;

pub(crate) fn aclrtAllocatorCreateDesc() -> aclrtAllocatorDesc {
    let call = watch::call(Op::Create, Object::descriptor(0)).begin_always();
    let created = allocators::create_descriptor();
    call.made(created.0.addr());
    created
}

/// No call takes null for a descriptor (ALLOC-06).
fn check_descriptor(descriptor: aclrtAllocatorDesc) -> Answer {
    given(!descriptor.is_null(), "descriptor").map_err(|failure| {
        let fix = "create the descriptor with aclrtAllocatorCreateDesc first";
        failure.breaks(ALLOC_06, "a descriptor that was created", fix).about(Object::PROCESS)
    })
}

pub(crate) fn aclrtAllocatorDestroyDesc(allocator_desc: aclrtAllocatorDesc) -> Answer {
    check_descriptor(allocator_desc)?;
    watch::call(Op::Destroy, allocator_desc).begin()?.end(allocators::destroy_descriptor(allocator_desc))
}

pub(crate) fn aclrtAllocatorSetObjToDesc(allocator_desc: aclrtAllocatorDesc, allocator: aclrtAllocator) -> Answer {
    check_descriptor(allocator_desc)?;
    given(!allocator.is_null(), "object")?;
    let call = watch::call(Op::SetMember(Member::Object), allocator_desc).with(allocator).begin()?;
    call.end(allocators::set(allocator_desc, |members| members.object = allocator))
}

pub(crate) fn aclrtAllocatorSetAllocFuncToDesc(
    allocator_desc: aclrtAllocatorDesc,
    func: aclrtAllocatorAllocFunc,
) -> Answer {
    check_descriptor(allocator_desc)?;
    given(func.is_some(), "function")?;
    let call = watch::call(Op::SetMember(Member::Allocate), allocator_desc).begin()?;
    call.end(allocators::set(allocator_desc, |members| members.allocate = func))
}

pub(crate) fn aclrtAllocatorSetFreeFuncToDesc(
    allocator_desc: aclrtAllocatorDesc,
    func: aclrtAllocatorFreeFunc,
) -> Answer {
    check_descriptor(allocator_desc)?;
    given(func.is_some(), "function")?;
    let call = watch::call(Op::SetMember(Member::Free), allocator_desc).begin()?;
    call.end(allocators::set(allocator_desc, |members| members.free = func))
}

pub(crate) fn aclrtAllocatorSetAllocAdviseFuncToDesc(
    allocator_desc: aclrtAllocatorDesc,
    func: aclrtAllocatorAllocAdviseFunc,
) -> Answer {
    check_descriptor(allocator_desc)?;
    given(func.is_some(), "function")?;
    let call = watch::call(Op::SetMember(Member::AllocateNear), allocator_desc).begin()?;
    call.end(allocators::set(allocator_desc, |members| members.advise = func))
}

pub(crate) fn aclrtAllocatorSetGetAddrFromBlockFuncToDesc(
    allocator_desc: aclrtAllocatorDesc,
    func: aclrtAllocatorGetAddrFromBlockFunc,
) -> Answer {
    check_descriptor(allocator_desc)?;
    given(func.is_some(), "function")?;
    let call = watch::call(Op::SetMember(Member::Address), allocator_desc).begin()?;
    call.end(allocators::set(allocator_desc, |members| members.address_of = func))
}

/// The stream is a key, and is not looked at otherwise.
pub(crate) fn aclrtAllocatorRegister(stream: aclrtStream, allocator_desc: aclrtAllocatorDesc) -> Answer {
    refuse_inside()?;
    let call = watch::call(Op::Register, stream).with(allocator_desc).begin()?;
    given(!stream.is_null(), "stream")?;
    check_descriptor(allocator_desc)?;
    call.end(allocators::register(stream, allocator_desc))
}

pub(crate) fn aclrtAllocatorUnregister(stream: aclrtStream) -> Answer {
    refuse_inside()?;
    let call = watch::call(Op::Unregister, stream).begin()?;
    given(!stream.is_null(), "stream")?;
    call.end(allocators::unregister(stream))
}

pub(crate) fn aclrtAllocatorGetByStream(
    stream: aclrtStream,
    mut allocator_desc: Out<'_, aclrtAllocatorDesc>,
    mut allocator: Out<'_, aclrtAllocator>,
    mut alloc_func: Out<'_, aclrtAllocatorAllocFunc>,
    mut free_func: Out<'_, aclrtAllocatorFreeFunc>,
    mut alloc_advise_func: Out<'_, aclrtAllocatorAllocAdviseFunc>,
    mut get_addr_from_block_func: Out<'_, aclrtAllocatorGetAddrFromBlockFunc>,
) -> Answer {
    given(!stream.is_null(), "stream")?;
    wanted(&allocator_desc).and(wanted(&allocator)).and(wanted(&alloc_func)).and(wanted(&free_func))?;
    wanted(&alloc_advise_func).and(wanted(&get_addr_from_block_func))?;
    let registration = allocators::registration(stream).ok_or_else(|| {
        let failure = Failure::invalid("no allocator is registered for the stream");
        let fix = "keep in the program which streams have an allocator, or take 100000 for none";
        failure.breaks(ALLOC_21, "a stream with a registered allocator", fix).about(stream.named())
    })?;
    let members = registration.members;
    allocator_desc.set(registration.descriptor());
    allocator.set(members.object);
    alloc_func.set(members.allocate);
    free_func.set(members.free);
    alloc_advise_func.set(members.advise);
    get_addr_from_block_func.set(members.address_of);
    Ok(())
}

fn given(given: bool, what: &str) -> Answer {
    if given { Ok(()) } else { Err(Failure::invalid(format!("the {what} is null"))) }
}
