//! Errors of crates that add a part of the library to this one.

use super::Error;
use ascendcl_rules::RuleId;
use core::fmt;

/// An error of a crate beside this one, which names the rules that it is about.
///
/// Such a crate implements it for its own error type, and `From` of that type for [`Error`]. So its functions return
/// [`Error`], [`Failed`](crate::Failed) and [`ScopeError`](crate::ScopeError) as those of this crate do.
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
    /// The rules of the library that the error is about; the message ends with them, in brackets.
    fn rules(&self) -> &'static [RuleId];
}

/// An error of a crate beside this one. It prints as that error does. [`ExtensionError`] has a program.
pub struct Extension(Box<dyn ExtensionError>);

impl Extension {
    /// This error.
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
    /// The error of a crate beside this one, if it is of this type; also where such an error kept an
    /// [attached](crate::raw::Attach) object from ending.
    pub fn extension<E: ExtensionError>(&self) -> Option<&E> {
        match self {
            Self::Extension(error) => error.get(),
            Self::Attached { source, .. } => source.downcast_ref::<Self>().and_then(Self::extension),
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
