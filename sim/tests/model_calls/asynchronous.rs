//! `aclmdlExecuteAsync`.

use crate::files;
use crate::world::*;
use ascendcl_macros::proves;
use ascendcl_sim::control;
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

#[test]
fn digits_are_recognised_between_copies_on_a_stream() {
    let _world = world();
    let (labels, pixels) = images();
    let (id, stream, size) = (digits(), stream(), labels.len() * 40);
    let (from, to) = (pinned(pixels.len()), pinned(size));
    // SAFETY: the block is as large as the pixels.
    unsafe { core::ptr::copy_nonoverlapping(pixels.as_ptr(), from.cast(), pixels.len()) };
    let (x, y) = (device_memory(pixels.len()), device_memory(size));
    let (input, output) = (dataset(&[(x, pixels.len())]), dataset(&[(y, size)]));
    attach(input, 0, &[labels.len() as i64, 64]);
    ok!(copy::aclrtMemcpyAsync(x, pixels.len(), from, pixels.len(), TO_DEVICE, stream));
    ok!(model::aclmdlExecuteAsync(id, input, output, stream));
    ok!(copy::aclrtMemcpyAsync(to, size, y, size, TO_HOST, stream));
    ok!(stream::aclrtSynchronizeStream(stream));
    // SAFETY: the block has `size` bytes, all of them written.
    let probabilities = unsafe { core::slice::from_raw_parts(to.cast::<u8>(), size) };
    assert!(recognised(probabilities, &labels) >= 350);
    assert_eq!(dims_of(output, 0), [labels.len() as i64, 10]);

    let open = dataset(&[(null_mut(), 0)]);
    ok!(model::aclmdlExecuteAsync(id, input, open, aclrtStream::NULL));
    ok!(stream::aclrtSynchronizeStream(aclrtStream::NULL));
    let found = call!(model::aclmdlGetDatasetBuffer(open, 0));
    assert_eq!(call!(base::aclGetDataBufferSizeV2(found)), size);
    assert!(recognised(&from_device(call!(base::aclGetDataBufferAddr(found)), size), &labels) >= 350);
}

#[test]
fn what_changes_after_the_call_does_not_concern_the_run() {
    let _world = world();
    let (id, stream) = (load(&files::sum("rows", None)), stream());
    let (x, y) = (on_device(&bytes(&[1.0; 8])), device_memory(32));
    let (input, output) = (dataset(&[(x, 32)]), dataset(&[(y, 32)]));
    attach(input, 0, &[2, 4]);
    let gate = Gate::close(stream);
    ok!(model::aclmdlExecuteAsync(id, input, output, stream));
    attach(input, 0, &[1, 4]);
    ok!(base::aclUpdateDataBuffer(call!(model::aclmdlGetDatasetBuffer(input, 0)), null_mut(), 0));
    ok!(memory::aclrtFree(x));
    gate.open();
    ok!(stream::aclrtSynchronizeStream(stream));
    assert_eq!(floats(&from_device(y, 32)), [11.0; 8]);
    assert_eq!(dims_of(output, 0), [2, 4]);
}

#[test]
fn what_is_destroyed_after_the_call_does_no_harm() {
    let _world = world();
    let (id, stream) = (load(&files::sum("2", None)), stream());
    let (x, y) = (device_memory(32), device_memory(32));
    let (input, output) = (dataset(&[(x, 32)]), dataset(&[(y, 32)]));
    let open = dataset(&[(null_mut(), 0)]);
    let gate = Gate::close(stream);
    ok!(model::aclmdlExecuteAsync(id, input, output, stream));
    ok!(model::aclmdlExecuteAsync(id, input, open, stream));
    [input, output, open].into_iter().for_each(destroy);
    ok!(memory::aclrtFree(x));
    ok!(memory::aclrtFree(y));
    gate.open();
    let code = call!(stream::aclrtSynchronizeStream(stream));
    assert_eq!(code, 100018, "nobody is left to take the second run's output (DATA-10)");
    ok!(model::aclmdlUnload(id));
    assert_eq!((control::live().device_blocks, control::live().tensor_descriptions), (0, 0));
}

#[test]
fn unloading_waits_for_what_is_queued() {
    let _world = world();
    let (id, stream) = (load(&files::sum("2", None)), stream());
    let (x, y) = (on_device(&bytes(&[1.0; 8])), device_memory(32));
    let (input, output) = (dataset(&[(x, 32)]), dataset(&[(y, 32)]));
    let gate = Gate::close(stream);
    ok!(model::aclmdlExecuteAsync(id, input, output, stream));
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(50));
            gate.open();
        });
        ok!(model::aclmdlUnload(id));
    });
    assert_eq!(floats(&from_device(y, 32)), [11.0; 8]);

    // Discarded runs are not waited for.
    let id = load(&files::sum("2", None));
    let gate = Gate::close(stream);
    ok!(model::aclmdlExecuteAsync(id, input, output, stream));
    ok!(stream::aclrtStreamAbort(stream));
    ok!(model::aclmdlUnload(id));
    gate.open();
}

#[test]
fn a_callback_cannot_unload_what_waits_for_it() {
    let _world = world();
    let (id, stream) = (load(&files::sum("2", None)), stream());
    let memory = device_memory(64);
    let (input, output) = (dataset(&[(memory, 32)]), dataset(&[(memory.wrapping_byte_add(32), 32)]));
    let request = Request { id, context: context().0.addr(), code: AtomicI32::new(-1) };
    let gate = Gate::close(stream);
    let argument = &raw const request;
    ok!(callback::aclrtLaunchHostFunc(stream, Some(unload), argument.cast_mut().cast()));
    ok!(model::aclmdlExecuteAsync(id, input, output, stream));
    gate.open();
    ok!(stream::aclrtSynchronizeStream(stream));
    assert_eq!(request.code.load(SeqCst), 207000);
    ok!(model::aclmdlUnload(id));
}

#[proves(ERR_02)]
#[test]
fn a_failing_run_is_what_the_next_wait_answers() {
    let _world = world();
    let (id, stream) = (load(&files::positions()), stream());
    let x = on_device(&bytes(&[1.0; 4]));
    let (input, small) = (dataset(&[(x, 16)]), dataset(&[(device_memory(8), 8)]));
    ok!(model::aclmdlExecuteAsync(id, input, small, stream));
    fails!(100018, "needs 32 bytes", stream::aclrtSynchronizeStream(stream));
    ok!(stream::aclrtSynchronizeStream(stream));
    assert!(call!(model::aclmdlGetDatasetTensorDesc(small, 0)).is_null());
}

#[test]
fn the_checks_come_with_the_call() {
    let _world = world();
    let (id, stream) = (digits(), stream());
    let (input, output) = (dataset(&[(device_memory(256), 256)]), dataset(&[(device_memory(40), 40)]));
    fails!(145021, "not set", model::aclmdlExecuteAsync(id, input, output, stream));
    fails!(100000, "null", model::aclmdlExecuteAsync(id, null_mut(), output, stream));
    attach(input, 0, &[1, 64]);
    fails!(107017, "stream", model::aclmdlExecuteAsync(id, input, output, aclrtStream(bogus())));
    ok!(stream::aclrtDestroyStream(stream));
    fails!(107017, "stream", model::aclmdlExecuteAsync(id, input, output, stream));
}

/// Holds a stream up.
struct Gate(&'static AtomicBool);

impl Gate {
    fn close(stream: aclrtStream) -> Self {
        unsafe extern "C" fn pass(gate: *mut c_void) {
            // SAFETY: the argument below: it is never freed.
            let gate = unsafe { &*gate.cast::<AtomicBool>() };
            while !gate.load(SeqCst) {
                thread::sleep(Duration::from_millis(1));
            }
        }
        let gate: &'static AtomicBool = Box::leak(Box::default());
        let argument = core::ptr::from_ref(gate).cast_mut().cast();
        ok!(callback::aclrtLaunchHostFunc(stream, Some(pass), argument));
        Self(gate)
    }

    fn open(&self) {
        self.0.store(true, SeqCst);
    }
}

/// What a callback is asked to unload, and the code that it got.
struct Request {
    id: u32,
    context: usize,
    code: AtomicI32,
}

unsafe extern "C" fn unload(request: *mut c_void) {
    // SAFETY: the test waits for the callback before its request goes.
    let request = unsafe { &*request.cast::<Request>() };
    ok!(device::aclrtSetCurrentContext(aclrtContext(core::ptr::without_provenance_mut(request.context))));
    request.code.store(call!(model::aclmdlUnload(request.id)), SeqCst);
}

fn stream() -> aclrtStream {
    let mut stream = aclrtStream::NULL;
    ok!(stream::aclrtCreateStream(&mut stream));
    stream
}

fn pinned(size: usize) -> *mut c_void {
    let mut address = null_mut();
    ok!(memory::aclrtMallocHost(&mut address, size));
    address
}
