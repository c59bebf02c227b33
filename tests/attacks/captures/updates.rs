//! Updates of graphs by other threads, with operands of other contexts, and at the end of their context.

use super::groups::{BEFORE, operator, outputs, with_two};
use super::*;
use crate::common::library;
use ascendcl::{Runtime, Thread};
use ascendcl_macros::proves;

ascendcl::names!(Vision);

#[test]
fn threads_update_graphs_of_their_own_in_one_context() {
    let alone = alone();
    in_context(|context, _| {
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let entered = context.enter(&mut Thread::new().unwrap(), |current| {
                        let mut stream = stream(current);
                        for _ in 0..8 {
                            let (graph, group) = with_two(current, &mut stream);
                            let updated = stream
                                .update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
                            let replay = stream.replay(current, updated.unwrap()).unwrap();
                            let mut graph = replay.wait(current).unwrap();
                            assert_eq!(outputs(current, &mut graph), [BEFORE, 2.0]);
                        }
                    });
                    entered.unwrap();
                });
            }
        });
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_graph_and_its_group_go_to_another_thread_which_updates_while_the_first_one_waits() {
    let alone = alone();
    in_context(|context, thread| {
        let (graph, group) = context
            .enter(thread, |current| {
                let mut stream = stream(current);
                with_two(current, &mut stream)
            })
            .unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let entered = context.enter(&mut Thread::new().unwrap(), |current| {
                    let mut stream = stream(current);
                    let updated = stream
                        .update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second))
                        .unwrap();
                    let mut graph = stream.replay(current, updated).unwrap().wait(current).unwrap();
                    assert_eq!(outputs(current, &mut graph), [BEFORE, 2.0]);
                });
                entered.unwrap();
            });
            let waited = context.enter(thread, |current| {
                // While the other thread captures its update, the library refuses a wait for the whole context (STREAM-18).
                while let Err(refused) = current.synchronize() {
                    assert_eq!(refused.code().unwrap().number(), 107_027, "{refused}");
                    std::thread::yield_now();
                }
            });
            waited.unwrap();
        });
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_09)]
#[test]
fn operands_and_graphs_of_another_runtime_of_the_same_name_are_refused() {
    let (alone, _books) = undisturbed();
    let open = || Runtime::<Vision>::open(library()).unwrap();
    let (first, second) = (open(), open());
    let (graph, group) = first.with(|current| with_two(current, &mut stream(current))).unwrap();
    let refused = second.with(|current| {
        let refused =
            stream(current).update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
        let refused = refused.unwrap_err();
        assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
        let refused = refused.value.with_operands(current, operator(current, "Relu", 3.0)).unwrap_err();
        assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
        refused.value
    });
    let (graph, theirs) = refused.unwrap();
    first
        .with(|current| {
            let refused = graph.with_operands(current, theirs).unwrap_err();
            assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
            let (mut stream, graph) = (stream(current), refused.value.0);
            let updated = stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
            let mut graph = stream.replay(current, updated.unwrap()).unwrap().wait(current).unwrap();
            assert_eq!(outputs(current, &mut graph), [BEFORE, 2.0]);
        })
        .unwrap();
    for runtime in [first, second] {
        runtime.close().unwrap();
    }
    alone.assert_nothing_lives();
}

#[test]
fn an_update_in_flight_is_lost_with_its_context() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let (graph, group) = with_two(current, &mut stream);
        let updated =
            stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second)).unwrap();
        let replay = stream.replay(current, updated).unwrap();
        std::mem::forget((replay, stream));
    });
    alone.assert_nothing_lives();
}

#[test]
fn operands_that_a_graph_got_later_stay_its_own_until_it_is_destroyed() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let (graph, group) = with_two(current, &mut stream);
        let updated =
            stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second)).unwrap();
        let graph = updated.wait(current).unwrap();
        fail("aclmdlRIDestroy=507899");
        let kept = graph.into_operands(current).unwrap_err();
        fail("");
        let graph = stream.replay(current, kept.value).unwrap().wait(current).unwrap();
        let ((_, second), more) = graph
            .with_operands(current, current.host_buffer::<f32>(4).unwrap())
            .unwrap()
            .into_operands(current)
            .unwrap();
        let (x, y) = second.into_tensors(current).unwrap();
        drop((x, y, more));
    });
    alone.assert_nothing_lives();
}
