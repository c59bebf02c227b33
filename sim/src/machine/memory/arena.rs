//! Where blocks are cut from: chunks of memory that never go back to the system.
//!
//! So an address inside a chunk is never the caller's own memory, and work on a block that was freed can be refused
//! instead of writing over what has come to stand there.

use crate::abi::{Address, Block};
use crate::locks::{lock, read, write};
use std::collections::BTreeMap;
use std::sync::{Mutex, RwLock};

/// A part of a chunk. Dropping it makes its place free.
#[derive(Debug)]
pub(crate) struct Piece {
    start: Address,
    size: usize,
}

pub(in crate::machine) const ALIGNMENT: usize = 64;

static CHUNKS: RwLock<Vec<Block>> = RwLock::new(Vec::new());
/// Free places by their addresses; no two of them touch. Chunks never do: the system's own bookkeeping is between.
static FREE: Mutex<BTreeMap<usize, (Address, usize)>> = Mutex::new(BTreeMap::new());

impl Piece {
    /// `size` is a multiple of [`ALIGNMENT`]. `None` when the system has no such chunk.
    pub(in crate::machine) fn new(size: usize) -> Option<Self> {
        Self::from_free(size).or_else(|| Self::from_new_chunk(size))
    }

    /// The first free place that is large enough.
    fn from_free(size: usize) -> Option<Self> {
        let mut free = lock(&FREE);
        let (number, (start, room)) =
            free.iter().find(|(_, (_, room))| *room >= size).map(|(n, place)| (*n, *place))?;
        free.remove(&number);
        if room > size {
            free.insert(number + size, (start.offset(size), room - size));
        }
        Some(Self { start, size })
    }

    fn from_new_chunk(size: usize) -> Option<Self> {
        const SMALLEST: usize = 16 << 20;
        let chunk = Block::new(size.max(SMALLEST), ALIGNMENT).or_else(|| Block::new(size, ALIGNMENT))?;
        let (start, room) = (chunk.address(), chunk.size());
        write(&CHUNKS).push(chunk);
        if room > size {
            drop(Self { start: start.offset(size), size: room - size });
        }
        Some(Self { start, size })
    }

    pub(in crate::machine) fn address(&self) -> Address {
        self.start
    }

    pub(in crate::machine) fn size(&self) -> usize {
        self.size
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let mut free = lock(&FREE);
        let number = self.start.number();
        let (mut start, mut size) = (self.start, self.size);
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
    read(&CHUNKS).iter().any(|chunk| {
        let start = chunk.address().number();
        first < start + chunk.size() && end > start
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_joined_and_used_again() {
        let pieces: Vec<Piece> = (1..50).filter_map(|number| Piece::new(number * ALIGNMENT)).collect();
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
        assert!(lock(&FREE).values().any(|(_, room)| *room >= 16 << 20), "the first chunk is whole again");
        assert_eq!(read(&CHUNKS).len(), 1);
        let elsewhere = Block::new(64, ALIGNMENT).map(|block| touches(block.address(), 64));
        assert_eq!(elsewhere, Some(false));
    }
}
