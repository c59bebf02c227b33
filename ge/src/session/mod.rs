//! Sessions, and the objects in them.

mod execute;
mod graph;
mod outputs;
mod session_stream;
mod state;

pub use execute::{Executed, HasStream, NeedsStream};
pub use graph::Graph;
pub use outputs::Outputs;
pub use session_stream::SessionStream;
pub use state::{Added, CanCompile, CanLoad, CanSetMemory, Compiled, GraphState, Loaded, WithAllocator, WithMemory};

use crate::error::EngineError;
use crate::ffi::{InContext, RawSession, Shim};
use crate::graph_source::{GraphSource, Options};
use crate::marks::{Mark, SessionOfOneThread};
use ascendcl::raw::Attached;
use ascendcl::{Brand, Current, Error, Failed, Name, Scoped};
use ascendcl_macros::rule;
use core::fmt;
use static_assertions::assert_not_impl_any;
use std::sync::Arc;

/// A session of the graph engine: one that exists for its scope ([`Engine::session`](crate::Engine::session)), or one that
/// a struct keeps beside its [`Runtime`](ascendcl::Runtime) ([`Engine::open_session`](crate::Engine::open_session)).
///
/// Every call on its graphs takes `&mut Session`, so two threads cannot use a session at the same time (GE-12). The
/// context owns the session and everything in it: dropped or forgotten graphs and outputs exist until
/// [`collect`](Self::collect) or the end of the session.
///
/// Values of two sessions of runtimes may have one type. Each call compares them, before it calls the engine: a graph or
/// outputs of another session return [`EngineError::OtherSession`], and the context of another runtime returns
/// [`Error::WrongContext`]. After the session has ended, what it made returns [`Error::Gone`].
///
/// ```
/// use ascendcl::operator::DeviceTensor;
/// use ascendcl::{Error, Library, Runtime, Setup};
/// use ascendcl_ge::{Compiled, Engine, Graph, GraphSource, Loaded, Options, Session};
///
/// ascendcl::names!(Vision);
///
/// struct Classifier {
///     graph: Option<Graph<Vision, Loaded<Compiled>>>,
///     session: Session<Vision>,
///     runtime: Runtime<Vision>,
/// }
///
/// impl Classifier {
///     fn open(engine: &Engine<'_>, file: &str) -> Result<Self, Error> {
///         let setup = Setup::builder().library(Library::Simulator).default_context(true).build();
///         let (runtime, (session, graph)) = Runtime::open_with(setup, |current| {
///             let mut session = engine.open_session(current, &Options::new())?;
///             let graph = session.add(current, GraphSource::onnx_file(file), &Options::new())?;
///             let graph = graph.compile(&mut session, current)?;
///             let graph = graph.load_on(&mut session, current, current.stream()?)?;
///             Ok((session, graph))
///         })?;
///         Ok(Self { graph: Some(graph), session, runtime })
///     }
///
///     fn infer(&mut self, pixels: &[f32; 64]) -> Result<Vec<f32>, Error> {
///         let Self { graph, session, runtime } = self;
///         runtime.with(|current| {
///             let images: DeviceTensor<Vision, f32> = current.upload_tensor(&[1, 64], pixels)?;
///             let loaded = graph.take().ok_or(Error::Gone { what: ascendcl_ge::kinds::GRAPH })?;
///             let done = match loaded.execute(session, current, images) {
///                 Ok(running) => running.wait(current)?,
///                 Err(refused) => {
///                     *graph = Some(refused.value.0);
///                     return Err(refused.error);
///                 }
///             };
///             *graph = Some(done.graph);
///             let probabilities = done.outputs.to_vec(current, 0)?;
///             done.outputs.release(session, current)?;
///             Ok(probabilities)
///         })?
///     }
///
///     fn close(self) -> Result<(), Error> {
///         self.runtime.with(|current| self.session.close(current))??;
///         Ok(self.runtime.close()?)
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let place = ascendcl_ge_double::Double::load()?.place();
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/digits.onnx");
/// let acl = ascendcl::Acl::init(Library::Simulator)?;
/// let engine = Engine::init(&acl, &place, &Options::new())?;
/// let mut classifier = Classifier::open(&engine, file)?;
/// assert_eq!(classifier.infer(&[0.0; 64])?.len(), 10);
/// classifier.close()?;
/// engine.close()?;
/// # Ok(())
/// # }
/// ```
#[rule(GE_11, GE_12)]
#[must_use = "a session that is dropped ends by `current.collect()` or with its runtime; `close` shows the errors"]
pub struct Session<C: Brand> {
    row: Arc<RawSession>,
    /// The name of the session in its context, which does not end it as long as the name is there.
    attached: Attached<C, InContext>,
    _brand: Mark<C>,
    _not_shared: SessionOfOneThread,
}

assert_not_impl_any!(Session<Scoped<'static>>: Sync, Clone);

impl<C: Brand> Session<C> {
    /// Creates a session and gives it to the context, which is the default one of its device.
    pub(super) fn create(current: &Current<C>, shim: Shim, options: &Options) -> Result<Self, Error> {
        let row = Arc::new(RawSession::create(current, shim, options.pairs())?);
        let attached = current.attach(InContext(Arc::clone(&row)), ())?;
        Ok(Self { row, attached, _brand: Mark::NEW, _not_shared: SessionOfOneThread::NEW })
    }

    pub(super) fn row(&self) -> &RawSession {
        &self.row
    }

    /// Reads a graph and adds it to the session (`Session::AddGraph`), under an id that this crate chooses. The vendor's
    /// option `ge.session_device_id` is that of the session, whatever the options say.
    ///
    /// # Errors
    ///
    /// [`EngineError::Failed`](crate::EngineError::Failed) when the source cannot be read, or is not a graph.
    #[rule(GE_18, GE_24)]
    pub fn add(
        &mut self,
        current: &Current<C>,
        source: GraphSource<'_>,
        options: &Options,
    ) -> Result<Graph<C, Added>, Error> {
        let options = options.on_same_device(current.device_id());
        self.row.add(current, source, options.pairs()).map(Graph::new)
    }

    /// Waits for the graphs without a handle and removes them. Releases the outputs that have no handle and are idle.
    /// Otherwise the end of the session does this.
    ///
    /// The errors are those that dropped handles could not report, or why the session cannot be used here. This also drops
    /// the allocators of removed graphs.
    #[must_use = "these are the errors that dropped handles could not report"]
    pub fn collect(&mut self, current: &Current<C>) -> Vec<Error> {
        if let Err(error) = self.row.check_usable(current) {
            return vec![error];
        }
        let removed = self.row.unnamed_graphs().into_iter().map(|graph| {
            graph.synchronize(current)?;
            self.row.take_off(current, &graph)
        });
        let errors = removed.filter_map(Result::err).filter(|error| !is_in_use(error)).collect();
        self.row.release_unnamed(current);
        errors
    }
}

impl<N: Name> Session<N> {
    /// Ends the session: waits for all work of the context, releases outputs, removes graphs, ends registrations, and
    /// destroys the session (`~Session`). What was made in it returns [`Error::Gone`] from then on, also where a handle is still stored. The
    /// allocators of its graphs are dropped.
    ///
    /// A session that is dropped is ended by [`Current::collect`] when no stream of the context has work, or with its
    /// runtime. Then what the engine refuses to remove goes with the session.
    ///
    /// # Errors
    ///
    /// The session, with what could not be taken down: [`EngineError::Failed`]; [`Error::Vendor`] when work failed or could
    /// not be waited for; [`Error::StillRunning`] while another thread reads outputs; [`Error::Capturing`] while a stream of
    /// the context is captured; [`Error::WrongContext`] in the context of another runtime; [`Error::Gone`] when its runtime
    /// was closed.
    #[rule(GE_09, GE_11, GE_21)]
    pub fn close(
        self, // GE-11: a session is closed once and last: for another one, call `engine.open_session(current, &options)`
        current: &Current<N>,
    ) -> Result<(), Failed<Self>> {
        if let Err(error) = self.row.clear(current) {
            return Err(Failed { error, value: self });
        }
        let Self { row, attached, _brand, _not_shared } = self;
        let ended = attached.take_down(current);
        ended.map_err(|failed| failed.map(|attached| Self { row, attached, _brand, _not_shared }))
    }
}

/// For a collection, an object in use is not an error, and outputs with a handle are not either: a later collection
/// removes the graph.
fn is_in_use(error: &Error) -> bool {
    matches!(error, Error::StillRunning { .. }) || matches!(error.extension(), Some(EngineError::OutputsInUse { .. }))
}

impl<C: Brand> fmt::Debug for Session<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}
