//! The states of a stream: which allocator it uses.
//!
//! The states and their bounds come from the declaration of a stream's life cycle ([`ascendcl_rules::stream`]).

use crate::allocator::descriptor::{Address, Allocate, Descriptor, Free, Object};
use crate::ffi::WeakRegisteredOf;

pub use ascendcl_rules::stream::{
    CanDecline, CanExecute, CanRegister, CanRegisterDescriptor, CanReplace, CanUnregister, CustomAllocator,
    DefaultAllocator, RawAllocator, Undecided,
};

/// The states of a [`Stream`](crate::Stream).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a state of a stream",
    label = "expected `Undecided`, `DefaultAllocator`, `CustomAllocator<A>` or `RawAllocator`",
    note = "ALLOC-13: the state says what was decided about the stream's allocator; a function for every state is written \
            `fn f<C: Brand, S: StreamState>(stream: &Stream<C, S>)`",
    note = "see `ascendcl-explain ALLOC-13`"
)]
pub trait StreamState: ascendcl_rules::stream::State {
    /// The data of a stream in this state.
    #[doc(hidden)]
    type Carries;
}

impl StreamState for Undecided {
    type Carries = ();
}

impl StreamState for DefaultAllocator {
    type Carries = ();
}

/// `A` has no bound here. With one, a program that registers something else than a
/// [`DeviceAllocator`](crate::DeviceAllocator) gets a second error at each use of the result. The bound of `register` is
/// enough: no stream exists without it. The methods have the bound one by one, because for a bound of an `impl` the
/// compiler does not print the words of the trait.
impl<A> StreamState for CustomAllocator<A> {
    /// Weak: the stream's row owns the allocator, so that a forgotten handle keeps nothing.
    type Carries = WeakRegisteredOf<A>;
}

impl StreamState for RawAllocator {
    type Carries = CompleteDescriptor;
}

/// A descriptor with all four mandatory members.
pub(super) type CompleteDescriptor = Descriptor<Object, Allocate, Free, Address>;
