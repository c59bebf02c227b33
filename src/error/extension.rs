//! Errors of crates that add a part of the library to this one.

use super::Error;
use ascendcl_rules::RuleId;
use core::fmt;

/// An error of a crate that extends this one. It names the rules that it is about.
///
/// Such a crate implements this trait for its error type, and `From` of that type for [`Error`]. Then its functions can
/// return [`Error`], [`Failed`](crate::Failed) and [`ScopeError`](crate::ScopeError), like those of this crate.
///
/// ```
/// use ascendcl::error::{Extension, ExtensionError};
/// use ascendcl::{Error, RuleId};
///
/// #[derive(Debug)]
/// struct NoSuchRank(u32);
///
/// impl std::fmt::Display for NoSuchRank {
///     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
///         write!(f, "the communicator has no rank {}", self.0)
///     }
/// }
///
/// impl std::error::Error for NoSuchRank {}
///
/// impl ExtensionError for NoSuchRank {
///     fn rules(&self) -> &'static [RuleId] {
///         &[]
///     }
/// }
///
/// impl From<NoSuchRank> for Error {
///     fn from(error: NoSuchRank) -> Self {
///         Extension::of(error).into()
///     }
/// }
///
/// let error = Error::from(NoSuchRank(8));
/// assert_eq!(error.extension::<NoSuchRank>().map(|error| error.0), Some(8));
/// ```
pub trait ExtensionError: std::error::Error + Send + Sync + 'static {
    /// The rules of the library that the error is about. The message ends with them, in brackets.
    fn rules(&self) -> &'static [RuleId];
}

/// An error of a crate that extends this one. It prints like that error. [`ExtensionError`] has an example.
pub struct Extension(Box<dyn ExtensionError>);

impl Extension {
    /// Wraps an error of another crate.
    pub fn of(error: impl ExtensionError) -> Self {
        Self(Box::new(error))
    }

    /// The error, if it is of this type.
    pub fn get<E: ExtensionError>(&self) -> Option<&E> {
        let error: &(dyn std::error::Error + 'static) = &*self.0;
        error.downcast_ref()
    }

    /// The rules of the library that the error is about.
    pub fn rules(&self) -> &'static [RuleId] {
        self.0.rules()
    }
}

impl Error {
    /// Returns the error of another crate, if it has this type. Also finds an error that kept an
    /// [attached](crate::raw::Attach) object from ending.
    pub fn extension<E: ExtensionError>(&self) -> Option<&E> {
        match self {
            Self::Extension(error) => error.get(),
            Self::NotTakenDown { reason, .. } => reason.downcast_ref::<Self>().and_then(Self::extension),
            Self::NotClosed(error) => error.errors().iter().find_map(Self::extension),
            _ => None,
        }
    }
}

impl std::error::Error for Extension {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl fmt::Display for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
