//! Memory pools: device memory that is taken and given back in the order of a stream.
//!
//! A pool reserves memory of its device and hands out parts of it. What comes back stays reserved up to the pool's threshold.

use crate::abi::Address;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::device::{self, Device};
use crate::machine::handles::Table;
use crate::machine::memory::arena::Piece;
use crate::machine::memory::physical::GRANULARITY;
use ascendcl_sys::types::{aclrtMemPool, aclrtMemPoolAttr};
use std::sync::{Arc, Mutex};

pub(crate) struct Pool {
    /// `None` when the pool was made for a device that does not exist, which the vendor's library accepts.
    device: Option<Arc<Device>>,
    /// How much it may reserve, if that is limited.
    limit: Option<usize>,
    state: Mutex<State>,
}

struct State {
    reserved: Amount,
    used: Amount,
    /// How much unused memory stays reserved.
    threshold: u64,
    /// The three attributes that say how memory is used again.
    reuse: [u32; 3],
}

#[derive(Default)]
struct Amount {
    now: usize,
    highest: usize,
}

/// A part of a pool. Dropping it gives it back.
pub(in crate::machine) struct Taken {
    pool: Arc<Pool>,
    size: usize,
}

/// A block, and the part of its pool that it takes. The pool has it back when nothing holds the block any more: neither the
/// program nor work that uses it.
pub(crate) struct Pooled {
    pub(super) piece: Piece,
    pub(super) _taken: Taken,
}

impl Pooled {
    pub(super) fn address(&self) -> Address {
        self.piece.address()
    }

    pub(super) fn size(&self) -> usize {
        self.piece.size()
    }
}

/// The value of an attribute, in its width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    Word(u32),
    Bytes(u64),
}

static POOLS: Table<Pool> = Table::new();

/// A pool on this device. A limit of 0 is none; others are rounded up to pages.
pub(crate) fn create(device: u32, limit: usize) -> aclrtMemPool {
    let state = State { reserved: Amount::default(), used: Amount::default(), threshold: 0, reuse: [1; 3] };
    let number = POOLS.add(Pool {
        device: device::device(device.into()).ok(),
        limit: (limit > 0).then(|| limit.checked_next_multiple_of(GRANULARITY).unwrap_or(limit)),
        state: Mutex::new(state),
    });
    aclrtMemPool(core::ptr::without_provenance_mut(number))
}

/// The live pool behind a C argument.
pub(crate) fn find(handle: aclrtMemPool) -> Answer<Arc<Pool>> {
    POOLS.get(handle.0.addr()).ok_or_else(unknown)
}

/// The pool allocates no more memory. Its allocated memory stays in place until it is freed.
pub(crate) fn destroy(handle: aclrtMemPool) -> Answer {
    let pool = POOLS.remove(handle.0.addr()).ok_or_else(unknown)?;
    pool.close();
    Ok(())
}

/// The device was released, and its pools with it.
pub(in crate::machine) fn lose_all_of(device: &Device) {
    let of_device = |pool: &Pool| pool.device.as_ref().is_some_and(|of| of.id() == device.id());
    POOLS.remove_all(of_device).iter().for_each(|pool| pool.close());
}

/// As if none had been made.
pub(in crate::machine) fn clear() {
    POOLS.remove_all(|_| true).iter().for_each(|pool| pool.close());
}

fn unknown() -> Failure {
    Failure::invalid("this is not the handle of a live memory pool")
}

impl Pool {
    pub(super) fn device(&self) -> Option<&Arc<Device>> {
        self.device.as_ref()
    }

    /// The device, for those who say what memory is where.
    pub(crate) fn device_id(&self) -> Option<u32> {
        self.device.as_ref().map(|device| device.id())
    }

    /// How many bytes are out.
    pub(crate) fn used(&self) -> usize {
        lock(&self.state).used.now
    }

    pub(super) fn take(self: &Arc<Self>, device: &Device, size: usize) -> Option<Taken> {
        let mut state = lock(&self.state);
        let used = state.used.now.checked_add(size)?;
        let more = used.saturating_sub(state.reserved.now);
        let within = self.limit.is_none_or(|limit| used <= limit);
        if !within || !device.take_memory(more) {
            return None;
        }
        let reserved = state.reserved.now + more;
        state.reserved.set(reserved);
        state.used.set(used);
        drop(state);
        Some(Taken { pool: Arc::clone(self), size })
    }

    /// Returns unused memory to the device, except for so many bytes.
    pub(crate) fn trim(&self, keep: usize) {
        self.shrink(&mut lock(&self.state), keep);
    }

    fn shrink(&self, state: &mut State, keep: usize) {
        let rest = state.used.now.max(keep.min(state.reserved.now));
        let less = state.reserved.now - rest;
        state.reserved.set(rest);
        if let Some(device) = &self.device {
            device.give_memory_back(less);
        }
    }

    fn close(&self) {
        let mut state = lock(&self.state);
        state.threshold = 0;
        self.shrink(&mut state, 0);
    }

    /// An attribute (100000 when there is no such attribute).
    pub(crate) fn get(&self, attribute: aclrtMemPoolAttr) -> Answer<Value> {
        let state = lock(&self.state);
        if let Some(reuse) = reuse_of(attribute).and_then(|at| state.reuse.get(at)) {
            return Ok(Value::Word(*reuse));
        }
        Ok(Value::Bytes(match attribute {
            aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD => state.threshold,
            aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT => state.reserved.now as u64,
            aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH => state.reserved.highest as u64,
            aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT => state.used.now as u64,
            aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH => state.used.highest as u64,
            other => return Err(no_attribute(other)),
        }))
    }

    /// Sets an attribute. The highest amounts can be set to 0 alone, and count anew from then on.
    pub(crate) fn set(&self, attribute: aclrtMemPoolAttr, value: Value) -> Answer {
        let mut state = lock(&self.state);
        match (attribute, value) {
            (aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, Value::Bytes(bytes)) => state.threshold = bytes,
            (aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, Value::Bytes(0)) => state.reserved.forget(),
            (aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, Value::Bytes(0)) => state.used.forget(),
            (attribute, Value::Word(word)) => match reuse_of(attribute).and_then(|at| state.reuse.get_mut(at)) {
                Some(reuse) => *reuse = word,
                None => return Err(no_attribute(attribute)),
            },
            (
                aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT
                | aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT,
                _,
            ) => return Err(Failure::refused(format!("the attribute {} cannot be set", attribute.0))),
            _ => return Err(Failure::invalid(format!("the attribute {} cannot be set to this", attribute.0))),
        }
        Ok(())
    }
}

/// The place among the three attributes that say how memory is used again.
fn reuse_of(attribute: aclrtMemPoolAttr) -> Option<usize> {
    match attribute {
        aclrtMemPoolAttr::ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES => Some(0),
        aclrtMemPoolAttr::ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC => Some(1),
        aclrtMemPoolAttr::ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES => Some(2),
        _ => None,
    }
}

fn no_attribute(attribute: aclrtMemPoolAttr) -> Failure {
    Failure::invalid(format!("a memory pool has no attribute {}", attribute.0))
}

impl Amount {
    fn set(&mut self, now: usize) {
        self.now = now;
        self.highest = self.highest.max(now);
    }

    fn forget(&mut self) {
        self.highest = self.now;
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut state = lock(&self.pool.state);
        let used = state.used.now - self.size;
        state.used.set(used);
        let keep = usize::try_from(state.threshold).unwrap_or(usize::MAX);
        self.pool.shrink(&mut state, keep);
    }
}
