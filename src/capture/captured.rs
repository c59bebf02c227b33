//! The names of a graph's operands in the tasks of its capture.

use core::fmt;
use core::marker::PhantomData;

/// The branch that a capture begins with. This type has no values.
pub struct Main<'g>(PhantomData<fn(&'g ()) -> &'g ()>);

/// The branch that a [build](crate::capture::GraphBuild) begins with. This type has no values.
pub struct BuildMain<'g>(PhantomData<fn(&'g ()) -> &'g ()>);

/// A branch beside `K`, on a stream of its own. This type has no values.
pub struct Side<'s, K>(PhantomData<fn(&'s (), K) -> (&'s (), K)>);

/// Branches of a capture, as opposed to a build.
#[diagnostic::on_unimplemented(
    message = "a graph that is built task by task has no forks on streams of the program, no conditions and no groups",
    label = "this is part of a build",
    note = "GRAPH-08: a build has streams of its own: `tasks.branch(|tasks, side| ...)`, and switches",
    note = "GRAPH-06: forks, conditions and groups of tasks are part of captures: `stream.capture(current, mode, operands, ...)`",
    note = "see `ascendcl-explain GRAPH-08`"
)]
pub trait CaptureBranch {}

/// Branches of a build, as opposed to a capture.
#[diagnostic::on_unimplemented(
    message = "a capture has no switches, and no streams of its own",
    label = "this is part of a capture",
    note = "STREAM-20: labels are set on streams that a graph is built on: `current.build_graph(operands)?`, then \
            `build.add(current, |tasks, names| ...)?`",
    note = "GRAPH-06: a capture has branches on streams of the program: `capture.fork(&mut side, |capture, side| ...)`",
    note = "see `ascendcl-explain STREAM-20`"
)]
pub trait BuildBranch {}

impl BuildBranch for BuildMain<'_> {}
impl<K: BuildBranch> BuildBranch for Side<'_, K> {}

impl CaptureBranch for Main<'_> {}
impl<K: CaptureBranch> CaptureBranch for Side<'_, K> {}

/// The name of a `T` that a graph owns, for tasks of the branch `K`. It is a number, so dropping or forgetting it has
/// no effect.
///
/// A branch can use an operand of another branch after [`Capture::adopt_after`](crate::capture::Capture::adopt_after).
#[must_use = "a name does nothing by itself: tasks borrow it"]
pub struct Captured<'g, T, K = Main<'g>> {
    pub(super) object: usize,
    _brands: PhantomData<fn(&'g (), T, K) -> (&'g (), T, K)>,
}

impl<T, K> Captured<'_, T, K> {
    pub(super) fn new(object: usize) -> Self {
        Self { object, _brands: PhantomData }
    }
}

impl<T, K> fmt::Debug for Captured<'_, T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Captured").field(&self.object).finish()
    }
}
