//! The kinds of objects that a context owns, in the order in which they end.
//!
//! Teardown, collection and counting use the one list [`KINDS`]. To add a kind, add a shelf to the [`Ledger`],
//! implement [`Owned`], and add an entry to the list.

use super::Ledger;
use crate::code::Code;
use crate::ends_before::EndsBefore;
use crate::error::Error;
use crate::ffi::{
    KeptAllocator, LoadedModel, RawBinding, RawBuffer, RawEvent, RawGraph, RawOperator, RawStream, Shelf, ShelfRow,
};
use ascendcl_macros::rule;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long each wait may take; `None` for any time.
pub(super) type Limit = Option<Duration>;

/// When the waits of a collection have to be over, all together; `None` for any time.
#[derive(Clone, Copy)]
pub(super) struct Deadline(Option<(Instant, Duration)>);

impl Deadline {
    pub(super) fn after(limit: Limit) -> Self {
        Self(limit.map(|limit| (Instant::now(), limit)))
    }

    /// The rest of the time.
    pub(super) fn left(self) -> Limit {
        self.0.map(|(start, limit)| limit.saturating_sub(start.elapsed()))
    }
}

/// A kind of object that a context owns.
pub(super) trait Owned: ShelfRow {
    /// Whether ending an object waits for work. That work may use objects of other kinds.
    const WAITS: bool = false;

    /// The attached objects that have to end before the first object of this kind.
    const AFTER: EndsBefore;

    fn shelf(ledger: &Ledger) -> &Shelf<Self>;

    /// Ends the object. Removes its row after the library has agreed. Moves values of the user to `kept`, which the
    /// caller drops later. Each wait takes at most `limit`, if there is one.
    fn end(object: &Arc<Self>, ledger: &Ledger, limit: Limit, kept: &mut Vec<KeptAllocator>) -> Result<(), Error>;

    /// The name of `count` such objects, for messages.
    fn in_words(count: usize) -> String;

    /// Whether objects of this kind may end: no remaining object of another kind can use them.
    fn may_end(_: &Ledger) -> bool {
        true
    }

    /// The remaining objects, for messages.
    fn left(ledger: &Ledger) -> Vec<String> {
        match Self::shelf(ledger).len() {
            0 => Vec::new(),
            count => vec![Self::in_words(count)],
        }
    }
}

/// An entry of the list of kinds.
pub(super) struct Kind {
    pub(super) waits: bool,
    /// Ends all objects of the kind. Each wait has this limit.
    pub(super) end_all: fn(&Ledger, Limit, &mut Vec<Error>, &mut Vec<KeptAllocator>),
    /// Ends the objects that no handle refers to and no work in flight uses.
    pub(super) end_unreferenced: fn(&Ledger, Deadline, &mut Vec<Error>, &mut Vec<KeptAllocator>),
    /// The remaining objects, in words.
    pub(super) left: fn(&Ledger) -> Vec<String>,
    /// Keeps the remaining objects for the rest of the process.
    pub(super) leak: fn(&Ledger),
}

/// The kinds in the vendor's order: captured graphs end before everything that they use, models before the streams that
/// they ran on and the memory that they work in, events before the streams that recorded them, and memory last.
/// Attached objects end at the places that they name. An event that stays, because another context is inside a call on it,
/// does not keep its stream: all work before its record is over.
#[rule(DEV_10, MODEL_02, MODEL_03)]
pub(super) const KINDS: [Kind; 13] = [
    Kind::EVERYTHING,
    Kind::of::<RawGraph>(),
    Kind::MODELS,
    Kind::of::<RawBinding>(),
    Kind::of::<RawOperator>(),
    Kind::of::<LoadedModel>(),
    Kind::EVENTS,
    Kind::of::<RawEvent>(),
    Kind::STREAMS,
    Kind::of::<RawStream>(),
    Kind::MEMORY,
    Kind::of::<RawBuffer>(),
    Kind::CONTEXT,
];

impl Kind {
    const fn of<T: Owned>() -> Self {
        Self {
            waits: T::WAITS,
            end_all: end_all::<T>,
            end_unreferenced: end_unreferenced::<T>,
            left: T::left,
            leak: leak::<T>,
        }
    }
}

fn end_all<T: Owned>(ledger: &Ledger, limit: Limit, errors: &mut Vec<Error>, kept: &mut Vec<KeptAllocator>) {
    if ledger.has_ended_attachments_before(T::AFTER) && T::may_end(ledger) {
        errors.extend(T::shelf(ledger).all().iter().filter_map(|object| T::end(object, ledger, limit, kept).err()));
    }
}

fn leak<T: Owned>(ledger: &Ledger) {
    core::mem::forget(T::shelf(ledger).all());
}

/// Ends the objects that are not in use. The others stay for a later call, which is not an error; nor is it one that the
/// time was too short. When it is up, each further object is still asked once, because its work may be over.
fn end_unreferenced<T: Owned>(
    ledger: &Ledger,
    deadline: Deadline,
    errors: &mut Vec<Error>,
    kept: &mut Vec<KeptAllocator>,
) {
    for object in T::shelf(ledger).unreferenced() {
        match T::end(&object, ledger, deadline.left(), kept) {
            Ok(()) | Err(Error::StillRunning { .. }) => {}
            Err(error) if deadline.left().is_some() && error.code().is_some_and(Code::is_timeout) => {}
            Err(error) => errors.push(error),
        }
    }
}

impl Owned for RawGraph {
    const AFTER: EndsBefore = EndsBefore::Everything;

    fn shelf(ledger: &Ledger) -> &Shelf<Self> {
        &ledger.graphs
    }

    fn end(object: &Arc<Self>, ledger: &Ledger, _: Limit, kept: &mut Vec<KeptAllocator>) -> Result<(), Error> {
        ledger.destroy_graph(object, kept)
    }

    fn in_words(count: usize) -> String {
        format!("{count} captured graph(s)")
    }
}

impl Owned for RawBinding {
    const AFTER: EndsBefore = EndsBefore::Models;

    fn shelf(ledger: &Ledger) -> &Shelf<Self> {
        &ledger.bindings
    }

    fn end(object: &Arc<Self>, ledger: &Ledger, _: Limit, _: &mut Vec<KeptAllocator>) -> Result<(), Error> {
        ledger.unbind(object)
    }

    fn in_words(count: usize) -> String {
        format!("inputs and outputs of {count} model(s)")
    }

    /// A graph that the library refused to destroy still uses these objects (GRAPH-05).
    fn may_end(ledger: &Ledger) -> bool {
        ledger.graphs.len() == 0
    }
}

impl Owned for RawOperator {
    const AFTER: EndsBefore = EndsBefore::Models;

    fn shelf(ledger: &Ledger) -> &Shelf<Self> {
        &ledger.operators
    }

    fn end(object: &Arc<Self>, ledger: &Ledger, _: Limit, _: &mut Vec<KeptAllocator>) -> Result<(), Error> {
        ledger.destroy_operator(object)
    }

    fn in_words(count: usize) -> String {
        format!("{count} operator(s)")
    }

    /// A graph that the library refused to destroy still uses these objects (GRAPH-05).
    fn may_end(ledger: &Ledger) -> bool {
        ledger.graphs.len() == 0
    }
}

impl Owned for LoadedModel {
    const AFTER: EndsBefore = EndsBefore::Models;

    fn shelf(ledger: &Ledger) -> &Shelf<Self> {
        &ledger.models
    }

    fn end(object: &Arc<Self>, ledger: &Ledger, _: Limit, _: &mut Vec<KeptAllocator>) -> Result<(), Error> {
        ledger.unload(object)
    }

    fn in_words(count: usize) -> String {
        format!("{count} model(s)")
    }

    /// A graph that the library refused to destroy still uses these objects (GRAPH-05).
    fn may_end(ledger: &Ledger) -> bool {
        ledger.graphs.len() == 0
    }
}

impl Owned for RawEvent {
    const AFTER: EndsBefore = EndsBefore::Events;

    fn shelf(ledger: &Ledger) -> &Shelf<Self> {
        &ledger.events
    }

    fn end(object: &Arc<Self>, ledger: &Ledger, limit: Limit, _: &mut Vec<KeptAllocator>) -> Result<(), Error> {
        ledger.destroy_event(object, limit)
    }

    fn in_words(count: usize) -> String {
        format!("{count} event(s)")
    }

    /// A graph that the library refused to destroy still uses these objects (GRAPH-05).
    fn may_end(ledger: &Ledger) -> bool {
        ledger.graphs.len() == 0
    }
}

impl Owned for RawStream {
    const AFTER: EndsBefore = EndsBefore::Streams;
    const WAITS: bool = true;

    fn shelf(ledger: &Ledger) -> &Shelf<Self> {
        &ledger.streams
    }

    fn end(object: &Arc<Self>, ledger: &Ledger, limit: Limit, kept: &mut Vec<KeptAllocator>) -> Result<(), Error> {
        ledger.destroy_stream(object, limit, kept)
    }

    fn in_words(count: usize) -> String {
        format!("{count} stream(s)")
    }

    /// Lists a failed run of a model and destroyed streams with remaining descriptors apart from the other streams. The
    /// row for the library's own runs is not a stream, so it is not counted as one.
    fn left(ledger: &Ledger) -> Vec<String> {
        let mut streams = ledger.streams.all();
        streams.retain(|stream| !Arc::ptr_eq(stream, &ledger.runs));
        let gone = streams.iter().filter(|stream| stream.is_gone()).count();
        let count = |count: usize, words: String| (count > 0).then_some(words);
        let there = streams.len() - gone;
        let parts = [
            (!ledger.runs.is_idle()).then(|| "a failed run of a model that may go on".to_owned()),
            count(there, Self::in_words(there)),
            count(gone, format!("{gone} destroyed stream(s) with allocator descriptors")),
        ];
        parts.into_iter().flatten().collect()
    }
}

impl Owned for RawBuffer {
    const AFTER: EndsBefore = EndsBefore::Memory;

    fn shelf(ledger: &Ledger) -> &Shelf<Self> {
        &ledger.blocks
    }

    fn end(object: &Arc<Self>, ledger: &Ledger, _: Limit, _: &mut Vec<KeptAllocator>) -> Result<(), Error> {
        ledger.free(object)
    }

    fn in_words(count: usize) -> String {
        format!("{count} block(s) of memory")
    }

    /// A model that the library refused to unload still uses its memory (MODEL-02, MODEL-03). So does a graph that the
    /// library refused to destroy (GRAPH-05).
    fn may_end(ledger: &Ledger) -> bool {
        ledger.graphs.len() + ledger.models.len() + ledger.bindings.len() + ledger.operators.len() == 0
    }
}
