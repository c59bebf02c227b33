//! Ordinary host memory, with a library that copies it during the call without waiting for the stream.

use super::with_device;
use crate::common::{Alone, acl, alone, positions, under_watch};
use ascendcl::{
    Current, Error, Scoped,
    model::{ModelSource, OutputBuffer},
    stream::StreamOps,
};
use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};
use std::thread;
use std::time::Duration;

/// Runs `program` on a library that copies in the call.
fn copying_at_once<R>(program: impl for<'c> FnOnce(&mut Current<Scoped<'c>>) -> R) -> R {
    let alone = alone();
    control::configure(under_watch(Config::new()).copy_at_once(true)).unwrap();
    let result = with_device(acl(), |device, thread| device.with_current(thread, program).unwrap());
    end(alone);
    result
}

fn end(alone: Alone) {
    alone.assert_nothing_lives();
    control::reset();
    control::configure(under_watch(Config::new())).unwrap();
}

/// Work that lasts a while.
fn slow<'c>(current: &Current<Scoped<'c>>, stream: &StreamOps<Scoped<'c>>) {
    drop(stream.launch_host_fn(current, || thread::sleep(Duration::from_millis(50))).unwrap());
}

#[proves(COPY_05, STREAM_04)]
#[test]
fn a_copy_of_a_vector_comes_after_the_work_that_its_device_buffer_is_in() {
    copying_at_once(|current| {
        let stream = current.stream().unwrap();
        slow(current, &stream);
        let device = stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 7).unwrap();
        let read = stream.copy_to_host(current, device, current.pageable_buffer(vec![0_u8; 64])).unwrap();
        let (device, read) = read.wait(current).unwrap();
        assert_eq!(read.into_vec(current).unwrap(), [7; 64], "read after it was set");

        slow(current, &stream);
        let device = stream.set_bytes(current, device, 1).unwrap();
        let write = stream.copy_to_device(current, current.pageable_buffer(vec![9_u8; 64]), device).unwrap();
        let (_, device) = write.wait(current).unwrap();
        assert_eq!(device.to_vec(current).unwrap(), [9; 64], "written after it was set");
    });
}

#[proves(COPY_05, STREAM_04)]
#[test]
fn a_lent_slice_is_copied_after_the_work_that_its_device_buffer_is_in() {
    copying_at_once(|current| {
        let stream = current.stream().unwrap();
        let mut read = [0_u8; 64];
        current
            .copy_scope(|current, copies| {
                slow(current, &stream);
                let device = stream.set_bytes(current, current.device_buffer::<u8>(64)?, 7)?;
                let device = copies.copy_to_host(current, &stream, device, &mut read)?;
                slow(current, &stream);
                let device = stream.set_bytes(current, device, 1)?;
                drop(copies.copy_to_device(current, &stream, &[9; 64], device)?);
                Ok::<_, Error>(())
            })
            .unwrap()
            .unwrap();
        assert_eq!(read, [7; 64]);
    });
}

#[proves(COPY_05, STREAM_04)]
#[test]
fn a_copy_of_a_vector_comes_after_the_work_of_another_stream_that_was_taken_over() {
    copying_at_once(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        slow(current, &first);
        let device = first.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 7).unwrap();
        let event = first.record(current, current.event().unwrap()).unwrap();
        let device = second.adopt_after(current, device, &event).unwrap();
        let read = second.copy_to_host(current, device, current.pageable_buffer(vec![0_u8; 64])).unwrap();
        let (_, read) = read.wait(current).unwrap();
        assert_eq!(read.into_vec(current).unwrap(), [7; 64]);
    });
}

#[proves(COPY_05, STREAM_04)]
#[test]
fn a_copy_of_a_vector_to_an_input_comes_after_the_execution_before_it() {
    copying_at_once(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let model = current.load(ModelSource::memory(&positions()).into()).unwrap();
        let mut model = model.bind_with(current, &[&[4]], &[OutputBuffer::AtMost(4)]).unwrap();
        model.write(current, 0, &[1.0_f32; 4]).unwrap();
        slow(current, &stream);
        let model = stream.execute(current, model).unwrap();
        let zeros = current.pageable_buffer(vec![0.0_f32; 4]);
        let (_, model) = stream.copy_to_input(current, zeros, model, 0).unwrap().wait(current).unwrap();
        assert_eq!(model.output_shape(current, 0).unwrap(), [1, 4], "executed on the ones");
    });
}

#[proves(COPY_05, STREAM_04)]
#[test]
fn a_copy_of_a_vector_by_another_function_comes_after_the_work_that_its_device_buffer_is_in() {
    use ascendcl_sys::types::{aclrtMemcpyKind, aclrtStream};
    copying_at_once(|current| {
        let (stream, functions) = (current.stream().unwrap(), current.library().as_raw());
        slow(current, &stream);
        let device = stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 7).unwrap();
        let operands = (device, current.pageable_buffer(vec![0_u8; 64]));
        // SAFETY: both hold 64 bytes, and the copy is queued on this stream.
        let read = unsafe {
            stream.submit(current, "aclrtMemcpyAsync", operands, |stream, (from, to)| {
                let kind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST;
                functions.aclrtMemcpyAsync(to.start, 64, from.start, 64, kind, aclrtStream(stream)).unwrap()
            })
        };
        let (_, read) = read.unwrap().wait(current).unwrap();
        assert_eq!(read.into_vec(current).unwrap(), [7; 64], "read after it was set");
    });
}
