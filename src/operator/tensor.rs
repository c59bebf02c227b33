//! Device memory with a shape.

use super::sealed;
use super::{TensorArgument, TensorMemory, TensorState};
use crate::brand::{Brand, Inside, Scoped};
use crate::current::Current;
use crate::element::{Element, ElementType, elements_of};
use crate::error::{Error, Failed, InputError};
use crate::memory::DeviceBuffer;
use crate::model;
use ascendcl_macros::rule;
use core::fmt;
use core::mem::MaybeUninit;
use static_assertions::{assert_impl_all, assert_not_impl_any};

/// A tensor on the device: a [`DeviceBuffer`] and the shape that its elements fill, outermost size first.
///
/// Element type, shape and length agree: every constructor checks that. As for buffers, the elements of a tensor that
/// was not written yet are [`MaybeUninit`].
///
/// ```
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let tensor = current.upload_tensor(&[2, 3], &[1_u8, 2, 3, 4, 5, 6])?;
/// assert_eq!(tensor.shape(), [2, 3]);
/// // Another shape of as many elements.
/// let tensor = tensor.reshape(&[3, 2])?;
/// assert_eq!(tensor.to_vec(current)?, [1, 2, 3, 4, 5, 6]);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[diagnostic::on_move(
    message = "this tensor is in use by an operator or graph",
    note = "OP-03, GE-20: operators and graphs have their tensors until they were waited for: `pending.wait(current)?` gives back what it uses"
)]
pub struct DeviceTensor<
    C: Brand, // CTX-02: the context comes first: `DeviceTensor<C, f32>` with `C: Brand`; of a runtime: `DeviceTensor<Vision, f32>`
    E,
> {
    pub(super) buffer: DeviceBuffer<C, E>,
    shape: Box<[usize]>,
}

assert_impl_all!(DeviceTensor<Scoped<'static>, f32>: Send, Sync);
assert_not_impl_any!(DeviceTensor<Scoped<'static>, f32>: Clone);

/// In place of an optional input that is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[rule(OP_04)]
pub struct Absent;

impl<C: Brand, E> DeviceBuffer<C, E> {
    /// The buffer's elements as a tensor of this shape.
    ///
    /// # Errors
    ///
    /// Returns the buffer unchanged, with [`InputError::Length`] when the shape has more or fewer elements;
    /// [`Error::MisalignedPart`] for a part of other memory that does not begin at a multiple of 64 bytes (MEM-08).
    #[rule(MEM_08)]
    pub fn into_tensor(self, shape: &[usize]) -> Result<DeviceTensor<C, E>, Failed<Self>> {
        match check_shape(shape, self.len()).and_then(|()| self.block().check_tensor_alignment()) {
            Ok(()) => Ok(DeviceTensor { buffer: self, shape: shape.into() }),
            Err(error) => Err(Failed { error, value: self }),
        }
    }
}

impl<C: Brand> Current<C> {
    /// Allocates device memory for a tensor of this shape, outermost size first, and copies its elements there
    /// (`aclrtMalloc`, `aclrtMemcpy`).
    ///
    /// # Errors
    ///
    /// [`InputError::Length`] when the shape has more or fewer elements, before anything is called; else as for
    /// [`upload`](Self::upload).
    pub fn upload_tensor<E: Element>(&self, shape: &[usize], from: &[E]) -> Result<DeviceTensor<C, E>, Error> {
        check_shape(shape, from.len())?;
        Ok(DeviceTensor { buffer: self.upload(from)?, shape: shape.into() })
    }

    /// Allocates device memory for an operator's output of this shape, outermost size first (`aclrtMalloc`).
    ///
    /// # Errors
    ///
    /// As for [`device_buffer`](Self::device_buffer).
    pub fn tensor<E: Element>(&self, shape: &[usize]) -> Result<DeviceTensor<C, MaybeUninit<E>>, Error> {
        Ok(DeviceTensor { buffer: self.device_buffer(elements_of(shape))?, shape: shape.into() })
    }

    /// Allocates device memory for a tensor of this shape, outermost size first, and sets it to zero (`aclrtMalloc`,
    /// `aclrtMemset`).
    ///
    /// # Errors
    ///
    /// As for [`device_buffer`](Self::device_buffer) and [`DeviceBuffer::zero`].
    pub fn zeros_tensor<E: Element>(&self, shape: &[usize]) -> Result<DeviceTensor<C, E>, Error> {
        let buffer = self.device_buffer(elements_of(shape))?.zero(self)?;
        Ok(DeviceTensor { buffer, shape: shape.into() })
    }
}

impl<C: Brand, E> DeviceTensor<C, E> {
    /// A buffer with as many elements as the shape has.
    pub(super) fn of(buffer: DeviceBuffer<C, E>, shape: Box<[usize]>) -> Self {
        Self { buffer, shape }
    }

    pub(crate) fn buffer(&self) -> &DeviceBuffer<C, E> {
        &self.buffer
    }

    /// Its sizes, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The memory without the shape.
    pub fn into_buffer(self) -> DeviceBuffer<C, E> {
        self.buffer
    }

    /// The elements on the host, in row-major order (`aclrtMemcpy`).
    ///
    /// # Errors
    ///
    /// As for [`DeviceBuffer::to_vec`].
    pub fn to_vec(&self, current: &Current<C>) -> Result<Vec<E>, Error>
    where
        E: Element,
    {
        self.buffer.to_vec(current)
    }

    /// Overwrites all elements from host memory, in row-major order (`aclrtMemcpy`), and returns when that is done.
    ///
    /// # Errors
    ///
    /// As for [`DeviceBuffer::copy_from`].
    pub fn copy_from(&mut self, current: &Current<C>, from: &[E]) -> Result<(), Error>
    where
        E: Element,
    {
        self.buffer.copy_from(current, from)
    }

    /// Copies all elements to host memory, in row-major order (`aclrtMemcpy`), and returns when that is done.
    ///
    /// # Errors
    ///
    /// As for [`DeviceBuffer::copy_to`].
    pub fn copy_to(&self, current: &Current<C>, to: &mut [E]) -> Result<(), Error>
    where
        E: Element,
    {
        self.buffer.copy_to(current, to)
    }

    /// The same elements in another shape. This moves no element.
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let row = current.upload_tensor(&[6], &[1_u8, 2, 3, 4, 5, 6])?;
    /// let table = row.reshape(&[2, 3])?;
    /// assert_eq!(table.shape(), [2, 3]);
    /// table.free(current)?;
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the tensor unchanged, with [`InputError::Length`] when the shape has more or fewer elements.
    pub fn reshape(self, shape: &[usize]) -> Result<Self, Failed<Self>> {
        match check_shape(shape, self.buffer.len()) {
            Ok(()) => Ok(Self { buffer: self.buffer, shape: shape.into() }),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    /// Frees the memory (`aclrtFree`).
    ///
    /// # Errors
    ///
    /// Returns the tensor unchanged if the library refuses.
    #[must_use = "ERR-01: a failed call gives its object back: `?`, or look at the `Err`; see `ascendcl-explain ERR-01`"]
    #[rule(MEM_01, MEM_02, MEM_13)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn free( // MEM-11: memory is freed while its own context is current: `context.enter(thread, |current| ...)`
        self, // MEM-01: memory is freed once and last: copy what is needed later, `to_vec(current)?`
        current: &Current<C>,
    ) -> Result<(), Failed<Self>> {
        let Self { buffer, shape } = self;
        buffer.free(current).map_err(|failed| failed.map(|buffer| Self { buffer, shape }))
    }

    fn described(&self, element: ElementType, state: TensorState) -> TensorArgument {
        let memory = TensorMemory { block: self.buffer.row(), element, state };
        TensorArgument { memory: Some(memory), dims: model::dims(&self.shape) }
    }
}

/// A tensor that an operator reads.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an input of this operator",
    label = "expected a written `DeviceTensor` or a `SharedTensor` of the stream's own context, or `Absent`",
    note = "MEM-07: a tensor has elements if it is made with them, `current.upload_tensor(&shape, &elements)?` or \
            `current.zeros_tensor(&shape)?`, or if it is the output of another operator",
    note = "OP-03: an operator takes its tensors by value, and the wait gives them back; one that several operators read is shared: \
            `let y = y.into_shared();`, then `y.clone()` for each",
    note = "OP-03: the outputs of an operator in flight are inputs on the same stream: `pending.into_outputs()`",
    note = "OP-04: an optional input that is left out is `Absent`",
    note = "see `ascendcl-explain OP-03`"
)]
pub trait OperatorInput<C>: sealed::Input {}

/// A tensor that an operator writes. It may be in flight on the stream that the operator is launched on.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an output of this operator",
    label = "expected a `DeviceTensor` of the stream's own context",
    note = "allocate it in the stream's context: `current.tensor::<f32>(&[2, 3])?`",
    note = "MEM-02: shared memory is only read: `shared.try_unshare(current)?` turns the last handle into a tensor that can be written"
)]
pub trait OperatorOutput<C>: sealed::Output {}

impl<C: Brand, E: Element> OperatorInput<C> for DeviceTensor<C, E> {}
impl<C: Brand> OperatorInput<C> for Absent {}
impl<C: Brand, E: Element> OperatorOutput<C> for DeviceTensor<C, E> {}
impl<C: Brand, E: Element> OperatorOutput<C> for DeviceTensor<C, MaybeUninit<E>> {}

impl<C: Brand, E: Element> sealed::Input for DeviceTensor<C, E> {
    type Idle = Self;

    fn into_idle_input(self, _: Inside) -> Self {
        self
    }

    fn tensor_argument(&self, _: Inside) -> TensorArgument {
        self.described(E::TYPE, TensorState::Written)
    }
}

impl sealed::Input for Absent {
    type Idle = Self;

    fn into_idle_input(self, _: Inside) -> Self {
        self
    }

    fn tensor_argument(&self, _: Inside) -> TensorArgument {
        TensorArgument { memory: None, dims: Vec::new() }
    }
}

list_of_one!([] Absent);
list_of_one!([C: Brand, E: Element] DeviceTensor<C, E>);

impl<C: Brand, E: Element> sealed::Output for DeviceTensor<C, E> {
    type Written = Self;

    fn tensor_argument(&self, _: Inside) -> TensorArgument {
        self.described(E::TYPE, TensorState::Written)
    }

    fn into_written_output(self, _: Inside) -> Self {
        self
    }
}

impl<C: Brand, E: Element> sealed::Output for DeviceTensor<C, MaybeUninit<E>> {
    type Written = DeviceTensor<C, E>;

    fn tensor_argument(&self, _: Inside) -> TensorArgument {
        self.described(E::TYPE, TensorState::Unwritten)
    }

    fn into_written_output(self, _: Inside) -> DeviceTensor<C, E> {
        DeviceTensor { buffer: self.buffer.into_written(), shape: self.shape }
    }
}

/// An error unless the shape has this many elements.
pub(super) fn check_shape(shape: &[usize], found: usize) -> Result<(), Error> {
    match elements_of(shape) {
        expected if expected == found => Ok(()),
        expected => Err(InputError::Length { shape: format!("{shape:?}"), expected, found }.into()),
    }
}

impl<C: Brand, E> fmt::Debug for DeviceTensor<C, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceTensor").field("shape", &self.shape).finish_non_exhaustive()
    }
}
