//! A model with the buffers of its runs, ready for a stream.

use super::description::Shape;
use super::{Alone, Model, TensorInfo};
use crate::Element;
use crate::brand::Unnamed;
use crate::current::Current;
use crate::error::{Error, InputError, Undone};
use crate::ffi::{Binding, Block, BoundInput, Home, Queue};
use crate::stream::{CanExecute, Pending, Stream, StreamState};
use core::fmt;
use std::sync::Arc;

/// A model together with device memory for its inputs and outputs: what a stream executes, any number of times.
///
/// While it is in flight ([`Pending`]) nothing of it can be reached: the model is not executed twice at a time
/// (MODEL-15), not unloaded (MODEL-14), and its memory is not touched (MODEL-17, DATA-10).
#[must_use = "a prepared model does nothing until a stream executes it"]
pub struct Prepared<'c, N = Unnamed, P = Alone> {
    model: Model<'c, N, P>,
    binding: Arc<Binding>,
    bound: Box<Tensors>,
    /// Whether the outputs are those of an execution.
    executed: bool,
}

#[derive(Debug)]
struct Tensors {
    inputs: Vec<Bound>,
    outputs: Vec<Bound>,
}

/// One tensor on the device.
#[derive(Debug)]
struct Bound {
    info: TensorInfo,
    elements: usize,
    block: Arc<Block>,
}

impl<'c, N, P> Model<'c, N, P> {
    /// Allocates device memory for inputs and outputs of these shapes, and binds it to the model.
    ///
    /// # Errors
    ///
    /// The model as it was: [`Error::Input`] when the shapes do not fit the model (DATA-07), [`Error::Vendor`] when
    /// there is no room.
    pub fn prepare(
        self,
        current: &Current<'c, N>,
        inputs: &[&[usize]],
        outputs: &[&[usize]],
    ) -> Result<Prepared<'c, N, P>, Undone<Self>> {
        match self.bind(current, inputs, outputs) {
            Ok((binding, bound)) => Ok(Prepared { model: self, binding, bound: Box::new(bound), executed: false }),
            Err(error) => Err(Undone { error, value: self }),
        }
    }

    fn bind(
        &self,
        current: &Current<'c, N>,
        inputs: &[&[usize]],
        outputs: &[&[usize]],
    ) -> Result<(Arc<Binding>, Tensors), Error> {
        let bound = Tensors {
            inputs: allocate(current, &self.inputs, inputs)?,
            outputs: allocate(current, &self.outputs, outputs)?,
        };
        let parts = bound.inputs.iter().zip(inputs).map(|(bound, shape)| BoundInput {
            block: Arc::clone(&bound.block),
            bytes: bound.block.bytes(),
            dims: bound.info.is_dynamic().then(|| super::run::dims(shape)),
        });
        let places = bound.outputs.iter().map(|bound| Arc::clone(&bound.block)).collect();
        let binding = current.ledger().bind(&self.loaded, parts.collect(), places)?;
        Ok((binding, bound))
    }
}

impl<'c, N, P> Prepared<'c, N, P> {
    /// Copies elements into an input (`aclrtMemcpy`), and returns when that is done.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for another element type, [`Error::LengthMismatch`] for another length,
    /// [`Error::NoSuchInput`], or [`Error::Vendor`].
    pub fn write<E: Element>(&mut self, current: &Current<'c, N>, input: usize, elements: &[E]) -> Result<(), Error> {
        let count = self.bound.inputs.len();
        let bound = self.bound.inputs.get(input).ok_or(Error::NoSuchInput { index: input, count })?;
        if !bound.info.element.takes::<E>() {
            let (name, expected) = (bound.info.name.clone(), bound.info.element);
            return Err(InputError::Element { name, expected, found: E::TYPE }.into());
        }
        if elements.len() != bound.elements {
            let (expected, found) = (bound.elements, elements.len());
            return Err(Error::LengthMismatch { what: "input of the model", expected, found });
        }
        bound.block.write(current.ledger().api(), elements)
    }

    /// Copies an output to the host (`aclrtMemcpy`).
    ///
    /// # Errors
    ///
    /// [`Error::NotExecuted`] before the first execution; [`Error::OutputType`], [`Error::NoSuchOutput`];
    /// [`Error::LengthMismatch`] when the model left another number of elements than the shape that was prepared for
    /// it; or [`Error::Vendor`].
    pub fn read<E: Element>(&self, current: &Current<'c, N>, output: usize) -> Result<Vec<E>, Error> {
        let count = self.bound.outputs.len();
        let bound = self.bound.outputs.get(output).ok_or(Error::NoSuchOutput { index: output, count })?;
        if !bound.info.element.takes::<E>() {
            let (name, found) = (bound.info.name.clone(), bound.info.element);
            return Err(Error::OutputType { name, found, asked: E::TYPE });
        }
        if !self.executed {
            return Err(Error::NotExecuted);
        }
        // The library notes the real shape; a model may leave less in an output than it was given room for.
        let found = self.binding.output_elements(current.ledger().api(), output).unwrap_or(bound.elements);
        if found != bound.elements {
            return Err(Error::LengthMismatch { what: "output of the model", expected: bound.elements, found });
        }
        let mut elements = vec![E::default(); bound.elements];
        bound.block.read(current.ledger().api(), &mut elements).map(|()| elements)
    }

    /// Takes the model back. The buffers are freed by [`Current::collect`] or the end of the scope.
    ///
    /// # Errors
    ///
    /// The prepared model as it was, when the library refuses.
    pub fn into_model(self, current: &Current<'c, N>) -> Result<Model<'c, N, P>, Undone<Self>> {
        match current.ledger().unbind(&self.binding) {
            Ok(()) => Ok(self.model),
            Err(error) => Err(Undone { error, value: self }),
        }
    }

    /// Queues one execution.
    pub(crate) fn queue(
        mut self,
        current: &Current<'c, N>,
        stream: &Arc<Queue>,
    ) -> Result<Pending<'c, Self, N>, Undone<Self>> {
        match self.binding.execute(current.ledger().api(), stream, &self.model.loaded) {
            Ok(()) => {
                self.executed = true;
                Ok(Pending::new(self, stream))
            }
            Err(error) => Err(Undone { error, value: self }),
        }
    }
}

impl<'c, S: StreamState, N> Stream<'c, S, N> {
    /// Queues one execution of the model (`aclmdlExecuteAsync`), on a stream whose allocator is decided (ALLOC-05).
    ///
    /// # Errors
    ///
    /// The prepared model as it was, when the library refuses.
    pub fn execute(
        &self,
        current: &Current<'c, N>,
        model: Prepared<'c, N>,
    ) -> Result<Pending<'c, Prepared<'c, N>, N>, Undone<Prepared<'c, N>>>
    where
        S: CanExecute,
    {
        model.queue(current, self.queue())
    }
}

fn allocate<N>(current: &Current<'_, N>, infos: &[TensorInfo], shapes: &[&[usize]]) -> Result<Vec<Bound>, Error> {
    if infos.len() != shapes.len() {
        let names: Vec<_> = infos.iter().map(|info| format!("`{}`", info.name)).collect();
        return Err(InputError::Count { expected: infos.len(), found: shapes.len(), names: names.join(", ") }.into());
    }
    let bound = |(info, shape): (&TensorInfo, &&[usize])| {
        if !info.accepts(shape) {
            let (name, expected) = (info.name.clone(), Shape(&info.shape).to_string());
            return Err(InputError::Shape { name, expected, found: format!("{shape:?}") }.into());
        }
        let elements = shape.iter().try_fold(1_usize, |all, size| all.checked_mul(*size));
        let size = info
            .element
            .size()
            .ok_or_else(|| Error::UnknownElement { name: info.name.clone(), element: info.element })?;
        let bytes = elements.and_then(|elements| elements.checked_mul(size)).unwrap_or(usize::MAX);
        let block = current.ledger().allocate(Home::Device, bytes)?;
        Ok(Bound { info: info.clone(), elements: elements.unwrap_or(usize::MAX), block })
    };
    infos.iter().zip(shapes).map(bound).collect()
}

impl<N, P> fmt::Debug for Prepared<'_, N, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("model", &self.model).finish_non_exhaustive()
    }
}
