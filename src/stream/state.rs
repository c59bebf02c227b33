//! What has been decided about a stream's allocator.

use crate::allocator::DeviceAllocator;
use crate::allocator::descriptor::{Address, Allocate, Descriptor, Free, Object};
use crate::ffi::Registered;
use core::fmt;
use std::sync::Weak;

/// Nothing has been decided yet: an allocator can still be registered.
#[derive(Debug)]
pub struct Fresh {
    _private: (),
}

/// The library allocates, for the rest of the stream's life (ALLOC-15).
#[derive(Debug)]
pub struct Plain {
    _private: (),
}

/// The allocator `A` is registered, and lives in the stream.
pub struct With<A: DeviceAllocator> {
    /// Weak: the stream's row owns the allocator, so that a forgotten handle keeps nothing.
    pub(super) allocator: Weak<Registered<A>>,
}

/// An allocator made of C functions is registered.
#[derive(Debug)]
pub struct WithDescriptor {
    pub(super) descriptor: CompleteDescriptor,
}

/// A descriptor with all four mandatory members.
pub(super) type CompleteDescriptor = Descriptor<Object, Allocate, Free, Address>;

impl Fresh {
    pub(super) const NEW: Self = Self { _private: () };
}

impl Plain {
    pub(super) const NEW: Self = Self { _private: () };
}

impl<A: DeviceAllocator> fmt::Debug for With<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "With<{}>", core::any::type_name::<A>())
    }
}

/// The states of a [`Stream`](crate::Stream).
pub trait StreamState: sealed::Sealed {}

impl StreamState for Fresh {}
impl StreamState for Plain {}
impl<A: DeviceAllocator> StreamState for With<A> {}
impl StreamState for WithDescriptor {}

/// States in which work that allocates can run.
#[diagnostic::on_unimplemented(
    message = "a stream in state `{Self}` cannot run work that allocates memory yet",
    label = "nothing has been decided about this stream's allocator",
    note = "ALLOC-04, ALLOC-05: an allocator is registered before the first execution; later it is ignored",
    note = "decide first: `stream.register(current, allocator)`, or `stream.without_allocator()` for the library's own memory"
)]
pub trait Decided: StreamState {}

impl Decided for Plain {}
impl<A: DeviceAllocator> Decided for With<A> {}
impl Decided for WithDescriptor {}

/// The state in which an allocator can be registered.
#[diagnostic::on_unimplemented(
    message = "an allocator cannot be registered on a stream in state `{Self}`",
    label = "expected a stream in state `Fresh`, as `current.stream()` makes it",
    note = "ALLOC-04, ALLOC-15: once a stream has been decided, a registration would be ignored",
    note = "make a new stream; or, if one allocator is to take the place of another, use `stream.replace(current, allocator)`"
)]
pub trait Undecided: StreamState {}

impl Undecided for Fresh {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Fresh {}
    impl Sealed for super::Plain {}
    impl<A: super::DeviceAllocator> Sealed for super::With<A> {}
    impl Sealed for super::WithDescriptor {}
}
