//! Reading the outputs of bound models on the host.

use super::bindings::{OutputMemory, OutputTensor};
use super::{BoundModel, IndexOrName, TensorInfo};
use crate::brand::Brand;
use crate::current::Current;
use crate::element::Element;
use crate::error::{Error, ObjectKind};
use crate::ffi::RawBuffer;

impl<C: Brand, P> BoundModel<C, P> {
    /// The shape of an output in the last execution, outermost size first: `aclmdlGetCurOutputDims` when the gear is chosen,
    /// `aclmdlGetDatasetTensorDesc`, or the description of a model with fixed shapes.
    ///
    /// # Errors
    ///
    /// [`Error::NotExecuted`] before the first execution, [`Error::NoSuchOutput`] or [`Error::NoOutputNamed`], or
    /// [`Error::UnknownShape`] when the library does not say.
    pub fn output_shape<'n>(
        &self,
        current: &Current<C>,
        output: impl Into<IndexOrName<'n>>,
    ) -> Result<Vec<usize>, Error> {
        self.parts.binding.check_current()?;
        let output = self.output_index(output)?;
        let bound = self.output(output)?;
        self.dims(current, output, &bound.info)
    }

    /// Copies an output to the host (`aclrtMemcpy`), with as many elements as its [shape](Self::output_shape) has.
    /// [`read_into`](Self::read_into) copies into memory that the program has.
    ///
    /// # Errors
    ///
    /// [`Error::NotExecuted`] before the first execution; [`Error::OutputType`]; [`Error::NoSuchOutput`];
    /// [`Error::LengthMismatch`] if the execution wrote another number of elements than the bound shape has;
    /// [`Error::UnknownShape`] when the library does not say how many; [`Error::OutputNotAllocated`]; or
    /// [`Error::Vendor`].
    pub fn read<'n, E: Element>(
        &self,
        current: &Current<C>,
        output: impl Into<IndexOrName<'n>>,
    ) -> Result<Vec<E>, Error> {
        self.with_output::<E, _>(current, output.into(), |elements, block| {
            let mut read = vec![E::default(); elements];
            block.read(current.here(), &mut read).map(|()| read).map_err(Error::from)
        })
    }

    /// Like [`read`](Self::read), into memory of the program. `to` has exactly as many elements as the output's
    /// [shape](Self::output_shape). Allocates nothing on the host, so a loop of [`write`](Self::write),
    /// [`run_bound`](crate::Stream::run_bound) and `read_into` allocates nothing either.
    ///
    /// ```
    /// use ascendcl::{BoundModel, Current, Error, Stream, stream::DefaultAllocator};
    ///
    /// ascendcl::names!(Digits);
    ///
    /// fn classify(
    ///     current: &Current<Digits>,
    ///     stream: &Stream<Digits, DefaultAllocator>,
    ///     model: &mut BoundModel<Digits>,
    ///     pixels: &[f32; 64],
    ///     scores: &mut [f32; 10],
    /// ) -> Result<(), Error> {
    ///     model.write(current, 0, pixels)?;
    ///     stream.run_bound(current, model)?;
    ///     model.read_into(current, 0, scores)
    /// }
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits.onnx");
    /// # let runtime = ascendcl::Runtime::<Digits>::open(ascendcl::Library::Simulator)?;
    /// # runtime.with(|current| {
    /// #     let mut model = current.load_model(file)?.bind(current, &[&[1, 64]], &[&[1, 10]])?;
    /// #     let stream = current.stream()?.without_allocator();
    /// #     let mut scores = [f32::NAN; 10];
    /// #     classify(current, &stream, &mut model, &[0.0; 64], &mut scores)?;
    /// #     assert_eq!(scores.to_vec(), model.read::<f32>(current, 0)?);
    /// #     Ok::<_, Error>(())
    /// # })??;
    /// # runtime.close().map_err(Error::from)?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read), and [`Error::LengthMismatch`] if `to` has another number of elements. `to` is
    /// unchanged, unless the error is that of the copy itself.
    pub fn read_into<'n, E: Element>(
        &self,
        current: &Current<C>,
        output: impl Into<IndexOrName<'n>>,
        to: &mut [E],
    ) -> Result<(), Error> {
        self.with_output::<E, _>(current, output.into(), |expected, block| {
            if to.len() != expected {
                return Err(Error::LengthMismatch { what: ObjectKind::MODEL_OUTPUT, expected, found: to.len() });
            }
            block.read(current.here(), to).map_err(Error::from)
        })
    }

    /// Calls `read` with the memory of an output, and how many elements the last execution wrote there. The memory has
    /// as many.
    #[inline]
    fn with_output<E: Element, R>(
        &self,
        current: &Current<C>,
        output: IndexOrName<'_>,
        read: impl FnOnce(usize, &RawBuffer) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.with_written(current, output, OutputTensor::check_element::<E>, |elements, _, block| {
            let need = elements.saturating_mul(size_of::<E>());
            if need > block.bytes() {
                return Err(Error::TooShort { what: ObjectKind::MODEL_OUTPUT, need, have: block.bytes() });
            }
            read(elements, block)
        })
    }

    /// The same for elements of any type that `check` accepts. The memory may have fewer.
    #[inline]
    pub(super) fn with_written<R>(
        &self,
        current: &Current<C>,
        output: IndexOrName<'_>,
        check: impl FnOnce(&OutputTensor) -> Result<(), Error>,
        read: impl FnOnce(usize, &OutputTensor, &RawBuffer) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.parts.binding.check_current()?;
        let output = self.output_index(output)?;
        check(self.parts.bound.output(output)?)?;
        let bound = self.output(output)?;
        let api = current.ledger().api();
        // The library reports the real shape. A model may write fewer elements than there is memory for.
        let found = self.elements(current, output, &bound.info);
        let own;
        let (elements, block) = match &bound.memory {
            OutputMemory::Exactly(expected, block) => {
                let (what, expected, found) = (ObjectKind::MODEL_OUTPUT, *expected, found?);
                if expected != found {
                    return Err(Error::LengthMismatch { what, expected, found });
                }
                (found, &**block)
            }
            OutputMemory::AtMost(block) => (found?, &**block),
            OutputMemory::ByLibrary => {
                let name = || bound.info.name.clone();
                own = self
                    .parts
                    .binding
                    .allocated(api, output)
                    .ok_or_else(|| Error::OutputNotAllocated { name: name() })?;
                (found?, &own)
            }
        };
        self.check_not_running(current, block)?;
        read(elements, bound, block)
    }

    pub(super) fn input_index<'n>(&self, input: impl Into<IndexOrName<'n>>) -> Result<usize, Error> {
        Ok(input.into().input(self.parts.model.inputs())?)
    }

    pub(super) fn output_index<'n>(&self, output: impl Into<IndexOrName<'n>>) -> Result<usize, Error> {
        output.into().output(self.parts.model.outputs().iter().map(|info| info.name.as_str()))
    }

    /// An output of the last execution.
    pub(super) fn output(&self, index: usize) -> Result<&OutputTensor, Error> {
        let bound = self.parts.bound.output(index)?;
        if self.parts.bound.executed && !bound.replaced { Ok(bound) } else { Err(Error::NotExecuted) }
    }

    /// How many elements the last execution wrote to an output. Allocates nothing.
    pub(super) fn elements(&self, current: &Current<C>, index: usize, info: &TensorInfo) -> Result<usize, Error> {
        let product = |all: usize, size: &Option<usize>| size.map(|size| all.saturating_mul(size));
        let own = || self.described_shape(info)?.iter().try_fold(1, product);
        let elements = self.parts.binding.output_elements(current.ledger().api(), index).or_else(own);
        elements.ok_or_else(|| Error::UnknownShape { name: info.name.clone() })
    }

    fn dims(&self, current: &Current<C>, index: usize, info: &TensorInfo) -> Result<Vec<usize>, Error> {
        let dims = self.parts.binding.output_dims(current.ledger().api(), index);
        let shape = dims.and_then(|dims| dims.into_iter().map(|size| usize::try_from(size).ok()).collect());
        let own = || self.described_shape(info)?.iter().copied().collect();
        shape.or_else(own).ok_or_else(|| Error::UnknownShape { name: info.name.clone() })
    }

    /// The shape in the model's description: the library need not describe an output whose shape is fixed. `None` with
    /// gears, because the description then has the shape of the largest one.
    fn described_shape<'i>(&self, info: &'i TensorInfo) -> Option<&'i [Option<usize>]> {
        self.parts.model.gears().is_none().then_some(info.shape.as_slice())
    }
}
