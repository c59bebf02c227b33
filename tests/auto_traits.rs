//! Which public types are `Send`, and which are `Sync`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use ascendcl::allocator::descriptor::*;
use ascendcl::allocator::*;
use ascendcl::context::*;
use ascendcl::error::{Code, CodeKind, InputError, MissingFunction, ObjectKind, VendorError};
use ascendcl::event::*;
use ascendcl::lane::*;
use ascendcl::library::*;
use ascendcl::memory::*;
use ascendcl::model::*;
use ascendcl::operator::{
    Absent, AnyInput, AnyTensor, Attribute, BoundOperator, DeviceTensor, SharedAnyTensor, SharedTensor,
};
use ascendcl::stream::*;
use ascendcl::thread::*;
use ascendcl::*;
use common::allocators::Empty;
use core::mem::MaybeUninit;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::collections::BTreeSet;

names!(Declared);

/// An allocator is `Send` and `Sync`, as every allocator must be.
type Pool = Empty;

// Proofs and views of a thread's state stay on their thread.
assert_not_impl_any!(Thread: Send, Sync, Clone);
assert_not_impl_any!(Current<Scoped<'static>>: Send, Sync, Clone);
assert_not_impl_any!(DefaultStream<Scoped<'static>>: Send, Sync, Clone);
assert_not_impl_any!(StreamOps<Scoped<'static>>: Sync, Clone);

/// An object of other code.
struct Foreign;
// SAFETY: it stands for nothing in the library.
unsafe impl ascendcl::raw::Attach for Foreign {
    const NAME: &'static str = "object";
    const ENDS_BEFORE: ascendcl::raw::EndsBefore = ascendcl::raw::EndsBefore::Streams;

    fn take_down(
        &self,
        _: &ascendcl::raw::EndingContext<'_>,
    ) -> core::result::Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}
assert_impl_all!(ascendcl::raw::Attached<Scoped<'static>, Foreign>: Send, Sync);
assert_not_impl_any!(ascendcl::raw::Attached<Scoped<'static>, Foreign>: Clone);
assert_not_impl_any!(ascendcl::raw::Attached<Scoped<'static>, Foreign, Stream<Scoped<'static>>>: Sync);
assert_not_impl_any!(ascendcl::raw::EndingContext<'static>: Send, Sync, Clone);
assert_impl_all!(ascendcl::raw::EndsBefore: Send, Sync, Copy);

// What crates beside this one keep.
assert_impl_all!(ascendcl::raw::KeptStream: Send);
assert_not_impl_any!(ascendcl::raw::KeptStream: Sync, Clone);
assert_not_impl_any!(ascendcl::raw::LentStream<'static, Scoped<'static>>: Send, Sync, Clone);
assert_impl_all!(ascendcl::raw::KeptMemory: Send, Sync, Clone);
assert_impl_all!(ascendcl::raw::RawTensor: Send, Sync, Clone);
assert_impl_all!(ascendcl::raw::LastUse: Send, Sync);
assert_not_impl_any!(ascendcl::raw::LastUse: Clone);
assert_impl_all!(ascendcl::raw::AllocatorSlot<Pool>: Send, Sync);
assert_not_impl_any!(ascendcl::raw::AllocatorSlot<Pool>: Clone);
assert_impl_all!(ascendcl::raw::SlotKeeper: Send, Sync, Clone);
assert_not_impl_any!(ascendcl::raw::AllocatorFunctions: Send, Sync);
assert_impl_all!(ascendcl::raw::LibraryUser: Send, Sync);
assert_impl_all!(ascendcl::raw::LibraryHold: Send, Sync);
assert_not_impl_any!(ascendcl::raw::LibraryHold: Clone);
assert_impl_all!(ascendcl::error::Extension: Send, Sync);
assert_impl_all!(ascendcl::error::ForeignKind: Send, Sync);
assert_impl_all!(ascendcl::error::Cited: Send, Sync, Copy);
assert_impl_all!(ascendcl::error::ShapesError: Send, Sync, std::error::Error);

// Used by one thread at a time: sent, not shared.
assert_impl_all!(Stream<Scoped<'static>, Undecided>: Send);
assert_not_impl_any!(Stream<Scoped<'static>, Undecided>: Sync, Clone);
assert_impl_all!(Stream<Scoped<'static>, DefaultAllocator>: Send);
assert_not_impl_any!(Stream<Scoped<'static>, DefaultAllocator>: Sync, Clone);
assert_impl_all!(Stream<Scoped<'static>, CustomAllocator<Pool>>: Send);
assert_not_impl_any!(Stream<Scoped<'static>, CustomAllocator<Pool>>: Sync, Clone);
assert_not_impl_any!(Stream<Scoped<'static>, RawAllocator>: Sync, Clone);
assert_impl_all!(Model<Scoped<'static>, OwnWorkspace>: Send);
assert_not_impl_any!(Model<Scoped<'static>>: Sync, Clone);
assert_not_impl_any!(Model<Scoped<'static>, SharedWorkspace<'static>>: Sync, Clone);
assert_impl_all!(BoundModel<Scoped<'static>>: Send);
assert_not_impl_any!(BoundModel<Scoped<'static>>: Sync, Clone);
assert_impl_all!(WorkspaceLane<'static, Scoped<'static>, DefaultAllocator>: Send);
assert_not_impl_any!(WorkspaceLane<'static, Scoped<'static>, DefaultAllocator>: Sync, Clone);
assert_impl_all!(AllocatorGroup<Scoped<'static>, Pool>: Send);
assert_not_impl_any!(AllocatorGroup<Scoped<'static>, Pool>: Clone);
assert_impl_all!(GroupStream<Scoped<'static>, Pool>: Send);
assert_not_impl_any!(GroupStream<Scoped<'static>, Pool>: Sync, Clone);
assert_not_impl_any!(GroupTurn<'static, Scoped<'static>, Pool>: Send, Sync, Clone);

assert_impl_all!(BoundOperator<Scoped<'static>, DeviceTensor<Scoped<'static>, f32>, DeviceTensor<Scoped<'static>, f32>>: Send);
assert_not_impl_any!(BoundOperator<Scoped<'static>, DeviceTensor<Scoped<'static>, f32>, ()>: Sync, Clone);

// Shared by reference, owned once.
assert_impl_all!(WorkspaceMutex<'static, Scoped<'static>>: Send, Sync);
assert_not_impl_any!(WorkspaceMutex<'static, Scoped<'static>>: Clone);
assert_impl_all!(Workspace<Scoped<'static>>: Send, Sync);
assert_not_impl_any!(Workspace<Scoped<'static>>: Clone);
assert_impl_all!(PoolAllocator: Send, Sync);
assert_not_impl_any!(PoolAllocator: Clone);
assert_impl_all!(PoolBlock: Send, Sync);
assert_not_impl_any!(PoolBlock: Clone);
assert_impl_all!(IdleProof<'static, Scoped<'static>, Pool>: Send);
assert_not_impl_any!(IdleProof<'static, Scoped<'static>, Pool>: Clone);
assert_impl_all!(DeviceTensor<Scoped<'static>, f32>: Send, Sync);
assert_not_impl_any!(DeviceTensor<Scoped<'static>, f32>: Clone);
assert_impl_all!(SharedTensor<Scoped<'static>, f32>: Send, Sync, Clone);
assert_impl_all!(AnyTensor<Scoped<'static>>: Send, Sync);
assert_impl_all!(AnyTensor<Scoped<'static>, MaybeUninit<u8>>: Send, Sync);
assert_not_impl_any!(AnyTensor<Scoped<'static>>: Clone);
assert_impl_all!(SharedAnyTensor<Scoped<'static>>: Send, Sync, Clone);
assert_impl_all!(AnyInput<Scoped<'static>>: Send);
assert_not_impl_any!(AnyInput<Scoped<'static>>: Clone);
assert_impl_all!(Pending<Scoped<'static>, SharedAnyTensor<Scoped<'static>>>: Send, Clone);
assert_not_impl_any!(Pending<Scoped<'static>, AnyTensor<Scoped<'static>>>: Clone);
assert_impl_all!(Acl: Send, Sync);
assert_not_impl_any!(Acl: Clone);
assert_impl_all!(Device<'static>: Send, Sync);
assert_not_impl_any!(Device<'static>: Clone);
assert_impl_all!(Context<Scoped<'static>>: Send, Sync);

// Values of a runtime can be stored anywhere.
enum Vision {}
impl Name for Vision {}
assert_impl_all!(Runtime<Vision>: Send, Sync);
assert_not_impl_any!(Runtime<Vision>: Clone);
assert_impl_all!(ascendcl::runtime::Actor<Vision, std::rc::Rc<u8>>: Send, Sync);
assert_impl_all!(ascendcl::runtime::Answer<u8>: Send, Sync, Unpin);
assert_not_impl_any!(ascendcl::runtime::Answer<std::rc::Rc<u8>>: Send, Sync);
assert_not_impl_any!(ascendcl::runtime::Answer<u8>: Clone);
assert_impl_all!(ascendcl::runtime::CloseError: Send, Sync, std::error::Error);
assert_impl_all!(WhenDone<Vision, ()>: Send);
assert_not_impl_any!(WhenDone<Vision, ()>: Clone);
assert_impl_all!(Model<Vision>: Send);
assert_impl_all!(Pending<Vision, DeviceBuffer<Vision, f32>>: Send);
assert_not_impl_any!(Current<Vision>: Send, Sync, Clone);
assert_not_impl_any!(Context<Scoped<'static>>: Clone);
assert_impl_all!(Event<Scoped<'static>, Unrecorded>: Send, Sync);
assert_not_impl_any!(Event<Scoped<'static>, Recorded>: Clone);
assert_impl_all!(Event<Scoped<'static>, Unrecorded, Timing>: Send, Sync);
assert_not_impl_any!(Event<Scoped<'static>, Recorded, Waiting>: Clone);
assert_impl_all!(AllPurpose: Send, Sync, Copy);
assert_impl_all!(Progress: Send, Sync, Copy);
assert_impl_all!(Pages<f32>: Send, Sync);
assert_not_impl_any!(Pages<f32>: Clone);
assert_impl_all!(Rows: Send, Sync, Copy);
assert_impl_all!(peer::PeerAccess<Vision, Scoped<'static>>: Send, Sync);
assert_not_impl_any!(peer::PeerAccess<Vision, Scoped<'static>>: Clone);
assert_impl_all!(DeviceBuffer<Scoped<'static>, f32>: Send, Sync);
assert_impl_all!(DeviceBuffer<Scoped<'static>, MaybeUninit<f32>>: Send, Sync);
assert_not_impl_any!(DeviceBuffer<Scoped<'static>, f32>: Clone);
assert_impl_all!(SharedBuffer<Scoped<'static>, f32>: Send, Sync, Clone);
assert_impl_all!(DeviceArena<Scoped<'static>>: Send, Sync);
assert_not_impl_any!(DeviceArena<Scoped<'static>>: Clone);
assert_impl_all!(Pending<Scoped<'static>, SharedBuffer<Scoped<'static>, f32>>: Send, Clone);
assert_impl_all!(Pending<Scoped<'static>, SharedTensor<Scoped<'static>, f32>>: Send, Clone);
assert_not_impl_any!(Pending<Scoped<'static>, DeviceTensor<Scoped<'static>, f32>>: Clone);
assert_impl_all!(InputMemory<Scoped<'static>, f32>: Send, Sync);
assert_not_impl_any!(InputMemory<Scoped<'static>, f32>: Clone);
assert_impl_all!(HostBuffer<Scoped<'static>, F16>: Send, Sync);
assert_not_impl_any!(HostBuffer<Scoped<'static>, F16>: Clone);
assert_impl_all!(Weights<Scoped<'static>>: Send, Sync, Clone);
assert_impl_all!(Pending<Scoped<'static>, DeviceBuffer<Scoped<'static>, f32>>: Send);
assert_not_impl_any!(Pending<Scoped<'static>, Model<Scoped<'static>>>: Sync, Clone);
assert_not_impl_any!(Pending<Scoped<'static>, DeviceBuffer<Scoped<'static>, f32>>: Clone);

assert_impl_all!(Mapped<Scoped<'static>, DeviceBuffer<Scoped<'static>, f32>, fn(DeviceBuffer<Scoped<'static>, f32>)>: Send);
assert_not_impl_any!(Mapped<Scoped<'static>, Model<Scoped<'static>>, fn(Model<Scoped<'static>>)>: Sync, Clone);
assert_impl_all!(HostFnResult<u8>: Send, Sync);
assert_not_impl_any!(HostFnResult<u8>: Clone);

// Have the current context for as long as they live.
assert_not_impl_any!(Completion<'static, Scoped<'static>, ()>: Send, Sync, Clone);
assert_not_impl_any!(CopyScope<'static, 'static, Scoped<'static>>: Send, Sync, Clone);

// Holds a pointer of the caller's, who vouches when it is registered.
assert_impl_all!(Descriptor<Object, Allocate, Free, Address>: Send);
assert_not_impl_any!(Descriptor<Object, Allocate, Free, Address>: Sync);
assert_impl_all!(Stream<Scoped<'static>, RawAllocator>: Send);

// Values without ties to the library.
assert_impl_all!(Library: Send, Sync, Clone);
assert_impl_all!(AppLog: Send, Sync, Clone);
assert_impl_all!(LogLevel: Send, Sync, Clone);
assert_impl_all!(MemoryPolicy: Send, Sync, Clone);
assert_impl_all!(DeviceProperties: Send, Sync, Clone);
assert_impl_all!(Bf16: Send, Sync, Clone);
assert_impl_all!(InterfaceVersion: Send, Sync, Copy);
assert_impl_all!(Loaded: Send, Sync, Copy);
assert_impl_all!(Package: Send, Sync, Copy);
assert_impl_all!(Setup: Send, Sync, Clone);
assert_impl_all!(Recovered<'static>: Send, Sync);
assert_impl_all!(ascendcl::foreign::Foreign<u8>: Send, Sync);
assert_impl_all!(RunMode: Send, Sync, Copy);
assert_impl_all!(StreamOptions: Send, Sync, Copy);
assert_impl_all!(MemoryInfo: Send, Sync, Copy);
assert_impl_all!(Code: Send, Sync, Copy);
assert_impl_all!(CodeKind: Send, Sync, Copy);
assert_impl_all!(DeviceAddress: Send, Sync, Copy);
assert_impl_all!(ElementType: Send, Sync, Copy);
assert_impl_all!(F16: Send, Sync, Copy);
assert_impl_all!(Bool: Send, Sync, Copy);
assert_impl_all!(Input<'static>: Send, Sync, Clone);
assert_impl_all!(Output: Send, Sync, Clone);
assert_impl_all!(Outputs: Send, Sync, Clone);
assert_impl_all!(TensorInfo: Send, Sync, Clone);
assert_impl_all!(ModelSource<'static>: Send, Sync, Copy);
assert_impl_all!(ModelSize: Send, Sync, Copy);
assert_impl_all!(IndexOrName<'static>: Send, Sync, Copy);
assert_impl_all!(LaneWorkspace: Send, Sync, Copy);
assert_impl_all!(Load<'static, Scoped<'static>>: Send, Sync);
assert_impl_all!(Unnamed: Send, Sync, Copy);
assert_impl_all!(ContextId: Send, Sync, Copy);
assert_impl_all!(ObjectKind: Send, Sync, Copy);
assert_impl_all!(Gears: Send, Sync, Clone);
assert_impl_all!(OutputBuffer<'static>: Send, Sync, Copy);
assert_impl_all!(PoolStatistics: Send, Sync, Copy);
assert_impl_all!(Operator: Send, Sync, Clone);
assert_impl_all!(Absent: Send, Sync, Copy);
assert_impl_all!(Attribute: Send, Sync, Clone);

// The compiler's message about a model that threads share advises a lock.
assert_impl_all!(std::sync::Mutex<Model<Declared>>: Send, Sync);
assert_impl_all!(std::sync::Mutex<BoundModel<Declared>>: Send, Sync);

// What a program derives on a struct with the context as a parameter is asked of the context, too.
assert_impl_all!(Scoped<'static, Unnamed>: Copy, Eq, core::hash::Hash, core::fmt::Debug);
assert_impl_all!(Declared: Copy, Eq, core::hash::Hash, core::fmt::Debug);

// Errors go anywhere; one that gives an object back goes where the object may go.
assert_impl_all!(Error: Send, Sync, std::error::Error);
assert_impl_all!(VendorError: Send, Sync, Clone, std::error::Error);
assert_impl_all!(MissingFunction: Send, Sync, Clone, std::error::Error);
assert_impl_all!(InputError: Send, Sync, Clone, std::error::Error);
assert_impl_all!(Failed<Stream<Scoped<'static>>>: Send);
assert_impl_all!(Box<dyn std::error::Error>: From<Failed<Stream<Scoped<'static>>>>);
assert_impl_all!(Box<dyn std::error::Error + Send + Sync>: From<Failed<Stream<Scoped<'static>>>>);
assert_not_impl_any!(Failed<Stream<Scoped<'static>>>: Sync);
assert_impl_all!(ScopeError<u8>: Send, Sync, std::error::Error);
assert_impl_all!(ascendcl::library::LibraryFile: Send, Sync, Clone);
assert_impl_all!(RunError<Error>: Send, Sync, std::error::Error);

assert_impl_all!(RuleId: Send, Sync, Copy);
assert_impl_all!(ObjectKind: Send, Sync, Copy);
assert_impl_all!(Gears: Send, Sync, Clone);
assert_impl_all!(OutputBuffer<'static>: Send, Sync, Copy);

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

/// The types that the crate's root exports; traits, aliases, functions and modules aside.
fn public_names() -> Vec<&'static str> {
    const OTHERS: [&str; 17] = [
        "OrDrop",
        "Result",
        "Brand",
        "InScope",
        "Name",
        "Destination",
        "DeviceAllocator",
        "Element",
        "EventState",
        "ProvesIdle",
        "RunsAlone",
        "ThreadToken",
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
        names.filter(|name| name.starts_with(char::is_uppercase) && !OTHERS.contains(name) && !name.starts_with("Can"));
    types.collect()
}

#[test]
fn states_names_and_brands_have_no_size() {
    assert_eq!(size_of::<Undecided>() + size_of::<DefaultAllocator>() + size_of::<Unnamed>(), 0);
    assert_eq!(size_of::<Stream<Scoped<'static>, DefaultAllocator>>(), size_of::<usize>());
    assert_eq!(size_of::<Event<Scoped<'static>, Recorded>>(), size_of::<usize>());
    assert_eq!(size_of::<Current<Scoped<'static>>>(), size_of::<usize>());
    assert_eq!(size_of::<Thread>(), 0);
    assert_eq!(size_of::<HostBuffer<Scoped<'static>, f32>>(), size_of::<usize>());
}
