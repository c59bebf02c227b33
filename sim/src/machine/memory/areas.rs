//! Data buffers: an address with a size. They never own what is behind the address (DATA-01), but for an output that
//! the caller's allocator gave the memory for: its block goes back when the data buffer is destroyed or updated.

use crate::abi::{Address, Name};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::handles::Table;
use ascendcl_sys::types::aclDataBuffer;
use std::sync::Mutex;

/// The memory that a data buffer describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Area {
    pub(crate) address: Address,
    pub(crate) size: usize,
}

/// Gives the memory back when it is dropped.
pub(crate) type Owner = Box<dyn std::any::Any + Send + Sync>;

struct Entry {
    area: Area,
    /// The owner that frees the area's memory.
    _lent: Option<Owner>,
}

static AREAS: Table<Mutex<Entry>> = Table::new();

impl Area {
    /// Asks the library to allocate an output (DATA-06).
    pub(in crate::machine) fn is_open(&self) -> bool {
        self.address.is_null() && self.size == 0
    }
}

pub(crate) fn create_area(area: Area) -> Name<aclDataBuffer> {
    Name::new(AREAS.add(Mutex::new(Entry { area, _lent: None })))
}

pub(crate) fn destroy_area(name: Name<aclDataBuffer>) -> Answer {
    AREAS.remove(name.0).map(|_| ()).ok_or_else(|| unknown(name))
}

pub(crate) fn read_area(name: Name<aclDataBuffer>) -> Answer<Area> {
    AREAS.get(name.0).map(|entry| lock(&entry).area).ok_or_else(|| unknown(name))
}

pub(crate) fn update_area(name: Name<aclDataBuffer>, new: Area) -> Answer {
    let entry = AREAS.get(name.0).ok_or_else(|| unknown(name))?;
    let old = std::mem::replace(&mut *lock(&entry), Entry { area: new, _lent: None });
    drop(old);
    Ok(())
}

/// Enters memory that the library allocated; answers whether the data buffer is still there and still open.
pub(in crate::machine) fn fill_open(name: Name<aclDataBuffer>, new: Area, lent: Option<Owner>) -> bool {
    let Some(entry) = AREAS.get(name.0) else { return false };
    let mut entry = lock(&entry);
    let open = entry.area.is_open();
    if open {
        *entry = Entry { area: new, _lent: lent };
    }
    open
}

pub(in crate::machine) fn exists(name: Name<aclDataBuffer>) -> Answer {
    if AREAS.contains(name.0) { Ok(()) } else { Err(unknown(name)) }
}

pub(in crate::machine) fn count() -> usize {
    AREAS.len()
}

pub(in crate::machine) fn clear() {
    AREAS.remove_all(|_| true);
}

fn unknown(name: Name<aclDataBuffer>) -> Failure {
    Failure::invalid(match name.0 {
        0 => "the data buffer is null",
        _ => "this is no data buffer, or it was destroyed",
    })
}
