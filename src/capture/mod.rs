//! Captured graphs: work of a stream that is recorded once and replayed any number of times.
//!
//! A replay costs one call of the library, regardless of the number of tasks in the graph.
//! [`Stream::capture`](crate::Stream::capture) records a program's tasks instead of running them and makes a
//! [`CapturedGraph`] of them. [`StreamOps::replay`](crate::stream::StreamOps::replay) runs the graph on any stream of
//! its context.
//!
//! ```
//! use ascendcl::capture::CaptureMode;
//! use ascendcl::{Error, Library, RunError};
//!
//! ascendcl::run(Library::Simulator, |current| {
//!     let mut stream = current.stream()?.without_allocator();
//!     let operands = (
//!         current.host_buffer::<f32>(4)?,
//!         current.device_buffer::<f32>(4)?.zero(current)?,
//!         current.host_buffer::<f32>(4)?,
//!     );
//!     let mut graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut device, mut output)| {
//!         capture.copy_to_device(&input, &mut device)?;
//!         capture.copy_to_host(&device, &mut output)
//!     })?;
//!     for number in [1.0, 2.0] {
//!         graph.operands(current)?.0.fill(number);
//!         graph = stream.replay(current, graph)?.wait(current)?;
//!         assert_eq!(*graph.operands(current)?.2, [number; 4]);
//!     }
//!     let (_input, _device, _output) = graph.into_operands(current)?;
//!     Ok::<_, Error>(())
//! })?;
//! # Ok::<(), RunError<Error>>(())
//! ```
//!
//! # What the types guarantee
//!
//! * A capture is a function that gets a [`Capture`]. The capture begins before the function and ends after it, also
//!   when the function panics or returns an error (GRAPH-01). The `Capture` stays on its thread (GRAPH-02).
//! * The default stream has no method `capture` (GRAPH-03).
//! * The function can use neither the stream nor a [`Current`], because both are borrowed. So it cannot wait, query,
//!   allocate or copy synchronously (GRAPH-04). Another thread that has a [`Pending`](crate::Pending) of earlier work on
//!   the stream can wait and ask: while the capture goes on, `wait` and `is_complete` return [`Error::Capturing`], unless
//!   the work is known to be done. The `Pending` comes back with the error, and can be waited for afterwards.
//! * The graph owns its operands: buffers in pinned and device memory, bound models and operators (GRAPH-05). The
//!   function gets a [`Captured`] for each of them, and tasks borrow these.
//! * [`Capture::fork`] begins a second branch on a second stream. The branches join when its function returns
//!   (GRAPH-06). Every branch can read a [`SharedBuffer`](crate::SharedBuffer), and can run operators whose inputs are
//!   [`SharedTensor`](crate::operator::SharedTensor)s.
//! * A replay moves the graph into its [`Pending`](crate::Pending). So before a wait, the operands cannot be accessed,
//!   and the graph cannot be destroyed or replayed on another stream (GRAPH-07).
//! * A captured graph cannot be aborted. The sub-graphs of a condition must not be destroyed, so no program gets them
//!   (GRAPH-10).
//! * [`Capture::task_group`] makes a group of operators. [`Stream::update`](crate::Stream::update) replaces them
//!   between replays by the same number of operators of the same types (GRAPH-09). The graph owns the old and the new
//!   operators: [`CapturedGraph::with_operands`] adds new ones before the update.
//!
//! # Streams with an allocator of the caller
//!
//! A captured task gets its memory from the allocator during the capture, and uses it in each replay. The library may
//! free this memory as soon as the task is recorded. So the graph keeps every block that the library has during the
//! capture, also blocks from before. The allocator gets these blocks back when the graph is destroyed; until then the
//! program does not get the allocator back. Tasks of one graph do not share blocks. Replays run on the stream that was
//! captured ([`Error::NotItsStream`]): its allocator serves no other stream (ALLOC-10).
//!
//! ```
//! use ascendcl::allocator::PoolAllocator;
//! use ascendcl::capture::CaptureMode;
//! use ascendcl::{Error, Library, RunError, operator};
//!
//! ascendcl::run(Library::Simulator, |current| {
//!     let pool = PoolAllocator::new(current, 64 << 10)?;
//!     let mut stream = current.stream()?.register(current, pool)?;
//!     let relu = operator::relu(current, current.upload_tensor(&[2], &[-1.0_f32, 2.0])?)?;
//!     let operands = (relu, current.host_buffer::<f32>(2)?);
//!     let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (mut relu, mut output)| {
//!         capture.launch(&mut relu)?;
//!         capture.copy_from_output(&relu, 0, &mut output)
//!     })?;
//!     let mut graph = stream.replay(current, graph)?.wait(current)?;
//!     assert_eq!(graph.operands(current)?.1, [0.0, 2.0]);
//!     let refused = stream.unregister(current).unwrap_err();
//!     assert!(matches!(refused.error, Error::BlocksInUse { count: 1 }), "the graph has the operator's memory");
//!     let _operands = graph.into_operands(current)?;
//!     let (_stream, _pool) = refused.value.unregister(current)?;
//!     Ok::<_, Error>(())
//! })?;
//! # Ok::<(), RunError<Error>>(())
//! ```
//!
//! # Building by hand
//!
//! Some libraries cannot capture streams, but can build a graph task by task. [`Current::build_graph`] begins a
//! [`GraphBuild`], which takes tasks until [`GraphBuild::end`] turns it into a [`CapturedGraph`] (GRAPH-08). Only the
//! graph has its stream. During a build the program can wait, allocate and copy as usual. [`Capture::switch`] adds cases to
//! a build: in each replay, a number in device memory says which of them runs (STREAM-20). [`Capture::branch`] adds a
//! second branch, on a second stream that only the graph has.
//!
//! # Conditions
//!
//! [`Capture::run_if`], [`Capture::run_if_else`] and [`Capture::run_while`] capture tasks that depend on a number in
//! device memory, which each replay reads. Each body is captured on a second stream, which is free afterwards. The vendor
//! calls this a trial feature. With a library without it, these methods return [`Error::ConditionsUnsupported`], and the
//! capture can go on.
//!
//! # Operators and models that feed each other
//!
//! An operator or a model owns its tensors, in a graph too. [`Capture::copy_output_to_input`] copies an output of one to an
//! input of another in each replay, and [`Capture::copy_to_input`] and [`Capture::copy_from_output`] copy from and to
//! buffers.
//!
//! # What is not offered
//!
//! * A stream whose allocator is made of C functions ([`RawAllocator`](crate::stream::RawAllocator)) cannot be captured.
//!   The library calls these functions directly, so this crate cannot keep their blocks for the graph (GRAPH-05). A stream
//!   with an allocator cannot be a second branch of a capture (ALLOC-10).
//! * A callback cannot own its state; it only gets a reference to it, because it runs once per replay.
//! * A group has operators only. The library crashes on a copy or a set in a group, and refuses a callback.
//! * Streams of a build that other streams start (`aclrtActiveStream`, `aclrtSwitchStream`) have no API. A build has no
//!   loops: [`Capture::run_while`] is for captures.
//! * A body of a condition and a case of a switch have no branches. Events order branches, and each replay would have to
//!   record these events and wait for them. A condition with more than two cases (`ACL_MODEL_RI_COND_TYPE_SWITCH`) has no
//!   API.

mod build;
mod captured;
mod condition;
mod fork;
mod graph;
mod groups;
mod objects;
mod operands;
mod parts;
mod ports;
mod recording;
mod refused;
mod shared;
mod switch;
mod tasks;
mod topology;

use crate::brand::{Brand, CaptureOfOneThread, INSIDE, Scoped};
use crate::current::Current;
use crate::device_allocator::DeviceAllocator;
use crate::error::{Error, Failed};
use crate::ffi::{BodyId, RawStream};
use crate::panics::{after_dropping, catch, drop_each_quietly};
use crate::stream::{CustomAllocator, DefaultAllocator, Stream, StreamState};
use ascendcl_macros::rule;
use core::fmt;
use core::marker::PhantomData;
use objects::Objects;
use recording::Recording;
use static_assertions::assert_not_impl_any;
use std::sync::Arc;

pub use crate::capture_mode::CaptureMode;
pub use build::GraphBuild;
pub use captured::{BuildBranch, BuildMain, CaptureBranch, Captured, Main, Side};
pub use graph::{CapturedGraph, GraphDetail};
pub use groups::{TaskGroup, Tasks};
pub use operands::{GraphOperands, OperandAccess};
pub use ports::{CapturedBuffer, HasPorts};
pub use switch::SwitchIndex;
pub use topology::{CapturedTask, TaskKind, Topology};

/// A branch of a capture, on one stream. It records tasks instead of running them.
///
/// `K` names the branch: [`Main`] for the one that the capture begins with, [`Side`] for one of a [fork](Self::fork), and
/// [`BuildMain`] for the one that a [`GraphBuild`] begins with.
///
/// A failed call breaks the capture: the capture then makes no graph, even if the program continues.
#[must_use = "a capture does nothing until it is given tasks"]
#[rule(GRAPH_02, GRAPH_04)]
pub struct Capture<'g, C: Brand, K = Main<'g>> {
    recording: &'g Recording<'g>,
    queue: Arc<RawStream>,
    branch: usize,
    /// The body of a condition that the tasks are part of.
    body: Option<BodyId>,
    _brands: PhantomData<(fn(C) -> C, fn(K) -> K)>,
    _here: CaptureOfOneThread,
}

assert_not_impl_any!(Capture<'static, Scoped<'static>>: Send, Sync, Clone);

/// Streams that can be captured.
#[diagnostic::on_unimplemented(
    message = "a stream in state `{Self}` cannot be captured",
    label = "expected a stream with the library's own allocator, or with one of this crate's trait `DeviceAllocator`",
    note = "ALLOC-04: first decide on the allocator: `current.stream()?.without_allocator()` or `stream.register(current, \
            allocator)?`",
    note = "GRAPH-05: a graph keeps the memory that its tasks got from an allocator; it cannot do so for C functions",
    note = "see `ascendcl-explain GRAPH-05`"
)]
pub trait CanCapture: StreamState {}

impl CanCapture for DefaultAllocator {}
impl<A: DeviceAllocator> CanCapture for CustomAllocator<A> {}

/// Streams that can take part in a capture that begins on another stream ([`Capture::fork`]).
#[diagnostic::on_unimplemented(
    message = "a stream in state `{Self}` cannot take part in the capture of another stream",
    label = "expected a stream whose work uses the library's own allocator",
    note = "ALLOC-10: an allocator serves one stream at a time, and a replay runs all branches of its graph: use a stream \
            without one, `current.stream()?.without_allocator()`",
    note = "see `ascendcl-explain ALLOC-10`"
)]
pub trait CanJoinCapture: CanCapture {}

impl CanJoinCapture for DefaultAllocator {}

impl<C: Brand, S: StreamState> Stream<C, S> {
    /// Captures the work that `program` gives to its [`Capture`], instead of running it (`aclmdlRICaptureBegin`,
    /// `aclmdlRICaptureEnd`).
    ///
    /// The graph owns `operands` until [`CapturedGraph::into_operands`]. The program gets a [`Captured`] for each of
    /// them, in the same shape. `mode` says which calls the library refuses during the capture.
    ///
    /// # Errors
    ///
    /// Returns the operands unchanged. [`Error::CaptureUnsupported`] if the library cannot capture; nothing has changed
    /// then. [`Error::NotPinned`] for ordinary host memory. [`Error::InDoubt`] and [`Error::WrongContext`] as for
    /// queued work. The program's own error. [`Error::CaptureBroken`] when the program ignored an error of the library.
    /// [`Error::Vendor`]. No captured task has run.
    ///
    /// If the library also refuses to destroy what a failed capture has left, the operands can be used as before, but not
    /// ended: [`free`](crate::DeviceBuffer::free) and similar methods first try again to destroy the rest of the capture,
    /// and return the library's error until that succeeds.
    ///
    /// # Panics
    ///
    /// A panic of the program continues after the capture has ended.
    #[rule(GRAPH_01, GRAPH_02, GRAPH_03, GRAPH_04, GRAPH_05, STREAM_18)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn capture<G: GraphOperands<C>>( // GRAPH-02, GRAPH-04: a helper takes `current: &mut Current<C>`, too
        &mut self,
        current: &mut Current<C>,
        mode: CaptureMode,
        operands: G,
        program: impl for<'g> FnOnce(&mut Capture<'g, C>, G::Captured<'g, Main<'g>>) -> Result<(), Error>,
    ) -> Result<CapturedGraph<C, G>, Failed<G>>
    where
        S: CanCapture,
    {
        let ledger = current.ledger();
        let begun = operands.check_capturable(current, INSIDE).and_then(|()| ledger.begin_capture(self.queue(), mode));
        let raw = match begun {
            Ok(raw) => raw,
            Err(error) => return Err(Failed { error, value: operands }),
        };
        let recording = Recording::new(ledger, &raw, self.queue());
        let result = {
            let mut objects = Objects::new(&raw);
            let captured = operands.names_of_operands(&mut objects, INSIDE);
            recording.add_objects(objects);
            let mut main = Capture::new(&recording, Arc::clone(self.queue()), 0);
            catch(|| program(&mut main, captured))
        };
        // The library's capture ends first, even if the program failed or panicked.
        let ended = ledger.end_capture(&raw);
        let (topology, panicked, broken) = recording.into_parts();
        let result = match result {
            Ok(result) => result.and(broken).and(ended),
            Err(panic) => {
                drop_each_quietly(ledger.give_up_graph(&raw));
                panic.resume()
            }
        };
        match result {
            Ok(()) => Ok(CapturedGraph::new(operands, raw, topology, panicked)),
            Err(error) => {
                let error = after_dropping(ledger.give_up_graph(&raw), error);
                Err(Failed { error, value: operands })
            }
        }
    }
}

impl<'g, C: Brand, K> Capture<'g, C, K> {
    /// An error in the body of a condition.
    fn check_no_body(&self) -> Result<(), Error> {
        if self.body.is_some() { Err(Error::InABody) } else { Ok(()) }
    }

    fn new(recording: &'g Recording<'g>, queue: Arc<RawStream>, branch: usize) -> Self {
        Self { recording, queue, branch, body: None, _brands: PhantomData, _here: CaptureOfOneThread::NEW }
    }
}

impl<C: Brand, K> fmt::Debug for Capture<'_, C, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capture").field("branch", &self.branch).finish_non_exhaustive()
    }
}
