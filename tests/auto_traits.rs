//! Which public types may be sent to other threads, and which may be shared between them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use ascendcl::descriptor::*;
use ascendcl::operator::{Absent, Attribute, BoundOperator};
use ascendcl::*;
use core::mem::MaybeUninit;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::collections::BTreeSet;

/// An allocator, which may be sent and shared as every allocator may.
struct Pool;

// SAFETY: it hands out no memory.
unsafe impl DeviceAllocator for Pool {
    type Block = DeviceAddress;

    fn allocate(&self, _: usize) -> Option<DeviceAddress> {
        None
    }

    fn address(&self, block: &DeviceAddress) -> DeviceAddress {
        *block
    }

    fn free(&self, _: DeviceAddress) {}

    fn serves(&self, _: ContextId) -> bool {
        true
    }
}

// Proofs and views of a thread's state stay on their thread.
assert_not_impl_any!(Thread: Send, Sync, Clone);
assert_not_impl_any!(Current<'static>: Send, Sync, Clone);
assert_not_impl_any!(DefaultStream<'static>: Send, Sync, Clone);
assert_not_impl_any!(Tasks<'static>: Sync, Clone);

// Used by one thread at a time: sent, not shared.
assert_impl_all!(Stream<'static, Fresh>: Send);
assert_not_impl_any!(Stream<'static, Fresh>: Sync, Clone);
assert_impl_all!(Stream<'static, Plain>: Send);
assert_not_impl_any!(Stream<'static, Plain>: Sync, Clone);
assert_impl_all!(Stream<'static, With<Pool>>: Send);
assert_not_impl_any!(Stream<'static, With<Pool>>: Sync, Clone);
assert_not_impl_any!(Stream<'static, WithDescriptor>: Sync, Clone);
assert_impl_all!(Model<'static, Unnamed, Alone>: Send);
assert_not_impl_any!(Model<'static>: Sync, Clone);
assert_not_impl_any!(Model<'static, Unnamed, InLane<'static>>: Sync, Clone);
assert_impl_all!(Prepared<'static>: Send);
assert_not_impl_any!(Prepared<'static>: Sync, Clone);
assert_impl_all!(Lane<'static, 'static, Plain>: Send);
assert_not_impl_any!(Lane<'static, 'static, Plain>: Sync, Clone);
assert_impl_all!(Permit<'static, Pool>: Send);
assert_not_impl_any!(Permit<'static, Pool>: Clone);
assert_impl_all!(Member<'static, Pool>: Send);
assert_not_impl_any!(Member<'static, Pool>: Sync, Clone);
assert_not_impl_any!(Turn<'static, 'static, Pool>: Send, Sync, Clone);

assert_impl_all!(BoundOperator<'static, DeviceTensor<'static, f32>, DeviceTensor<'static, f32>>: Send);
assert_not_impl_any!(BoundOperator<'static, DeviceTensor<'static, f32>, ()>: Sync, Clone);

// Shared by reference, owned once.
assert_impl_all!(SharedLane<'static, 'static>: Send, Sync);
assert_not_impl_any!(SharedLane<'static, 'static>: Clone);
assert_impl_all!(Workspace<'static>: Send, Sync);
assert_not_impl_any!(Workspace<'static>: Clone);
assert_impl_all!(PoolAllocator: Send, Sync);
assert_not_impl_any!(PoolAllocator: Clone);
assert_impl_all!(PoolBlock: Send, Sync);
assert_not_impl_any!(PoolBlock: Clone);
assert_impl_all!(Idle<'static, 'static, Pool>: Send);
assert_not_impl_any!(Idle<'static, 'static, Pool>: Clone);
assert_impl_all!(DeviceTensor<'static, f32>: Send, Sync);
assert_not_impl_any!(DeviceTensor<'static, f32>: Clone);
assert_impl_all!(Acl: Send, Sync);
assert_not_impl_any!(Acl: Clone);
assert_impl_all!(Device<'static>: Send, Sync);
assert_not_impl_any!(Device<'static>: Clone);
assert_impl_all!(Context<'static>: Send, Sync);
assert_not_impl_any!(Context<'static>: Clone);
assert_impl_all!(Event<'static, Unrecorded>: Send, Sync);
assert_not_impl_any!(Event<'static, Recorded>: Clone);
assert_impl_all!(DeviceBuffer<'static, f32>: Send, Sync);
assert_impl_all!(DeviceBuffer<'static, MaybeUninit<f32>>: Send, Sync);
assert_not_impl_any!(DeviceBuffer<'static, f32>: Clone);
assert_impl_all!(HostBuffer<'static, F16>: Send, Sync);
assert_not_impl_any!(HostBuffer<'static, F16>: Clone);
assert_impl_all!(Weights<'static>: Send, Sync, Clone);
assert_impl_all!(Pending<'static, DeviceBuffer<'static, f32>>: Send);
assert_not_impl_any!(Pending<'static, Model<'static>>: Sync, Clone);
assert_not_impl_any!(Pending<'static, DeviceBuffer<'static, f32>>: Clone);

assert_impl_all!(Mapped<'static, DeviceBuffer<'static, f32>, fn(DeviceBuffer<'static, f32>)>: Send);
assert_not_impl_any!(Mapped<'static, Model<'static>, fn(Model<'static>)>: Sync, Clone);
assert_impl_all!(Reply<u8>: Send, Sync);
assert_not_impl_any!(Reply<u8>: Clone);

// Have the current context for as long as they live.
assert_not_impl_any!(Completion<'static, 'static, ()>: Send, Sync, Clone);
assert_not_impl_any!(Lender<'static, 'static, 'static>: Send, Sync, Clone);

// Holds a pointer of the caller's, who vouches when it is registered.
assert_impl_all!(Descriptor<Object, Allocate, Free, Address>: Send);
assert_not_impl_any!(Descriptor<Object, Allocate, Free, Address>: Sync);
assert_impl_all!(Stream<'static, WithDescriptor>: Send);

// Values without ties to the library.
assert_impl_all!(Library: Send, Sync, Clone);
assert_impl_all!(Loaded: Send, Sync, Copy);
assert_impl_all!(Setup: Send, Sync, Clone);
assert_impl_all!(Recovered<'static>: Send, Sync);
assert_impl_all!(ascendcl::foreign::Foreign<u8>: Send, Sync);
assert_impl_all!(RunMode: Send, Sync, Copy);
assert_impl_all!(MemoryInfo: Send, Sync, Copy);
assert_impl_all!(Code: Send, Sync, Copy);
assert_impl_all!(CodeKind: Send, Sync, Copy);
assert_impl_all!(DeviceAddress: Send, Sync, Copy);
assert_impl_all!(ElementType: Send, Sync, Copy);
assert_impl_all!(F16: Send, Sync, Copy);
assert_impl_all!(Input<'static>: Send, Sync, Clone);
assert_impl_all!(Output: Send, Sync, Clone);
assert_impl_all!(Outputs: Send, Sync, Clone);
assert_impl_all!(TensorInfo: Send, Sync, Clone);
assert_impl_all!(ModelSource<'static>: Send, Sync, Copy);
assert_impl_all!(ModelSize: Send, Sync, Copy);
assert_impl_all!(Which<'static>: Send, Sync, Copy);
assert_impl_all!(OfTheLane: Send, Sync, Copy);
assert_impl_all!(Load<'static, 'static>: Send, Sync);
assert_impl_all!(Unnamed: Send, Sync, Copy);
assert_impl_all!(ContextId: Send, Sync, Copy);
assert_impl_all!(Gears: Send, Sync, Clone);
assert_impl_all!(Room<'static>: Send, Sync, Copy);
assert_impl_all!(PoolStatistics: Send, Sync, Copy);
assert_impl_all!(Operator: Send, Sync, Clone);
assert_impl_all!(Absent: Send, Sync, Copy);
assert_impl_all!(Attribute: Send, Sync, Clone);

// Errors go anywhere; one that gives an object back goes where the object may go.
assert_impl_all!(Error: Send, Sync, std::error::Error);
assert_impl_all!(VendorError: Send, Sync, Clone, std::error::Error);
assert_impl_all!(MissingFunction: Send, Sync, Clone, std::error::Error);
assert_impl_all!(InputError: Send, Sync, Clone, std::error::Error);
assert_impl_all!(Undone<Stream<'static>>: Send, std::error::Error);
assert_not_impl_any!(Undone<Stream<'static>>: Sync);
assert_impl_all!(ScopeError<u8>: Send, Sync, std::error::Error);
assert_impl_all!(ascendcl::LibraryFile: Send, Sync, Clone);
assert_impl_all!(RunError<Error>: Send, Sync, std::error::Error);

assert_impl_all!(RuleId: Send, Sync, Copy);
assert_impl_all!(Gears: Send, Sync, Clone);
assert_impl_all!(Room<'static>: Send, Sync, Copy);

#[test]
fn every_public_type_stands_in_an_assertion() {
    let asserted: BTreeSet<&str> = include_str!("auto_traits.rs")
        .lines()
        .filter(|line| line.starts_with("assert_"))
        .flat_map(|line| line.split(|c: char| !c.is_alphanumeric()))
        .collect();
    let missing: Vec<&str> = public_names().into_iter().filter(|name| !asserted.contains(name)).collect();
    assert_eq!(missing, [""; 0], "public types without an assertion");
}

/// The types that the crate's root exports; traits, functions and modules aside.
fn public_names() -> Vec<&'static str> {
    const TRAITS: [&str; 12] = [
        "Destination",
        "DeviceAllocator",
        "Element",
        "EventState",
        "ProvesIdle",
        "RunsAlone",
        "OnThread",
        "Operand",
        "Payload",
        "State",
        "StreamState",
        "TakesAllocator",
    ];
    let root = include_str!("../src/lib.rs");
    let exports = root.split("pub use ").skip(1).map(|rest| rest.split(';').next().unwrap());
    let names = exports.flat_map(|export| export.split(|c: char| !c.is_alphanumeric()));
    let types =
        names.filter(|name| name.starts_with(char::is_uppercase) && !TRAITS.contains(name) && !name.starts_with("Can"));
    types.collect()
}

#[test]
fn states_names_and_brands_have_no_size() {
    assert_eq!(size_of::<Fresh>() + size_of::<Plain>() + size_of::<Unnamed>(), 0);
    assert_eq!(size_of::<Stream<'static, Plain, Unnamed>>(), size_of::<usize>());
    assert_eq!(size_of::<Event<'static, Recorded>>(), size_of::<usize>());
    assert_eq!(size_of::<Current<'static>>(), size_of::<usize>());
    assert_eq!(size_of::<Thread>(), 0);
    assert_eq!(size_of::<HostBuffer<'static, f32>>(), size_of::<usize>());
}
