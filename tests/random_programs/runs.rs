//! Models, operators and callbacks.

use crate::actor::Actor;
use crate::buffers::elements;
use crate::common::difference;
use crate::holdings::{AnyStream, Content, Flight, Launched, Operands, Ports, Work, take};
use ascendcl::operator;
use ascendcl::{
    Current, Error, Input, Scoped, Thread,
    allocator::PoolAllocator,
    model::{Load, ModelSource},
    stream::AllocatorGroup,
};
use std::mem;
use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;

impl Ports {
    /// After a failure the contents of the model's memory are unknown.
    pub(crate) fn unknown(self) -> Self {
        Self { inputs: [None, None], output: Some(None) }
    }

    fn executed(&mut self) {
        self.output = Some(combined(&self.inputs, |a, b| a - b));
    }
}

pub(crate) fn combined([first, second]: &[Content; 2], of: impl Fn(f32, f32) -> f32) -> Content {
    let pairs = first.as_ref()?.iter().zip(second.as_ref()?);
    Some(pairs.map(|(a, b)| of(*a, *b)).collect())
}

impl<'c> Actor<'_, 'c> {
    pub(crate) fn load_model(&mut self, current: &Current<Scoped<'c>>) {
        let image = difference();
        let loaded = current.load(ModelSource::memory(&image).into());
        let Some(model) = self.world.well("loading a model", loaded) else { return };
        match model.bind(current, &[&[4], &[4]], &[&[4]]) {
            Ok(model) => self.has.models.push((model, Ports::default())),
            Err(failed) => {
                self.world.failed("preparing a model", &failed.error);
                if let Err(failed) = failed.value.unload(current) {
                    self.world.failed("unloading a model", &failed.error);
                }
            }
        }
    }

    pub(crate) fn write_input(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some((mut model, mut ports)) = take(&mut self.has.models, a) else { return };
        let (input, holds) = (usize::from(b % 2), elements(4, b));
        let written = self.world.well("writing an input", model.write(current, input, &holds));
        ports.inputs[input] = written.map(|()| holds);
        self.has.models.push((model, ports));
    }

    pub(crate) fn execute(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let in_flight = self.has.take_flight(a / 2, |work| matches!(work, Work::Model(..))).filter(|_| true);
        match in_flight {
            Some(Flight { stream, time, work: Work::Model(pending, ports) }) => {
                let Some(at) = self.has.executing(Some(stream), b) else {
                    return self.has.flights.push(Flight { stream, time, work: Work::Model(pending, ports) });
                };
                let on = &self.has.streams[at];
                let number = on.number;
                let executed = match &on.stream {
                    AnyStream::DefaultAllocator(on) => on.execute(current, pending),
                    AnyStream::Pooled(on) => on.execute(current, pending),
                    AnyStream::Undecided(_) => return,
                };
                match executed {
                    Ok(pending) => {
                        assert_eq!(number, stream, "a model in flight was executed on another stream");
                        let mut ports = ports;
                        ports.executed();
                        self.has.queued(self.world, number, Work::Model(pending, ports));
                    }
                    Err(failed) => {
                        let mut ports = ports;
                        if number == stream {
                            self.world.failed("executing once more", &failed.error);
                            ports = ports.unknown();
                        } else {
                            self.world.refused("executing on another stream", &failed.error);
                        }
                        self.has.flights.push(Flight { stream, time, work: Work::Model(failed.value, ports) });
                    }
                }
            }
            _ => self.execute_idle(current, a, b),
        }
    }

    fn execute_idle(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some(at) = self.has.executing(None, b) else { return };
        let Some((model, mut ports)) = take(&mut self.has.models, a) else { return };
        let on = &self.has.streams[at];
        let number = on.number;
        let executed = match &on.stream {
            AnyStream::DefaultAllocator(on) => on.execute(current, model),
            AnyStream::Pooled(on) => on.execute(current, model),
            AnyStream::Undecided(_) => return,
        };
        match executed {
            Ok(pending) => {
                ports.executed();
                self.has.queued(self.world, number, Work::Model(pending, ports));
            }
            Err(failed) => {
                self.world.failed("executing", &failed.error);
                self.has.models.push((failed.value, ports.unknown()));
            }
        }
    }

    pub(crate) fn run_model(&mut self, current: &mut Current<Scoped<'c>>, a: u16) {
        let Some((mut model, mut ports)) = take(&mut self.has.models, a) else { return };
        match self.world.well("running a model", model.run(current)) {
            Some(()) => ports.executed(),
            None => ports = ports.unknown(),
        }
        self.has.models.push((model, ports));
    }

    /// Runs a model on a stream where it is, now and then for less time than that takes.
    pub(crate) fn run_model_in_place(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some(at) = self.has.executing(None, b) else { return };
        let Some((mut model, mut ports)) = take(&mut self.has.models, a) else { return };
        let (on, limit) = (&self.has.streams[at], b.is_multiple_of(3).then_some(Duration::from_millis(1)));
        let ran = match (&on.stream, limit) {
            (AnyStream::DefaultAllocator(on), None) => on.run_bound(current, &mut model),
            (AnyStream::DefaultAllocator(on), Some(limit)) => on.run_bound_within(current, &mut model, limit),
            (AnyStream::Pooled(on), None) => on.run_bound(current, &mut model),
            (AnyStream::Pooled(on), Some(limit)) => on.run_bound_within(current, &mut model, limit),
            (AnyStream::Undecided(_), _) => return,
        };
        match ran {
            Ok(()) => ports.executed(),
            Err(error) => {
                if limit.is_some() && error.code().is_some_and(|code| code.is_timeout()) {
                    // A wait for the stream makes it usable again.
                    ports = Ports { output: None, ..ports };
                    let _ =
                        self.world.well("waiting for a run that was given up", on.stream.tasks().synchronize(current));
                } else {
                    self.world.failed("running a model in place", &error);
                    ports = ports.unknown();
                }
            }
        }
        self.has.models.push((model, ports));
    }

    pub(crate) fn read_output(&mut self, current: &Current<Scoped<'c>>, a: u16) {
        let Some((model, ports)) = crate::holdings::look(&self.has.models, a) else { return };
        match (crate::holdings::read(current, model, a), &ports.output) {
            (Ok(found), Some(holds)) => self.world.compare("the output of a model", &found, holds.as_deref()),
            (Ok(_), None) => panic!("the output of a model that was not executed was read"),
            (Err(Error::NotExecuted), None) => {}
            (Err(error), _) => self.world.failed("reading an output", &error),
        }
    }

    pub(crate) fn copy_to_input(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let at = self.has.hosts.iter().position(|(buffer, holds)| buffer.len() == 4 && holds.is_some());
        let Some(at) = at else { return };
        let Some((model, mut ports)) = take(&mut self.has.models, a) else { return };
        let ((host, holds), input) = (self.has.hosts.swap_remove(at), usize::from(b % 2));
        let (number, copied) = self
            .has
            .on_stream(current, None, b, |tasks, number| (number, tasks.copy_to_input(current, host, model, input)));
        match copied {
            Ok(pending) => {
                let (host, model) = pending.split();
                ports.inputs[input] = holds.clone();
                self.has.queued(self.world, number, Work::Host(host, holds));
                self.has.queued(self.world, number, Work::Model(model, ports));
            }
            Err(failed) => {
                let (host, model) = failed.value;
                if self.misaligned(&failed.error) {
                    self.has.hosts.push((host, holds));
                    self.has.models.push((model, ports));
                } else {
                    self.world.failed("copying to an input", &failed.error);
                    self.has.hosts.push((host, None));
                    self.has.models.push((model, ports.unknown()));
                }
            }
        }
    }

    pub(crate) fn copy_from_output(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let at = self.has.hosts.iter().position(|(buffer, holds)| buffer.len() == 4 && holds.is_some());
        let Some(at) = at else { return };
        let in_flight = self.has.take_flight(a, |work| matches!(work, Work::Model(..)));
        let Some(Flight { stream, time, work: Work::Model(pending, ports) }) = in_flight else { return };
        let (host, holds) = self.has.hosts.swap_remove(at);
        let (number, copied) = self.has.on_stream(current, Some(stream), b, |tasks, number| {
            (number, tasks.copy_from_output(current, pending, 0, host))
        });
        match copied {
            Ok(pending) => {
                assert_eq!(number, stream, "a model in flight was read on another stream");
                let output = ports.output.clone().expect("a model that was not executed was read");
                let (model, host) = pending.split();
                self.has.queued(self.world, number, Work::Model(model, ports));
                self.has.queued(self.world, number, Work::Host(host, output));
            }
            Err(failed) => {
                let (model, host) = failed.value;
                let (mut ports, mut holds) = (ports, holds);
                let not_executed = matches!(failed.error, Error::NotExecuted) && ports.output.is_none();
                if number != stream {
                    self.world.refused("reading a model on another stream", &failed.error);
                } else if !not_executed && !self.misaligned(&failed.error) {
                    self.world.failed("copying from an output", &failed.error);
                    (ports, holds) = (ports.unknown(), None);
                }
                self.has.hosts.push((host, holds));
                self.has.flights.push(Flight { stream, time, work: Work::Model(model, ports) });
            }
        }
    }

    fn misaligned(&self, error: &Error) -> bool {
        self.world.on_device && matches!(error, Error::Misaligned { .. })
    }

    pub(crate) fn end_model(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some((model, ports)) = take(&mut self.has.models, a) else { return };
        match b % 3 {
            0 => drop(model),
            1 => mem::forget(model),
            _ => match model.into_model(current) {
                Ok(model) => {
                    if let Err(failed) = model.unload(current) {
                        self.world.failed("unloading a model", &failed.error);
                    }
                }
                Err(failed) => {
                    self.world.failed("taking a model back", &failed.error);
                    self.has.models.push((failed.value, ports.unknown()));
                }
            },
        }
    }

    /// An operator on two tensors, of buffers that are there or new.
    pub(crate) fn operator(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some(at) = self.has.executing(None, a) else { return };
        let mut tensor = |seed: u16| match take(&mut self.has.devices, seed) {
            Some((buffer, Some(holds))) if holds.len() == 16 => Some((buffer.into_tensor(&[16]).ok()?, holds)),
            other => {
                self.has.devices.extend(other);
                let holds = elements(16, seed);
                self.world.well("uploading a tensor", current.upload_tensor(&[16], &holds)).map(|new| (new, holds))
            }
        };
        let (Some((x, of_x)), Some((y, of_y))) = (tensor(a / 2), tensor(b)) else { return };
        let inputs = [Some(of_x), Some(of_y)];
        let (bound, output) = match b % 3 {
            0 => (operator::add(current, x, y), combined(&inputs, |a, b| a + b)),
            1 => (operator::sub(current, x, y), combined(&inputs, |a, b| a - b)),
            _ => (operator::mul(current, x, y), combined(&inputs, |a, b| a * b)),
        };
        let Some(bound) = self.world.well("binding an operator", bound) else { return };
        let on = &self.has.streams[at];
        let number = on.number;
        let launched = match &on.stream {
            AnyStream::DefaultAllocator(on) => on.launch(current, bound),
            AnyStream::Pooled(on) => on.launch(current, bound),
            AnyStream::Undecided(_) => return,
        };
        match launched {
            Ok(pending) => self.has.queued(self.world, number, Work::Operator(pending, Operands { inputs, output })),
            Err(failed) => self.world.failed("launching an operator", &failed.error),
        }
    }

    pub(crate) fn launch_again(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let flight = self.has.take_flight(a, |work| matches!(work, Work::Operator(..)));
        let Some(Flight { stream, time, work: Work::Operator(pending, holds) }) = flight else { return };
        let Some(at) = self.has.executing(Some(stream), b) else {
            return self.has.flights.push(Flight { stream, time, work: Work::Operator(pending, holds) });
        };
        let on = &self.has.streams[at];
        let number = on.number;
        let launched = match &on.stream {
            AnyStream::DefaultAllocator(on) => on.launch(current, pending),
            AnyStream::Pooled(on) => on.launch(current, pending),
            AnyStream::Undecided(_) => return,
        };
        match launched {
            Ok(pending) => {
                assert_eq!(number, stream, "an operator in flight was launched on another stream");
                self.has.queued(self.world, number, Work::Operator(pending, holds));
            }
            Err(failed) => {
                let mut holds = holds;
                if number == stream {
                    self.world.failed("launching once more", &failed.error);
                    holds = Operands::default();
                } else {
                    self.world.refused("launching on another stream", &failed.error);
                }
                self.has.flights.push(Flight { stream, time, work: Work::Operator(failed.value, holds) });
            }
        }
    }

    pub(crate) fn operator_is_done(&mut self, current: &Current<Scoped<'c>>, operator: Launched<'c>, holds: Operands) {
        if let Some(found) = self.world.well("reading an operator", operator.tensors().1.to_vec(current)) {
            self.world.compare("the output of an operator", &found, holds.output.as_deref());
        }
        match operator.into_tensors(current) {
            Ok(((x, y), output)) => {
                let [of_x, of_y] = holds.inputs;
                let tensors = [(x, of_x), (y, of_y), (output, holds.output)];
                self.has.devices.extend(tensors.map(|(tensor, holds)| (tensor.into_buffer(), holds)));
            }
            Err(failed) => self.world.failed("taking an operator apart", &failed.error),
        }
    }

    pub(crate) fn launch_host_fn(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let (value, panics) = (u32::from(b), b.is_multiple_of(5));
        let callback = move || {
            if b.is_multiple_of(3) {
                thread::sleep(Duration::from_micros(u64::from(b % 1500)));
            }
            if panics {
                // Past the hook, which would note a panic of the program.
                resume_unwind(Box::new("on purpose"));
            }
            // Nothing of the library can be begun in here.
            if matches!(Thread::new(), Err(Error::InsideCallback)) { value } else { u32::MAX }
        };
        let (number, called) =
            self.has.on_stream(current, None, a, |tasks, at| (at, tasks.launch_host_fn(current, callback)));
        match called {
            Ok(pending) => self.has.queued(self.world, number, Work::HostFnResult(pending, (!panics).then_some(value))),
            Err(failed) => self.world.failed("queueing a callback", &failed.error),
        }
    }

    /// Two models on one workspace and one stream.
    pub(crate) fn lane(&mut self, current: &mut Current<Scoped<'c>>) {
        let (image, world) = (difference(), self.world);
        let ran = (|| {
            let source = ModelSource::memory(&image);
            let size = current.model_size(source)?;
            let weights = current.weights(source)?;
            let stream = current.stream()?.without_allocator();
            let workspace = current.workspace(2 * size.workspace.max(64))?;
            current.workspace_lane(stream, workspace, |current, mut lane| {
                let load = Load::builder().source(source).weights(&weights).build();
                let mut first = lane.load(current, load)?.bind(current, &[&[4], &[4]], &[&[4]])?;
                let mut second = lane.load(current, source.into())?;
                first.write(current, 0, &[4.0_f32; 4])?;
                first.write(current, 1, &[1.0_f32; 4])?;
                let pending = lane.execute(current, first)?;
                let (x, y) = ([9.0_f32; 4], [2.0_f32; 4]);
                let outputs = lane.run(current, &mut second, &[Input::new(&[4], &x)?, Input::new(&[4], &y)?])?;
                world.compare("the output of a lane's run", &outputs.get(0)?.to_vec::<f32>()?, Some(&[7.0; 4]));
                let first = pending.wait(current)?;
                world.compare("the output in a lane", &first.read::<f32>(current, 0)?, Some(&[3.0; 4]));
                Ok::<_, Error>(())
            })
        })();
        self.world.well("working in a lane", ran);
    }

    /// Two streams that share an allocator in turn.
    pub(crate) fn group(&mut self, current: &mut Current<Scoped<'c>>) {
        let world = self.world;
        let ran = (|| {
            let group = AllocatorGroup::new(current, PoolAllocator::new(current, 1 << 17)?)?;
            let first = group.attach(current, current.stream()?)?;
            let second = group.attach(current, current.stream()?)?;
            let x = current.upload_tensor(&[2], &[1.0_f32, 5.0])?;
            let y = current.upload_tensor(&[2], &[2.0_f32, 7.0])?;
            let turn = group.begin(&first)?;
            let added = turn.launch(current, operator::add(current, x, y)?)?;
            let group = turn.finish(current)?;
            let turn = group.begin(&second)?;
            let again = turn.launch(current, added.wait(current)?)?;
            let group = turn.finish(current)?;
            let (_, sum) = again.wait(current)?.into_tensors(current)?;
            world.compare("the output of a turn", &sum.to_vec(current)?, Some(&[3.0, 12.0]));
            first.detach(current)?.destroy(current)?;
            drop(second);
            drop(group);
            Ok::<_, Error>(())
        })();
        self.world.well("working in turns", ran);
    }
}
