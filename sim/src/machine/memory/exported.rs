//! Device memory that several processes share: blocks of this one that others may map, and blocks of others.

use crate::abi::{Address, Pages, Shared};
use crate::failure::{Answer, Failure};
use crate::locks::{lock, read, write};
use crate::machine::device::Device;
use crate::machine::memory::blocks::{BLOCKS, Backing, Entry, insert};
use crate::machine::sharing::{Key, Kind, Record, What};
use ascendcl_rules::{IPC_01, MEM_01, Object};
use ascendcl_sys::error_codes::ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, RwLock};

/// A block that others may import. It keeps the memory from being used for other blocks.
struct Export {
    record: Record,
    start: usize,
    _kept: Backing,
}

/// Memory of another process, at an address of this one.
#[derive(Debug)]
pub(crate) struct Window {
    pages: Pages,
    _memory: Shared,
    start: Address,
    size: usize,
}

static EXPORTS: Mutex<Vec<Export>> = Mutex::new(Vec::new());
static IMPORTS: Mutex<Vec<(Key, Address)>> = Mutex::new(Vec::new());
/// What was closed last: blocks of others, and own ones.
static CLOSED: Mutex<VecDeque<(Key, Address)>> = Mutex::new(VecDeque::new());
/// Where windows are and were: nothing else ever comes to stand there.
static PLACES: RwLock<Vec<(usize, usize)>> = RwLock::new(Vec::new());

const PAGE: usize = 4096;

/// Offers `size` bytes of a block to other processes; answers the key by which they find it.
pub(crate) fn export(address: Address, size: usize, for_all: bool) -> Answer<String> {
    let (piece, offset) = {
        let blocks = read(&BLOCKS);
        match blocks.around(address).map(|entry| &entry.block) {
            Some(Backing::Piece(piece)) => (Arc::clone(piece), address.number() - piece.address().number()),
            _ => return Err(Failure::refused(format!("{:#x} is in no block of aclrtMalloc", address.number()))),
        }
    };
    if size > piece.size() - offset {
        return Err(Failure::refused(format!("{size} bytes from {:#x} on end outside of the block", address.number())));
    }
    let found = piece.found_by();
    let found = found.ok_or_else(|| Failure::unsupported("this system has no memory that two processes share"))?;
    let what = What { descriptor: found.descriptor, offset: found.offset + offset, size };
    let record = Record::new(Kind::Block, what, for_all)?;
    let key = record.key().text();
    lock(&EXPORTS).push(Export { record, start: address.number(), _kept: Backing::Piece(piece) });
    Ok(key)
}

/// Lets these processes import a block that was exported here.
pub(crate) fn allow(key: &str, processes: &[i32]) -> Answer {
    let key = Key::from_text(key)?;
    let exports = lock(&EXPORTS);
    let export = exports.iter().find(|export| export.record.key() == key);
    export.ok_or_else(|| not_exported(key))?.record.allow(processes)
}

/// What was exported here under this key.
pub(crate) fn exported(key: &str) -> Answer<Address> {
    let key = Key::from_text(key)?;
    let exports = lock(&EXPORTS);
    let export = exports.iter().find(|export| export.record.key() == key);
    export.map(|export| Address::named(export.start)).ok_or_else(|| not_exported(key))
}

/// The block of another process, as memory of a device that this process reaches.
pub(crate) fn import(key: &str, device: &Arc<Device>) -> Answer<Address> {
    let key = Key::of_import(key)?;
    // Held until the end: of two threads with one key, one imports.
    let mut imports = lock(&IMPORTS);
    // What went with its device is not imported any more.
    imports.retain(|(_, address)| size_of_import(*address) > 0);
    if imports.iter().any(|(known, _)| *known == key) {
        return Err(Failure::refused("the block was imported here, and not closed since"));
    }
    let record = Record::import(key, Kind::Block)?;
    let window = Window::new(record.memory()?, record.what()).ok_or_else(|| {
        Failure::new(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "the host has no place for the memory of another process")
    })?;
    write(&PLACES).push((window.pages.start().number(), window.pages.size()));
    let entry = Entry { block: Backing::Window(Arc::new(window)), device: Some(Arc::clone(device)) };
    let address = insert(entry);
    imports.push((key, address));
    Ok(address)
}

/// What was imported under this key here, if anything was.
pub(crate) fn imported(key: &str) -> Answer<Option<Address>> {
    let key = Key::from_text(key)?;
    Ok(lock(&IMPORTS).iter().find(|(known, _)| *known == key).map(|(_, address)| *address))
}

/// How many bytes were imported at this address.
pub(crate) fn size_of_import(address: Address) -> usize {
    match read(&BLOCKS).around(address).map(|entry| &entry.block) {
        Some(Backing::Window(window)) => window.size(),
        _ => 0,
    }
}

/// Ends the sharing of a block: of one that was exported here, or that was imported.
pub(crate) fn close(key: &str) -> Answer {
    let key = Key::from_text(key)?;
    let import = lock(&IMPORTS).extract_if(.., |(known, _)| *known == key).next();
    if let Some((_, address)) = import {
        // Work that is queued goes on with the memory.
        let ended = {
            let mut blocks = write(&BLOCKS);
            blocks.gone.remove(&address.number());
            blocks.live.remove(&address.number())
        };
        drop(ended);
        note_closed(key, address);
        return Ok(());
    }
    let export = lock(&EXPORTS).extract_if(.., |export| export.record.key() == key).next();
    let export = export.ok_or_else(|| not_exported(key))?;
    note_closed(key, Address::named(export.start));
    Ok(())
}

fn note_closed(key: Key, address: Address) {
    /// How many are remembered.
    const KEPT: usize = 64;
    let mut closed = lock(&CLOSED);
    if closed.len() == KEPT {
        closed.pop_front();
    }
    closed.push_back((key, address));
}

/// Whether another process may change what is at this address.
pub(crate) fn is_shared(address: Address) -> bool {
    let number = address.number();
    let is_exported = |export: &Export| (export.start..export.start + export.record.what().size).contains(&number);
    match read(&BLOCKS).around(address).map(|entry| &entry.block) {
        Some(Backing::Window(_)) => true,
        Some(Backing::Mapped(mapping)) => mapping.is_shared(),
        _ => lock(&EXPORTS).iter().any(is_exported),
    }
}

/// Whether any of `count` bytes from `address` are where memory of another process is, or was.
pub(super) fn touches(address: Address, count: usize) -> bool {
    let (first, end) = (address.number(), address.number().saturating_add(count));
    read(&PLACES).iter().any(|(start, size)| first < start + size && end > *start)
}

/// As if nothing had been shared.
pub(super) fn clear() {
    lock(&IMPORTS).clear();
    lock(&CLOSED).clear();
    let ended = std::mem::take(&mut *lock(&EXPORTS));
    drop(ended);
}

fn not_exported(key: Key) -> Failure {
    let failure = Failure::refused(format!("nothing is shared here under the key {}", key.text()));
    let closed = lock(&CLOSED).iter().rev().find(|(known, _)| *known == key).map(|(_, address)| *address);
    let fix = "call aclrtIpcMemClose once for each import, and once for each export";
    match closed {
        Some(_) if key.process == std::process::id() => failure.breaks(IPC_01, "a key that is closed once", fix),
        Some(address) => failure
            .breaks(MEM_01, "memory of another process is closed once", fix)
            .about(Object::memory(address.number() as u64)),
        None => failure,
    }
}

impl Window {
    fn new(memory: Shared, what: What) -> Option<Self> {
        let from = what.offset - what.offset % PAGE;
        let end = what.offset.checked_add(what.size)?.checked_next_multiple_of(PAGE)?.min(memory.size());
        // A page more, so that no other mapping comes to stand right behind.
        let pages = Pages::reserve((end - from).checked_add(PAGE)?, PAGE)?;
        pages.map_part(0, &memory, from, end - from)?;
        let start = pages.start().offset(what.offset - from);
        Some(Self { pages, _memory: memory, start, size: what.size })
    }

    pub(super) fn address(&self) -> Address {
        self.start
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // Without a place in the system's tables the memory stays mapped, where nothing else comes to stand.
        let _ = self.pages.unmap(0, self.pages.size());
    }
}
