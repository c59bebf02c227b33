//! Tensors whose element type is known at run time only.

mod checks;
mod in_flight;
mod input;
mod operands;
mod shared;

use super::tensor::DeviceTensor;
use super::{TensorArgument, TensorMemory, TensorState};
use crate::brand::{Brand, Mark, Scoped};
use crate::current::Current;
use crate::element::{Element, ElementType};
use crate::error::{Error, Failed};
use crate::ffi::RawBuffer;
use crate::memory::DeviceBuffer;
use crate::model;
use ascendcl_macros::rule;
use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

use crate::error::check_truth_values;
use checks::{bytes_of, check_alignment, check_length, check_type};
pub use input::AnyInput;
pub use shared::SharedAnyTensor;

/// A tensor on the device whose element type is known at run time only: the bytes of its elements, an [`ElementType`],
/// and a shape, outermost size first. For programs that read a graph from a file. If the program knows the type when it
/// is compiled, it uses a [`DeviceTensor`].
///
/// Element type, shape and the length of the memory agree: every constructor checks that.
/// `AnyTensor<C, MaybeUninit<u8>>` was not written yet, and can be an output only. An [`Operator`](super::Operator) takes these
/// tensors as it takes the others, alone or in a tuple, an array or a `Vec`.
///
/// ```
/// use ascendcl::{ElementType, operator::Operator};
///
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// // What a program reads from a file: the type, the shape, and the bytes.
/// let (element, shape, file) = (ElementType::F32, [2, 2], [1.0_f32, -2.0, 3.0, -4.0].map(f32::to_ne_bytes));
/// let stream = current.stream()?.without_allocator();
/// let x = current.upload_any_tensor(&shape, element, file.as_flattened())?;
/// let y = current.any_tensor(x.shape(), x.element())?;
/// let relu = Operator::new("Relu").bind(current, vec![x], vec![y])?;
/// let outputs = stream.launch(current, relu)?.into_outputs().wait(current)?;
/// assert_eq!(outputs[0].to_vec::<f32>(current)?, [1.0, 0.0, 3.0, 0.0]);
/// // The type is compared when the elements are read.
/// assert!(outputs[0].to_vec::<i32>(current).is_err());
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[diagnostic::on_move(
    message = "this tensor is in use by an operator or graph",
    note = "OP-03, GE-20: operators and graphs have their tensors until they were waited for: `pending.wait(current)?` gives back what it uses"
)]
#[rule(OP_02, MEM_07)]
pub struct AnyTensor<
    C: Brand, // CTX-02: the context comes first: `AnyTensor<C>` with `C: Brand`; of a runtime: `AnyTensor<Vision>`
    B = u8,
> {
    block: Arc<RawBuffer>,
    element: ElementType,
    shape: Box<[usize]>,
    _brand: Mark<C>,
    _bytes: PhantomData<fn(B) -> B>,
}

assert_impl_all!(AnyTensor<Scoped<'static>>: Send, Sync);
assert_not_impl_any!(AnyTensor<Scoped<'static>>: Clone);

/// The bytes of a tensor: written, or not yet.
#[diagnostic::on_unimplemented(
    message = "a buffer of `{Self}` is no buffer of bytes",
    label = "expected a `DeviceBuffer` of `u8`, or of `MaybeUninit<u8>`",
    note = "OP-02: elements with a type become a tensor of that type, `buffer.into_tensor(&shape)?`; then `tensor.into_any()`",
    note = "see `ascendcl-explain OP-02`"
)]
pub trait TensorByte: sealed::TensorByte {}

impl<B: sealed::TensorByte> TensorByte for B {}

mod sealed {
    use core::mem::MaybeUninit;

    pub trait TensorByte {}

    impl TensorByte for u8 {}
    impl TensorByte for MaybeUninit<u8> {}
}

impl<C: Brand> Current<C> {
    /// Allocates device memory for an operator's output of this shape, outermost size first, and of this element
    /// type (`aclrtMalloc`).
    ///
    /// # Errors
    ///
    /// [`Error::UnknownElement`] for a type whose size this crate does not know ([`ElementType::Other`]); else as for
    /// [`device_buffer`](Self::device_buffer).
    #[rule(DATA_08)]
    pub fn any_tensor(&self, shape: &[usize], element: ElementType) -> Result<AnyTensor<C, MaybeUninit<u8>>, Error> {
        let bytes = self.device_buffer::<u8>(bytes_of(shape, element)?)?;
        Ok(AnyTensor::of(bytes.into_row(), shape.into(), element))
    }

    /// Allocates device memory for a tensor of this shape, outermost size first, and copies the bytes of its
    /// elements there (`aclrtMalloc`, `aclrtMemcpy`): in row-major order, in the machine's byte order.
    ///
    /// # Errors
    ///
    /// [`InputError::Bytes`](crate::error::InputError::Bytes) when the shape has more or fewer bytes,
    /// [`Error::NoTruthValue`] when the tensor is one of truth values and a byte is neither 0 nor 1, and
    /// [`Error::UnknownElement`] for a type whose size this crate does not know ([`ElementType::Other`]), before
    /// anything is called; else as for [`upload`](Self::upload).
    #[rule(DATA_08)]
    pub fn upload_any_tensor(
        &self,
        shape: &[usize],
        element: ElementType,
        bytes: &[u8],
    ) -> Result<AnyTensor<C>, Error> {
        check_length(shape, element, bytes.len())?;
        check_truth_values(element, bytes)?;
        Ok(AnyTensor::of(self.upload(bytes)?.into_row(), shape.into(), element))
    }
}

impl<C: Brand, B: TensorByte> DeviceBuffer<C, B> {
    /// The buffer's bytes as a tensor of this shape, outermost size first, and of this element type. Bytes of truth
    /// values are on the device, so they are not compared.
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// use ascendcl::ElementType;
    ///
    /// let file = current.upload(&[1.0_f32, 2.0].map(f32::to_ne_bytes).as_flattened())?;
    /// let tensor = file.into_any_tensor(&[2], ElementType::F32)?;
    /// assert_eq!(tensor.to_vec::<f32>(current)?, [1.0, 2.0]);
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the buffer unchanged, with [`InputError::Bytes`](crate::error::InputError::Bytes) when the shape has
    /// more or fewer bytes; [`Error::UnknownElement`] for a type whose size this crate does not know;
    /// [`Error::MisalignedPart`] for a part of other memory that does not begin at a multiple of 64 bytes (MEM-08);
    /// [`Error::CannotCast`] for memory of other code that is not aligned for the elements.
    #[rule(MEM_08, DATA_08)]
    pub fn into_any_tensor(self, shape: &[usize], element: ElementType) -> Result<AnyTensor<C, B>, Failed<Self>> {
        let checked = check_length(shape, element, self.len())
            .and_then(|()| self.block().check_tensor_alignment())
            .and_then(|()| check_alignment(self.block(), element));
        match checked {
            Ok(()) => Ok(AnyTensor::of(self.into_row(), shape.into(), element)),
            Err(error) => Err(Failed { error, value: self }),
        }
    }
}

impl<C: Brand, E: Element> DeviceTensor<C, E> {
    /// The same tensor, with its element type as a value. This calls nothing.
    pub fn into_any(self) -> AnyTensor<C> {
        let shape = self.shape().into();
        AnyTensor::of(self.into_buffer().into_row(), shape, E::TYPE)
    }
}

impl<C: Brand, B> AnyTensor<C, B> {
    /// A block with as many bytes as the tensor has.
    fn of(block: Arc<RawBuffer>, shape: Box<[usize]>, element: ElementType) -> Self {
        Self { block, element, shape, _brand: Mark::NEW, _bytes: PhantomData }
    }

    pub(crate) fn block(&self) -> &RawBuffer {
        &self.block
    }

    /// Its sizes, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Its element type.
    pub fn element(&self) -> ElementType {
        self.element
    }

    /// The bytes of the tensor, without shape and type.
    pub fn into_buffer(self) -> DeviceBuffer<C, B> {
        DeviceBuffer::of(self.block)
    }

    /// The same elements in another shape. This moves no element.
    ///
    /// # Errors
    ///
    /// Returns the tensor unchanged, with [`InputError::Bytes`](crate::error::InputError::Bytes) when the shape has
    /// more or fewer bytes.
    #[rule(DATA_08)]
    pub fn reshape(self, shape: &[usize]) -> Result<Self, Failed<Self>> {
        match check_length(shape, self.element, self.block.bytes()) {
            Ok(()) => Ok(Self { shape: shape.into(), ..self }),
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
        self, // MEM-01: memory is freed once and last: copy what is needed later, `to_bytes(current)?`
        current: &Current<C>,
    ) -> Result<(), Failed<Self>> {
        let Self { block, element, shape, .. } = self;
        let freed = DeviceBuffer::<C, B>::of(block).free(current);
        freed.map_err(|failed| failed.map(|buffer| Self::of(buffer.into_row(), shape, element)))
    }

    pub(super) fn described(&self, state: TensorState) -> TensorArgument {
        let memory = TensorMemory { block: Arc::clone(&self.block), element: self.element, state };
        TensorArgument { memory: Some(memory), dims: model::dims(&self.shape) }
    }
}

impl<C: Brand> AnyTensor<C, MaybeUninit<u8>> {
    pub(super) fn into_written(self) -> AnyTensor<C> {
        AnyTensor::of(self.block, self.shape, self.element)
    }
}

impl<C: Brand> AnyTensor<C> {
    /// The same tensor, with its element type in its Rust type. This calls nothing.
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let tensor = current.upload_tensor(&[2], &[1_i32, 2])?.into_any();
    /// let tensor = tensor.into_typed::<f32>().unwrap_err().value;
    /// assert_eq!(tensor.into_typed::<i32>()?.to_vec(current)?, [1, 2]);
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the tensor unchanged, with [`Error::OtherElement`] if it has elements of another type.
    #[rule(DATA_08)]
    pub fn into_typed<E: Element>(self) -> Result<DeviceTensor<C, E>, Failed<Self>> {
        match check_type::<E>(self.element, self.element == E::TYPE) {
            Ok(()) => Ok(DeviceTensor::of(DeviceBuffer::of(self.block), self.shape)),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    /// The elements on the host, in row-major order (`aclrtMemcpy`).
    ///
    /// # Errors
    ///
    /// [`Error::OtherElement`] if the tensor has elements of another type: truth values are read as
    /// [`Bool`](crate::Bool) or as `u8`. Else as for [`DeviceBuffer::to_vec`].
    #[rule(DATA_08)]
    pub fn to_vec<E: Element>(&self, current: &Current<C>) -> Result<Vec<E>, Error> {
        checks::read(&self.block, self.element, current)
    }

    /// The bytes of the elements on the host, in row-major order and the machine's byte order (`aclrtMemcpy`).
    ///
    /// # Errors
    ///
    /// As for [`DeviceBuffer::to_vec`].
    pub fn to_bytes(&self, current: &Current<C>) -> Result<Vec<u8>, Error> {
        checks::read_bytes(&self.block, current)
    }

    /// Overwrites all elements by these bytes (`aclrtMemcpy`), in row-major order and the machine's byte order, and
    /// returns when that is done.
    ///
    /// # Errors
    ///
    /// [`InputError::Bytes`](crate::error::InputError::Bytes) for more or fewer bytes, [`Error::NoTruthValue`] when the
    /// tensor is one of truth values and a byte is neither 0 nor 1, before anything is called; or [`Error::Vendor`].
    #[rule(DATA_08)]
    pub fn copy_from_bytes(&mut self, current: &Current<C>, bytes: &[u8]) -> Result<(), Error> {
        check_length(&self.shape, self.element, bytes.len())?;
        check_truth_values(self.element, bytes)?;
        Ok(self.block.write(current.here(), bytes)?)
    }
}

impl<C: Brand, B> fmt::Debug for AnyTensor<C, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("AnyTensor");
        shown.field("element", &self.element).field("shape", &self.shape).finish_non_exhaustive()
    }
}
