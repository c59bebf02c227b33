//! The same for sessions of the graph engine, on its double: calls of the engine fail, calls of the library fail, and
//! pairs of them fail. The double runs graphs on the library too. If one of those calls fails, the engine has to clean
//! up.

use crate::common;
use crate::harness::{self, Mode, Tally, found, kind, left_alive, watched};
use crate::models;
use ascendcl::operator::DeviceTensor;
use ascendcl::{Acl, Current, Device, Error, Library, ScopeError, Scoped, Thread, allocator::PoolAllocator};
use ascendcl_ge::{Engine, GraphSource, Options, Place, Session};
use ascendcl_ge_double::{Double, Upset};
use ascendcl_sim::{Plan, control};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

type Program = for<'c> fn(&mut Session<Scoped<'c>>, &mut Current<Scoped<'c>>) -> Result<(), Error>;

const PROGRAMS: &[(&str, Program)] = &[
    ("a graph", graph),
    ("a graph with a pool", graph_with_a_pool),
    ("pools in turn", pools_in_turn),
    ("a graph in memory of its own", graph_in_memory),
    ("forgotten graphs", forgotten),
];

const CODE: &str = "507899";

fn two<'c>(current: &Current<Scoped<'c>>) -> Result<DeviceTensor<Scoped<'c>, f32>, Error> {
    current.upload_tensor(&[2, 64], &[0.0_f32; 128])
}

fn graph<'c>(session: &mut Session<Scoped<'c>>, current: &mut Current<Scoped<'c>>) -> Result<(), Error> {
    let image = models::in_batches_of(Some(2));
    let graph = session.add(current, GraphSource::onnx(&image), &Options::new())?.compile(session, current)?;
    let graph = graph.load_on(session, current, current.stream()?)?;
    let done = graph.execute(session, current, two(current)?)?.wait(current)?;
    assert_eq!(done.outputs.to_vec::<f32>(current, 0)?.len(), 20);
    done.outputs.release(session, current)?;
    let done = done.graph.execute(session, current, done.inputs)?.wait(current)?;
    drop(done.outputs);
    done.graph.remove(session, current)?.0.destroy(current)?;
    Ok(())
}

fn graph_with_a_pool<'c>(session: &mut Session<Scoped<'c>>, current: &mut Current<Scoped<'c>>) -> Result<(), Error> {
    let graph = session.add(current, GraphSource::onnx_file(&models::file()), &Options::new())?;
    let pool = PoolAllocator::new(current, 1 << 16)?;
    let graph = graph.compile(session, current)?.register(session, current, current.stream()?, pool)?;
    let graph = graph.load(session, current)?;
    let done = graph.execute(session, current, two(current)?)?.wait(current)?;
    assert_eq!(done.outputs.to_vec::<f32>(current, 0)?.len(), 20);
    done.outputs.release(session, current)?;
    let mut graph = done.graph;
    let idle = graph.idle(session, current)?;
    idle.trim(current)?;
    idle.grow(current, 1 << 16)?;
    drop(idle);
    drop(graph.execute(session, current, done.inputs)?);
    drop(session.collect(current));
    Ok(())
}

fn pools_in_turn<'c>(session: &mut Session<Scoped<'c>>, current: &mut Current<Scoped<'c>>) -> Result<(), Error> {
    let image = models::in_batches_of(Some(2));
    let graph = session.add(current, GraphSource::onnx(&image), &Options::new())?.compile(session, current)?;
    let pool = || PoolAllocator::new(current, 1 << 16);
    let graph = graph.register(session, current, current.stream()?, pool()?)?;
    let (graph, first) = graph.replace(session, current, pool()?)?;
    first.release(current)?;
    let (graph, stream, second) = graph.unregister(session, current)?;
    second.release(current)?;
    let graph = graph.register(session, current, stream, pool()?)?.load(session, current)?;
    let done = graph.execute(session, current, two(current)?)?.wait(current)?;
    done.outputs.release(session, current)?;
    let (stream, third) = done.graph.remove(session, current)?;
    third.release(current)?;
    stream.destroy(current)?;
    Ok(())
}

fn graph_in_memory<'c>(session: &mut Session<Scoped<'c>>, current: &mut Current<Scoped<'c>>) -> Result<(), Error> {
    let image = models::in_batches_of(Some(2));
    let graph = session.add(current, GraphSource::onnx(&image), &Options::new())?.compile(session, current)?;
    let needs = graph.summary(session, current)?;
    let bytes = |bytes| current.device_buffer::<u8>(bytes);
    let graph = graph.set_memory(session, current, bytes(needs.constants)?, bytes(needs.features)?)?;
    let graph = graph.load_on(session, current, current.stream()?)?;
    let done = graph.execute(session, current, two(current)?)?.wait(current)?;
    drop(done.outputs);
    done.graph.remove(session, current)?.0.destroy(current)?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

fn forgotten<'c>(session: &mut Session<Scoped<'c>>, current: &mut Current<Scoped<'c>>) -> Result<(), Error> {
    let image = models::in_batches_of(Some(2));
    let mut added = || session.add(current, GraphSource::onnx(&image), &Options::new());
    let (first, second) = (added()?, added()?);
    std::mem::forget(added()?.compile(session, current)?);
    let (first, second) = (first.compile(session, current)?, second.compile(session, current)?);
    let first = first.load_on(session, current, current.stream()?)?;
    std::mem::forget(first.execute(session, current, two(current)?)?);
    let pool = PoolAllocator::new(current, 1 << 16)?;
    let second = second.register(session, current, current.stream()?, pool)?.load(session, current)?;
    std::mem::forget(second.execute(session, current, two(current)?)?.wait(current)?);
    Ok(())
}

/// How one run ended.
struct End {
    calls: u64,
    engine_calls: usize,
    /// Faults that came.
    faults: usize,
    /// One of them was inside the engine, which has to look after itself.
    inside: bool,
    error: Option<String>,
    again: bool,
    wrong: Vec<String>,
}

/// What is to fail: calls of the library, by a plan, and calls of the engine, by their numbers.
struct Faults<'a> {
    plan: &'a str,
    engine: &'a [usize],
}

impl Faults<'_> {
    /// From here on nothing fails; what came before is counted once.
    fn end(double: Double, end: &mut End) {
        if end.calls == 0 {
            (end.calls, end.engine_calls) = (control::calls(), double.count("calls"));
            end.faults += control::injected().len();
            let own = double.own_calls();
            end.inside = control::injected().iter().any(|injected| own.contains(&injected.number));
        }
        control::fail(Plan::new()).unwrap();
        double.reset();
    }
}

fn run(double: Double, program: Program, faults: &Faults<'_>) -> End {
    harness::begin(Mode::Host, faults.plan);
    double.reset();
    faults.engine.iter().for_each(|number| double.upset_at(*number, Upset::Fail));
    let mut end =
        End { calls: 0, engine_calls: 0, faults: 0, inside: false, error: None, again: false, wrong: Vec::new() };
    let what = format!("{} and calls {:?} of the engine", faults.plan, faults.engine);
    let ran = catch_unwind(AssertUnwindSafe(|| with_library(double, program, &mut end)));
    let Ok(result) = ran else { panic!("{what}: the program panicked") };
    end.faults += faults.engine.iter().filter(|number| **number <= end.engine_calls).count();
    end.error = result.err().map(|error| kind(&error));
    let left = ["initialised", "sessions", "graphs", "allocators"].map(|name| (name, double.count(name)));
    // An engine that refuses twice to end a registration keeps it, closed.
    let may_stay = |name: &str| name == "allocators" && faults.engine.len() > 1;
    let left = left
        .iter()
        .filter(|(name, count)| *count > 0 && !may_stay(name))
        .map(|(name, count)| format!(" {name}: {count}"));
    end.wrong.extend(left.chain(left_alive()).map(|left| format!("left alive:{left}")));
    end.wrong.extend(found());
    end.wrong.iter_mut().for_each(|wrong| *wrong = format!("{what}: {wrong}"));
    end
}

fn with_library(double: Double, program: Program, end: &mut End) -> Result<(), Error> {
    let acl = match Acl::init(Library::Simulator) {
        Ok(acl) => acl,
        Err(error) => {
            Faults::end(double, end);
            return Err(error);
        }
    };
    let result = with_device(double, &acl, program, end);
    let Err(failed) = acl.close() else {
        Faults::end(double, end);
        return result;
    };
    end.again = true;
    Faults::end(double, end);
    let again = failed.value.close().err();
    end.wrong.extend(again.map(|failed| format!("closing the library once more failed: {failed}")));
    result.and(Err(failed.error))
}

/// The engine is closed before the device is given back, and once more after it: a session that could not be taken down
/// is taken down with its device.
fn with_device(double: Double, acl: &Acl, program: Program, end: &mut End) -> Result<(), Error> {
    let mut thread = Thread::new()?;
    let device = acl.device(&mut thread, 0)?.with_teardown_timeout(Duration::from_secs(5));
    // SAFETY: the double's library has the shim's functions.
    let place = unsafe { Place::at(double.shim()) };
    let (result, engine) = match Engine::init(acl, &place, &Options::new()) {
        Ok(engine) => {
            let result = in_session(&engine, &device, &mut thread, program);
            match engine.close() {
                Ok(()) => (result, None),
                Err(failed) => (result.and(Err(failed.error)), Some(failed.value)),
            }
        }
        Err(error) => (Err(error), None),
    };
    let (result, device) = match device.reset(&mut thread) {
        Ok(()) => (result, None),
        Err(failed) => (result.and(Err(failed.error)), Some(failed.value)),
    };
    if engine.is_some() || device.is_some() {
        end.again = true;
        Faults::end(double, end);
        let device = device.and_then(|device| device.reset(&mut thread).err());
        end.wrong.extend(device.map(|failed| format!("giving the device back once more failed: {failed}")));
        let engine = engine.and_then(|engine| engine.close().err());
        end.wrong.extend(engine.map(|failed| format!("closing the engine once more failed: {failed}")));
    }
    result
}

fn in_session(engine: &Engine<'_>, device: &Device<'_>, thread: &mut Thread, program: Program) -> Result<(), Error> {
    match engine.session(thread, device, &Options::new(), program) {
        Ok(result) => result,
        Err(ScopeError::NotOpened(error)) => Err(error),
        Err(ScopeError::Teardown { mut errors, .. }) => Err(errors.remove(0)),
    }
}

/// Runs each program with each of these faults, and wants so many of them to have come.
fn sweep(wanted: usize, faults: impl Fn(&End) -> Vec<(String, Vec<usize>)>) -> Tally {
    let _alone = common::alone();
    let double = Double::load().unwrap_or_else(|missing| panic!("{missing}"));
    let mut sum = Tally::default();
    for (name, program) in PROGRAMS {
        let undisturbed = run(double, *program, &Faults { plan: "*#1000000=507899", engine: &[] });
        assert!(
            undisturbed.error.is_none() && undisturbed.wrong.is_empty(),
            "{name}: {:?} {:?}",
            undisturbed.error,
            undisturbed.wrong
        );
        let (mut tally, mut wrong) = (Tally::default(), Vec::new());
        for (plan, engine) in faults(&undisturbed) {
            let what = format!("{name} with {plan} and calls {engine:?} of the engine");
            let mut end = watched(&what, || run(double, *program, &Faults { plan: &plan, engine: &engine }));
            if end.inside {
                continue;
            }
            wrong.append(&mut end.wrong);
            if end.faults >= wanted {
                tally.add(end.error, end.again);
            }
        }
        tally.report(name, "calls of and below the engine");
        assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
        sum += tally;
    }
    sum
}

/// No plan: one that is empty counts no calls.
fn nothing() -> String {
    "*#1000000=507899".to_owned()
}

#[test]
fn each_call_of_the_engine_fails_once_and_the_program_ends_with_a_value_and_nothing_left() {
    let sum = sweep(1, |end| (1..=end.engine_calls).map(|call| (nothing(), vec![call])).collect());
    assert!(sum.positions > 40, "{sum:?}");
}

#[test]
fn each_call_of_the_library_fails_once_under_an_engine_and_nothing_is_left() {
    let sum = sweep(1, |end| (1..=end.calls).map(|call| (format!("*#{call}={CODE}"), Vec::new())).collect());
    assert!(sum.positions > 120, "{sum:?}");
}

#[test]
fn two_calls_of_the_engine_fail_and_the_program_ends_with_a_value_and_nothing_left() {
    let sum = sweep(2, |end| {
        let calls = 1..=end.engine_calls + 2;
        calls
            .clone()
            .flat_map(|first| calls.clone().map(move |second| (first, second)))
            .filter(|(first, second)| first < second)
            .map(|(first, second)| (nothing(), vec![first, second]))
            .collect()
    });
    assert!(sum.positions > 120, "{sum:?}");
}

#[test]
fn two_calls_under_an_engine_fail_and_the_program_ends_with_a_value_and_nothing_left() {
    let sum = sweep(2, |end| {
        let near = (1..=end.calls).flat_map(|first| (first + 1..=first + 4).map(move |second| (first, second)));
        let of_the_library = near.map(|(first, second)| (format!("*#{first}={CODE},*#{second}={CODE}"), Vec::new()));
        let each = (1..=end.engine_calls).flat_map(|engine| (1..=end.calls).map(move |call| (engine, call)));
        let of_both = each.filter(|(engine, call)| (*engine as u64 + call).is_multiple_of(7));
        of_the_library.chain(of_both.map(|(engine, call)| (format!("*#{call}={CODE}"), vec![engine]))).collect()
    });
    assert!(sum.positions > 500, "{sum:?}");
    println!("{} pairs, of which {} gave back once more", sum.positions, sum.again);
}
