//! Tasks of a built graph that run only if a number in device memory says so.

use super::captured::{BuildBranch, Captured};
use super::parts::Parts;
use super::{Capture, TaskKind};
use crate::brand::Brand;
use crate::element::Element;
use crate::error::Error;
use crate::memory::DeviceBuffer;
use crate::panics::catch;
use ascendcl_macros::rule;
use std::sync::Arc;

/// Numbers that a [`switch`](Capture::switch) or a condition ([`run_if`](Capture::run_if), [`run_while`](Capture::run_while))
/// reads: `u32`, and `i32`, in which operators write indices.
#[diagnostic::on_unimplemented(
    message = "a switch or a condition reads no `{Self}`",
    label = "expected device memory of `u32` or `i32`",
    note = "STREAM-20: the number of a case has 32 bits: `current.upload(&[0_u32])?`",
    note = "see `ascendcl-explain STREAM-20`"
)]
pub trait SwitchIndex: Element {}

impl SwitchIndex for u32 {}
impl SwitchIndex for i32 {}

impl<'g, C: Brand, K> Capture<'g, C, K> {
    /// Adds a switch: each replay runs one of several cases (`aclrtSwitchLabelByIndex`, `aclrtSetLabel`). `case` is
    /// called once for each case, with its number, and adds the tasks of this case. What is added after the switch
    /// comes after every case.
    ///
    /// A replay reads the first number of `index` when it reaches the switch. So an earlier task, or the program between
    /// two replays, chooses the case. A negative number, and a number larger than that of the last case, choose the last
    /// case.
    ///
    /// The outputs of a model or operator can be copied after the switch if each case executes it.
    ///
    /// ```
    /// use ascendcl::{Error, Library, RunError};
    ///
    /// ascendcl::run(Library::Simulator, |current| {
    ///     let stream = current.stream()?.without_allocator();
    ///     let (index, bytes) = (current.upload(&[0_u32])?, current.upload(&[0_u8; 4])?);
    ///     let mut build = current.build_graph((index, bytes))?;
    ///     build.add(current, |tasks, (index, mut bytes)| {
    ///         tasks.switch(&index, 3, |tasks, case| match case {
    ///             0 => Ok(()),
    ///             one_or_two => tasks.set_bytes(&mut bytes, 10 * one_or_two as u8),
    ///         })
    ///     })?;
    ///     let mut graph = build.end(current)?;
    ///     for (number, expected) in [(0, 0), (1, 10), (2, 20), (7, 20)] {
    ///         graph.operands(current)?.0.copy_from(current, &[number])?;
    ///         graph = stream.replay(current, graph)?.wait(current)?;
    ///         assert_eq!(graph.operands(current)?.1.to_vec(current)?, [expected; 4]);
    ///     }
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), RunError<Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The error of `case`. [`Error::TooShort`] for memory without elements. [`Error::MissingFunction`] on releases that
    /// lack a function. [`Error::Vendor`]: a process has at most 65535 labels, and a switch needs one for each case and
    /// one more. After an error or a panic the build is not complete, and does not end ([`Error::CaptureBroken`]).
    #[rule(GRAPH_05, GRAPH_08, STREAM_20)]
    pub fn switch<E: SwitchIndex>(
        &mut self,
        index: &Captured<'g, DeviceBuffer<C, E>, K>,
        cases: usize,
        mut case: impl FnMut(&mut Self, usize) -> Result<(), Error>,
    ) -> Result<(), Error>
    where
        K: BuildBranch,
    {
        if cases == 0 {
            return Ok(());
        }
        let (recording, queue, branch) = (self.recording, Arc::clone(&self.queue), self.branch);
        let (api, labels) = (recording.api(), recording.graph().labels());
        let begun = recording.memory(index.object).and_then(|block| labels.begin(api, &queue, block, cases));
        let (switch, given) = match begun {
            Ok(switch) => (Some(switch), Ok(())),
            Err(error) => (None, Err(error)),
        };
        recording.note(branch, TaskKind::Switch, &[index.object], &[], given)?;
        let switch = switch.ok_or(Error::OtherCapture)?;
        let first: Vec<_> = recording.last(branch).into_iter().collect();
        let (mut parts, mut ends) = (Parts::of(recording, branch), Vec::new());
        for number in 0..cases {
            let begun = switch.begin_case(api, &queue, number);
            recording.note_after(branch, TaskKind::Case, first.clone(), begun)?;
            recording.note_case(branch, true);
            parts.begin(branch);
            let added = catch(|| case(self, number));
            parts.end();
            recording.note_case(branch, false);
            let added = added.unwrap_or_else(|panic| {
                recording.mark_broken_because("a case of a switch panicked");
                panic.resume()
            });
            added.inspect_err(|error| recording.mark_broken(error))?;
            ends.extend(recording.last(branch));
            if number + 1 < cases {
                switch.end_case(api, &queue).inspect_err(|error| recording.mark_broken(error))?;
            }
        }
        parts.finish(true);
        let ended = switch.end(api, &queue);
        recording.note_after(branch, TaskKind::End, ends, ended).map(drop)
    }
}
