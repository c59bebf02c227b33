//! Built graphs with a switch.

use crate::actor::Actor;
use crate::graphs::Io;
use crate::holdings::Content;
use crate::world::SEEN;
use ascendcl::capture::CapturedGraph;
use ascendcl::{Current, DeviceBuffer, Error, Scoped};
use std::mem;
use std::sync::atomic::Ordering::Relaxed;

/// Of a graph: the buffers, and the number of its case.
type Switched<'c> = CapturedGraph<Scoped<'c>, (Io<'c>, DeviceBuffer<Scoped<'c>, u32>)>;

impl<'c> Actor<'_, 'c> {
    /// Builds a graph whose replays copy, set or do nothing, as a number says; replays it, and takes it apart or loses it.
    pub(crate) fn switch(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let number = u32::from(a % 4);
        let Some((graph, [of_input, mut of_device, of_output])) = self.build_switch(current, number, (a, b)) else {
            return;
        };
        let replayed = self.has.on_stream(current, None, b, |tasks, _| match tasks.replay(current, graph) {
            Ok(replay) => Ok(replay),
            Err(failed) => Err(failed.error),
        });
        let Some(replay) = self.world.well("replaying a switch", replayed) else { return };
        SEEN.replays.fetch_add(1, Relaxed);
        match a % 7 {
            0 => return drop(replay),
            1 => return mem::forget(replay),
            _ => {}
        }
        let Some(graph) = self.world.well("waiting for a switch", replay.wait(current).map_err(Error::from)) else {
            return;
        };
        match graph.into_operands(current) {
            Ok((operands, _)) => {
                match number {
                    0 => of_device = of_input.clone(),
                    1 => of_device = of_device.map(|before| vec![0.0; before.len()]),
                    _ => {}
                }
                self.take_back(operands, [of_input, of_device, of_output]);
            }
            Err(failed) => self.world.failed("taking a graph with a switch apart", &failed.error),
        }
    }

    /// A graph that copies, sets or does nothing, as this number says, and what its operands hold.
    fn build_switch(
        &mut self,
        current: &Current<Scoped<'c>>,
        number: u32,
        (a, b): (u16, u16),
    ) -> Option<(Switched<'c>, [Content; 3])> {
        let index = self.world.well("uploading the number of a case", current.upload(&[number]))?;
        let (operands, holds) = self.operands(current, a, b)?;
        let mut build = match current.build_graph((operands, index)) {
            Ok(build) => build,
            Err(failed) => {
                if !matches!(failed.error, Error::NotPinned) {
                    self.world.failed("beginning a build with a switch", &failed.error);
                }
                self.take_back(failed.value.0, holds);
                return None;
            }
        };
        // One case fails once in a while, and the program goes on as if nothing had been.
        let fails = b.is_multiple_of(3);
        let added = build.add(current, |tasks, ((input, mut device, _), index)| {
            let switched = tasks.switch(&index, 3, |tasks, case| match case {
                0 => tasks.copy_to_device(&input, &mut device),
                1 => tasks.set_bytes(&mut device, 0),
                _ if fails => Err(Error::NotExecuted),
                _ => Ok(()),
            });
            match switched {
                Err(Error::NotExecuted) if fails => Ok(()),
                switched => switched,
            }
        });
        if let Err(error) = &added {
            self.world.failed("adding a switch", error);
        }
        match build.end(current) {
            Ok(graph) => {
                assert!(added.is_ok() && !fails, "half a switch became a graph");
                Some((graph, holds))
            }
            Err(failed) => {
                if added.is_ok() && !fails {
                    self.world.failed("ending a build with a switch", &failed.error);
                }
                match failed.value.into_operands(current) {
                    Ok((operands, _)) => self.take_back(operands, holds),
                    Err(failed) => self.world.failed("taking a build with a switch apart", &failed.error),
                }
                None
            }
        }
    }
}
