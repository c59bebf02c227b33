//! Inputs of bound models that read shared memory.

use super::{BoundModel, IndexOrName};
use crate::brand::{Brand, Scoped};
use crate::current::Current;
use crate::element::Element;
use crate::error::{Error, Failed};
use crate::ffi::RawBuffer;
use crate::memory::{DeviceBuffer, SharedBuffer};
use ascendcl_macros::rule;
use core::fmt;
use core::mem::MaybeUninit;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// The previous memory of an input.
pub enum InputMemory<C: Brand, E> {
    /// Memory without other readers. It may never have been written.
    Own(DeviceBuffer<C, MaybeUninit<E>>),
    /// Memory with other readers.
    Shared(SharedBuffer<C, E>),
}

assert_impl_all!(InputMemory<Scoped<'static>, f32>: Send, Sync);
assert_not_impl_any!(InputMemory<Scoped<'static>, f32>: Clone);

impl<C: Brand, P> BoundModel<C, P> {
    /// Makes shared memory, or a part of it, the memory of an input, and returns the previous memory
    /// (`aclUpdateDataBuffer`). So several models can read one table without a copy, on several streams at once.
    ///
    /// The model keeps a handle of the memory, and nobody writes it: [`write`](Self::write) and
    /// [`copy_to_input`](crate::stream::StreamOps::copy_to_input) are refused for this input until
    /// [`unshare_input`](Self::unshare_input) gives it its own memory.
    ///
    /// ```
    /// use ascendcl::{Brand, Current, Error, Stream, model::BoundModel, stream::DefaultAllocator};
    ///
    /// /// Runs two models on one image, at once.
    /// fn both<C: Brand>(
    ///     current: &Current<C>,
    ///     [first, second]: [&Stream<C, DefaultAllocator>; 2],
    ///     (mut one, mut two): (BoundModel<C>, BoundModel<C>),
    ///     image: &[f32],
    /// ) -> Result<[Vec<f32>; 2], Error> {
    ///     let image = current.upload(image)?.into_shared();
    ///     one.share_input(current, 0, image.clone())?;
    ///     two.share_input(current, 0, image)?;
    ///     let (one, two) = (first.execute(current, one)?, second.execute(current, two)?);
    ///     let (one, two) = (one.wait(current)?, two.wait(current)?);
    ///     Ok([one.read(current, 0)?, two.read(current, 0)?])
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the memory unchanged, with [`Error::Input`] for another element type or a name that no input has,
    /// [`Error::LengthMismatch`] for another length, [`Error::NoSuchInput`], [`Error::MisalignedPart`] for a part that
    /// does not begin at a multiple of 64 bytes (MEM-08), [`Error::StillRunning`] while queued work uses the model, or
    /// [`Error::Vendor`]. If it is unknown after the failure which memory the library uses, the model cannot be executed
    /// any more ([`Error::Gone`]).
    #[rule(DATA_02, DATA_10, MEM_02, MEM_08)]
    pub fn share_input<'n, E: Element>(
        &mut self,
        current: &Current<C>,
        input: impl Into<IndexOrName<'n>>,
        memory: SharedBuffer<C, E>,
    ) -> Result<InputMemory<C, E>, Failed<SharedBuffer<C, E>>> {
        match self.put_input::<E>(current, input.into(), (&memory.row(), true), |_| Ok(())) {
            Ok((old, true)) => Ok(InputMemory::Shared(handle_of(&old))),
            Ok((old, false)) => Ok(InputMemory::Own(DeviceBuffer::of(old))),
            Err(error) => Err(Failed { error, value: memory }),
        }
    }

    /// Makes a buffer the memory of an input that [reads shared memory](Self::share_input), and returns the shared
    /// memory (`aclUpdateDataBuffer`).
    ///
    /// # Errors
    ///
    /// Returns the buffer unchanged, with [`Error::NotShared`] if the input does not read shared memory (use
    /// [`exchange_input`](Self::exchange_input)); otherwise as for [`share_input`](Self::share_input).
    #[rule(DATA_02, DATA_10)]
    pub fn unshare_input<'n, E: Element>(
        &mut self,
        current: &Current<C>,
        input: impl Into<IndexOrName<'n>>,
        buffer: DeviceBuffer<C, E>,
    ) -> Result<SharedBuffer<C, E>, Failed<DeviceBuffer<C, E>>> {
        let is_shared = |bound: &super::bindings::InputTensor| match bound.shared {
            true => Ok(()),
            false => Err(Error::NotShared { name: bound.info.name.clone() }),
        };
        match self.put_input::<E>(current, input.into(), (&buffer.row(), false), is_shared) {
            Ok((old, _)) => Ok(handle_of(&old)),
            Err(error) => Err(Failed { error, value: buffer }),
        }
    }
}

/// A new handle of memory that a model has read. The model's own handle is dropped, and leaves a stamp for work of the
/// model that may still read the memory.
fn handle_of<C: Brand, E>(old: &Arc<RawBuffer>) -> SharedBuffer<C, E> {
    SharedBuffer::of(old.clone_part())
}

impl<C: Brand, E> fmt::Debug for InputMemory<C, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(buffer) => f.debug_tuple("Own").field(buffer).finish(),
            Self::Shared(shared) => f.debug_tuple("Shared").field(shared).finish(),
        }
    }
}
