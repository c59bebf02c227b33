//! Attacks on the memory of models: workspaces, weights, shared lanes.

use super::common::{alone, data, digits_in_batches_of};
use super::{collect, fail, in_context, inside, nothing_fails, with_device};
use crate::common::assert_lives;
use crate::null::{WORK_FAILED, books, refusal};
use ascendcl::{
    Current, Error, Input, Model, Scoped, Thread, Unnamed,
    lane::{SharedWorkspace, WorkspaceMutex},
    model::{Load, ModelSource},
};
use ascendcl_macros::proves;
use ascendcl_sim::{Checks, Config, control};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

const ZEROS: [f32; 512] = [0.0; 512];

fn zeros() -> Input<'static> {
    Input::new(&[8, 64], &ZEROS).unwrap()
}

/// Runs `program` in a shared lane with room for `room` models of eight images.
fn in_shared_lane(
    room: usize,
    program: impl for<'c, 'l> FnOnce(
        &mut Current<Scoped<'c>>,
        WorkspaceMutex<'l, Scoped<'c>>,
        ModelSource<'_>,
    ) -> Result<(), Error>,
) {
    let image = digits_in_batches_of(8);
    inside(|current| {
        let source = ModelSource::memory(&image);
        let bytes = room * current.model_size(source).unwrap().workspace;
        let workspace = current.workspace(bytes).unwrap();
        current.workspace_mutex(workspace, |current, lane| program(current, lane, source)).unwrap();
    });
}

#[proves(MODEL_02, MODEL_03)]
#[test]
fn workspaces_weights_and_loads_that_are_forgotten_leave_nothing() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let source = ModelSource::memory(&image);
        let (size, weights) = (current.model_size(source).unwrap(), current.weights(source).unwrap());
        let workspace = || current.workspace(size.workspace).unwrap();
        mem::forget((workspace(), weights.clone()));
        Box::leak(Box::new(workspace()));
        let load = |workspace| Load::builder().source(source).weights(&weights).workspace(workspace).build();
        mem::forget(load(workspace()));
        mem::forget(current.load(load(workspace())).unwrap());
        mem::forget(current.load(load(current.workspace(1).unwrap())).unwrap_err());
        drop(current.load(load(workspace())).unwrap());
        collect(current);
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_02)]
#[test]
fn a_workspace_stays_while_its_model_is_in_flight_and_nobody_names_either() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let source = ModelSource::memory(&image);
        let workspace = current.workspace(current.model_size(source).unwrap().workspace).unwrap();
        let stream = current.stream().unwrap().without_allocator();
        let model = current.load(Load::builder().source(source).workspace(workspace).build()).unwrap();
        let model = model.bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap();
        let blocks = control::live().device_blocks;
        drop(stream.execute(current, model).unwrap());
        collect(current);
        assert_lives!(device_blocks, blocks, "queued work may use all of them");
        stream.synchronize(current).unwrap();
        // The model goes first, and then what it was loaded onto.
        collect(current);
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_07)]
#[test]
fn swapped_workspaces_bring_their_sizes_with_them() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let source = ModelSource::memory(&image);
        let need = current.model_size(source).unwrap().workspace;
        let (mut small, mut large) = (current.workspace(need - 1).unwrap(), current.workspace(need).unwrap());
        mem::swap(&mut small, &mut large);
        let load = |workspace| current.load(Load::builder().source(source).workspace(workspace).build());
        load(small).unwrap().unload(current).unwrap();
        let failed = load(large).unwrap_err();
        assert!(matches!(failed.error, Error::TooShort { .. }), "{failed}");
        // What comes back is as good as before: one that is large enough makes the same load work.
        let mut again = failed.value;
        let refused = again.workspace.replace(current.workspace(need).unwrap());
        current.load(again).unwrap().unload(current).unwrap();
        drop(refused);
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_04, MODEL_06)]
#[test]
fn threads_that_load_run_swap_and_forget_in_a_shared_lane_never_run_two_models_at_once() {
    let alone = alone();
    control::configure(Config::new().checks(Checks::Strict)).unwrap();
    let image = digits_in_batches_of(8);
    in_context(|context, thread| {
        let source = ModelSource::memory(&image);
        let entered = context.enter(thread, |current| {
            let workspace = current.workspace(8 * current.model_size(source).unwrap().workspace).unwrap();
            current.workspace_mutex(workspace, |_, lane| {
                let (give, take) = mpsc::channel::<Model<Scoped<'_, Unnamed>, SharedWorkspace<'_>>>();
                std::thread::scope(|scope| {
                    let lane = &lane;
                    for number in 0..4 {
                        let give = give.clone();
                        scope.spawn(move || {
                            let mut thread = Thread::new().unwrap();
                            let entered = context.enter(&mut thread, |current| {
                                let mut one = lane.load(current, source.into()).unwrap();
                                let mut two = lane.load(current, source.into()).unwrap();
                                for _ in 0..10 {
                                    lane.run(current, &mut one, &[zeros()]).unwrap();
                                    mem::swap(&mut one, &mut two);
                                }
                                give.send(two).unwrap();
                                if number % 2 == 0 {
                                    mem::forget(one)
                                } else {
                                    drop(one)
                                }
                                collect(current);
                            });
                            entered.unwrap();
                        });
                    }
                    drop(give);
                    // Models of the other threads, while these go on.
                    scope.spawn(move || {
                        let mut thread = Thread::new().unwrap();
                        let entered = context.enter(&mut thread, |current| {
                            for mut model in take {
                                lane.run(current, &mut model, &[zeros()]).unwrap();
                                model.unload(current).unwrap();
                            }
                        });
                        entered.unwrap();
                    });
                });
            });
        });
        entered.unwrap();
    });
    alone.assert_nothing_lives();
    let of_models: Vec<_> =
        control::take_findings().into_iter().filter(|finding| finding.rule.as_str().starts_with("MODEL")).collect();
    assert_eq!(of_models, []);
}

#[proves(MODEL_06)]
#[test]
fn a_thread_that_panics_between_its_turns_leaves_the_lane_to_the_others() {
    let alone = alone();
    in_shared_lane(1, |current, lane, source| {
        let mut model = lane.load(current, source.into())?;
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            lane.run(current, &mut model, &[zeros()]).unwrap();
            panic!("between two turns");
        }));
        assert!(panicked.is_err());
        // An error in a turn ends it, too.
        assert!(lane.run(current, &mut model, &[]).is_err());
        lane.run_within(current, &mut model, &[zeros()], Duration::ZERO)?;
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_02)]
#[test]
fn a_forgotten_shared_lane_and_its_forgotten_models_leave_nothing() {
    let alone = alone();
    in_shared_lane(2, |current, lane, source| {
        let model = lane.load(current, source.into())?;
        let mut ready = lane.load(current, source.into())?.bind(current, &[&[8, 64]], &[&[8, 10]])?;
        ready.write(current, 0, &ZEROS)?;
        lane.run_bound(current, &mut ready)?;
        mem::forget((model, ready, lane));
        collect(current);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_07, MODEL_14)]
#[test]
fn a_model_that_cannot_be_unloaded_keeps_its_room_in_the_lane() {
    let books = books();
    with_device(books.acl(), |device, thread| {
        let program = |current: &mut Current<Scoped<'_>>| {
            // Room for one model of this library.
            let workspace = current.workspace(256).unwrap();
            current.workspace_mutex(workspace, |current, lane| {
                let source = ModelSource::file("model");
                let model = lane.load(current, source.into()).unwrap();
                books.refuse("aclmdlUnload", 507_899, 1);
                let failed = model.unload(current).unwrap_err();
                assert_eq!(refusal(&failed.error).0, "aclmdlUnload");
                assert!(matches!(lane.load(current, source.into()), Err(Error::TooShort { .. })));
                failed.value.unload(current).unwrap();
                lane.load(current, source.into()).unwrap().unload(current).unwrap();
            });
        };
        device.with_current(thread, program).unwrap();
    });
    books.assert_closed();
}

#[proves(MODEL_14, MODEL_16, DATA_10)]
#[test]
fn a_model_whose_queued_run_nobody_could_wait_for_is_not_run() {
    let books = books();
    with_device(books.acl(), |device, thread| {
        let program = |current: &mut Current<Scoped<'_>>| {
            let stream = current.stream().unwrap().without_allocator();
            let mut model = current.load_model("model").unwrap().bind(current, &[], &[]).unwrap();
            model.run(current).unwrap();
            books.refuse("aclmdlExecuteAsync", WORK_FAILED, 1);
            books.refuse_to_synchronize(WORK_FAILED);
            let failed = stream.execute(current, model).unwrap_err();
            assert_eq!(refusal(&failed.error).0, "aclmdlExecuteAsync");
            let mut model = failed.value;
            assert!(matches!(model.run(current), Err(Error::StillRunning { .. })));
            assert_eq!(books.calls("aclmdlExecute"), 1);
            books.synchronize_again();
            stream.synchronize(current).unwrap();
            model.run(current).unwrap();
        };
        device.with_current(thread, program).unwrap();
    });
    books.assert_closed();
}

#[proves(MODEL_01, MODEL_12)]
#[test]
fn a_model_that_is_leaked_by_the_thread_that_loaded_it_is_unloaded_in_its_own_context() {
    let alone = alone();
    control::configure(Config::new().checks(Checks::Strict)).unwrap();
    in_context(|context, thread| {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut thread = Thread::new().unwrap();
                let loaded = context.enter(&mut thread, |current| {
                    Box::leak(Box::new(current.load_model(data("digits.onnx")).unwrap()));
                });
                loaded.unwrap();
            });
        });
        context.enter(thread, |current| collect(current)).unwrap();
    });
    alone.assert_nothing_lives();
    assert!(control::take_findings().iter().all(|finding| !finding.rule.as_str().starts_with("MODEL")));
}

/// The library has unloaded it, and only its description is left.
#[proves(MODEL_14)]
#[test]
fn a_model_that_was_unloaded_is_not_run_although_its_description_is_left() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        fail("aclmdlDestroyDesc#1=507899,aclmdlDestroyDesc#2=507899");
        let model = current.load(ModelSource::memory(&image).into()).unwrap();
        let mut left = model.unload(current).unwrap_err().value;
        nothing_fails();
        assert_lives!(models, 0);
        let refused = left.run(current, &[zeros()]).unwrap_err();
        assert!(matches!(refused, Error::Gone { .. }), "{refused}");
        let refused = left.bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap_err();
        assert!(matches!(refused.error, Error::Gone { .. }), "{}", refused.error);
        refused.value.unload(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// The library has unloaded it, or may have.
#[proves(MODEL_14)]
#[test]
fn a_model_that_the_library_refused_to_unload_is_only_unloaded_again() {
    // The library is asked to unload it once more, and says that it is gone: the checker cannot know why.
    let alone = alone();
    control::configure(Config::new().checks(Checks::Off)).unwrap();
    let image = digits_in_batches_of(8);
    for when in ["", "after:"] {
        inside(|current| {
            let mut model = current.load(ModelSource::memory(&image).into()).unwrap();
            model.run(current, &[zeros()]).unwrap();
            fail(&format!("aclmdlUnload#1={when}507899"));
            let failed = model.unload(current).unwrap_err();
            assert_eq!(refusal(&failed.error).0, "aclmdlUnload");
            nothing_fails();
            let mut left = failed.value;
            let refused = left.run(current, &[zeros()]).unwrap_err();
            assert!(matches!(refused, Error::Gone { .. }), "{when} {refused}");
            left.unload(current).unwrap();
            assert_lives!(models, 0, "{when}");
        });
    }
    alone.assert_nothing_lives();
}
