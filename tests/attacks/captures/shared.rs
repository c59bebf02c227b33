//! Memory that the branches of a capture share.

use super::*;
use ascendcl::SharedBuffer;
use ascendcl::capture::TaskKind;
use ascendcl::operator::Operator;
use ascendcl_macros::proves;

type Reads<C> = (SharedBuffer<C, f32>, HostBuffer<C, f32>, HostBuffer<C, f32>);

/// Both branches read the memory at once.
fn two_readers<C: Brand>(
    current: &mut Current<C>,
    weights: SharedBuffer<C, f32>,
    (stream, side): (&mut Stream<C, DefaultAllocator>, &mut Stream<C, DefaultAllocator>),
) -> CapturedGraph<C, Reads<C>> {
    let host = || current.host_buffer(LENGTH).unwrap();
    let operands = (weights, host(), host());
    let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (weights, mut first, second)| {
        capture.fork(side, |main, side| {
            let mut second = side.adopt_after(main, second)?;
            main.copy_shared_to_host(&weights, &mut first)?;
            side.copy_shared_to_host(&weights, &mut second)
        })
    });
    graph.unwrap()
}

#[proves(GRAPH_06)]
#[test]
fn two_branches_read_one_buffer_and_neither_waits_for_the_other() {
    let alone = alone();
    inside(|current| {
        let (mut stream, mut side) = (stream(current), stream(current));
        let weights = current.upload(&[5.0_f32; LENGTH]).unwrap().into_shared();
        let graph = two_readers(current, weights.clone(), (&mut stream, &mut side));
        let tasks = &graph.topology().tasks;
        let copies: Vec<_> =
            tasks.iter().filter(|task| task.kind == TaskKind::CopyMemory).map(|task| task.branch).collect();
        assert_eq!(copies, [0, 1], "{tasks:?}");
        let main = tasks.iter().position(|task| task.kind == TaskKind::CopyMemory && task.branch == 0).unwrap();
        let read = tasks.iter().find(|task| task.kind == TaskKind::CopyMemory && task.branch == 1).unwrap();
        assert!(!read.after.contains(&main), "{tasks:?}");
        let mut graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
        let (shared, first, second) = graph.operands(current).unwrap();
        assert_eq!((first[0], second[0]), (5.0, 5.0));
        assert_eq!(shared.to_vec(current).unwrap(), [5.0; LENGTH]);
        // Other streams read it, too, while the graph is there.
        assert_eq!(weights.to_vec(current).unwrap(), [5.0; LENGTH]);
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_05)]
#[test]
fn shared_memory_is_nobodys_alone_until_the_graph_is_destroyed_even_if_a_replay_is_lost() {
    let alone = alone();
    inside(|current| {
        let (mut stream, mut side) = (stream(current), stream(current));
        let weights = current.upload(&[5.0_f32; LENGTH]).unwrap().into_shared();
        let graph = two_readers(current, weights.clone(), (&mut stream, &mut side));
        // The graph's name goes with the replay, and the replay may be running.
        drop(stream.replay(current, graph).unwrap());
        let weights = weights.try_unshare(current).unwrap_err().value;
        stream.synchronize(current).unwrap();
        side.synchronize(current).unwrap();
        let weights = weights.try_unshare(current).unwrap_err().value;
        collect(current);
        let mut own = weights.try_unshare(current).unwrap();
        own.copy_from(current, &[1.0; LENGTH]).unwrap();
        own.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_refused_capture_lets_shared_memory_go() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let weights = current.upload(&[5.0_f32; LENGTH]).unwrap().into_shared();
        let failed = stream.capture(current, CaptureMode::Relaxed, weights, |_, _| Err(Error::NotExecuted));
        failed.unwrap_err().value.try_unshare(current).unwrap().free(current).unwrap();
        let weights = current.upload(&[5.0_f32; LENGTH]).unwrap().into_shared();
        let graph = stream.capture(current, CaptureMode::Relaxed, weights, |_, _| Ok(())).unwrap();
        let graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
        graph.into_operands(current).unwrap().try_unshare(current).unwrap().free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn operators_of_two_branches_read_one_tensor() {
    let alone = alone();
    inside(|current| {
        let (mut stream, mut side) = (stream(current), stream(current));
        let x = current.upload_tensor(&[2], &[-1.0_f32, 2.0]).unwrap().into_shared();
        let y = || current.upload_tensor(&[2], &[9.0_f32; 2]).unwrap();
        let relu = Operator::new("Relu").bind(current, x.clone(), y()).unwrap();
        let other = Operator::new("Relu").bind(current, x.clone(), y()).unwrap();
        let graph = stream.capture(current, CaptureMode::Relaxed, (relu, other), |capture, (mut relu, other)| {
            capture.fork(&mut side, |main, side| {
                let mut other = side.adopt_after(main, other)?;
                main.launch(&mut relu)?;
                side.launch(&mut other)
            })
        });
        let mut graph = stream.replay(current, graph.unwrap()).unwrap().wait(current).unwrap();
        let (relu, other) = graph.operands(current).unwrap();
        assert_eq!(relu.tensors().1.to_vec(current).unwrap(), [0.0, 2.0]);
        assert_eq!(other.tensors().1.to_vec(current).unwrap(), [0.0, 2.0]);
        drop(x);
    });
    alone.assert_nothing_lives();
}
