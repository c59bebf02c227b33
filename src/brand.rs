//! The marks that tie values together at compile time. All of them have no size.

use core::cell::Cell;
use core::marker::PhantomData;

/// The name of a context that was not given one.
///
/// A context can be named by a type of yours ([`names!`](crate::names)); then the compiler speaks of
/// `Current<'_, Vision>` where it would have spoken of lifetimes only. See
/// [`Device::named_context`](crate::Device::named_context).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unnamed {}

/// Declares types that give their names to contexts, for the compiler's messages to speak of.
///
/// ```
/// ascendcl::names! {
///     /// Finds faces.
///     pub Vision,
///     Speech,
/// }
/// ```
#[macro_export]
macro_rules! names {
    ($($(#[$meta:meta])* $vis:vis $name:ident),+ $(,)?) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            $vis enum $name {}
        )+
    };
}

/// One context: the lifetime is the proof, the type is the name.
///
/// Both are invariant: with any other variance, a value of one context could be passed off as one of another.
pub(crate) struct Brand<'c, N> {
    _lifetime: PhantomData<fn(&'c ()) -> &'c ()>,
    _name: PhantomData<fn(N) -> N>,
}

impl<N> Brand<'_, N> {
    pub(crate) const NEW: Self = Self { _lifetime: PhantomData, _name: PhantomData };
}

/// Only this crate has one: the key to methods of sealed traits.
///
/// Being sealed keeps others from implementing a trait, not from calling its methods: a bound on a public trait brings in
/// those of its private supertrait.
#[derive(Clone, Copy, Debug)]
pub struct Inside {
    _private: (),
}

pub(crate) const INSIDE: Inside = Inside { _private: () };

/// Makes a type neither `Send` nor `Sync`: a pointer is neither, and the compiler names what it points to.
#[derive(Debug)]
pub(crate) struct StaysOnItsThread(PhantomData<*mut TheCurrentContextIsPerThread>);

/// Only there for its name, which is part of the compiler's message.
#[derive(Debug)]
enum TheCurrentContextIsPerThread {}

/// Makes a type not `Sync`, and leaves it `Send`: a cell is so, and the compiler names what is in it.
#[derive(Debug)]
pub(crate) struct NotShared {
    _cell: PhantomData<Cell<OneThreadAtATimeUsesThis>>,
}

/// Only there for its name, which is part of the compiler's message.
#[derive(Debug)]
enum OneThreadAtATimeUsesThis {}

impl NotShared {
    pub(crate) const NEW: Self = Self { _cell: PhantomData };
}

impl StaysOnItsThread {
    pub(crate) const HERE: Self = Self(PhantomData);
}
