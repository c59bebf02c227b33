//! The names of operands in the tasks of a capture.

use core::fmt;
use core::marker::PhantomData;

/// The branch that a capture begins with. No value has this type.
pub struct Main<'g>(PhantomData<fn(&'g ()) -> &'g ()>);

/// A branch beside `K`, on a stream of its own. No value has this type.
pub struct Side<'s, K>(PhantomData<fn(&'s (), K) -> (&'s (), K)>);

/// A `T` that a graph owns, as the tasks of the branch `K` name it. It is a number: losing it loses nothing.
///
/// A branch uses what another branch has after [`Capture::adopt_after`](crate::capture::Capture::adopt_after).
#[must_use = "tasks borrow it"]
pub struct Captured<'g, T, K = Main<'g>> {
    pub(super) object: usize,
    _brands: PhantomData<fn(&'g (), T, K) -> (&'g (), T, K)>,
}

impl<T, K> Captured<'_, T, K> {
    pub(super) fn new(object: usize) -> Self {
        Self { object, _brands: PhantomData }
    }
}

impl<T, K> fmt::Debug for Captured<'_, T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Captured").field(&self.object).finish()
    }
}
