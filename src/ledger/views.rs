//! Ledgers that stand for one default context.

use super::Ledger;
use crate::ffi::{Api, Owner, RawContext, RawStream, Shelf, View, adds_view};
use std::sync::Arc;

impl Ledger {
    /// The ledger of a context that was created, or a view of a default context, which may have others.
    pub(crate) fn open(api: Api, context: RawContext, device: i32) -> Arc<Self> {
        let ledger = Arc::new(Self::new(api, context, device));
        if !context.is_made() {
            adds_view(api, context, Owner::of(ledger.id()), &ledger);
        }
        ledger
    }
}

impl View for Ledger {
    fn streams_of_view(&self) -> &Shelf<RawStream> {
        &self.streams
    }
}
