//! Copies to the inputs and from the outputs of captured models and operators.

use super::{Capture, Captured};
use crate::brand::{Brand, INSIDE, Inside};
use crate::element::Element;
use crate::error::Error;
use crate::memory::{DeviceBuffer, HostBuffer};
use crate::model::BoundModel;
use crate::operator::{BoundOperator, IdleInputs, IdleOutputs};
use ascendcl_macros::rule;

/// Operands of a graph with inputs and outputs: bound models, and bound operators none of whose tensors is in flight.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no inputs and outputs that a captured copy can use",
    label = "expected a bound model, or a bound operator whose inputs were waited for",
    note = "GRAPH-05: a graph owns what its tasks use, and nothing else uses it",
    note = "from buffer to buffer, use `copy_to_device`, `copy_on_device` or `copy_to_host`",
    note = "see `ascendcl-explain GRAPH-05`"
)]
pub trait HasPorts<C: Brand>: sealed::Ports {}

impl<C: Brand> HasPorts<C> for BoundModel<C> {}
impl<C: Brand, I: IdleInputs, O: IdleOutputs> HasPorts<C> for BoundOperator<C, I, O> {}

/// Operands of a graph that are memory with one owner: [`HostBuffer`]s and [`DeviceBuffer`]s.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no buffer that a captured copy of an input or output can use",
    label = "expected a `HostBuffer` or a `DeviceBuffer`",
    note = "from an output to an input, use `copy_output_to_input`",
    note = "see `ascendcl-explain GRAPH-05`"
)]
pub trait CapturedBuffer<C: Brand>: sealed::Buffer {}

impl<C: Brand, E: Element> CapturedBuffer<C> for HostBuffer<C, E> {}
impl<C: Brand, E: Element> CapturedBuffer<C> for DeviceBuffer<C, E> {}

mod sealed {
    use super::{BoundModel, BoundOperator, Brand, DeviceBuffer, Element, HostBuffer, IdleInputs, IdleOutputs, Inside};

    pub trait Ports {}

    impl<C: Brand> Ports for BoundModel<C> {}
    impl<C: Brand, I: IdleInputs, O: IdleOutputs> Ports for BoundOperator<C, I, O> {}

    pub trait Buffer {
        type Element: Element;

        /// How many elements this number of bytes is.
        fn elements(bytes: usize, _: Inside) -> usize {
            bytes / size_of::<Self::Element>().max(1)
        }
    }

    impl<C: Brand, E: Element> Buffer for HostBuffer<C, E> {
        type Element = E;
    }

    impl<C: Brand, E: Element> Buffer for DeviceBuffer<C, E> {
        type Element = E;
    }
}

impl<'g, C: Brand, K> Capture<'g, C, K> {
    /// Captures a copy from a buffer to an input of a model or an operator (`aclrtMemcpyAsync`). The next execution that
    /// is captured on this branch reads it.
    ///
    /// ```
    /// use ascendcl::capture::CaptureMode;
    /// use ascendcl::{Error, Library, RunError, operator};
    ///
    /// ascendcl::run(Library::Simulator, |current| {
    ///     let mut stream = current.stream()?.without_allocator();
    ///     let relu = operator::relu(current, current.zeros_tensor::<f32>(&[2])?)?;
    ///     let operands = (current.host_buffer::<f32>(2)?, relu, current.host_buffer::<f32>(2)?);
    ///     let mut graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut relu, mut output)| {
    ///         capture.copy_to_input(&input, &mut relu, 0)?;
    ///         capture.launch(&mut relu)?;
    ///         capture.copy_from_output(&relu, 0, &mut output)
    ///     })?;
    ///     graph.operands(current)?.0.copy_from_slice(&[-1.0, 2.0]);
    ///     graph = stream.replay(current, graph)?.wait(current)?;
    ///     assert_eq!(graph.operands(current)?.2, [0.0, 2.0]);
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), RunError<Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for another element type, [`Error::LengthMismatch`], [`Error::NoSuchInput`], also for an input
    /// that is [`Absent`](crate::operator::Absent), [`Error::InputIsShared`], or [`Error::Vendor`].
    #[rule(GRAPH_05, DATA_08)]
    pub fn copy_to_input<M: CapturedBuffer<C>, T: HasPorts<C>>(
        &mut self,
        from: &Captured<'g, M, K>,
        to: &mut Captured<'g, T, K>,
        input: usize,
    ) -> Result<(), Error> {
        let source = self.recording.memory(from.object)?;
        let target = self.recording.input(to.object, input)?;
        target.takes::<M::Element>(M::elements(source.bytes(), INSIDE))?;
        self.copy_between((&source, from.object), (&target.block, to.object), source.bytes())
    }

    /// Captures a copy from an output of a model or an operator to a buffer (`aclrtMemcpyAsync`). It copies the whole
    /// memory of the output.
    ///
    /// # Errors
    ///
    /// [`Error::NotExecuted`] unless an execution that runs in each replay was captured before. An output of an operator
    /// that was written before it was bound can be copied without one. [`Error::OutputType`],
    /// [`Error::LengthMismatch`], [`Error::NoSuchOutput`], or [`Error::Vendor`].
    #[rule(GRAPH_05, DATA_08, MODEL_17)]
    pub fn copy_from_output<M: CapturedBuffer<C>, T: HasPorts<C>>(
        &mut self,
        from: &Captured<'g, T, K>,
        output: usize,
        to: &mut Captured<'g, M, K>,
    ) -> Result<(), Error> {
        let target = self.recording.memory(to.object)?;
        let source = self.recording.output(from.object, output)?;
        source.gives::<M::Element>(M::elements(target.bytes(), INSIDE))?;
        self.copy_between((&source.block, from.object), (&target, to.object), target.bytes())
    }

    /// Captures a copy from an output of a model or an operator to an input of another one (`aclrtMemcpyAsync`), both by
    /// index. So in each replay the second one reads what the first has computed.
    ///
    /// ```
    /// use ascendcl::capture::CaptureMode;
    /// use ascendcl::{Error, Library, RunError, operator};
    ///
    /// ascendcl::run(Library::Simulator, |current| {
    ///     let mut stream = current.stream()?.without_allocator();
    ///     let numbers = |numbers: [f32; 2]| current.upload_tensor(&[2], &numbers);
    ///     let sum = operator::add(current, numbers([1.0, -5.0])?, numbers([2.0, 2.0])?)?;
    ///     let relu = operator::relu(current, current.zeros_tensor::<f32>(&[2])?)?;
    ///     let operands = (sum, relu, current.host_buffer::<f32>(2)?);
    ///     let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (mut sum, mut relu, mut output)| {
    ///         capture.launch(&mut sum)?;
    ///         capture.copy_output_to_input(&sum, 0, &mut relu, 0)?;
    ///         capture.launch(&mut relu)?;
    ///         capture.copy_from_output(&relu, 0, &mut output)
    ///     })?;
    ///     let mut graph = stream.replay(current, graph)?.wait(current)?;
    ///     assert_eq!(graph.operands(current)?.2, [3.0, 0.0]);
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), RunError<Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`copy_from_output`](Self::copy_from_output) and [`copy_to_input`](Self::copy_to_input).
    #[rule(GRAPH_05, DATA_08, MODEL_17)]
    pub fn copy_output_to_input<S: HasPorts<C>, T: HasPorts<C>>(
        &mut self,
        from: &Captured<'g, S, K>,
        output: usize,
        to: &mut Captured<'g, T, K>,
        input: usize,
    ) -> Result<(), Error> {
        let source = self.recording.output(from.object, output)?;
        let target = self.recording.input(to.object, input)?;
        let bytes = source.goes_to(&target)?;
        self.copy_between((&source.block, from.object), (&target.block, to.object), bytes)
    }
}
