//! Captures of streams with an allocator of the caller: what is left in each state, and what uses its memory meanwhile.
//! `tests/allocators/captured.rs` has what the library may do with the blocks.

use super::groups::{BEFORE, Op, operator, outputs};
use super::*;
use crate::common::{assert_lives, library};
use ascendcl::allocator::PoolAllocator;
use ascendcl::capture::{TaskGroup, Tasks};
use ascendcl::stream::CustomAllocator;
use ascendcl::{Runtime, Thread};
use ascendcl_macros::proves;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::time::Duration;

ascendcl::names!(Pooling);

type Pooled<C> = Stream<C, CustomAllocator<PoolAllocator>>;
type Group<C> = TaskGroup<C, ((), Op<C>)>;

fn pooled<C: Brand>(current: &Current<C>) -> Pooled<C> {
    current.stream().unwrap().register(current, PoolAllocator::new(current, 64 << 10).unwrap()).unwrap()
}

fn relu<C: Brand>(current: &mut Current<C>, stream: &mut Pooled<C>, number: f32) -> CapturedGraph<C, Op<C>> {
    let relu = operator(current, "Relu", number);
    stream.capture(current, CaptureMode::Relaxed, relu, |capture, mut relu| capture.launch(&mut relu)).unwrap()
}

fn output<C: Brand>(current: &Current<C>, graph: &mut CapturedGraph<C, Op<C>>) -> f32 {
    graph.operands(current).unwrap().tensors().1.to_vec(current).unwrap()[0]
}

fn with_group<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Pooled<C>,
) -> (CapturedGraph<C, (Op<C>, Op<C>)>, Group<C>) {
    let mut group = None;
    let first = operator(current, "Relu", 1.0);
    let graph = stream.capture(current, CaptureMode::Relaxed, first, |capture, mut first| {
        group = Some(capture.task_group(Tasks::new().launch(&mut first))?);
        Ok(())
    });
    (graph.unwrap().with_operands(current, operator(current, "Relu", 2.0)).unwrap(), group.unwrap())
}

#[proves(GRAPH_05, ALLOC_13)]
#[test]
fn replays_and_other_work_of_the_stream_use_memory_of_their_own() {
    let alone = alone();
    inside(|current| {
        let mut stream = pooled(current);
        let mut graphs = [relu(current, &mut stream, 1.0), relu(current, &mut stream, 2.0)];
        assert_eq!(stream.pool_statistics().unwrap().blocks_in_use, 2);
        for _ in 0..3 {
            let others: Vec<_> = (0..4)
                .map(|number| stream.launch(current, operator(current, "Relu", number as f32)).unwrap())
                .collect();
            graphs = graphs.map(|graph| stream.replay(current, graph).unwrap().wait(current).unwrap());
            for (number, other) in others.into_iter().enumerate() {
                let (_, sum) = other.wait(current).unwrap().into_tensors(current).unwrap();
                assert_eq!(sum.to_vec(current).unwrap()[0], number as f32);
            }
            assert_eq!(graphs.each_mut().map(|graph| output(current, graph)), [1.0, 2.0]);
        }
        // Trimming leaves the chunk of which the graphs have blocks.
        assert_eq!(stream.idle(current).unwrap().trim(current).unwrap(), 0);
        for graph in graphs {
            graph.into_operands(current).unwrap().into_tensors(current).unwrap();
        }
        assert_eq!(stream.pool_statistics().unwrap().blocks_in_use, 0);
        assert!(stream.idle(current).unwrap().trim(current).unwrap() > 0);
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_09, ALLOC_10)]
#[test]
fn an_update_on_a_stream_with_an_allocator_is_of_the_graphs_own_stream() {
    let alone = alone();
    inside(|current| {
        let (mut own, mut other, mut plain) = (pooled(current), pooled(current), stream(current));
        let (graph, group) = with_group(current, &mut own);
        let refused = other.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
        let refused = refused.unwrap_err();
        assert!(matches!(refused.error, Error::NotItsStream { .. }), "{}", refused.error);
        let updated = own.update(current, refused.value, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
        let mut graph = own.replay(current, updated.unwrap()).unwrap().wait(current).unwrap();
        assert_eq!(outputs(current, &mut graph), [BEFORE, 2.0]);
        assert!(own.pool_statistics().unwrap().blocks_in_use > 0);
        // The library's own memory serves any stream; the replay stays on its own.
        let updated = plain.update(current, graph, &group, |tasks, (mut first, _)| tasks.launch(&mut first)).unwrap();
        let refused = plain.replay(current, updated).unwrap_err();
        assert!(matches!(refused.error, Error::NotItsStream { .. }), "{}", refused.error);
        let mut graph = own.replay(current, refused.value.wait(current).unwrap()).unwrap().wait(current).unwrap();
        assert_eq!(outputs(current, &mut graph)[0], 1.0);
        drop(graph.into_operands(current).unwrap());
        assert_eq!(own.pool_statistics().unwrap().blocks_in_use, 0);
        // A graph without memory of an allocator is not updated where it would get some.
        let (graph, group) = super::groups::with_two(current, &mut plain);
        let refused = own.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
        assert!(matches!(refused.unwrap_err().error, Error::NotItsStream { .. }));
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_01, GRAPH_05)]
#[test]
fn a_capture_that_fails_or_panics_gives_the_blocks_back() {
    let alone = alone();
    inside(|current| {
        let mut stream = pooled(current);
        let relu = operator(current, "Relu", 1.0);
        let failed = stream.capture(current, CaptureMode::Relaxed, relu, |capture, mut relu| {
            capture.launch(&mut relu)?;
            Err(Error::NotExecuted)
        });
        let relu = failed.unwrap_err().value;
        assert_eq!(stream.pool_statistics().unwrap().blocks_in_use, 0);
        let panic = catch_unwind(AssertUnwindSafe(|| {
            stream.capture(current, CaptureMode::Relaxed, relu, |capture, mut relu| {
                capture.launch(&mut relu)?;
                panic_any(7)
            })
        }));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&7));
        assert_eq!(stream.pool_statistics().unwrap().blocks_in_use, 0);
        let (stream, _pool) = stream.unregister(current).unwrap();
        stream.without_allocator().synchronize(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// Leaves graphs of an allocator's stream in each state.
fn left_in<C: Brand + 'static>(current: &mut Current<C>, state: usize) -> Option<Box<dyn core::any::Any>> {
    let mut own = pooled(current);
    let graph = relu(current, &mut own, 1.0);
    Some(match state {
        0 => Box::new((own, graph)),
        1 => Box::new((graph, own)),
        2 => Box::new((own.replay(current, graph).unwrap(), own)),
        3 => {
            own.destroy(current).unwrap();
            Box::new(graph)
        }
        4 => {
            drop(graph);
            Box::new(own)
        }
        5 => {
            fail("aclmdlRIDestroy#1=507899,aclmdlRIDestroy#2=507899");
            let relu = operator(current, "Relu", 2.0);
            let failed = own.capture(current, CaptureMode::Relaxed, relu, |capture, mut relu| {
                capture.launch(&mut relu)?;
                Err(Error::NotExecuted)
            });
            fail("");
            Box::new((failed.unwrap_err(), graph, own))
        }
        6 => {
            fail("aclmdlRICaptureEnd#1=507899,aclmdlRICaptureEnd#2=507899,aclmdlRICaptureEnd#3=507899");
            let relu = operator(current, "Relu", 2.0);
            let failed =
                own.capture(current, CaptureMode::Relaxed, relu, |capture, mut relu| capture.launch(&mut relu));
            fail("");
            Box::new((failed.unwrap_err(), graph, own))
        }
        _ => return None,
    })
}

#[proves(GRAPH_05, GRAPH_07, ALLOC_12)]
#[test]
fn what_is_forgotten_or_dropped_in_any_state_ends_with_its_runtime_and_gives_the_memory_back() {
    let (alone, _books) = undisturbed();
    for is_forgotten in [false, true] {
        let runtime = Runtime::<Pooling>::open(library()).unwrap();
        for state in 0.. {
            let Some(left) = runtime.with(|current| left_in(current, state)).unwrap() else { break };
            if is_forgotten {
                mem::forget(left)
            } else {
                drop(left)
            }
            if !is_forgotten {
                // The stream ends first, then its allocator, and then the allocator's memory.
                (0..3).for_each(|_| drop(runtime.with(|current| drop(current.collect()))));
                assert_lives!(device_blocks, 0, "state {state}");
            }
        }
        runtime.close().unwrap();
        alone.assert_nothing_lives();
    }
}

#[proves(ALLOC_10)]
#[test]
fn a_graph_of_one_runtime_is_not_replayed_on_a_stream_of_another_of_its_name() {
    let (alone, _books) = undisturbed();
    let open = || Runtime::<Pooling>::open(library()).unwrap();
    let (first, second) = (open(), open());
    let (graph, stream) = first
        .with(|current| {
            let mut stream = pooled(current);
            (relu(current, &mut stream, 3.0), stream)
        })
        .unwrap();
    let refused = second
        .with(|current| {
            let refused = pooled(current).replay(current, graph).unwrap_err();
            assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
            let refused = stream.replay(current, refused.value).unwrap_err();
            assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
            refused.value
        })
        .unwrap();
    let number = first.with(|current| {
        let mut graph = stream.replay(current, refused).unwrap().wait(current).unwrap();
        output(current, &mut graph)
    });
    assert_eq!(number.unwrap(), 3.0);
    drop(stream);
    first.close().unwrap();
    second.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(ALLOC_18, GRAPH_05)]
#[test]
fn threads_that_destroy_graphs_of_one_stream_give_each_block_back_once() {
    let alone = alone();
    in_context(|context, thread| {
        let (graphs, mut stream) = context
            .enter(thread, |current| {
                let mut stream = pooled(current);
                let graphs: Vec<_> = (0..8).map(|number| relu(current, &mut stream, number as f32)).collect();
                (graphs, stream)
            })
            .unwrap();
        std::thread::scope(|scope| {
            for graph in graphs {
                scope.spawn(move || {
                    let destroyed = context.enter(&mut Thread::new().unwrap(), |current| {
                        graph.into_operands(current).unwrap().into_tensors(current).unwrap();
                    });
                    destroyed.unwrap();
                });
            }
            // Meanwhile the allocator serves other work and other captures.
            let other = context.enter(thread, |current| {
                for number in 0..8 {
                    let graph = relu(current, &mut stream, number as f32);
                    let mut graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
                    assert_eq!(output(current, &mut graph), number as f32);
                    drop(graph.into_operands(current).unwrap());
                }
            });
            other.unwrap();
        });
        context
            .enter(thread, |current| {
                assert_eq!(stream.pool_statistics().unwrap().blocks_in_use, 0);
                assert!(!stream.allocator_misbehaved());
                let (_stream, pool) = stream.unregister(current).unwrap();
                pool.release(current).unwrap();
            })
            .unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(DEV_08, GRAPH_05)]
#[test]
fn a_runtime_that_is_closed_by_force_under_a_replay_ends_with_the_allocator() {
    let (alone, _books) = undisturbed();
    let runtime = Runtime::<Pooling>::open(library()).unwrap();
    let left = runtime.with(|current| {
        let mut stream = pooled(current);
        let graph = relu(current, &mut stream, 1.0);
        (stream.replay(current, graph).unwrap(), stream)
    });
    mem::forget(left.unwrap());
    assert_eq!(runtime.close_by_force(Duration::from_secs(20)).unwrap(), [""; 0]);
    alone.assert_nothing_lives();
}
