//! Attacks on shared objects: lanes, weights, permits, events, the default stream, models in flight.

use super::common::allocators::Empty;
use super::common::{alone, digits_in_batches_of};
use super::{collect, in_context, inside};
use ascendcl::{
    BoundModel, Current, Error, Event, Input, Model, Scoped, Thread, Unnamed,
    event::Recorded,
    lane::{SharedWorkspace, WorkspaceLane},
    model::{Load, ModelSource},
    stream::{AllocatorGroup, DefaultAllocator},
};
use ascendcl_macros::proves;
use ascendcl_sim::control::live;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

/// Counts how often it was dropped.
#[derive(Debug)]
struct Counted(Arc<Mutex<usize>>);

impl Drop for Counted {
    fn drop(&mut self) {
        *self.0.lock().unwrap() += 1;
    }
}

/// A model of fixed shape, which asks no allocator for memory, with its buffers.
fn prepared<'c>(current: &Current<Scoped<'c>>) -> BoundModel<Scoped<'c>> {
    let model = current.load(ModelSource::memory(&digits_in_batches_of(8)).into()).unwrap();
    model.bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap()
}

/// Runs `program` in a lane with room for two models of eight images.
fn in_lane(
    program: impl for<'c, 'l> FnOnce(
        &mut Current<Scoped<'c>>,
        WorkspaceLane<'l, Scoped<'c>, DefaultAllocator>,
        ModelSource<'_>,
    ) -> Result<(), Error>,
) {
    let image = digits_in_batches_of(8);
    inside(|current| {
        let source = ModelSource::memory(&image);
        let room = 2 * current.model_size(source).unwrap().workspace;
        let stream = current.stream().unwrap().without_allocator();
        let workspace = current.workspace(room).unwrap();
        current.workspace_lane(stream, workspace, |current, lane| program(current, lane, source)).unwrap();
    });
}

fn ready<'c, 'l>(
    current: &Current<Scoped<'c>>,
    model: Model<Scoped<'c, Unnamed>, SharedWorkspace<'l>>,
) -> BoundModel<Scoped<'c, Unnamed>, SharedWorkspace<'l>> {
    model.bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap()
}

#[proves(MODEL_02)]
#[test]
fn a_forgotten_lane_leaves_nothing_though_its_models_are_in_flight() {
    let alone = alone();
    in_lane(|current, mut lane, source| {
        let model = ready(current, lane.load(current, source.into())?);
        mem::forget(lane.execute(current, model)?);
        mem::forget(lane);
        collect(current);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_02)]
#[test]
fn a_lanes_memory_outlives_the_lane_while_a_model_is_loaded_on_it() {
    let alone = alone();
    in_lane(|current, mut lane, source| {
        let model = lane.load(current, source.into())?;
        let other = ready(current, lane.load(current, source.into())?);
        let running = lane.execute(current, other)?;
        drop(lane.into_stream());
        collect(current);
        let blocks = live().device_blocks;
        drop(running);
        drop(model);
        collect(current);
        assert!(live().device_blocks < blocks, "the working memory went with its last model");
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_04, MODEL_05)]
#[test]
fn swapped_models_of_a_lane_run_one_after_the_other_all_the_same() {
    let alone = alone();
    in_lane(|current, mut lane, source| {
        let mut one = ready(current, lane.load(current, source.into())?);
        let mut two = ready(current, lane.load(current, source.into())?);
        one.write(current, 0, &[1.0_f32; 512])?;
        two.write(current, 0, &[2.0_f32; 512])?;
        let (mut first, mut second) = (lane.execute(current, one)?, lane.execute(current, two)?);
        mem::swap(&mut first, &mut second);
        let (two, one) = (first.wait(current)?, second.wait(current)?);
        assert_ne!(one.read::<f32>(current, 0)?, two.read::<f32>(current, 0)?);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_panic_while_a_lane_is_locked_lets_the_next_thread_go_on() {
    let alone = alone();
    in_lane(|current, mut lane, source| {
        let mut model = lane.load(current, source.into())?;
        let lane = Mutex::new(lane);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let mut lane = lane.lock().unwrap();
            let input = Input::new(&[8, 64], &[0.0_f32; 512]).unwrap();
            lane.run(current, &mut model, &[input]).unwrap();
            panic!("with the lane locked");
        }));
        assert!(panicked.is_err());
        let mut lane = lane.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        lane.run(current, &mut model, &[Input::new(&[8, 64], &[0.0_f32; 512])?])?;
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_07)]
#[test]
fn a_lane_that_is_too_small_loads_nothing() {
    let alone = alone();
    in_lane(|current, mut lane, source| {
        let models = [lane.load(current, source.into())?, lane.load(current, source.into())?];
        let loaded = live().models;
        let refused = lane.load(current, source.into()).unwrap_err();
        assert!(matches!(refused, Error::TooShort { need, have, .. } if need > have), "{refused}");
        assert_eq!(live().models, loaded);
        drop(models);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_03, MODEL_09)]
#[test]
fn weights_are_freed_after_the_last_of_many_threads_unloads() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    in_context(|context, thread| {
        let source = ModelSource::memory(&image);
        let weights = context.enter(thread, |current| current.weights(source).unwrap()).unwrap();
        std::thread::scope(|scope| {
            for round in 0..4 {
                let weights = weights.clone();
                scope.spawn(move || {
                    let mut thread = Thread::new().unwrap();
                    let entered = context.enter(&mut thread, |current| {
                        let mut model = current.load(Load::builder().source(source).weights(&weights).build()).unwrap();
                        drop(weights);
                        model.run(current, &[Input::new(&[8, 64], &[0.0_f32; 512]).unwrap()]).unwrap();
                        if round % 2 == 0 {
                            mem::forget(model)
                        } else {
                            drop(model)
                        }
                        collect(current);
                    });
                    entered.unwrap();
                });
            }
        });
        drop(weights);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_forgotten_turn_loses_the_permit_and_leaves_nothing() {
    let alone = alone();
    let dropped = Arc::new(Mutex::new(0));
    inside(|current| {
        let group = AllocatorGroup::new(current, Empty(Counted(Arc::clone(&dropped)))).unwrap();
        let stream = current.stream().unwrap();
        let member = group.attach(current, stream).unwrap();
        let _other = group.attach(current, current.stream().unwrap()).unwrap();
        let turn = group.begin(&member).unwrap();
        mem::forget(turn.execute(current, prepared(current)).unwrap());
        // There is no expression left that runs `_other`.
        mem::forget(turn);
        collect(current);
    });
    alone.assert_nothing_lives();
}

#[proves(ALLOC_12)]
#[test]
fn a_group_that_is_dropped_in_any_order_gives_its_allocator_up_once() {
    let alone = alone();
    for order in 0..3 {
        let dropped = Arc::new(Mutex::new(0));
        inside(|current| {
            let group = AllocatorGroup::new(current, Empty(Counted(Arc::clone(&dropped)))).unwrap();
            let one = group.attach(current, current.stream().unwrap()).unwrap();
            let two = group.attach(current, current.stream().unwrap()).unwrap();
            let running = group.begin(&one).unwrap();
            let work = running.execute(current, prepared(current)).unwrap();
            match order {
                0 => drop((work, running.finish(current).unwrap(), one, two)),
                1 => drop((two, running, work)),
                _ => mem::forget((one.detach(current).is_ok(), work)),
            }
            collect(current);
        });
        assert_eq!(*dropped.lock().unwrap(), 1, "in order {order}");
    }
    alone.assert_nothing_lives();
}

#[test]
fn a_permit_goes_to_another_thread_and_its_streams_with_it() {
    let alone = alone();
    in_context(|context, thread| {
        let (sender, receiver) = mpsc::channel();
        let made = context.enter(thread, |current| {
            let group = AllocatorGroup::new(current, Empty(Counted(Arc::default()))).unwrap();
            let member = group.attach(current, current.stream().unwrap()).unwrap();
            sender.send((group, member, prepared(current))).unwrap();
        });
        made.unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let (group, member, model) = receiver.recv().unwrap();
                let mut thread = Thread::new().unwrap();
                let entered = context.enter(&mut thread, |current| {
                    let turn = group.begin(&member).unwrap();
                    let work = turn.execute(current, model).unwrap();
                    let group = turn.finish(current).unwrap();
                    drop(work.wait(current).unwrap());
                    member.detach(current).unwrap().destroy(current).unwrap();
                    assert!(group.into_allocator().is_ok());
                });
                entered.unwrap();
            });
        });
    });
    alone.assert_nothing_lives();
}

#[proves(EVENT_06)]
#[test]
fn events_that_are_leaked_replaced_and_dropped_while_awaited_leave_nothing() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let mut kept: Event<Scoped<'_>, Recorded> = first.record(current, current.event().unwrap()).unwrap();
        for _ in 0..100 {
            let next = first.record(current, current.event().unwrap()).unwrap();
            second.wait_for(current, &next).unwrap();
            drop(mem::replace(&mut kept, next));
        }
        // An event may go while something waits for it.
        kept.destroy(current).unwrap();
        mem::forget(second.record(current, current.event().unwrap()).unwrap());
        Box::leak(Box::new(current.event().unwrap()));
        collect(current);
        second.synchronize(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(EVENT_09)]
#[test]
fn an_event_recorded_again_moves_and_is_awaited_from_two_threads() {
    let alone = alone();
    in_context(|context, thread| {
        let event = context
            .enter(thread, |current| {
                let stream = current.stream().unwrap();
                let event = stream.record(current, current.event().unwrap()).unwrap();
                stream.record(current, event).unwrap()
            })
            .unwrap();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut thread = Thread::new().unwrap();
                    context.enter(&mut thread, |current| event.synchronize(current).unwrap()).unwrap();
                });
            }
        });
    });
    alone.assert_nothing_lives();
}

#[proves(DEV_04, STREAM_02)]
#[test]
fn views_of_the_default_stream_come_and_go_and_the_stream_stays() {
    let alone = alone();
    inside(|current| {
        for _ in 0..10 {
            let stream = current.default_stream();
            let (host, target) = (current.host_buffer::<u8>(64).unwrap(), current.device_buffer::<u8>(64).unwrap());
            let copy = stream.copy_to_device(current, host, target).unwrap();
            mem::forget(stream);
            drop(copy);
            collect(current);
        }
        current.default_stream().synchronize(current).unwrap();
        collect(current);
        assert_eq!((live().device_blocks, live().host_blocks), (0, 0));
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_14, MODEL_17, DATA_02, DATA_10)]
#[test]
fn a_model_in_flight_outlives_its_stream_and_every_name() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let running = stream.execute(current, prepared(current)).unwrap();
        drop(stream);
        collect(current);
        let mut model = running.wait(current).unwrap();
        model.write(current, 0, &[0.0_f32; 512]).unwrap();
        let stream = current.stream().unwrap().without_allocator();
        let mut running = stream.execute(current, model).unwrap();
        let mut other = stream.execute(current, prepared(current)).unwrap();
        mem::swap(&mut running, &mut other);
        drop(running);
        stream.destroy(current).unwrap();
        assert_eq!(other.wait(current).unwrap().read::<f32>(current, 0).unwrap().len(), 80);
        collect(current);
    });
    alone.assert_nothing_lives();
}
