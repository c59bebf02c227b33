//! Where blocks are cut from: chunks of memory that never go back to the system.
//!
//! So an address inside a chunk is never the caller's own memory, and work on a block that was freed can be refused
//! instead of writing over what has come to stand there.
//!
//! Where the system can do it, chunks for devices are memory that other processes can [map](Piece::found_by), too. A
//! process that this one forks shares them then; its pinned memory is its own, as the rest of what it inherits.
//!
//! With the switch `guard` each piece has pages of its own and ends where they do, before one that is never opened. Those of
//! the host are open to the program from the allocation to the end; those of devices never are.

use crate::abi::{Address, Block, Guarded, Pages, Shared};
use crate::config::switches::{self, Switch};
use crate::locks::{lock, read, write};
use std::collections::BTreeMap;
use std::sync::{Mutex, RwLock};

/// A part of a chunk. Dropping it makes its place free.
#[derive(Debug)]
pub(crate) struct Piece {
    arena: &'static Arena,
    start: Address,
    size: usize,
    /// What it takes from the arena.
    whole: (Address, usize),
    /// How much of it the program has asked for, if that was told.
    asked: usize,
}

pub(in crate::machine) const ALIGNMENT: usize = 64;

#[derive(Debug)]
struct Arena {
    chunks: RwLock<Vec<Chunk>>,
    /// Free places by their addresses; no two of them touch. Chunks never do: the system's own bookkeeping is between,
    /// or addresses without memory.
    free: Mutex<BTreeMap<usize, (Address, usize)>>,
    make: fn(usize) -> Option<Chunk>,
}

static OF_DEVICES: Arena = Arena::new(Chunk::shared);
static OF_THE_HOST: Arena = Arena::new(Chunk::private);
static GUARDED_OF_DEVICES: Arena = Arena::new(Chunk::guarded);
static GUARDED_OF_THE_HOST: Arena = Arena::new(Chunk::guarded);

#[derive(Debug)]
enum Chunk {
    Private(Block),
    Shared(Pages, Shared),
    Guarded(Guarded),
}

/// How another process finds memory of this one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) struct Found {
    pub(in crate::machine) descriptor: u32,
    pub(in crate::machine) offset: usize,
}

impl Piece {
    /// Memory of a device. `size` is a multiple of [`ALIGNMENT`]. `None` when the system has no such chunk.
    pub(in crate::machine) fn of_device(size: usize) -> Option<Self> {
        let guarded = switches::is_on(Switch::Guard).then(|| GUARDED_OF_DEVICES.guarded_piece(size, false)).flatten();
        guarded.or_else(|| OF_DEVICES.piece(size))
    }

    /// Memory of the host, of which the program has asked for `asked` bytes. `size` is a multiple of [`ALIGNMENT`]. `None`
    /// when the system has no such chunk.
    pub(in crate::machine) fn of_host(size: usize, asked: usize) -> Option<Self> {
        let guarded = switches::is_on(Switch::Guard).then(|| GUARDED_OF_THE_HOST.guarded_piece(size, true)).flatten();
        let mut piece = guarded.or_else(|| OF_THE_HOST.piece(size))?;
        piece.asked = asked;
        Some(piece)
    }

    pub(in crate::machine) fn address(&self) -> Address {
        self.start
    }

    pub(in crate::machine) fn size(&self) -> usize {
        self.size
    }

    /// How another process finds its memory; `None` where none can.
    pub(in crate::machine) fn found_by(&self) -> Option<Found> {
        let chunks = read(&self.arena.chunks);
        match chunks.iter().find(|chunk| chunk.has(self.start, self.size))? {
            Chunk::Private(_) => None,
            Chunk::Shared(pages, memory) => {
                let offset = self.start.number() - pages.start().number();
                Some(Found { descriptor: memory.descriptor(), offset })
            }
            Chunk::Guarded(guarded) => {
                let offset = self.start.number() - guarded.start().number();
                Some(Found { descriptor: guarded.memory().descriptor(), offset })
            }
        }
    }
}

impl Piece {
    /// Opens pages to the program, or locks them. Does nothing without the switch.
    pub(in crate::machine) fn open(&self, pages: (Address, usize), open: bool) {
        self.arena.open(pages, open);
    }

    pub(in crate::machine) fn asked(&self) -> usize {
        self.asked
    }

    pub(in crate::machine) fn is_guarded(&self) -> bool {
        self.whole.1 != self.size
    }
}

impl Arena {
    const fn new(make: fn(usize) -> Option<Chunk>) -> Self {
        Self { chunks: RwLock::new(Vec::new()), free: Mutex::new(BTreeMap::new()), make }
    }

    fn piece(&'static self, size: usize) -> Option<Piece> {
        self.take_free(size).or_else(|| self.take_new_chunk(size))
    }

    /// The first free place that is large enough.
    fn take_free(&'static self, size: usize) -> Option<Piece> {
        let mut free = lock(&self.free);
        let (number, (start, room)) =
            free.iter().find(|(_, (_, room))| *room >= size).map(|(n, place)| (*n, *place))?;
        free.remove(&number);
        if room > size {
            free.insert(number + size, (start.offset(size), room - size));
        }
        Some(Piece { arena: self, start, size, whole: (start, size), asked: size })
    }

    /// A piece that ends where its pages do, and a page behind it.
    fn guarded_piece(&'static self, size: usize, open: bool) -> Option<Piece> {
        let room = size.checked_next_multiple_of(PAGE)?;
        let mut piece = self.piece(room.checked_add(PAGE)?)?;
        let start = piece.start;
        (piece.start, piece.size) = (start.offset(room - size), size);
        self.open((start, room), open);
        Some(piece)
    }

    fn open(&self, (start, size): (Address, usize), open: bool) {
        let chunks = read(&self.chunks);
        if let Some(Chunk::Guarded(guarded)) = chunks.iter().find(|chunk| chunk.has(start, size)) {
            guarded.open(start.number() - guarded.start().number(), size, open);
        }
    }

    fn take_new_chunk(&'static self, size: usize) -> Option<Piece> {
        const SMALLEST: usize = 16 << 20;
        let chunk = (self.make)(size.max(SMALLEST)).or_else(|| (self.make)(size))?;
        let (start, room) = (chunk.start(), chunk.size());
        write(&self.chunks).push(chunk);
        if room > size {
            let (rest, left) = (start.offset(size), room - size);
            drop(Piece { arena: self, start: rest, size: left, whole: (rest, left), asked: left });
        }
        Some(Piece { arena: self, start, size, whole: (start, size), asked: size })
    }

    fn touches(&self, first: usize, end: usize) -> bool {
        read(&self.chunks).iter().any(|chunk| {
            let start = chunk.start().number();
            first < start + chunk.size() && end > start
        })
    }
}

impl Chunk {
    fn private(size: usize) -> Option<Self> {
        Block::new(size, ALIGNMENT).map(Self::Private)
    }

    fn shared(size: usize) -> Option<Self> {
        let mapped = || {
            let room = size.checked_next_multiple_of(PAGE)?;
            // A page more, so that no other mapping comes to stand right behind.
            let (memory, pages) = (Shared::new(room)?, Pages::reserve(room.checked_add(PAGE)?, PAGE)?);
            pages.map(0, &memory)?;
            Some(Self::Shared(pages, memory))
        };
        mapped().or_else(|| Self::private(size))
    }

    fn guarded(size: usize) -> Option<Self> {
        Guarded::new(size.checked_next_multiple_of(PAGE)?, PAGE).map(Self::Guarded)
    }

    fn start(&self) -> Address {
        match self {
            Self::Guarded(guarded) => guarded.start(),
            Self::Private(block) => block.address(),
            Self::Shared(pages, _) => pages.start(),
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Guarded(guarded) => guarded.memory().size(),
            Self::Private(block) => block.size(),
            Self::Shared(_, memory) => memory.size(),
        }
    }

    fn has(&self, start: Address, size: usize) -> bool {
        let own = self.start().number();
        start.number() >= own && start.number() + size <= own + self.size()
    }
}

pub(super) const PAGE: usize = 4096;

impl Drop for Piece {
    fn drop(&mut self) {
        if self.is_guarded() {
            self.open(self.whole, false);
        }
        let mut free = lock(&self.arena.free);
        let (mut start, mut size) = self.whole;
        let number = start.number();
        if let Some((_, room)) = free.remove(&(number + size)) {
            size += room;
        }
        let before = free.range(..number).next_back().map(|(n, place)| (*n, *place));
        if let Some((before, (address, room))) = before
            && before + room == number
        {
            (start, size) = (address, room + size);
        }
        free.insert(start.number(), (start, size));
    }
}

/// Whether any of `count` bytes from `address` are in a chunk.
pub(in crate::machine) fn touches(address: Address, count: usize) -> bool {
    let (first, end) = (address.number(), address.number().saturating_add(count));
    [&OF_DEVICES, &OF_THE_HOST, &GUARDED_OF_DEVICES, &GUARDED_OF_THE_HOST].iter().any(|arena| arena.touches(first, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_joined_and_used_again() {
        let pieces: Vec<Piece> = (1..50).filter_map(|number| Piece::of_host(number * ALIGNMENT, ALIGNMENT)).collect();
        let mut spans: Vec<_> = pieces.iter().map(|piece| (piece.address().number(), piece.size())).collect();
        spans.sort_unstable();
        assert!(spans.windows(2).all(|pair| matches!(pair, [(start, size), (next, _)] if start + size <= *next)));
        assert!(pieces.iter().all(|piece| touches(piece.address(), 1)));
        let (mut odd, mut even) = (Vec::new(), Vec::new());
        for (index, piece) in pieces.into_iter().enumerate() {
            if index % 2 == 0 { even.push(piece) } else { odd.push(piece) }
        }
        drop(odd);
        drop(even);
        assert!(lock(&OF_THE_HOST.free).values().any(|(_, room)| *room >= 16 << 20), "the first chunk is whole again");
        assert_eq!(read(&OF_THE_HOST.chunks).len(), 1);
        let elsewhere = Block::new(64, ALIGNMENT).map(|block| touches(block.address(), 64));
        assert_eq!(elsewhere, Some(false));
    }
}
