//! An allocator that records its calls.

use super::null::{Books, note};
use ascendcl::{
    Current, DeviceAllocator, Pending, Scoped, Stream, context::ContextId, memory::DeviceAddress, stream::StreamState,
};
use std::fmt;
use std::panic::panic_any;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) type Hook = Box<dyn FnMut(&str) + Send>;

/// Writes what is asked of it into the order of calls, under its name.
pub(crate) struct Pool {
    pub(crate) name: &'static str,
    /// Called in each method, with the method's name.
    hook: Mutex<Hook>,
    pub(crate) has_memory: bool,
    live: AtomicUsize,
}

impl Pool {
    pub(crate) fn new(name: &'static str) -> Self {
        Self::with(name, |_| ())
    }

    pub(crate) fn with(name: &'static str, hook: impl FnMut(&str) + Send + 'static) -> Self {
        Self { name, hook: Mutex::new(Box::new(hook)), has_memory: true, live: AtomicUsize::new(0) }
    }

    /// Panics in one method.
    pub(crate) fn panics_in(name: &'static str, method: &'static str) -> Self {
        Self::with(name, move |called| {
            if called == method {
                panic_any("in the allocator");
            }
        })
    }

    pub(crate) fn called(&self, method: &str) {
        note(&format!("{}:{method}", self.name));
        (self.hook())(method);
    }

    /// Blocks that are out.
    pub(crate) fn live(&self) -> usize {
        self.live.load(Relaxed)
    }

    pub(crate) fn hook(&self) -> MutexGuard<'_, Hook> {
        self.hook.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// No device memory at all: the library that calls does not follow the addresses.
pub(crate) struct Block {
    pub(crate) pool: &'static str,
}

// SAFETY: the library of these tests looks at the addresses and never uses what is behind them.
unsafe impl DeviceAllocator for Pool {
    type Block = Block;

    fn allocate(&self, bytes: usize) -> Option<Block> {
        assert_eq!(bytes, 256);
        self.called("allocate");
        self.has_memory.then(|| {
            self.live.fetch_add(1, Relaxed);
            Block { pool: self.name }
        })
    }

    fn address(&self, block: &Block) -> DeviceAddress {
        assert_eq!(block.pool, self.name);
        DeviceAddress::new(0x4_0000).unwrap()
    }

    fn free(&self, block: Block) {
        assert_eq!(block.pool, self.name, "each block goes back where it came from");
        self.called("free");
        self.live.fetch_sub(1, Relaxed);
    }

    fn allocate_near(&self, bytes: usize, near: DeviceAddress) -> Option<Block> {
        self.called(&format!("near-{:#x}", near.number()));
        self.allocate(bytes)
    }

    fn serves(&self, _: ContextId) -> bool {
        true
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.called("drop");
        }
    }
}

/// Queues a copy, for which the library needs memory.
pub(crate) fn work<'c, S: StreamState>(
    current: &Current<Scoped<'c>>,
    stream: &Stream<Scoped<'c>, S>,
) -> Pending<Scoped<'c>, impl Sized + use<'c, S>> {
    let (host, target) = (current.host_buffer::<u8>(8).unwrap(), current.device_buffer::<u8>(8).unwrap());
    stream.copy_to_device(current, host, target).unwrap()
}

/// The allocator's part of the calls since the last look, and the library's calls about streams and allocators.
pub(crate) fn steps(books: &Books) -> Vec<String> {
    const TOLD: [&str; 5] = [
        "aclrtAllocatorRegister",
        "aclrtAllocatorUnregister",
        "aclrtSynchronizeStreamWithTimeout",
        "aclrtDestroyStream",
        "aclrtMemcpyAsync",
    ];
    let short = |call: String| call.replace("aclrtAllocator", "").replace("aclrt", "");
    let tells = |call: &String| call.contains([':', '-', '(']) || TOLD.contains(&call.as_str());
    books.log().into_iter().filter(tells).map(short).collect()
}
