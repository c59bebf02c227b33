//! The engine's C++ objects, as code outside of this project makes them.

use crate::Double;
use core::ffi::{c_char, c_int, c_void};
use core::ptr::NonNull;

/// A `ge::Graph`.
#[derive(Debug)]
pub struct GraphObject(Double, NonNull<c_void>);

/// A `ge::Tensor` over memory of the caller's.
#[derive(Debug)]
pub struct TensorObject(Double, NonNull<c_void>);

#[derive(Debug)]
pub(crate) struct Functions {
    graph: unsafe extern "C" fn(*const c_char, usize) -> *mut c_void,
    graph_free: unsafe extern "C" fn(*mut c_void),
    tensor: unsafe extern "C" fn(c_int, *const i64, usize, *mut c_void, usize) -> *mut c_void,
    tensor_address: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    tensor_bytes: unsafe extern "C" fn(*mut c_void) -> usize,
    tensor_free: unsafe extern "C" fn(*mut c_void),
    tensors_free: unsafe extern "C" fn(*mut *mut c_void, usize),
}

impl GraphObject {
    /// A graph out of a model file's bytes.
    pub fn new(double: Double, model: &[u8]) -> Self {
        // SAFETY: the function reads as many bytes as stated during the call. The slice has so many.
        let made = unsafe { (double.0.objects.graph)(model.as_ptr().cast(), model.len()) };
        Self(double, object(made))
    }

    /// Where it is.
    pub fn as_ptr(&self) -> NonNull<c_void> {
        self.1
    }
}

impl TensorObject {
    /// A tensor of this element type and shape, over memory that stays the caller's.
    pub fn new(double: Double, element: i32, dims: &[i64], address: usize, bytes: usize) -> Self {
        let address = core::ptr::with_exposed_provenance_mut(address);
        // SAFETY: the function reads as many sizes as stated during the call, and only notes the address. The slice has
        // so many.
        let made = unsafe { (double.0.objects.tensor)(element, dims.as_ptr(), dims.len(), address, bytes) };
        Self(double, object(made))
    }

    /// Where it is.
    pub fn as_ptr(&self) -> NonNull<c_void> {
        self.1
    }
}

/// Address and size of the memory of a tensor in an array that the wrapper has answered with.
///
/// # Safety
///
/// The array is one that the wrapper has answered with, has more than `index` tensors, and was not released.
pub unsafe fn tensor_memory(double: Double, tensors: *mut *mut c_void, index: usize) -> (*mut c_void, usize) {
    let functions = &double.0.objects;
    // SAFETY: `tensors` has to have more than `index` tensors, which the caller of this function promises (its safety
    // section).
    unsafe {
        let tensor = *tensors.add(index);
        ((functions.tensor_address)(tensor), (functions.tensor_bytes)(tensor))
    }
}

/// Releases what the wrapper has answered with.
///
/// # Safety
///
/// The array is one that the wrapper has answered with, of this length, and is released once.
pub unsafe fn free_tensors(double: Double, tensors: *mut *mut c_void, count: usize) {
    // SAFETY: the function asks for an answer of the wrapper, of this length, once. The caller of this function
    // promises that (its safety section).
    unsafe { (double.0.objects.tensors_free)(tensors, count) }
}

impl Functions {
    /// # Safety
    ///
    /// The library is the double's, whose functions have the signatures of its header.
    pub(crate) unsafe fn of(library: &libloading::Library) -> Result<Self, libloading::Error> {
        // SAFETY: `Library::get` asks that a symbol has the type that it is taken as. The caller of this function
        // promises that (its safety section).
        unsafe {
            Ok(Self {
                graph: *library.get("ge_double_graph")?,
                graph_free: *library.get("ge_double_graph_free")?,
                tensor: *library.get("ge_double_tensor")?,
                tensor_address: *library.get("ge_double_tensor_address")?,
                tensor_bytes: *library.get("ge_double_tensor_bytes")?,
                tensor_free: *library.get("ge_double_tensor_free")?,
                tensors_free: *library.get("ge_double_tensors_free")?,
            })
        }
    }
}

impl Drop for GraphObject {
    fn drop(&mut self) {
        // SAFETY: the function asks for an object that this library made, once. `new` made it, and `drop` runs once.
        unsafe { (self.0.0.objects.graph_free)(self.1.as_ptr()) }
    }
}

impl Drop for TensorObject {
    fn drop(&mut self) {
        // SAFETY: the function asks for an object that this library made, once. `new` made it, and `drop` runs once.
        unsafe { (self.0.0.objects.tensor_free)(self.1.as_ptr()) }
    }
}

/// `new` of C++ throws, and does not answer null.
fn object(made: *mut c_void) -> NonNull<c_void> {
    NonNull::new(made).unwrap_or_else(|| std::alloc::handle_alloc_error(std::alloc::Layout::new::<usize>()))
}
