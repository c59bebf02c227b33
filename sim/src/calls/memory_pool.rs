//! Memory pools: device memory that is taken and given back in the order of a stream.

use super::memory::not_null;
use super::wanted;
use crate::abi::{Address, In, Out};
use crate::config::if_documented;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use crate::machine::memory::memory_pools::{self, Pool, Value};
use crate::machine::memory::{allocate_from, free_in_order};
use crate::machine::watch;
use ascendcl_rules::{Flag, Object, Op, Place, Role};
use ascendcl_sys::error_codes::{ACL_ERROR_RT_INTERNAL_ERROR, ACL_ERROR_RT_PARAM_INVALID};
use ascendcl_sys::types::*;
use core::ffi::c_void;
use std::sync::Arc;

/// Whether the device exists is not looked at; such a pool has no memory.
pub(crate) fn aclrtMemPoolCreate(mut mem_pool: Out<'_, aclrtMemPool>, pool_props: In<'_, aclrtMemPoolProps>) -> Answer {
    wanted(&mem_pool)?;
    let properties = pool_props.get().ok_or_else(|| Failure::invalid("the properties are null"))?;
    if properties.allocType != aclrtMemAllocationType::ACL_MEM_ALLOCATION_TYPE_PINNED {
        return Err(Failure::invalid(format!("there is no type of allocation {}", properties.allocType.0)));
    }
    if properties.location.kind != aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE {
        return Err(Failure::invalid("memory pools are on devices alone"));
    }
    if properties.reserved != [0; 32] {
        return Err(Failure::invalid("the reserved bytes of the properties are not 0"));
    }
    current_context()?;
    let device = Object::device(properties.location.id.into());
    let call = watch::call(Op::Create, Object::pool(0)).with(device).begin()?;
    let made = memory_pools::create(properties.location.id, properties.maxSize);
    call.made(made.0.addr());
    mem_pool.set(made);
    Ok(())
}

/// Memory of it that is out stays in place.
pub(crate) fn aclrtMemPoolDestroy(mem_pool: aclrtMemPool) -> Answer {
    let used = found(mem_pool)?.used();
    let call = watch::call(Op::Destroy, mem_pool).begin()?;
    if used > 0 {
        if_documented(|| Failure::refused(format!("{used} bytes of the memory pool were not freed yet")))?;
    }
    call.end(memory_pools::destroy(mem_pool))
}

/// The memory can be used at once. For 0 bytes there is no address, and only nulls are refused.
pub(crate) fn aclrtMemPoolMallocAsync(
    mut ptr: Out<'_, *mut c_void>,
    size: usize,
    mem_pool: aclrtMemPool,
    stream: aclrtStream,
) -> Answer {
    wanted(&ptr)?;
    named(mem_pool)?;
    if stream.is_null() {
        return Err(Failure::invalid("the stream is null"));
    }
    if size == 0 {
        return Ok(());
    }
    let pool = found(mem_pool)?;
    let named = Named::find(stream)?;
    // A captured stream takes the memory at once.
    let call = watch::call(Op::Allocate, Object::memory(0));
    let call = if watch::is_kept(stream.0.addr()) { call } else { call.queue(stream) };
    let call = call.with(mem_pool).flag(Flag::Pooled, true);
    let call = match pool.device_id() {
        Some(device) => call.with(Object::device(device.into())),
        None => call,
    };
    let call = call.writes(Address::NULL, size, Role::Contents, Some(Place::Device)).begin()?;
    named.for_work()?;
    let address = allocate_from(&pool, size)?;
    call.made(address.number());
    ptr.set(address.pointer());
    Ok(())
}

pub(crate) fn aclrtMemPoolFreeAsync(ptr: Address, stream: aclrtStream) -> Answer {
    not_null(ptr)?;
    if stream.is_null() {
        return Err(Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, "the stream is null"));
    }
    let named = Named::find(stream)?;
    // A captured stream gives the memory back when its graph is destroyed.
    let call = match watch::is_kept(stream.0.addr()) {
        true => watch::call(Op::Change, ptr),
        false => watch::call(Op::Free, ptr).queue(stream),
    };
    let call = call.flag(Flag::Pooled, true).begin()?;
    let stream = named.for_work()?;
    call.end(free_in_order(ptr, |free| stream.submit_each(move |_| free.run()).map(drop)))
}

pub(crate) fn aclrtMemPoolTrimTo(mem_pool: aclrtMemPool, min_bytes_to_keep: usize) -> Answer {
    found(mem_pool)?.trim(min_bytes_to_keep);
    Ok(())
}

pub(crate) fn aclrtMemPoolSetAttr(mem_pool: aclrtMemPool, attr: aclrtMemPoolAttr, value: Address) -> Answer {
    let pool = asked(mem_pool, value)?;
    let new = match pool.get(attr)? {
        Value::Word(_) => value.bytes(4).first_chunk().map(|bytes| Value::Word(u32::from_ne_bytes(*bytes))),
        Value::Bytes(_) => value.bytes(8).first_chunk().map(|bytes| Value::Bytes(u64::from_ne_bytes(*bytes))),
    };
    new.map_or(Ok(()), |new| pool.set(attr, new))
}

pub(crate) fn aclrtMemPoolGetAttr(mem_pool: aclrtMemPool, attr: aclrtMemPoolAttr, value: Address) -> Answer {
    let pool = asked(mem_pool, value)?;
    match pool.get(attr)? {
        Value::Word(word) => value.write(&word.to_ne_bytes()),
        Value::Bytes(bytes) => value.write(&bytes.to_ne_bytes()),
    }
    Ok(())
}

fn named(mem_pool: aclrtMemPool) -> Answer {
    if mem_pool.is_null() { Err(Failure::invalid("the memory pool is null")) } else { Ok(()) }
}

fn found(mem_pool: aclrtMemPool) -> Answer<Arc<Pool>> {
    named(mem_pool)?;
    memory_pools::find(mem_pool).inspect_err(|_| watch::missed(mem_pool))
}

/// The pool of a call about its attributes, which has the runtime below look at both (107000).
fn asked(mem_pool: aclrtMemPool, value: Address) -> Answer<Arc<Pool>> {
    named(mem_pool)?;
    if value.is_null() {
        return Err(Failure::refused("there is no place for the value: the pointer is null"));
    }
    found(mem_pool).map_err(|unknown| Failure { code: ACL_ERROR_RT_PARAM_INVALID, ..unknown })
}
