//! The states of a graph.
//!
//! The states and their bounds come from the declaration of a graph's life cycle ([`ascendcl_rules::graph`]).

use ascendcl::raw::AllocatorSlot;
use ascendcl::stream::{Stream, Undecided};
use ascendcl::{Brand, DeviceAllocator, Error};

pub use ascendcl_rules::graph::{
    Added, CanCompile, CanLoad, CanSetMemory, Compiled, Loaded, WithAllocator, WithMemory,
};

/// The states of a [`Graph`](super::Graph).
pub trait GraphState: ascendcl_rules::graph::State {
    /// The values that a graph carries in this state.
    #[doc(hidden)]
    type Carries: Carried;

    /// The values that remain when a graph in this state is removed.
    type Left<C: Brand>;

    #[doc(hidden)]
    fn left<C: Brand>(
        stream: Option<Stream<C, Undecided>>,
        allocator: <Self::Carries as Carried>::Allocator,
    ) -> Option<Self::Left<C>>;
}

/// The record that a graph keeps.
#[doc(hidden)]
pub trait Carried {
    type Allocator;

    /// Takes the allocator out of a registration that is about to end.
    fn take(&self) -> Result<Self::Allocator, Error>;

    /// Puts the allocator back: the registration continues.
    fn put(&self, allocator: Self::Allocator);
}

impl Carried for () {
    type Allocator = ();

    fn take(&self) -> Result<(), Error> {
        Ok(())
    }

    fn put(&self, (): ()) {}
}

/// The graph's row keeps the allocator in its slot, so a forgotten handle keeps nothing alive.
impl<A: DeviceAllocator> Carried for AllocatorSlot<A> {
    type Allocator = A;

    fn take(&self) -> Result<A, Error> {
        AllocatorSlot::take(self)
    }

    fn put(&self, allocator: A) {
        // The allocator was taken out of this slot by `take`, so the slot is free. The registration keeps the slot.
        drop(AllocatorSlot::put(self, allocator));
    }
}

macro_rules! without_a_stream {
    ($($state:ty),*) => {
        $(impl GraphState for $state {
            type Carries = ();
            type Left<C: Brand> = ();

            fn left<C: Brand>(_: Option<Stream<C, Undecided>>, (): ()) -> Option<()> {
                Some(())
            }
        })*
    };
}
without_a_stream!(Added, Compiled, WithMemory);

impl<A: DeviceAllocator> GraphState for WithAllocator<A> {
    type Carries = AllocatorSlot<A>;
    type Left<C: Brand> = (Stream<C, Undecided>, A);

    fn left<C: Brand>(stream: Option<Stream<C, Undecided>>, allocator: A) -> Option<Self::Left<C>> {
        stream.map(|stream| (stream, allocator))
    }
}

/// The graph's memory has the same source before and after the load, for example `Loaded<WithAllocator<A>>`.
impl<B: GraphState> GraphState for Loaded<B> {
    type Carries = B::Carries;
    type Left<C: Brand> = (Stream<C, Undecided>, <B::Carries as Carried>::Allocator);

    fn left<C: Brand>(
        stream: Option<Stream<C, Undecided>>,
        allocator: <B::Carries as Carried>::Allocator,
    ) -> Option<Self::Left<C>> {
        stream.map(|stream| (stream, allocator))
    }
}
