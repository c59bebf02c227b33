//! Tasks of a capture that run only if a number in device memory says so.

use super::captured::{CaptureBranch, Captured};
use super::parts::Parts;
use super::{CanJoinCapture, Capture, SwitchIndex, TaskKind};
use crate::brand::Brand;
use crate::error::Error;
use crate::ffi::ConditionKind;
use crate::memory::DeviceBuffer;
use crate::panics::{Panics, drop_quietly};
use crate::stream::Stream;
use ascendcl_macros::rule;
use std::sync::Arc;

impl<'g, C: Brand, K> Capture<'g, C, K> {
    /// Captures tasks that a replay runs only if the first number of `condition` is not zero at that time
    /// (`aclmdlRICondHandleCreate`, `aclmdlRIAddCondTask`, `aclmdlRICaptureToModelRIBegin`). `body` adds these tasks.
    /// What is captured after this comes after them.
    ///
    /// A replay reads the number when it reaches this place. So an earlier task, or the program between two replays, can
    /// set it. The library requires that the tasks are captured on a second stream: `side`, which is free again
    /// afterwards. A body can have conditions of its own, with a stream of their own. It has no forks and no groups of
    /// tasks ([`Error::InABody`]).
    ///
    /// The vendor calls these functions a trial feature, and not every library has them.
    ///
    /// ```
    /// use ascendcl::capture::CaptureMode;
    /// use ascendcl::{Error, Library, RunError};
    ///
    /// ascendcl::run(Library::Simulator, |current| {
    ///     let (mut stream, mut side) = (current.stream()?.without_allocator(), current.stream()?.without_allocator());
    ///     let operands = (current.upload(&[0_u32])?, current.upload(&[0_u8; 4])?);
    ///     let captured = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (condition, mut bytes)| {
    ///         capture.run_if(&mut side, &condition, |body| body.set_bytes(&mut bytes, 7))
    ///     });
    ///     let mut graph = match captured {
    ///         Ok(graph) => graph,
    ///         // As a rule the simulator has no conditions, like the library that it was compared with.
    ///         Err(failed) if matches!(failed.error, Error::ConditionsUnsupported(_)) => return Ok(()),
    ///         Err(failed) => return Err(failed.error),
    ///     };
    ///     for (number, expected) in [(0, 0), (3, 7)] {
    ///         graph.operands(current)?.0.copy_from(current, &[number])?;
    ///         graph = stream.replay(current, graph)?.wait(current)?;
    ///         assert_eq!(graph.operands(current)?.1.to_vec(current)?, [expected; 4]);
    ///     }
    ///     Ok(())
    /// })?;
    /// # Ok::<(), RunError<Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ConditionsUnsupported`] if the library has no conditions, [`Error::Capturing`] when `side` takes part in a
    /// capture already, [`Error::WrongContext`] for a stream of another context, and [`Error::TooShort`] for memory
    /// without elements: these do not break the capture. These do: the error of `body`; [`Error::Misaligned`] for memory
    /// that does not begin at a multiple of 64 bytes; and [`Error::Vendor`].
    ///
    /// # Panics
    ///
    /// A panic of `body` continues after the capture of the body has ended.
    #[rule(GRAPH_01, GRAPH_05, GRAPH_10)]
    pub fn run_if<E: SwitchIndex, S: CanJoinCapture>(
        &mut self,
        side: &mut Stream<C, S>,
        condition: &Captured<'g, DeviceBuffer<C, E>, K>,
        body: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error>
    where
        K: CaptureBranch,
    {
        let mut body = Some(body);
        let program = |tasks: &mut Self, _| body.take().map_or(Ok(()), |body| body(tasks));
        self.conditional::<_, 1>((TaskKind::If, ConditionKind::If), side, condition.object, program)
    }

    /// Captures two lists of tasks, of which each replay runs one. `body` is called twice: with `true` it adds what runs
    /// if the first number of `condition` is not zero, and with `false` what runs otherwise. The rest is as for
    /// [`run_if`](Self::run_if).
    ///
    /// The outputs of a model or operator can be copied afterwards if both lists execute it.
    ///
    /// # Errors
    ///
    /// As for [`run_if`](Self::run_if).
    #[rule(GRAPH_01, GRAPH_05, GRAPH_10)]
    pub fn run_if_else<E: SwitchIndex, S: CanJoinCapture>(
        &mut self,
        side: &mut Stream<C, S>,
        condition: &Captured<'g, DeviceBuffer<C, E>, K>,
        mut body: impl FnMut(&mut Self, bool) -> Result<(), Error>,
    ) -> Result<(), Error>
    where
        K: CaptureBranch,
    {
        let program = |tasks: &mut Self, place| body(tasks, place == 0);
        self.conditional::<_, 2>((TaskKind::If, ConditionKind::If), side, condition.object, program)
    }

    /// Captures tasks that a replay repeats as long as the first number of `condition` is not zero. The number is read
    /// before each round. `body` gets the condition too, so that one of its tasks can set the number and end the loop. The
    /// rest is as for [`run_if`](Self::run_if).
    ///
    /// A loop that does not end keeps its stream from completing and the context from ending, like a callback that does
    /// not return.
    ///
    /// ```
    /// use ascendcl::capture::CaptureMode;
    /// use ascendcl::{Error, Library, RunError};
    ///
    /// ascendcl::run(Library::Simulator, |current| {
    ///     let (mut stream, mut side) = (current.stream()?.without_allocator(), current.stream()?.without_allocator());
    ///     let operands = (current.upload(&[1_u32])?, current.upload(&[0_u8; 4])?);
    ///     let captured = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (mut left, mut bytes)| {
    ///         capture.run_while(&mut side, &mut left, |body, left| {
    ///             body.set_bytes(&mut bytes, 7)?;
    ///             body.set_bytes(left, 0)
    ///         })
    ///     });
    ///     let graph = match captured {
    ///         Ok(graph) => graph,
    ///         Err(failed) if matches!(failed.error, Error::ConditionsUnsupported(_)) => return Ok(()),
    ///         Err(failed) => return Err(failed.error),
    ///     };
    ///     let mut graph = stream.replay(current, graph)?.wait(current)?;
    ///     assert_eq!(graph.operands(current)?.1.to_vec(current)?, [7; 4]);
    ///     Ok(())
    /// })?;
    /// # Ok::<(), RunError<Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`run_if`](Self::run_if).
    #[rule(GRAPH_01, GRAPH_05, GRAPH_10)]
    pub fn run_while<E: SwitchIndex, S: CanJoinCapture>(
        &mut self,
        side: &mut Stream<C, S>,
        condition: &mut Captured<'g, DeviceBuffer<C, E>, K>,
        body: impl FnOnce(&mut Self, &mut Captured<'g, DeviceBuffer<C, E>, K>) -> Result<(), Error>,
    ) -> Result<(), Error>
    where
        K: CaptureBranch,
    {
        let (object, mut body) = (condition.object, Some(body));
        let program = |tasks: &mut Self, _| body.take().map_or(Ok(()), |body| body(tasks, condition));
        self.conditional::<_, 1>((TaskKind::While, ConditionKind::While), side, object, program)
    }

    fn conditional<S: CanJoinCapture, const N: usize>(
        &mut self,
        (task, kind): (TaskKind, ConditionKind),
        side: &mut Stream<C, S>,
        condition: usize,
        mut program: impl FnMut(&mut Self, usize) -> Result<(), Error>,
    ) -> Result<(), Error>
    where
        K: CaptureBranch,
    {
        let (recording, queue) = (self.recording, Arc::clone(side.queue()));
        let (api, graph) = (recording.api(), recording.graph());
        let number = recording.memory(condition)?;
        graph.reserve_body_stream(api, &queue)?;
        let mut panics = Panics::default();
        let begun = graph.begin_condition(api, &self.queue, &number);
        let called = |error: &&Error| matches!(error, Error::Vendor(_) | Error::NullAnswer { .. });
        begun.as_ref().err().filter(called).into_iter().for_each(|error| recording.mark_broken(error));
        let captured = begun.and_then(|raw| {
            let read = raw.follow(api, &self.queue, &number);
            let added = read.and_then(|()| graph.add_condition::<N>(api, &self.queue, &queue, &raw, kind));
            let (ids, given) = match added {
                Ok(ids) => (ids.to_vec(), Ok(())),
                Err(error) => (Vec::new(), Err(error)),
            };
            recording.note(self.branch, task, &[condition], &[], given)?;
            let first: Vec<_> = recording.last(self.branch).into_iter().collect();
            let (mut parts, mut ends, mut result) = (Parts::of(recording, self.branch), first.clone(), Ok(()));
            // Each body is captured, also after a failure: otherwise the capture of the graph does not end.
            for (place, id) in ids.into_iter().enumerate() {
                let branch = recording.new_branch(None);
                recording.note_after(branch, TaskKind::Body, first.clone(), Ok(()))?;
                let mut body = Self { body: Some(id), ..Self::new(recording, Arc::clone(&queue), branch) };
                let goes_on = result.is_ok() && panics.is_none();
                let adds = || match kind {
                    _ if !goes_on => Ok(()),
                    ConditionKind::If => program(&mut body, place),
                    ConditionKind::While => program(&mut body, place).and_then(|()| raw.follow(api, &queue, &number)),
                };
                parts.begin(branch);
                let added = graph.begin_body(api, id).and_then(|()| panics.catch(adds).unwrap_or(Ok(())));
                result = result.and(added).and(graph.end_body(api, id));
                parts.end();
                ends.extend(recording.last(branch));
            }
            // If there is only one body, it may not run at all.
            parts.finish(N > 1);
            // The words of an error can be code of the program, which may panic.
            if let Err(error) = &result {
                panics.catch(|| recording.mark_broken(error));
            }
            if !panics.is_none() {
                recording.mark_broken_because("a body of a condition panicked");
            }
            result?;
            recording.note_after(self.branch, TaskKind::End, ends, Ok(())).map(drop)
        });
        graph.release_body_stream(&queue);
        if let Some(panic) = panics.first() {
            drop_quietly(captured);
            panic.resume();
        }
        captured
    }
}
