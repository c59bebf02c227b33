//! Failures that return a value: the object of a transition, or the result of a scope's program.

use super::{Boxed, Error};
use crate::code::Code;
use ascendcl_macros::rule;
use core::fmt;

/// A failed transition: the reason, and the object in its previous state.
///
/// Use `value` to try again, or to continue without the transition. If it is dropped, the scope destroys the object.
///
/// `?` drops the value in functions that return [`Error`] or `Box<dyn std::error::Error>`. The value may borrow, so
/// no value of this type is a [`std::error::Error`]. For other error types, for example `anyhow`'s or an enum of your own
/// that has `From<Error>`, [`or_drop`](OrDrop::or_drop) keeps the error only. Or an enum of your own converts all of them
/// once, and `?` works without `or_drop`:
///
/// ```
/// use ascendcl::{Acl, Failed, Library};
///
/// #[derive(Debug)]
/// enum AppError {
///     Npu(ascendcl::Error),
/// }
///
/// impl<T> From<Failed<T>> for AppError {
///     fn from(failed: Failed<T>) -> Self {
///         Self::Npu(failed.error)
///     }
/// }
///
/// fn close(acl: Acl) -> Result<(), AppError> {
///     Ok(acl.close()?)
/// }
/// # close(Acl::init(Library::Simulator).unwrap()).unwrap();
/// ```
///
/// With `or_drop`:
///
/// ```
/// use ascendcl::{Acl, Library, OrDrop, Thread};
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let acl = Acl::init(Library::Simulator)?;
///     let mut thread = Thread::new()?;
///     let device = acl.device(&mut thread, 0)?;
///     device.reset(&mut thread)?;
///     let closed: Result<(), ascendcl::Error> = acl.close().or_drop();
///     Ok(closed?)
/// }
/// ```
#[must_use = "the object that could not make the transition is in here"]
#[rule(ERR_01)]
pub struct Failed<T> {
    /// The reason.
    pub error: Error,
    /// The object, unchanged.
    pub value: T,
}

impl<T> Failed<T> {
    /// The failure of a fast path, whose error is behind a pointer.
    #[cold]
    #[inline(never)]
    pub(crate) fn boxed(error: Boxed, value: T) -> Self {
        Self { error: error.into(), value }
    }

    /// The same reason, with the object in another form.
    pub fn map<U>(self, form: impl FnOnce(T) -> U) -> Failed<U> {
        Failed { error: self.error, value: form(self.value) }
    }
}

/// What the error prints, because `unwrap` and a failed `main` print it. The object may have no `Debug`.
impl<T> fmt::Debug for Failed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.error, f)
    }
}

impl<T> fmt::Display for Failed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

/// The end of a message that says why, or nothing.
pub(super) struct Because<'e>(pub Option<&'e Error>);

impl fmt::Display for Because<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |cause| write!(f, "; it ended because of this error: {cause}"))
    }
}

/// The part of a message that names places in the program, or nothing.
pub(super) struct TakenAt<'e>(pub &'e str);

impl fmt::Display for TakenAt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ", and still held by what took it at {}", self.0) }
    }
}

/// No type implements it. If a function requires a [`std::error::Error`], the compiler prints this message.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is an error and the object that the failed call gives back",
    label = "ERR-01: `.or_drop()?` keeps the error and drops the object, with `use ascendcl::OrDrop`",
    note = "to keep the object: `match` on the result, whose `Err` has `error` and `value`",
    note = "see `ascendcl-explain ERR-01`"
)]
#[doc(hidden)]
pub trait ErrorAlone {}

#[doc(hidden)]
impl<T> std::error::Error for Failed<T> where Self: ErrorAlone {}

/// Drops the object and keeps the reason, so that `?` works in functions that return [`Error`].
impl<T> From<Failed<T>> for Error {
    fn from(failed: Failed<T>) -> Self {
        failed.error
    }
}

impl<T> From<Failed<T>> for Box<dyn std::error::Error> {
    fn from(failed: Failed<T>) -> Self {
        failed.error.into()
    }
}

impl<T> From<Failed<T>> for Box<dyn std::error::Error + Send + Sync> {
    fn from(failed: Failed<T>) -> Self {
        failed.error.into()
    }
}

/// Reduces the error of a transition to its reason.
///
/// ```
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// use ascendcl::OrDrop;
///
/// let buffer = current.device_buffer::<u8>(4)?;
/// assert!(buffer.write(current, &[1, 2, 3]).or_drop().is_err(), "4 elements were expected");
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
pub trait OrDrop<T>: sealed::Sealed {
    /// Drops the object of a failed transition; its scope destroys it. The error is `Send`, `Sync` and `'static`, as
    /// `anyhow` and `eyre` require.
    ///
    /// # Errors
    ///
    /// Why the transition failed.
    fn or_drop(self) -> Result<T, Error>;
}

impl<T, V> OrDrop<T> for Result<T, Failed<V>> {
    fn or_drop(self) -> Result<T, Error> {
        self.map_err(|failed| failed.error)
    }
}

impl From<ascendcl_sys::LoadError> for Error {
    fn from(error: ascendcl_sys::LoadError) -> Self {
        Self::Load(Box::new(error))
    }
}

mod sealed {
    pub trait Sealed {}
    impl<T, V> Sealed for Result<T, super::Failed<V>> {}
}

/// A scope failed: it could not be opened, or its teardown failed.
///
/// ```
/// use ascendcl::{Acl, Library, ScopeError, Thread};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let acl = Acl::init(Library::Simulator)?;
/// # let mut thread = Thread::new()?;
/// # let device = acl.device(&mut thread, 0)?;
/// match device.context(&mut thread, |_context, _thread| 42) {
///     Ok(answer) => assert_eq!(answer, 42),
///     Err(ScopeError::NotOpened(error)) => return Err(error.into()),
///     Err(ScopeError::Teardown { errors, .. }) => errors.iter().for_each(|error| eprintln!("{error}")),
/// }
/// # Ok(())
/// # }
/// ```
pub enum ScopeError<R> {
    /// The scope could not be opened; the program in it did not run.
    NotOpened(Error),
    /// The program ran and returned `result`. The teardown of the scope failed afterwards.
    Teardown {
        /// The errors, in order.
        errors: Vec<Error>,
        /// The program's result.
        result: R,
    },
}

impl<R> ScopeError<R> {
    /// The errors, in order.
    pub fn errors(&self) -> &[Error] {
        match self {
            Self::NotOpened(error) => core::slice::from_ref(error),
            Self::Teardown { errors, .. } => errors,
        }
    }

    /// The vendor's code of the first error that has one.
    pub fn code(&self) -> Option<Code> {
        self.errors().iter().find_map(Error::code)
    }
}

/// Exists for the compiler's message only: a scope can fail with several errors. No type implements it.
#[diagnostic::on_unimplemented(
    message = "a scope can fail in several steps, and its error is more than one `ascendcl::Error`",
    label = "ERR-01: a scope can fail in several steps: return `Box<dyn std::error::Error>`, or look at `error.errors()`",
    note = "see `ascendcl-explain ERR-01`"
)]
pub trait IsOneError {
    /// A value of any type: there is no such function.
    #[doc(hidden)]
    fn never<R>(&self) -> R;
}

/// A scope can fail with several errors, so `?` cannot convert them into one [`Error`]. The bound has the words of the
/// compiler's message.
#[doc(hidden)]
impl<R> From<ScopeError<R>> for Error
where
    ScopeError<R>: IsOneError,
{
    fn from(error: ScopeError<R>) -> Self {
        error.never()
    }
}

/// The text contains those of the [errors](ScopeError::errors), so none of them is a `source`.
impl<R> std::error::Error for ScopeError<R> {}

impl<R> fmt::Display for ScopeError<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOpened(error) => error.fmt(f),
            Self::Teardown { errors, .. } => {
                write!(f, "taking down the scope reported {} error(s): {}", errors.len(), List(errors))
            }
        }
    }
}

/// The text, because `unwrap` and a failed `main` print it. The result may have no `Debug`.
impl<R> fmt::Debug for ScopeError<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOpened(error) => error.fmt(f),
            Self::Teardown { errors, .. } => {
                write!(f, "taking down the scope reported {} error(s):{}", errors.len(), Lines(errors))
            }
        }
    }
}

/// What each error prints for `unwrap`, on a line of its own.
pub(crate) struct Lines<'a>(pub(crate) &'a [Error]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|error| write!(f, "\n  {error:?}"))
    }
}

struct List<'a>(&'a [Error]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(index, error)| match index {
            0 => write!(f, "{error}"),
            _ => write!(f, "; {error}"),
        })
    }
}
