//! Errors that the failed call cannot return to the program. A later call returns them.

use crate::error::{CloseError, Error, Extension, ExtensionError};
use crate::panics::{Panics, catch, drop_each_quietly, drop_quietly};
use ascendcl_rules::RuleId;
use core::fmt;
use std::mem;
use std::sync::{Mutex, PoisonError};

/// The largest number of errors that are kept. Without a limit, a program that never asks for them would leak memory.
const MOST: usize = 64;

/// Errors until somebody asks for them.
#[derive(Debug, Default)]
pub(crate) struct UndeliveredErrors(Mutex<Vec<Error>>);

/// Errors that a call could not return because a panic of the program continued. The next
/// [sweep](crate::runtime::sweep) returns them.
static SWEPT: UndeliveredErrors = UndeliveredErrors(Mutex::new(Vec::new()));

impl UndeliveredErrors {
    /// Keeps errors, if there is room.
    pub(crate) fn keep(&self, errors: impl IntoIterator<Item = Error>) {
        let mut errors: Vec<_> = errors.into_iter().collect();
        // A forked child has none, and takes no lock.
        if errors.is_empty() {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MOST.saturating_sub(kept.len());
        let rest = errors.split_off(room.min(errors.len()));
        kept.append(&mut errors);
        drop(kept);
        // Not under the lock: an error may contain a value of the program, whose drop is code of the program.
        drop_each_quietly(rest);
    }

    pub(crate) fn take(&self) -> Vec<Error> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Like [`take`](Self::take), without a lock.
    pub(crate) fn take_mut(&mut self) -> Vec<Error> {
        mem::take(self.0.get_mut().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Keeps errors for the next sweep, if there is room.
pub(crate) fn keep(errors: impl IntoIterator<Item = Error>) {
    // In a forked child every call has this error. It says nothing about what was not released.
    let errors = errors.into_iter().filter(|error| !matches!(error, Error::Forked { .. }));
    SWEPT.keep(errors.map(without_foreign_values));
}

/// Takes what was kept for a sweep.
pub(crate) fn take() -> Vec<Error> {
    SWEPT.take()
}

/// The result of steps in which code of the program ran. If some of it panicked, the first panic continues, and the next
/// sweep returns the errors.
pub(crate) fn unless_panicked<R, E>(
    panics: Panics,
    result: Result<R, E>,
    errors_of: impl FnOnce(E) -> Vec<Error>,
) -> Result<R, E> {
    if let Some(panic) = panics.first() {
        keep(result.err().map(errors_of).unwrap_or_default());
        panic.resume();
    }
    result
}

/// The text of an error of other code, in place of the error. The error's drop may panic, and would do so in the part of
/// the program that sweeps.
#[derive(Debug)]
struct ErrorText {
    text: String,
    rules: &'static [RuleId],
}

/// The same error, with texts in place of errors of other code.
fn without_foreign_values(error: Error) -> Error {
    match error {
        Error::NotTakenDown { what, reason } => match reason.downcast::<Error>() {
            Ok(reason) => Error::NotTakenDown { what, reason: Box::new(without_foreign_values(*reason)) },
            Err(reason) => {
                let text = text_of(&*reason);
                drop_quietly(reason);
                Error::NotTakenDown { what, reason: text.into() }
            }
        },
        Error::Extension(extension) => {
            let rules = catch(|| extension.rules()).unwrap_or(&[]);
            let text = text_of(&extension);
            drop_quietly(extension);
            Extension::of(ErrorText { text, rules }).into()
        }
        Error::NotClosed(error) => Error::NotClosed(Box::new(match *error {
            CloseError::Refused(error) => CloseError::Refused(without_foreign_values(error)),
            CloseError::Teardown { errors } => {
                CloseError::Teardown { errors: errors.into_iter().map(without_foreign_values).collect() }
            }
            busy => busy,
        })),
        own => own,
    }
}

fn text_of(error: &dyn fmt::Display) -> String {
    catch(|| error.to_string()).unwrap_or_else(|_| "an error whose text panics".to_owned())
}

impl std::error::Error for ErrorText {}

impl ExtensionError for ErrorText {
    fn rules(&self) -> &'static [RuleId] {
        self.rules
    }
}

impl fmt::Display for ErrorText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
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
            Error::NotTakenDown { what: "communicator", reason: Box::new(Panics) },
            Error::NotTakenDown {
                what: "channel",
                reason: Box::new(Error::from(Extension::of(Refused(Some(Panics))))),
            },
            Extension::of(Refused(Some(Panics))).into(),
            Error::Forked { loaded_in: 1, here: 2 },
            Error::NotExecuted,
        ]);
        keep((0..2 * MOST).map(|_| Error::NotPinned));
        let told = take();
        assert_eq!(told.len(), MOST);
        let [first, second, third, fourth, ..] = &*told else { panic!("{told:?}") };
        // None of them has a value that panics where it is dropped.
        assert_eq!(first.to_string(), "could not take down the communicator: an error whose text panics");
        assert!(matches!(second, Error::NotTakenDown { reason, .. } if reason.is::<Error>()), "{second}");
        assert!(second.extension::<Refused>().is_none(), "a value of other code was kept");
        assert!(third.to_string().starts_with("refused") && third.rules() == [ERR_01], "{third}");
        assert!(matches!(fourth, Error::NotExecuted), "{fourth}");
        assert_eq!(take().len(), 0);
    }
}
