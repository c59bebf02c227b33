//! Views of one context: several ledgers stand for the default context of a device, each with rows of its own.
//!
//! They share the default stream, and a wait for the context covers the streams of all of them. The library reports a failure
//! of work to one wait only, and that may be a wait of another view. So a view whose wait was given a failure passes it on. A wait of another view that
//! returns at the same moment may miss it.

use super::failure::failure_of_work;
use super::shelf::Shelf;
use super::{Api, Owner, RawContext, RawStream};
use crate::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// What a ledger shows of itself here.
pub(crate) trait View: Send + Sync {
    fn streams_of_view(&self) -> &Shelf<RawStream>;
}

struct Known {
    api: Api,
    context: RawContext,
    owner: Owner,
    view: Weak<dyn View>,
}

/// The lock is held to read or change the list, never while the library or code of the program runs.
static VIEWS: Mutex<Vec<Known>> = Mutex::new(Vec::new());

fn views() -> MutexGuard<'static, Vec<Known>> {
    VIEWS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds a view of a context. A context that this crate has created has one view, which need not be added.
pub(crate) fn adds_view<V: View + 'static>(api: Api, context: RawContext, owner: Owner, view: &Arc<V>) {
    let mut views = views();
    views.retain(|known| known.view.strong_count() > 0);
    let view: Weak<dyn View> = Arc::<V>::downgrade(view);
    views.push(Known { api, context, owner, view });
}

/// The other views of the context in which the owner's objects are.
fn others(owner: Owner) -> Vec<Arc<dyn View>> {
    let views = views();
    let Some(own) = views.iter().find(|known| known.owner.is_same(owner)) else { return Vec::new() };
    let is_beside = |known: &&Known| {
        let (is_here, is_own) = (known.context.is(own.context), known.owner.is_same(owner));
        is_here && !is_own && known.context.device() == own.context.device() && known.api.is_of_the_library_of(own.api)
    };
    views.iter().filter(is_beside).filter_map(|known| known.view.upgrade()).collect()
}

/// A wait of this view was given this failure, which may be that of work of the others. `concerns` says for which of their
/// streams the wait was.
#[cold]
pub(super) fn have_failed_too(owner: Owner, code: i32, concerns: impl Fn(&RawStream) -> bool) {
    for view in others(owner) {
        for stream in view.streams_of_view().all().iter().filter(|stream| concerns(stream)) {
            stream.timeline().failed(stream.covers(), None, code);
        }
    }
}

/// Passes on the result of a wait for the whole context of this view.
pub(crate) fn waited_for_context(owner: Owner, waited: &Result<(), Error>) {
    if let Err(error) = waited
        && let Some(code) = failure_of_work(error)
    {
        have_failed_too(owner, code, |stream| !stream.is_of_the_library());
    }
}
