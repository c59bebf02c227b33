//! Memory of which the program and the simulator have views of their own, so that the program can be kept out.

use super::arguments::Address;
use super::pages::{Pages, Shared};
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The program's view is [locked](Self::keep_out) until it is [opened](Self::let_in); the simulator's always is open. The
/// program has addresses of its own view, and [`inside`] leads from there to the other.
#[derive(Debug)]
pub(crate) struct Guarded {
    outside: Pages,
    memory: Shared,
}

/// The views of the program: start and size, and where the simulator's begin. They stay.
static VIEWS: RwLock<Vec<(usize, usize, Address)>> = RwLock::new(Vec::new());
static ANY: AtomicBool = AtomicBool::new(false);

impl Guarded {
    /// `size` is a multiple of the page. `None` when the system has no such memory.
    pub(crate) fn new(size: usize, page: usize) -> Option<Self> {
        let memory = Shared::new(size)?;
        let (outside, inside) = (Pages::reserve(size, page)?, Pages::reserve(size, page)?);
        outside.map(0, &memory)?;
        inside.map(0, &memory)?;
        outside.protect(0, size, false)?;
        lead(&outside, &inside);
        // It stands as long as the process does: pages are not given back when this is dropped.
        Some(Self { outside, memory })
    }

    pub(crate) fn start(&self) -> Address {
        self.outside.start()
    }

    pub(crate) fn memory(&self) -> &Shared {
        &self.memory
    }

    /// Whether the program can use `size` bytes at an offset from now on. Both are multiples of the page.
    pub(crate) fn open(&self, offset: usize, size: usize, open: bool) {
        // Without a place in the system's tables the program is kept out, or let in, where it was before.
        let _ = self.outside.protect(offset, size, open);
    }
}

/// The simulator's own view of addresses of the program, to which the same memory is to be mapped.
pub(crate) fn view_of(outside: &Pages, page: usize) -> Option<Pages> {
    let inside = Pages::reserve(outside.size(), page)?;
    lead(outside, &inside);
    Some(inside)
}

fn lead(outside: &Pages, inside: &Pages) {
    let mut views = VIEWS.write().unwrap_or_else(std::sync::PoisonError::into_inner);
    views.push((outside.start().number(), outside.size(), inside.start()));
    ANY.store(true, Relaxed);
}

/// The simulator's own address of a place.
pub(super) fn inside(address: Address) -> Address {
    if ANY.load(Relaxed) { look_up(address) } else { address }
}

#[cold]
fn look_up(address: Address) -> Address {
    let views = VIEWS.read().unwrap_or_else(std::sync::PoisonError::into_inner);
    let view = views.iter().find(|(start, size, _)| (*start..start + size).contains(&address.number()));
    view.map_or(address, |(start, _, inside)| inside.offset(address.number() - start))
}
