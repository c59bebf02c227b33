//! Ordinary host memory, with a library that copies it during the call without waiting for the stream.

use super::{inside, with_device};
use crate::common::{Alone, acl, alone, positions, under_watch};
use ascendcl::{
    Current, Error, Scoped,
    memory::{Pages, Rows},
    model::{ModelSource, OutputBuffer},
    operator,
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

#[proves(COPY_05, STREAM_04, COPY_10)]
#[test]
fn rows_of_a_vector_are_copied_after_the_work_that_their_device_buffer_is_in() {
    let rows = || Rows::builder().width(8).height(8).from_pitch(8).to_pitch(8).build();
    copying_at_once(|current| {
        let stream = current.stream().unwrap();
        slow(current, &stream);
        let device = stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 7).unwrap();
        let read = stream.copy_rows_to_host(current, device, current.pageable_buffer(vec![0_u8; 64]), rows()).unwrap();
        let (device, read) = read.wait(current).unwrap();
        assert_eq!(read.into_vec(current).unwrap(), [7; 64], "read after it was set");

        slow(current, &stream);
        let device = stream.set_bytes(current, device, 1).unwrap();
        let from = current.pageable_buffer(vec![9_u8; 64]);
        let (_, device) = stream.copy_rows_to_device(current, from, device, rows()).unwrap().wait(current).unwrap();
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

#[proves(COPY_05, OP_03)]
#[test]
fn a_copy_of_a_vector_comes_after_the_operator_that_its_tensor_was_taken_from_in_flight() {
    copying_at_once(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let x = current.upload_tensor(&[3], &[1.0_f32, -2.0, 3.0]).unwrap();
        slow(current, &stream);
        let (x, y) = stream.launch(current, operator::relu(current, x).unwrap()).unwrap().split();
        let read = stream.copy_to_host(current, y.into_buffer(), current.pageable_buffer(vec![9.0_f32; 3])).unwrap();
        let (y, read) = read.wait(current).unwrap();
        assert_eq!(read.into_vec(current).unwrap(), [1.0, 0.0, 3.0], "read after it was computed");

        let y = y.into_tensor(&[3]).unwrap();
        slow(current, &stream);
        let sum = operator::add(current, x, y).unwrap();
        let ((x, _y), sum) = {
            let (inputs, sum) = stream.launch(current, sum).unwrap().split();
            (inputs.split(), sum)
        };
        let write = stream.copy_to_device(current, current.pageable_buffer(vec![100.0_f32; 3]), x.into_buffer());
        drop(write.unwrap().wait(current).unwrap());
        assert_eq!(sum.wait(current).unwrap().to_vec(current).unwrap(), [2.0, -2.0, 6.0], "written after it was read");
    });
}

#[proves(COPY_05, MEM_02)]
#[test]
fn a_copy_of_a_vector_comes_after_the_work_that_its_shared_memory_was_in_when_it_was_shared() {
    copying_at_once(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let pageable = || current.pageable_buffer(vec![9.0_f32; 3]);
        let x = || current.upload_tensor(&[3], &[1.0_f32, -2.0, 3.0]).unwrap();
        for cloned in [false, true] {
            slow(current, &stream);
            let y = stream.launch(current, operator::relu(current, x()).unwrap()).unwrap().into_outputs();
            let y = y.into_shared();
            let y = if cloned { y.clone() } else { y };
            let (_, read) = stream.copy_to_host(current, y.into_buffer(), pageable()).unwrap().wait(current).unwrap();
            assert_eq!(read.into_vec(current).unwrap(), [1.0, 0.0, 3.0], "a tensor, cloned: {cloned}");

            slow(current, &stream);
            let zero = stream.set_bytes(current, current.device_buffer::<f32>(3).unwrap(), 0).unwrap();
            let zero = zero.into_shared();
            let zero = if cloned { zero.clone() } else { zero };
            let (_, read) = stream.copy_to_host(current, zero, pageable()).unwrap().wait(current).unwrap();
            assert_eq!(read.into_vec(current).unwrap(), [0.0; 3], "a buffer, cloned: {cloned}");
        }
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

/// The memory of this process, in bytes. Its status has it in units of 1,024 bytes, whatever the length of a page.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() * 1024
}

#[cfg(target_os = "linux")]
#[proves(MEM_01)]
#[test]
fn vectors_that_their_buffers_kept_and_pages_are_freed() {
    const BYTES: usize = 16 << 20;
    let alone = alone();
    inside(|current| {
        let vectors = || current.pageable_buffer(vec![1_u8; BYTES]).free(current).unwrap();
        let pages = || drop(Pages::copied_from(&[1_u8; 4096].repeat(BYTES / 4096)).unwrap());
        for round in [&vectors as &dyn Fn(), &pages] {
            let rounds = |count| (0..count).for_each(|_| round());
            rounds(2);
            let before = resident();
            rounds(16);
            assert!(resident() < before + 8 * BYTES, "{} bytes are not freed", resident() - before);
        }
    });
    alone.assert_nothing_lives();
}
