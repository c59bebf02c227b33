//! Threads on which a context of this crate stays current, because the library refused to make another one current.
//!
//! Contexts are compared by number: if a context ends with a lost device, another one may get its address.

use super::Api;
use super::context::RawContext;
use super::created::{self, ContextNumber, CreatedContext};
use super::thread_notes::with_notes;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Contexts that could not be left, one entry per thread that has it current. The thread has a note of its own, too;
/// this list is for the thread that destroys the context. It is empty unless the library refuses to change the current
/// context.
static STAYING: Mutex<Vec<ContextNumber>> = Mutex::new(Vec::new());
static HOW_MANY_STAY: AtomicUsize = AtomicUsize::new(0);

fn staying() -> MutexGuard<'static, Vec<ContextNumber>> {
    STAYING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn number(api: Api, context: RawContext) -> Option<ContextNumber> {
    created::at_address(api.resets(), context.raw().addr()).map(CreatedContext::number)
}

/// Records that this thread could not leave the context.
pub(super) fn record(api: Api, context: RawContext) {
    let Some(context) = number(api, context) else { return };
    let before = with_notes(api, |own| own.stays().replace(Some(context))).flatten();
    if before != Some(context) {
        staying().push(context);
        HOW_MANY_STAY.fetch_add(1, Ordering::Release);
        before.into_iter().for_each(remove);
    }
}

/// Whether this thread could not leave some context.
pub(super) fn somewhere(api: Api) -> bool {
    with_notes(api, |own| own.stays().is_some()).unwrap_or_default()
}

/// Whether this thread could not leave this context.
pub(super) fn is_in(api: Api, context: RawContext) -> bool {
    somewhere(api) && number(api, context).is_some_and(|context| here(api) == Some(context))
}

fn here(api: Api) -> Option<ContextNumber> {
    with_notes(api, |own| own.stays().get()).flatten()
}

/// Records that the context was made current on this thread. Another context that had stayed current has thereby been
/// left.
#[inline]
pub(super) fn record_current(api: Api, context: RawContext) {
    if somewhere(api) {
        leave_unless_in(api, context);
    }
}

#[cold]
fn leave_unless_in(api: Api, context: RawContext) {
    if !is_in(api, context) {
        leave(api);
    }
}

/// Records that the context was destroyed on this thread.
pub(super) fn record_destroyed(api: Api, context: CreatedContext) {
    if here(api) == Some(context.number()) {
        leave(api);
    }
}

fn leave(api: Api) {
    let left = with_notes(api, |own| own.stays().replace(None)).flatten();
    left.into_iter().for_each(remove);
}

fn remove(context: ContextNumber) {
    let mut staying = staying();
    if let Some(at) = staying.iter().position(|other| *other == context) {
        staying.swap_remove(at);
        HOW_MANY_STAY.fetch_sub(1, Ordering::Release);
    }
}

/// How many other threads have this context current because they could not leave it.
pub(super) fn other_threads_in(api: Api, context: RawContext) -> usize {
    if HOW_MANY_STAY.load(Ordering::Acquire) == 0 {
        return 0;
    }
    let Some(context) = number(api, context) else { return 0 };
    let all = staying().iter().filter(|other| **other == context).count();
    all - usize::from(here(api) == Some(context)).min(all)
}
