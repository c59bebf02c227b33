//! Programs with memory, streams and allocators of other code, and with host code in the order of a stream.

use crate::common::block_on;
use crate::models;
use crate::others::again;
use ascendcl::allocator::{Descriptor, PoolAllocator};
use ascendcl::capture::CaptureMode;
use ascendcl::model::{ModelSource, OutputBuffer};
use ascendcl::stream::{AllocatorGroup, StreamOps};
use ascendcl::{Brand, Current, DeviceBuffer, Error, Pending, Scoped, Stream};
use ascendcl_sys::types::{aclrtMemMallocPolicy, aclrtStream};
use std::ffi::c_void;
use std::mem::{self, ManuallyDrop};
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

#[repr(align(64))]
struct Aligned([u32; 64]);

/// Slices that copies borrow. A scope whose wait fails twice ends the process, so this is no program for two faults.
pub(crate) fn borrowed_slices(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let stream = current.stream()?;
    // A program that runs on the device lends memory at multiples of 64 bytes.
    let (image, mut copy, mut second) = (Aligned([7_u32; 64]), Aligned([0; 64]), Aligned([0; 64]));
    let device = current.copy_scope(|current, copies| {
        let room = current.device_buffer(64)?;
        let device = again(room, |room| copies.copy_to_device(current, &stream, &image.0, room))?;
        let device = copies.copy_to_host(current, &stream, device, &mut copy.0)?;
        mem::forget(copies.copy_to_device(current, &stream, &image.0, current.device_buffer(64)?)?);
        Ok::<_, Error>(device)
    })??;
    assert_eq!(copy.0, image.0);
    let device = again(device, |device| device.wait(current))?;
    current.copy_scope(|current, copies| copies.copy_to_host(current, &stream, device, &mut second.0).map(drop))??;
    assert_eq!(second.0, image.0);
    again(stream, |stream| stream.destroy(current))?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

/// A set of all bytes, by the library's function.
fn set_by_hand<C: Brand>(
    current: &Current<C>,
    stream: &StreamOps<C>,
    buffer: DeviceBuffer<C, u8>,
    value: u8,
) -> Result<Pending<C, DeviceBuffer<C, u8>>, Error> {
    let functions = current.library().as_raw();
    let set = |buffer: DeviceBuffer<C, u8>| {
        // SAFETY: the work sets the bytes of the operand, on this stream.
        unsafe {
            stream.submit(current, "aclrtMemsetAsync", buffer, |stream, to| {
                functions.aclrtMemsetAsync(to.start, to.bytes, value.into(), to.bytes, aclrtStream(stream))
            })
        }
    };
    again(buffer, set)
}

/// A stream and memory of other code. Nothing is left of them: the other code gives them back with the library's functions
/// when the program has ended its values.
pub(crate) fn adopted_objects(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let (library, bytes) = (current.library(), 64);
    let functions = library.as_raw();
    let (mut stream, mut memory) = (aclrtStream(ptr::null_mut()), ptr::null_mut());
    // SAFETY: the context is current, and the answer goes to a live local.
    let code = unsafe { functions.aclrtCreateStream(&raw mut stream) };
    library.check_call("create a stream", "aclrtCreateStream", code)?;
    let policy = aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST;
    // SAFETY: the context is current, and the answer goes to a live local.
    let code = unsafe { functions.aclrtMalloc(&raw mut memory, bytes, policy) };
    let allocated = library.check_call("allocate", "aclrtMalloc", code);
    let ends = |result: Result<(), Error>| {
        let freed = match NonNull::new(memory) {
            // SAFETY: the values of this crate that named it have ended.
            Some(memory) => ends_at_last(|| unsafe { functions.aclrtFree(memory.as_ptr()) }),
            None => true,
        };
        // SAFETY: the values of this crate that named it have ended.
        let destroyed = ends_at_last(|| unsafe { functions.aclrtDestroyStream(stream) });
        assert!(freed && destroyed);
        result
    };
    if allocated.is_err() {
        return ends(allocated);
    }
    let used = uses_adopted(current, NonNull::new(stream.0), NonNull::new(memory), bytes);
    // Whatever failed, nothing is queued there any more.
    while current.synchronize().is_err() {}
    drop(current.collect());
    ends(used)
}

fn ends_at_last<E>(end: impl Fn() -> Result<i32, E>) -> bool {
    (0..3).any(|_| matches!(end(), Ok(0)))
}

fn uses_adopted(
    current: &mut Current<Scoped<'_>>,
    stream: Option<NonNull<c_void>>,
    memory: Option<NonNull<c_void>>,
    bytes: usize,
) -> Result<(), Error> {
    let (Some(stream), Some(memory)) = (stream, memory) else { return Ok(()) };
    // SAFETY: the stream is of this context, has no allocator, and lives until this value has ended.
    let stream = unsafe { current.adopt_stream(stream) }?;
    // SAFETY: the memory has so many bytes, and lives until this value has ended. Bytes of the simulator are written.
    let memory = unsafe { current.adopt_memory::<u8>(memory, bytes) }?;
    let set = set_by_hand(current, &stream, memory, 3)?;
    let (memory, host) = stream.copy_to_host(current, set, current.host_buffer(bytes)?)?.wait(current)?;
    assert!(host.iter().all(|byte| *byte == 3));
    let own = set_by_hand(current, &stream, current.upload(&[0; 64])?, 4)?;
    drop(set_by_hand(current, &stream, current.upload(&[0; 64])?, 5)?);
    assert_eq!(again(own, |own| own.wait(current))?.to_vec(current)?, [4; 64]);
    again(memory, |memory| memory.free(current))?;
    again(stream, |stream| stream.destroy(current))
}

/// An allocator of C functions, which hands out memory once.
mod c {
    use std::ffi::c_void;
    use std::ptr;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// What the functions get: device memory, and how much of it was handed out.
    pub(super) struct Room {
        pub(super) start: *mut c_void,
        pub(super) bytes: usize,
        pub(super) used: AtomicUsize,
    }

    pub(super) unsafe extern "C" fn allocate(room: *mut c_void, bytes: usize) -> *mut c_void {
        // SAFETY: the object is a `Room`, which is there for ever.
        let room = unsafe { &*room.cast::<Room>() };
        let bytes = bytes.next_multiple_of(512);
        let at = room.used.fetch_add(bytes, Ordering::Relaxed);
        if at + bytes <= room.bytes { room.start.wrapping_byte_add(at) } else { ptr::null_mut() }
    }
    pub(super) unsafe extern "C" fn free(_: *mut c_void, _: *mut c_void) {}
    pub(super) unsafe extern "C" fn address(block: *mut c_void) -> *mut c_void {
        block
    }
}

/// A stream with an allocator of C functions.
pub(crate) fn c_functions(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    // The scope frees it after its streams.
    let memory = ManuallyDrop::new(current.device_buffer::<u8>(1 << 18)?);
    let room = c::Room { start: memory.as_raw(), bytes: memory.len(), used: AtomicUsize::new(0) };
    let room: &'static c::Room = Box::leak(Box::new(room));
    let descriptor =
        Descriptor::new().object(NonNull::from(room).cast()).allocate(c::allocate).free(c::free).address(c::address);
    let registers = |(stream, descriptor): (Stream<_>, _)| {
        // SAFETY: the functions and their object are there for ever, and blocks are memory of this device.
        unsafe { stream.register_descriptor(current, descriptor) }
    };
    let stream = again((current.stream()?, descriptor), registers)?;
    let mut prepared =
        current.load_model(models::file())?.bind_with(current, &[&[7, 64]], &[OutputBuffer::AtMost(70)])?;
    for batch in [1, 7] {
        prepared.reshape(current, &[&[batch, 64]])?;
        prepared.write(current, 0, &vec![0.0_f32; 64 * batch])?;
        prepared = stream.execute(current, prepared)?.wait(current)?;
    }
    prepared.into_model(current)?.unload(current)?;
    let (stream, _descriptor) = again(stream, |stream| stream.unregister(current))?;
    again(stream, |stream| stream.destroy(current))
}

/// Host code in the order of a stream, in a capture too, and memory that was a vector.
pub(crate) fn host_code(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let mut stream = current.stream()?.without_allocator();
    let vector = current.pageable_buffer(vec![5_u8; 64]);
    let (vector, device) = stream.copy_to_device(current, vector, current.device_buffer(64)?)?.wait(current)?;
    assert_eq!(again(vector, |vector| vector.into_vec(current))?, [5; 64]);
    let answer = stream.launch_host_fn(current, || 6 * 7)?;
    assert_eq!(again(answer, |answer| answer.wait(current))?.into_result()?, 42);
    let panics = stream.launch_host_fn(current, || -> i32 { std::panic::resume_unwind(Box::new("on purpose")) })?;
    drop(stream.launch_host_fn(current, || vec![1_u8; 64])?);
    assert!(again(panics, |panics| panics.wait_within(current, Duration::from_secs(5)))?.into_result().is_err());
    let graph = stream.capture(current, CaptureMode::Relaxed, device, |capture, mut device| {
        capture.set_bytes(&mut device, 6)?;
        capture.launch_host_fn(7, |_: &i32| std::panic::resume_unwind(Box::new("on purpose")))
    });
    let graph = graph?;
    graph.debug_print(current)?;
    assert!(!graph.topology().to_mermaid().is_empty());
    let mut graph = stream.replay(current, graph)?.wait(current)?;
    assert!(graph.take_panic().is_some());
    let device = again(graph, |graph| graph.into_operands(current))?;
    let back = stream.copy_to_host(current, device, current.host_buffer(64)?)?;
    let done = block_on(again(back, |back| back.when_done(current, &stream))?).0;
    let (device, host) = done.wait(current)?;
    assert_eq!(*host, [6; 64]);
    again(device, |device| device.free(current))?;
    again(host, |host| host.free(current))?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

/// An allocator that streams share, looked at and taken back.
#[allow(clippy::result_large_err, reason = "a model comes back with its buffers")]
pub(crate) fn allocator_given_back(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let mut group = again(PoolAllocator::new(current, 1 << 18)?, |pool| AllocatorGroup::new(current, pool))?;
    let first = again(current.stream()?, |stream| group.attach(current, stream))?;
    let second = again(current.stream()?, |stream| group.attach(current, stream))?;
    let image = models::in_batches_of(None);
    let model = current.load(ModelSource::memory(&image).into())?;
    let mut model = model.bind_with(current, &[&[4, 64]], &[OutputBuffer::AtMost(40)])?;
    model.write(current, 0, &[0.0_f32; 256])?;
    for member in [&second, &first] {
        let turn = group.begin(member).map_err(|failed| failed.error)?;
        let pending = turn.execute(current, model)?;
        group = again(turn, |turn| turn.finish_within(current, Duration::from_secs(5)))?;
        model = again(pending, |pending| pending.wait(current))?;
    }
    assert!(group.with_allocator(|pool| pool.statistics().reserved_bytes > 0).is_some());
    let first = again(first, |first| first.detach(current))?;
    let second = again(second, |second| second.detach(current))?;
    again(second, |stream| stream.destroy(current))?;
    match group.into_allocator() {
        Ok(pool) => uses_pool(current, first, pool)?,
        // A descriptor that the library has not destroyed stays with its stream.
        Err(kept) => {
            again(first, |stream| stream.destroy(current))?;
            let Ok(pool) = kept.value.into_allocator() else { panic!("the library has no stream of the group") };
            again(pool, |pool| pool.release(current))?;
        }
    }
    again(model, |model| model.into_model(current)).and_then(|model| again(model, |model| model.unload(current)))
}

fn uses_pool<C: Brand>(current: &Current<C>, stream: Stream<C>, pool: PoolAllocator) -> Result<(), Error> {
    let stream = again((stream, pool), |(stream, pool)| stream.register(current, pool))?;
    stream.pool_statistics()?;
    stream.grow_pool(current, 1 << 16).or_else(|_| stream.grow_pool(current, 1 << 16))?;
    let (stream, pool) = again(stream, |stream| stream.unregister(current))?;
    let pool = match pool.release(current) {
        Ok(()) => None,
        Err(failed) => Some(failed.value),
    };
    again(stream, |stream| stream.destroy(current))?;
    pool.map_or(Ok(()), |pool| again(pool, |pool| pool.release(current)))
}
