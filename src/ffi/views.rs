//! Views of one context: several ledgers stand for the default context of a device, each with rows of its own.
//!
//! They share the default stream, and a wait for the context covers the streams of all of them. The library reports a
//! failure of work to one wait only, and that may be a wait of another view. So a view whose wait got a failure records
//! it for the streams of the other views. This is not exact: a wait of another view that returns at the same moment may
//! miss the failure, and work that another view queues at that moment may count as failed.

use super::shelf::Shelf;
use super::{Api, Owner, RawContext, RawStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

struct Known {
    api: Api,
    context: RawContext,
    owner: Owner,
    streams: Weak<Shelf<RawStream>>,
}

/// The lock is held to read or change the list, never while the library or code of the program runs.
static VIEWS: Mutex<Vec<Known>> = Mutex::new(Vec::new());

fn views() -> MutexGuard<'static, Vec<Known>> {
    VIEWS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds a view of a context, by its streams. A context that this crate has created has one view, which need not be added.
pub(crate) fn add_view(api: Api, context: RawContext, owner: Owner, streams: &Arc<Shelf<RawStream>>) {
    let mut views = views();
    views.retain(|known| known.streams.strong_count() > 0);
    views.push(Known { api, context, owner, streams: Arc::downgrade(streams) });
}

/// The streams of the other views of the context in which the owner's objects are.
fn streams_of_others(owner: Owner) -> Vec<Arc<RawStream>> {
    let shelves: Vec<_> = {
        let views = views();
        let Some(own) = views.iter().find(|known| known.owner.is_same(owner)) else { return Vec::new() };
        let is_beside = |known: &&Known| {
            let (is_here, is_own) = (known.context.is(own.context), known.owner.is_same(owner));
            is_here
                && !is_own
                && known.context.device() == own.context.device()
                && known.api.is_of_the_library_of(own.api)
        };
        views.iter().filter(is_beside).filter_map(|known| known.streams.upgrade()).collect()
    };
    shelves.iter().flat_map(|streams| streams.all()).collect()
}

/// Records a failure that a wait of this view got for the other views, whose work it may concern. `concerns` selects
/// the streams that the wait covered.
#[cold]
pub(super) fn record_failure_in_other_views(owner: Owner, code: i32, concerns: impl Fn(&RawStream) -> bool) {
    for stream in streams_of_others(owner).iter().filter(|stream| concerns(stream)) {
        stream.record_failure(stream.covers(), code);
    }
}
