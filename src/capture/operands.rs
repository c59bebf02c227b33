//! The operands that a graph can own.

use super::captured::Captured;
use super::objects::{Object, Objects};
use crate::brand::{Brand, Inside};
use crate::current::Current;
use crate::element::Element;
use crate::error::{Error, check_truth_values};
use crate::ffi::bytes_of;
use crate::memory::{DeviceBuffer, HostBuffer, SharedBuffer};
use crate::model::{BoundModel, IndexOrName};
use crate::operator::{BoundOperator, CapturedOperator, IdleInputs, IdleOutputs};
use ascendcl_macros::rule;
use core::fmt;
use core::ops::Deref;

/// The operands that a graph owns and that the tasks of its capture name: pinned [`HostBuffer`]s, written
/// [`DeviceBuffer`]s, [`SharedBuffer`]s, [`BoundModel`]s, [`BoundOperator`]s, tuples of up to
/// eight of these, boxed slices of them, or `()`.
#[diagnostic::on_unimplemented(
    message = "a captured graph cannot own `{Self}`",
    label = "expected buffers, bound models or operators of the stream's own context, by value",
    note = "GRAPH-05: a graph owns what its tasks use, in pinned host memory and device memory: \
            `(current.host_buffer(length)?, current.device_buffer(length)?.zero(current)?)`",
    note = "STREAM-04: work in flight is waited for first: `pending.wait(current)?`",
    note = "MEM-07: memory of `MaybeUninit` elements is written first: `buffer.zero(current)?`",
    note = "see `ascendcl-explain GRAPH-05`"
)]
pub trait GraphOperands<C: Brand>: sealed::Operands<C> {}

impl<C: Brand, T: sealed::Operands<C>> GraphOperands<C> for T {}

pub(crate) mod sealed {
    use super::{Brand, Current, Error, Inside, Objects};

    #[diagnostic::on_unimplemented(
        message = "a captured graph cannot own `{Self}`",
        label = "expected buffers, bound models or operators of the stream's own context, by value",
        note = "GRAPH-05: a graph owns what its tasks use, in pinned host memory and device memory: \
                `(current.host_buffer(length)?, current.device_buffer(length)?.zero(current)?)`",
        note = "STREAM-04: work in flight is waited for first: `pending.wait(current)?`",
        note = "MEM-07: memory of `MaybeUninit` elements is written first: `buffer.zero(current)?`",
        note = "see `ascendcl-explain GRAPH-05`"
    )]
    pub trait Operands<C: Brand> {
        /// The names of the operands, for the program of a capture or a build, in the branch `K`.
        type Captured<'g, K>;
        /// The access to the operands between replays.
        type Access<'a>
        where
            Self: 'a,
            C: 'a;

        /// An error unless the tasks of a graph can use it now.
        fn check_capturable(&self, current: &Current<C>, key: Inside) -> Result<(), Error>;
        fn names_of_operands<'g, K>(&self, objects: &mut Objects<'_>, key: Inside) -> Self::Captured<'g, K>;
        fn access_between_replays<'a>(
            &'a mut self,
            current: &'a Current<C>,
            key: Inside,
        ) -> Result<Self::Access<'a>, Error>;
        fn note_replay(&mut self, key: Inside);
        /// Notes that a replay failed: nobody knows what it has written.
        fn note_failure(&mut self, _: Inside) {}
    }
}

/// An operand of a graph, between replays. It dereferences to a shared reference, and has methods for the allowed
/// writes.
///
/// It gives access to contents and never to the operand itself, so two graphs cannot exchange their buffers.
pub struct OperandAccess<'a, T>(&'a mut T);

impl<T> Deref for OperandAccess<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

impl<C: Brand, E: Element> OperandAccess<'_, DeviceBuffer<C, E>> {
    /// Like [`DeviceBuffer::copy_from`].
    ///
    /// # Errors
    ///
    /// As for [`DeviceBuffer::copy_from`].
    pub fn copy_from(&mut self, current: &Current<C>, from: &[E]) -> Result<(), Error> {
        self.0.copy_from(current, from)
    }
}

impl<C: Brand> OperandAccess<'_, BoundModel<C>> {
    /// Like [`BoundModel::write`].
    ///
    /// # Errors
    ///
    /// As for [`BoundModel::write`].
    pub fn write<'n, E: Element>(
        &mut self,
        current: &Current<C>,
        input: impl Into<IndexOrName<'n>>,
        elements: &[E],
    ) -> Result<(), Error> {
        self.0.write(current, input, elements)
    }
}

impl<C: Brand, I: IdleInputs, O: IdleOutputs> OperandAccess<'_, BoundOperator<C, I, O>> {
    /// Overwrites all elements of an input from host memory (`aclrtMemcpy`), and returns when that is done.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchInput`], also for an input that is [`Absent`](crate::operator::Absent), [`Error::Input`] for another
    /// element type, [`Error::LengthMismatch`], [`Error::NoTruthValue`] for a byte other than 0 and 1 in an input of truth
    /// values, [`Error::InputIsShared`], [`Error::InDoubt`], or [`Error::Vendor`].
    #[rule(MEM_02, DATA_08)]
    pub fn write<E: Element>(&mut self, current: &Current<C>, input: usize, elements: &[E]) -> Result<(), Error> {
        let target = CapturedOperator::new(self.0.row()).input(input)?;
        target.takes::<E>(elements.len())?;
        check_truth_values(target.element, bytes_of(elements))?;
        Ok(target.block.write(current.here(), elements)?)
    }
}

impl<T: fmt::Debug> fmt::Debug for OperandAccess<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<C: Brand, E: Element> sealed::Operands<C> for HostBuffer<C, E> {
    type Captured<'g, K> = Captured<'g, Self, K>;
    type Access<'a>
        = &'a mut [E]
    where
        Self: 'a,
        C: 'a;

    fn check_capturable(&self, _: &Current<C>, _: Inside) -> Result<(), Error> {
        self.block().check_capturable()
    }

    fn names_of_operands<'g, K>(&self, objects: &mut Objects<'_>, _: Inside) -> Captured<'g, Self, K> {
        Captured::new(objects.add("host", Object::Memory(self.row())))
    }

    fn access_between_replays<'a>(&'a mut self, current: &'a Current<C>, _: Inside) -> Result<&'a mut [E], Error> {
        self.slice_mut(current)
    }

    fn note_replay(&mut self, _: Inside) {}
}

macro_rules! device_memory {
    ($($buffer:ident: $name:literal;)*) => { $(
        impl<C: Brand, E: Element> sealed::Operands<C> for $buffer<C, E> {
            type Captured<'g, K> = Captured<'g, Self, K>;
            type Access<'a>
                = OperandAccess<'a, Self>
            where
                Self: 'a,
                C: 'a;

            fn check_capturable(&self, _: &Current<C>, _: Inside) -> Result<(), Error> {
                self.block().check_capturable()
            }

            fn names_of_operands<'g, K>(&self, objects: &mut Objects<'_>, _: Inside) -> Captured<'g, Self, K> {
                Captured::new(objects.add($name, Object::Memory(self.row())))
            }

            fn access_between_replays<'a>(&'a mut self, _: &'a Current<C>, _: Inside) -> Result<OperandAccess<'a, Self>, Error> {
                Ok(OperandAccess(self))
            }

            fn note_replay(&mut self, _: Inside) {}
        }
    )* };
}
device_memory! {
    DeviceBuffer: "device";
    // The graph keeps a handle of its own, so the memory stays shared until the graph is destroyed.
    SharedBuffer: "shared";
}

impl<C: Brand> sealed::Operands<C> for BoundModel<C> {
    type Captured<'g, K> = Captured<'g, Self, K>;
    type Access<'a>
        = OperandAccess<'a, Self>
    where
        Self: 'a,
        C: 'a;

    fn check_capturable(&self, current: &Current<C>, _: Inside) -> Result<(), Error> {
        Self::check_capturable(self, current)
    }

    fn names_of_operands<'g, K>(&self, objects: &mut Objects<'_>, _: Inside) -> Captured<'g, Self, K> {
        if objects.are_new() {
            self.forget_earlier_graphs();
        }
        Captured::new(objects.add("model", Object::Model(self.for_capture())))
    }

    fn access_between_replays<'a>(
        &'a mut self,
        _: &'a Current<C>,
        _: Inside,
    ) -> Result<OperandAccess<'a, Self>, Error> {
        Ok(OperandAccess(self))
    }

    fn note_replay(&mut self, _: Inside) {
        Self::note_replay(self);
    }

    fn note_failure(&mut self, _: Inside) {
        self.lose_outputs();
    }
}

impl<C: Brand, I, O> sealed::Operands<C> for BoundOperator<C, I, O> {
    type Captured<'g, K> = Captured<'g, Self, K>;
    type Access<'a>
        = OperandAccess<'a, Self>
    where
        Self: 'a,
        C: 'a;

    fn check_capturable(&self, _: &Current<C>, _: Inside) -> Result<(), Error> {
        self.raw().check_capturable()
    }

    fn names_of_operands<'g, K>(&self, objects: &mut Objects<'_>, _: Inside) -> Captured<'g, Self, K> {
        Captured::new(objects.add("operator", Object::Operator(CapturedOperator::new(self.row()))))
    }

    fn access_between_replays<'a>(
        &'a mut self,
        _: &'a Current<C>,
        _: Inside,
    ) -> Result<OperandAccess<'a, Self>, Error> {
        Ok(OperandAccess(self))
    }

    fn note_replay(&mut self, _: Inside) {}
}

impl<C: Brand, T: sealed::Operands<C>> sealed::Operands<C> for Box<[T]> {
    type Captured<'g, K> = Box<[T::Captured<'g, K>]>;
    type Access<'a>
        = Box<[T::Access<'a>]>
    where
        Self: 'a,
        C: 'a;

    fn check_capturable(&self, current: &Current<C>, key: Inside) -> Result<(), Error> {
        self.iter().try_for_each(|one| one.check_capturable(current, key))
    }

    fn names_of_operands<'g, K>(&self, objects: &mut Objects<'_>, key: Inside) -> Self::Captured<'g, K> {
        self.iter().map(|one| one.names_of_operands(objects, key)).collect()
    }

    fn access_between_replays<'a>(
        &'a mut self,
        current: &'a Current<C>,
        key: Inside,
    ) -> Result<Self::Access<'a>, Error> {
        self.iter_mut().map(|one| one.access_between_replays(current, key)).collect()
    }

    fn note_replay(&mut self, key: Inside) {
        self.iter_mut().for_each(|one| one.note_replay(key));
    }

    fn note_failure(&mut self, key: Inside) {
        self.iter_mut().for_each(|one| one.note_failure(key));
    }
}

macro_rules! tuples {
    ($(($($part:ident)*);)*) => { $(
        #[allow(non_snake_case, unused_variables, clippy::unused_unit, reason = "also for the tuple of nothing")]
        impl<C: Brand, $($part: sealed::Operands<C>),*> sealed::Operands<C> for ($($part,)*) {
            type Captured<'g, K> = ($($part::Captured<'g, K>,)*);
            type Access<'a> = ($($part::Access<'a>,)*)
            where
                Self: 'a,
                C: 'a;

            fn check_capturable(&self, current: &Current<C>, key: Inside) -> Result<(), Error> {
                let ($($part,)*) = self;
                $($part.check_capturable(current, key)?;)*
                Ok(())
            }

            fn names_of_operands<'g, K>(&self, objects: &mut Objects<'_>, key: Inside) -> Self::Captured<'g, K> {
                let ($($part,)*) = self;
                ($($part.names_of_operands(objects, key),)*)
            }

            fn access_between_replays<'a>(&'a mut self, current: &'a Current<C>, key: Inside) -> Result<Self::Access<'a>, Error> {
                let ($($part,)*) = self;
                Ok(($($part.access_between_replays(current, key)?,)*))
            }

            fn note_replay(&mut self, key: Inside) {
                let ($($part,)*) = self;
                $($part.note_replay(key);)*
            }

            fn note_failure(&mut self, key: Inside) {
                let ($($part,)*) = self;
                $($part.note_failure(key);)*
            }
        }
    )* };
}
tuples! {
    ();
    (P0);
    (P0 P1);
    (P0 P1 P2);
    (P0 P1 P2 P3);
    (P0 P1 P2 P3 P4);
    (P0 P1 P2 P3 P4 P5);
    (P0 P1 P2 P3 P4 P5 P6);
    (P0 P1 P2 P3 P4 P5 P6 P7);
}
