//! Lanes that are stored in structs. Two of one name have one type, so models are told apart when they are used.

use super::*;
use crate::common::digits_in_batches_of;
use ascendcl::lane::{SharedWorkspace, WorkspaceLane, WorkspaceMutex};
use ascendcl::model::ModelSource;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{BoundModel, Input, Model};

ascendcl::names!(Digits);

type Lane = WorkspaceLane<'static, Worker, DefaultAllocator, Digits>;
type SharedLane = WorkspaceMutex<'static, Worker, Digits>;
type LaneModel = Model<Worker, SharedWorkspace<'static, Digits>>;
type BoundLaneModel = BoundModel<Worker, SharedWorkspace<'static, Digits>>;

const IMAGES: [f32; 512] = [0.5; 512];

/// A lane with room for two models, and one model.
fn lane(current: &Current<Worker>) -> (Lane, LaneModel) {
    let image = digits_in_batches_of(8);
    let source = ModelSource::memory(&image);
    let workspace = current.workspace(2 * current.model_size(source).unwrap().workspace).unwrap();
    let stream = current.stream().unwrap().without_allocator();
    let mut lane = current.stored_workspace_lane(stream, workspace);
    let model = lane.load(current, source.into()).unwrap();
    (lane, model)
}

fn shared_lane(current: &Current<Worker>) -> (SharedLane, LaneModel) {
    let image = digits_in_batches_of(8);
    let source = ModelSource::memory(&image);
    let workspace = current.workspace(2 * current.model_size(source).unwrap().workspace).unwrap();
    let lane = current.stored_workspace_mutex(workspace);
    let model = lane.load(current, source.into()).unwrap();
    (lane, model)
}

fn bound(current: &Current<Worker>, model: LaneModel) -> BoundLaneModel {
    model.bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap()
}

fn runs(current: &mut Current<Worker>, lane: &mut Lane, model: &mut LaneModel) -> Vec<f32> {
    let outputs = lane.run(current, model, &[Input::new(&[8, 64], &IMAGES).unwrap()]).unwrap();
    outputs.get(0).unwrap().to_vec().unwrap()
}

#[track_caller]
fn is_of_another<T>(result: Result<T, Error>) {
    let Err(error) = result else { panic!("a model ran in another lane") };
    assert!(matches!(error, Error::OtherWorkspace), "{error}");
    assert_eq!(
        error.to_string(),
        "this model works in the workspace of another lane: a model runs through the lane that loaded it [MODEL-04]"
    );
}

#[proves(MODEL_04, MODEL_05)]
#[test]
fn a_model_of_a_stored_lane_runs_in_no_other_lane_of_its_name() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let ((mut left, mut of_left), (mut right, of_right)) = (lane(current), lane(current));
            let inputs = [Input::new(&[8, 64], &IMAGES).unwrap()];
            is_of_another(right.run(current, &mut of_left, &inputs));
            let of_left = bound(current, of_left);
            let refused = right.execute(current, of_left).unwrap_err();
            is_of_another::<()>(Err(refused.error));
            // In flight in its own lane.
            let in_flight = left.execute(current, refused.value).unwrap();
            let refused = right.execute(current, in_flight).unwrap_err();
            is_of_another::<()>(Err(refused.error));
            let of_left = refused.value.wait(current).unwrap();
            // A lane that was taken apart has no workspace any more.
            drop(left.into_stream());
            let refused = right.execute(current, of_left).unwrap_err();
            is_of_another::<()>(Err(refused.error));
            drop((refused.value, of_right, right));
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MODEL_04)]
#[test]
fn stored_lanes_that_were_swapped_take_their_own_models_only() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let ((mut left, mut of_left), (mut right, mut of_right)) = (lane(current), lane(current));
            let inputs = [Input::new(&[8, 64], &IMAGES).unwrap()];
            mem::swap(&mut left, &mut right);
            is_of_another(left.run(current, &mut of_left, &inputs));
            is_of_another(right.run(current, &mut of_right, &inputs));
            mem::swap(&mut of_left, &mut of_right);
            let both = [runs(current, &mut left, &mut of_left), runs(current, &mut right, &mut of_right)];
            assert_eq!(both[0], both[1]);
            assert_eq!(both[0].len(), 80);
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// A lane with a stream and one with turns have models of one type.
#[proves(MODEL_04, MODEL_06)]
#[test]
fn a_model_of_a_stored_lane_with_turns_runs_in_no_other_lane() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let ((mut single, mut of_single), (shared, mut of_shared)) = (lane(current), shared_lane(current));
            let inputs = [Input::new(&[8, 64], &IMAGES).unwrap()];
            let limit = Duration::from_secs(1);
            is_of_another(single.run(current, &mut of_shared, &inputs));
            is_of_another(shared.run(current, &mut of_single, &inputs));
            is_of_another(shared.run_within(current, &mut of_single, &inputs, limit));
            let mut of_single = bound(current, of_single);
            is_of_another(shared.run_bound(current, &mut of_single));
            is_of_another(shared.run_bound_within(current, &mut of_single, limit));
            let refused = single.execute(current, bound(current, of_shared)).unwrap_err();
            is_of_another::<()>(Err(refused.error));
            let mut of_shared = refused.value;
            shared.run_bound(current, &mut of_shared).unwrap();
            let _ran = single.execute(current, of_single).unwrap().wait(current).unwrap();
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

struct Engine {
    lane: Lane,
    models: Vec<LaneModel>,
    runtime: Runtime<Worker>,
}

fn engine() -> Engine {
    let runtime = open();
    let (lane, model) = runtime.with(|current| lane(current)).unwrap();
    Engine { lane, models: vec![model], runtime }
}

#[proves(CTX_06, MODEL_02)]
#[test]
fn a_stored_lane_is_dropped_before_and_after_its_models_and_its_runtime() {
    let alone = alone();
    for order in 0..3 {
        let Engine { mut lane, mut models, runtime } = engine();
        runtime.with(|current| runs(current, &mut lane, &mut models[0])).unwrap();
        match order {
            0 => drop((lane, models)),
            1 => drop((models, lane)),
            _ => mem::forget((lane, models)),
        }
        runtime.close().unwrap();
        alone.assert_nothing_lives();
    }
    let Engine { mut lane, models, runtime } = engine();
    let in_flight = runtime.with(|current| {
        let model = models.into_iter().next().unwrap();
        lane.execute(current, bound(current, model)).unwrap()
    });
    // The runtime goes first, in the middle of the work.
    drop(runtime);
    drop(lane);
    drop(in_flight);
    sweep();
    alone.assert_nothing_lives();
}

#[proves(CTX_06, MODEL_08)]
#[test]
fn a_stored_lane_works_in_its_own_runtime_only() {
    let alone = alone();
    let (mut own, mut other) = (engine(), engine());
    let inputs = [Input::new(&[8, 64], &IMAGES).unwrap()];
    let (lane, models) = (&mut own.lane, &mut own.models);
    let crossed = other.runtime.with(|current| lane.run(current, &mut models[0], &inputs)).unwrap();
    assert!(matches!(crossed, Err(Error::WrongContext { .. })), "{crossed:?}");
    let crossed = own.runtime.with(|current| own.lane.run(current, &mut other.models[0], &inputs)).unwrap();
    is_of_another(crossed);
    assert_eq!(own.runtime.with(|current| runs(current, &mut own.lane, &mut own.models[0])).unwrap().len(), 80);
    own.runtime.close().unwrap();
    is_gone(own.runtime.with(|current| runs(current, &mut own.lane, &mut own.models[0])));
    other.runtime.close().unwrap();
    drop((own, other.lane, other.models));
    alone.assert_nothing_lives();
}

#[proves(MODEL_06)]
#[test]
fn threads_of_a_runtime_share_a_stored_lane() {
    let alone = alone();
    let runtime = Arc::new(open());
    let (lane, model) = runtime.with(|current| shared_lane(current)).unwrap();
    let lane = Arc::new(lane);
    let model = Arc::new(Mutex::new(model));
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let (runtime, lane, model) = (Arc::clone(&runtime), Arc::clone(&lane), Arc::clone(&model));
            thread::spawn(move || {
                for _ in 0..5 {
                    let inputs = [Input::new(&[8, 64], &IMAGES).unwrap()];
                    let run =
                        |current: &mut Current<Worker>| lane.run(current, &mut model.lock().unwrap(), &inputs).unwrap();
                    let outputs = runtime.with(run).unwrap();
                    assert_eq!(outputs.get(0).unwrap().to_vec::<f32>().unwrap().len(), 80);
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    runtime.close().unwrap();
    drop((lane, model));
    alone.assert_nothing_lives();
}
