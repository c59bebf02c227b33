//! Captured graphs with conditions.

use crate::actor::Actor;
use crate::graphs::Io;
use crate::holdings::{AnyStream, Content, Device, Host, Numbered};
use crate::world::SEEN;
use ascendcl::capture::{Capture, CaptureMode, Captured, CapturedGraph};
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Current, DeviceBuffer, Error, Scoped, Stream};
use std::mem;
use std::sync::atomic::Ordering::Relaxed;

/// Of a condition.
type Number<'c> = DeviceBuffer<Scoped<'c>, u32>;
type Conditional<'c> = CapturedGraph<Scoped<'c>, (Io<'c>, Number<'c>)>;
type Plain<'c> = Stream<Scoped<'c>, DefaultAllocator>;
type Names<'g, 'c> = ((Captured<'g, Host<'c>>, Captured<'g, Device<'c>>), Captured<'g, Number<'c>>);

/// What the bodies do to the device buffer if the number is not zero, and if it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bodies {
    /// Copies the input, or nothing.
    If,
    /// Copies the input, or sets zeros.
    IfElse,
    /// Sets zeros until the number is zero, or nothing.
    While,
    /// As `If`, and the copy is in a body within the body.
    Nested,
    /// The library has no conditions.
    None,
}

impl Bodies {
    fn leave(self, number: u32, input: &Content, device: Content) -> Content {
        let zeros = device.as_ref().map(|before| vec![0.0; before.len()]);
        match (self, number != 0) {
            (Self::If | Self::IfElse | Self::Nested, true) => input.clone(),
            (Self::IfElse, false) | (Self::While, true) => zeros,
            (Self::If | Self::While | Self::Nested, false) | (Self::None, _) => device,
        }
    }
}

/// Gives the bodies to a capture. One fails once in a while.
fn give<'g, 'c>(
    capture: &mut Capture<'g, Scoped<'c>>,
    ((input, device), number): &mut Names<'g, 'c>,
    (side, inner): (&mut Plain<'c>, &mut Plain<'c>),
    bodies: Bodies,
    fails: bool,
) -> Result<(), Error> {
    let end = |result: Result<(), Error>| result.and(if fails { Err(Error::NotExecuted) } else { Ok(()) });
    match bodies {
        Bodies::If => capture.run_if(side, number, |body| end(body.copy_to_device(input, device))),
        Bodies::IfElse => capture.run_if_else(side, number, |body, is_true| match is_true {
            true => body.copy_to_device(input, device),
            false => end(body.set_bytes(device, 0)),
        }),
        Bodies::While => capture.run_while(side, number, |body, number| {
            body.set_bytes(device, 0)?;
            end(body.set_bytes(number, 0))
        }),
        Bodies::Nested => capture
            .run_if(side, number, |body| body.run_if(inner, number, |body| end(body.copy_to_device(input, device)))),
        Bodies::None => Ok(()),
    }
}

impl<'c> Actor<'_, 'c> {
    /// Captures a graph whose replays do what a number says, replays it, and takes it apart or loses it.
    pub(crate) fn condition(&mut self, current: &mut Current<Scoped<'c>>, a: u16, b: u16) {
        let mut streams: Vec<_> = [a, b, a ^ b].into_iter().filter_map(|one| self.a_stream(current, one)).collect();
        if let [(_, main), (_, side), (_, inner)] = &mut streams[..]
            && let Some((graph, holds, bodies)) = self.capture_bodies(current, main, (side, inner), (a, b))
        {
            self.replay_bodies(current, main, (graph, holds, bodies), (a, b));
        }
        for (number, stream) in streams {
            self.has.streams.push(Numbered { number, stream: AnyStream::DefaultAllocator(stream) });
        }
    }

    /// A stream that is there, or a new one.
    fn a_stream(&mut self, current: &Current<Scoped<'c>>, number: u16) -> Option<(u64, Plain<'c>)> {
        self.take_stream(number).or_else(|| {
            self.stream(current);
            self.take_stream(number)
        })
    }

    fn capture_bodies(
        &mut self,
        current: &mut Current<Scoped<'c>>,
        main: &mut Plain<'c>,
        (side, inner): (&mut Plain<'c>, &mut Plain<'c>),
        (a, b): (u16, u16),
    ) -> Option<(Conditional<'c>, [Content; 3], Bodies)> {
        let number = self.world.well("uploading the number of a condition", current.upload(&[0_u32; 16]))?;
        let (operands, holds) = self.operands(current, a, b)?;
        let mut bodies = [Bodies::If, Bodies::IfElse, Bodies::While, Bodies::Nested][usize::from(a % 4)];
        let (fails, goes_on) = (b.is_multiple_of(5), b.is_multiple_of(2));
        let mode = if b.is_multiple_of(3) { CaptureMode::Global } else { CaptureMode::Relaxed };
        let mut refused = None;
        let captured = main.capture(current, mode, (operands, number), |capture, ((input, device, _), number)| {
            let mut names = ((input, device), number);
            match give(capture, &mut names, (side, inner), bodies, fails) {
                Err(Error::ConditionsUnsupported(_)) => bodies = Bodies::None,
                Err(error) if goes_on => refused = Some(error),
                result => return result,
            }
            Ok(())
        });
        // A body within a body is not given where the library has none.
        let fails = fails && bodies != Bodies::None;
        match captured {
            Ok(graph) => {
                let failed = fails && matches!(refused, None | Some(Error::NotExecuted));
                assert!(!failed, "a capture whose body failed became a graph");
                if let Some(error) = &refused {
                    // The second stream was not free. Nothing was added.
                    self.world.failed("adding a condition", error);
                    bodies = Bodies::None;
                }
                let unsupported = bodies == Bodies::None;
                assert!(
                    !unsupported || !self.world.documented || refused.is_some() || self.world.is_faulty(),
                    "no conditions"
                );
                Some((graph, holds, bodies))
            }
            Err(failed) => {
                match (refused.as_ref().unwrap_or(&failed.error), &failed.error) {
                    (Error::NotExecuted, _) if fails => drop(SEEN.refused.fetch_add(1, Relaxed)),
                    (_, Error::NotPinned) => drop(SEEN.refused.fetch_add(1, Relaxed)),
                    (error, _) => self.world.failed("capturing a condition", error),
                }
                self.take_back(failed.value.0, holds);
                None
            }
        }
    }

    fn replay_bodies(
        &mut self,
        current: &Current<Scoped<'c>>,
        main: &Plain<'c>,
        (mut graph, [of_input, mut of_device, of_output], bodies): (Conditional<'c>, [Content; 3], Bodies),
        (a, b): (u16, u16),
    ) {
        for number in [u32::from(b % 2), u32::from(a % 3)] {
            let written = graph.operands(current).and_then(|(_, mut own)| own.copy_from(current, &[number; 16]));
            if self.world.well("writing the number of a condition", written).is_none() {
                return;
            }
            let replay = match main.replay(current, graph) {
                Ok(replay) => replay,
                Err(failed) => return self.world.failed("replaying a condition", &failed.error),
            };
            SEEN.replays.fetch_add(1, Relaxed);
            match a % 11 {
                0 => return drop(replay),
                1 => return mem::forget(replay),
                _ => {}
            }
            let waited = replay.wait(current).map_err(Error::from);
            let Some(own) = self.world.well("waiting for a condition", waited) else { return };
            graph = own;
            of_device = bodies.leave(number, &of_input, of_device);
            SEEN.conditions.fetch_add(u64::from(bodies != Bodies::None), Relaxed);
        }
        match graph.into_operands(current) {
            Ok((operands, _)) => self.take_back(operands, [of_input, of_device, of_output]),
            Err(failed) => self.world.failed("taking a graph with a condition apart", &failed.error),
        }
    }
}
