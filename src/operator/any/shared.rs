//! Tensors of any element type that several operators read.

use super::super::shared::SharedTensor;
use super::super::{TensorArgument, TensorMemory, TensorState};
use super::AnyTensor;
use super::checks::{check_type, read, read_bytes};
use crate::brand::{Brand, Scoped};
use crate::current::Current;
use crate::element::{Element, ElementType};
use crate::error::{Error, Failed};
use crate::memory::SharedBuffer;
use crate::model;
use ascendcl_macros::rule;
use core::fmt;
use static_assertions::assert_impl_all;
use std::sync::Arc;

/// An [`AnyTensor`] with any number of readers and no writer, as a [`SharedTensor`] is of a
/// [`DeviceTensor`](crate::operator::DeviceTensor). A clone is a new
/// handle of the same memory. So one value of a graph can be an input of several operators.
///
/// ```
/// use ascendcl::{ElementType, operator::Operator};
///
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let stream = current.stream()?.without_allocator();
/// let file = [3_i32, -4].map(i32::to_ne_bytes);
/// let x = current.upload_any_tensor(&[2], ElementType::I32, file.as_flattened())?.into_shared();
/// let square = current.any_tensor(x.shape(), x.element())?;
/// let square = Operator::new("Mul").bind(current, vec![x.clone(), x], square)?;
/// let square = stream.launch(current, square)?.into_outputs().wait(current)?;
/// assert_eq!(square.to_vec::<i32>(current)?, [9, 16]);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[rule(MEM_02, MEM_07)]
pub struct SharedAnyTensor<
    C: Brand, // CTX-02: the context comes first: `SharedAnyTensor<C>` with `C: Brand`; of a runtime: `SharedAnyTensor<Vision>`
> {
    pub(super) bytes: SharedBuffer<C, u8>,
    element: ElementType,
    shape: Arc<[usize]>,
}

assert_impl_all!(SharedAnyTensor<Scoped<'static>>: Send, Sync, Clone);

impl<C: Brand> AnyTensor<C> {
    /// Makes the tensor shared. This calls nothing.
    #[rule(MEM_02)]
    pub fn into_shared(self) -> SharedAnyTensor<C> {
        let (element, shape) = (self.element, Arc::from(&*self.shape));
        SharedAnyTensor { bytes: self.into_buffer().into_shared(), element, shape }
    }
}

impl<C: Brand, E: Element> SharedTensor<C, E> {
    /// The same tensor, with its element type as a value. This calls nothing.
    pub fn into_any(self) -> SharedAnyTensor<C> {
        let Self { buffer, shape } = self;
        SharedAnyTensor { bytes: buffer.into_elements(), element: E::TYPE, shape }
    }
}

impl<C: Brand> SharedAnyTensor<C> {
    pub(crate) fn buffer(&self) -> &SharedBuffer<C, u8> {
        &self.bytes
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
    pub fn into_buffer(self) -> SharedBuffer<C, u8> {
        self.bytes
    }

    /// The same tensor, with its element type in its Rust type. This calls nothing.
    ///
    /// # Errors
    ///
    /// Returns the tensor unchanged, with [`Error::OtherElement`] if it has elements of another type.
    #[rule(DATA_08)]
    pub fn into_typed<E: Element>(self) -> Result<SharedTensor<C, E>, Failed<Self>> {
        match check_type::<E>(self.element, self.element == E::TYPE) {
            Ok(()) => Ok(SharedTensor { buffer: self.bytes.into_elements(), shape: self.shape }),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    /// The elements on the host, in row-major order (`aclrtMemcpy`).
    ///
    /// # Errors
    ///
    /// As for [`AnyTensor::to_vec`].
    #[rule(DATA_08)]
    pub fn to_vec<E: Element>(&self, current: &Current<C>) -> Result<Vec<E>, Error> {
        read(self.bytes.block(), self.element, current)
    }

    /// The bytes of the elements on the host, in row-major order and the machine's byte order (`aclrtMemcpy`).
    ///
    /// # Errors
    ///
    /// As for [`SharedBuffer::to_vec`].
    pub fn to_bytes(&self, current: &Current<C>) -> Result<Vec<u8>, Error> {
        read_bytes(self.bytes.block(), current)
    }

    /// Turns the tensor back into one with a single owner, if this is the last handle.
    ///
    /// # Errors
    ///
    /// Returns the tensor unchanged, with the errors of [`SharedBuffer::try_unshare`].
    #[rule(MEM_02, MEM_11)]
    pub fn try_unshare(self, current: &Current<C>) -> Result<AnyTensor<C>, Failed<Self>> {
        let Self { bytes, element, shape } = self;
        match bytes.try_unshare(current) {
            Ok(buffer) => Ok(AnyTensor::of(buffer.into_row(), (&*shape).into(), element)),
            Err(Failed { error, value: bytes }) => Err(Failed { error, value: Self { bytes, element, shape } }),
        }
    }

    pub(super) fn described(&self) -> TensorArgument {
        let memory = TensorMemory { block: self.bytes.row(), element: self.element, state: TensorState::Shared };
        TensorArgument { memory: Some(memory), dims: model::dims(&self.shape) }
    }
}

/// Another handle of the same tensor.
impl<C: Brand> Clone for SharedAnyTensor<C> {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.clone(), element: self.element, shape: Arc::clone(&self.shape) }
    }
}

impl<C: Brand> fmt::Debug for SharedAnyTensor<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("SharedAnyTensor");
        shown.field("element", &self.element).field("shape", &self.shape).finish_non_exhaustive()
    }
}
