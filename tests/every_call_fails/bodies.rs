//! Programs with conditions, branches of builds, and captures of streams with an allocator.

#![allow(clippy::result_large_err, reason = "a graph comes back with its operands")]

use crate::CODES;
use crate::harness::{self, How, Mode, Pairs, Program, Tally};
use crate::others::again;
use ascendcl::allocator::PoolAllocator;
use ascendcl::capture::{CaptureMode, CapturedGraph, Tasks};
use ascendcl::operator::{BoundOperator, DeviceTensor, Operator};
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Current, DeviceBuffer, Error, Scoped, Stream};

/// Only a library that keeps the manual's word has conditions.
const CONDITIONS: &[(&str, Program)] = &[
    ("conditions", conditions),
    ("conditions within conditions", nested_conditions),
    ("conditions that are captured again", conditions_captured_again),
    ("a condition that comes to nothing", condition_given_up),
];

#[test]
fn each_call_of_a_program_with_conditions_fails_once_and_nothing_is_left() {
    let mut sum = Tally::default();
    for (name, program) in CONDITIONS {
        for code in CODES {
            sum += harness::everywhere_in(Mode::AsDocumented, name, *program, &format!("{code}"));
        }
    }
    assert!(sum.positions > 500, "{sum:?}");
}

#[test]
fn two_calls_of_a_program_with_conditions_fail_and_nothing_is_left() {
    let mut sum = Tally::default();
    for (name, program) in CONDITIONS {
        sum += harness::in_pairs(Pairs { next: 8, one_of: 13 }, Mode::AsDocumented, name, *program, "507899");
    }
    assert!(sum.positions > 1000, "{sum:?}");
    println!("{} pairs, of which {} gave back once more", sum.positions, sum.again);
}

#[test]
fn calls_of_a_condition_fail_although_they_had_their_effect_and_nothing_is_left() {
    // A condition ends with its graph, and the crate asks whether a capture is over.
    let calls =
        ["aclmdlRICondHandleCreate", "aclmdlRIAddCondTask", "aclmdlRICaptureToModelRIBegin", "aclmdlRICaptureEnd"];
    let mut sum = Tally::default();
    for call in calls {
        for (name, program) in CONDITIONS {
            sum += harness::everywhere_of((Mode::AsDocumented, call), name, *program, "after:507899", How::Once);
        }
    }
    assert!(sum.positions > 30, "{sum:?}");
}

type Plain<'c> = Stream<Scoped<'c>, DefaultAllocator>;
type Op<'c> = BoundOperator<Scoped<'c>, DeviceTensor<Scoped<'c>, f32>, DeviceTensor<Scoped<'c>, f32>>;
type Bytes<'c> = DeviceBuffer<Scoped<'c>, u8>;

/// A number of a condition, and what its bodies set.
fn operands<'c>(current: &Current<Scoped<'c>>) -> Result<(DeviceBuffer<Scoped<'c>, u32>, Bytes<'c>), Error> {
    Ok((current.upload(&[0_u32; 16])?, current.upload(&[0_u8; 4])?))
}

/// The stream takes other work.
fn is_free<'c>(current: &Current<Scoped<'c>>, stream: &Plain<'c>) -> Result<(), Error> {
    let bytes = again(current.upload(&[0_u8; 4])?, |bytes| stream.set_bytes(current, bytes, 3))?;
    assert_eq!(again(bytes, |bytes| bytes.wait(current))?.to_vec(current)?, [3; 4]);
    Ok(())
}

fn conditions(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let (mut main, mut side) = (current.stream()?.without_allocator(), current.stream()?.without_allocator());
    let graph = main.capture(current, CaptureMode::Relaxed, operands(current)?, |capture, (mut number, mut bytes)| {
        capture
            .run_if_else(&mut side, &number, |body, is_true| body.set_bytes(&mut bytes, if is_true { 7 } else { 8 }))?;
        capture.run_while(&mut side, &mut number, |body, number| body.set_bytes(number, 0))
    });
    let mut graph = graph?;
    for (number, expected) in [(0, 8), (3, 7)] {
        graph.operands(current)?.0.copy_from(current, &[number; 16])?;
        graph = main.replay(current, graph)?.wait(current)?;
        let (number, bytes) = graph.operands(current)?;
        assert_eq!((number.to_vec(current)?[0], bytes.to_vec(current)?), (0, vec![expected; 4]));
    }
    is_free(current, &side)?;
    // One replay is lost, and the graph with it.
    drop(main.replay(current, graph)?);
    side.destroy(current)?;
    main.destroy(current)?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

fn nested_conditions(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let (mut main, mut side) = (current.stream()?.without_allocator(), current.stream()?.without_allocator());
    let mut inner = current.stream()?.without_allocator();
    let operands = (operands(current)?, operands(current)?);
    let graph =
        main.capture(current, CaptureMode::Global, operands, |capture, ((outer, mut bytes), (number, mut all))| {
            capture.run_if(&mut side, &outer, |body| {
                body.set_bytes(&mut bytes, 1)?;
                body.run_if_else(&mut inner, &number, |body, is_true| {
                    body.set_bytes(&mut all, if is_true { 2 } else { 3 })
                })
            })
        });
    let mut graph = graph?;
    for (first, second, expected) in [(0, 1, [0, 0]), (1, 1, [1, 2]), (1, 0, [1, 3])] {
        let ((mut outer, _), (mut number, _)) = graph.operands(current)?;
        outer.copy_from(current, &[first; 16])?;
        number.copy_from(current, &[second; 16])?;
        graph = side.replay(current, graph)?.wait(current)?;
        let ((_, bytes), (_, all)) = graph.operands(current)?;
        assert_eq!([bytes.to_vec(current)?[0], all.to_vec(current)?[0]], expected);
    }
    is_free(current, &inner)?;
    graph.into_operands(current)?;
    Ok(())
}

/// What failed is done once more, with the same streams and operands. The program ignores errors of the inner body.
fn conditions_captured_again(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let (mut main, mut side) = (current.stream()?.without_allocator(), current.stream()?.without_allocator());
    let mut inner = current.stream()?.without_allocator();
    let graph = again(operands(current)?, |operands| {
        main.capture(current, CaptureMode::Relaxed, operands, |capture, (number, mut bytes)| {
            capture.run_if_else(&mut side, &number, |body, is_true| {
                if is_true {
                    let _ = body.run_if(&mut inner, &number, |body| body.set_bytes(&mut bytes, 7));
                    return Ok(());
                }
                body.set_bytes(&mut bytes, 8)
            })
        })
    });
    is_free(current, &inner)?;
    is_free(current, &side)?;
    let mut graph = graph?;
    for (number, expected) in [(0, 8), (1, 7)] {
        let mut write = || graph.operands(current)?.0.copy_from(current, &[number; 16]);
        write().or_else(|_| write())?;
        let replay = again(graph, |graph| main.replay(current, graph))?;
        graph = again(replay, |replay| replay.wait(current))?;
        let mut read = || graph.operands(current)?.1.to_vec(current);
        assert_eq!(read().or_else(|_| read())?, [expected; 4], "a task of a capture that did not break is missing");
    }
    let (number, bytes) = again(graph, |graph| graph.into_operands(current))?;
    again(number, |number| number.free(current))?;
    again(bytes, |bytes| bytes.free(current))?;
    for stream in [main, side, inner] {
        again(stream, |stream| stream.destroy(current))?;
    }
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

/// The operands and streams of a capture whose body fails end one by one.
fn condition_given_up(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let (mut main, mut side) = (current.stream()?.without_allocator(), current.stream()?.without_allocator());
    let mut inner = current.stream()?.without_allocator();
    let captured =
        main.capture(current, CaptureMode::Relaxed, operands(current)?, |capture, (mut number, mut bytes)| {
            capture.run_while(&mut side, &mut number, |body, number| {
                body.set_bytes(number, 0)?;
                body.run_if_else(&mut inner, number, |body, _| body.set_bytes(&mut bytes, 7))?;
                Err(Error::NotExecuted)
            })
        });
    let Err(failed) = captured else { panic!("a body that failed makes no graph") };
    let (number, bytes) = failed.value;
    again(bytes, |bytes| bytes.free(current))?;
    is_free(current, &inner)?;
    again(inner, |inner| inner.destroy(current))?;
    again(side, |side| side.destroy(current))?;
    again(number, |number| number.free(current))?;
    again(main, |main| main.destroy(current))?;
    match failed.error {
        Error::NotExecuted => current.collect().into_iter().next().map_or(Ok(()), Err),
        error => Err(error),
    }
}

pub(crate) fn built_branches(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let stream = current.stream()?.without_allocator();
    let mut build = current.build_graph((current.upload(&[0_u8; 64])?, current.upload(&[0_u8; 64])?))?;
    for number in [1, 2] {
        build.add(current, |tasks, (first, second)| {
            let (mut first, second) = tasks.branch(|tasks, side| {
                let mut first = side.adopt_after(tasks, first)?;
                side.set_bytes(&mut first, number)?;
                let second = side.branch(|side, third| {
                    let mut second = third.adopt_after(tasks, second)?;
                    third.set_bytes(&mut second, number + 4)?;
                    Ok(side.adopt_after(third, second)?)
                })?;
                Ok((tasks.adopt_after(side, first)?, tasks.adopt_after(side, second)?))
            })?;
            if number == 2 { tasks.copy_on_device(&second, &mut first) } else { Ok(()) }
        })?;
    }
    let mut graph = build.end(current)?;
    for _ in 0..2 {
        graph.operands(current)?.0.copy_from(current, &[0; 64])?;
        graph = stream.replay(current, graph)?.wait(current)?;
        let (first, second) = graph.operands(current)?;
        assert_eq!((first.to_vec(current)?, second.to_vec(current)?), (vec![6; 64], vec![6; 64]));
    }
    // One build is given up behind a branch, one graph is lost in flight.
    let mut build = current.build_graph(graph.into_operands(current)?)?;
    build.add(current, |tasks, _| tasks.branch(|_, _| Ok(())))?;
    let mut build = current.build_graph(build.into_operands(current)?)?;
    build.add(current, |tasks, (mut first, _)| tasks.branch(|tasks, _| tasks.set_bytes(&mut first, 3)))?;
    drop(stream.replay(current, build.end(current)?)?);
    stream.destroy(current)?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

type Two<'c> = (Bytes<'c>, Bytes<'c>);

/// A graph, or an error and the operands, if they came back. The program ignores the error of the inner branch.
fn build_branches<'c>(
    current: &Current<Scoped<'c>>,
    operands: Two<'c>,
) -> Result<CapturedGraph<Scoped<'c>, Two<'c>>, (Error, Option<Two<'c>>)> {
    let mut build = current.build_graph(operands).map_err(|failed| (failed.error, Some(failed.value)))?;
    let added = build.add(current, |tasks, (mut first, second)| {
        tasks.branch(|tasks, side| {
            let mut second = side.adopt_after(tasks, second)?;
            side.set_bytes(&mut second, 1)?;
            let _ = tasks.branch(|tasks, _| tasks.set_bytes(&mut first, 2));
            Ok(())
        })
    });
    let (error, build) = match added {
        Ok(()) => match build.end(current) {
            Ok(graph) => return Ok(graph),
            Err(failed) => (failed.error, failed.value),
        },
        Err(error) => (error, build),
    };
    let operands = build.into_operands(current).or_else(|failed| failed.value.into_operands(current));
    Err((error, operands.ok()))
}

/// A build whose branch failed comes to nothing, and is done once more with the same operands.
pub(crate) fn branches_built_again(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let stream = current.stream()?.without_allocator();
    let operands = (current.upload(&[0_u8; 64])?, current.upload(&[0_u8; 64])?);
    let graph = match build_branches(current, operands) {
        Err((_, Some(operands))) => build_branches(current, operands),
        built => built,
    };
    let graph = graph.map_err(|(error, _)| error)?;
    let replay = again(graph, |graph| stream.replay(current, graph))?;
    let mut graph = again(replay, |replay| replay.wait(current))?;
    let mut read = || {
        let (first, second) = graph.operands(current)?;
        Ok::<_, Error>((first.to_vec(current)?, second.to_vec(current)?))
    };
    assert_eq!(read().or_else(|_| read())?, (vec![2; 64], vec![1; 64]), "a task of a whole build is missing");
    let (first, second) = again(graph, |graph| graph.into_operands(current))?;
    again(first, |first| first.free(current))?;
    again(second, |second| second.free(current))?;
    again(stream, |stream| stream.destroy(current))?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

fn relu<'c>(current: &Current<Scoped<'c>>, number: f32) -> Result<Op<'c>, Error> {
    let (x, y) = (current.upload_tensor(&[2], &[number; 2])?, current.upload_tensor(&[2], &[9.0_f32; 2])?);
    Ok(Operator::new("Relu").bind(current, x, y)?)
}

/// A graph whose operators have memory of a pool: it is replayed and updated beside other work, and the pool has each
/// block again when it is destroyed.
pub(crate) fn captured_pool(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let mut stream = current.stream()?.register(current, PoolAllocator::new(current, 1 << 16)?)?;
    let before = stream.launch(current, relu(current, 4.0)?)?;
    let (first, second) = (relu(current, 1.0)?, relu(current, 2.0)?);
    let mut group = None;
    let graph = stream.capture(current, CaptureMode::Relaxed, first, |capture, mut first| {
        capture.launch(&mut first)?;
        group = Some(capture.task_group(Tasks::new().launch(&mut first))?);
        Ok(())
    });
    let (graph, Some(group)) = (graph?.with_operands(current, second)?, group) else { return Ok(()) };
    let beside = stream.launch(current, relu(current, 3.0)?)?;
    let updated = stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second))?;
    let mut graph = stream.replay(current, updated)?.wait(current)?;
    let (first, second) = graph.operands(current)?;
    assert_eq!(first.tensors().1.to_vec(current)?, [1.0; 2]);
    assert_eq!(second.tensors().1.to_vec(current)?, [2.0; 2]);
    for (number, launched) in [(4.0, before), (3.0, beside)] {
        assert_eq!(launched.wait(current)?.tensors().1.to_vec(current)?, [number; 2]);
    }
    drop(graph.into_operands(current)?);
    let (stream, pool) = stream.unregister(current)?;
    assert_eq!(pool.statistics().blocks_in_use, 0, "the pool does not have all of its blocks");
    pool.release(current)?;
    // One is lost in flight, with its stream and its allocator.
    let mut stream = stream.register(current, PoolAllocator::new(current, 1 << 16)?)?;
    let graph = stream
        .capture(current, CaptureMode::Relaxed, relu(current, 1.0)?, |capture, mut relu| capture.launch(&mut relu));
    drop(stream.replay(current, graph?)?);
    drop(stream);
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

/// A capture of a stream with a pool that failed is made again. Whatever has become of it, the pool has all of its blocks
/// in the end.
pub(crate) fn pool_captured_again(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let mut stream = current.stream()?.register(current, PoolAllocator::new(current, 1 << 16)?)?;
    let graph = again(relu(current, 1.0)?, |relu| {
        stream.capture(current, CaptureMode::Relaxed, relu, |capture, mut relu| capture.launch(&mut relu))
    });
    if let Ok(graph) = graph {
        let replay = again(graph, |graph| stream.replay(current, graph))?;
        let graph = again(replay, |replay| replay.wait(current))?;
        let relu = again(graph, |graph| graph.into_operands(current))?;
        assert_eq!(relu.tensors().1.to_vec(current)?, [1.0; 2]);
    }
    let (stream, pool) = again(stream, |stream| stream.unregister(current))?;
    assert_eq!(pool.statistics().blocks_in_use, 0, "the pool does not have all of its blocks");
    again(pool, |pool| pool.release(current))?;
    again(stream, |stream| stream.destroy(current))?;
    Ok(())
}
