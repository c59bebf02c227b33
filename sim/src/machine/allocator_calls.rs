//! Calling the callers' allocators.
//!
//! An allocator is called on one thread at a time, as in the vendor's library, but under no lock: a thread that has a
//! block to give back while another thread is inside the allocator leaves it to that one. So the end of a task never
//! waits for code of the caller.

use super::allocator_watch::{self as watch, Notice, Use, notice};
use super::locks::{lock, wait};
use super::memory::{Hold, Place, describe, hold};
use super::{errors, pool, user_code};
use crate::abi::{Address, AllocatorBlock, AllocatorFunctions};
use crate::failure::{Answer, Failure};
use ascendcl_sys::error_codes::{ACL_ERROR_RT_ADDR_UNALIGNED, ACL_ERROR_RT_MEMORY_ALLOCATION};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};

/// Where a block has to start. The vendor's library aligns its own to more.
const ALIGNMENT: usize = 64;

/// An allocator of the caller that serves a stream.
#[derive(Clone, Copy)]
pub(crate) struct Lender {
    functions: AllocatorFunctions,
    stream: usize,
    device: u32,
}

/// A block of a caller's allocator, which gets it back when this is dropped. Not to be dropped with a lock held.
pub(crate) struct Lent {
    lender: Lender,
    block: AllocatorBlock,
    address: Address,
    taken: Use,
    /// The machine's, when it was taken.
    age: u64,
    _hold: Hold,
}

/// The allocators that a thread is inside of, by their objects, with the blocks that are to go back when it leaves.
static INSIDE: Mutex<BTreeMap<usize, Vec<Returned>>> = Mutex::new(BTreeMap::new());
static LEFT: Condvar = Condvar::new();

/// How often the machine started afresh. Blocks of former times are not given back: their allocators may be gone.
static AGE: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The allocator that this thread is inside of, as stream and object; `None` when it is in none.
    static CALLING: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
}

/// A block on its way back.
struct Returned {
    lender: Lender,
    block: AllocatorBlock,
    taken: Use,
    age: u64,
}

/// Refuses what a callback of an allocator must not do (ALLOC-18): where the vendor's library would stop for ever.
pub(crate) fn refuse_inside() -> Answer {
    let Some((stream, object)) = CALLING.get() else { return Ok(()) };
    notice(Notice::Reentered(Use::here(stream, object)));
    Err(Failure::unsupported(format!(
        "{} was called from inside a callback of an allocator; callbacks neither execute nor register nor unload \
         (ALLOC-18)",
        errors::current_call()
    )))
}

/// No block that is out now is given back any more.
pub(super) fn forget_all() {
    AGE.fetch_add(1, SeqCst);
    watch::clear();
}

impl Lender {
    pub(super) fn new(functions: AllocatorFunctions, stream: usize, device: u32) -> Self {
        Self { functions, stream, device }
    }

    /// Says when another stream still works with this allocator (ALLOC-10).
    pub(super) fn watch_others(&self) {
        let object = self.functions.object();
        if let Some(other) = watch::busy_elsewhere(object, self.stream) {
            notice(Notice::Concurrent { stream: Use::here(self.stream, object), other });
        }
    }

    /// A block of at least `bytes` bytes, for work that is about to be queued or is running. `near`: an address that it
    /// is best close to.
    pub(crate) fn take(&self, bytes: usize, near: Option<Address>) -> Answer<Lent> {
        refuse_inside()?;
        let _inside = Inside::enter(self.stream, self.functions.object());
        let wish = Use { size: bytes, ..Use::here(self.stream, self.functions.object()) };
        let Some(block) = user_code::run_here(|| self.functions.allocate(bytes, near)) else {
            notice(Notice::NoBlock(wish));
            let text = format!("the stream's allocator has no block of {bytes} bytes: its callback answered null");
            return Err(Failure::new(ACL_ERROR_RT_MEMORY_ALLOCATION, text));
        };
        let address = user_code::run_here(|| self.functions.address_of(block));
        let taken = Use { address: address.number(), ..wish };
        match self.accept(address, taken) {
            Ok(hold) => Ok(Lent { lender: *self, block, address, taken, age: AGE.load(SeqCst), _hold: hold }),
            Err((failure, flaw)) => {
                notice(flaw);
                // The very block that is in use goes back when that use ends.
                if !matches!(flaw, Notice::Overlapping { refused, in_use } if refused.address == in_use.address) {
                    user_code::run_here(|| self.functions.free(block));
                }
                Err(failure)
            }
        }
    }

    /// Makes sure that work may use a block.
    fn accept(&self, address: Address, taken: Use) -> Result<Hold, (Failure, Notice)> {
        let (at, bytes) = (taken.address, taken.size);
        if at % ALIGNMENT != 0 {
            let text =
                format!("the stream's allocator gave a block at {at:#x}; it has to start at a multiple of {ALIGNMENT}");
            return Err((Failure::new(ACL_ERROR_RT_ADDR_UNALIGNED, text), Notice::Unaligned(taken)));
        }
        let place = describe(address).map(|found| found.place);
        let held = hold(address, bytes).ok().filter(|_| place == Some(Place::Device(self.device)));
        let Some(held) = held else {
            let text = format!(
                "the stream's allocator gave a block at {at:#x}; there have to be {bytes} bytes of one live block of \
                 device {}",
                self.device
            );
            return Err((Failure::refused(text), Notice::Foreign(taken)));
        };
        watch::begin(taken).map(|()| held).map_err(|in_use| {
            let text = format!(
                "the stream's allocator gave {bytes} bytes at {at:#x}, which overlap the {} bytes at {:#x} that are in \
                 use",
                in_use.size, in_use.address
            );
            (Failure::refused(text), Notice::Overlapping { refused: taken, in_use })
        })
    }
}

impl Lent {
    pub(crate) fn address(&self) -> Address {
        self.address
    }

    /// The work that it was taken for is over; what it holds is still wanted.
    pub(crate) fn settle(&self) {
        if self.age == AGE.load(SeqCst) {
            watch::settle(self.taken.address);
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Self { lender, block, taken, age, .. } = *self;
        let object = lender.functions.object();
        let returned = Returned { lender, block, taken, age };
        {
            let mut inside = lock(&INSIDE);
            if let Some(waiting) = inside.get_mut(&object) {
                waiting.push(returned);
                return;
            }
            inside.insert(object, vec![returned]);
        }
        drop(Inside::begin(lender.stream, object));
    }
}

/// This thread is inside an allocator, and no other is.
struct Inside {
    object: usize,
    before: Option<(usize, usize)>,
}

impl Inside {
    /// Waits for a thread that is inside already.
    fn enter(stream: usize, object: usize) -> Self {
        pool::lend(|| {
            let mut inside = lock(&INSIDE);
            while inside.contains_key(&object) {
                inside = wait(&LEFT, inside, None);
            }
            inside.insert(object, Vec::new());
        });
        Self::begin(stream, object)
    }

    fn begin(stream: usize, object: usize) -> Self {
        Self { object, before: CALLING.replace(Some((stream, object))) }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        loop {
            let waiting = {
                let mut inside = lock(&INSIDE);
                let waiting = inside.get_mut(&self.object).map(std::mem::take).unwrap_or_default();
                if waiting.is_empty() {
                    inside.remove(&self.object);
                }
                waiting
            };
            if waiting.is_empty() {
                break;
            }
            waiting.into_iter().for_each(Returned::go);
        }
        CALLING.set(self.before);
        LEFT.notify_all();
    }
}

impl Returned {
    fn go(self) {
        let Self { lender, block, taken, age } = self;
        if age != AGE.load(SeqCst) {
            return;
        }
        watch::end(taken, || user_code::run(lender.stream, || lender.functions.free(block)));
    }
}
