//! Inputs and outputs of bound models as bytes: for data of a file, and for elements that this crate has no type for.

use super::bindings::{OutputMemory, unknown_element};
use super::{BoundModel, IndexOrName};
use crate::brand::Brand;
use crate::current::Current;
use crate::error::{Error, ObjectKind};
use ascendcl_macros::rule;

impl<C: Brand, P> BoundModel<C, P> {
    /// Copies the bytes of elements into an input (`aclrtMemcpy`), in row-major order and the machine's byte order, and
    /// returns when the copy is complete. [`write`](Self::write) takes elements with a type.
    ///
    /// ```
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits.onnx");
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let stream = current.stream()?.without_allocator();
    /// let mut model = current.load_model(file)?.bind(current, &[&[1, 64]], &[&[1, 10]])?;
    /// model.write_bytes(current, 0, &0.5_f32.to_ne_bytes().repeat(64))?;
    /// stream.run_bound(current, &mut model)?;
    /// assert_eq!(model.read_bytes(current, 0)?.len(), 40);
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InputError::Bytes`](crate::error::InputError::Bytes) when the bound shape has more or fewer bytes, as this
    /// crate knows them, or as the library says for elements without a type here; else as for [`write`](Self::write).
    #[rule(DATA_08)]
    pub fn write_bytes<'n>(
        &mut self,
        current: &Current<C>,
        input: impl Into<IndexOrName<'n>>,
        bytes: &[u8],
    ) -> Result<(), Error> {
        let input = self.input_index(input)?;
        let block = self.parts.bound.input_of_bytes(input, bytes)?;
        self.check_not_running(current, block)?;
        Ok(block.write(current.here(), bytes)?)
    }

    /// Copies an output to the host as bytes (`aclrtMemcpy`): of as many elements as its [shape](Self::output_shape)
    /// has, in row-major order and the machine's byte order. [`read`](Self::read) returns elements with a type.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read), without [`Error::OutputType`]; [`Error::UnknownElement`] for elements whose size
    /// only the library knows, if it has allocated the output.
    #[rule(DATA_08)]
    pub fn read_bytes<'n>(&self, current: &Current<C>, output: impl Into<IndexOrName<'n>>) -> Result<Vec<u8>, Error> {
        self.with_written(
            current,
            output.into(),
            |_| Ok(()),
            |elements, bound, block| {
                let need = match (bound.info.element.size(), &bound.memory) {
                    (Some(size), _) => elements.saturating_mul(size),
                    // The library says how many bytes an output of a fixed shape has, and its memory has as many.
                    (None, OutputMemory::Exactly(..)) => block.bytes(),
                    (None, _) => return Err(unknown_element(&bound.info)),
                };
                if need > block.bytes() {
                    return Err(Error::TooShort { what: ObjectKind::MODEL_OUTPUT, need, have: block.bytes() });
                }
                let mut bytes = vec![0; need];
                block.read(current.here(), &mut bytes)?;
                Ok(bytes)
            },
        )
    }
}
