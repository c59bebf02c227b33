//! The session API of Huawei's graph engine (GE) as plain C.
//!
//! The engine's own API is C++. A shim of this crate (`shim/ascendcl_ge.cpp`) wraps it in plain C functions. The shim
//! is compiled when this crate is built on a machine with the toolkit's headers. [`Library::load`] loads it at its
//! first call. Without the headers nothing is compiled. Then the vendor's own C functions (`libge_runtime_wrapper.so`)
//! replace the shim; a function that they lack returns [`ABSENT`]. Without either library, the error of loading says
//! what to install.
//!
//! `shim/ascendcl_ge.h` states the ownership. Every function of [`Library`] is `unsafe`: it has the C signature and
//! checks nothing. The crate `ascendcl-ge` keeps the rules of use.

#![allow(missing_docs, non_camel_case_types, clippy::missing_safety_doc, clippy::too_many_arguments)]

mod library;
mod search;
mod wrapper;

pub use library::{Library, LoadError, Provider};
pub use search::{Place, VouchedFile};

use core::ffi::{c_char, c_void};

/// 0, a code of the engine, or [`EXCEPTION`].
pub type Status = u32;
pub const SUCCESS: Status = 0;
pub const FAILED: Status = 0xFFFF_FFFF;
pub const EXCEPTION: Status = 0xFFFF_FF00;
/// The loaded library is the vendor's wrapper and lacks this function.
pub const ABSENT: Status = 0xFFFF_FF01;
/// All allocators that the wrapper can distinguish are in use: [`ALLOCATORS`].
pub const NO_SLOT: Status = 0xFFFF_FF02;
/// The number of allocators that can be registered at a time with the vendor's wrapper.
pub const ALLOCATORS: usize = wrapper::ALLOCATORS;
/// The version of the C functions that this crate uses.
pub const ABI: u32 = 2;

/// How many sizes an input of an execution may have. The executor's shapes have no room for more.
pub const MAX_RANK: usize = 25;

#[repr(C)]
pub struct Session {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct Allocator {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct Outputs {
    _opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub keys: *const *const c_char,
    pub values: *const *const c_char,
    pub count: usize,
}

#[repr(i32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    OnnxFile = 0,
    OnnxMemory = 1,
    AirFile = 2,
    /// `start` points at a `ge::Graph`.
    Graph = 3,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Source {
    pub format: Format,
    pub path: *const c_char,
    pub start: *const c_void,
    pub bytes: usize,
}

#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Summary {
    pub is_static: i32,
    pub feature_memory_is_refreshable: i32,
    pub const_bytes: usize,
    pub feature_bytes: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Tensor {
    pub element: i32,
    pub dims: *const i64,
    pub rank: usize,
    pub address: *mut c_void,
    pub bytes: usize,
}

/// An array of pointers to `ge::Tensor`. The caller owns the tensors.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawTensors {
    pub tensors: *mut *mut c_void,
    pub count: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Calls {
    pub object: *mut c_void,
    pub allocate: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
    pub advise: unsafe extern "C" fn(*mut c_void, usize, *mut c_void) -> *mut c_void,
    pub free: unsafe extern "C" fn(*mut c_void, *mut c_void),
    pub address_of: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
}
