//! Groups of tasks, and updates of the graphs that they are in.

use super::*;
use ascendcl::capture::{TaskGroup, Tasks};
use ascendcl::operator::{BoundOperator, DeviceTensor, Operator};
use ascendcl_macros::proves;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(super) type Op<C> = BoundOperator<C, DeviceTensor<C, f32>, DeviceTensor<C, f32>>;
pub(super) type Group<C> = TaskGroup<C, ((), Op<C>)>;

pub(super) const BEFORE: f32 = 9.0;

pub(super) fn operator<C: Brand>(current: &Current<C>, kind: &str, number: f32) -> Op<C> {
    let x = current.upload_tensor(&[2], &[number; 2]).unwrap();
    let y = current.upload_tensor(&[2], &[BEFORE; 2]).unwrap();
    Operator::new(kind).bind(current, x, y).unwrap()
}

fn grouped<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    number: f32,
) -> (CapturedGraph<C, Op<C>>, Group<C>) {
    let first = operator(current, "Relu", number);
    let mut group = None;
    let graph = stream.capture(current, CaptureMode::Relaxed, first, |capture, mut first| {
        group = Some(capture.task_group(Tasks::new().launch(&mut first))?);
        Ok(())
    });
    (graph.unwrap(), group.unwrap())
}

/// A graph with two operators, of which the first is in the group.
pub(super) fn with_two<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
) -> (CapturedGraph<C, (Op<C>, Op<C>)>, Group<C>) {
    let (graph, group) = grouped(current, stream, 1.0);
    let second = operator(current, "Relu", 2.0);
    (graph.with_operands(current, second).unwrap(), group)
}

/// The outputs of both operators. They are as before for the next replay.
pub(super) fn outputs<C: Brand>(current: &Current<C>, graph: &mut CapturedGraph<C, (Op<C>, Op<C>)>) -> [f32; 2] {
    let (first, second) = graph.operands(current).unwrap();
    [first.tensors().1, second.tensors().1].map(|output| output.to_vec(current).unwrap()[0])
}

#[proves(GRAPH_09)]
#[test]
fn replays_after_an_update_run_the_new_operator_and_write_its_memory() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let (graph, group) = with_two(current, &mut stream);
        let mut graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
        assert_eq!(outputs(current, &mut graph), [1.0, BEFORE]);
        let updated =
            stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second)).unwrap();
        let mut graph = updated.wait(current).unwrap();
        assert_eq!(outputs(current, &mut graph), [1.0, BEFORE], "an update runs nothing");
        assert_eq!(graph.topology().tasks[0].writes, [1], "{:?}", graph.topology());
        assert_eq!(graph.topology().operands, ["operator 0", "operator 1"]);
        graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
        assert_eq!(outputs(current, &mut graph), [1.0, 2.0]);
        let (first, second) = graph.into_operands(current).unwrap();
        first.into_tensors(current).unwrap();
        second.into_tensors(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_group_is_updated_again_and_again_and_back() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let (mut graph, group) = with_two(current, &mut stream);
        for round in 0..6 {
            // The replay is queued behind the update, without a wait between them.
            let updated = stream.update(current, graph, &group, |tasks, (mut first, mut second)| {
                if round % 2 == 0 { tasks.launch(&mut second) } else { tasks.launch(&mut first) }
            });
            graph = stream.replay(current, updated.unwrap()).unwrap().wait(current).unwrap();
            let expected = if round == 0 { [BEFORE, 2.0] } else { [1.0, 2.0] };
            assert_eq!(outputs(current, &mut graph), expected);
        }
        drop(graph.into_operands(current).unwrap());
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_09)]
#[test]
fn a_group_has_several_operators_in_an_order() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let operands =
            (operator(current, "Relu", 1.0), operator(current, "Softmax", 0.0), operator(current, "Relu", 3.0));
        let mut group = None;
        let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (mut relu, mut softmax, _)| {
            group = Some(capture.task_group(Tasks::new().launch(&mut relu).launch(&mut softmax))?);
            Ok(())
        });
        let (graph, group) = (graph.unwrap(), group.unwrap());
        // The types of both are the same: their order is compared at run time.
        let swapped = stream.update(current, graph, &group, |tasks, (mut relu, mut softmax, _)| {
            tasks.launch(&mut softmax).launch(&mut relu)
        });
        let refused = swapped.unwrap_err();
        assert!(
            matches!(&refused.error, Error::OtherOperator { expected, found } if &**expected == "Relu" && &**found == "Softmax")
        );
        let updated = stream.update(current, refused.value, &group, |tasks, (_, mut softmax, mut other)| {
            tasks.launch(&mut other).launch(&mut softmax)
        });
        let mut graph = stream.replay(current, updated.unwrap()).unwrap().wait(current).unwrap();
        let (relu, softmax, other) = graph.operands(current).unwrap();
        let found =
            [relu.tensors().1, softmax.tensors().1, other.tensors().1].map(|tensor| tensor.to_vec(current).unwrap()[0]);
        assert_eq!(found, [BEFORE, 0.5, 3.0]);
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_09)]
#[test]
fn a_group_of_another_graph_is_refused_also_when_that_graph_is_destroyed() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let (graph, _) = with_two(current, &mut stream);
        let (other, foreign) = grouped(current, &mut stream, 5.0);
        let refused = stream.update(current, graph, &foreign, |tasks, (_, mut second)| tasks.launch(&mut second));
        let refused = refused.unwrap_err();
        assert!(matches!(refused.error, Error::OtherCapture), "{}", refused.error);
        drop(other.into_operands(current).unwrap());
        collect(current);
        let (graph, _) = with_two(current, &mut stream);
        let refused = stream.update(current, graph, &foreign, |tasks, (_, mut second)| tasks.launch(&mut second));
        assert!(matches!(refused.unwrap_err().error, Error::OtherCapture));
    });
    alone.assert_nothing_lives();
}

#[test]
fn what_is_forgotten_of_a_group_is_taken_down_with_its_graph() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let first = operator(current, "Relu", 1.0);
        let graph = stream.capture(current, CaptureMode::Relaxed, first, |capture, mut first| {
            std::mem::forget(Tasks::new().launch(&mut first));
            std::mem::forget(capture.task_group(Tasks::new().launch(&mut first))?);
            Ok(())
        });
        let graph = stream.replay(current, graph.unwrap()).unwrap().wait(current).unwrap();
        std::mem::forget(graph);
        let (graph, group) = with_two(current, &mut stream);
        let updated =
            stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second)).unwrap();
        std::mem::forget((updated, group));
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_panic_in_the_list_of_an_update_changes_nothing() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let (graph, group) = with_two(current, &mut stream);
        let panic = catch_unwind(AssertUnwindSafe(|| {
            drop(stream.update(current, graph, &group, |_, _| std::panic::panic_any("enough")));
        }));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"enough"));
        let graph = echo(current, &mut stream);
        drop(assert_echoes(current, &stream, graph, 4.0));
        collect(current);
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_09)]
#[test]
fn a_refused_group_breaks_the_capture_and_gives_the_operands_back() {
    for call in ["GrpBegin", "GrpEnd"] {
        for when in ["", "after:"] {
            let alone = alone();
            inside(|current| {
                let mut stream = stream(current);
                let first = operator(current, "Relu", 1.0);
                fail(&format!("aclmdlRICaptureTask{call}={when}507899"));
                let captured = stream.capture(current, CaptureMode::Relaxed, first, |capture, mut first| {
                    // The program goes on.
                    let refused = capture.task_group(Tasks::new().launch(&mut first)).unwrap_err();
                    assert_eq!(refused.code().unwrap().number(), 507_899);
                    Ok(())
                });
                fail("");
                let failed = captured.unwrap_err();
                assert!(matches!(failed.error, Error::CaptureBroken { .. }), "{}", failed.error);
                drop(failed.value.into_tensors(current).unwrap());
                let graph = echo(current, &mut stream);
                drop(assert_echoes(current, &stream, graph, 4.0).into_operands(current).unwrap());
            });
            alone.assert_nothing_lives();
        }
    }
}

#[proves(GRAPH_09)]
#[test]
fn an_update_that_is_refused_at_its_begin_leaves_the_graph_as_it_was() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let (graph, group) = with_two(current, &mut stream);
        fail("aclmdlRICaptureTaskUpdateBegin=507899");
        let refused = stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
        fail("");
        let refused = refused.unwrap_err();
        assert_eq!(refused.error.code().unwrap().number(), 507_899);
        let mut graph = stream.replay(current, refused.value).unwrap().wait(current).unwrap();
        assert_eq!(outputs(current, &mut graph), [1.0, BEFORE]);
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_09)]
#[test]
fn an_update_that_fails_half_way_leaves_a_graph_that_is_not_replayed() {
    let plans = [
        "aclmdlRICaptureTaskUpdateBegin=after:507899",
        "aclopExecuteV2=507899",
        "aclmdlRICaptureTaskUpdateEnd#1=507899",
        "aclmdlRICaptureTaskUpdateEnd#1=after:507899",
    ];
    for plan in plans {
        let alone = alone();
        inside(|current| {
            let mut stream = stream(current);
            let (graph, group) = with_two(current, &mut stream);
            fail(plan);
            let refused = stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
            fail("");
            let refused = refused.unwrap_err();
            assert_eq!(refused.error.code().unwrap().number(), 507_899, "{plan}");
            let mut graph = refused.value;
            let again = stream.replay(current, graph).unwrap_err();
            assert!(matches!(again.error, Error::HalfUpdated), "{plan}: {}", again.error);
            graph = again.value;
            let again = stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
            let again = again.unwrap_err();
            assert!(matches!(again.error, Error::HalfUpdated), "{plan}: {}", again.error);
            // The stream takes work again, and the operands come back.
            let other = echo(current, &mut stream);
            drop(assert_echoes(current, &stream, other, 4.0).into_operands(current).unwrap());
            stream.synchronize(current).unwrap();
            let (first, second) = again.value.into_operands(current).unwrap();
            first.into_tensors(current).unwrap();
            second.into_tensors(current).unwrap();
        });
        alone.assert_nothing_lives();
    }
}

#[test]
fn a_stream_whose_update_stays_open_takes_no_work_until_the_update_has_ended() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let (graph, group) = with_two(current, &mut stream);
        let buffer = current.upload(&[1_u8; 64]).unwrap();
        fail("aclmdlRICaptureTaskUpdateEnd=507899");
        let refused = stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
        let refused = refused.unwrap_err();
        let set = stream.set_bytes(current, buffer, 3).unwrap_err();
        assert!(matches!(set.error, Error::Capturing), "{}", set.error);
        let waited = stream.synchronize(current).unwrap_err();
        assert!(matches!(waited, Error::Capturing), "{waited}");
        fail("");
        drop(refused.value);
        collect(current);
        let buffer = stream.set_bytes(current, set.value, 3).unwrap().wait(current).unwrap();
        assert_eq!(buffer.to_vec(current).unwrap(), [3; 64], "what is queued runs");
    });
    alone.assert_nothing_lives();
}

/// A list has no borrow, so the operator can change its branch while the list exists.
#[proves(GRAPH_06, STREAM_04)]
#[test]
fn a_list_of_tasks_whose_operator_went_to_another_branch_is_no_group() {
    let alone = alone();
    inside(|current| {
        let (mut main, mut side) = (stream(current), stream(current));
        let first = operator(current, "Relu", 1.0);
        let graph = main.capture(current, CaptureMode::Relaxed, first, |capture, mut first| {
            let tasks = Tasks::new().launch(&mut first);
            let again = Tasks::new().launch(&mut first);
            let first = capture.fork(&mut side, |main, branch| {
                let mut first = branch.adopt_after(main, first)?;
                branch.launch(&mut first)?;
                let refused = main.task_group(tasks).unwrap_err();
                assert!(matches!(refused, Error::OtherCapture), "{refused}");
                Ok(main.adopt_after(branch, first)?)
            })?;
            // It is back, and behind the other branch.
            drop(capture.task_group(again)?);
            drop(first);
            Ok(())
        });
        let mut graph = main.replay(current, graph.unwrap()).unwrap().wait(current).unwrap();
        assert_eq!(graph.operands(current).unwrap().tensors().1.to_vec(current).unwrap(), [1.0; 2]);
        drop(graph.into_operands(current).unwrap());
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_06, GRAPH_09, STREAM_04)]
#[test]
fn an_update_gives_no_operator_to_two_branches_that_run_at_once() {
    let alone = alone();
    inside(|current| {
        let (mut main, mut side) = (stream(current), stream(current));
        let operands = (operator(current, "Relu", 1.0), operator(current, "Relu", 2.0));
        let (mut group, mut later) = (None, None);
        let graph = main.capture(current, CaptureMode::Relaxed, operands, |capture, (mut first, second)| {
            let second = capture.fork(&mut side, |main, branch| {
                let mut second = branch.adopt_after(main, second)?;
                branch.launch(&mut second)?;
                group = Some(main.task_group(Tasks::new().launch(&mut first))?);
                Ok(main.adopt_after(branch, second)?)
            })?;
            later = Some(capture.task_group(Tasks::new().launch(&mut first))?);
            drop(second);
            Ok(())
        });
        let (graph, group, later) = (graph.unwrap(), group.unwrap(), later.unwrap());
        let refused = main.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
        let refused = refused.unwrap_err();
        assert!(matches!(refused.error, Error::OtherCapture), "{}", refused.error);
        assert_eq!(refused.value.topology().tasks.iter().filter(|task| task.writes == [1]).count(), 1);
        // Behind the join, both branches are over.
        let updated = main.update(current, refused.value, &later, |tasks, (_, mut second)| tasks.launch(&mut second));
        let mut graph = main.replay(current, updated.unwrap()).unwrap().wait(current).unwrap();
        assert_eq!(outputs(current, &mut graph), [1.0, 2.0]);
        // No task uses this one.
        let graph = graph.with_operands(current, operator(current, "Relu", 3.0)).unwrap();
        let updated = main.update(current, graph, &group, |tasks, (_, mut third)| tasks.launch(&mut third));
        let mut graph = main.replay(current, updated.unwrap()).unwrap().wait(current).unwrap();
        assert_eq!(graph.operands(current).unwrap().1.tensors().1.to_vec(current).unwrap(), [3.0; 2]);
        drop(graph.into_operands(current).unwrap());
    });
    alone.assert_nothing_lives();
}
