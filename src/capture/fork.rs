//! Branches of a capture on several streams.

use super::{BuildBranch, CanJoinCapture, Capture, CaptureBranch, Captured, Side};
use crate::brand::Brand;
use crate::error::{Error, Failed};
use crate::panics::catch;
use crate::stream::Stream;
use ascendcl_macros::rule;
use std::sync::Arc;

impl<'g, C: Brand, K> Capture<'g, C, K> {
    /// Adds a second stream to the capture. `program` gets both branches. Work on the second branch comes after the
    /// work that was captured on this branch before. When `program` returns, later work of this branch comes after the
    /// second branch, so every second stream rejoins the first (GRAPH-06).
    ///
    /// Memory moves from one branch to another by [`adopt_after`](Self::adopt_after). It comes back in the same way, as
    /// the result of the program. An operand that stays on the second branch cannot be used after the fork. The stream
    /// stays in the capture until the capture ends; it can take part in further forks.
    ///
    /// # Errors
    ///
    /// The program's error, or [`Error::Vendor`]. [`Error::Capturing`] when the stream is part of another capture,
    /// [`Error::WrongContext`] for a stream of another context, and [`Error::InABody`] in a body of a
    /// [condition](Self::run_if): these do not break the capture.
    ///
    /// # Panics
    ///
    /// A panic of the program continues after the join.
    #[rule(GRAPH_06)]
    pub fn fork<R, S: CanJoinCapture>(
        &mut self,
        side: &mut Stream<C, S>,
        program: impl for<'s> FnOnce(&mut Self, &mut Capture<'g, C, Side<'s, K>>) -> Result<R, Error>,
    ) -> Result<R, Error>
    where
        K: CaptureBranch,
    {
        self.check_no_body()?;
        let (recording, queue) = (self.recording, Arc::clone(side.queue()));
        recording.graph().join_capture(recording.api(), &queue)?;
        let number = recording.branch_on(&queue);
        recording.order_after((number, &queue), (self.branch, &self.queue), true)?;
        let mut branch = Capture::new(recording, queue, number);
        let result = catch(|| program(self, &mut branch));
        let joined = recording.order_after((self.branch, &self.queue), (branch.branch, &branch.queue), false);
        let result = result.unwrap_or_else(|panic| panic.resume())?;
        joined.map(|()| result)
    }

    /// Adds a second branch to a build, on a stream of the graph's own (`aclmdlRIBindStream`). `program` gets both
    /// branches. Work on the second branch comes after the work that this branch had before. When `program` returns,
    /// later work of this branch comes after the second branch. Memory moves between branches as in a
    /// [`fork`](Self::fork).
    ///
    /// ```
    /// use ascendcl::{Error, Library, RunError};
    ///
    /// ascendcl::run(Library::Simulator, |current| {
    ///     let stream = current.stream()?.without_allocator();
    ///     let (first, second) = (current.upload(&[0_u8; 4])?, current.upload(&[0_u8; 4])?);
    ///     let mut build = current.build_graph((first, second))?;
    ///     build.add(current, |tasks, (mut first, second)| {
    ///         tasks.branch(|tasks, side| {
    ///             let mut second = side.adopt_after(tasks, second)?;
    ///             side.set_bytes(&mut second, 2)?;
    ///             tasks.set_bytes(&mut first, 1)
    ///         })
    ///     })?;
    ///     let graph = build.end(current)?;
    ///     let mut graph = stream.replay(current, graph)?.wait(current)?;
    ///     let (first, second) = graph.operands(current)?;
    ///     assert_eq!((first.to_vec(current)?, second.to_vec(current)?), (vec![1; 4], vec![2; 4]));
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), RunError<Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The program's error. [`Error::InABody`] in a case of a [switch](Self::switch): it does not break the build.
    /// [`Error::MissingFunction`] on releases that lack a function, or [`Error::Vendor`].
    ///
    /// # Panics
    ///
    /// A panic of the program continues after the join.
    #[rule(GRAPH_06, GRAPH_08)]
    pub fn branch<R>(
        &mut self,
        program: impl for<'s> FnOnce(&mut Self, &mut Capture<'g, C, Side<'s, K>>) -> Result<R, Error>,
    ) -> Result<R, Error>
    where
        K: BuildBranch,
    {
        let (recording, graph) = (self.recording, self.recording.graph());
        recording.check_in_no_case(self.branch)?;
        let queue = graph.stream_for_a_branch(recording.api()).inspect_err(|error| recording.mark_broken(error))?;
        let number = recording.branch_on(&queue);
        recording.order_after((number, &queue), (self.branch, &self.queue), true)?;
        let mut branch = Capture::new(recording, Arc::clone(&queue), number);
        let result = catch(|| program(self, &mut branch));
        let joined = recording.order_after((self.branch, &self.queue), (number, &queue), false);
        graph.release_branch_stream(&queue);
        let result = result.unwrap_or_else(|panic| panic.resume())?;
        joined.map(|()| result)
    }

    /// Makes an operand of another branch usable on this branch. If necessary, this branch first waits for the other
    /// branch.
    ///
    /// # Errors
    ///
    /// Returns the operand unchanged, with [`Error::OtherCapture`] for a branch of another capture or outside of the same
    /// body of a [condition](Self::run_if), [`Error::InABody`] in a case of a [switch](Self::switch), or
    /// [`Error::Vendor`].
    #[rule(GRAPH_06)]
    pub fn adopt_after<T, L>(
        &mut self,
        from: &mut Capture<'g, C, L>,
        object: Captured<'g, T, L>,
    ) -> Result<Captured<'g, T, K>, Failed<Captured<'g, T, L>>> {
        let behind = match core::ptr::eq(self.recording, from.recording) && self.body == from.body {
            true => {
                self.recording.check_in_no_case(self.branch).and(self.recording.check_in_no_case(from.branch)).and_then(
                    |()| self.recording.order_after((self.branch, &self.queue), (from.branch, &from.queue), false),
                )
            }
            false => Err(Error::OtherCapture),
        };
        match behind {
            Ok(()) => {
                self.recording.goes_to(object.object, self.branch);
                Ok(Captured::new(object.object))
            }
            Err(error) => Err(Failed { error, value: object }),
        }
    }
}
