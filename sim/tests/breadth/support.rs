//! Streams, events, pinned memory and host functions.

use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;

pub(crate) fn stream() -> aclrtStream {
    let mut stream = aclrtStream::NULL;
    ok!(stream::aclrtCreateStream(&mut stream));
    stream
}

pub(crate) fn synchronize(stream: aclrtStream) {
    ok!(stream::aclrtSynchronizeStream(stream));
}

pub(crate) fn event() -> aclrtEvent {
    let mut event = aclrtEvent::NULL;
    ok!(event::aclrtCreateEventExWithFlag(&mut event, ascendcl_sys::constants::ACL_EVENT_SYNC));
    event
}

pub(crate) fn pinned(bytes: &[u8]) -> *mut c_void {
    let mut address = null_mut();
    ok!(memory::aclrtMallocHost(&mut address, bytes.len()));
    // SAFETY: the block is as large as the bytes.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), address.cast(), bytes.len()) };
    address
}

/// What stands in host memory.
pub(crate) fn host(address: *const c_void, size: usize) -> Vec<u8> {
    // SAFETY: the tests ask for blocks of this size that nobody writes now.
    unsafe { core::slice::from_raw_parts(address.cast::<u8>(), size) }.to_vec()
}

/// Host memory of the program that starts where a page does.
pub(crate) struct Page(Vec<u8>, usize);

pub(crate) const PAGE: usize = 4096;

impl Page {
    pub(crate) fn new(value: u8) -> Self {
        let memory = vec![value; 2 * PAGE];
        let gap = memory.as_ptr().addr().next_multiple_of(PAGE) - memory.as_ptr().addr();
        Self(memory, gap)
    }

    pub(crate) fn address(&mut self) -> *mut c_void {
        self.0[self.1..].as_mut_ptr().cast()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0[self.1..][..PAGE]
    }
}

/// Queues a wait that fails after a moment: for a record that does not come before `held` is opened.
pub(crate) fn failing_wait(stream: aclrtStream, held: &Held) {
    ok!(event::aclrtStreamWaitEventWithTimeout(stream, held.event, 1));
}

/// A stream that is kept from going on, and an event recorded behind that.
pub(crate) struct Held {
    open: std::sync::mpsc::Sender<()>,
    pub(crate) stream: aclrtStream,
    pub(crate) event: aclrtEvent,
}

impl Held {
    pub(crate) fn new() -> Self {
        let (open, opened) = std::sync::mpsc::channel::<()>();
        let (stream, event) = (stream(), event());
        launch(stream, move || {
            let _ = opened.recv();
        });
        ok!(event::aclrtRecordEvent(event, stream));
        Self { open, stream, event }
    }

    /// In a context of its own, so that the callbacks of this one go on.
    pub(crate) fn elsewhere() -> Self {
        let (mut before, mut own) = (aclrtContext::NULL, aclrtContext::NULL);
        ok!(device::aclrtGetCurrentContext(&mut before));
        ok!(device::aclrtCreateContext(&mut own, 0));
        let held = Self::new();
        ok!(device::aclrtSetCurrentContext(before));
        held
    }

    pub(crate) fn open(self) {
        drop(self.open);
        synchronize(self.stream);
    }
}

type Code = Box<dyn FnMut() + Send>;

/// Queues a host function that calls `code`, each time that it runs. The code is never dropped.
pub(crate) fn launch_each(stream: aclrtStream, code: impl FnMut() + Send + 'static) {
    let code = Box::into_raw(Box::new(Box::new(code) as Code)).cast();
    ok!(callback::aclrtLaunchHostFunc(stream, Some(run_code), code));
}

/// The same for code that runs once.
pub(crate) fn launch(stream: aclrtStream, code: impl FnOnce() + Send + 'static) {
    let mut code = Some(code);
    launch_each(stream, move || {
        if let Some(code) = code.take() {
            code();
        }
    });
}

unsafe extern "C" fn run_code(code: *mut c_void) {
    // SAFETY: the argument came from `launch_each`; a stream runs one host function at a time.
    let code = unsafe { &mut *code.cast::<Code>() };
    code();
}
