//! Models on streams: prepared once and executed many times, in lanes, in turns of a shared allocator, between events.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use ascendcl::{
    Error, Input, Thread,
    allocator::PoolAllocator,
    error::ObjectKind,
    model::{Load, ModelSource},
    stream::AllocatorGroup,
};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use common::scopes::run;
use common::{acl, alone, assert_lives, data, digits, digits_in_batches_of, largest, predictions};
use std::time::Duration;

/// As a slice and a vector are gone over, in a loop and without.
#[proves(MEM_12, DATA_07)]
#[test]
fn host_memory_and_outputs_are_gone_over_by_loops() {
    let alone = alone();
    run(|current| {
        let mut host = current.host_buffer::<u8>(3)?;
        for (number, element) in (1..).zip(&mut host) {
            *element = number;
        }
        host.as_mut_slice()[0] = 9;
        let mut seen = Vec::new();
        for element in &host {
            seen.push(*element);
        }
        assert_eq!((host.as_slice(), &*seen), (&[9, 2, 3][..], &[9, 2, 3][..]));
        let mut model = current.load_model(data("digits.onnx"))?;
        let outputs = model.run(current, &[Input::new(&[1, 64], &[0.0_f32; 64])?])?;
        assert_eq!((outputs.len(), outputs.is_empty()), (1, false));
        let shapes: Vec<_> = outputs.into_iter().map(|output| output.shape().to_vec()).collect();
        assert_eq!(shapes, [[1, 10]]);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_17, MODEL_18, DATA_01, DATA_04, DATA_05)]
#[test]
fn a_prepared_model_is_executed_again_and_again_on_its_buffers() {
    let alone = alone();
    let (labels, pixels) = digits();
    let right = run(|current| {
        let stream = current.stream()?.without_allocator();
        let model = current.load_model(data("digits.onnx"))?;
        let mut model = model.bind(current, &[&[36, 64]], &[&[36, 10]])?;
        let before = model.read::<f32>(current, 0).unwrap_err();
        let expected = "no execution has written this output yet, or none since the last failure, reshape or replacement \
                        of its memory: execute first [MODEL-17]";
        assert_eq!(before.to_string(), expected);
        let mut right = 0;
        for (images, labels) in pixels.chunks(64 * 36).zip(labels.chunks(36)) {
            model.write(current, 0, images)?;
            model = stream.execute(current, model)?.wait_within(current, Duration::from_secs(60))?;
            let probabilities = model.read::<f32>(current, 0)?;
            right += probabilities.chunks(10).zip(labels).filter(|(found, label)| largest(found) == **label).count();
        }
        model.into_model(current)?.unload(current)?;
        stream.destroy(current)?;
        Ok(right)
    });
    assert_eq!(right, 352);
    alone.assert_nothing_lives();
}

#[proves(MODEL_14, DATA_02, DATA_10)]
#[test]
fn a_model_dropped_in_flight_is_unloaded_after_its_work() {
    let alone = alone();
    run(|current| {
        let stream = current.stream()?.without_allocator();
        for forget in [false, true] {
            let model = current.load_model(data("digits.onnx"))?.bind(current, &[&[360, 64]], &[&[360, 10]])?;
            let pending = stream.execute(current, model)?;
            if forget {
                std::mem::forget(pending)
            } else {
                drop(pending)
            }
            assert!(current.collect().is_empty());
        }
        stream.synchronize(current)?;
        assert!(current.collect().is_empty());
        let live = control::live();
        assert_eq!((live.models, live.datasets), (1, 2), "what was dropped is gone, what was forgotten has its row");
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(DATA_07, DATA_08)]
#[test]
fn shapes_that_do_not_fit_give_the_model_back() {
    let alone = alone();
    run(|current| {
        let model = current.load_model(data("digits.onnx"))?;
        let failed = model.bind(current, &[&[1, 63]], &[&[1, 10]]).unwrap_err();
        assert_eq!(failed.error.to_string(), "input `images` takes the shape [_, 64], but [1, 63] was given [DATA-08]");
        let failed = failed.value.bind(current, &[], &[&[1, 10]]).unwrap_err();
        assert_eq!(failed.error.to_string(), "the model takes 1 input(s) (`images`), but 0 were given [DATA-07]");
        let mut model = failed.value.bind(current, &[&[1, 64]], &[&[1, 10]])?;
        let wrong = model.write(current, 0, &[0_u8; 64]).unwrap_err().to_string();
        assert_eq!(wrong, "input `images` takes f32, but u8 was given [DATA-08]");
        let wrong = model.write(current, 0, &[0.0_f32; 63]).unwrap_err().to_string();
        assert_eq!(wrong, "input of the model: expected 64 elements, found 63 [DATA-08]");
        let wrong = model.write(current, 1, &[0.0_f32; 64]).unwrap_err().to_string();
        assert_eq!(wrong, "there is no input 1: the model has 1 [DATA-07]");
        model.into_model(current)?.unload(current)?;
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_04, MODEL_05, MODEL_07)]
#[test]
fn models_of_a_lane_share_its_working_memory_and_weights_one_after_the_other() {
    let alone = alone();
    let (image, (labels, pixels)) = (digits_in_batches_of(8), digits());
    run(|current| {
        let source = ModelSource::memory(&image);
        let size = current.model_size(source)?;
        let weights = current.weights(source)?;
        assert_eq!(weights.bytes(), size.weights);
        let shared = || Load::builder().source(source).weights(&weights).build();
        let stream = current.stream()?.without_allocator();
        let stream = current.workspace_lane(stream, current.workspace(2 * size.workspace)?, |current, mut lane| {
            let mut first = lane.load(current, shared())?.bind(current, &[&[8, 64]], &[&[8, 10]])?;
            let mut second = lane.load(current, shared())?;
            let third = lane.load(current, source.into()).unwrap_err();
            assert!(matches!(third, Error::TooShort { .. }), "{third}");

            first.write(current, 0, &pixels[..8 * 64])?;
            let pending = lane.execute(current, first)?;
            // Runs when the lane's queued work is done: never at the same time.
            let outputs = lane.run(current, &mut second, &[Input::new(&[8, 64], &pixels[8 * 64..16 * 64])?])?;
            assert_eq!(predictions(&outputs.get(0)?.to_vec::<f32>()?), labels[8..16]);
            let first = pending.wait(current)?;
            assert_eq!(predictions(&first.read::<f32>(current, 0)?), labels[..8]);
            second.unload(current)?;
            Ok::<_, Error>(lane.into_stream())
        })?;
        stream.destroy(current)?;
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_06, MODEL_09)]
#[test]
fn a_shared_lane_serves_threads_in_turn_and_weights_are_shared_between_them() {
    let alone = alone();
    let (image, (labels, pixels)) = (digits_in_batches_of(8), digits());
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let lanes = device.context(&mut thread, |context, thread| {
        context.enter(thread, |current| -> Result<(), Error> {
            let source = ModelSource::memory(&image);
            let (size, weights) = (current.model_size(source)?, current.weights(source)?);
            let workspace = current.workspace(4 * size.workspace)?;
            current.workspace_mutex(workspace, |_, lane| {
                std::thread::scope(|scope| {
                    for part in 0..4 {
                        let (lane, weights, labels, pixels) = (&lane, weights.clone(), &labels, &pixels);
                        scope.spawn(move || {
                            let mut thread = Thread::new().unwrap();
                            let entered = context.enter(&mut thread, |current| {
                                let load = Load::builder().source(source).weights(&weights).build();
                                let mut model = lane.load(current, load).unwrap();
                                let images = Input::new(&[8, 64], &pixels[part * 512..(part + 1) * 512]).unwrap();
                                for _ in 0..20 {
                                    let outputs = lane.run(current, &mut model, std::slice::from_ref(&images)).unwrap();
                                    let found = predictions(&outputs.get(0).unwrap().to_vec::<f32>().unwrap());
                                    assert_eq!(found, labels[part * 8..(part + 1) * 8]);
                                }
                                model.unload(current).unwrap();
                            });
                            entered.unwrap();
                        });
                    }
                });
            });
            Ok(())
        })
    });
    lanes.unwrap().unwrap().unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MODEL_03, MODEL_08, MODEL_09)]
#[test]
fn weights_outlive_their_handles_while_a_model_is_loaded_on_them() {
    let alone = alone();
    let (image, other) = (digits_in_batches_of(8), digits_in_batches_of(9));
    run(|current| {
        let source = ModelSource::memory(&image);
        let weights = current.weights(source)?;
        let on = |source| Load::builder().source(source).weights(&weights).build();
        let refused = current.load(on(ModelSource::memory(&other))).unwrap_err();
        assert!(matches!(refused.error, Error::WeightsOfOtherModel { .. }), "{refused}");
        let mut model = current.load(on(source))?;
        drop(refused);
        drop(weights);
        let blocks = control::live().device_blocks;
        assert!(current.collect().is_empty());
        assert_lives!(device_blocks, blocks, "the weights are in use");
        model.run(current, &[Input::new(&[8, 64], &[0.0_f32; 512])?])?;
        model.unload(current)?;
        assert!(current.collect().is_empty());
        assert_lives!(device_blocks, 0);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(ALLOC_10)]
#[test]
fn a_permit_lets_the_streams_of_a_group_run_in_turn() {
    let alone = alone();
    run(|current| {
        let mut group = AllocatorGroup::new(current, PoolAllocator::new(current, 1 << 16)?)?;
        let (first, second) = (group.attach(current, current.stream()?)?, group.attach(current, current.stream()?)?);
        // A model with fixed shapes does not ask the allocator (ALLOC-03).
        let image = digits_in_batches_of(4);
        let model = current.load(ModelSource::memory(&image).into())?;
        let mut model = model.bind(current, &[&[4, 64]], &[&[4, 10]])?;
        for member in [&first, &second, &first] {
            let turn = group.begin(member)?;
            let pending = turn.execute(current, model)?;
            group = turn.finish(current)?;
            model = pending.wait(current)?;
        }
        // A turn that does not end in time is there still, with its group.
        let turn = group.begin(&first)?;
        control::fail("aclmdlExecuteAsync#1=slow:200ms".parse().unwrap()).unwrap();
        let pending = turn.execute(current, model)?;
        let late = turn.finish_within(current, Duration::from_millis(5)).unwrap_err();
        assert!(late.error.code().is_some_and(|code| code.is_timeout()), "{}", late.error);
        group = late.value.finish_within(current, Duration::from_secs(60))?;
        drop(pending.wait(current)?);
        let other = AllocatorGroup::new(current, PoolAllocator::new(current, 0)?)?;
        let refused = other.begin(&first).unwrap_err();
        assert!(matches!(refused.error, Error::OtherGroup), "{}", refused.error);
        assert!(refused.value.into_allocator().is_ok());

        let kept = group.into_allocator().unwrap_err();
        assert!(matches!(kept.error, Error::StillRunning { what: ObjectKind::ALLOCATOR }), "{}", kept.error);
        assert!(kept.error.to_string().contains("detach that stream from the group"), "{}", kept.error);
        first.detach(current)?.destroy(current)?;
        let kept = kept.value.into_allocator().unwrap_err();
        drop(second.detach(current)?);
        assert!(kept.value.into_allocator().is_ok());
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04, EVENT_04, EVENT_05)]
#[test]
fn an_event_orders_two_streams_and_measures_time() {
    let alone = alone();
    run(|current| {
        let (first, second) = (current.stream()?, current.stream()?);
        let start = first.record(current, current.event()?)?;
        let mut host = current.host_buffer::<u32>(1 << 20)?;
        host.fill(7);
        let device = current.device_buffer::<u32>(1 << 20)?;
        let upload = first.copy_to_device(current, host, device)?;
        let uploaded = first.record(current, current.event()?)?;
        second.wait_for(current, &uploaded)?;
        let after = second.record(current, current.event()?)?;
        after.synchronize(current)?;
        assert!(uploaded.is_complete(current)?, "the second stream waited for the first");
        assert!(uploaded.milliseconds_since(current, &start)? >= 0.0);
        let (_, device) = upload.wait(current)?;
        assert!(device.to_vec(current)?.iter().all(|element| *element == 7));
        start.destroy(current)?;
        drop(uploaded);
        std::mem::forget(after);
        assert!(current.collect().is_empty());
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(DEV_03, DEV_04, STREAM_02, STREAM_03)]
#[test]
fn the_default_stream_copies_and_waits_and_is_never_destroyed() {
    let alone = alone();
    run(|current| {
        let stream = current.default_stream();
        let mut host = current.host_buffer::<u16>(100)?;
        host.fill(3);
        let device = current.device_buffer::<u16>(100)?;
        let copy = stream.copy_to_device(current, host, device)?;
        drop(stream);
        assert!(current.collect().is_empty());
        current.default_stream().synchronize(current)?;
        let (_, device) = copy.wait(current)?;
        assert_eq!(device.to_vec(current)?, [3; 100]);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_19)]
#[test]
fn a_model_of_free_shapes_has_no_size_and_does_not_go_on_memory_of_the_callers() {
    let alone = alone();
    let free = data("digits.onnx");
    run(|current| {
        let source = ModelSource::file(&free);
        assert!(matches!(current.model_size(source), Err(Error::Vendor(_))));
        assert!(matches!(current.weights(source), Err(Error::Vendor(_))));
        let stream = current.stream()?.without_allocator();
        let workspace = current.workspace(1 << 20)?;
        let failed = current.load(Load::builder().source(source).workspace(workspace).build()).unwrap_err();
        assert!(matches!(failed.error, Error::Vendor(_)), "{failed}");
        let workspace = failed.value.workspace.unwrap();
        let loaded =
            current.workspace_lane(stream, workspace, |current, mut lane| lane.load(current, source.into()).map(drop));
        assert!(matches!(loaded, Err(Error::Vendor(_))));
        assert_lives!(models, 0);
        let found = control::take_findings();
        assert!(
            found.iter().all(|found| found.rule == ascendcl_rules::MODEL_19),
            "it was made to be refused: {found:?}"
        );
        Ok(())
    });
    alone.assert_nothing_lives();
}
