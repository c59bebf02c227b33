//! Threads: the current context belongs to one.

use crate::case::saw;
use crate::objects::{ANY_PAGES, current_context, device_0, event, memory, stream};
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;

pub(crate) const CASES: &[(&str, fn())] = &[
    ("thread: no context", no_context),
    ("thread: SetDevice in thread", set_device_in_thread),
    ("thread: Reset from a thread that never set", reset_from_a_thread_that_never_set),
];

/// What the first thread made.
#[derive(Clone, Copy)]
struct Of {
    context: aclrtContext,
    stream: aclrtStream,
    event: aclrtEvent,
    memory: *mut c_void,
}

// SAFETY: sending the value must not make a data race. Handles and device addresses are numbers here, and the library
// takes them on any thread (THREAD-03).
unsafe impl Send for Of {}
// SAFETY: sharing the value must not make a data race. Handles and device addresses are numbers here, which nothing
// writes, and the library takes them on any thread (THREAD-03).
unsafe impl Sync for Of {}

fn first_thread() -> Of {
    device_0();
    Of { context: current_context(), stream: stream(), event: event(), memory: memory(64) }
}

fn on_another_thread(of: &Of, calls: fn(Of)) {
    std::thread::scope(|scope| scope.spawn(|| calls(*of)).join().expect("the thread does not panic"));
}

fn no_context() {
    let main = first_thread();
    on_another_thread(&main, |main| {
        refused_without_a_context(main);
        row!("[thread] SetCurrentContext(main's)", device::aclrtSetCurrentContext(main.context));
        let mut stream = aclrtStream::NULL;
        row!("[thread] CreateStream after SetCurrentContext", stream::aclrtCreateStream(&mut stream));
        row!("[thread] ResetDevice(0)", device::aclrtResetDevice(0));
    });
}

fn refused_without_a_context(main: Of) {
    let (mut context, mut device, mut stream) = (aclrtContext::NULL, -9, aclrtStream::NULL);
    let (mut event, mut status, mut memory) = (aclrtEvent::NULL, aclrtEventRecordedStatus(9), null_mut());
    let host = [0_u8; 64];
    row!("[thread] GetCurrentContext", device::aclrtGetCurrentContext(&mut context));
    row!("[thread] GetDevice", device::aclrtGetDevice(&mut device));
    saw(format!("d={device}"));
    row!("[thread] CreateStream", stream::aclrtCreateStream(&mut stream));
    row!("[thread] SynchronizeStream(main's stream)", stream::aclrtSynchronizeStream(main.stream));
    row!("[thread] SynchronizeStream(NULL)", stream::aclrtSynchronizeStream(aclrtStream::NULL));
    row!("[thread] RecordEvent(main's)", event::aclrtRecordEvent(main.event, main.stream));
    row!("[thread] QueryEventStatus(main's)", event::aclrtQueryEventStatus(main.event, &mut status));
    row!("[thread] SynchronizeEvent(main's)", event::aclrtSynchronizeEvent(main.event));
    row!("[thread] CreateEvent", event::aclrtCreateEvent(&mut event));
    row!("[thread] Malloc", memory::aclrtMalloc(&mut memory, 64, ANY_PAGES));
    row!(
        "[thread] Memcpy H2D",
        copy::aclrtMemcpy(main.memory, 64, host.as_ptr().cast(), 64, aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE)
    );
    row!("[thread] Free(main's ptr)", memory::aclrtFree(main.memory));
    row!("[thread] DestroyStream(main's stream)", stream::aclrtDestroyStream(main.stream));
    row!("[thread] SynchronizeDevice", device::aclrtSynchronizeDevice());
}

fn set_device_in_thread() {
    let main = first_thread();
    on_another_thread(&main, |main| {
        let mut context = aclrtContext::NULL;
        row!("[thread] SetDevice(0)", device::aclrtSetDevice(0));
        saw(format!("[thread] same default ctx as main: {}", u8::from(current_context() == main.context)));
        row!("[thread] SynchronizeStream(main's)", stream::aclrtSynchronizeStream(main.stream));
        row!("[thread] ResetDevice(0)", device::aclrtResetDevice(0));
        row!("[thread] GetCurrentContext", device::aclrtGetCurrentContext(&mut context));
    });
    row!("main: SynchronizeStream after thread's Set+Reset", stream::aclrtSynchronizeStream(main.stream));
    row!("main: ResetDevice(0)", device::aclrtResetDevice(0));
}

fn reset_from_a_thread_that_never_set() {
    let main = first_thread();
    on_another_thread(&main, |_| {
        row!("[thread] ResetDevice(0) without own SetDevice (main set it)", device::aclrtResetDevice(0));
    });
    row!("main: SynchronizeStream", stream::aclrtSynchronizeStream(main.stream));
    row!("main: ResetDevice(0)", device::aclrtResetDevice(0));
}
