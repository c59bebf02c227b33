//! The outputs of an execution.

use super::Session;
use crate::ffi::RawOutputs;
use crate::marks::Mark;
use ascendcl::error::ObjectKind;
use ascendcl::{Brand, Current, Element, ElementType, Error, Failed, Scoped};
use ascendcl_macros::rule;
use core::fmt;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// The outputs of one execution of a graph. The engine allocated their memory: from the graph's allocator, if there is
/// one.
///
/// A graph can be removed, and its allocator returned, only after the outputs of its executions were
/// [released](Self::release). Dropped outputs are released before the next execution of the session, by
/// [`Session::collect`], or at the end of the session.
#[must_use = "outputs that are dropped keep their memory until the next execution"]
#[rule(GE_20, GE_21)]
pub struct Outputs<C: Brand> {
    row: Arc<RawOutputs>,
    _brand: Mark<C>,
}

assert_impl_all!(Outputs<Scoped<'static>>: Send, Sync);
assert_not_impl_any!(Outputs<Scoped<'static>>: Clone);

impl<C: Brand> Outputs<C> {
    pub(super) fn new(row: Arc<RawOutputs>) -> Self {
        Self { row, _brand: Mark::NEW }
    }

    pub(super) fn row(&self) -> &RawOutputs {
        &self.row
    }

    /// The number of outputs; none after their session has ended.
    pub fn len(&self) -> usize {
        self.row.count().unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element type of an output.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchOutput`], or [`Error::Gone`] after the session has ended.
    pub fn element(&self, index: usize) -> Result<ElementType, Error> {
        self.row.describe(index).map(|(element, _)| element)
    }

    /// The shape of an output, outermost size first.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchOutput`], [`Error::UnknownShape`] when the engine states a negative size, or [`Error::Gone`] after the
    /// session has ended.
    pub fn shape(&self, index: usize) -> Result<Vec<usize>, Error> {
        let (_, dims) = self.row.describe(index)?;
        let shape: Option<_> = dims.into_iter().map(|size| usize::try_from(size).ok()).collect();
        shape.ok_or_else(|| Error::UnknownShape { name: name(index) })
    }

    /// The elements of an output on the host, in row-major order (`aclrtMemcpy`).
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchOutput`]; [`Error::OutputType`] for another type than the output's; [`Error::Vendor`];
    /// [`Error::WrongContext`] in the context of another runtime; [`Error::Gone`] after the session has ended.
    pub fn to_vec<E: Element>(&self, current: &Current<C>, index: usize) -> Result<Vec<E>, Error> {
        let found = self.element(index)?;
        if !found.takes::<E>() {
            return Err(Error::OutputType { name: name(index).into(), found, asked: E::TYPE });
        }
        let count = self.shape(index)?.into_iter().fold(1_usize, usize::saturating_mul);
        let room = self.row.bytes(index)?;
        if count > room / size_of::<E>().max(1) {
            let need = count.saturating_mul(size_of::<E>());
            return Err(Error::TooShort { what: ObjectKind::MODEL_OUTPUT, need, have: room });
        }
        let mut elements = vec![E::default(); count];
        self.row.read(current, index, &mut elements).map(|()| elements)
    }

    /// Releases the outputs and returns their memory to its allocator.
    ///
    /// # Errors
    ///
    /// The outputs, unchanged, with [`Error::StillRunning`], while queued work may use them;
    /// [`EngineError::OtherSession`](crate::EngineError::OtherSession) for outputs of another session, [`Error::Gone`] when
    /// that has ended, and [`Error::WrongContext`] in the context of another runtime.
    pub fn release(self, session: &mut Session<C>, current: &Current<C>) -> Result<(), Failed<Self>> {
        let released = session.row().release(current, &self.row);
        released.map_err(|error| Failed { error, value: self })
    }
}

fn name(index: usize) -> String {
    format!("output {index}")
}

impl<C: Brand> fmt::Debug for Outputs<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outputs").field("count", &self.len()).finish_non_exhaustive()
    }
}
