//! Other libraries that use this one.

use ascendcl_rules::RuleId;
use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
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

/// The users of one loaded and initialised library. Behind a pointer, so that a failure that gives an `Acl` back stays small.
#[derive(Default)]
pub(crate) struct Users(Box<Mutex<Vec<(Arc<Hold>, &'static LibraryUser)>>>);

/// What a [`LibraryHold`] and the list have in common.
struct Hold {
    number: u64,
    is_over: AtomicBool,
}

/// Prevents finalising the library: see [`Acl::hold`](crate::Acl::hold). Dropping it neither calls the library nor takes a
/// lock. If it is forgotten, the library is never finalised.
#[must_use = "a hold that is dropped holds nothing any more"]
pub struct LibraryHold(Arc<Hold>);

impl Users {
    pub(crate) fn hold(&self, user: &'static LibraryUser) -> LibraryHold {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let hold = Arc::new(Hold { number, is_over: AtomicBool::new(false) });
        let mut all = self.all();
        all.retain(|(hold, _)| !hold.is_over());
        all.push((Arc::clone(&hold), user));
        LibraryHold(hold)
    }

    /// One of the current users, if there are any.
    pub(crate) fn first(&self) -> Option<&'static LibraryUser> {
        self.all().iter().find(|(hold, _)| !hold.is_over()).map(|(_, user)| *user)
    }

    fn all(&self) -> MutexGuard<'_, Vec<(Arc<Hold>, &'static LibraryUser)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hold {
    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }
}

/// Takes no lock: in a forked child, a thread of the parent may have the list locked for ever. The next hold removes the
/// entry.
impl Drop for LibraryHold {
    fn drop(&mut self) {
        // All that the user has done with the library comes before its end.
        self.0.is_over.store(true, Ordering::Release);
    }
}

impl fmt::Debug for LibraryHold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LibraryHold").field("number", &self.0.number).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    static ONE: LibraryUser = LibraryUser { why: "one", rules: &[] };
    static TWO: LibraryUser = LibraryUser { why: "two", rules: &[] };

    #[test]
    fn a_hold_ends_while_another_thread_has_the_list_locked() {
        let users = Users::default();
        let hold = users.hold(&ONE);
        let (ended, end) = mpsc::channel();
        let locked = users.all();
        thread::spawn(move || {
            drop(hold);
            ended.send(()).unwrap();
        });
        end.recv_timeout(Duration::from_secs(10)).expect("the hold waits for the lock");
        drop(locked);
        assert_eq!(users.first(), None);
    }

    #[test]
    fn the_list_has_the_holds_that_have_not_ended() {
        let users = Users::default();
        let (one, two) = (users.hold(&ONE), users.hold(&TWO));
        drop(one);
        assert_eq!(users.first(), Some(&TWO));
        core::mem::forget(users.hold(&ONE));
        assert_eq!(users.all().len(), 2, "the next hold removes what has ended");
        drop(two);
        assert_eq!(users.first(), Some(&ONE), "a forgotten hold holds for ever");
    }
}
