//! The pinned memory that queued copies read: what was in it when the copy was queued, to be compared later.
//!
//! A program writes pinned memory by plain stores, which the simulator cannot see. So it computes a checksum when the
//! copy is queued, when the copy runs, and when a thread waits for it. A different sum shows a write that came too
//! early, even if the copy was faster (COPY-04).

use crate::abi::Address;
use crate::failure::Failure;
use crate::locks::lock;
use crate::machine::memory;
use crate::machine::watch::{CHECKER, Named, Watching, call, mode};
use ascendcl_rules::{Access, Event, Finding, Object, Op, Role, Span, Use};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};

#[derive(Clone, Copy)]
struct Source {
    id: u64,
    stream: Object,
    address: Address,
    bytes: usize,
    sum: u64,
    /// It was different when the copy ran.
    altered: bool,
}

static SOURCES: Mutex<Vec<Source>> = Mutex::new(Vec::new());
/// How many there are, to look at without the lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The source of one queued copy.
#[derive(Clone, Copy)]
pub(crate) struct SourceId(u64);

/// A copy of these bytes is about to be queued. `None` without a checker, when the memory is not pinned, and when other
/// queued work writes it before, or may do so.
pub(crate) fn source(stream: Object, address: Address, bytes: usize) -> Option<SourceId> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let pinned = || memory::describe(address).is_some_and(|found| found.place == memory::Place::Host);
    if mode() == crate::machine::watch::OFF || bytes == 0 || !pinned() {
        return None;
    }
    let written = lock(&CHECKER).as_ref().is_some_and(|checker| {
        checker.may_be_written(crate::machine::watch::span(address, bytes)) || checker.follows_own_code(stream)
    });
    if written {
        return None;
    }
    let id = NEXT.fetch_add(1, SeqCst);
    let source = Source { id, stream, address, bytes, sum: sum(address, bytes)?, altered: false };
    keep(|sources| sources.push(source));
    Some(SourceId(id))
}

/// The graph is about to be replayed on the stream: what that reads.
pub(crate) fn sources_of_replay(graph: impl Named, stream: impl Named) {
    let (graph, stream) = (graph.named(), stream.named());
    let read = lock(&CHECKER).as_ref().map(|checker| checker.read_by_replay(graph)).unwrap_or_default();
    for span in read {
        if let Some(start) = memory::numbered(span.start as usize) {
            source(stream, start, span.bytes as usize);
        }
    }
}

/// The copy runs now. What has changed is found when a thread waits for it: by a call of the program's.
pub(crate) fn source_is_read(id: SourceId) {
    let source = lock(&SOURCES).iter().find(|source| source.id == id.0).copied();
    if source.is_some_and(|source| source.has_changed()) {
        keep(|sources| sources.iter_mut().filter(|source| source.id == id.0).for_each(|source| source.altered = true));
    }
}

/// The call waits for work, or writes memory. Answers with what is found then.
pub(super) fn concerns(event: &Event) -> Option<Finding> {
    if COUNT.load(SeqCst) == 0 {
        return None;
    }
    let written = |source: &Source| {
        event.uses.iter().any(|used| match used {
            Use::Memory { span, access: Access::Write, role, .. } => {
                *role != Role::Contents && span.overlaps(source.span())
            }
            _ => false,
        })
    };
    let streams: Vec<Object> = lock(&SOURCES).iter().map(|source| source.stream).collect();
    let checker = lock(&CHECKER);
    let behind = checker.as_ref().map(|checker| checker.queues_own_code_behind(event, &streams)).unwrap_or_default();
    drop(checker);
    // The writer is known and is checked separately. Functions that are queued behind the copy may write what they like.
    keep(|sources| sources.retain(|source| !written(source) && !behind.contains(&source.stream)));
    if !waits(event) {
        return None;
    }
    // Not under the lock: what is found is judged, and that comes here again.
    let sources = lock(&SOURCES).clone();
    let found: Vec<Finding> = sources.into_iter().filter_map(verify).collect();
    found.into_iter().next()
}

/// The call has waited: what is over is of no interest any more.
pub(super) fn settle(event: &Event) {
    if COUNT.load(SeqCst) == 0 || !waits(event) {
        return;
    }
    let sources = lock(&SOURCES).clone();
    let over: Vec<u64> = {
        let checker = lock(&CHECKER);
        let reads =
            |source: &Source| checker.as_ref().is_some_and(|checker| checker.may_be_read(source.span(), source.stream));
        sources.iter().filter(|source| !reads(source)).map(|source| source.id).collect()
    };
    keep(|sources| sources.retain(|source| !over.contains(&source.id)));
}

pub(super) fn clear() {
    keep(Vec::clear);
}

fn waits(event: &Event) -> bool {
    let ends = matches!(event.op, Op::Destroy | Op::DestroyForce | Op::FreeSynced | Op::FreeHostSynced);
    ends || matches!(event.op, Op::Synchronize | Op::Query | Op::Release | Op::Finalise)
}

fn keep(change: impl FnOnce(&mut Vec<Source>)) {
    /// A program may queue copies for ever without a wait.
    const KEPT: usize = 4096;
    let mut sources = lock(&SOURCES);
    change(&mut sources);
    if sources.len() > KEPT {
        sources.remove(0);
    }
    COUNT.store(sources.len(), SeqCst);
}

fn verify(source: Source) -> Option<Finding> {
    if !source.altered && !source.has_changed() {
        return None;
    }
    // Another thread may have waited for the copy in the meantime and may write now. Its wait removed the source before
    // it returned, so a source that is no longer in the list was not written too early.
    let mut is_there = false;
    keep(|sources| {
        sources.retain(|other| {
            is_there |= other.id == source.id;
            other.id != source.id
        });
    });
    if !is_there {
        return None;
    }
    let altered = call(Op::Alter, source.stream).reads(source.address, source.bytes, Role::Source, None);
    altered.tell()
}

/// `None` when the memory is no longer there.
fn sum(address: Address, bytes: usize) -> Option<u64> {
    let _hold = memory::hold(address, bytes).ok().filter(|hold| !hold.is_pageable())?;
    Some(address.with_bytes(bytes, |bytes| {
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        hasher.finish()
    }))
}

impl Source {
    fn has_changed(&self) -> bool {
        sum(self.address, self.bytes).is_some_and(|now| now != self.sum)
    }

    fn span(&self) -> Span {
        crate::machine::watch::span(self.address, self.bytes)
    }
}

impl Watching {
    /// Has something judged that is no call.
    fn tell(self) -> Option<Finding> {
        let (watched, first) = self.judged();
        drop(watched.end(Ok::<_, Failure>(())));
        first
    }
}
