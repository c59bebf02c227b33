//! What the library sees of the callers' allocators: the blocks in use, and a record of what happened.

use super::locks::lock;
use crate::abi::{Address, this_thread};
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// Something that happened between the library and an allocator of the caller. Numbers and no handles: nothing is to be
/// followed from here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Notice {
    /// The library took a block.
    Taken(Use),
    /// The library is about to give a block back.
    GivenBack(Use),
    /// The allocator had no block.
    NoBlock(Use),
    /// The allocator's block does not start at a multiple of 64 (MEM-08). It was refused.
    Unaligned(Use),
    /// The allocator's block is not live memory of the stream's device, or not as much as was asked for (ALLOC-19). It
    /// was refused.
    Foreign(Use),
    /// The allocator's block overlaps one that is in use. It was refused.
    Overlapping {
        /// What was refused.
        refused: Use,
        /// What it overlaps.
        in_use: Use,
    },
    /// Work went to a stream while another stream with the same allocator still had work queued (ALLOC-10). The address
    /// and the size are 0.
    Concurrent {
        /// The stream that was to run, and its allocator.
        stream: Use,
        /// The number of the other stream.
        other: usize,
    },
    /// The caller freed device memory with a block in it that is in use, or that is just being given back (ALLOC-11,
    /// ALLOC-14). The thread is the one that freed.
    Freed(Use),
    /// An allocator was registered on a stream on which a single operator has run with memory of the library's own: it
    /// will never be called (ALLOC-15). The address and the size are 0.
    Ignored(Use),
    /// A stream was destroyed with its registration in place (ALLOC-16). The address and the size are 0.
    Left(Use),
    /// Work was to go to a stream that was destroyed with its registration in place (ALLOC-16). The address and the
    /// size are 0.
    Stale(Use),
    /// A callback of the allocator called for an execution or a registration (ALLOC-18), which was refused. The address
    /// and the size are 0.
    Reentered(Use),
}

/// A block, or the wish for one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The stream's handle as a number.
    pub stream: usize,
    /// The address of the allocator's object.
    pub allocator: usize,
    /// The address of the block; 0 where there is none.
    pub address: usize,
    /// The bytes that were asked for.
    pub size: usize,
    /// The thread it happened on, as `pthread_self` numbers it.
    pub thread: u64,
}

struct InUse {
    taken: Use,
    /// The work that it was taken for is not over.
    queued: bool,
}

struct Watch {
    /// By address; no two of them overlap.
    blocks: BTreeMap<usize, InUse>,
    notices: VecDeque<Notice>,
}

static WATCH: Mutex<Watch> = Mutex::new(Watch { blocks: BTreeMap::new(), notices: VecDeque::new() });

/// Blocks in use and being given back, to look at without the lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The block that this thread is giving back: where, and how large.
    static LEAVING: Cell<Option<Use>> = const { Cell::new(None) };
}

/// Takes note of what happened. Only the newest notices are kept.
pub(super) fn notice(notice: Notice) {
    lock(&WATCH).notice(notice);
}

/// The newest notices, the oldest of them first.
pub(crate) fn notices() -> Vec<Notice> {
    lock(&WATCH).notices.iter().copied().collect()
}

impl Watch {
    fn notice(&mut self, notice: Notice) {
        const KEPT: usize = 4096;
        if self.notices.len() == KEPT {
            self.notices.pop_front();
        }
        self.notices.push_back(notice);
    }
}

impl Use {
    /// What happens on this thread.
    pub(super) fn here(stream: usize, allocator: usize) -> Self {
        Self { stream, allocator, address: 0, size: 0, thread: this_thread() }
    }

    fn overlaps(&self, start: usize, size: usize) -> bool {
        self.address < start.saturating_add(size) && start < self.address.saturating_add(self.size)
    }
}

/// Enters a block, or answers the one in use that it overlaps.
pub(super) fn begin(taken: Use) -> Result<(), Use> {
    let mut watch = lock(&WATCH);
    let before = watch.blocks.range(..taken.address.saturating_add(taken.size)).next_back();
    if let Some((_, other)) = before
        && other.taken.overlaps(taken.address, taken.size)
    {
        return Err(other.taken);
    }
    watch.blocks.insert(taken.address, InUse { taken, queued: true });
    watch.notice(Notice::Taken(taken));
    COUNT.fetch_add(1, SeqCst);
    Ok(())
}

/// The work that the block was taken for is over; the block stays in use.
pub(super) fn settle(address: usize) {
    if let Some(block) = lock(&WATCH).blocks.get_mut(&address) {
        block.queued = false;
    }
}

/// Lets go of a block, and then gives it back: meanwhile the allocator may hand it out again.
pub(super) fn end(block: Use, give_back: impl FnOnce()) {
    {
        let mut watch = lock(&WATCH);
        watch.blocks.remove(&block.address);
        watch.notice(Notice::GivenBack(Use { thread: this_thread(), ..block }));
    }
    let before = LEAVING.replace(Some(block));
    give_back();
    LEAVING.set(before);
    COUNT.fetch_sub(1, SeqCst);
}

/// Another stream whose queued work uses blocks of this allocator.
pub(super) fn busy_elsewhere(allocator: usize, stream: usize) -> Option<usize> {
    let watch = lock(&WATCH);
    let mut queued = watch.blocks.values().filter(|block| block.queued).map(|block| block.taken);
    queued.find(|taken| taken.allocator == allocator && taken.stream != stream).map(|taken| taken.stream)
}

/// The caller freed this memory.
pub(super) fn freed(start: Address, size: usize) {
    if COUNT.load(SeqCst) == 0 {
        return;
    }
    let start = start.number();
    let in_use: Vec<Use> = {
        let watch = lock(&WATCH);
        let blocks = watch.blocks.range(..start.saturating_add(size)).rev().map(|(_, block)| block.taken);
        blocks.take_while(|block| block.overlaps(start, size)).collect()
    };
    let leaving = LEAVING.get().filter(|block| block.overlaps(start, size));
    for block in in_use.into_iter().chain(leaving) {
        notice(Notice::Freed(Use { thread: this_thread(), ..block }));
    }
}

pub(super) fn clear() {
    let mut watch = lock(&WATCH);
    let in_use = watch.blocks.len();
    watch.blocks.clear();
    watch.notices.clear();
    COUNT.fetch_sub(in_use, SeqCst);
}
