//! Outputs of a bound model, after a run that was refused before it reached the library.

use super::*;
use ascendcl::model::ModelSource;
use ascendcl::{Error, Runtime, Thread};
use ascendcl_macros::proves;
use std::sync::mpsc::channel;
use std::time::Duration;

ascendcl::names!(Worker);

#[proves(MODEL_17)]
#[test]
fn a_run_in_another_context_of_the_name_leaves_the_outputs_readable() {
    let alone = alone();
    let open = || Runtime::<Worker>::open(library()).unwrap();
    let (own, other) = (open(), open());
    let mut model = own.with(|current| {
        let model = current.load(ModelSource::memory(&difference()).into()).unwrap();
        let mut model = model.bind(current, &[&[4], &[4]], &[&[4]]).unwrap();
        model.write(current, 0, &[5.0_f32; 4]).unwrap();
        model.write(current, 1, &[2.0_f32; 4]).unwrap();
        model.run(current).unwrap();
        model
    });
    let model = model.as_mut().unwrap();
    let refused = other.with(|current| model.run(current).unwrap_err()).unwrap();
    assert!(matches!(refused, Error::WrongContext { .. }), "{refused}");
    let read = own.with(|current| model.read::<f32>(current, 0).unwrap()).unwrap();
    assert_eq!(read, [3.0; 4]);
    own.close().unwrap();
    other.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MODEL_17)]
#[test]
fn a_run_whose_turn_did_not_come_leaves_the_outputs_readable() {
    let alone = alone();
    in_context(|context, thread| {
        let entered = context.enter(thread, |current| {
            let image = digits_in_batches_of(1);
            let need = current.model_size(ModelSource::memory(&image)).unwrap();
            let workspace = current.workspace(2 * need.workspace).unwrap();
            current.workspace_mutex(workspace, |current, lane| {
                let [mut own, mut theirs] = [(); 2].map(|()| {
                    let model = lane.load(current, ModelSource::memory(&image).into()).unwrap();
                    model.bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap()
                });
                own.write(current, 0, &[1.0_f32; 64]).unwrap();
                theirs.write(current, 0, &[1.0_f32; 64]).unwrap();
                lane.run_bound(current, &mut own).unwrap();
                let before = own.read::<f32>(current, 0).unwrap();
                fail("aclmdlExecute=slow:1s");
                let (begins, begun) = channel();
                std::thread::scope(|scope| {
                    let (lane, theirs) = (&lane, &mut theirs);
                    let work = move || {
                        let ran = context.enter(&mut Thread::new().unwrap(), |current| {
                            begins.send(()).unwrap();
                            lane.run_bound(current, theirs)
                        });
                        ran.unwrap().unwrap();
                    };
                    scope.spawn(work);
                    begun.recv().unwrap();
                    std::thread::sleep(Duration::from_millis(100));
                    let refused = lane.run_bound_within(current, &mut own, Duration::from_millis(1)).unwrap_err();
                    assert!(matches!(refused, Error::WorkspaceBusy { .. }), "{refused}");
                });
                nothing_fails();
                assert_eq!(own.read::<f32>(current, 0).unwrap(), before);
            });
        });
        entered.unwrap();
    });
    alone.assert_nothing_lives();
}
