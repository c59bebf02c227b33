//! Methods that models and their outputs have by another name, or that streams have.

use crate::brand::Brand;
use crate::current::Current;
use crate::error::Error;
use crate::model::{BoundModel, Model, Output, Outputs};
use core::ops::Index;
use core::slice::SliceIndex;

elsewhere! {
    /// A model without a context.
    LoadedByCurrent:
        "a model is loaded into a context that is current",
        "a `Model` has no constructor of its own",
        "MODEL-01: `let mut model = current.load_model(\"model.om\")?;`",
        "see `ascendcl-explain MODEL-01`";

    /// A run by another name.
    RunOrQueued:
        "a model is run by `run`, or bound and executed on a stream",
        "no method of a model has this name",
        "MODEL-17: with a wait: `model.run(current, &inputs)?`",
        "on a stream: `stream.execute(current, model.bind(current, &input_shapes, &output_shapes)?)?`",
        "see `ascendcl-explain MODEL-17`";

    /// An execution without a stream.
    QueuedByStreams:
        "a stream executes a bound model",
        "call this on the stream, and pass the model to it",
        "MODEL-17: `let model = stream.execute(current, model)?.wait(current)?;`, and without a stream: `model.run(current)?`",
        "see `ascendcl-explain MODEL-17`";

    /// Outputs by an index that may be out of range.
    TakenByGet:
        "an output is asked for by its number or name, and may not exist",
        "outputs are not indexed",
        "DATA-07: `outputs.get(0)?.to_vec::<f32>()?`, or by name: `outputs.get(\"probabilities\")?`",
        "see `ascendcl-explain DATA-07`";

    /// Elements of an output whose type is not checked.
    ReadByToVec:
        "the elements of an output are read as a type that is checked",
        "an output is bytes, and the model says of which type",
        "DATA-07: `output.to_vec::<f32>()?`; the bytes as they are: `output.as_bytes()`",
        "see `ascendcl-explain DATA-07`";

    /// The elements of all outputs at once.
    ReadOneByOne:
        "outputs are read one by one",
        "a model may have several outputs, each of its own type",
        "DATA-07: `outputs.get(0)?.to_vec::<f32>()?`, or by name: `outputs.get(\"probabilities\")?`",
        "see `ascendcl-explain DATA-07`";

    /// Other memory for an input.
    WrittenOrExchanged:
        "an input of a bound model is written, or its memory is exchanged",
        "no method of a `BoundModel` has this name",
        "DATA-10: elements: `model.write(current, 0, &elements)?`; other memory: `let before = model.exchange_input(current, 0, buffer)?;`; \
         memory that several models read: `model.share_input(current, 0, shared)?`",
        "see `ascendcl-explain DATA-10`";
}

#[doc(hidden)]
impl<C: Brand> Model<C> {
    pub fn new<P>(_: P) -> Result<Self, Error>
    where
        Self: LoadedByCurrent,
    {
        <Self as LoadedByCurrent>::never()
    }

    pub fn load<P>(_: P) -> Result<Self, Error>
    where
        Self: LoadedByCurrent,
    {
        <Self as LoadedByCurrent>::never()
    }

    pub fn from_file<P>(_: P) -> Result<Self, Error>
    where
        Self: LoadedByCurrent,
    {
        <Self as LoadedByCurrent>::never()
    }
}

#[doc(hidden)]
impl<C: Brand, P> Model<C, P> {
    pub fn execute<I>(&mut self, _: &mut Current<C>, _: I) -> Result<Outputs, Error>
    where
        Self: RunOrQueued,
    {
        <Self as RunOrQueued>::never()
    }

    pub fn forward<I>(&mut self, _: &mut Current<C>, _: I) -> Result<Outputs, Error>
    where
        Self: RunOrQueued,
    {
        <Self as RunOrQueued>::never()
    }

    pub fn infer<I>(&mut self, _: &mut Current<C>, _: I) -> Result<Outputs, Error>
    where
        Self: RunOrQueued,
    {
        <Self as RunOrQueued>::never()
    }

    pub fn predict<I>(&mut self, _: &mut Current<C>, _: I) -> Result<Outputs, Error>
    where
        Self: RunOrQueued,
    {
        <Self as RunOrQueued>::never()
    }
}

#[doc(hidden)]
impl<C: Brand, P> BoundModel<C, P> {
    pub fn execute(&self, _: &Current<C>) -> Result<(), Error>
    where
        Self: QueuedByStreams,
    {
        <Self as QueuedByStreams>::never()
    }

    pub fn set_input<I, E>(&mut self, _: &Current<C>, _: I, _: E) -> Result<(), Error>
    where
        Self: WrittenOrExchanged,
    {
        <Self as WrittenOrExchanged>::never()
    }

    pub fn replace_input<I, B>(&mut self, _: &Current<C>, _: I, _: B) -> Result<B, Error>
    where
        Self: WrittenOrExchanged,
    {
        <Self as WrittenOrExchanged>::never()
    }
}

#[doc(hidden)]
impl Outputs {
    pub fn to_vec<E>(&self) -> Result<Vec<E>, Error>
    where
        for<'a> &'a Self: ReadOneByOne,
    {
        <&Self as ReadOneByOne>::never()
    }

    pub fn as_slice<E>(&self) -> &[E]
    where
        for<'a> &'a Self: ReadOneByOne,
    {
        <&Self as ReadOneByOne>::never()
    }
}

#[doc(hidden)]
impl Output {
    pub fn as_slice<E>(&self) -> &[E]
    where
        for<'a> &'a Self: ReadByToVec,
    {
        <&Self as ReadByToVec>::never()
    }

    pub fn iter(&self) -> core::slice::Iter<'_, f32>
    where
        for<'a> &'a Self: ReadByToVec,
    {
        <&Self as ReadByToVec>::never()
    }
}

#[doc(hidden)]
impl<'a> Iterator for &'a Output
where
    for<'b> &'b Output: ReadByToVec,
{
    type Item = &'a f32;

    fn next(&mut self) -> Option<&'a f32> {
        <&Output as ReadByToVec>::never()
    }
}

#[doc(hidden)]
impl<I: SliceIndex<[f32]>> Index<I> for Output
where
    for<'a> &'a I: ReadByToVec,
{
    type Output = I::Output;

    fn index(&self, _: I) -> &I::Output {
        <&I as ReadByToVec>::never()
    }
}

#[doc(hidden)]
impl<I> Index<I> for Outputs
where
    for<'a> &'a I: TakenByGet,
{
    type Output = Output;

    fn index(&self, _: I) -> &Output {
        <&I as TakenByGet>::never()
    }
}
