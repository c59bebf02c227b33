//! Calling the callers' allocators.
//!
//! An allocator is called on one thread at a time, as in the vendor's library, but under no lock: a thread that has a
//! block to give back while another thread is inside the allocator leaves it to that one. So the end of a task never
//! waits for code of the caller.

use crate::abi::{Address, AllocatorBlock, AllocatorFunctions};
use crate::failure::{Answer, Failure};
use crate::locks::{lock, wait};
use crate::machine::allocators::blocks;
use crate::machine::memory::{Hold, Place, describe, hold};
use crate::machine::streams::stream::Stream;
use crate::machine::thread::errors;
use crate::machine::thread::visits::{CALLING, CHANGED, Lender, Returned, VISITS, Visit};
use crate::machine::watch;
use crate::machine::workers::waiting::{Busy, WaitsFor};
use crate::machine::workers::{pool, user_code};
use ascendcl_rules::{Access, Role};
use ascendcl_sys::error_codes::{ACL_ERROR_RT_ADDR_UNALIGNED, ACL_ERROR_RT_MEMORY_ALLOCATION};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// Where a block has to start. The vendor's library aligns its own to more.
const ALIGNMENT: usize = 64;

/// A block of a caller's allocator, which gets it back when this is dropped. Not to be dropped with a lock held.
pub(crate) struct Lent {
    lender: Lender,
    block: AllocatorBlock,
    address: Address,
    size: usize,
    /// The machine's, when it was taken.
    age: u64,
    _hold: Hold,
}

/// The number of resets of the machine. Blocks from before a reset are not returned, because their allocators may be
/// gone.
static AGE: AtomicU64 = AtomicU64::new(0);

/// Refuses calls that a callback of an allocator must not make (ALLOC-18): the vendor's library would hang in them.
pub(crate) fn refuse_inside() -> Answer {
    let Some((_, object)) = CALLING.get() else { return Ok(()) };
    watch::allocator_reentered(object);
    Err(Failure::unsupported(format!(
        "{} was called from inside a callback of an allocator; callbacks neither execute nor register nor unload \
         (ALLOC-18)",
        errors::current_call()
    )))
}

/// No block that is out now is given back any more.
pub(in crate::machine) fn forget_all() {
    AGE.fetch_add(1, SeqCst);
    blocks::clear();
}

/// The allocator that serves the stream.
pub(super) fn lender(functions: AllocatorFunctions, stream: &Stream) -> Lender {
    Lender { functions, stream: stream.number(), named: stream.named(), device: stream.device().id() }
}

impl Lender {
    /// A block of at least `bytes` bytes, for work that is about to be queued or is running. `near`: an address that it
    /// is best close to.
    pub(crate) fn take(&self, bytes: usize, near: Option<Address>) -> Answer<Lent> {
        refuse_inside()?;
        let object = self.functions.object();
        let _inside = Inside::enter(self.stream, object)?;
        let Some(block) = user_code::run_within(self.stream, || self.functions.allocate(bytes, near)) else {
            let text = format!("the stream's allocator has no block of {bytes} bytes: its callback answered null");
            let failure = Failure::new(ACL_ERROR_RT_MEMORY_ALLOCATION, text);
            return watch::block_taken(object, self.named, Address::NULL, bytes, true).end(Err(failure));
        };
        let address = user_code::run_within(self.stream, || self.functions.address_of(block));
        let taking = watch::block_taken(object, self.named, address, bytes, false);
        match taking.end(self.accept(address, bytes)) {
            Ok(hold) => {
                watch::keeps_for_a_task(self.stream, address, bytes, (Access::Write, Role::Workspace));
                Ok(Lent { lender: *self, block, address, size: bytes, age: AGE.load(SeqCst), _hold: hold })
            }
            Err(Flaw { failure, in_use }) => {
                // The very block that is in use goes back when that use ends.
                if in_use != Some(address.number()) {
                    user_code::run_within(self.stream, || self.functions.free(block));
                }
                Err(failure)
            }
        }
    }

    /// Makes sure that work may use a block.
    fn accept(&self, address: Address, bytes: usize) -> Result<Hold, Flaw> {
        let at = address.number();
        if !at.is_multiple_of(ALIGNMENT) {
            let text =
                format!("the stream's allocator gave a block at {at:#x}; it has to start at a multiple of {ALIGNMENT}");
            return Err(Failure::new(ACL_ERROR_RT_ADDR_UNALIGNED, text).into());
        }
        let place = describe(address).map(|found| found.place);
        let held = hold(address, bytes).ok().filter(|_| place == Some(Place::Device(self.device)));
        let Some(held) = held else {
            let text = format!(
                "the stream's allocator gave a block at {at:#x}; there have to be {bytes} bytes of one live block of \
                 device {}",
                self.device
            );
            return Err(Failure::refused(text).into());
        };
        blocks::enter(at, bytes).map(|()| held).map_err(|(other, room)| {
            let text = format!(
                "the stream's allocator gave {bytes} bytes at {at:#x}, which overlap the {room} bytes at {other:#x} that \
                 are in use"
            );
            Flaw { failure: Failure::refused(text), in_use: Some(other) }
        })
    }
}

/// Why a block is refused.
struct Flaw {
    failure: Failure,
    /// The block in use that it overlaps.
    in_use: Option<usize>,
}

impl watch::Fails for Flaw {
    fn code(&self) -> i32 {
        self.failure.code
    }
}

impl From<Failure> for Flaw {
    fn from(failure: Failure) -> Self {
        Self { failure, in_use: None }
    }
}

impl Lent {
    pub(crate) fn address(&self) -> Address {
        self.address
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Self { lender, block, address, size, age, .. } = *self;
        let object = lender.functions.object();
        let returned = Returned { lender, block, address, size, age };
        {
            let mut visits = lock(&VISITS);
            if let Some(visit) = visits.get_mut(&object) {
                visit.returned.push(returned);
                return;
            }
            visits.insert(object, Visit::new(vec![returned]));
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
    /// Waits for a thread that is inside already, unless that one waits for what this one is doing.
    fn enter(stream: usize, object: usize) -> Answer<Self> {
        pool::lend(|| {
            let mut visits = lock(&VISITS);
            while let Some(visit) = visits.get(&object) {
                if visit.waits && pool::on_worker() {
                    return Err(Failure::unsupported(
                        "the run needs a block of its stream's allocator, and a callback of that allocator waits for a \
                         stream or an event",
                    ));
                }
                // The stream that this thread serves waits with it.
                let _busy = pool::serving().map(Busy::on);
                let _waits = WaitsFor::thread(visit.thread);
                visits = wait(&CHANGED, visits, None);
            }
            visits.insert(object, Visit::new(Vec::new()));
            Ok(())
        })?;
        Ok(Self::begin(stream, object))
    }

    fn begin(stream: usize, object: usize) -> Self {
        Self { object, before: CALLING.replace(Some((stream, object))) }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        loop {
            let returned = {
                let mut visits = lock(&VISITS);
                let visit = visits.get_mut(&self.object);
                let returned = visit.map(|visit| std::mem::take(&mut visit.returned)).unwrap_or_default();
                if returned.is_empty() {
                    visits.remove(&self.object);
                }
                returned
            };
            if returned.is_empty() {
                break;
            }
            returned.into_iter().for_each(Returned::go);
        }
        CALLING.set(self.before);
        CHANGED.notify_all();
    }
}

impl Returned {
    fn go(self) {
        let Self { lender, block, address, size, age } = self;
        if age != AGE.load(SeqCst) {
            return;
        }
        let giving = watch::block_given_back(lender.functions.object(), address, size);
        blocks::leave(address.number());
        user_code::run(lender.stream, || lender.functions.free(block));
        drop(giving.end(Ok::<_, Failure>(())));
    }
}
