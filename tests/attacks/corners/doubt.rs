//! Memory that work may still use although its call failed: it is bound to operators, models and graphs.

use super::*;
use ascendcl::capture::CaptureMode;
use ascendcl::memory::bytes_in_arena;
use ascendcl::model::ModelSource;
use ascendcl::operator::Operator;
use ascendcl::stream::StreamOps;
use ascendcl::{Brand, Current, DeviceBuffer, Element, Error, HostBuffer, Stream};
use ascendcl_macros::proves;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// A buffer that a set may be writing on a stream which is held up until something is sent.
fn in_doubt<C: Brand, E: Element>(
    current: &Current<C>,
    buffer: DeviceBuffer<C, E>,
) -> (DeviceBuffer<C, E>, Stream<C>, Sender<()>) {
    let (go, waits) = channel::<()>();
    let stream = current.stream().unwrap();
    drop(stream.launch_host_fn(current, move || waits.recv_timeout(Duration::from_secs(20)).is_ok()).unwrap());
    fail("aclrtMemsetAsync#1=after:507899, aclrtSynchronizeStreamWithTimeout=507046");
    let failed = stream.set_bytes(current, buffer, 2).unwrap_err();
    nothing_fails();
    assert!(matches!(failed.value.to_vec(current), Err(Error::InDoubt { .. })));
    (failed.value, stream, go)
}

#[track_caller]
fn is_in_doubt(error: &Error) {
    assert!(matches!(error, Error::InDoubt { .. }), "{error}");
}

#[proves(MEM_02)]
#[test]
fn memory_in_doubt_is_no_tensor_of_an_operator() {
    let alone = alone();
    inside(|current| {
        let other = current.stream().unwrap().without_allocator();
        let (buffer, stream, go) = in_doubt(current, current.upload(&[1.0_f32; 64]).unwrap());
        let tensor = buffer.into_tensor(&[64]).unwrap();
        let x = current.upload_tensor(&[64], &[1.0_f32; 64]).unwrap();
        let launched = Operator::new("Relu")
            .bind(current, x, tensor)
            .map_err(Error::from)
            .and_then(|operator| other.launch(current, operator).map_err(Error::from))
            .map(drop);
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        is_in_doubt(&launched.unwrap_err());
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_model_whose_input_a_copy_may_be_writing_is_not_executed() {
    let alone = alone();
    inside(|current| {
        let other = current.stream().unwrap().without_allocator();
        let image = difference();
        let model = current.load(ModelSource::memory(&image).into()).unwrap();
        let model = model.bind(current, &[&[4], &[4]], &[&[4]]).unwrap();
        let (go, waits) = channel::<()>();
        let stream = current.stream().unwrap();
        drop(stream.launch_host_fn(current, move || waits.recv_timeout(Duration::from_secs(20)).is_ok()).unwrap());
        fail("aclrtMemcpyAsync#1=after:507899, aclrtSynchronizeStreamWithTimeout=507046");
        let host = current.host_buffer::<f32>(4).unwrap();
        let failed = stream.copy_to_input(current, host, model, 0).unwrap_err();
        nothing_fails();
        let (_, model) = failed.value;
        let executed = other.execute(current, model);
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        let refused = executed.unwrap_err();
        assert!(matches!(refused.error, Error::InDoubt { .. } | Error::StillRunning { .. }), "{}", refused.error);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_model_whose_input_a_copy_may_be_writing_is_not_run() {
    let alone = alone();
    inside(|current| {
        let image = difference();
        let model = current.load(ModelSource::memory(&image).into()).unwrap();
        let model = model.bind(current, &[&[4], &[4]], &[&[4]]).unwrap();
        let (go, waits) = channel::<()>();
        let stream = current.stream().unwrap();
        drop(stream.launch_host_fn(current, move || waits.recv_timeout(Duration::from_secs(20)).is_ok()).unwrap());
        fail("aclrtMemcpyAsync#1=after:507899, aclrtSynchronizeStreamWithTimeout=507046");
        let host = current.host_buffer::<f32>(4).unwrap();
        let failed = stream.copy_to_input(current, host, model, 0).unwrap_err();
        nothing_fails();
        let (_, mut model) = failed.value;
        let run = model.run(current);
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        let refused = run.unwrap_err();
        assert!(matches!(refused, Error::InDoubt { .. } | Error::StillRunning { .. }), "{refused}");
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn memory_in_doubt_that_is_shared_is_read_by_nobody() {
    let alone = alone();
    inside(|current| {
        let (buffer, stream, go) = in_doubt(current, current.upload(&[1_u8; 128]).unwrap());
        let shared = buffer.into_shared();
        for name in [shared.clone(), shared.slice(64..).unwrap(), shared.slice(..0).unwrap()] {
            is_in_doubt(&name.to_vec(current).unwrap_err());
            let tensor = name.clone().into_tensor(&[name.len()]).unwrap();
            let operands = current.build_graph(name).map(drop).unwrap_err();
            is_in_doubt(&operands.error);
            drop(tensor);
        }
        let back = shared.try_unshare(current).unwrap();
        assert!(matches!(back.free(current), Err(failed) if matches!(failed.error, Error::StillRunning { .. })));
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn an_arena_is_not_used_again_while_work_in_doubt_may_write_a_buffer_of_it() {
    let alone = alone();
    inside(|current| {
        let mut arena = current.device_arena(bytes_in_arena::<u8>(64)).unwrap();
        let (buffer, stream, go) = in_doubt(current, arena.take::<u8>(64).unwrap().zero(current).unwrap());
        drop(buffer);
        let early = arena.reset(current).unwrap_err();
        assert!(matches!(early, Error::StillRunning { .. }), "{early}");
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        arena.reset(current).unwrap();
        let again = arena.take::<u8>(64).unwrap().write(current, &[5; 64]).unwrap();
        assert_eq!(again.to_vec(current).unwrap(), [5; 64]);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, GRAPH_05)]
#[test]
fn memory_in_doubt_is_not_captured() {
    let alone = alone();
    inside(|current| {
        let mut other = current.stream().unwrap().without_allocator();
        let (buffer, stream, go) = in_doubt(current, current.upload(&[1_u8; 64]).unwrap());
        let refused = other.capture(current, CaptureMode::Relaxed, buffer, |_, _| Ok(())).unwrap_err();
        is_in_doubt(&refused.error);
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// The functions of these calls are known: the calls before have found them.
#[proves(MEM_02)]
#[test]
fn memory_in_doubt_is_copied_by_no_call_and_by_no_stream() {
    let alone = alone();
    inside(|current| {
        let other = current.stream().unwrap().without_allocator();
        let known = current.upload(&[7_u8; 64]).unwrap();
        assert_eq!(known.to_vec(current).unwrap(), [7; 64]);
        let host = current.host_buffer::<u8>(64).unwrap();
        let (host, known) = other.copy_to_device(current, host, known).unwrap().wait(current).unwrap();
        let (known, host) = other.copy_to_host(current, known, host).unwrap().wait(current).unwrap();
        known.free(current).unwrap();
        let (mut buffer, stream, go) = in_doubt(current, current.upload(&[1_u8; 64]).unwrap());
        is_in_doubt(&buffer.copy_from(current, &[3; 64]).unwrap_err());
        is_in_doubt(&buffer.to_vec(current).unwrap_err());
        // On its own stream, too, where the work would come behind that in doubt.
        let (mut host, mut buffer) = (host, buffer);
        for stream in [&stream, &other as &StreamOps<_>] {
            let failed = stream.set_bytes(current, buffer, 4).unwrap_err();
            is_in_doubt(&failed.error);
            let failed = stream.copy_to_device(current, host, failed.value).unwrap_err();
            is_in_doubt(&failed.error);
            let failed = stream.copy_to_host(current, failed.value.1, failed.value.0).unwrap_err();
            is_in_doubt(&failed.error);
            (buffer, host) = failed.value;
        }
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// A host buffer to which a copy may be writing on a stream which is held up until something is sent.
fn host_in_doubt<C: Brand>(current: &Current<C>) -> (HostBuffer<C, u8>, Stream<C>, Sender<()>) {
    let (go, waits) = channel::<()>();
    let stream = current.stream().unwrap();
    drop(stream.launch_host_fn(current, move || waits.recv_timeout(Duration::from_secs(20)).is_ok()).unwrap());
    let (from, to) = (current.upload(&[1_u8; 64]).unwrap(), current.host_buffer::<u8>(64).unwrap());
    fail("aclrtMemcpyAsync#1=after:507899, aclrtSynchronizeStreamWithTimeout=507046");
    let failed = stream.copy_to_host(current, from, to).unwrap_err();
    nothing_fails();
    (failed.value.1, stream, go)
}

#[proves(MEM_02)]
#[test]
fn memory_of_the_host_in_doubt_is_not_read() {
    let alone = alone();
    inside(|current| {
        let (host, stream, go) = host_in_doubt(current);
        assert_eq!((host.iter().count(), host.to_vec().len()), (0, 0), "a copy may be writing to it");
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// The row of a block that was in doubt is used again.
#[proves(MEM_02)]
#[test]
fn memory_that_takes_the_place_of_memory_in_doubt_is_not_in_doubt() {
    let alone = alone();
    inside(|current| {
        for _ in 0..8 {
            let (buffer, stream, go) = in_doubt(current, current.upload(&[1_u8; 64]).unwrap());
            go.send(()).unwrap();
            stream.synchronize(current).unwrap();
            buffer.free(current).unwrap();
            let next = current.upload(&[2_u8; 64]).unwrap();
            assert_eq!(next.to_vec(current).unwrap(), [2; 64]);
            next.free(current).unwrap();
        }
    });
    alone.assert_nothing_lives();
}

/// A wait for the first stream has shown that the buffer is idle there.
#[proves(MEM_02)]
#[test]
fn memory_that_was_waited_for_does_not_wait_for_later_work_of_that_stream() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let buffer = first.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap();
        let buffer = buffer.wait(current).unwrap();
        let (go, waits) = channel::<()>();
        drop(first.launch_host_fn(current, move || waits.recv_timeout(Duration::from_secs(20)).is_ok()).unwrap());
        let buffer = second.set_bytes(current, buffer, 2).unwrap();
        second.synchronize(current).unwrap();
        drop(buffer);
        let before = ascendcl_sim::control::live().device_blocks;
        collect(current);
        assert_lives!(device_blocks, before - 1);
        go.send(()).unwrap();
        first.synchronize(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// A part of a part stands for the memory of the arena, not for the part that it comes from.
#[proves(MEM_02)]
#[test]
fn a_part_of_memory_in_doubt_is_in_doubt_when_it_has_one_owner_again() {
    let alone = alone();
    inside(|current| {
        let mut arena = current.device_arena(bytes_in_arena::<u8>(64)).unwrap();
        let (buffer, stream, go) = in_doubt(current, arena.take::<u8>(64).unwrap().zero(current).unwrap());
        let shared = buffer.into_shared();
        let head = shared.slice(..8).unwrap();
        drop(shared);
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        let mut head = head.try_unshare(current).unwrap();
        is_in_doubt(&head.copy_from(current, &[1; 8]).unwrap_err());
    });
    alone.assert_nothing_lives();
}
