//! Methods that a stream without an allocator of the program lacks. They exist so that the compiler's message says why,
//! as in `untouched.rs`.

use super::{CustomAllocator, DefaultAllocator, Stream, Undecided};
use crate::brand::Brand;
use crate::current::Current;
use crate::device_allocator::DeviceAllocator;
use crate::error::Error;

/// Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "no allocator of the program is registered on `{Self}`",
    label = "nothing to replace or unregister",
    note = "ALLOC-20: only what was registered is replaced or unregistered: \
            `let stream = current.stream()?.register(current, allocator)?;`",
    note = "see `ascendcl-explain ALLOC-20`"
)]
pub trait HasAllocator {
    /// A value of any type: there is no such function.
    #[doc(hidden)]
    fn never<R>(&self) -> R;
}

macro_rules! without_an_allocator {
    ($($state:ident)+) => { $(
        #[doc(hidden)]
        impl<C: Brand> Stream<C, $state> {
            pub fn unregister<A>(self, _: &Current<C>) -> Result<(Stream<C, Undecided>, A), Error>
            where
                Self: HasAllocator,
            {
                self.never()
            }

            pub fn replace<A, B: DeviceAllocator>(
                self,
                _: &Current<C>,
                _: B,
            ) -> Result<(Stream<C, CustomAllocator<B>>, A), Error>
            where
                Self: HasAllocator,
            {
                self.never()
            }
        }
    )+ };
}
without_an_allocator!(Undecided DefaultAllocator);
