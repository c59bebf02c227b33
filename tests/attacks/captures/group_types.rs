//! Updates of a group by operators of the same Rust types, whose tensors differ at run time.

use super::*;
use crate::{must_not_call, nothing_fails};
use ascendcl::capture::Tasks;
use ascendcl::operator::{AnyTensor, BoundOperator, Operator};
use ascendcl::{ElementType, Library, Runtime};
use ascendcl_macros::proves;

type Any<C> = BoundOperator<C, (AnyTensor<C>, AnyTensor<C>), AnyTensor<C>>;

ascendcl::names!(Worker);

/// Adds two numbers of four bytes.
fn sum<C: Brand>(current: &Current<C>, element: ElementType, number: [u8; 4]) -> Any<C> {
    let tensor = || current.upload_any_tensor(&[1], element, &number).unwrap();
    Operator::new("Add").bind(current, (tensor(), tensor()), tensor()).unwrap()
}

/// The error of an update of a group with the first operator by the second one. Nothing is called, and the graph runs
/// as before.
macro_rules! refusal {
    ($current:expr, $first:expr, $second:expr) => {{
        let current = &mut *$current;
        let mut stream = stream(current);
        let (mut group, operands) = (None, $first);
        let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, mut first| {
            group = Some(capture.task_group(Tasks::new().launch(&mut first))?);
            Ok(())
        });
        let graph = graph.unwrap().with_operands(current, $second).unwrap();
        must_not_call("aclmdlRICaptureTaskUpdateBegin=507899");
        let update = stream.update(current, graph, &group.unwrap(), |tasks, (_, mut second)| tasks.launch(&mut second));
        let refused = update.map(drop).unwrap_err();
        nothing_fails();
        let graph = stream.replay(current, refused.value).unwrap().wait(current).unwrap();
        drop(graph.into_operands(current).unwrap());
        refused.error
    }};
}

#[proves(GRAPH_09)]
#[test]
fn an_operator_on_other_element_types_replaces_none_of_a_group() {
    let alone = alone();
    inside(|current| {
        let (floats, integers) = (1.0_f32.to_ne_bytes(), 1_i32.to_ne_bytes());
        let first = sum(current, ElementType::F32, floats);
        let second = sum(current, ElementType::I32, integers);
        let error = refusal!(current, first, second);
        assert_eq!(
            error.to_string(),
            "an update replaces each operator of a group by one of the same kind and types: the group has \
             `Add(f32, f32) -> f32` there, the update has `Add(i32, i32) -> i32` [GRAPH-09]"
        );
    });
    let runtime = Runtime::<Worker>::open(Library::Simulator).unwrap();
    let error = runtime.with(|current| {
        let first = sum(current, ElementType::I32, 1_i32.to_ne_bytes());
        let second = sum(current, ElementType::F32, 1.0_f32.to_ne_bytes());
        refusal!(current, first, second)
    });
    assert!(matches!(error, Ok(Error::OtherOperator { .. })), "{error:?}");
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// The types of the tensors are compared, not their shapes.
#[proves(GRAPH_09)]
#[test]
fn an_operator_on_the_same_element_types_replaces_another() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let [first, second] = [1.0_f32, 2.0].map(|number| sum(current, ElementType::F32, number.to_ne_bytes()));
        let mut group = None;
        let graph = stream.capture(current, CaptureMode::Relaxed, first, |capture, mut first| {
            group = Some(capture.task_group(Tasks::new().launch(&mut first))?);
            Ok(())
        });
        let graph = graph.unwrap().with_operands(current, second).unwrap();
        let updated =
            stream.update(current, graph, &group.unwrap(), |tasks, (_, mut second)| tasks.launch(&mut second)).unwrap();
        let graph = stream.replay(current, updated).unwrap().wait(current).unwrap();
        let (_, second) = graph.into_operands(current).unwrap();
        assert_eq!(second.into_tensors(current).unwrap().1.to_vec::<f32>(current).unwrap(), [4.0]);
    });
    alone.assert_nothing_lives();
}
