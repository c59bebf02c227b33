//! Memory that the program is kept out of, with the switch `guard`.

use crate::abi::{Address, fill};
use crate::locks::read;
use crate::machine::memory::arena::{self, PAGE, Piece};
use crate::machine::memory::blocks::{BLOCKS, Backing};
use crate::machine::memory::virtual_memory;
use std::sync::Arc;

/// What is at an address that the program may not use.
pub(crate) enum Kept {
    /// A block of a device, or mapped memory without access.
    Block,
    /// A block of the host. Its pages are locked while a queued copy writes them, and open otherwise.
    Pinned,
    /// Right behind a pinned block, which has so many bytes.
    Behind { start: Address, size: usize },
    /// A block was there, or is missing where addresses are reserved.
    Freed,
}

/// Pages of a pinned block that are locked until this is [opened](Self::open).
#[derive(Clone, Debug)]
pub(crate) struct Locked {
    piece: Arc<Piece>,
    pages: (Address, usize),
}

/// What is behind the bytes that the program asked for, up to the end of the block.
const BEHIND: u8 = 0x5b;

/// Locks the pages of a pinned block that have nothing but these bytes. `None` when there are none, or without the switch.
pub(crate) fn lock_out(address: Address, count: usize) -> Option<Locked> {
    let piece = pinned(address)?;
    let (start, end) = (piece.address().number(), piece.address().number() + piece.size());
    let asked = start + piece.asked();
    let from = match address.number() == start {
        true => start - start % PAGE,
        false => address.number().next_multiple_of(PAGE),
    };
    let to = address.number() + count;
    let to = if to >= asked { end.next_multiple_of(PAGE) } else { to - to % PAGE };
    let size = to.checked_sub(from).filter(|size| *size > 0)?;
    // The pages begin before the piece does.
    let first = Address::named(from);
    piece.open((first, size), false);
    Some(Locked { piece, pages: (first, size) })
}

impl Locked {
    pub(crate) fn open(&self) {
        self.piece.open(self.pages, true);
    }

    pub(crate) fn close(&self) {
        self.piece.open(self.pages, false);
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let [a, b] = [self, other].map(|locked| (locked.pages.0.number(), locked.pages.0.number() + locked.pages.1));
        a.0 < b.1 && b.0 < a.1
    }

    pub(crate) fn has(&self, address: usize) -> bool {
        let (start, size) = self.pages;
        (start.number()..start.number() + size).contains(&address)
    }
}

/// What the program has run into; `None` for memory of its own.
pub(crate) fn kept(address: Address) -> Option<Kept> {
    let blocks = read(&BLOCKS);
    if let Some(entry) = blocks.around(address) {
        let of_host = entry.device.is_none() && matches!(entry.block, Backing::Piece(_));
        return Some(if of_host { Kept::Pinned } else { Kept::Block });
    }
    if virtual_memory::touches(address, 1) {
        return Some(Kept::Freed);
    }
    if !arena::touches(address, 1) {
        return None;
    }
    let before = blocks.live.range(..address.number()).next_back().map(|(_, entry)| entry);
    let pinned = before.filter(|entry| entry.device.is_none());
    if let Some(Backing::Piece(piece)) = pinned.map(|entry| &entry.block)
        && address.number() - piece.address().number() < piece.size() + PAGE
    {
        return Some(Kept::Behind { start: piece.address(), size: piece.asked() });
    }
    Some(Kept::Freed)
}

/// Fills what is behind the bytes that the program asked for.
pub(super) fn mark_end(piece: &Piece) {
    fill(piece.address().offset(piece.asked()), BEHIND, piece.size() - piece.asked());
}

/// How many bytes behind the start the program has written that it did not ask for, and how many those were that it did.
pub(crate) fn overrun(address: Address) -> Option<(usize, usize)> {
    let piece = pinned(address)?;
    let behind = piece.address().offset(piece.asked()).bytes(piece.size() - piece.asked());
    let last = behind.iter().rposition(|byte| *byte != BEHIND)?;
    Some((piece.asked() + last + 1, piece.asked()))
}

fn pinned(address: Address) -> Option<Arc<Piece>> {
    let blocks = read(&BLOCKS);
    match blocks.around(address) {
        Some(entry) if entry.device.is_none() => match &entry.block {
            Backing::Piece(piece) if piece.is_guarded() => Some(Arc::clone(piece)),
            _ => None,
        },
        _ => None,
    }
}
