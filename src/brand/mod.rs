//! The marks that tie values to a context at compile time. All of them have size zero.

pub(crate) mod owners;
mod threads;

use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
pub(crate) use threads::*;

/// The context that a value belongs to, as a type parameter. Contexts, streams, buffers, models and the work on them
/// have this one parameter in common.
///
/// Values can be used together if the parameter is the same for each. A function declares it once, and then works for
/// every context:
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
/// A struct of the program that keeps such values has the parameter, too. `#[derive]` then asks the parameter for the same
/// trait. [`Scoped`] and the names that [`names!`](crate::names) declares have `Clone`, `PartialEq`, `Eq`, `Hash` and `Debug`.
///
/// ```
/// use ascendcl::{Brand, SharedBuffer};
///
/// #[derive(Clone, Debug)]
/// struct Weights<C: Brand> {
///     matrix: SharedBuffer<C, f32>,
///     shape: [usize; 2],
/// }
///
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let weights = Weights { matrix: current.upload(&[1.0; 6])?.into_shared(), shape: [2, 3] };
/// let second = weights.clone();
/// println!("{second:?}");
/// # assert_eq!(weights.shape, second.shape);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
///
/// There are two kinds of contexts:
///
/// * [`Scoped`]: the context of a scope. The type alone is the proof: code with a value of another context does not
///   compile.
/// * a [`Name`]: the context of a [`Runtime`](crate::Runtime). Its values are `'static`, so structs can store them. Two
///   contexts may have the same name. Using a value in the wrong one returns [`Error::WrongContext`].
///
/// [`Error::WrongContext`]: crate::Error::WrongContext
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a context",
    label = "this stands where the context does",
    note = "CTX-02: values of a context are written `Current<C>` in functions for every context (`C: Brand`), or \
            `Current<Scoped<'_>>` for a context of a scope",
    note = "to use a type of yours as the name of an owned context, declare it: `ascendcl::names! {{ Vision }}`",
    note = "see `ascendcl-explain CTX-02`"
)]
pub trait Brand: sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
    /// This is separate from `Sealed`, because a program implements `Sealed` by its names.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` names the context of a runtime, which is no scope",
        label = "a value of a runtime may outlive its context",
        note = "MEM-12: host memory of a runtime is read while its context is current: `buffer.slice(current)?`",
        note = "see `ascendcl-explain MEM-12`"
    )]
    pub trait Scope {}
}

/// The context of a scope. No other scope has the lifetime `'c`. `N` is the context's name in the compiler's messages.
///
/// This type has no values. It appears in the types of values: `Current<Scoped<'_>>`.
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
    /// Both parameters are invariant. With any other variance, a value of one context could be passed as a value of
    /// another.
    _context: PhantomData<(fn(&'c ()) -> &'c (), fn(N) -> N)>,
}

impl<N> sealed::Sealed for Scoped<'_, N> {}
impl<N> Brand for Scoped<'_, N> {}

// `#[derive(Clone, Debug)]` on a program's `struct Tensor<C: Brand> { ... }` asks for the same of `C`.
impl<N> Clone for Scoped<'_, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<N> Copy for Scoped<'_, N> {}

impl<N> PartialEq for Scoped<'_, N> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<N> Eq for Scoped<'_, N> {}

impl<N> Hash for Scoped<'_, N> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl<N> fmt::Debug for Scoped<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scoped")
    }
}

/// Contexts whose values cannot outlive them: those of scopes.
///
/// In scopes, a [`HostBuffer`](crate::HostBuffer) dereferences to a slice. A function that relies on this has the bound
/// `C: InScope`. A function for every context uses [`slice`](crate::HostBuffer::slice).
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
    note = "see `ascendcl-explain MEM-12`"
)]
pub trait InScope: Brand + sealed::Scope {}
impl<N> sealed::Scope for Scoped<'_, N> {}
impl<N> InScope for Scoped<'_, N> {}

/// The name of the contexts of [`Runtime`](crate::Runtime)s, in the types of their values: `Current<Vision>`,
/// `Stream<Vision>`.
///
/// [`names!`](crate::names) declares names. Two names cannot be mixed up: the compiler says "expected
/// `Current<Vision>`, found `Current<Speech>`". One name can serve many contexts, for example one per device or worker.
/// Then using a value in the wrong context returns [`Error::WrongContext`](crate::Error::WrongContext).
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
    note = "CTX-02: `ascendcl::names!(Vision);` declares a type that is a name; a type that is declared already becomes one by `impl ascendcl::Name for ... {{}}`",
    note = "a type parameter needs the bound `ascendcl::Name`; the context of a scope (`Scoped`) gets no name: use a runtime, `runtime.with(|current| ...)`",
    note = "see `ascendcl-explain CTX-02`"
)]
pub trait Name: 'static {}

#[diagnostic::do_not_recommend]
impl<N: Name> sealed::Sealed for N {}
#[diagnostic::do_not_recommend]
impl<N: Name> Brand for N {}

/// The name of a context without a name of its own.
///
/// [`names!`](crate::names) can give the context of a scope a name. Then the compiler's messages contain
/// `Current<Scoped<'_, Vision>>` and not only lifetimes. See
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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unnamed {}

/// Declares types as names for contexts ([`Name`]). The compiler's messages use these names.
///
/// ```
/// ascendcl::names! {
///     /// Finds faces.
///     pub Vision,
///     Speech,
/// }
/// ```
///
/// A `#[cfg]` goes on the call, which then declares only the names that depend on it.
#[macro_export]
macro_rules! names {
    ($($(#[$meta:meta])* $vis:vis $name:ident),+ $(,)?) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
            $vis enum $name {}
            impl $crate::Name for $name {}
        )+
    };
}

/// A value of size zero that makes a type belong to one context. It is invariant, like [`Scoped`].
pub(crate) struct Mark<C>(PhantomData<fn(C) -> C>);

impl<C> Mark<C> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

/// The key to methods of sealed traits. Only this crate has a value of it.
///
/// Sealing a trait prevents other crates from implementing it, but not from calling its methods: a bound on a public
/// trait includes the methods of its private supertrait.
#[derive(Clone, Copy, Debug)]
pub struct Inside {
    _private: (),
}

pub(crate) const INSIDE: Inside = Inside { _private: () };
