//! Allocators of the caller: descriptors, registration, lifetime.

use crate::case::{answered, saw};
use crate::objects::{bogus, device_0, stream};
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;

pub(crate) const CASES: &[(&str, fn())] = &[
    ("allocator: null args / unregistered", wrong_arguments),
    ("allocator: desc missing one member (zero heap)", missing_member_zero_heap),
    ("allocator: desc missing one member (dirty heap)", missing_member_dirty_heap),
    ("allocator: re-register, default stream", register_again),
    ("allocator: destroy desc while registered", destroy_while_registered),
    ("allocator: double destroy", destroy_twice),
    ("allocator: use after destroy", use_after_destroy),
    ("allocator: stream destroyed / bogus", stream_destroyed),
    ("allocator: without aclInit", without_init),
];

const NO_DESC: aclrtAllocatorDesc = aclrtAllocatorDesc::NULL;
const NO_STREAM: aclrtStream = aclrtStream::NULL;
const MEMBERS: [&str; 5] = ["obj", "allocFunc", "freeFunc", "allocAdviseFunc", "getAddrFromBlockFunc"];

// No case runs anything on a stream with an allocator, so the functions are never called.
unsafe extern "C" fn allocate(_: aclrtAllocator, _: usize) -> *mut c_void {
    null_mut()
}
unsafe extern "C" fn release(_: aclrtAllocator, _: aclrtAllocatorBlock) {}
unsafe extern "C" fn advise(_: aclrtAllocator, _: usize, _: aclrtAllocatorAddr) -> *mut c_void {
    null_mut()
}
unsafe extern "C" fn address(_: aclrtAllocatorBlock) -> *mut c_void {
    null_mut()
}

fn object() -> aclrtAllocator {
    aclrtAllocator(core::ptr::without_provenance_mut(0x1000))
}

fn create() -> aclrtAllocatorDesc {
    let desc = call!(allocator::aclrtAllocatorCreateDesc());
    assert!(!desc.is_null());
    desc
}

fn set(desc: aclrtAllocatorDesc, member: &str) {
    match member {
        "obj" => prepare!(allocator::aclrtAllocatorSetObjToDesc(desc, object())),
        "allocFunc" => prepare!(allocator::aclrtAllocatorSetAllocFuncToDesc(desc, Some(allocate))),
        "freeFunc" => prepare!(allocator::aclrtAllocatorSetFreeFuncToDesc(desc, Some(release))),
        "allocAdviseFunc" => prepare!(allocator::aclrtAllocatorSetAllocAdviseFuncToDesc(desc, Some(advise))),
        _ => prepare!(allocator::aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, Some(address))),
    }
}

/// A descriptor with all its members.
fn complete() -> aclrtAllocatorDesc {
    let desc = create();
    MEMBERS.iter().for_each(|member| set(desc, member));
    desc
}

/// The code and the descriptor that a stream's registration is looked up with.
fn by_stream(stream: aclrtStream) -> (i32, aclrtAllocatorDesc) {
    let (mut desc, mut object) = (NO_DESC, aclrtAllocator::NULL);
    let (mut allocate, mut release, mut advise, mut address) = (None, None, None, None);
    let code = call!(allocator::aclrtAllocatorGetByStream(
        stream,
        &mut desc,
        &mut object,
        &mut allocate,
        &mut release,
        &mut advise,
        &mut address
    ));
    (code, desc)
}

fn wrong_arguments() {
    device_0();
    let (stream, desc, no_object) = (stream(), complete(), aclrtAllocator::NULL);
    row!("Register(NULL stream, full desc)", allocator::aclrtAllocatorRegister(NO_STREAM, desc));
    row!("Register(stream, NULL desc)", allocator::aclrtAllocatorRegister(stream, NO_DESC));
    row!("Register(NULL, NULL)", allocator::aclrtAllocatorRegister(NO_STREAM, NO_DESC));
    row!("SetObjToDesc(desc, NULL)", allocator::aclrtAllocatorSetObjToDesc(desc, no_object));
    row!("SetObjToDesc(NULL, obj)", allocator::aclrtAllocatorSetObjToDesc(NO_DESC, object()));
    row!("SetAllocFuncToDesc(desc, NULL)", allocator::aclrtAllocatorSetAllocFuncToDesc(desc, None));
    row!("SetAllocFuncToDesc(NULL, fn)", allocator::aclrtAllocatorSetAllocFuncToDesc(NO_DESC, Some(allocate)));
    row!("SetFreeFuncToDesc(desc, NULL)", allocator::aclrtAllocatorSetFreeFuncToDesc(desc, None));
    row!("SetAllocAdviseFuncToDesc(desc, NULL)", allocator::aclrtAllocatorSetAllocAdviseFuncToDesc(desc, None));
    row!(
        "SetGetAddrFromBlockFuncToDesc(desc, NULL)",
        allocator::aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, None)
    );
    row!("DestroyDesc(NULL)", allocator::aclrtAllocatorDestroyDesc(NO_DESC));
    row!("Unregister(NULL)", allocator::aclrtAllocatorUnregister(NO_STREAM));
    answered("GetByStream(NULL stream)", by_stream(NO_STREAM).0);
    answered("GetByStream(stream not registered)", by_stream(stream).0);
    row!(
        "GetByStream(stream, NULL desc out)",
        allocator::aclrtAllocatorGetByStream(
            stream,
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut()
        )
    );
    row!("Unregister(stream never registered)", allocator::aclrtAllocatorUnregister(stream));
    row!("Unregister twice", allocator::aclrtAllocatorUnregister(stream));
}

fn missing_member_zero_heap() {
    saw("fresh process: heap memory happens to be zero");
    missing_member();
}

/// The process of this case runs with fresh heap memory set to non-zero bytes.
fn missing_member_dirty_heap() {
    saw("same, with mallopt(M_PERTURB): fresh heap memory is non-zero");
    missing_member();
}

fn missing_member() {
    device_0();
    let stream = stream();
    for missing in MEMBERS {
        let desc = create();
        MEMBERS.iter().filter(|member| **member != missing).for_each(|member| set(desc, member));
        let code = call!(allocator::aclrtAllocatorRegister(stream, desc));
        answered(&format!("Register(desc missing {missing})"), code);
    }
    row!("Register(CreateDesc() with nothing set)", allocator::aclrtAllocatorRegister(stream, create()));
}

fn register_again() {
    device_0();
    let (stream, a, b) = (stream(), complete(), complete());
    let mut default = NO_STREAM;
    row!("Register(s, A)", allocator::aclrtAllocatorRegister(stream, a));
    row!("Register(s, B)", allocator::aclrtAllocatorRegister(stream, b));
    let (code, found) = by_stream(stream);
    answered("GetByStream", code);
    saw(format!("returns B: {}", u8::from(found == b)));
    row!("Register(default stream via NULL)", allocator::aclrtAllocatorRegister(NO_STREAM, a));
    prepare!(stream::aclrtCtxGetCurrentDefaultStream(&mut default));
    row!("Register(CtxGetCurrentDefaultStream handle, A)", allocator::aclrtAllocatorRegister(default, a));
}

fn destroy_while_registered() {
    device_0();
    let (stream, desc) = (stream(), complete());
    row!("Register", allocator::aclrtAllocatorRegister(stream, desc));
    row!("DestroyDesc while registered", allocator::aclrtAllocatorDestroyDesc(desc));
    let (code, found) = by_stream(stream);
    answered("GetByStream after DestroyDesc", code);
    saw(format!("returned desc==destroyed desc: {}", u8::from(found == desc)));
    row!("Unregister", allocator::aclrtAllocatorUnregister(stream));
    answered("GetByStream after Unregister", by_stream(stream).0);
}

fn destroy_twice() {
    device_0();
    let desc = complete();
    row!("DestroyDesc", allocator::aclrtAllocatorDestroyDesc(desc));
    row!("DestroyDesc again (double destroy)", allocator::aclrtAllocatorDestroyDesc(desc));
}

fn use_after_destroy() {
    device_0();
    let (stream, desc) = (stream(), complete());
    prepare!(allocator::aclrtAllocatorDestroyDesc(desc));
    row!("SetObjToDesc(destroyed desc)", allocator::aclrtAllocatorSetObjToDesc(desc, object()));
    row!("Register(destroyed desc)", allocator::aclrtAllocatorRegister(stream, desc));
}

fn stream_destroyed() {
    device_0();
    let (destroyed, desc) = (stream(), complete());
    prepare!(allocator::aclrtAllocatorRegister(destroyed, desc));
    row!("DestroyStream while an allocator is registered", stream::aclrtDestroyStream(destroyed));
    answered("GetByStream(destroyed stream)", by_stream(destroyed).0);
    saw(format!("next created stream reuses the address: {}", u8::from(stream() == destroyed)));
    row!("Unregister(destroyed stream)", allocator::aclrtAllocatorUnregister(destroyed));
    row!("Register(destroyed stream, desc)", allocator::aclrtAllocatorRegister(destroyed, desc));
    row!("Register((void*)0x1234 bogus stream, desc)", allocator::aclrtAllocatorRegister(aclrtStream(bogus()), desc));
}

fn without_init() {
    let desc = complete();
    saw("CreateDesc without aclInit: non-NULL");
    row!(
        "Register(bogus stream) without aclInit/SetDevice",
        allocator::aclrtAllocatorRegister(aclrtStream(bogus()), desc)
    );
    row!("DestroyDesc without aclInit", allocator::aclrtAllocatorDestroyDesc(desc));
}
