//! Graphs that execute models, and that are looked at once more before they run.

use super::*;
use ascendcl::capture::{CaptureMode, Tasks};
use ascendcl::model::{BoundModel, ModelSource};
use ascendcl::operator::{BoundOperator, DeviceTensor, Operator};
use ascendcl::{Brand, Current, Error};
use ascendcl_macros::proves;

type Relu<C> = BoundOperator<C, DeviceTensor<C, f32>, DeviceTensor<C, f32>>;

fn model<C: Brand>(current: &Current<C>) -> BoundModel<C> {
    let image = difference();
    let model = current.load(ModelSource::memory(&image).into()).unwrap();
    let mut model = model.bind(current, &[&[4], &[4]], &[&[4]]).unwrap();
    model.write(current, 0, &[5.0_f32; 4]).unwrap();
    model.write(current, 1, &[2.0_f32; 4]).unwrap();
    model
}

fn relu<C: Brand>(current: &Current<C>, number: f32) -> Relu<C> {
    let (x, y) = (current.upload_tensor(&[2], &[number; 2]), current.upload_tensor(&[2], &[9.0_f32; 2]));
    Operator::new("Relu").bind(current, x.unwrap(), y.unwrap()).unwrap()
}

#[proves(GRAPH_05)]
#[test]
fn the_outputs_of_a_model_are_there_after_the_replay_of_a_build_of_several_steps() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let mut build = current.build_graph((model(current), current.host_buffer::<f32>(4).unwrap())).unwrap();
        build.add(current, |tasks, (mut model, _)| tasks.execute(&mut model)).unwrap();
        build.add(current, |tasks, (model, mut output)| tasks.copy_from_output(&model, 0, &mut output)).unwrap();
        let graph = build.end(current).unwrap();
        let mut graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
        let (model, output) = graph.operands(current).unwrap();
        assert_eq!(output, [3.0; 4]);
        assert_eq!(model.read::<f32>(current, 0).unwrap(), [3.0; 4]);
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_09)]
#[test]
fn the_outputs_of_a_model_are_there_after_the_replay_of_an_updated_graph() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap().without_allocator();
        let operands = (model(current), relu(current, 1.0), relu(current, 2.0));
        let mut group = None;
        let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (mut model, mut first, _)| {
            capture.execute(&mut model)?;
            group = Some(capture.task_group(Tasks::new().launch(&mut first))?);
            Ok(())
        });
        let (graph, group) = (graph.unwrap(), group.unwrap());
        let updated = stream.update(current, graph, &group, |tasks, (_, _, mut second)| tasks.launch(&mut second));
        let mut graph = stream.replay(current, updated.unwrap()).unwrap().wait(current).unwrap();
        let (model, _, second) = graph.operands(current).unwrap();
        assert_eq!(second.tensors().1.to_vec(current).unwrap(), [2.0; 2]);
        assert_eq!(model.read::<f32>(current, 0).unwrap(), [3.0; 4]);
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_09)]
#[test]
fn an_operator_in_doubt_does_not_spoil_the_graph_that_is_to_get_it() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap().without_allocator();
        let mut group = None;
        let graph = stream.capture(current, CaptureMode::Relaxed, relu(current, 1.0), |capture, mut first| {
            group = Some(capture.task_group(Tasks::new().launch(&mut first))?);
            Ok(())
        });
        let (graph, group) = (graph.unwrap(), group.unwrap());
        let other = current.stream().unwrap().without_allocator();
        fail("aclopExecuteV2#1=after:507899, aclrtSynchronizeStreamWithTimeout=507046");
        let second = other.launch(current, relu(current, 2.0)).unwrap_err().value;
        nothing_fails();
        other.synchronize(current).unwrap();
        let graph = match graph.with_operands(current, second) {
            Ok(graph) => {
                let updated = stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
                let graph = updated.unwrap_err().value;
                stream.replay(current, graph).map_err(Error::from).unwrap().wait(current).map(drop).unwrap();
                unreachable!("an operator in doubt was taken")
            }
            Err(refused) => {
                assert!(matches!(refused.error, Error::InDoubt { .. }), "{}", refused.error);
                refused.value.0
            }
        };
        let mut graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
        assert_eq!(graph.operands(current).unwrap().tensors().1.to_vec(current).unwrap(), [1.0; 2]);
    });
    alone.assert_nothing_lives();
}

/// The words of an error are code of the program.
#[derive(Debug)]
struct Panics;

impl std::fmt::Display for Panics {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("in words")
    }
}

impl std::error::Error for Panics {}

impl ascendcl::error::ExtensionError for Panics {
    fn rules(&self) -> &'static [ascendcl_rules::RuleId] {
        &[]
    }
}

#[proves(GRAPH_08)]
#[test]
fn a_build_that_failed_with_an_error_whose_words_panic_does_not_end() {
    let alone = alone();
    inside(|current| {
        let mut build = current.build_graph(current.upload(&[1_u8; 64]).unwrap()).unwrap();
        let added = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            build.add(current, |tasks, mut buffer| {
                tasks.set_bytes(&mut buffer, 1)?;
                Err(ascendcl::error::Extension::of(Panics).into())
            })
        }));
        drop(added.map_err(drop));
        let refused = build.end(current).unwrap_err();
        assert!(matches!(refused.error, Error::CaptureBroken { .. }), "{}", refused.error);
        drop(refused.value.into_operands(current).unwrap());
    });
    alone.assert_nothing_lives();
}
