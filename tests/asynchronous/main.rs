//! Work in flight: pipelines on two streams, callbacks, futures, lent slices, events between contexts, pageable memory.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;

mod events;
mod futures;
mod lending;

use ascendcl::{Error, Scoped, Thread, allocator::PoolAllocator, model::ModelSource, stream::AllocatorGroup};
use ascendcl_macros::proves;
use common::scopes::run;
use common::{alone, data, digits, digits_in_batches_of, largest};
use std::mem;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

#[proves(STREAM_04, MODEL_17, COPY_04)]
#[test]
fn a_pipeline_of_copy_in_execute_copy_out_runs_batches_on_two_streams() {
    const BATCH: usize = 36;
    let alone = alone();
    let (labels, pixels) = digits();
    let right = run(|current| {
        let mut slots = Vec::new();
        for _ in 0..2 {
            let model = current.load_model(data("digits.onnx"))?;
            let model = model.bind(current, &[&[BATCH, 64]], &[&[BATCH, 10]])?;
            let buffers = (current.host_buffer::<f32>(BATCH * 64)?, current.host_buffer::<f32>(BATCH * 10)?);
            slots.push((current.stream()?.without_allocator(), Some((model, buffers)), None));
        }
        let mut right = 0;
        let batches: Vec<_> = pixels.chunks(64 * BATCH).zip(labels.chunks(BATCH)).collect();
        // Two rounds more than there are batches take the last two in flight out.
        for number in 0..batches.len() + 2 {
            let (stream, idle, flying) = &mut slots[number % 2];
            if let Some((work, labels)) = flying.take() {
                let work: ascendcl::Pending<Scoped<'_>, _> = work;
                let ((model, result), image): ((_, ascendcl::HostBuffer<Scoped<'_>, f32>), _) = work.wait(current)?;
                let labels: &[usize] = labels;
                right += result.chunks(10).zip(labels).filter(|(found, label)| largest(found) == **label).count();
                *idle = Some((model, (image, result)));
            }
            let Some((images, labels)) = batches.get(number) else { continue };
            let (model, (mut image, result)) = idle.take().unwrap();
            image.copy_from_slice(images);
            let (image, model) = stream.copy_to_input(current, image, model, 0)?.split();
            let model = stream.execute(current, model)?;
            let copied = stream.copy_from_output(current, model, 0, result)?;
            *flying = Some((copied.join(image)?, *labels));
        }
        Ok(right)
    });
    assert_eq!(right, 352);
    alone.assert_nothing_lives();
}

#[proves(STREAM_04)]
#[test]
fn two_streams_work_at_the_same_time() {
    let alone = alone();
    run(|current| {
        let (one, two) = (current.stream()?, current.stream()?);
        let (open, gate) = mpsc::channel::<()>();
        // The first stream works until the second has done its work: by tasks, since callbacks take turns.
        let held = one.launch_host_fn(current, move || gate.recv_timeout(Duration::from_secs(60)).is_ok())?;
        let set = two.set_bytes(current, current.device_buffer::<u32>(16)?, 0xff)?.wait(current)?;
        assert_eq!(set.to_vec(current)?, [u32::MAX; 16]);
        assert!(!held.is_complete(current)?);
        open.send(()).unwrap();
        assert!(held.wait(current)?.into_result()?);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(COPY_02, MEM_16)]
#[test]
fn copies_on_the_device_sets_and_parts_move_what_they_say() {
    let alone = alone();
    run(|current| {
        let stream = current.stream()?;
        let whole: Vec<u32> = (0..64).collect();
        let (first, second) = (current.upload(&whole)?, current.device_buffer::<u32>(64)?);
        let (first, second) = stream.copy_on_device(current, first, second)?.split();
        let zeroed = stream.set_bytes(current, first, 0xff)?;
        // Elements 16..32 of the copy go to the front of the other.
        let both = stream.copy_part_on_device(current, second, 16..32, zeroed, 0)?;
        let (_, front) = both.wait(current)?;
        let mut expected = vec![u32::MAX; 64];
        expected[..16].copy_from_slice(&whole[16..32]);
        assert_eq!(front.to_vec(current)?, expected);
        let (_, host) = stream.copy_part_to_host(current, front, 3..5, current.host_buffer(4)?, 1)?.wait(current)?;
        assert_eq!(*host, [0, 19, 20, 0]);
        let (_, front) =
            stream.copy_part_to_device(current, host, 1..3, current.upload(&[7_u32; 4])?, 2)?.wait(current)?;
        assert_eq!(front.to_vec(current)?, [7, 7, 19, 20]);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(COPY_01, COPY_09)]
#[test]
fn parts_that_are_not_there_and_parts_that_do_not_begin_right_are_refused() {
    let alone = alone();
    run(|current| {
        let stream = current.stream()?;
        let (host, device) = (current.host_buffer::<f32>(8)?, current.upload(&[0.0_f32; 64])?);
        let failed = stream.copy_part_to_device(current, host, 4..9, device, 0).unwrap_err();
        assert_eq!(
            failed.error.to_string(),
            "elements 4..9 are out of range: the source of the copy has 8 elements [COPY-01]"
        );
        let (host, device) = failed.value;
        let backwards = std::ops::Range { start: 5, end: 4 };
        let failed = stream.copy_part_to_device(current, host, backwards, device, 0).unwrap_err();
        assert!(matches!(failed.error, Error::NoSuchPart { start: 5, end: 4, length: 8, .. }), "{}", failed.error);
        let (host, device) = failed.value;
        let (host, device) = stream.copy_part_to_device(current, host, 8..8, device, 64)?.wait(current)?;
        let failed = stream.copy_part_to_device(current, host, 0..8, device, usize::MAX).unwrap_err();
        assert!(matches!(failed.error, Error::NoSuchPart { start: usize::MAX, .. }), "{}", failed.error);
        let other = current.upload(&[0.0_f32; 64])?;
        let failed = stream.copy_part_on_device(current, failed.value.1, 8..16, other, 0).unwrap_err();
        assert!(matches!(failed.error, Error::Misaligned { past: 32, alignment: 64 }), "{}", failed.error);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(COPY_05, MEM_03)]
#[test]
fn a_vector_goes_into_a_copy_and_comes_back_without_moving() {
    let alone = alone();
    run(|current| {
        let stream = current.stream()?;
        let elements: Vec<f64> = (0..100).map(f64::from).collect();
        let (address, expected) = (elements.as_ptr(), elements.clone());
        let host = current.pageable_buffer(elements);
        let (host, device) = stream.copy_to_device(current, host, current.device_buffer(100)?)?.wait(current)?;
        assert_eq!(device.to_vec(current)?, expected);
        let back = host.into_vec(current)?;
        assert_eq!((back.as_ptr(), &back), (address, &expected));
        let empty = current.pageable_buffer(Vec::<u8>::new());
        assert_eq!(empty.into_vec(current)?, [0_u8; 0]);
        assert_eq!(current.host_buffer::<u8>(3)?.into_vec(current)?, [0; 3], "a copy of pinned memory");
        // Forgotten, dropped and freed ones go with the scope, each once.
        mem::forget(stream.copy_to_device(
            current,
            current.pageable_buffer(vec![1_u8; 9]),
            current.device_buffer(9)?,
        )?);
        drop(stream.copy_to_device(current, current.pageable_buffer(vec![1_u8; 9]), current.device_buffer(9)?)?);
        current.pageable_buffer(vec![1_u16; 9]).free(current)?;
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04, EVENT_05)]
#[test]
fn work_in_flight_is_used_on_another_stream_only_behind_an_event_that_covers_it() {
    let alone = alone();
    run(|current| {
        let (one, two) = (current.stream()?, current.stream()?);
        let early = one.record(current, current.event()?)?;
        let device = one.set_bytes(current, current.device_buffer::<u8>(1 << 20)?, 5)?;
        let target = current.host_buffer::<u8>(1 << 20)?;
        let failed = two.copy_to_host(current, device, target).unwrap_err();
        assert!(matches!(failed.error, Error::OtherStream { .. }), "{}", failed.error);
        let (device, target) = failed.value;
        let failed = two.adopt_after(current, device, &early).unwrap_err();
        assert!(matches!(failed.error, Error::NotCovered), "{}", failed.error);
        let other = two.record(current, current.event()?)?;
        let failed = two.adopt_after(current, failed.value, &other).unwrap_err();
        assert!(matches!(failed.error, Error::NotCovered), "{}", failed.error);
        let late = one.record(current, early)?;
        let device = two.adopt_after(current, failed.value, &late)?;
        let (device, target) = two.copy_to_host(current, device, target)?.wait(current)?;
        assert!(target.iter().all(|byte| *byte == 5));
        // The wait for the second stream makes it idle, although no wait covered the first.
        device.free(current)?;
        target.free(current)?;
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04)]
#[test]
fn work_of_two_streams_is_not_joined_and_mapped_work_calls_its_function_after_the_wait() {
    let alone = alone();
    run(|current| {
        let (one, two) = (current.stream()?, current.stream()?);
        let first = one.set_bytes(current, current.device_buffer::<u8>(4)?, 1)?;
        let second = two.set_bytes(current, current.device_buffer::<u8>(4)?, 2)?;
        let failed = first.join(second).unwrap_err();
        assert!(matches!(failed.error, Error::OtherStream { .. }));
        let mapped = failed.value.0.map(|buffer| buffer.len());
        assert_eq!(mapped.wait_within(current, Duration::from_secs(60)).unwrap(), 4);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(CB_01)]
#[test]
fn a_callback_runs_in_its_turn_and_cannot_call_the_library() {
    let alone = alone();
    run(|current| {
        let stream = current.stream()?;
        let reply =
            stream.launch_host_fn(current, || (Thread::new().unwrap_err().to_string(), thread::current().id()))?;
        let (refused, ran_on) = reply.wait(current)?.into_result()?;
        assert!(refused.starts_with("the library cannot be called from inside a callback"), "{refused}");
        assert_ne!(ran_on, thread::current().id());
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(CB_09)]
#[test]
fn a_panic_in_a_callback_is_told_and_the_stream_goes_on() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            if !thread::panicking() {
                panic!("while it is dropped")
            }
        }
    }
    let alone = alone();
    run(|current| {
        let stream = current.stream()?;
        let reply = stream.launch_host_fn(current, || -> u8 { panic!("in the callback") })?;
        // Dropped before it runs: no code takes its result, whose drop panics on the library's thread.
        drop(stream.launch_host_fn(current, || Bomb)?);
        drop(stream.launch_host_fn(current, || std::panic::panic_any(Bomb))?);
        let after = stream.launch_host_fn(current, || 3)?;
        let error = reply.wait(current)?.into_result().unwrap_err();
        assert_eq!(error.to_string(), "the callback panicked: in the callback [CB-09]");
        assert_eq!(after.wait(current)?.into_result()?, 3);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(CB_08, STREAM_16)]
#[test]
fn what_a_callback_captured_is_dropped_once_when_it_has_run() {
    let alone = alone();
    let captured = Arc::new(());
    run(|current| {
        let stream = current.stream()?;
        let (release, released) = mpsc::channel::<()>();
        let keeps = Arc::clone(&captured);
        let work = stream.launch_host_fn(current, move || {
            released.recv().ok();
            drop(keeps)
        })?;
        assert!(!work.is_complete(current)?);
        let failed = work.wait_within(current, Duration::from_millis(5)).unwrap_err();
        assert!(failed.error.code().unwrap().is_timeout());
        // Forgetting the work frees nothing early.
        mem::forget(failed.value);
        assert_eq!(Arc::strong_count(&captured), 2);
        release.send(()).unwrap();
        current.synchronize_within(Duration::from_secs(60))?;
        assert_eq!(Arc::strong_count(&captured), 1);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04, STREAM_12, EVENT_05, CB_01)]
#[test]
fn the_default_stream_takes_the_same_work_as_any_other() {
    let alone = alone();
    run(|current| {
        let (default, stream) = (current.default_stream(), current.stream()?);
        let start = default.record(current, current.event()?)?;
        let (release, waits) = mpsc::channel::<()>();
        let reply = default.launch_host_fn(current, move || waits.recv().is_ok())?;
        let set = default.set_bytes(current, current.device_buffer::<u8>(8)?, 3)?;
        let end = default.record(current, current.event()?)?;
        // Explicit streams do not wait for it by themselves, and do behind its event.
        stream.synchronize_within(current, Duration::from_secs(60))?;
        assert!(!default.is_complete(current)?);
        let set = stream.adopt_after(current, set, &end)?;
        let late = set.wait_within(current, Duration::from_millis(5)).unwrap_err();
        assert!(late.error.code().unwrap().is_timeout(), "{}", late.error);
        release.send(()).unwrap();
        assert_eq!(late.value.wait(current)?.to_vec(current)?, [3; 8]);
        assert!(reply.wait(current)?.into_result()?);
        assert!(end.milliseconds_since(current, &start)? >= 5.0);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_05, MODEL_17, ALLOC_10)]
#[test]
fn a_lane_and_a_turn_queue_copies_around_their_models_executions() {
    let alone = alone();
    let (image, (labels, pixels)) = (digits_in_batches_of(8), digits());
    run(|current| {
        let source = ModelSource::memory(&image);
        let work = 2 * current.model_size(source)?.workspace;
        let stream = current.stream()?.without_allocator();
        let first = &pixels[..8 * 64];
        let stream = current.workspace_lane(stream, current.workspace(work)?, |current, mut lane| {
            let model = lane.load(current, source.into())?.bind(current, &[&[8, 64]], &[&[8, 10]])?;
            let (mut images, scores) = (current.host_buffer(8 * 64)?, current.host_buffer::<f32>(8 * 10)?);
            images.copy_from_slice(first);
            let (_, model) = lane.copy_to_input(current, images, model, 0)?.split();
            let model = lane.execute(current, model)?;
            let (_, scores) = lane.copy_from_output(current, model, 0, scores)?.wait(current)?;
            assert_eq!(scores.chunks(10).map(largest).collect::<Vec<_>>(), labels[..8]);
            Ok::<_, Error>(lane.into_stream())
        })?;
        stream.destroy(current)?;

        let group = AllocatorGroup::new(current, PoolAllocator::new(current, 1 << 16)?)?;
        let member = group.attach(current, current.stream()?)?;
        let turn = group.begin(&member)?;
        let model = current.load(source.into())?.bind(current, &[&[8, 64]], &[&[8, 10]])?;
        let (mut images, scores) = (current.host_buffer(8 * 64)?, current.host_buffer::<f32>(8 * 10)?);
        images.copy_from_slice(first);
        let (_, model) = turn.copy_to_input(current, images, model, 0)?.split();
        let model = turn.execute(current, model)?;
        let scores = turn.copy_from_output(current, model, 0, scores)?;
        drop(turn.finish(current)?);
        // The end of the turn has waited for everything on its stream.
        let (_, scores) = scores.wait(current)?;
        assert_eq!(scores.chunks(10).map(largest).collect::<Vec<_>>(), labels[..8]);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_16)]
#[test]
fn after_a_wait_with_a_limit_nothing_else_waits_for_the_stream() {
    let alone = alone();
    run(|current| {
        let stream = current.stream()?;
        let (release, waits) = mpsc::channel::<()>();
        drop(stream.launch_host_fn(current, move || waits.recv().is_ok())?);
        assert!(stream.synchronize_within(current, Duration::from_millis(5)).is_err());
        release.send(()).unwrap();
        stream.synchronize_within(current, Duration::from_secs(60))?;
        assert!(stream.is_complete(current)?, "destroying it has nothing to wait for");
        stream.destroy(current)?;
        Ok(())
    });
    alone.assert_nothing_lives();
}
