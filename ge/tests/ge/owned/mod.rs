//! Sessions that a struct keeps beside its runtime.

mod ends;
mod forced;
mod mixed;
mod threads;

use crate::common::allocators::Watched;
use crate::common::{self, library};
use crate::support::{Counts, Seen, World, images, loaded_with, watched, world};
use ascendcl::operator::DeviceTensor;
use ascendcl::runtime;
use ascendcl::{Current, Error, Pending, Runtime, Setup};
use ascendcl_ge::kinds::{GRAPH, GRAPH_OUTPUTS, SESSION};
use ascendcl_ge::{Engine, EngineError, Executed, Graph, Loaded, Options, Outputs, Session, WithAllocator};
use ascendcl_macros::proves;
use std::sync::Arc;
use std::time::Duration;

ascendcl::names!(Vision);

type Owned = Graph<Vision, Loaded<WithAllocator<Watched<Counts>>>>;
type Images = DeviceTensor<Vision, f32>;
type Running = Pending<Vision, Executed<Vision, Loaded<WithAllocator<Watched<Counts>>>, Images>>;

/// What a service keeps.
struct Service {
    graph: Option<Owned>,
    outputs: Option<Outputs<Vision>>,
    running: Option<Running>,
    session: Session<Vision>,
    runtime: Runtime<Vision>,
    seen: Arc<Seen>,
}

impl Service {
    fn open(engine: &Engine<'_>) -> Self {
        let (runtime, (session, graph, seen)) = Runtime::open_with(setup(), |current| {
            let mut session = engine.open_session(current, &Options::new())?;
            let (allocator, seen) = watched(current);
            let graph = loaded_with(&mut session, current, allocator);
            Ok((session, graph, seen))
        })
        .unwrap();
        Self { graph: Some(graph), outputs: None, running: None, session, runtime, seen }
    }

    /// Executes the graph, and keeps its outputs.
    fn infers(&mut self) {
        let Self { graph, outputs, session, runtime, .. } = self;
        runtime
            .with(|current| {
                let loaded = graph.take().unwrap();
                let done = loaded.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
                *outputs = Some(done.outputs);
                *graph = Some(done.graph);
            })
            .unwrap();
    }

    /// Executes the graph, and keeps the work in flight.
    fn begins(&mut self) {
        let Self { graph, running, session, runtime, .. } = self;
        let begun = runtime.with(|current| {
            let loaded = graph.take().unwrap();
            loaded.execute(session, current, images(current, 2)).unwrap()
        });
        *running = Some(begun.unwrap());
    }

    /// How many blocks were out when each of its allocators was dropped.
    fn dropped(&self) -> Vec<usize> {
        self.seen.dropped.lock().unwrap().clone()
    }
}

fn setup() -> Setup {
    Setup::builder().library(library()).device(0).default_context(true).build()
}

fn opened(engine: &Engine<'_>, runtime: &Runtime<Vision>) -> Session<Vision> {
    runtime.with(|current| engine.open_session(current, &Options::new())).unwrap().unwrap()
}

impl World {
    /// Runs a program with an engine. Nothing is left afterwards.
    #[track_caller]
    fn engine(&self, program: impl FnOnce(&Engine<'_>)) {
        let acl = common::acl();
        let engine = Engine::init(&acl, &self.place(), &Options::new()).unwrap();
        program(&engine);
        sweep();
        engine.close().unwrap();
        acl.close().unwrap();
        self.assert_nothing_lives();
    }

    /// The engine is not called meanwhile.
    #[track_caller]
    fn untouched<R>(&self, program: impl FnOnce() -> R) -> R {
        let before = self.calls();
        let result = program();
        assert_eq!(self.calls(), before);
        result
    }
}

/// Nothing is left of runtimes that were dropped.
#[track_caller]
fn sweep() {
    let errors: Vec<_> = runtime::sweep(Some(Duration::from_secs(10))).iter().map(Error::to_string).collect();
    assert_eq!(errors, [""; 0]);
}

#[track_caller]
fn is_of_another_session(error: &Error) {
    assert!(matches!(error.extension(), Some(EngineError::OtherSession { .. })), "{error}");
    assert!(
        error.to_string().ends_with("belongs to another session: pass the session that made it [GE-11]"),
        "{error}"
    );
}

#[track_caller]
fn is_of_another_context(error: &Error) {
    assert!(matches!(error, Error::WrongContext { .. }), "{error}");
}

#[track_caller]
fn is_gone(error: &Error) {
    let kinds = [GRAPH, GRAPH_OUTPUTS, SESSION];
    assert!(matches!(error, Error::Gone { what } if kinds.contains(what)), "{error}");
}

#[proves(GE_11, GE_18)]
#[test]
fn a_session_in_a_struct_executes_its_graph_on_any_thread_and_ends_with_close() {
    let world = world();
    world.engine(|engine| {
        let mut service = Service::open(engine);
        let sum = std::thread::scope(|scope| {
            let infers = scope.spawn(move || {
                service.infers();
                let Service { outputs, runtime, .. } = &service;
                let read = |current: &mut Current<Vision>| outputs.as_ref().unwrap().to_vec::<f32>(current, 0);
                (runtime.with(read).unwrap().unwrap().iter().sum::<f32>(), service)
            });
            let (sum, mut service) = infers.join().unwrap();
            // The session has a name, so it is not collected.
            service.runtime.with(|current| assert_eq!(current.collect().len(), 0)).unwrap();
            service.infers();
            let (graph, outputs) = (service.graph.take().unwrap(), service.outputs.take().unwrap());
            let mut session = service.session;
            let closed = service.runtime.with(|current| {
                outputs.release(&mut session, current).unwrap();
                let (_stream, allocator) = graph.remove(&mut session, current).unwrap();
                assert_eq!(service.seen.out(), 0);
                drop(allocator);
                session.close(current).unwrap();
            });
            closed.unwrap();
            service.runtime.close().unwrap();
            sum
        });
        assert!((sum - 2.0).abs() < 1e-4, "two images, each with probabilities that add up to one: {sum}");
    });
}

#[proves(GE_18)]
#[test]
fn a_context_of_its_own_and_one_of_another_library_have_no_session_and_the_engine_is_not_called() {
    let world = world();
    let books = crate::null::books();
    world.engine(|engine| {
        let setup = Setup::builder().library(library()).device(0).build();
        let runtime = Runtime::<Vision>::open(setup).unwrap();
        let refused = |runtime: &Runtime<Vision>| {
            let opens = |current: &mut Current<Vision>| engine.open_session(current, &Options::new()).map(drop);
            world.untouched(|| runtime.with(opens)).unwrap().unwrap_err()
        };
        let error = refused(&runtime);
        assert!(matches!(error.extension(), Some(EngineError::NotDefaultContext)), "{error}");
        assert!(error.to_string().contains("`Setup::builder().default_context(true)` [GE-18]"), "{error}");
        runtime.close().unwrap();
        let setup = Setup::builder().library(books.library()).device(0).default_context(true).build();
        let runtime = Runtime::<Vision>::open(setup).unwrap();
        let error = refused(&runtime);
        assert!(matches!(error.extension(), Some(EngineError::OtherLibrary)), "{error}");
        runtime.close().unwrap();
    });
}
