//! What several test programs share: C calls in short, handles, and numbers that look random.

#![allow(dead_code, unused_imports, unused_macros, reason = "each test program uses a part")]

use ascendcl_sim::exports::{device::*, event::*, memory::*, process::*, stream::*};
use ascendcl_sys::{error_codes::*, types::*};
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

/// Calls a C function.
macro_rules! acl {
    ($name:ident($($arg:expr),* $(,)?)) => {{
        // SAFETY: the tests' pointers are null or point to what the signature says, and memory of asynchronous calls
        // stays in place until its stream was synchronised. The simulator looks handles up and does not follow them.
        #[allow(unused_unsafe)]
        unsafe { $name($($arg),*) }
    }};
}

/// Calls a C function that has to succeed.
macro_rules! ok {
    ($name:ident($($arg:expr),* $(,)?)) => {
        assert_eq!(acl!($name($($arg),*)), ACL_SUCCESS, "{}: {}", stringify!($name), crate::common::message())
    };
}
pub(crate) use {acl, ok};

pub(crate) fn stream() -> aclrtStream {
    let mut stream = aclrtStream::NULL;
    ok!(aclrtCreateStream(&mut stream));
    stream
}

pub(crate) fn event() -> aclrtEvent {
    let mut event = aclrtEvent::NULL;
    ok!(aclrtCreateEvent(&mut event));
    event
}

pub(crate) fn context(device: i32) -> aclrtContext {
    let mut context = aclrtContext::NULL;
    ok!(aclrtCreateContext(&mut context, device));
    context
}

pub(crate) fn current() -> aclrtContext {
    let mut context = aclrtContext::NULL;
    ok!(aclrtGetCurrentContext(&mut context));
    context
}

pub(crate) fn malloc(size: usize) -> *mut c_void {
    let mut address = null_mut();
    ok!(aclrtMalloc(&mut address, size, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
    address
}

pub(crate) fn malloc_host(size: usize) -> *mut c_void {
    let mut address = null_mut();
    ok!(aclrtMallocHost(&mut address, size));
    address
}

/// The text of this thread's last failure.
pub(crate) fn message() -> String {
    let text = acl!(aclGetRecentErrMsg());
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the text stays in place until the next call on this thread.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A handle for use in another thread.
#[derive(Clone, Copy)]
pub(crate) struct Shared<T>(pub(crate) T);

// SAFETY: sending the value must not make a data race. The tests use it for handles and addresses only, which are
// numbers to them.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: sharing the value must not make a data race. The tests use it for handles and addresses only, which are
// numbers to them that nothing writes.
unsafe impl<T> Sync for Shared<T> {}

impl<T: Copy> Shared<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(value)
    }

    pub(crate) fn get(&self) -> T {
        self.0
    }
}

/// Numbers that look random (xorshift), the same in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % sides
    }
}
