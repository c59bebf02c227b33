//! The rows of attached objects: objects of other code that live in a context.

use super::Ledger;
use super::kinds::{Deadline, Kind, Limit};
use crate::ends_before::EndsBefore;
use crate::error::{Error, ObjectKind};
use crate::ffi::{ForeignObject, KeptAllocator, Owner, RawAttachment, TakenDown};
use crate::panics::Panics;
use crate::thread::Occupied;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Kind {
    /// The attached objects, by the kind of object that they end before.
    pub(super) const EVERYTHING: Self = Self::attached::<{ EndsBefore::Everything as u8 }>();
    pub(super) const MODELS: Self = Self::attached::<{ EndsBefore::Models as u8 }>();
    pub(super) const EVENTS: Self = Self::attached::<{ EndsBefore::Events as u8 }>();
    pub(super) const STREAMS: Self = Self::attached::<{ EndsBefore::Streams as u8 }>();
    pub(super) const MEMORY: Self = Self::attached::<{ EndsBefore::Memory as u8 }>();
    pub(super) const CONTEXT: Self = Self::attached::<{ EndsBefore::Context as u8 }>();

    const fn attached<const STAGE: u8>() -> Self {
        Self {
            waits: false,
            end_all: end_all::<STAGE>,
            end_unreferenced: end_unreferenced::<STAGE>,
            left: left::<STAGE>,
            leak: leak::<STAGE>,
        }
    }
}

impl Ledger {
    /// Adds an object of other code to the ledger. Its row keeps the rows of what it uses.
    pub(crate) fn attach(
        &self,
        object: Box<dyn ForeignObject>,
        uses: Vec<Arc<dyn Any + Send + Sync>>,
    ) -> Arc<RawAttachment> {
        self.attachments.put(RawAttachment::new(Owner::of(self.id()), object, uses))
    }

    /// Waits for all streams of the context, because work on any of them may use the object. Then takes the object
    /// down.
    pub(crate) fn take_down_attachment(&self, row: &Arc<RawAttachment>) -> Result<(), Error> {
        self.api.check_process()?;
        self.streams.all().iter().try_for_each(|stream| stream.synchronize(self.api, None))?;
        let mut kept = Vec::new();
        let TakenDown { ended, errors } = self.end_attachment(row, &mut kept);
        let mut errors = errors.into_iter();
        let first = (!ended).then(|| errors.next().unwrap_or(Error::Gone { what: ObjectKind::ATTACHED }));
        // This function reports only why the object has not ended. The next collection reports the other errors.
        self.undelivered.keep(errors);
        let first = self.after_dropping(kept, first.into_iter().collect());
        first.into_iter().next().map_or(Ok(()), Err)
    }

    fn end_attachment(&self, row: &Arc<RawAttachment>, kept: &mut Vec<KeptAllocator>) -> TakenDown {
        let taken_down = row.take_down(self.api, self.context(), &self.streams, kept);
        if taken_down.ended {
            self.attachments.remove(row);
            kept.push(Arc::clone(row) as _);
        }
        taken_down
    }

    /// Tells the objects that a forced reset has ended the context without them.
    pub(crate) fn notify_lost_attachments(&self, panics: &mut Panics) {
        let _occupied = Occupied::now();
        let lost = self.attachments.all().into_iter().filter(|row| !row.is_ended());
        lost.for_each(|row| _ = panics.catch(|| row.on_lost()));
    }

    /// Whether all objects have ended that must end before objects of this stage.
    pub(super) fn has_ended_attachments_before(&self, stage: EndsBefore) -> bool {
        self.attachments.all().iter().all(|row| row.ends_before() > stage)
    }

    /// Whether no stream has unfinished work, which could use an object. This includes work that other code queued.
    fn has_no_work(&self) -> bool {
        let is_over =
            |stream: &Arc<crate::ffi::RawStream>| stream.is_idle() && stream.is_complete(self.api).unwrap_or(false);
        self.streams.all().iter().all(is_over)
    }
}

fn end_all<const STAGE: u8>(ledger: &Ledger, _: Limit, errors: &mut Vec<Error>, kept: &mut Vec<KeptAllocator>) {
    // The newest object ends first, because it may use older ones.
    let rows = ledger.attachments.all().into_iter().rev().filter(|row| row.ends_before() as u8 == STAGE);
    rows.for_each(|row| errors.extend(ledger.end_attachment(&row, kept).errors));
}

fn end_unreferenced<const STAGE: u8>(
    ledger: &Ledger,
    _: Deadline,
    errors: &mut Vec<Error>,
    kept: &mut Vec<KeptAllocator>,
) {
    let mut rows = ledger.attachments.unreferenced();
    rows.retain(|row| row.ends_before() as u8 == STAGE);
    if !rows.is_empty() && ledger.has_no_work() {
        errors.extend(rows.iter().rev().flat_map(|row| ledger.end_attachment(row, kept).errors));
    }
}

fn left<const STAGE: u8>(ledger: &Ledger) -> Vec<String> {
    let mut counts: BTreeMap<String, (Arc<RawAttachment>, usize)> = BTreeMap::new();
    let rows = ledger.attachments.all().into_iter().filter(|row| row.ends_before() as u8 == STAGE && !row.is_ended());
    rows.for_each(|row| counts.entry(row.in_words(1)).or_insert((row, 0)).1 += 1);
    counts.into_values().map(|(row, count)| row.in_words(count)).collect()
}

fn leak<const STAGE: u8>(ledger: &Ledger) {
    let mut rows = ledger.attachments.all();
    rows.retain(|row| row.ends_before() as u8 == STAGE);
    core::mem::forget(rows);
}
