//! The objects of a thread, and the contents that it expects in them.

use crate::graphs::{Graph, Plan};
use crate::pooled::PooledGraph;
use crate::world::World;
use ascendcl::operator::BoundOperator;
use ascendcl::{
    BoundModel, Current, DeviceBuffer, Error, Event, HostBuffer, Pending, Scoped, Stream,
    allocator::PoolAllocator,
    event::Recorded,
    operator::DeviceTensor,
    stream::{CustomAllocator, DefaultAllocator, HostFnResult, StreamOps, Undecided},
};
use std::mem;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The elements that a buffer holds, as the rules of the crate say; `None` when a failure left that open.
pub(crate) type Content = Option<Vec<f32>>;
pub(crate) type Device<'c> = DeviceBuffer<Scoped<'c>, f32>;
pub(crate) type Host<'c> = HostBuffer<Scoped<'c>, f32>;
pub(crate) type Flying<'c, T> = Pending<Scoped<'c>, T>;
pub(crate) type Tensor<'c> = DeviceTensor<Scoped<'c>, f32>;
pub(crate) type Launched<'c> = BoundOperator<Scoped<'c>, (Tensor<'c>, Tensor<'c>), Tensor<'c>>;

/// What a model has written, in one of two ways.
pub(crate) fn read<'c>(
    current: &Current<Scoped<'c>>,
    model: &BoundModel<Scoped<'c>>,
    number: u16,
) -> Result<Vec<f32>, Error> {
    let mut into = [f32::NAN; 4];
    if number.is_multiple_of(2) {
        model.read(current, 0)
    } else {
        model.read_into(current, 0, &mut into).map(|()| into.to_vec())
    }
}

/// The default stream of a context, among the numbers of its streams.
const DEFAULT: u64 = 0;
/// The next number of a stream that is dropped at once.
static MOMENTARY: AtomicU64 = AtomicU64::new(1 << 48);

/// Everything of one context that one thread has.
#[derive(Default)]
pub(crate) struct Holdings<'c> {
    pub(crate) streams: Vec<Numbered<'c>>,
    pub(crate) events: Vec<Marked<'c>>,
    pub(crate) devices: Vec<(Device<'c>, Content)>,
    pub(crate) hosts: Vec<(Host<'c>, Content)>,
    pub(crate) models: Vec<(BoundModel<Scoped<'c>>, Ports)>,
    pub(crate) graphs: Vec<(Graph<'c>, Plan)>,
    pub(crate) pooled_graphs: Vec<PooledGraph<'c>>,
    pub(crate) flights: Vec<Flight<'c>>,
    /// Nothing is queued on the default stream.
    pub(crate) without_default: bool,
}

pub(crate) struct Numbered<'c> {
    pub(crate) number: u64,
    pub(crate) stream: AnyStream<'c>,
}

pub(crate) enum AnyStream<'c> {
    Undecided(Stream<Scoped<'c>, Undecided>),
    DefaultAllocator(Stream<Scoped<'c>, DefaultAllocator>),
    Pooled(Stream<Scoped<'c>, CustomAllocator<PoolAllocator>>),
}

/// An event, and behind what it was recorded.
pub(crate) struct Marked<'c> {
    pub(crate) event: Event<Scoped<'c>, Recorded>,
    pub(crate) stream: u64,
    /// Taken before the record.
    pub(crate) time: u64,
}

/// What is known of a model's inputs and of its output. The output is `None` until an execution.
#[derive(Clone, Default)]
pub(crate) struct Ports {
    pub(crate) inputs: [Content; 2],
    pub(crate) output: Option<Content>,
}

/// Work in flight, on which stream, and what it leaves.
pub(crate) struct Flight<'c> {
    pub(crate) stream: u64,
    /// Taken when it was queued.
    pub(crate) time: u64,
    pub(crate) work: Work<'c>,
}

pub(crate) enum Work<'c> {
    Device(Flying<'c, Device<'c>>, Content),
    Host(Flying<'c, Host<'c>>, Content),
    Model(Flying<'c, BoundModel<Scoped<'c>>>, Ports),
    Operator(Flying<'c, Launched<'c>>, Operands),
    Graph(Flying<'c, Graph<'c>>, Plan),
    HostFnResult(Flying<'c, HostFnResult<u32>>, Option<u32>),
}

/// What an operator reads and writes.
#[derive(Clone, Default)]
pub(crate) struct Operands {
    pub(crate) inputs: [Content; 2],
    pub(crate) output: Content,
}

/// What one thread hands to another.
pub(crate) enum Parcel<'c> {
    Stream(Numbered<'c>),
    Event(Marked<'c>),
    Device(Device<'c>, Content),
    Host(Host<'c>, Content),
    Model(BoundModel<Scoped<'c>>, Ports),
    Graph(Graph<'c>, Plan),
    PooledGraph(PooledGraph<'c>),
    Flight(Flight<'c>),
}

pub(crate) type Mailbox<'c> = Mutex<Vec<Parcel<'c>>>;

impl<'c> AnyStream<'c> {
    pub(crate) fn tasks(&self) -> &StreamOps<Scoped<'c>> {
        match self {
            Self::Undecided(stream) => stream,
            Self::DefaultAllocator(stream) => stream,
            Self::Pooled(stream) => stream,
        }
    }

    pub(crate) fn executes(&self) -> bool {
        !matches!(self, Self::Undecided(_))
    }
}

/// Takes one out of a list, by any number.
pub(crate) fn take<T>(list: &mut Vec<T>, number: u16) -> Option<T> {
    (!list.is_empty()).then(|| list.swap_remove(usize::from(number) % list.len()))
}

pub(crate) fn look<T>(list: &[T], number: u16) -> Option<&T> {
    (!list.is_empty()).then(|| &list[usize::from(number) % list.len()])
}

impl<'c> Holdings<'c> {
    /// Takes out work in flight of the kind that `is_wanted` wants.
    pub(crate) fn take_flight(&mut self, number: u16, is_wanted: impl Fn(&Work<'c>) -> bool) -> Option<Flight<'c>> {
        let wanted: Vec<_> = (0..self.flights.len()).filter(|at| is_wanted(&self.flights[*at].work)).collect();
        look(&wanted, number).map(|at| self.flights.swap_remove(*at))
    }

    /// Calls `work` with a stream, preferably that one, and its number.
    pub(crate) fn on_stream<R>(
        &self,
        current: &Current<Scoped<'c>>,
        preferred: Option<u64>,
        number: u16,
        work: impl FnOnce(&StreamOps<Scoped<'c>>, u64) -> R,
    ) -> R {
        // Once in eight times another stream, which the crate has to refuse for work in flight.
        let preferred = preferred.filter(|_| number % 8 != 7);
        let own = preferred.and_then(|wanted| self.streams.iter().find(|stream| stream.number == wanted));
        if self.streams.is_empty() && self.without_default {
            // A stream of the moment, with a number that no other has.
            if let Ok(stream) = current.stream() {
                return work(&stream, MOMENTARY.fetch_add(1, Relaxed));
            }
        }
        let count = self.streams.len() + usize::from(!self.without_default);
        let any = self.streams.get(usize::from(number) % count.max(1));
        match (own, preferred) {
            (Some(own), _) => work(own.stream.tasks(), own.number),
            (None, Some(DEFAULT)) => work(&current.default_stream(), DEFAULT),
            _ => match any {
                Some(any) => work(any.stream.tasks(), any.number),
                None => work(&current.default_stream(), DEFAULT),
            },
        }
    }

    /// The place of a stream that executes models and operators, preferably that one.
    pub(crate) fn executing(&self, preferred: Option<u64>, number: u16) -> Option<usize> {
        let executing = (0..self.streams.len()).filter(|at| self.streams[*at].stream.executes());
        let executing: Vec<_> = executing.collect();
        let own = executing.iter().find(|at| Some(self.streams[**at].number) == preferred && number % 8 != 7);
        own.or_else(|| look(&executing, number)).copied()
    }

    pub(crate) fn queued(&mut self, world: &World<'_>, stream: u64, work: Work<'c>) {
        self.flights.push(Flight { stream, time: world.next(), work });
    }

    pub(crate) fn accept(&mut self, parcel: Parcel<'c>) {
        match parcel {
            Parcel::Stream(stream) => self.streams.push(stream),
            Parcel::Event(event) => self.events.push(event),
            Parcel::Device(buffer, holds) => self.devices.push((buffer, holds)),
            Parcel::Host(buffer, holds) => self.hosts.push((buffer, holds)),
            Parcel::Model(model, ports) => self.models.push((model, ports)),
            Parcel::Graph(graph, plan) => self.graphs.push((graph, plan)),
            Parcel::PooledGraph(graph) => self.pooled_graphs.push(graph),
            Parcel::Flight(flight) => self.flights.push(flight),
        }
    }

    pub(crate) fn parcel(&mut self, a: u16, b: u16) -> Option<Parcel<'c>> {
        match a % 8 {
            0 => take(&mut self.streams, b).map(Parcel::Stream),
            1 => take(&mut self.events, b).map(Parcel::Event),
            2 => take(&mut self.devices, b).map(|(buffer, holds)| Parcel::Device(buffer, holds)),
            3 => take(&mut self.hosts, b).map(|(buffer, holds)| Parcel::Host(buffer, holds)),
            4 => take(&mut self.models, b).map(|(model, ports)| Parcel::Model(model, ports)),
            5 if a % 16 == 5 => take(&mut self.pooled_graphs, b).map(Parcel::PooledGraph),
            5 => take(&mut self.graphs, b).map(|(graph, plan)| Parcel::Graph(graph, plan)),
            _ => take(&mut self.flights, b).map(Parcel::Flight),
        }
    }

    /// The thread is done with everything.
    pub(crate) fn end(self, forgets: bool) {
        if forgets {
            mem::forget(self);
        }
    }
}
