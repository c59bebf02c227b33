//! One test at a time on a fresh machine, and C calls without ceremony.

use ascendcl_sim::control;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub(crate) use ascendcl_sim::exports::{allocator::*, callback::*, copy::*, device::*, event::*, memory::*};
pub(crate) use ascendcl_sim::exports::{process::*, stream::*};
pub(crate) use ascendcl_sys::{constants::*, error_codes::*, types::*};

/// Calls a C function.
macro_rules! acl {
    ($name:ident($($arg:expr),* $(,)?)) => {{
        // SAFETY: the tests' pointers are null or point to what the signature says, and memory of asynchronous calls
        // stays in place until its stream was synchronised.
        #[allow(unused_unsafe)]
        unsafe { $name($($arg),*) }
    }};
}

/// Calls a C function that has to succeed.
macro_rules! ok {
    ($name:ident($($arg:expr),* $(,)?)) => {
        assert_eq!(acl!($name($($arg),*)), ACL_SUCCESS, "{}", crate::support::message())
    };
}
pub(crate) use {acl, ok};

/// The machine, for one test alone.
pub(crate) struct Machine(#[allow(dead_code)] MutexGuard<'static, ()>);

pub(crate) fn fresh() -> Machine {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    control::reset();
    Machine(guard)
}

/// A fresh machine whose device 0 is set on this thread.
pub(crate) fn device() -> Machine {
    let machine = fresh();
    ok!(aclrtSetDevice(0));
    machine
}

impl Drop for Machine {
    fn drop(&mut self) {
        control::reset();
    }
}

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

pub(crate) fn malloc(size: usize) -> *mut c_void {
    let mut address = std::ptr::null_mut();
    ok!(aclrtMalloc(&mut address, size, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
    address
}

pub(crate) fn malloc_host(size: usize) -> *mut c_void {
    let mut address = std::ptr::null_mut();
    ok!(aclrtMallocHost(&mut address, size));
    address
}

/// A callback that waits until the sender is dropped. It has begun when this returns.
pub(crate) fn block(stream: aclrtStream) -> mpsc::Sender<()> {
    let (open, gate) = mpsc::channel::<()>();
    let (begin, begun) = mpsc::channel();
    launch(stream, move || {
        begin.send(()).unwrap();
        let _ = gate.recv();
    });
    begun.recv().unwrap();
    open
}

/// Runs `code` on a new thread, in the context that is current here. That thread has begun when this returns.
pub(crate) fn beside<R: Send + 'static>(code: impl FnOnce() -> R + Send + 'static) -> JoinHandle<R> {
    let mut current = aclrtContext::NULL;
    ok!(aclrtGetCurrentContext(&mut current));
    let current = Shared(current);
    let (begin, begun) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        ok!(aclrtSetCurrentContext(current.get()));
        begin.send(()).unwrap();
        code()
    });
    begun.recv().unwrap();
    thread
}

/// The bytes of a device block.
pub(crate) fn read(address: *mut c_void, count: usize) -> Vec<u8> {
    let mut bytes = vec![0_u8; count];
    let to = bytes.as_mut_ptr().cast();
    ok!(aclrtMemcpy(to, count, address, count, aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST));
    bytes
}

/// Queues a host function that runs `code` on a thread of the library.
pub(crate) fn launch(stream: aclrtStream, code: impl FnOnce() + Send + 'static) {
    assert_eq!(try_launch(stream, code), ACL_SUCCESS);
}

pub(crate) fn try_launch(stream: aclrtStream, code: impl FnOnce() + Send + 'static) -> aclError {
    let boxed = boxed(code);
    acl!(aclrtLaunchHostFunc(stream, Some(run_boxed), boxed))
}

type Code = Box<dyn FnOnce() + Send>;

/// Code as the argument of [`run_boxed`].
pub(crate) fn boxed(code: impl FnOnce() + Send + 'static) -> *mut c_void {
    Box::into_raw(Box::new(Box::new(code) as Code)).cast()
}

pub(crate) unsafe extern "C" fn run_boxed(code: *mut c_void) {
    // SAFETY: the argument came from `boxed` and is used once.
    let code = unsafe { Box::from_raw(code.cast::<Code>()) };
    code();
}

/// Waits for something that has to happen soon.
pub(crate) fn soon(what: &str, mut happened: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !happened() {
        assert!(Instant::now() < end, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The text of this thread's last failure.
pub(crate) fn message() -> String {
    let text = acl!(aclGetRecentErrMsg());
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the text stays in place until the next call on this thread.
    unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A handle for use in another thread.
#[derive(Clone, Copy)]
pub(crate) struct Shared<T>(pub(crate) T);

// SAFETY: handles and addresses are numbers to the tests.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

impl<T: Copy> Shared<T> {
    pub(crate) fn get(&self) -> T {
        self.0
    }
}
