//! One test at a time on a fresh machine, and C calls without ceremony.

use crate::common::current;
use ascendcl_sim::control;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub(crate) use crate::common::{Dice, Shared, acl, context, event, malloc, malloc_host, message, ok, stream};
pub(crate) use ascendcl_sim::exports::{allocator::*, callback::*, copy::*, device::*, event::*, memory::*};
pub(crate) use ascendcl_sim::exports::{process::*, stream::*};
pub(crate) use ascendcl_sys::{constants::*, error_codes::*, types::*};

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
    let current = Shared(current());
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
