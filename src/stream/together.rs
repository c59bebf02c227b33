//! Work with three and four operands, with a type that is short to write.

use super::Pending;
use crate::brand::Brand;
use crate::error::Failed;

/// Two pieces of work, unchanged.
type Both<C, T, U> = Failed<Box<(Pending<C, T>, Pending<C, U>)>>;

impl<C: Brand, A, B> Pending<C, (A, B)> {
    /// Adds a third operand, as [`join`](Self::join) does, without nesting the tuples. So the type of the work in a struct
    /// stays short:
    ///
    /// ```
    /// use ascendcl::{BoundModel, Current, Error, HostBuffer, Pending, Stream, stream::DefaultAllocator};
    ///
    /// ascendcl::names!(Vision);
    ///
    /// type Floats = HostBuffer<Vision, f32>;
    ///
    /// struct Batch {
    ///     work: Pending<Vision, (Floats, BoundModel<Vision>, Floats)>,
    /// }
    ///
    /// impl Batch {
    ///     fn start(
    ///         current: &Current<Vision>,
    ///         stream: &Stream<Vision, DefaultAllocator>,
    ///         images: Floats,
    ///         model: BoundModel<Vision>,
    ///         scores: Floats,
    ///     ) -> Result<Self, Error> {
    ///         let (images, model) = stream.copy_to_input(current, images, model, 0)?.split();
    ///         let model = stream.execute(current, model)?;
    ///         let (model, scores) = stream.copy_from_output(current, model, 0, scores)?.split();
    ///         Ok(Self { work: images.join(model)?.and(scores)? })
    ///     }
    ///
    ///     fn finish(self, current: &Current<Vision>) -> Result<Floats, Error> {
    ///         let (_images, _model, scores) = self.work.wait(current)?;
    ///         Ok(scores)
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns both unchanged, with [`Error::OtherStream`](crate::Error::OtherStream) when they are not on one stream.
    pub fn and<D>(self, other: Pending<C, D>) -> Result<Pending<C, (A, B, D)>, Both<C, (A, B), D>> {
        self.join(other).map(|joined| joined.reshaped(|((first, second), third)| (first, second, third)))
    }
}

impl<C: Brand, A, B, D> Pending<C, (A, B, D)> {
    /// Adds a fourth operand, as [`join`](Self::join) does, without nesting the tuples.
    ///
    /// # Errors
    ///
    /// Returns both unchanged, with [`Error::OtherStream`](crate::Error::OtherStream) when they are not on one stream.
    pub fn and<E>(self, other: Pending<C, E>) -> Result<Pending<C, (A, B, D, E)>, Both<C, (A, B, D), E>> {
        let flat = |((first, second, third), fourth)| (first, second, third, fourth);
        self.join(other).map(|joined| joined.reshaped(flat))
    }
}
