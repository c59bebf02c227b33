//! Contexts: explicit, default, destroyed, and of other objects.

use crate::case::saw;
use crate::objects::{ANY_PAGES, bogus, context, current_context, device_0, event, initialised, memory, stream};
use ascendcl_sys::types::*;
use core::ptr::null_mut;

pub(crate) const CASES: &[(&str, fn())] = &[
    ("context: bad args", wrong_arguments),
    ("context: destroy the default context", destroy_the_default_context),
    ("context: destroyed context", destroyed_context),
    ("context: stream/event of another context", objects_of_another_context),
    ("context: destroyed with live event", destroyed_with_live_event),
    ("context: reset device under an explicit ctx", reset_under_an_explicit_context),
    ("context: SetDevice vs explicit ctx", set_device_leaves_an_explicit_context),
];

fn wrong_arguments() {
    let (mut created, mut current) = (aclrtContext::NULL, aclrtContext::NULL);
    initialised();
    row!("CreateContext(NULL,0)", device::aclrtCreateContext(null_mut(), 0));
    row!("CreateContext(&c, 99)", device::aclrtCreateContext(&mut created, 99));
    row!("CreateContext(&c, -1)", device::aclrtCreateContext(&mut created, -1));
    row!("GetCurrentContext(NULL)", device::aclrtGetCurrentContext(null_mut()));
    row!("SetCurrentContext(NULL)", device::aclrtSetCurrentContext(aclrtContext::NULL));
    row!("DestroyContext(NULL)", device::aclrtDestroyContext(aclrtContext::NULL));
    row!("SetCurrentContext(bogus 0x1234)", device::aclrtSetCurrentContext(aclrtContext(bogus())));
    row!("DestroyContext(bogus 0x1234)", device::aclrtDestroyContext(aclrtContext(bogus())));
    row!("CreateContext(&c,0)", device::aclrtCreateContext(&mut created, 0));
    row!("GetCurrentContext", device::aclrtGetCurrentContext(&mut current));
    saw(format!("CreateContext makes it current: {}", u8::from(current == created)));
}

fn destroy_the_default_context() {
    let mut stream = aclrtStream::NULL;
    device_0();
    row!("DestroyContext(default context)", device::aclrtDestroyContext(current_context()));
    row!("CreateStream after destroying default ctx", stream::aclrtCreateStream(&mut stream));
    row!("ResetDevice(0)", device::aclrtResetDevice(0));
}

fn destroyed_context() {
    device_0();
    let (destroyed, stream) = (context(), stream());
    let (mut current, mut memory) = (aclrtContext::NULL, null_mut());
    row!("DestroyContext(current ctx, has live stream)", device::aclrtDestroyContext(destroyed));
    row!("GetCurrentContext afterwards", device::aclrtGetCurrentContext(&mut current));
    saw(format!("g==destroyed: {}", u8::from(current == destroyed)));
    row!("SetCurrentContext(destroyed)", device::aclrtSetCurrentContext(destroyed));
    row!("DestroyContext(destroyed) again", device::aclrtDestroyContext(destroyed));
    row!("SynchronizeStream(stream of destroyed ctx)", stream::aclrtSynchronizeStream(stream));
    row!("DestroyStream(stream of destroyed ctx)", stream::aclrtDestroyStream(stream));
    row!("Malloc with no current ctx (device set earlier)", memory::aclrtMalloc(&mut memory, 64, ANY_PAGES));
    row!("SetDevice(0) again", device::aclrtSetDevice(0));
    row!("Malloc", memory::aclrtMalloc(&mut memory, 64, ANY_PAGES));
}

fn objects_of_another_context() {
    device_0();
    let (_a, sa, ea) = (context(), stream(), event());
    let (b, sb, eb) = (context(), stream(), event());
    let (memory, host) = (memory(64), [0_u8; 64]);
    let (mut stream_status, mut event_status) = (aclrtStreamStatus(9), aclrtEventRecordedStatus(9));
    assert_eq!(current_context(), b);
    saw("ctx B current; stream sa/event ea of ctx A; both on device 0");
    row!("SynchronizeStream(sa)", stream::aclrtSynchronizeStream(sa));
    row!("SynchronizeStreamWithTimeout(sa,1000)", stream::aclrtSynchronizeStreamWithTimeout(sa, 1000));
    row!("StreamQuery(sa)", stream::aclrtStreamQuery(sa, &mut stream_status));
    row!("RecordEvent(eb of B, sa of A)", event::aclrtRecordEvent(eb, sa));
    row!("RecordEvent(ea of A, sb of B)", event::aclrtRecordEvent(ea, sb));
    row!("StreamWaitEvent(sa, ea)", event::aclrtStreamWaitEvent(sa, ea));
    row!("StreamWaitEvent(sb, ea)", event::aclrtStreamWaitEvent(sb, ea));
    row!("QueryEventStatus(ea)", event::aclrtQueryEventStatus(ea, &mut event_status));
    row!("SynchronizeEvent(ea)", event::aclrtSynchronizeEvent(ea));
    row!(
        "MemcpyAsync(.., sa)",
        copy::aclrtMemcpyAsync(memory, 64, host.as_ptr().cast(), 64, aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE, sa)
    );
    row!("MemsetAsync(.., sa)", copy::aclrtMemsetAsync(memory, 64, 0, 64, sa));
    row!("DestroyEvent(ea)", event::aclrtDestroyEvent(ea));
    row!("DestroyStream(sa) while ctx B current", stream::aclrtDestroyStream(sa));
}

fn destroyed_with_live_event() {
    device_0();
    let (context, event) = (context(), event());
    row!("DestroyContext with a live event", device::aclrtDestroyContext(context));
    row!("SetDevice(0)", device::aclrtSetDevice(0));
    let new = stream();
    row!("RecordEvent(event of destroyed ctx, new stream)", event::aclrtRecordEvent(event, new));
    row!("DestroyEvent(event of destroyed ctx)", event::aclrtDestroyEvent(event));
}

fn reset_under_an_explicit_context() {
    device_0();
    let explicit = context();
    let (mut current, mut stream) = (aclrtContext::NULL, aclrtStream::NULL);
    row!("ResetDevice(0) while an explicit ctx is current", device::aclrtResetDevice(0));
    row!("GetCurrentContext", device::aclrtGetCurrentContext(&mut current));
    saw(format!("still the explicit ctx: {}", u8::from(current == explicit)));
    row!("CreateStream in explicit ctx after ResetDevice", stream::aclrtCreateStream(&mut stream));
    row!("DestroyContext(explicit)", device::aclrtDestroyContext(explicit));
}

fn set_device_leaves_an_explicit_context() {
    device_0();
    let explicit = context();
    let mut current = aclrtContext::NULL;
    assert_eq!(current_context(), explicit);
    saw("explicit ctx current");
    row!("SetDevice(0) again switches back to default ctx", device::aclrtSetDevice(0));
    saw(format!("current==explicit: {}", u8::from(current_context() == explicit)));
    row!("DestroyContext(explicit, not current)", device::aclrtDestroyContext(explicit));
    row!("GetCurrentContext", device::aclrtGetCurrentContext(&mut current));
}
