//! The marks that tie values together at compile time. All of them have no size.

pub(crate) mod owners;
mod threads;

use core::marker::PhantomData;
pub(crate) use threads::*;

/// Which context a value belongs to: the one parameter that contexts, streams, buffers, models and the work on them
/// have in common.
///
/// Values work together when the parameter is the same for each. A function that takes a context's values says so once,
/// and works for every context:
///
/// ```
/// use ascendcl::{Brand, Current, DeviceBuffer, Error, Library, Stream};
///
/// fn ones<C: Brand>(current: &Current<C>, stream: &Stream<C>) -> Result<DeviceBuffer<C, u8>, Error> {
///     Ok(stream.set_bytes(current, current.device_buffer(4)?, 1)?.wait(current)?)
/// }
///
/// # ascendcl::run(Library::Simulator, |current| {
/// assert_eq!(ones(current, &current.stream()?)?.to_vec(current)?, [1; 4]);
/// # Ok::<_, Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<Error>>(())
/// ```
///
/// There are two kinds of contexts:
///
/// * [`Scoped`]: the context of a scope. Its type is the proof: a value of another context does not compile.
/// * a [`Name`]: the context of a [`Runtime`](crate::Runtime). Its values are `'static`, so structs can store them. Two
///   contexts may have one name; a value of the wrong one is refused when it is used ([`Error::WrongContext`]).
///
/// [`Error::WrongContext`]: crate::Error::WrongContext
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a context",
    label = "this stands where the context does",
    note = "CTX-02: values of a context are written `Current<C>` in functions for every context (`C: Brand`), or \
            `Current<Scoped<'_>>` for a context of a scope",
    note = "to use a type of yours as the name of an owned context, declare it: `ascendcl::names! {{ Vision }}`",
    note = "see `cargo run -p ascendcl-explain CTX-02`"
)]
pub trait Brand: sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
    /// Apart from the other: a program implements that one by way of its names.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` names the context of a runtime, which is no scope",
        label = "a value of a runtime may outlive its context",
        note = "MEM-12: host memory of a runtime is read while its context is current: `buffer.slice(current)?`",
        note = "see `cargo run -p ascendcl-explain MEM-12`"
    )]
    pub trait Scope {}
}

/// The context of a scope: no other scope has the lifetime, and `N` is its name in the compiler's messages.
///
/// No value has this type. It stands in the types of the values: `Current<Scoped<'_>>`.
///
/// ```
/// use ascendcl::{Current, Error, Scoped, Stream};
///
/// /// `'c` is the scope: the stream and the proof are of the same one.
/// fn wait<'c>(current: &Current<Scoped<'c>>, stream: &Stream<Scoped<'c>>) -> Result<(), Error> {
///     stream.synchronize(current)
/// }
/// ```
pub struct Scoped<'c, N = Unnamed> {
    /// Both are invariant: with any other variance, a value of one context could be passed off as one of another.
    _context: PhantomData<(fn(&'c ()) -> &'c (), fn(N) -> N)>,
}

impl<N> sealed::Sealed for Scoped<'_, N> {}
impl<N> Brand for Scoped<'_, N> {}

/// Contexts whose values cannot outlive them: those of scopes.
///
/// There a [`HostBuffer`](crate::HostBuffer) is read like a slice. A function that does so for any scope has the bound
/// `C: InScope`; one for every context reads through [`slice`](crate::HostBuffer::slice).
///
/// ```
/// use ascendcl::{HostBuffer, InScope};
///
/// /// Host memory dereferences in scopes only.
/// fn first<C: InScope>(buffer: &HostBuffer<C, f32>) -> Option<f32> {
///     buffer.first().copied()
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "host memory of `{Self}` cannot be reached without its `Current`",
    label = "a buffer of a runtime may outlive its memory",
    note = "MEM-12: `buffer.slice(current)?` and `buffer.slice_mut(current)?` give the elements in every context",
    note = "only a buffer of a scope, `HostBuffer<Scoped<'_>, E>`, is indexed and dereferenced by itself",
    note = "see `cargo run -p ascendcl-explain MEM-12`"
)]
pub trait InScope: Brand + sealed::Scope {}
impl<N> sealed::Scope for Scoped<'_, N> {}
impl<N> InScope for Scoped<'_, N> {}

/// The name of the contexts of [`Runtime`](crate::Runtime)s, in the types of their values: `Current<Vision>`,
/// `Stream<Vision>`.
///
/// [`names!`](crate::names) declares names. Two names cannot be mixed up: the compiler says "expected
/// `Current<Vision>`, found `Current<Speech>`". One name can serve many contexts, one per device or per worker: there a
/// value of the wrong context is an [`Error::WrongContext`](crate::Error::WrongContext) when it is used.
///
/// ```
/// use ascendcl::{Library, Runtime, Stream};
///
/// ascendcl::names!(Vision);
///
/// let runtime = Runtime::<Vision>::open(Library::Simulator)?;
/// let stream: Stream<Vision> = runtime.with(|current| current.stream())??;
/// # drop(stream);
/// # Ok::<(), ascendcl::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not declared as the name of a context",
    label = "expected a name, as `ascendcl::names!` declares it",
    note = "CTX-02: declare it: `ascendcl::names!({Self});`, or `impl ascendcl::Name for {Self} {{}}`",
    note = "see `cargo run -p ascendcl-explain CTX-02`"
)]
pub trait Name: 'static {}

#[diagnostic::do_not_recommend]
impl<N: Name> sealed::Sealed for N {}
#[diagnostic::do_not_recommend]
impl<N: Name> Brand for N {}

/// The name of a context that was not given one.
///
/// A context of a scope can be named by a type of yours ([`names!`](crate::names)); then the compiler speaks of
/// `Current<Scoped<'_, Vision>>` where it would have spoken of lifetimes only. See
/// [`Device::named_context`](crate::Device::named_context).
///
/// ```
/// use ascendcl::{Scoped, Stream, Unnamed};
///
/// // Both are a stream of a scope without a name.
/// fn same<'c>(stream: Stream<Scoped<'c>>) -> Stream<Scoped<'c, Unnamed>> {
///     stream
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unnamed {}

/// Declares types that give their names to contexts ([`Name`]), for the compiler's messages to speak of.
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
            impl $crate::Name for $name {}
        )+
    };
}

/// Makes a type belong to one context, without a size. Invariant, as [`Scoped`] is.
pub(crate) struct Mark<C>(PhantomData<fn(C) -> C>);

impl<C> Mark<C> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

/// Only this crate has one: the key to methods of sealed traits.
///
/// Being sealed keeps others from implementing a trait, not from calling its methods: a bound on a public trait brings
/// in those of its private supertrait.
#[derive(Clone, Copy, Debug)]
pub struct Inside {
    _private: (),
}

pub(crate) const INSIDE: Inside = Inside { _private: () };
