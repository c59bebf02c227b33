//! Allocators of callers: their descriptors, and which stream uses which.
//!
//! A registration is a copy of the descriptor under the stream's number, whatever that number is; it stays when the
//! stream or the descriptor is destroyed, as in the vendor's library. Numbers are not reused here, so no new stream
//! inherits it.

pub(crate) mod blocks;
pub(crate) mod calls;
pub(crate) mod scratch;

use crate::abi::AllocatorMembers;
use crate::config;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::allocators::scratch::Supply;
use crate::machine::contexts::context::Context;
use crate::machine::handles;
use crate::machine::streams::stream::Stream;
use ascendcl_sys::types::{aclrtAllocatorDesc, aclrtStream};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

struct Book {
    descriptors: BTreeMap<usize, AllocatorMembers>,
    /// The descriptors that were destroyed last. The vendor's library still accepts them.
    destroyed: VecDeque<(usize, AllocatorMembers)>,
    registrations: BTreeMap<usize, Registration>,
}

/// A stream's allocator.
#[derive(Clone, Copy)]
pub(crate) struct Registration {
    descriptor: usize,
    pub(crate) members: AllocatorMembers,
}

static BOOK: Mutex<Book> =
    Mutex::new(Book { descriptors: BTreeMap::new(), destroyed: VecDeque::new(), registrations: BTreeMap::new() });

/// Where the memory of a single operator on this stream comes from. The first one that runs without an allocator
/// decides for the stream's whole life (ALLOC-15).
pub(crate) fn for_operator(stream: &Stream, context: &Arc<Context>) -> Supply {
    let supply = for_model(stream, context);
    if matches!(supply, Supply::Own(_)) {
        stream.set_built_in();
    }
    supply
}

/// Where the memory of a model whose shapes vary comes from, when it runs on this stream.
pub(crate) fn for_model(stream: &Stream, context: &Arc<Context>) -> Supply {
    let found = registration(stream.handle()).filter(|_| !stream.is_built_in());
    let Some(functions) = found.and_then(|found| found.members.complete()) else {
        return Supply::Own(Arc::clone(context));
    };
    Supply::Caller(calls::lender(functions, stream))
}

pub(crate) fn registration(handle: aclrtStream) -> Option<Registration> {
    lock(&BOOK).registrations.get(&handle.0.addr()).copied()
}

pub(crate) fn create_descriptor() -> aclrtAllocatorDesc {
    let number = handles::fresh();
    lock(&BOOK).descriptors.insert(number, AllocatorMembers::default());
    aclrtAllocatorDesc(core::ptr::without_provenance_mut(number))
}

pub(crate) fn destroy_descriptor(handle: aclrtAllocatorDesc) -> Answer {
    /// How many destroyed descriptors are remembered.
    const REMEMBERED: usize = 64;
    let mut book = lock(&BOOK);
    let number = handle.0.addr();
    let members = book.descriptors.remove(&number).ok_or_else(|| Failure::unknown("allocator descriptor"))?;
    book.destroyed.push_back((number, members));
    if book.destroyed.len() > REMEMBERED {
        book.destroyed.pop_front();
    }
    Ok(())
}

/// Changes a descriptor.
pub(crate) fn set(handle: aclrtAllocatorDesc, change: impl FnOnce(&mut AllocatorMembers)) -> Answer {
    let mut book = lock(&BOOK);
    book.descriptor(handle).map(change).ok_or_else(|| Failure::unknown("allocator descriptor"))
}

/// Registers a copy of the descriptor for the stream with this handle. The handle is not checked.
pub(crate) fn register(stream: aclrtStream, handle: aclrtAllocatorDesc) -> Answer {
    let documented = config::is_documented();
    let mut book = lock(&BOOK);
    let members = *book.descriptor(handle).ok_or_else(|| Failure::unknown("allocator descriptor"))?;
    if let Some(missing) = members.missing(documented) {
        return Err(Failure::invalid(format!("the allocator descriptor lacks its {missing}")));
    }
    let registration = Registration { descriptor: handle.0.addr(), members };
    book.registrations.insert(stream.0.addr(), registration);
    Ok(())
}

/// Nothing registered is no failure.
pub(crate) fn unregister(stream: aclrtStream) -> Answer {
    lock(&BOOK).registrations.remove(&stream.0.addr());
    Ok(())
}

/// How many descriptors were not destroyed.
pub(crate) fn count() -> usize {
    lock(&BOOK).descriptors.len()
}

/// The allocators may be gone, so none is called from now on, even if blocks are still allocated.
pub(super) fn forget_all() {
    lock(&BOOK).registrations.clear();
    calls::forget_all();
}

pub(crate) fn clear() {
    let mut book = lock(&BOOK);
    book.descriptors.clear();
    book.destroyed.clear();
    book.registrations.clear();
}

impl Registration {
    pub(crate) fn descriptor(&self) -> aclrtAllocatorDesc {
        aclrtAllocatorDesc(core::ptr::without_provenance_mut(self.descriptor))
    }
}

impl Book {
    fn descriptor(&mut self, handle: aclrtAllocatorDesc) -> Option<&mut AllocatorMembers> {
        let number = handle.0.addr();
        let destroyed = self.destroyed.iter_mut().find(|(destroyed, _)| *destroyed == number);
        self.descriptors.get_mut(&number).or(destroyed.map(|(_, members)| members))
    }
}
