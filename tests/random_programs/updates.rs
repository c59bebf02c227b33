//! Graphs whose operators are replaced.

use crate::actor::Actor;
use ascendcl::capture::{CaptureMode, Tasks};
use ascendcl::operator::Operator;
use ascendcl::{Current, Error, Scoped};
use std::mem;

const BEFORE: [f32; 2] = [9.0; 2];

impl<'c> Actor<'_, 'c> {
    /// Captures an operator, replaces it, replays the graph, and loses parts of that once in a while.
    pub(crate) fn update_graph(&mut self, current: &mut Current<Scoped<'c>>, a: u16, b: u16) {
        if let Err(error) = self.replace_an_operator(current, a, b) {
            self.world.failed("updating a graph", &error);
        }
    }

    fn replace_an_operator(&mut self, current: &mut Current<Scoped<'c>>, a: u16, b: u16) -> Result<(), Error> {
        let mut stream = current.stream()?.without_allocator();
        let (old, new) = ([1.0_f32, f32::from(a % 64)], [2.0_f32, f32::from(b % 64)]);
        let relu = |current: &Current<_>, of: [f32; 2]| {
            let (x, y) = (current.upload_tensor(&[2], &of)?, current.upload_tensor(&[2], &BEFORE)?);
            Operator::new("Relu").bind(current, x, y).map_err(Error::from)
        };
        let (first, second) = (relu(current, old)?, relu(current, new)?);
        let mut group = None;
        let graph = stream.capture(current, CaptureMode::Relaxed, first, |capture, mut first| {
            group = Some(capture.task_group(Tasks::new().launch(&mut first))?);
            Ok(())
        });
        let (graph, Some(group)) = (graph?.with_operands(current, second)?, group) else { return Ok(()) };
        let replayed = a.is_multiple_of(2);
        let graph = if replayed { stream.replay(current, graph)?.wait(current)? } else { graph };
        let updated = stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
        let updated = match updated {
            Ok(updated) => updated,
            Err(refused) => {
                // Unchanged, or not replayed any more.
                if let Ok(replay) = stream.replay(current, refused.value) {
                    let mut graph = replay.wait(current)?;
                    let (first, second) = graph.operands(current)?;
                    self.world.compare(
                        "the operator of a refused update",
                        &second.tensors().1.to_vec(current)?,
                        Some(&BEFORE),
                    );
                    self.world.compare("the operator that stayed", &first.tensors().1.to_vec(current)?, Some(&old));
                }
                return Err(refused.error);
            }
        };
        match b % 5 {
            0 => mem::forget(updated),
            1 => drop(stream.replay(current, updated)?),
            _ => {
                let mut graph = stream.replay(current, updated)?.wait(current)?;
                let (first, second) = graph.operands(current)?;
                let of_first = if replayed { old } else { BEFORE };
                self.world.compare("a replaced operator", &first.tensors().1.to_vec(current)?, Some(&of_first));
                self.world.compare("the operator of an update", &second.tensors().1.to_vec(current)?, Some(&new));
                drop(graph.into_operands(current)?);
            }
        }
        Ok(())
    }
}
