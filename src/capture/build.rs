//! Graphs that a program builds task by task.

use super::objects::Objects;
use super::operands::GraphOperands;
use super::recording::{Inner, Recording};
use super::{BuildMain, Capture, CapturedGraph};
use crate::brand::{Brand, INSIDE, Mark, Scoped};
use crate::current::Current;
use crate::error::{Error, Failed};
use crate::ffi::{FirstPanic, RawGraph};
use crate::panics::after_dropping;
use ascendcl_macros::rule;
use core::fmt;
use core::mem;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// A graph that is being built: it takes tasks, and cannot be replayed.
///
/// Its tasks run in the order in which they were added, on a stream that only the graph has. [`end`](Self::end) turns it
/// into a [`CapturedGraph`], which takes no more tasks. The calls of a build are not tied to one thread. The program can
/// do anything between them, because none of its own streams is captured.
///
/// A build that is dropped is destroyed by [`Current::collect`] or the end of its scope.
///
/// ```
/// use ascendcl::{Error, Library, RunError};
///
/// ascendcl::run(Library::Simulator, |current| {
///     let stream = current.stream()?.without_allocator();
///     let operands = (current.host_buffer::<f32>(4)?, current.upload(&[0.0_f32; 4])?, current.host_buffer::<f32>(4)?);
///     let mut build = current.build_graph(operands)?;
///     build.add(current, |tasks, (input, mut device, _)| tasks.copy_to_device(&input, &mut device))?;
///     build.add(current, |tasks, (_, device, mut output)| tasks.copy_to_host(&device, &mut output))?;
///     let mut graph = build.end(current)?;
///     for number in [1.0, 2.0] {
///         graph.operands(current)?.0.fill(number);
///         graph = stream.replay(current, graph)?.wait(current)?;
///         assert_eq!(*graph.operands(current)?.2, [number; 4]);
///     }
///     Ok::<_, Error>(())
/// })?;
/// # Ok::<(), RunError<Error>>(())
/// ```
#[must_use = "a build that is dropped is destroyed by `collect` or at the end of its scope"]
#[rule(GRAPH_08)]
#[diagnostic::on_move(
    message = "this build has ended: it takes no tasks any more",
    note = "GRAPH-08: all tasks come before the end: `build.add(current, |tasks, names| ...)?`, then `build.end(current)?`"
)]
pub struct GraphBuild<C: Brand, G> {
    operands: G,
    raw: Arc<RawGraph>,
    inner: Box<Inner>,
    panicked: FirstPanic,
    _brand: Mark<C>,
}

assert_impl_all!(GraphBuild<Scoped<'static>, ()>: Send);
assert_not_impl_any!(GraphBuild<Scoped<'static>, ()>: Clone);

impl<C: Brand> Current<C> {
    /// Begins to build a graph task by task (`aclmdlRIBuildBegin`, `aclmdlRIBindStream`), on a persistent stream of the
    /// graph's own (`aclrtCreateStreamWithConfig`). `operands` are the graph's until
    /// [`CapturedGraph::into_operands`] or [`GraphBuild::into_operands`].
    ///
    /// # Errors
    ///
    /// Returns the operands unchanged, with [`Error::MissingFunction`] on releases that lack a function,
    /// [`Error::NotPinned`] for ordinary host memory, [`Error::InDoubt`] and [`Error::WrongContext`] as for queued work,
    /// or [`Error::Vendor`].
    #[rule(GRAPH_05, GRAPH_08)]
    pub fn build_graph<G: GraphOperands<C>>(&self, operands: G) -> Result<GraphBuild<C, G>, Failed<G>> {
        let begun = operands.check_capturable(self, INSIDE).and_then(|()| {
            let raw = self.ledger().begin_build()?;
            let mut inner = Box::new(Inner::new(&*raw.stream_of_the_build()?));
            let mut objects = Objects::new(&raw);
            let _ = operands.names_of_operands::<BuildMain<'_>>(&mut objects, INSIDE);
            inner.add_objects(objects);
            Ok((raw, inner))
        });
        match begun {
            Ok((raw, inner)) => {
                Ok(GraphBuild { operands, raw, inner, panicked: FirstPanic::default(), _brand: Mark::NEW })
            }
            Err(error) => Err(Failed { error, value: operands }),
        }
    }
}

impl<C: Brand, G: GraphOperands<C>> GraphBuild<C, G> {
    /// Adds the tasks that `program` gives to its [`Capture`], after the tasks that the build has. None of them runs now.
    /// The program gets a [`Captured`](super::Captured) for each operand, in the same shape. It may use `current`, and
    /// every stream.
    ///
    /// # Errors
    ///
    /// The program's error, or [`Error::WrongContext`] with a `Current` of another context. After an error or a panic of
    /// the program, and after a failed call of the library, the graph is not complete: the build takes no tasks, and does
    /// not end ([`Error::CaptureBroken`]).
    #[rule(GRAPH_05, GRAPH_08)]
    pub fn add(
        &mut self,
        current: &Current<C>,
        program: impl for<'g> FnOnce(
            &mut Capture<'g, C, BuildMain<'g>>,
            G::Captured<'g, BuildMain<'g>>,
        ) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let ledger = current.ledger();
        ledger.api().check_process()?;
        let stream = self.raw.stream_of_the_build()?;
        self.inner.check_not_broken()?;
        // If the program panics, this value stays.
        let inner = mem::replace(&mut *self.inner, Inner::broken("the program that added tasks panicked"));
        let recording = Recording::continuing(ledger, &self.raw, inner, Arc::clone(&self.panicked));
        let names = self.operands.names_of_operands(&mut Objects::of_a_graph(), INSIDE);
        let result = program(&mut Capture::new(&recording, stream, 0), names);
        let mut inner = recording.into_inner();
        // The words of an error can be code of the program, which may panic.
        result.as_ref().err().into_iter().for_each(|error| inner.mark_broken(error));
        *self.inner = inner;
        result
    }

    /// Ends the build (`aclmdlRIEndTask`, `aclmdlRIBuildEnd`): a graph that can be replayed.
    ///
    /// # Errors
    ///
    /// Returns the build, which can then only be taken apart ([`into_operands`](Self::into_operands)), with
    /// [`Error::CaptureBroken`] when something failed before, or [`Error::Vendor`]. Returns it unchanged with
    /// [`Error::WrongContext`].
    #[rule(GRAPH_08)]
    #[rustfmt::skip] // The compiler's messages print the line of `self`.
    pub fn end(
        mut self, // GRAPH-08: all tasks come before the end: `build.add(current, |tasks, names| ...)?`
        current: &Current<C>,
    ) -> Result<CapturedGraph<C, G>, Failed<Self>> {
        let usable = self.raw.check_current().and_then(|()| self.inner.check_not_broken());
        if let Err(error) = usable {
            return Err(Failed { error, value: self });
        }
        match current.ledger().end_build(&self.raw) {
            Ok(()) => Ok(CapturedGraph::new(self.operands, self.raw, self.inner.into_topology(), self.panicked)),
            Err(error) => {
                self.inner.mark_broken(&error);
                Err(Failed { error, value: self })
            }
        }
    }

    /// Destroys what was built (`aclmdlRIUnbindStream`, `aclmdlRIDestroy`, `aclrtDestroyStream`), and gives the operands
    /// back. None of the tasks has run. The state of callbacks is dropped.
    ///
    /// # Errors
    ///
    /// Returns the build, on which only this method can then be called, with [`Error::Vendor`]. Returns it unchanged with
    /// [`Error::WrongContext`].
    #[rule(GRAPH_08)]
    pub fn into_operands(mut self, current: &Current<C>) -> Result<G, Failed<Self>> {
        if let Err(error) = self.raw.check_current() {
            return Err(Failed { error, value: self });
        }
        let mut kept = Vec::new();
        match current.ledger().destroy_graph(&self.raw, &mut kept) {
            Ok(()) => Ok(after_dropping(kept, self.operands)),
            Err(error) => {
                // Its stream may have been taken out of the instance already.
                self.inner.mark_broken(&error);
                Err(Failed { error, value: self })
            }
        }
    }
}

impl<C: Brand, G> fmt::Debug for GraphBuild<C, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.shown_as("GraphBuild", f)
    }
}
