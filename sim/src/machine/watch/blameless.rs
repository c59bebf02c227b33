//! Calls that failed although the program has made no mistake: the device has no memory, is lost or hangs, or a plan wants
//! it. What such a call was to begin is not there, and what it was to end still is. So what the library refuses for that is
//! no mistake either.
//!
//! A failure is kept with the call's arguments, until the same call succeeds.

use super::{CHECKER, OFF, mode};
use crate::failure::{Breach, is_given_as_null};
use crate::locks::lock;
use crate::machine::thread::errors;
use ascendcl_rules::{Kind, Object};
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// A call that failed so.
struct Failed {
    name: &'static str,
    /// Its arguments that may be handles or addresses.
    words: Vec<usize>,
}

static FAILED: Mutex<VecDeque<Failed>> = Mutex::new(VecDeque::new());
/// How many there are, to look at without the lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// How many there were, ever.
static EVER: AtomicU64 = AtomicU64::new(0);

/// A moment in the order of these failures. What begins keeps the one of its begin.
pub(crate) fn moment() -> u64 {
    EVER.load(Relaxed)
}

/// A plan has made the call of this thread fail.
pub(crate) fn made_to_fail(name: &'static str, words: Vec<usize>) {
    /// A program may go on for long without memory.
    const MOST: usize = 256;
    if mode() == OFF {
        return;
    }
    EVER.fetch_add(1, Relaxed);
    if let ("aclrtMapMem" | "aclrtMemMapNoAccess", Some(start)) = (name, words.first()) {
        not_mapped(*start);
    }
    let mut failed = lock(&FAILED);
    failed.push_back(Failed { name, words });
    if failed.len() > MOST {
        failed.pop_front();
    }
    COUNT.store(failed.len(), Relaxed);
}

/// The call of this thread has failed by itself.
#[cold]
pub(crate) fn failed(name: &'static str, words: impl FnOnce() -> Vec<usize>) {
    if errors::is_by_trouble() {
        made_to_fail(name, words());
    }
}

/// The call of this thread has not failed.
pub(crate) fn succeeded(name: &'static str, words: impl FnOnce() -> Vec<usize>) {
    if COUNT.load(Relaxed) > 0 {
        forget(name, &words());
    }
}

#[cold]
fn forget(name: &'static str, words: &[usize]) {
    let mut failed = lock(&FAILED);
    failed.retain(|before| before.name != name || before.words != words);
    COUNT.store(failed.len(), Relaxed);
}

/// Memory could not be mapped here, because of such a failure.
fn not_mapped(start: usize) {
    if let Some(checker) = &mut *lock(&CHECKER) {
        checker.was_not_mapped(start as u64);
    }
}

/// The program maps memory without a handle, or with one that no call has returned. It has none if a call that was to
/// make one has failed.
#[cold]
pub(crate) fn mapped_without_a_handle(start: usize) {
    const MAKE: [&str; 3] =
        ["aclrtMallocPhysical", "aclrtMemImportFromShareableHandle", "aclrtMemImportFromShareableHandleV2"];
    if COUNT.load(Relaxed) > 0 && lock(&FAILED).iter().any(|failed| MAKE.contains(&failed.name)) {
        not_mapped(start);
    }
}

/// Whether what the call breaks follows from such a failure.
pub(super) fn is_reason(breach: &Breach) -> bool {
    if breach.since.is_some_and(|begun| begun < moment()) {
        return true;
    }
    let concerns = |failed: &Failed, object: &Object| match *object {
        // There is one session of profiling.
        Object::PROCESS => failed.name.starts_with("aclprof"),
        object if is_given_as_null(object) => makes(failed.name, object.kind),
        object => usize::try_from(object.number).is_ok_and(|number| failed.words.contains(&number)),
    };
    COUNT.load(Relaxed) > 0
        && lock(&FAILED).iter().any(|failed| breach.objects.iter().any(|object| concerns(failed, object)))
}

/// Whether a function makes objects of this kind.
fn makes(name: &str, kind: Kind) -> bool {
    let beginnings: &[&str] = match kind {
        Kind::Memory => &["aclrtMalloc", "acldvppMalloc", "aclrtMemAlloc", "aclrtIpcMemImport", "aclrtReserveMem"],
        Kind::Graph => &["aclmdlRICapture", "aclmdlRIBuild"],
        _ => return name.contains("Create"),
    };
    beginnings.iter().any(|beginning| name.starts_with(beginning))
}

pub(super) fn clear() {
    lock(&FAILED).clear();
    COUNT.store(0, Relaxed);
}
