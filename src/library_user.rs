//! Other libraries that use this one.

use ascendcl_rules::RuleId;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A library that uses this one for as long as it is initialised: a graph engine, a library of collectives.
///
/// [`Acl::hold`](crate::Acl::hold) prevents finalising this library while the other one uses it.
#[derive(PartialEq, Eq, Debug)]
pub struct LibraryUser {
    /// Why this library cannot be finalised, and what to do first: "the graph engine is still initialised: close the
    /// `Engine` first".
    pub why: &'static str,
    /// The rules that forbid it.
    pub rules: &'static [RuleId],
}

/// The users of one loaded and initialised library.
#[derive(Clone, Default)]
pub(crate) struct Users(Arc<Mutex<Vec<(u64, &'static LibraryUser)>>>);

/// Prevents finalising the library: see [`Acl::hold`](crate::Acl::hold). Dropping it does not call the library. If it
/// is forgotten, the library is never finalised.
#[must_use = "a hold that is dropped holds nothing any more"]
pub struct LibraryHold {
    users: Users,
    number: u64,
}

impl Users {
    pub(crate) fn hold(&self, user: &'static LibraryUser) -> LibraryHold {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        self.all().push((number, user));
        LibraryHold { users: self.clone(), number }
    }

    /// One of the current users, if there are any.
    pub(crate) fn first(&self) -> Option<&'static LibraryUser> {
        self.all().first().map(|(_, user)| *user)
    }

    fn all(&self) -> MutexGuard<'_, Vec<(u64, &'static LibraryUser)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LibraryHold {
    fn drop(&mut self) {
        self.users.all().retain(|(number, _)| *number != self.number);
    }
}

/// Without the other users, whose list is locked: the program's writer may use this value.
impl fmt::Debug for LibraryHold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LibraryHold").field("number", &self.number).finish_non_exhaustive()
    }
}
