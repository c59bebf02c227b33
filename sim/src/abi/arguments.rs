//! Conversion of C arguments for the functions of [`calls`](crate::calls).

use ascendcl_sys::types::*;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::marker::PhantomData;
use std::borrow::Cow;

/// Turns one C argument into what the call works with.
pub(crate) trait FromC<Raw> {
    /// # Safety
    ///
    /// `raw` is an argument of a C call that is under way, and keeps the contract of this module's parent.
    unsafe fn from_c(raw: Raw) -> Self;
}

/// A place for a result (`T *out`), or null.
pub(crate) struct Out<'a, T>(*mut T, PhantomData<&'a mut T>);

impl<T> Out<'_, T> {
    /// No place at all: what is stored is lost.
    pub(crate) fn nowhere() -> Self {
        Self(core::ptr::null_mut(), PhantomData)
    }

    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Stores the result; does nothing when the caller gave no place for it.
    pub(crate) fn set(&mut self, value: T) {
        if !self.0.is_null() {
            // SAFETY: `write_unaligned` asks for memory that is valid for a write of `T`. A pointer argument that is
            // not null is, during the call: the C caller's contract (`abi`).
            unsafe { self.0.write_unaligned(value) }
        }
    }

    /// Stores at most `room` results in order. Returns the number of stored results.
    pub(crate) fn set_all(&mut self, values: impl IntoIterator<Item = T>, room: usize) -> usize {
        if self.0.is_null() {
            return 0;
        }
        let mut stored = 0;
        for value in values.into_iter().take(room) {
            // SAFETY: `add` and `write_unaligned` ask for memory that is valid for a write of `T` at that place. The
            // caller gave room for `room` values (C caller's contract (`abi`)), and `stored < room`.
            unsafe { self.0.add(stored).write_unaligned(value) };
            stored += 1;
        }
        stored
    }
}

/// A value to read and to replace (`T *inout`), or null.
pub(crate) struct InOut<'a, T>(*mut T, PhantomData<&'a mut T>);

impl<T: Copy> InOut<'_, T> {
    /// Stores what `with` makes of the value; `None` when the pointer is null.
    pub(crate) fn replace<E>(&mut self, with: impl FnOnce(T) -> Result<T, E>) -> Option<Result<(), E>> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: `read_unaligned` asks for an initialised `T`. A pointer argument that is not null points to one
        // during the call: the C caller's contract (`abi`).
        let value = with(unsafe { self.0.read_unaligned() });
        // SAFETY: `write_unaligned` asks for memory that is valid for a write of `T`. A pointer argument that is not
        // null is, during the call: that is the C caller's contract (`abi`).
        Some(value.map(|value| unsafe { self.0.write_unaligned(value) }))
    }
}

/// A structure or an array to read (`const T *in`), or null.
pub(crate) struct In<'a, T>(*const T, PhantomData<&'a T>);

impl<T> In<'_, T> {
    /// Where it starts, to hand it back to the caller.
    pub(super) fn start(&self) -> *const T {
        self.0
    }
}

impl<T: Copy> In<'_, T> {
    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    pub(crate) fn get(&self) -> Option<T> {
        // SAFETY: `read_unaligned` asks for an initialised `T`. A pointer argument that is not null points to one
        // during the call: the C caller's contract (`abi`).
        (!self.0.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }

    /// The first `length` elements; none when the pointer is null.
    pub(crate) fn list(&self, length: usize) -> Vec<T> {
        if self.0.is_null() {
            return Vec::new();
        }
        // SAFETY: `add` and `read_unaligned` ask for an initialised `T` at that place. The caller's array has `length`
        // elements, as the C signature pairs the two: the C caller's contract (`abi`).
        (0..length).map(|index| unsafe { self.0.add(index).read_unaligned() }).collect()
    }
}

impl<T> In<'_, *const T> {
    /// The first `length` pointers of a list, as names.
    pub(crate) fn names(&self, length: usize) -> Vec<Name<T>> {
        self.list(length).into_iter().map(|pointer| Name::new(pointer.addr())).collect()
    }
}

impl In<'_, *mut c_void> {
    /// The first `length` addresses of a list.
    pub(crate) fn addresses(&self, length: usize) -> Vec<Address> {
        self.list(length).into_iter().map(Address).collect()
    }
}

impl<T> In<'_, *mut T> {
    /// The first `length` pointers of a list, as names.
    pub(crate) fn names(&self, length: usize) -> Vec<Name<T>> {
        self.list(length).into_iter().map(|pointer| Name::new(pointer.addr())).collect()
    }
}

impl<T: Copy> In<'_, *const T> {
    /// A list of lists with these lengths.
    pub(crate) fn lists(&self, lengths: &[usize]) -> Vec<Vec<T>> {
        let pointers = self.list(lengths.len());
        pointers.into_iter().zip(lengths).map(|(pointer, &length)| In(pointer, PhantomData).list(length)).collect()
    }
}

impl In<'_, *const c_char> {
    /// The first `length` strings of a list; `None` where one is null.
    pub(crate) fn texts(&self, length: usize) -> Vec<Option<String>> {
        // SAFETY: `from_c` asks for null or a terminated string that stays in place for the length of the call. So is a
        // string of a list: the C caller's contract (`abi`).
        let text = |pointer| unsafe { Text::from_c(pointer) };
        self.list(length).into_iter().map(|pointer: *const c_char| text(pointer).get().map(Cow::into_owned)).collect()
    }
}

/// A C string, or null.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a>(Option<&'a CStr>);

impl<'a> Text<'a> {
    /// A text that a structure points to, which the caller keeps in place as long as the structure.
    pub(crate) fn member<T>(_structure: &In<'a, T>, text: *const c_char) -> Self {
        // SAFETY: `from_c` asks for null or a terminated string that stays in place for the length of the call. So is a
        // string of a structure: the C caller's contract (`abi`).
        unsafe { Self::from_c(text) }
    }

    pub(crate) fn of(text: &'a CStr) -> Self {
        Self(Some(text))
    }

    pub(crate) fn get(self) -> Option<Cow<'a, str>> {
        self.0.map(CStr::to_string_lossy)
    }
}

/// An address in device, pinned or ordinary host memory. The simulator never looks behind one without asking its own
/// tables or having the caller's word for the length.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Address(pub(super) *mut c_void);

// SAFETY: sending an address must not make a data race. It is a number to this crate; what may be done behind it from
// another thread is part of the contract of the asynchronous calls (the memory stays in place until the stream has been
// synchronised).
unsafe impl Send for Address {}
// SAFETY: sharing an address must not make a data race. It is a number to this crate; what may be done behind it from
// another thread is part of the contract of the asynchronous calls.
unsafe impl Sync for Address {}

impl Address {
    pub(crate) const NULL: Self = Self(core::ptr::null_mut());

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub(crate) fn number(self) -> usize {
        self.0.addr()
    }

    /// The address `bytes` further on, in the same block.
    pub(crate) fn offset(self, bytes: usize) -> Self {
        Self(self.0.wrapping_byte_add(bytes))
    }

    /// The pointer to store where a C caller expects one.
    pub(crate) fn pointer(self) -> *mut c_void {
        self.0
    }

    /// Where an array of the caller begins.
    pub(crate) fn of_array<T>(start: *mut T) -> Self {
        Self(start.cast())
    }

    /// The number of an object that C knows as a `void *`: looked up, never followed.
    pub(crate) fn named(number: usize) -> Self {
        Self(core::ptr::without_provenance_mut(number))
    }

    /// The terminated string that starts here: the caller keeps it in place during the call. `None` for null.
    pub(crate) fn text(self) -> Option<String> {
        // SAFETY: `from_c` asks for null or a terminated string that stays in place for the length of the call: the C
        // caller's contract (`abi`).
        unsafe { Text::from_c(self.0.cast_const().cast::<c_char>()) }.get().map(Cow::into_owned)
    }

    /// The address that stands in bytes of a C structure.
    pub(crate) fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(core::ptr::with_exposed_provenance_mut(u64::from_ne_bytes(bytes) as usize))
    }
}

/// The name of an object behind a typed pointer (`aclmdlDesc *`): a number that is looked up, never followed.
pub(crate) struct Name<T>(pub(crate) usize, PhantomData<fn() -> T>);

impl<T> Name<T> {
    pub(crate) fn new(number: usize) -> Self {
        Self(number, PhantomData)
    }

    /// The pointer to store where a C caller expects one.
    pub(crate) fn pointer(self) -> *mut T {
        core::ptr::without_provenance_mut(self.0)
    }
}

impl<T> Clone for Name<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Name<T> {}

/// Addresses inside of what a random-number task is described by.
impl In<'_, aclrtRandomNumTaskInfo> {
    pub(crate) fn result(&self) -> Address {
        Address(self.get().map_or(core::ptr::null_mut(), |task| task.randomResultAddr))
    }

    pub(crate) fn counter(&self) -> Address {
        Address(self.get().map_or(core::ptr::null_mut(), |task| task.randomCounterAddr))
    }
}

/// A pointer that is only ever handed back to the caller (`void *userData`).
#[derive(Clone, Copy)]
pub(crate) struct Opaque(pub(super) *mut c_void);

// SAFETY: sending the pointer must not make a data race. It is not followed here; the C functions it is handed back to
// are documented to run on other threads.
unsafe impl Send for Opaque {}
// SAFETY: sharing the pointer must not make a data race. It is not followed here; the C functions it is handed back to
// are documented to run on other threads.
unsafe impl Sync for Opaque {}

impl<T> FromC<*mut T> for Out<'_, T> {
    unsafe fn from_c(raw: *mut T) -> Self {
        Self(raw, PhantomData)
    }
}
impl<T> FromC<*mut T> for InOut<'_, T> {
    unsafe fn from_c(raw: *mut T) -> Self {
        Self(raw, PhantomData)
    }
}
impl<T> FromC<*const T> for In<'_, T> {
    unsafe fn from_c(raw: *const T) -> Self {
        Self(raw, PhantomData)
    }
}
impl<T> FromC<*mut T> for In<'_, T> {
    unsafe fn from_c(raw: *mut T) -> Self {
        Self(raw, PhantomData)
    }
}
impl<T> FromC<*mut T> for Name<T> {
    unsafe fn from_c(raw: *mut T) -> Self {
        Self::new(raw.addr())
    }
}
impl<T> FromC<*const T> for Name<T> {
    unsafe fn from_c(raw: *const T) -> Self {
        Self::new(raw.addr())
    }
}
impl FromC<*const c_char> for Text<'_> {
    unsafe fn from_c(raw: *const c_char) -> Self {
        // SAFETY: `CStr::from_ptr` asks for a terminated string that stays in place. A string argument that is not null
        // is one, for the length of the call: the C caller's contract (`abi`).
        Self((!raw.is_null()).then(|| unsafe { CStr::from_ptr(raw) }))
    }
}
impl FromC<*mut c_char> for Text<'_> {
    unsafe fn from_c(raw: *mut c_char) -> Self {
        // SAFETY: `from_c` asks for null or a terminated string that stays in place for the length of the call, which
        // the caller of this function promises. Where the header omits the `const`, the string is still only read.
        unsafe { Self::from_c(raw.cast_const()) }
    }
}
impl FromC<*mut c_void> for Address {
    unsafe fn from_c(raw: *mut c_void) -> Self {
        Self(raw)
    }
}
impl FromC<*const c_void> for Address {
    unsafe fn from_c(raw: *const c_void) -> Self {
        Self(raw.cast_mut())
    }
}
/// A place that is written after the call, when queued work has run.
impl FromC<*mut u32> for Address {
    unsafe fn from_c(raw: *mut u32) -> Self {
        Self(raw.cast())
    }
}
/// The place of an address, which is read after the call, when queued work runs.
impl FromC<*mut *mut c_void> for Address {
    unsafe fn from_c(raw: *mut *mut c_void) -> Self {
        Self(raw.cast())
    }
}
impl FromC<*mut *const c_void> for Address {
    unsafe fn from_c(raw: *mut *const c_void) -> Self {
        Self(raw.cast())
    }
}
impl FromC<*mut c_void> for Opaque {
    unsafe fn from_c(raw: *mut c_void) -> Self {
        Self(raw)
    }
}

/// Arguments that are passed on as they are: numbers, enumerations, handles, callbacks.
macro_rules! passed_on {
    ($($ty:ty),* $(,)?) => { $(
        impl FromC<$ty> for $ty {
            unsafe fn from_c(raw: $ty) -> Self {
                raw
            }
        }
    )* };
}
passed_on!(i8, u8, i16, u16, c_int, u32, i64, u64, usize, f32);
passed_on!(aclrtLabel, aclrtLabelList, aclmdlRITask, aclrtCondition, aclrtCompareDataType);
passed_on!(aclmdlRICondHandle, aclmdlRICondHandleFlag, aclmdlRICondTaskParams);
passed_on!(aclrtMemPool, aclrtMemPoolAttr, aclrtCntNotify, aclrtReduceKind);
passed_on!(aclrtNotify, aclSysParamOpt, aclrtTsId, aclrtCmoType);
passed_on!(aclrtStream, aclrtEvent, aclrtContext, aclrtAllocatorDesc, aclrtAllocator);
passed_on!(aclmdlRI, aclmdlRICaptureMode, aclrtTaskGrp, aclrtDrvMemHandle, aclrtHostRegisterType);
passed_on!(aclrtIpcEventHandle, aclrtIpcMemAttrType, aclrtMemHandleType, aclrtMemSharedHandleType);
passed_on!(aclrtMemGranularityOptions, aclrtStreamAttr, aclrtDevResLimitType, aclrtFloatOverflowMode);
passed_on!(aclrtDeviceLimit);
passed_on!(aclCompileOpt, aclprofAicoreMetrics, aclprofConfigType, aclprofStepTag);
passed_on!(aclrtMemManagedAdviseType, aclrtMemManagedRangeAttribute, aclrtMemManagedLocation);
passed_on!(aclmdlAttr, aclmdlConfigAttr, aclmdlExecConfigAttr, aclrtStreamConfigAttr);
// `aclrtHostFunc` is the same type.
passed_on!(aclrtCallback);
passed_on!(aclrtStreamStateCallback, aclrtDeviceStateCallback, aclrtDeviceTaskAbortCallback);
passed_on!(aclrtExceptionInfoCallback, aclInitCallbackFunc, aclFinalizeCallbackFunc, aclRegisterCallbackType);
passed_on!(
    aclrtAllocatorAllocFunc,
    aclrtAllocatorFreeFunc,
    aclrtAllocatorAllocAdviseFunc,
    aclrtAllocatorGetAddrFromBlockFunc
);
passed_on!(aclTransType, aclComputeType);
passed_on!(aclopEngineType, aclopCompileType, aclOpCompileFlag, aclopCompileFunc);
passed_on!(acldumpCallback, acldumpType);
passed_on!(acltdtBuf, acltdtQueueAttrType, acltdtQueueRouteParamType, acltdtQueueRouteQueryInfoParamType);
passed_on!(aclAippInputFormat, aclCannAttr, acldvppPixelFormat, acldvppStreamFormat, acltdtTensorType);
passed_on!(
    aclDataType,
    aclDeviceInfo,
    aclFormat,
    aclLogLevel,
    aclMemType,
    aclrtCallbackBlockType,
    aclrtDevAttr,
    aclrtDevFeatureType,
    aclrtLastErrLevel,
    aclrtMemAttr,
    aclrtMemMallocPolicy,
    aclrtMemcpyKind,
    aclCANNPackageName,
);
