//! Allocators made of C functions.

pub use crate::ffi::{
    Address, AddressFn, Allocate, AllocateFn, AllocateNearFn, Descriptor, Free, FreeFn, HasAddress, HasAllocate,
    HasFree, HasObject, LacksAddress, LacksAllocate, LacksFree, LacksObject, NoAddress, NoAllocate, NoFree, NoObject,
    Object,
};
