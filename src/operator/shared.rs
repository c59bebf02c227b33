//! Tensors that several operators read.

use super::tensor::{DeviceTensor, OperatorInput, check_shape};
use super::{IdleInputs, OperatorInputs, TensorArgument, TensorMemory, TensorState, sealed};
use crate::brand::{Brand, Inside, Scoped};
use crate::current::Current;
use crate::element::Element;
use crate::error::{Error, Failed};
use crate::memory::SharedBuffer;
use crate::model;
use ascendcl_macros::rule;
use core::fmt;
use static_assertions::assert_impl_all;
use std::sync::Arc;

/// A tensor on the device with any number of readers and no writer: a [`SharedBuffer`] and the shape that its elements
/// fill, outermost size first.
///
/// A clone is a new handle of the same memory. So one tensor can be the input of several operators at once, on several
/// streams, or both inputs of one operator:
///
/// ```
/// # use ascendcl::{Library, operator};
/// # ascendcl::run(Library::Simulator, |current| {
/// let stream = current.stream()?.without_allocator();
/// let x = current.upload_tensor(&[3], &[1.0_f32, 2.0, 3.0])?.into_shared();
/// let square = operator::mul(current, x.clone(), x)?;
/// let (_inputs, square) = stream.launch(current, square)?.wait(current)?.into_tensors(current)?;
/// assert_eq!(square.to_vec(current)?, [1.0, 4.0, 9.0]);
/// # Ok::<_, ascendcl::Error>(())
/// # }).unwrap();
/// ```
#[rule(MEM_02, MEM_07)]
pub struct SharedTensor<
    C: Brand, // CTX-02: the context comes first: `SharedTensor<C, f32>` with `C: Brand`; of a runtime: `SharedTensor<Vision, f32>`
    E,
> {
    pub(super) buffer: SharedBuffer<C, E>,
    pub(super) shape: Arc<[usize]>,
}

assert_impl_all!(SharedTensor<Scoped<'static>, f32>: Send, Sync, Clone);

impl<C: Brand, E: Element> DeviceTensor<C, E> {
    /// Makes the tensor shared. This calls nothing.
    pub fn into_shared(self) -> SharedTensor<C, E> {
        let shape = Arc::from(self.shape());
        SharedTensor { buffer: self.into_buffer().into_shared(), shape }
    }
}

impl<C: Brand, E: Element> SharedBuffer<C, E> {
    /// The elements as a tensor of this shape.
    ///
    /// # Errors
    ///
    /// Returns the memory unchanged, with [`InputError::Length`](crate::error::InputError::Length) when the shape has
    /// more or fewer elements; [`Error::MisalignedPart`] for a [part](Self::slice) that does not begin at a multiple of
    /// 64 bytes (MEM-08).
    #[rule(MEM_08)]
    pub fn into_tensor(self, shape: &[usize]) -> Result<SharedTensor<C, E>, Failed<Self>> {
        match check_shape(shape, self.len()).and_then(|()| self.block().check_tensor_alignment()) {
            Ok(()) => Ok(SharedTensor { buffer: self, shape: shape.into() }),
            Err(error) => Err(Failed { error, value: self }),
        }
    }
}

impl<C: Brand, E> SharedTensor<C, E> {
    pub(crate) fn buffer(&self) -> &SharedBuffer<C, E> {
        &self.buffer
    }
}

impl<C: Brand, E: Element> SharedTensor<C, E> {
    /// Its sizes, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The memory without the shape.
    pub fn into_buffer(self) -> SharedBuffer<C, E> {
        self.buffer
    }

    /// The elements on the host, in row-major order (`aclrtMemcpy`).
    ///
    /// # Errors
    ///
    /// As for [`SharedBuffer::to_vec`].
    pub fn to_vec(&self, current: &Current<C>) -> Result<Vec<E>, Error> {
        self.buffer.to_vec(current)
    }

    /// Turns the tensor back into one with a single owner, if this is the last handle.
    ///
    /// # Errors
    ///
    /// Returns the tensor unchanged, with the errors of [`SharedBuffer::try_unshare`].
    #[rule(MEM_02, MEM_11)]
    pub fn try_unshare(self, current: &Current<C>) -> Result<DeviceTensor<C, E>, Failed<Self>> {
        let Self { buffer, shape } = self;
        match buffer.try_unshare(current) {
            Ok(buffer) => Ok(DeviceTensor::of(buffer, (&*shape).into())),
            Err(Failed { error, value: buffer }) => Err(Failed { error, value: Self { buffer, shape } }),
        }
    }
}

/// A tensor that an operator of this module's functions reads: a [`DeviceTensor`], a [`SharedTensor`], or one of them in
/// flight as a [`Pending`](crate::Pending).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an input of this operator",
    label = "expected a `DeviceTensor` or a `SharedTensor` of the stream's own context, with written elements",
    note = "OP-03: an operator takes its tensors by value, and the wait gives them back; one that several operators read is shared: \
            `let y = y.into_shared();`, then `y.clone()` for each",
    note = "OP-03: the outputs of an operator in flight are inputs on the same stream: `pending.into_outputs()`",
    note = "MEM-07: a tensor has elements if it is made with them, `current.upload_tensor(&shape, &elements)?` or \
            `current.zeros_tensor(&shape)?`, or if it is the output of another operator",
    note = "GE-19: a buffer becomes a tensor by a shape: `buffer.into_tensor(&[2, 3])?`",
    note = "see `ascendcl-explain OP-03`"
)]
pub trait TensorInput<C: Brand>: OperatorInput<C> + OperatorInputs<C> + sealed::Shaped {
    /// The type of its elements.
    type Element: Element;
}

impl<C: Brand, E: Element> TensorInput<C> for DeviceTensor<C, E> {
    type Element = E;
}

impl<C: Brand, E: Element> TensorInput<C> for SharedTensor<C, E> {
    type Element = E;
}

impl<C: Brand, E: Element> sealed::Shaped for DeviceTensor<C, E> {
    fn sizes_of_tensor(&self, _: Inside) -> &[usize] {
        self.shape()
    }
}

impl<C: Brand, E: Element> sealed::Shaped for SharedTensor<C, E> {
    fn sizes_of_tensor(&self, _: Inside) -> &[usize] {
        self.shape()
    }
}

impl<C: Brand, E: Element> OperatorInput<C> for SharedTensor<C, E> {}
impl<C: Brand, E: Element> OperatorInputs<C> for SharedTensor<C, E> {}
impl<C: Brand, E: Element> IdleInputs for SharedTensor<C, E> {}
list_of_one!([C: Brand, E: Element] SharedTensor<C, E>);

impl<C: Brand, E: Element> sealed::Input for SharedTensor<C, E> {
    type Idle = Self;

    fn into_idle_input(self, _: Inside) -> Self {
        self
    }

    fn tensor_argument(&self, _: Inside) -> TensorArgument {
        let memory = TensorMemory { block: self.buffer.row(), element: E::TYPE, state: TensorState::Shared };
        TensorArgument { memory: Some(memory), dims: model::dims(&self.shape) }
    }
}

/// Another handle of the same tensor.
impl<C: Brand, E> Clone for SharedTensor<C, E> {
    fn clone(&self) -> Self {
        Self { buffer: self.buffer.clone(), shape: Arc::clone(&self.shape) }
    }
}

impl<C: Brand, E> fmt::Debug for SharedTensor<C, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedTensor").field("shape", &self.shape).finish_non_exhaustive()
    }
}
