//! Errors that no result can carry, because a panic of the program goes on instead. The next
//! [sweep](crate::runtime::sweep) returns them.

use crate::error::{Error, Extension, ExtensionError};
use crate::panics::{catch, drop_quietly};
use ascendcl_rules::RuleId;
use core::fmt;
use std::mem;
use std::sync::{Mutex, MutexGuard};

/// The largest number of errors that are kept.
const MOST: usize = 64;

static UNTOLD: Mutex<Vec<Error>> = Mutex::new(Vec::new());

/// The text of an error of other code. That code may panic where the error is dropped, which would be in the code of
/// the program that sweeps.
#[derive(Debug)]
struct Said {
    text: String,
    rules: &'static [RuleId],
}

/// Keeps errors for the next sweep, if there is room.
pub(crate) fn keep(errors: impl IntoIterator<Item = Error>) {
    // A forked child has nothing else to tell, and takes no lock.
    let errors = errors.into_iter().filter(|error| !matches!(error, Error::Forked { .. }));
    let mut errors: Vec<_> = errors.map(said).collect();
    if !errors.is_empty() {
        let mut untold = untold();
        errors.truncate(MOST.saturating_sub(untold.len()));
        untold.append(&mut errors);
    }
}

/// The error without values of other code.
fn said(error: Error) -> Error {
    let text = |error: &dyn fmt::Display| {
        catch(|| error.to_string()).unwrap_or_else(|_| "an error whose text panics".to_owned())
    };
    let said = match &error {
        Error::Attached { reason, .. } if reason.is::<Error>() => return error,
        Error::Attached { what, reason } => Error::Attached { what, reason: text(reason).into() },
        Error::Extension(extension) => {
            let rules = catch(|| extension.rules()).unwrap_or(&[]);
            Extension::of(Said { text: text(extension), rules }).into()
        }
        _ => return error,
    };
    drop_quietly(error);
    said
}

impl std::error::Error for Said {}

impl ExtensionError for Said {
    fn rules(&self) -> &'static [RuleId] {
        self.rules
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Takes all of them.
pub(crate) fn take() -> Vec<Error> {
    mem::take(&mut *untold())
}

fn untold() -> MutexGuard<'static, Vec<Error>> {
    UNTOLD.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use ascendcl_rules::ERR_01;
    use std::panic::panic_any;

    /// Panics where it is printed, and where it is dropped.
    #[derive(Debug)]
    struct Panics;

    impl Drop for Panics {
        fn drop(&mut self) {
            panic_any("dropped");
        }
    }

    impl fmt::Display for Panics {
        fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
            panic_any("printed")
        }
    }

    impl std::error::Error for Panics {}

    #[derive(Debug)]
    struct Refused(#[allow(dead_code, reason = "its drop panics")] Option<Panics>);

    impl fmt::Display for Refused {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("refused")
        }
    }

    impl std::error::Error for Refused {}

    impl ExtensionError for Refused {
        fn rules(&self) -> &'static [RuleId] {
            &[ERR_01]
        }
    }

    #[test]
    fn errors_are_kept_in_their_words_and_not_more_than_there_is_room_for() {
        keep([
            Error::Attached { what: "communicator", reason: Box::new(Panics) },
            Error::Attached { what: "channel", reason: Box::new(Error::Capturing) },
            Extension::of(Refused(Some(Panics))).into(),
            Error::Forked { loaded_in: 1, here: 2 },
            Error::NotExecuted,
        ]);
        keep((0..2 * MOST).map(|_| Error::NotPinned));
        let told = take();
        assert_eq!(told.len(), MOST);
        let [first, second, third, fourth, ..] = &*told else { panic!("{told:?}") };
        assert_eq!(first.to_string(), "could not take down the communicator: an error whose text panics");
        assert!(matches!(second, Error::Attached { reason, .. } if reason.is::<Error>()), "{second}");
        assert!(third.to_string().starts_with("refused") && third.rules() == [ERR_01], "{third}");
        assert!(matches!(fourth, Error::NotExecuted), "{fourth}");
        assert_eq!(take().len(), 0);
    }
}
