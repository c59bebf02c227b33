//! Streams: missing, null, destroyed and invented handles.

use crate::case::saw;
use crate::objects::{ANY_PAGES, bogus, device_0, event, initialised, memory, stream};
use ascendcl_sys::error_codes::error_name;
use ascendcl_sys::types::*;
use core::ptr::null_mut;

pub(crate) const CASES: &[(&str, fn())] = &[
    ("stream: calls before SetDevice", before_set_device),
    ("stream: null / bad args", wrong_arguments),
    ("stream: destroyed stream", destroyed_stream),
    ("stream: bogus handle sync", synchronize_an_invented_handle),
    ("stream: bogus handle destroy", destroy_an_invented_handle),
    ("stream: zeroed memory as handle", zeroed_memory_as_handle),
    ("stream: exhaustion", exhaustion),
];

fn before_set_device() {
    let (mut stream, mut event, mut context) = (aclrtStream::NULL, aclrtEvent::NULL, aclrtContext::NULL);
    let (mut memory, mut free, mut total) = (null_mut(), 0, 0);
    let mut mode = aclrtRunMode(9);
    let none = aclrtStream::NULL;
    initialised();
    row!("CreateStream before SetDevice", stream::aclrtCreateStream(&mut stream));
    row!("CreateEvent before SetDevice", event::aclrtCreateEvent(&mut event));
    row!("Malloc before SetDevice", memory::aclrtMalloc(&mut memory, 64, ANY_PAGES));
    row!("MallocHost before SetDevice", memory::aclrtMallocHost(&mut memory, 64));
    row!("SynchronizeStream(NULL) before SetDevice", stream::aclrtSynchronizeStream(none));
    row!("SynchronizeDevice before SetDevice", device::aclrtSynchronizeDevice());
    row!("GetCurrentContext before SetDevice", device::aclrtGetCurrentContext(&mut context));
    row!("GetMemInfo(HBM) before SetDevice", memory::aclrtGetMemInfo(aclrtMemAttr::ACL_HBM_MEM, &mut free, &mut total));
    row!("GetRunMode before SetDevice", device::aclrtGetRunMode(&mut mode));
    row!("CreateContext(&c,0) before SetDevice", device::aclrtCreateContext(&mut context, 0));
    row!("CreateStream after CreateContext only", stream::aclrtCreateStream(&mut stream));
}

fn wrong_arguments() {
    device_0();
    let (live, none) = (stream(), aclrtStream::NULL);
    let (mut created, mut status) = (aclrtStream::NULL, aclrtStreamStatus(9));
    row!("CreateStream(NULL)", stream::aclrtCreateStream(null_mut()));
    row!("DestroyStream(NULL)", stream::aclrtDestroyStream(none));
    row!("SynchronizeStream(NULL) = default stream", stream::aclrtSynchronizeStream(none));
    row!("SynchronizeStreamWithTimeout(NULL,100)", stream::aclrtSynchronizeStreamWithTimeout(none, 100));
    row!("StreamQuery(NULL)", stream::aclrtStreamQuery(none, &mut status));
    row!("StreamQuery(s, NULL)", stream::aclrtStreamQuery(live, null_mut()));
    row!("SynchronizeStreamWithTimeout(s,-2)", stream::aclrtSynchronizeStreamWithTimeout(live, -2));
    row!("SynchronizeStreamWithTimeout(s,0)", stream::aclrtSynchronizeStreamWithTimeout(live, 0));
    row!("CreateStreamWithConfig(&s,99,0)", stream::aclrtCreateStreamWithConfig(&mut created, 99, 0));
    row!("CreateStreamWithConfig(&s,0,0xFFFFFFFF)", stream::aclrtCreateStreamWithConfig(&mut created, 0, 0xFFFF_FFFF));
    row!("StreamAbort(NULL)", stream::aclrtStreamAbort(none));
    row!("CtxGetCurrentDefaultStream", stream::aclrtCtxGetCurrentDefaultStream(&mut created));
    row!("DestroyStream(default stream)", stream::aclrtDestroyStream(created));
}

fn destroyed_stream() {
    device_0();
    let (destroyed, event) = (stream(), event());
    let (memory, host) = (memory(64), [0_u8; 64]);
    let mut status = aclrtStreamStatus(9);
    row!("DestroyStream", stream::aclrtDestroyStream(destroyed));
    row!("SynchronizeStream(destroyed)", stream::aclrtSynchronizeStream(destroyed));
    row!("StreamQuery(destroyed)", stream::aclrtStreamQuery(destroyed, &mut status));
    row!("RecordEvent(e, destroyed)", event::aclrtRecordEvent(event, destroyed));
    row!("StreamWaitEvent(destroyed, e)", event::aclrtStreamWaitEvent(destroyed, event));
    row!(
        "MemcpyAsync(.., destroyed)",
        copy::aclrtMemcpyAsync(
            memory,
            64,
            host.as_ptr().cast(),
            64,
            aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE,
            destroyed
        )
    );
    row!("DestroyStream again (double destroy)", stream::aclrtDestroyStream(destroyed));
}

fn synchronize_an_invented_handle() {
    device_0();
    row!("SynchronizeStream(bogus 0x1234)", stream::aclrtSynchronizeStream(aclrtStream(bogus())));
}

fn destroy_an_invented_handle() {
    device_0();
    row!("DestroyStream(bogus 0x1234)", stream::aclrtDestroyStream(aclrtStream(bogus())));
}

fn zeroed_memory_as_handle() {
    let mut zeroes = [0_u64; 1024];
    let handle = aclrtStream(zeroes.as_mut_ptr().cast());
    device_0();
    row!("SynchronizeStream(pointer to zeroed host memory)", stream::aclrtSynchronizeStream(handle));
}

fn exhaustion() {
    const ENOUGH: usize = 10_000;
    device_0();
    let mut created = 0;
    let code = loop {
        let mut stream = aclrtStream::NULL;
        match call!(stream::aclrtCreateStream(&mut stream)) {
            0 if created < ENOUGH => created += 1,
            code => break code,
        }
    };
    let name = error_name(code).unwrap_or("?");
    saw(format!("created {created} streams, then {code} {name} (limit is the simulated driver's)"));
}
