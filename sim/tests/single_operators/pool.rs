//! An allocator as a C program would write it: blocks cut from one region of device memory, with a log of every call.
//!
//! Like an allocator that the vendor's library calls under its lock, it relies on being entered by one thread at a time
//! and reports it when that is broken.

use crate::support::*;
use ascendcl_rules::{Area, MEM_08, RuleId};
use ascendcl_sim::{Checks, Config, control};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::{self, ThreadId};

pub(crate) struct Pool {
    region: usize,
    bytes: usize,
    state: Mutex<State>,
    entered: AtomicBool,
}

#[derive(Default)]
struct State {
    /// Blocks that are out, by their addresses.
    out: BTreeMap<usize, usize>,
    calls: Vec<(Call, ThreadId)>,
    gives: Gives,
    inside_allocate: Option<fn(&'static Pool)>,
    inside_free: Option<fn(&'static Pool)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Call {
    Allocate(usize),
    Advise(usize, usize),
    Free(usize),
}

/// What the pool answers.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum Gives {
    #[default]
    Blocks,
    Nothing,
    /// A block at this address, whatever is there.
    This(usize),
}

/// What the library knows a block by.
struct Block {
    address: usize,
}

impl Pool {
    /// A pool for the rest of the process: the library may call it at any time.
    pub(crate) fn new(bytes: usize) -> &'static Self {
        let region = malloc(bytes).addr();
        let (state, entered) = (Mutex::default(), AtomicBool::new(false));
        Box::leak(Box::new(Self { region, bytes, state, entered }))
    }

    pub(crate) fn number(&'static self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Registers the pool on a stream, with all five members.
    pub(crate) fn register(&'static self, stream: aclrtStream) {
        let desc = self.describe(true);
        ok!(aclrtAllocatorRegister(stream, desc));
        ok!(aclrtAllocatorDestroyDesc(desc));
    }

    pub(crate) fn describe(&'static self, advises: bool) -> aclrtAllocatorDesc {
        let desc = acl!(aclrtAllocatorCreateDesc());
        ok!(aclrtAllocatorSetObjToDesc(desc, aclrtAllocator(std::ptr::from_ref(self).cast_mut().cast())));
        ok!(aclrtAllocatorSetAllocFuncToDesc(desc, Some(allocate)));
        ok!(aclrtAllocatorSetFreeFuncToDesc(desc, Some(free)));
        ok!(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, Some(address)));
        if advises {
            ok!(aclrtAllocatorSetAllocAdviseFuncToDesc(desc, Some(advise)));
        }
        desc
    }

    pub(crate) fn gives(&self, gives: Gives) {
        self.state.lock().unwrap().gives = gives;
    }

    /// Runs this in the next call to allocate, once.
    pub(crate) fn inside_allocate(&self, code: fn(&'static Pool)) {
        self.state.lock().unwrap().inside_allocate = Some(code);
    }

    /// Runs this in the next call to free, once.
    pub(crate) fn inside_free(&self, code: fn(&'static Pool)) {
        self.state.lock().unwrap().inside_free = Some(code);
    }

    pub(crate) fn region(&self) -> usize {
        self.region
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.state.lock().unwrap().calls.iter().map(|(call, _)| *call).collect()
    }

    pub(crate) fn threads(&self) -> Vec<ThreadId> {
        self.state.lock().unwrap().calls.iter().map(|(_, thread)| *thread).collect()
    }

    /// How many blocks are out.
    pub(crate) fn out(&self) -> usize {
        self.state.lock().unwrap().out.len()
    }

    /// Gives the region back.
    pub(crate) fn release(&self) -> aclError {
        acl!(aclrtFree(without_provenance_mut(self.region)))
    }

    fn note(&self, call: Call) {
        self.state.lock().unwrap().calls.push((call, thread::current().id()));
    }

    fn block(&'static self, bytes: usize) -> *mut c_void {
        let inside = self.state.lock().unwrap().inside_allocate.take();
        if let Some(code) = inside {
            code(self);
        }
        let mut state = self.state.lock().unwrap();
        let address = match state.gives {
            Gives::Nothing => return null_mut(),
            Gives::This(address) => address,
            Gives::Blocks => {
                let ends = state.out.iter().map(|(start, bytes)| (start + bytes).next_multiple_of(64));
                let starts = std::iter::once(self.region).chain(ends);
                let free = |start: &usize| {
                    let next = state.out.range(start..).next().map_or(self.region + self.bytes, |(next, _)| *next);
                    start + bytes <= next
                };
                match starts.into_iter().find(free) {
                    Some(start) => start,
                    None => return null_mut(),
                }
            }
        };
        state.out.insert(address, bytes);
        Box::into_raw(Box::new(Block { address })).cast()
    }

    /// Runs a callback, and sees to it that no other thread is in one.
    fn alone<R>(&self, callback: impl FnOnce() -> R) -> R {
        assert!(!self.entered.swap(true, SeqCst), "two threads are inside one allocator");
        let answer = callback();
        self.entered.store(false, SeqCst);
        answer
    }
}

/// # Safety
///
/// The object of a registration by [`Pool::register`].
unsafe fn pool(object: aclrtAllocator) -> &'static Pool {
    // SAFETY: such an object is a leaked pool.
    unsafe { &*object.0.cast_const().cast::<Pool>() }
}

unsafe extern "C" fn allocate(object: aclrtAllocator, bytes: usize) -> *mut c_void {
    // SAFETY: the library passes the object of the registration.
    let pool = unsafe { pool(object) };
    pool.alone(|| {
        pool.note(Call::Allocate(bytes));
        pool.block(bytes)
    })
}

unsafe extern "C" fn advise(object: aclrtAllocator, bytes: usize, near: aclrtAllocatorAddr) -> *mut c_void {
    // SAFETY: `pool` asks for the object of a registration. The library passes that to each function (ALLOC-06).
    let pool = unsafe { pool(object) };
    pool.alone(|| {
        pool.note(Call::Advise(bytes, near.addr()));
        pool.block(bytes)
    })
}

unsafe extern "C" fn free(object: aclrtAllocator, block: aclrtAllocatorBlock) {
    // SAFETY: `pool` asks for the object of a registration. The library passes that to each function (ALLOC-06).
    let pool = unsafe { pool(object) };
    pool.alone(|| {
        // SAFETY: the library gives back, once, a block that `Pool::block` made.
        let block = unsafe { Box::from_raw(block.0.cast::<Block>()) };
        pool.note(Call::Free(block.address));
        let inside = pool.state.lock().unwrap().inside_free.take();
        if let Some(code) = inside {
            code(pool);
        }
        assert!(pool.state.lock().unwrap().out.remove(&block.address).is_some(), "freed twice");
    });
}

unsafe extern "C" fn address(block: aclrtAllocatorBlock) -> *mut c_void {
    // SAFETY: the library asks for a block that it has.
    without_provenance_mut(unsafe { &*block.0.cast_const().cast::<Block>() }.address)
}

/// The rules about allocators that were broken since this was asked last, in order.
pub(crate) fn findings() -> Vec<RuleId> {
    let found = control::take_findings().into_iter().map(|finding| finding.rule);
    found.filter(|rule| rule.rule().area == Area::ALLOC || *rule == MEM_08).collect()
}

/// A device that is set, on a machine under watch.
pub(crate) fn watched_device() -> Machine {
    let machine = fresh();
    control::configure(Config::new().checks(Checks::Report)).unwrap();
    control::take_findings();
    ok!(aclrtSetDevice(0));
    machine
}
