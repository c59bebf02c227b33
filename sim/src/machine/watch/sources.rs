//! The pinned memory that queued copies read: what was in it when the copy was queued, to be compared later.
//!
//! A program writes pinned memory by plain stores, which the simulator cannot see. So it computes a checksum when the
//! copy is queued, when the copy runs, and when a thread waits for it. A different sum shows a write that came too
//! early, even if the copy was faster (COPY-04).

use crate::abi::Address;
use crate::locks::lock;
use crate::machine::memory;
use crate::machine::watch::{CHECKER, Named, Watching, call, mode, report, this_thread};
use ascendcl_rules::{Access, Event, Finding, Flag, Object, Op, Role, Severity, Span, Use, Work};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};

/// Rows of the same width, whose starts have the same distance.
#[derive(Clone, Copy)]
pub(crate) struct Bytes {
    pub(crate) start: Address,
    pub(crate) width: usize,
    pub(crate) rows: usize,
    pub(crate) pitch: usize,
}

#[derive(Clone, Copy)]
struct Source {
    id: u64,
    stream: Object,
    bytes: Bytes,
    sum: u64,
    /// What reads them.
    work: Work,
    /// It was different when the copy ran.
    altered: bool,
}

static SOURCES: Mutex<Vec<Source>> = Mutex::new(Vec::new());
/// How many there are, to look at without the lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The source of one queued copy.
#[derive(Clone, Copy)]
pub(crate) struct SourceId(u64);

/// A copy of these bytes is about to be queued by the call that has begun. `None` without a checker, when the memory is not
/// pinned, and when other queued work writes it before, or may do so.
pub(crate) fn source(stream: Object, bytes: Bytes) -> Option<SourceId> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let pinned = || memory::describe(bytes.start).is_some_and(|found| found.place == memory::Place::Host);
    if mode() == crate::machine::watch::OFF || bytes.width == 0 || bytes.rows == 0 || !pinned() {
        return None;
    }
    let work = lock(&CHECKER).as_ref().and_then(|checker| {
        let written = checker.may_be_written(bytes.span()) || checker.follows_own_code(stream);
        checker.queued_by(this_thread()).filter(|_| !written)
    })?;
    let id = NEXT.fetch_add(1, SeqCst);
    let source = Source { id, stream, bytes, sum: bytes.sum()?, work, altered: false };
    keep(|sources| sources.push(source));
    Some(SourceId(id))
}

/// The graph is about to be replayed on the stream: what that reads.
pub(crate) fn sources_of_replay(graph: impl Named, stream: impl Named) {
    let (graph, stream) = (graph.named(), stream.named());
    let read = lock(&CHECKER).as_ref().map(|checker| checker.read_by_replay(graph)).unwrap_or_default();
    for span in read {
        if let Some(start) = memory::numbered(span.start as usize) {
            source(stream, Bytes::new(start, span.bytes as usize));
        }
    }
}

/// The work was not queued after all: nothing reads its sources.
pub(super) fn was_refused(work: &Work) {
    if COUNT.load(SeqCst) > 0 {
        keep(|sources| sources.retain(|source| source.work != *work));
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
                *role != Role::Contents && span.overlaps(source.bytes.span())
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
    if COUNT.load(SeqCst) == 0 || !(waits(event) || matches!(event.op, Op::Begin | Op::Abort)) {
        return;
    }
    let sources = lock(&SOURCES).clone();
    let over: Vec<u64> = {
        let checker = lock(&CHECKER);
        let is_over = |source: &Source| checker.as_ref().is_none_or(|checker| checker.is_over(&source.work));
        sources.iter().filter(|source| is_over(source)).map(|source| source.id).collect()
    };
    keep(|sources| sources.retain(|source| !over.contains(&source.id)));
}

pub(super) fn clear() {
    keep(Vec::clear);
}

fn waits(event: &Event) -> bool {
    let ends = matches!(event.op, Op::Destroy | Op::DestroyForce | Op::FreeSynced | Op::FreeHostSynced);
    ends || event.is(Flag::Blocks) || matches!(event.op, Op::Synchronize | Op::Query | Op::Release | Op::Finalise)
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
    // Another thread may have found it, too. If one has waited for the copy in the meantime, and writes now, the checker
    // knows that the copy is over.
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
    let changed = call(Op::Alter, source.stream);
    changed.reads(source.bytes.start, source.bytes.len(), Role::Source, None).found_late(&source.work)
}

impl Source {
    fn has_changed(&self) -> bool {
        self.bytes.sum().is_some_and(|now| now != self.sum)
    }
}

impl Bytes {
    /// One row.
    pub(crate) fn new(start: Address, width: usize) -> Self {
        Self { start, width, rows: 1, pitch: width }
    }

    /// From the first byte to the last.
    fn len(&self) -> usize {
        self.rows.saturating_sub(1).saturating_mul(self.pitch).saturating_add(self.width)
    }

    fn span(&self) -> Span {
        crate::machine::watch::span(self.start, self.len())
    }

    /// `None` when the memory is no longer there.
    fn sum(&self) -> Option<u64> {
        let _hold = memory::hold(self.start, self.len()).ok().filter(|hold| !hold.is_pageable())?;
        let mut hasher = DefaultHasher::new();
        for row in 0..self.rows {
            self.start.offset(row * self.pitch).with_bytes(self.width, |bytes| hasher.write(bytes));
        }
        Some(hasher.finish())
    }
}

impl Watching {
    /// Tells that memory has changed which the work reads.
    fn found_late(self, work: &Work) -> Option<Finding> {
        let event = self.0?;
        let findings = lock(&CHECKER).as_mut().map(|checker| checker.altered(&event, work)).unwrap_or_default();
        let first = findings.first().cloned();
        report::record(findings);
        first.filter(|finding| finding.rule.severity() == Severity::Misuse && !report::suppresses(finding.rule))
    }
}
