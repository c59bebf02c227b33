//! Allocators of callers: their descriptors, and which stream uses which.
//!
//! A registration is a copy of the descriptor under the stream's number, whatever that number is; it stays when the
//! stream or the descriptor is destroyed, as in the vendor's library. Numbers are not reused here, so no new stream
//! inherits it.

use super::handles;
use super::locks::lock;
use crate::abi::{AllocatorFunctions, AllocatorMembers};
use crate::failure::{Answer, Failure};
use ascendcl_sys::types::{aclrtAllocatorDesc, aclrtStream};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

struct Book {
    descriptors: BTreeMap<usize, AllocatorMembers>,
    /// The descriptors destroyed last: the vendor's library goes on accepting them.
    destroyed: VecDeque<(usize, AllocatorMembers)>,
    registrations: BTreeMap<usize, Registration>,
}

/// What a stream's allocator is.
#[derive(Clone, Copy)]
pub(crate) struct Registration {
    descriptor: usize,
    pub(crate) members: AllocatorMembers,
}

static BOOK: Mutex<Book> =
    Mutex::new(Book { descriptors: BTreeMap::new(), destroyed: VecDeque::new(), registrations: BTreeMap::new() });

/// The allocator that serves operators and dynamic models on this stream.
#[allow(dead_code, reason = "for operators and models whose shapes vary")]
pub(crate) fn of_stream(handle: aclrtStream) -> Option<AllocatorFunctions> {
    registration(handle)?.members.complete()
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

/// Registers a copy of the descriptor for the stream with this handle, which is not looked at.
pub(crate) fn register(stream: aclrtStream, handle: aclrtAllocatorDesc) -> Answer {
    let mut book = lock(&BOOK);
    let members = *book.descriptor(handle).ok_or_else(|| Failure::unknown("allocator descriptor"))?;
    if let Some(missing) = members.missing() {
        return Err(Failure::invalid(format!("the allocator descriptor lacks its {missing}")));
    }
    book.registrations.insert(stream.0.addr(), Registration { descriptor: handle.0.addr(), members });
    Ok(())
}

/// Nothing registered is no failure.
pub(crate) fn unregister(stream: aclrtStream) {
    lock(&BOOK).registrations.remove(&stream.0.addr());
}

/// How many descriptors were not destroyed.
pub(crate) fn count() -> usize {
    lock(&BOOK).descriptors.len()
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
