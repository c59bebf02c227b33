//! Sources of queued copies.

use super::{Operand, Payload, Pending};
use crate::brand::Brand;
use crate::element::Element;
use crate::memory::{DeviceBuffer, SharedBuffer};
use ascendcl_macros::rule;

/// Device memory that a copy reads: a [`DeviceBuffer`], a [`SharedBuffer`], or one of them in flight on the same stream
/// as a [`Pending`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the source of this copy: expected device memory, or some in flight as a `Pending`",
    label = "expected a `DeviceBuffer` or a `SharedBuffer`",
    note = "STREAM-09, MEM-11: a stream and what its work uses belong to one context: use a stream that `current.stream()` \
            made, and buffers that the same `current` made",
    note = "MEM-07: memory of `MaybeUninit` elements is written first: `buffer.write(current, &elements)?` or \
            `buffer.zero(current)?`",
    note = "of a tensor, its buffer: `tensor.into_buffer()`, and afterwards `buffer.into_tensor(&shape)?`",
    note = "COPY-08: memory of another device is copied in `current.with_peer(&other, |current, access| ...)`",
    note = "of a `Pending` of several, take the part that is meant: `let (first, second) = pending.split();`",
    note = "see `ascendcl-explain STREAM-09`"
)]
#[rule(STREAM_04, MEM_02)]
pub trait Source<C: Brand, E>: sealed::Sealed<C, E> {}

pub(crate) mod sealed {
    use super::{Brand, Operand, Payload};
    use crate::stream::destination::sealed::Buffer;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` is no device memory that a copy can read",
        label = "the error at the argument says what is expected"
    )]
    pub trait Sealed<C: Brand, E>: Sized + Operand<C, Self::Kept> {
        /// What a wait returns.
        type Kept: Buffer<C, E, Written = Self::Kept> + Payload;
    }
}

macro_rules! sources {
    ($($memory:ident)+) => { $(
        impl<C: Brand, E: Element> Source<C, E> for $memory<C, E> {}
        impl<C: Brand, E: Element> Source<C, E> for Pending<C, $memory<C, E>> {}

        impl<C: Brand, E: Element> sealed::Sealed<C, E> for $memory<C, E> {
            type Kept = Self;
        }

        impl<C: Brand, E: Element> sealed::Sealed<C, E> for Pending<C, $memory<C, E>> {
            type Kept = $memory<C, E>;
        }
    )+ };
}
sources!(DeviceBuffer SharedBuffer);
