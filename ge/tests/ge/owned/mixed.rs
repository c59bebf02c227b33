//! Values of two sessions or runtimes, which have the same type, in each other's calls. Each is refused before the engine
//! is called, and comes back.

use super::*;
use crate::support::{bytes, two_digits};
use ascendcl::{Stream, allocator::PoolAllocator};
use ascendcl_ge::{Compiled, GraphSource};
use std::mem;

/// A graph of this session in this state, without an allocator.
fn compiled(session: &mut Session<Vision>, current: &Current<Vision>) -> Graph<Vision, Compiled> {
    two_digits(session, current).compile(session, current).unwrap()
}

fn pool(current: &Current<Vision>) -> PoolAllocator {
    PoolAllocator::new(current, 1 << 20).unwrap()
}

/// Each call on a graph, with a session or a context that it does not belong to. The graph works in its own afterwards.
fn each_call_is_refused(
    world: &World,
    session: &mut Session<Vision>,
    current: &Current<Vision>,
    (own_session, own): (&mut Session<Vision>, &Runtime<Vision>),
    check: fn(&Error),
) {
    // The values are made in their own context, on another thread, because this one is in a context.
    let mut made = |make: &mut (dyn FnMut(&mut Session<Vision>, &Current<Vision>) + Send)| {
        std::thread::scope(|scope| scope.spawn(|| own.with(|own| make(own_session, own)).unwrap()).join().unwrap());
    };
    let mut values = None;
    made(&mut |session, own| {
        let (allocator, seen) = watched(own);
        values = Some((two_digits(session, own), compiled(session, own), loaded_with(session, own, allocator), seen));
    });
    let (added, mut graph, mut loaded, seen) = values.unwrap();
    let (stream, memory) = (|| current.stream().unwrap(), || bytes(current, 1 << 20));

    let refused = world.untouched(|| added.compile(session, current)).unwrap_err();
    check(&refused.error);
    let added = refused.value;
    check(&world.untouched(|| graph.summary(session, current)).unwrap_err());
    let refused = world.untouched(|| graph.register(session, current, stream(), pool(current))).unwrap_err();
    check(&refused.error);
    (graph, ..) = refused.value;
    let refused = world.untouched(|| graph.set_memory(session, current, memory(), memory())).unwrap_err();
    check(&refused.error);
    graph = refused.value.0;
    let refused = world.untouched(|| graph.load_on(session, current, stream())).unwrap_err();
    check(&refused.error);
    (graph, _) = refused.value;
    let refused = world.untouched(|| graph.remove(session, current)).unwrap_err();
    check(&refused.error);
    graph = refused.value;
    let refused = world.untouched(|| loaded.execute(session, current, images(current, 2))).unwrap_err();
    check(&refused.error);
    (loaded, _) = refused.value;
    check(&world.untouched(|| loaded.idle(session, current).map(drop)).unwrap_err());
    let refused = world.untouched(|| loaded.remove(session, current)).unwrap_err();
    check(&refused.error);
    loaded = refused.value;
    assert!(seen.dropped.lock().unwrap().is_empty());

    let mut values = Some((added, graph, loaded));
    made(&mut |session, own| {
        let (added, graph, loaded) = values.take().unwrap();
        let graphs = [added.compile(session, own).unwrap(), graph];
        graphs.into_iter().for_each(|graph| graph.remove(session, own).unwrap());
        let done = loaded.execute(session, own, images(own, 2)).unwrap().wait(own).unwrap();
        done.outputs.release(session, own).unwrap();
        drop(done.graph.remove(session, own).unwrap());
    });
    assert_eq!(*seen.dropped.lock().unwrap(), [0]);
}

#[proves(GE_11, GE_18, STREAM_09)]
#[test]
fn the_current_of_another_runtime_of_the_name_is_refused() {
    let world = world();
    world.engine(|engine| {
        let (first, second) = (Runtime::open(setup()).unwrap(), Runtime::open(setup()).unwrap());
        let mut session = opened(engine, &first);
        let mut session = second
            .with(|current| {
                let options = Options::new();
                let model = common::digits_in_batches_of(2);
                let added = world.untouched(|| session.add(current, GraphSource::onnx(&model), &options));
                is_of_another_context(&added.unwrap_err());
                let stream = current.stream().unwrap();
                let refused = world.untouched(|| session.register(current, stream, pool(current))).unwrap_err();
                is_of_another_context(&refused.error);
                let collected = world.untouched(|| session.collect(current));
                assert_eq!(collected.len(), 1);
                is_of_another_context(&collected[0]);
                let refused = world.untouched(|| session.close(current)).unwrap_err();
                is_of_another_context(&refused.error);
                refused.value
            })
            .unwrap();
        // A graph with its own session, in the other context; and a stream of the other context in its own.
        let mut graph = first.with(|current| Some(compiled(&mut session, current))).unwrap();
        second
            .with(|current| {
                let refused = graph.take().unwrap().load_on(&mut session, current, current.stream().unwrap());
                let refused = world.untouched(|| refused).unwrap_err();
                is_of_another_context(&refused.error);
                graph = Some(refused.value.0);
            })
            .unwrap();
        let stream: Stream<Vision> = second.with(|current| current.stream().unwrap()).unwrap();
        first
            .with(|current| {
                let loaded = world.untouched(|| graph.take().unwrap().load_on(&mut session, current, stream));
                let refused = loaded.unwrap_err();
                is_of_another_context(&refused.error);
                let (graph, stream) = refused.value;
                let refused = world.untouched(|| graph.register(&mut session, current, stream, pool(current)));
                is_of_another_context(&refused.unwrap_err().error);
                session.close(current).unwrap();
            })
            .unwrap();
        [first, second].iter().for_each(|runtime| runtime.close().unwrap());
    });
}

/// An execution begins with the release of outputs that were dropped: also that is refused in another context.
#[proves(GE_11, GE_20, GE_21)]
#[test]
fn a_graph_with_its_own_session_and_another_current_is_not_executed() {
    let world = world();
    world.engine(|engine| {
        let mut service = Service::open(engine);
        service.infers();
        drop(service.outputs.take());
        let other = Runtime::<Vision>::open(setup()).unwrap();
        let mut graph = service.graph.take().unwrap();
        graph = other
            .with(|current| {
                let input = images(current, 2);
                let refused = world.untouched(|| graph.execute(&mut service.session, current, input)).unwrap_err();
                is_of_another_context(&refused.error);
                assert_eq!(service.seen.out(), 3, "the outputs that were dropped are still there");
                let mut graph = refused.value.0;
                let idle = world.untouched(|| graph.idle(&mut service.session, current).map(drop));
                is_of_another_context(&idle.unwrap_err());
                let refused = world.untouched(|| graph.remove(&mut service.session, current)).unwrap_err();
                is_of_another_context(&refused.error);
                refused.value
            })
            .unwrap();
        service.graph = Some(graph);
        service.infers();
        other.close().unwrap();
        service.runtime.close().unwrap();
    });
}

#[proves(GE_11, GE_12, GE_20)]
#[test]
fn graphs_of_another_runtimes_session_are_refused_also_with_ones_own() {
    let world = world();
    world.engine(|engine| {
        let (first, second) = (Runtime::open(setup()).unwrap(), Runtime::open(setup()).unwrap());
        let (mut session, mut other) = (opened(engine, &first), opened(engine, &second));
        let own = (&mut session, &first);
        let mixes = |current: &mut Current<Vision>| {
            each_call_is_refused(&world, &mut other, current, own, is_of_another_session);
        };
        second.with(mixes).unwrap();
        [(first, session), (second, other)].into_iter().for_each(|(runtime, session)| {
            runtime.with(|current| session.close(current).unwrap()).unwrap();
            runtime.close().unwrap();
        });
    });
}

#[proves(GE_11, GE_12, GE_20)]
#[test]
fn graphs_of_another_session_of_the_same_runtime_are_refused() {
    let world = world();
    world.engine(|engine| {
        let runtime = Runtime::open(setup()).unwrap();
        let (mut session, mut other) = (opened(engine, &runtime), opened(engine, &runtime));
        let own = (&mut session, &runtime);
        let mixes = |current: &mut Current<Vision>| {
            each_call_is_refused(&world, &mut other, current, own, is_of_another_session);
        };
        runtime.with(mixes).unwrap();
        runtime.with(|current| [session, other].map(|session| session.close(current).unwrap())).unwrap();
        runtime.close().unwrap();
    });
}

#[proves(GE_11, GE_21)]
#[test]
fn outputs_are_read_in_their_context_and_released_in_their_session() {
    let world = world();
    world.engine(|engine| {
        let mut service = Service::open(engine);
        service.infers();
        let mut other = opened(engine, &service.runtime);
        let elsewhere = Runtime::<Vision>::open(setup()).unwrap();
        let outputs = service.outputs.take().unwrap();
        let outputs = elsewhere
            .with(|current| {
                is_of_another_context(&world.untouched(|| outputs.to_vec::<f32>(current, 0)).unwrap_err());
                let refused = world.untouched(|| outputs.release(&mut service.session, current)).unwrap_err();
                is_of_another_context(&refused.error);
                refused.value
            })
            .unwrap();
        service
            .runtime
            .with(|current| {
                let refused = world.untouched(|| outputs.release(&mut other, current)).unwrap_err();
                is_of_another_session(&refused.error);
                assert_eq!(refused.value.to_vec::<f32>(current, 0).unwrap().len(), 20);
                refused.value.release(&mut service.session, current).unwrap();
                other.close(current).unwrap();
            })
            .unwrap();
        elsewhere.close().unwrap();
        service.runtime.close().unwrap();
    });
}

#[proves(GE_03, GE_04, GE_11)]
#[test]
fn a_registration_is_replaced_and_ended_in_its_own_session_only() {
    let world = world();
    world.engine(|engine| {
        let runtime = Runtime::open(setup()).unwrap();
        let (mut session, mut other) = (opened(engine, &runtime), opened(engine, &runtime));
        runtime
            .with(|current| {
                let graph = compiled(&mut session, current);
                let graph = graph.register(&mut session, current, current.stream().unwrap(), pool(current)).unwrap();
                let refused = world.untouched(|| graph.replace(&mut other, current, pool(current))).unwrap_err();
                is_of_another_session(&refused.error);
                let (graph, spare) = refused.value;
                let refused = world.untouched(|| graph.unregister(&mut other, current)).unwrap_err();
                is_of_another_session(&refused.error);
                let refused = world.untouched(|| refused.value.load(&mut other, current)).unwrap_err();
                is_of_another_session(&refused.error);
                let (graph, ..) = refused.value.unregister(&mut session, current).unwrap();
                graph.remove(&mut session, current).unwrap();

                let mut stream = session.register(current, current.stream().unwrap(), spare).unwrap();
                is_of_another_session(&world.untouched(|| stream.idle(&mut other, current).map(drop)).unwrap_err());
                let refused = world.untouched(|| stream.replace(&mut other, current, pool(current))).unwrap_err();
                is_of_another_session(&refused.error);
                let refused = world.untouched(|| refused.value.0.unregister(&mut other, current)).unwrap_err();
                is_of_another_session(&refused.error);
                drop(refused.value.unregister(&mut session, current).unwrap());
                [session, other].into_iter().for_each(|session| session.close(current).unwrap());
            })
            .unwrap();
        runtime.close().unwrap();
    });
}

/// The values of two sessions of one runtime change places, alone and together.
#[proves(GE_11, GE_12, GE_20)]
#[test]
fn values_that_change_places_between_two_sessions_are_refused_until_they_are_back() {
    let world = world();
    world.engine(|engine| {
        let runtime = Runtime::open(setup()).unwrap();
        let mut sessions = [opened(engine, &runtime), opened(engine, &runtime)];
        runtime
            .with(|current| {
                let [first, second] = &mut sessions;
                let mut graphs =
                    [&mut *first, &mut *second].map(|session| Some(loaded_with(session, current, watched(current).0)));
                let execute = |graphs: &mut [Option<Owned>; 2], first: &mut Session<Vision>| match graphs[0]
                    .take()
                    .unwrap()
                    .execute(first, current, images(current, 2))
                {
                    Ok(running) => {
                        let done = running.wait(current).unwrap();
                        graphs[0] = Some(done.graph);
                        Ok(done.outputs)
                    }
                    Err(refused) => {
                        graphs[0] = Some(refused.value.0);
                        Err(refused.error)
                    }
                };
                mem::swap(first, second);
                is_of_another_session(&world.untouched(|| execute(&mut graphs, first)).unwrap_err());
                graphs.swap(0, 1);
                // Both have changed places: it is the other pair.
                let mut theirs = execute(&mut graphs, first).unwrap();
                mem::swap(first, second);
                graphs.swap(0, 1);
                let mut outputs = execute(&mut graphs, first).unwrap();
                mem::swap(&mut outputs, &mut theirs);
                let refused = world.untouched(|| outputs.release(first, current)).unwrap_err();
                is_of_another_session(&refused.error);
                refused.value.release(second, current).unwrap();
                theirs.release(first, current).unwrap();
            })
            .unwrap();
        runtime.with(|current| sessions.map(|session| session.close(current).unwrap())).unwrap();
        runtime.close().unwrap();
    });
}
