//! Captured and built graphs, and their replays.

use crate::actor::Actor;
use crate::buffers::{elements, length};
use crate::holdings::{AnyStream, Content, Device, Flight, Flying, Host, Numbered, Work, look, take};
use crate::world::SEEN;
use ascendcl::capture::{Capture, CaptureMode, Captured, CapturedGraph, Main};
use ascendcl::stream::{DefaultAllocator, Operand};
use ascendcl::{Current, Error, Scoped, Stream};
use std::mem;
use std::sync::atomic::Ordering::Relaxed;

/// The operands as the tasks of a capture or a build name them.
type Named<'g, 'c, K = Main<'g>> = (Captured<'g, Host<'c>, K>, Captured<'g, Device<'c>, K>, Captured<'g, Host<'c>, K>);

/// A host buffer, the device buffer that it is copied to, and the host buffer that this is copied to.
pub(crate) type Io<'c> = (Host<'c>, Device<'c>, Host<'c>);
pub(crate) type Graph<'c> = CapturedGraph<Scoped<'c>, Io<'c>>;

/// What the operands of a graph hold, and what a replay makes of them.
#[derive(Clone)]
pub(crate) struct Plan {
    tasks: Tasks,
    length: usize,
    input: Content,
    device: Content,
    output: Content,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tasks {
    /// There and back.
    Echo,
    /// The same, and back on a second stream.
    Forked,
    /// The device buffer is set to a byte, and copied.
    Set(u8),
}

impl Plan {
    fn was_replayed(&mut self) {
        let result = match self.tasks {
            Tasks::Set(byte) => Some(vec![f32::from_ne_bytes([byte; 4]); self.length]),
            Tasks::Echo | Tasks::Forked => self.input.clone(),
        };
        (self.device, self.output) = (result.clone(), result);
    }

    /// After a failure the contents are unknown.
    pub(crate) fn unknown(self) -> Self {
        Self { input: None, device: None, output: None, ..self }
    }
}

/// Gives the tasks to a capture.
fn give<'g, 'c>(
    capture: &mut Capture<'g, Scoped<'c>>,
    (input, mut device, mut output): Named<'g, 'c>,
    tasks: Tasks,
    side: Option<&mut Stream<Scoped<'c>, DefaultAllocator>>,
) -> Result<(), Error> {
    give_first(capture, (&input, &mut device), tasks)?;
    let Some(side) = side.filter(|_| tasks == Tasks::Forked) else {
        return capture.copy_to_host(&device, &mut output);
    };
    capture.fork(side, |main, side| {
        let (device, mut output) = (side.adopt_after(main, device)?, side.adopt_after(main, output)?);
        side.copy_to_host(&device, &mut output)
    })
}

/// Gives the first task.
fn give_first<'g, 'c, K>(
    capture: &mut Capture<'g, Scoped<'c>, K>,
    (input, device): (&Captured<'g, Host<'c>, K>, &mut Captured<'g, Device<'c>, K>),
    tasks: Tasks,
) -> Result<(), Error> {
    match tasks {
        Tasks::Set(byte) => capture.set_bytes(device, byte),
        Tasks::Echo | Tasks::Forked => capture.copy_to_device(input, device),
    }
}

impl<'c> Actor<'_, 'c> {
    /// A stream that can be captured, and its number.
    pub(crate) fn take_stream(&mut self, number: u16) -> Option<(u64, Stream<Scoped<'c>, DefaultAllocator>)> {
        let can = |at: &usize| matches!(self.has.streams[*at].stream, AnyStream::DefaultAllocator(_));
        let those: Vec<_> = (0..self.has.streams.len()).filter(can).collect();
        let Numbered { number, stream } = self.has.streams.swap_remove(*look(&those, number)?);
        let AnyStream::DefaultAllocator(stream) = stream else { return None };
        Some((number, stream))
    }

    /// Operands of one length: buffers that are there or new.
    pub(crate) fn operands(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) -> Option<(Io<'c>, [Content; 3])> {
        let length = length(a);
        let mut host = |seed: u16| {
            let fits = |(buffer, holds): &(Host<'c>, Content)| buffer.len() == length && holds.is_some();
            if let Some(at) = self.has.hosts.iter().position(fits).filter(|_| seed.is_multiple_of(3)) {
                return Some(self.has.hosts.swap_remove(at));
            }
            let mut buffer = self.world.well("pinning for a graph", current.host_buffer::<f32>(length))?;
            buffer.copy_from_slice(&elements(length, seed));
            Some((buffer, Some(elements(length, seed))))
        };
        let ((input, of_input), (output, of_output)) = (host(a / 2)?, host(b)?);
        let fits = |(buffer, holds): &(Device<'c>, Content)| buffer.len() == length && holds.is_some();
        let (device, of_device) = match self.has.devices.iter().position(fits) {
            Some(at) => self.has.devices.swap_remove(at),
            None => {
                let holds = elements(length, b);
                (self.world.well("uploading for a graph", current.upload(&holds))?, Some(holds))
            }
        };
        Some(((input, device, output), [of_input, of_device, of_output]))
    }

    pub(crate) fn take_back(
        &mut self,
        (input, device, output): Io<'c>,
        [of_input, of_device, of_output]: [Content; 3],
    ) {
        self.has.hosts.extend([(input, of_input), (output, of_output)]);
        self.has.devices.push((device, of_device));
    }

    pub(crate) fn capture(&mut self, current: &mut Current<Scoped<'c>>, a: u16, b: u16) {
        if !self.has.streams.iter().any(|stream| matches!(stream.stream, AnyStream::DefaultAllocator(_))) {
            self.stream(current);
        }
        let Some((number, mut stream)) = self.take_stream(a) else { return };
        let mut side = self.take_stream(b);
        if let Some((operands, holds)) = self.operands(current, a, b) {
            let tasks = match (b % 4, &side) {
                (0, _) => Tasks::Set((a % 0x7f) as u8),
                (1 | 2, Some(_)) => Tasks::Forked,
                _ => Tasks::Echo,
            };
            // The program of the capture fails once in a while.
            let fails = b.is_multiple_of(7);
            let mode = if a.is_multiple_of(2) { CaptureMode::Relaxed } else { CaptureMode::ThreadLocal };
            let length = operands.1.len();
            let captured = stream.capture(current, mode, operands, |capture, operands| {
                give(capture, operands, tasks, side.as_mut().map(|(_, side)| side))?;
                if fails { Err(Error::NotExecuted) } else { Ok(()) }
            });
            match captured {
                Ok(graph) => {
                    assert!(!fails, "a capture whose program failed became a graph");
                    let [input, device, output] = holds;
                    self.has.graphs.push((graph, Plan { tasks, length, input, device, output }));
                }
                Err(failed) => {
                    match &failed.error {
                        Error::NotExecuted if fails => {
                            SEEN.refused.fetch_add(1, Relaxed);
                        }
                        Error::NotPinned => {
                            SEEN.refused.fetch_add(1, Relaxed);
                        }
                        error => self.world.failed("capturing", error),
                    }
                    // Nothing has run: the operands hold what they held.
                    self.take_back(failed.value, holds);
                }
            }
        }
        for (number, stream) in side.into_iter().chain([(number, stream)]) {
            self.has.streams.push(Numbered { number, stream: AnyStream::DefaultAllocator(stream) });
        }
    }

    /// Builds a graph task by task. The program fails once in a while, and some builds are lost or come to nothing.
    pub(crate) fn build(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        if b.is_multiple_of(5) {
            return self.switch(current, a, b);
        }
        let Some((operands, holds)) = self.operands(current, a, b) else { return };
        let tasks = if b.is_multiple_of(4) { Tasks::Set((a % 0x7f) as u8) } else { Tasks::Echo };
        let length = operands.1.len();
        let mut build = match current.build_graph(operands) {
            Ok(build) => build,
            Err(failed) => {
                if !matches!(failed.error, Error::NotPinned) {
                    self.world.failed("beginning a build", &failed.error);
                }
                return self.take_back(failed.value, holds);
            }
        };
        let added = build.add(current, |capture, (input, mut device, _): Named<'_, 'c, _>| {
            give_first(capture, (&input, &mut device), tasks)
        });
        let fails = b.is_multiple_of(7);
        let added = added.and_then(|()| {
            build.add(current, |capture, (_, device, mut output): Named<'_, 'c, _>| {
                match b % 3 {
                    0 => capture.branch(|main, side| {
                        let (device, mut output) = (side.adopt_after(main, device)?, side.adopt_after(main, output)?);
                        side.copy_to_host(&device, &mut output)
                    })?,
                    _ => capture.copy_to_host(&device, &mut output)?,
                }
                if fails { Err(Error::NotExecuted) } else { Ok(()) }
            })
        });
        match &added {
            Err(Error::NotExecuted) if fails => drop(SEEN.refused.fetch_add(1, Relaxed)),
            Err(error) => self.world.failed("adding tasks", error),
            Ok(()) => assert!(!fails),
        }
        if a.is_multiple_of(11) {
            return drop(build);
        }
        let build = match build.end(current) {
            Ok(graph) => {
                assert!(added.is_ok(), "a build whose program failed became a graph");
                let [input, device, output] = holds;
                return self.has.graphs.push((graph, Plan { tasks, length, input, device, output }));
            }
            Err(failed) => {
                if added.is_ok() {
                    self.world.failed("ending a build", &failed.error);
                }
                failed.value
            }
        };
        match build.into_operands(current) {
            Ok(operands) => self.take_back(operands, holds),
            Err(failed) => self.world.failed("taking a build apart", &failed.error),
        }
    }

    pub(crate) fn replay(&mut self, current: &mut Current<Scoped<'c>>, a: u16, b: u16) {
        if self.has.graphs.is_empty() {
            self.capture(current, b, a);
        }
        let current = &*current;
        let in_flight = if a.is_multiple_of(3) {
            self.has.take_flight(a / 3, |work| matches!(work, Work::Graph(..)))
        } else {
            None
        };
        if let Some(Flight { stream, time, work: Work::Graph(pending, plan) }) = in_flight {
            self.queue_replay(current, pending, plan, Some(stream), b, |actor, pending: Flying<'c, _>, plan| {
                actor.has.flights.push(Flight { stream, time, work: Work::Graph(pending, plan) });
            });
        } else if let Some((graph, plan)) = take(&mut self.has.graphs, a) {
            self.queue_replay(current, graph, plan, None, b, |actor, graph, plan| {
                actor.has.graphs.push((graph, plan));
            });
        }
    }

    fn queue_replay<R: Operand<Scoped<'c>, Graph<'c>>>(
        &mut self,
        current: &Current<Scoped<'c>>,
        graph: R,
        mut plan: Plan,
        in_flight: Option<u64>,
        number: u16,
        put_back: impl FnOnce(&mut Self, R, Plan),
    ) {
        let (at, replayed) =
            self.has.on_stream(current, in_flight, number, |tasks, at| (at, tasks.replay(current, graph)));
        let right = in_flight.is_none_or(|stream| stream == at);
        match replayed {
            Ok(pending) => {
                assert!(right, "a graph in flight was replayed on another stream");
                SEEN.replays.fetch_add(1, Relaxed);
                plan.was_replayed();
                self.has.queued(self.world, at, Work::Graph(pending, plan));
            }
            Err(failed) => {
                if right {
                    self.world.failed("replaying", &failed.error);
                    plan = plan.unknown();
                } else {
                    self.world.refused("a replay on another stream", &failed.error);
                }
                put_back(self, failed.value, plan);
            }
        }
    }

    /// Looks at the operands of a graph between replays, and writes some.
    pub(crate) fn use_operands(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some((mut graph, mut plan)) = take(&mut self.has.graphs, a) else { return };
        match graph.operands(current) {
            Ok((input, mut device, output)) => {
                self.world.compare("the input of a graph", input, plan.input.as_deref());
                self.world.compare("the output of a graph", output, plan.output.as_deref());
                if let Some(found) = self.world.well("reading an operand", device.to_vec(current)) {
                    self.world.compare("the device buffer of a graph", &found, plan.device.as_deref());
                }
                let new = elements(plan.length, b);
                if b.is_multiple_of(3) {
                    let written = self.world.well("writing an operand", device.copy_from(current, &new));
                    plan.device = written.map(|()| new);
                } else {
                    input.copy_from_slice(&new);
                    plan.input = Some(new);
                }
            }
            Err(error) => {
                self.world.failed("reaching operands", &error);
                plan = plan.unknown();
            }
        }
        self.has.graphs.push((graph, plan));
    }

    pub(crate) fn end_graph(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some((graph, plan)) = take(&mut self.has.graphs, a) else { return };
        match b % 4 {
            0 => drop(graph),
            1 => mem::forget(graph),
            _ => match graph.into_operands(current) {
                Ok(operands) => self.take_back(operands, [plan.input, plan.device, plan.output]),
                Err(failed) => {
                    self.world.failed("taking a graph apart", &failed.error);
                    self.has.graphs.push((failed.value, plan.unknown()));
                }
            },
        }
    }
}
