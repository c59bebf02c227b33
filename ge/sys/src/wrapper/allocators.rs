//! The allocators of the vendor's wrapper.
//!
//! The wrapper calls its allocate function with a null object, so the function itself must know which allocator is
//! meant. There are [`SLOTS`] functions. Each one stands for one registration at a time.
//!
//! A slot is free again after its allocator was closed here and destroyed by the engine. A block refers to its own
//! allocator, so it is returned to that one even if the slot serves another allocator by then.

use crate::Calls;
use core::ffi::c_void;
use core::ptr::{null_mut, without_provenance_mut};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

pub(super) type Allocate = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
pub(super) type Free = unsafe extern "C" fn(*mut c_void, *mut c_void);
pub(super) type AddressOf = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
pub(super) type OnDestroy = unsafe extern "C" fn(*mut c_void);

/// One of the functions that stand for a registration.
#[derive(Clone, Copy)]
pub(super) struct Slot(usize);

/// Takes a free slot for an allocator. Returns `None` if all of them are taken. Does not wait for an allocation: a slot
/// whose lock is held is in use.
pub(super) fn take(calls: Calls) -> Option<Slot> {
    let takes = |lock: &Mutex<State>| {
        let mut state = match lock.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        let free = matches!(*state, State::Free);
        if free {
            *state = State::Open(Callers(calls));
        }
        free
    };
    SLOTS.iter().position(takes).map(Slot)
}

/// Prevents the engine from getting more memory from the allocator. Waits for an allocation that is under way.
pub(super) fn close(handle: *mut c_void) {
    leave(handle, |state| match state {
        State::Open(_) => State::Closed,
        State::Destroyed => State::Free,
        known => known,
    });
}

impl Slot {
    pub(super) fn functions(self) -> (Allocate, Free, AddressOf, OnDestroy) {
        let allocate = ALLOCATE.get(self.0).copied().unwrap_or(nothing);
        (allocate, free, address_of, on_destroy)
    }

    /// The handle of the slot, for the wrapper and for the caller. It is a number and not an address, and never null.
    pub(super) fn handle(self) -> *mut c_void {
        without_provenance_mut(self.0 + 1)
    }

    fn state(self) -> Option<MutexGuard<'static, State>> {
        SLOTS.get(self.0).map(|state| state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The state of a slot.
enum State {
    Free,
    Open(Callers),
    /// Closed here. The engine may still have the allocator.
    Closed,
    /// The engine has released the allocator. It was not closed here.
    Destroyed,
}

#[derive(Clone, Copy)]
struct Callers(Calls);

// SAFETY: sending the functions to another thread must not make a data race. They may be called on any thread: the
// header of the shim demands that of whoever registers them.
unsafe impl Send for Callers {}

/// A block of the caller, as the engine knows it.
struct Block {
    callers: Callers,
    block: *mut c_void,
    address: *mut c_void,
}

fn leave(handle: *mut c_void, change: impl FnOnce(State) -> State) {
    let Some(mut state) = handle.addr().checked_sub(1).and_then(|index| Slot(index).state()) else { return };
    let known = core::mem::replace(&mut *state, State::Free);
    *state = change(known);
}

unsafe extern "C" fn allocate<const SLOT: usize>(_: *mut c_void, bytes: usize) -> *mut c_void {
    let Some(state) = Slot(SLOT).state() else { return null_mut() };
    let State::Open(callers) = *state else { return null_mut() };
    // SAFETY: the function asks for the object that it was registered with, in place (GE-09), and for no other
    // allocation meanwhile. The allocator is not closed, so that its object is in place, and the lock admits one
    // allocation at a time.
    let block = unsafe { (callers.0.allocate)(callers.0.object, bytes) };
    if block.is_null() {
        return null_mut();
    }
    // SAFETY: the function asks for a block that is out. It was allocated above, and nobody else has it yet.
    let address = unsafe { (callers.0.address_of)(block) };
    Box::into_raw(Box::new(Block { callers, block, address })).cast()
}

unsafe extern "C" fn nothing(_: *mut c_void, _: usize) -> *mut c_void {
    null_mut()
}

unsafe extern "C" fn free(_: *mut c_void, block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: `Box::from_raw` asks for a pointer of `Box::into_raw` of this type, once. `allocate` made it, and the
    // engine gives it back once.
    let Block { callers, block, .. } = *unsafe { Box::from_raw(block.cast::<Block>()) };
    // SAFETY: the function asks for the object that it was registered with, and for a block that is out, once. The
    // block is out and keeps the object in place, and it is given back once.
    unsafe { (callers.0.free)(callers.0.object, block) };
}

unsafe extern "C" fn address_of(block: *mut c_void) -> *mut c_void {
    // SAFETY: `as_ref` asks for null or a pointer to a live value. The engine passes null, or a block that `allocate`
    // made and that is out.
    unsafe { block.cast::<Block>().as_ref() }.map_or(null_mut(), |block| block.address)
}

unsafe extern "C" fn on_destroy(handle: *mut c_void) {
    leave(handle, |state| match state {
        State::Open(_) => State::Destroyed,
        State::Closed => State::Free,
        known => known,
    });
}

/// The number of allocators that can be registered at the same time.
pub(crate) const COUNT: usize = 64;

static SLOTS: [Mutex<State>; COUNT] = [const { Mutex::new(State::Free) }; COUNT];

macro_rules! slots {
    ($($slot:literal)*) => {
        static ALLOCATE: [Allocate; COUNT] = [$(allocate::<$slot>),*];
    };
}
slots! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34
    35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;

    /// The object of an allocator whose only allocation waits until it is let go.
    struct Waits {
        inside: Sender<()>,
        until: Mutex<Receiver<()>>,
    }

    unsafe extern "C" fn waits(object: *mut c_void, _: usize) -> *mut c_void {
        // SAFETY: a reference asks for a pointer to a live value. It is the test's object, which outlives the call.
        let waits = unsafe { &*object.cast::<Waits>() };
        waits.inside.send(()).unwrap();
        waits.until.lock().unwrap().recv().unwrap();
        null_mut()
    }

    unsafe extern "C" fn near(_: *mut c_void, _: usize, _: *mut c_void) -> *mut c_void {
        null_mut()
    }

    unsafe extern "C" fn frees(_: *mut c_void, _: *mut c_void) {}

    unsafe extern "C" fn nowhere(_: *mut c_void) -> *mut c_void {
        null_mut()
    }

    #[test]
    fn an_allocation_that_takes_its_time_holds_no_other_registration_up() {
        let ((inside, comes_in), (lets_go, until)) = (channel(), channel());
        let object = Box::into_raw(Box::new(Waits { inside, until: Mutex::new(until) }));
        let calls = Calls { object: object.cast(), allocate: waits, advise: near, free: frees, address_of: nowhere };
        let first = take(calls).unwrap();
        let allocate = first.functions().0;
        // SAFETY: `allocate` asks for an object that is in place. It is freed when the thread has ended.
        let allocates = std::thread::spawn(move || unsafe { allocate(null_mut(), 1) }.is_null());
        comes_in.recv().unwrap();
        let (says, taken) = channel();
        let other = Callers(calls);
        let registers = std::thread::spawn(move || {
            let other = other;
            says.send(take(other.0).unwrap().handle().addr()).unwrap();
        });
        let second = taken.recv_timeout(Duration::from_secs(10));
        lets_go.send(()).unwrap();
        assert!(allocates.join().unwrap());
        registers.join().unwrap();
        for handle in [first.handle().addr(), second.unwrap()] {
            close(without_provenance_mut(handle));
            // SAFETY: `on_destroy` asks for the handle of a slot. This is one.
            unsafe { on_destroy(without_provenance_mut(handle)) };
        }
        // SAFETY: `Box::from_raw` asks for a pointer of `Box::into_raw` of this type, once. It was made above, and no
        // slot has it any more.
        drop(unsafe { Box::from_raw(object) });
    }
}
