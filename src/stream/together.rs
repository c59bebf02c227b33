//! Work with more than two operands: putting it together, with a type that is short to write, and taking it apart.

use super::Pending;
use crate::brand::Brand;
use crate::error::Failed;

/// Two pieces of work, unchanged.
type Both<C, T, U> = Failed<Box<(Pending<C, T>, Pending<C, U>)>>;

impl<C: Brand, A, B> Pending<C, (A, B)> {
    /// Adds a third operand, as [`join`](Self::join) does, without nesting the tuples. `split` takes the three apart again.
    /// So the type of the work in a struct stays short:
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

// Each part has the number of the whole work, so a wait for it covers the whole work. A wait marks as idle only what it gives
// back. The memory of a part that was dropped has a stamp of its own, which stays (`src/ffi/stamp.rs`).

macro_rules! split {
    ($($(#[$docs:meta])* $($part:ident $place:tt)+;)+) => { $(
        impl<C: Brand, $($part),+> Pending<C, ($($part,)+)> {
            /// Takes them apart; each is in flight as before.
            $(#[$docs])*
            pub fn split(self) -> ($(Pending<C, $part>,)+) {
                let (work, parts) = self.apart();
                ($(work.on(parts.$place),)+)
            }
        }
    )+ };
}
split! {
    ///
    /// So the next work can use one of them without a wait:
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let stream = current.stream()?;
    /// let buffers = (current.upload(&[1_u8])?, current.upload(&[2_u8])?, current.upload(&[0_u8])?);
    /// // SAFETY: the function queues nothing, and uses no memory. It stands for a kernel that adds.
    /// let work = unsafe { stream.submit(current, "add", buffers, |_stream, (_x, _y, _sum)| 0) }?;
    /// let (x, y, sum) = work.split();
    /// let copied = stream.copy_to_host(current, sum, current.host_buffer(1)?)?;
    /// let (_x, _y, (_sum, host)) = x.join(y)?.and(copied)?.wait(current)?;
    /// assert_eq!(*host, [0]);
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    P0 0 P1 1 P2 2;
    P0 0 P1 1 P2 2 P3 3;
    P0 0 P1 1 P2 2 P3 3 P4 4;
    P0 0 P1 1 P2 2 P3 3 P4 4 P5 5;
    P0 0 P1 1 P2 2 P3 3 P4 4 P5 5 P6 6;
    P0 0 P1 1 P2 2 P3 3 P4 4 P5 5 P6 6 P7 7;
}

impl<C: Brand, T> Pending<C, Vec<T>> {
    /// Takes them apart, in order; each is in flight as before. Of an empty list no part is left to report a failure: only
    /// a wait for the stream does.
    #[must_use = "the `wait` of each part says whether the work failed, and gives back what it uses"]
    pub fn split(self) -> Vec<Pending<C, T>> {
        let (work, parts) = self.apart();
        parts.into_iter().map(|part| work.on(part)).collect()
    }
}

impl<C: Brand, T, const K: usize> Pending<C, [T; K]> {
    /// Takes them apart, in order; each is in flight as before.
    pub fn split(self) -> [Pending<C, T>; K] {
        let (work, parts) = self.apart();
        parts.map(|part| work.on(part))
    }
}
