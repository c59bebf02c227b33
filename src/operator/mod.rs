//! Single operators: described by their name, bound to tensors, launched on a stream.

/// Implements the trait for lists of inputs for a type of a single input.
macro_rules! list_of_one {
    ([$($generics:tt)*] $input:ty) => {
        impl<$($generics)*> $crate::operator::sealed::Inputs for $input {
            type Idle = <Self as $crate::operator::sealed::Input>::Idle;

            fn tensor_arguments(&self, key: $crate::brand::Inside) -> Vec<$crate::ffi::TensorArgument> {
                vec![$crate::operator::sealed::Input::tensor_argument(self, key)]
            }

            fn into_idle_input(self, key: $crate::brand::Inside) -> Self::Idle {
                $crate::operator::sealed::Input::into_idle_input(self, key)
            }

            fn usable_on(
                &self,
                queue: &std::sync::Arc<$crate::ffi::RawStream>,
                key: $crate::brand::Inside,
            ) -> Result<(), $crate::error::Error> {
                $crate::operator::sealed::Input::usable_on(self, queue, key)
            }

            fn past_of_operand(&self, key: $crate::brand::Inside) -> $crate::stream::Past {
                $crate::operator::sealed::Input::past_of_operand(self, key)
            }
        }
    };
}

/// Implements the trait for lists of outputs for a type of a single output.
macro_rules! output {
    ($([$($generics:tt)*] $output:ty;)+) => { $(
        impl<$($generics)*> $crate::operator::sealed::Outputs for $output
        where
            Self: $crate::operator::sealed::Output,
        {
            type Written = <Self as $crate::operator::sealed::Output>::Written;

            fn tensor_arguments(&self, key: $crate::brand::Inside) -> Vec<$crate::ffi::TensorArgument> {
                vec![$crate::operator::sealed::Output::tensor_argument(self, key)]
            }

            fn into_written_output(self, key: $crate::brand::Inside) -> Self::Written {
                $crate::operator::sealed::Output::into_written_output(self, key)
            }

            fn usable_on(
                &self,
                queue: &std::sync::Arc<$crate::ffi::RawStream>,
                key: $crate::brand::Inside,
            ) -> Result<(), $crate::error::Error> {
                $crate::operator::sealed::Output::usable_on(self, queue, key)
            }

            fn past_of_operand(&self, key: $crate::brand::Inside) -> $crate::stream::Past {
                $crate::operator::sealed::Output::past_of_operand(self, key)
            }
        }
    )+ };
}

/// Implements the traits of inputs for tensors in flight.
macro_rules! inputs_in_flight {
    ($([$($generics:tt)*] $tensor:ty;)+) => { $(
        impl<$($generics)*> $crate::operator::OperatorInput<C> for $crate::stream::Pending<C, $tensor> {}
        impl<$($generics)*> $crate::operator::OperatorInputs<C> for $crate::stream::Pending<C, $tensor> {}
        list_of_one!([$($generics)*] $crate::stream::Pending<C, $tensor>);

        impl<$($generics)*> $crate::operator::sealed::Input for $crate::stream::Pending<C, $tensor> {
            type Idle = $tensor;

            fn tensor_argument(&self, key: $crate::brand::Inside) -> $crate::ffi::TensorArgument {
                $crate::operator::sealed::Input::tensor_argument(self.in_flight(), key)
            }

            fn into_idle_input(self, _: $crate::brand::Inside) -> Self::Idle {
                self.into_payload()
            }

            fn usable_on(
                &self,
                queue: &std::sync::Arc<$crate::ffi::RawStream>,
                _: $crate::brand::Inside,
            ) -> Result<(), $crate::error::Error> {
                self.check_same_stream(queue)
            }

            fn past_of_operand(&self, _: $crate::brand::Inside) -> $crate::stream::Past {
                Self::past(self)
            }
        }
    )+ };
}

mod any;
mod captured;
mod in_flight;
mod launch;
mod lists;
mod shared;
mod tensor;
mod typed;
mod untouched;

use crate::brand::{Brand, INSIDE};
use crate::current::Current;
use crate::error::{Error, Failed};
use crate::ffi::c_path;
use crate::ffi::{TensorArgument, TensorMemory, TensorState};
use ascendcl_macros::rule;
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) use captured::CapturedOperator;

pub use crate::attribute::Attribute;
pub use any::{AnyInput, AnyTensor, SharedAnyTensor, TensorByte};
pub use launch::{BoundOperator, RunsOperators};
pub use lists::{IdleInputs, IdleOutputs, OperatorInputs, OperatorOutputs};
pub use shared::{SharedTensor, TensorInput};
pub use tensor::{Absent, DeviceTensor, OperatorInput, OperatorOutput};
pub use typed::{add, cast, mat_mul, mul, relu, softmax, sub};

/// An operator of the device: the vendor's name for it, and its attributes.
///
/// [`bind`](Self::bind) adds the tensors. Then a stream [launches](crate::Stream::launch) the operator any number of
/// times. For the most common operators, the functions of this module ([`add`], [`mat_mul`], …) do that with typed
/// arguments.
///
/// [`Pending::into_outputs`](crate::Pending::into_outputs) makes the outputs of one operator the inputs of the next
/// without a wait between.
///
/// The vendor has marked these functions as deprecated (OP-10). With a release that lacks them, methods return
/// [`Error::MissingFunction`].
///
/// ```
/// # use ascendcl::{Library, operator::Operator};
/// # ascendcl::run(Library::Simulator, |current| {
/// let stream = current.stream()?.without_allocator();
/// let x = current.upload_tensor(&[2, 3], &[1.0_f32, -2.0, 3.0, -4.0, 5.0, -6.0])?;
/// let relu = Operator::new("Relu").bind(current, x, current.tensor::<f32>(&[2, 3])?)?;
/// let (_x, y) = stream.launch(current, relu)?.wait(current)?.into_tensors(current)?;
/// assert_eq!(y.to_vec(current)?, [1.0, 0.0, 3.0, 0.0, 5.0, 0.0]);
/// # Ok::<_, ascendcl::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone, PartialEq, Debug)]
#[must_use = "an operator does nothing until it is bound and launched"]
pub struct Operator {
    name: String,
    attributes: BTreeMap<String, Attribute>,
    precompiled: bool,
}

impl Operator {
    /// The operator with this name, without attributes.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), attributes: BTreeMap::new(), precompiled: false }
    }

    /// Sets an attribute. A later value under the same name replaces an earlier one.
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Attribute>) -> Self {
        self.attributes.insert(name.into(), value.into());
        self
    }

    /// Says that the program has [loaded](Current::load_operators) the compiled operator. Then binding does not compile
    /// it.
    pub fn precompiled(mut self) -> Self {
        self.precompiled = true;
        self
    }

    /// Binds the operator to its tensors, and compiles it for their types and shapes (`aclopCompile`).
    ///
    /// Inputs and outputs are one tensor, or a tuple, an array or a `Vec` of them. Inputs may be in flight on the stream
    /// that launches the operator. Now and then, this also destroys operators without a handle whose work is done.
    ///
    /// # Errors
    ///
    /// Returns the tensors unchanged, with [`Error::Vendor`] if the library has no such operator, or not for these
    /// types, shapes and attributes; or [`Error::NulInText`] for a name that contains a NUL byte.
    #[rule(OP_04, OP_09)]
    pub fn bind<C: Brand, I, O>(
        &self,
        current: &Current<C>,
        inputs: I,
        outputs: O,
    ) -> Result<BoundOperator<C, I, O>, Failed<(I, O)>>
    where
        I: OperatorInputs<C>,
        O: OperatorOutputs<C>,
    {
        let attributes: Vec<_> = self.attributes.iter().map(|(name, value)| (name.as_str(), value)).collect();
        let ledger = current.ledger();
        let (reads, writes) = (inputs.tensor_arguments(INSIDE), outputs.tensor_arguments(INSIDE));
        let raw = ledger.create_operator(&self.name, &attributes, (&reads, &writes), !self.precompiled);
        match raw {
            Ok(raw) => Ok(BoundOperator::new(raw, inputs, outputs)),
            Err(error) => Err(Failed { error, value: (inputs, outputs) }),
        }
    }
}

impl<C: Brand> Current<C> {
    /// Loads the compiled operators of a directory (`aclopSetModelDir`) for the whole process. This works once.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] if the directory does not exist, or a directory was set before.
    #[rule(OP_05)]
    pub fn load_operators(&self, directory: impl AsRef<Path>) -> Result<(), Error> {
        self.ledger().api().set_operator_directory(&c_path(directory.as_ref())?)
    }

    /// Loads a compiled operator from memory (`aclopLoad`) for the whole process. The library keeps reading the image,
    /// so the image has to be `'static`: use `include_bytes!` or a leaked box.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] if the image is not a compiled operator.
    #[rule(OP_06)]
    pub fn load_operator(&self, image: &'static [u8]) -> Result<(), Error> {
        self.ledger().api().load_operator(image)
    }
}

pub(crate) mod sealed {
    use super::{IdleInputs, TensorArgument};
    use crate::brand::Inside;
    use crate::error::Error;
    use crate::ffi::RawStream;
    use crate::stream::Past;
    use std::sync::Arc;

    /// An input, or one in flight.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is no input of an operator",
        label = "the error where the operator is bound says what is missing"
    )]
    pub trait Input {
        /// Its type when it is not in flight.
        type Idle: Input<Idle = Self::Idle> + IdleInputs;
        fn tensor_argument(&self, key: Inside) -> TensorArgument;
        fn into_idle_input(self, key: Inside) -> Self::Idle; // OP-03: after waiting: `pending.wait(current)?`

        /// Whether work on this stream can use it now.
        fn usable_on(&self, _: &Arc<RawStream>, _: Inside) -> Result<(), Error> {
            Ok(())
        }

        /// Earlier work on it. A wait for the next work also reports the failures of this work that were not reported yet.
        fn past_of_operand(&self, _: Inside) -> Past {
            Past::none()
        }
    }

    pub trait Shaped {
        fn sizes_of_tensor(&self, key: Inside) -> &[usize];
    }

    pub trait Output {
        type Written;
        fn tensor_argument(&self, key: Inside) -> TensorArgument;
        fn into_written_output(self, key: Inside) -> Self::Written; // MEM-07: launches write: `stream.launch(...)`

        /// As for [`Input`].
        fn usable_on(&self, _: &Arc<RawStream>, _: Inside) -> Result<(), Error> {
            Ok(())
        }

        /// As for [`Input`].
        fn past_of_operand(&self, _: Inside) -> Past {
            Past::none()
        }
    }

    /// As [`Input`], of several.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` are no inputs of an operator",
        label = "the error where the operator is bound says what is missing"
    )]
    pub trait Inputs {
        type Idle: IdleInputs;
        fn tensor_arguments(&self, key: Inside) -> Vec<TensorArgument>; // MEM-12: for launches: `stream.launch(...)`
        fn into_idle_input(self, key: Inside) -> Self::Idle; // OP-03: after waiting: `pending.wait(current)?`
        fn usable_on(&self, queue: &Arc<RawStream>, key: Inside) -> Result<(), Error>;
        fn past_of_operand(&self, key: Inside) -> Past;
    }

    pub trait Outputs {
        type Written;
        fn tensor_arguments(&self, key: Inside) -> Vec<TensorArgument>; // MEM-12: for launches: `stream.launch(...)`
        fn into_written_output(self, key: Inside) -> Self::Written; // MEM-07: launches write: `stream.launch(...)`
        fn usable_on(&self, queue: &Arc<RawStream>, key: Inside) -> Result<(), Error>;
        fn past_of_operand(&self, key: Inside) -> Past;
    }
}
