//! What the program does by its own instructions, with the switch `guard`: it is told by a fault of the processor.

use crate::abi::{Address, Violation, on_violation};
use crate::config::switches::{self, Switch};
use crate::locks::lock;
use crate::machine::memory::guards::{Kept, Locked, kept, lock_out};
use crate::machine::thread::errors;
use crate::machine::watch::{CHECKER, OFF, PROGRAM, call, mode, report, span};
use ascendcl_rules::{Access, Event, Object, Op, Role, Span, Use};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, Once};
use std::thread;

/// Pinned memory that a queued copy writes, and that the program has not waited for.
struct Destination {
    stream: Object,
    written: Span,
    locked: Locked,
}

static DESTINATIONS: Mutex<Vec<Destination>> = Mutex::new(Vec::new());
/// How many there are, to look at without the lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// From now on the program's mistakes with memory are told.
pub(super) fn watch() {
    static ONCE: Once = Once::new();
    if switches::is_on(Switch::Guard) {
        ONCE.call_once(|| on_violation(tell));
    }
}

/// A copy to this memory was queued. The program is kept out until it has waited.
pub(crate) fn destination(stream: Object, address: Address, bytes: usize) {
    if mode() == OFF || !switches::is_on(Switch::Guard) {
        return;
    }
    if let Some(locked) = lock_out(address, bytes) {
        let mut destinations = lock(&DESTINATIONS);
        destinations.push(Destination { stream, written: span(address, bytes), locked });
        COUNT.store(destinations.len(), SeqCst);
    }
}

/// A call has ended: what nothing writes any more is open again.
pub(super) fn settle() {
    if COUNT.load(SeqCst) == 0 {
        return;
    }
    let mut destinations = lock(&DESTINATIONS);
    let over: Vec<Destination> = {
        let checker = lock(&CHECKER);
        let writes = |destination: &mut Destination| {
            let checker = checker.as_ref();
            checker.is_some_and(|checker| checker.is_being_written(destination.written, destination.stream))
        };
        destinations.extract_if(.., |destination| !writes(destination)).collect()
    };
    open(&destinations, &over);
}

pub(super) fn clear() {
    let all = std::mem::take(&mut *lock(&DESTINATIONS));
    COUNT.store(0, SeqCst);
    all.iter().for_each(|one| one.locked.open());
}

/// A fault. Answers whether the program goes on.
fn tell(violation: Violation) -> bool {
    // In the middle of a call the machine's own locks may be held.
    if mode() == OFF || !errors::current_call().is_empty() {
        return false;
    }
    let address = Address::named(violation.address);
    let Some(kept) = kept(address) else { return false };
    // Before the access is judged: a call that ends opens what nothing writes any more.
    let opened = take(violation.address);
    if matches!(kept, Kept::Pinned) && !opened && opens_soon(violation.address) {
        return true;
    }
    report::happens_at(violation.at);
    match kept {
        Kept::Behind { start, size } => report::overrun(start.number(), size, violation.address - start.number() + 1),
        Kept::Block | Kept::Pinned | Kept::Freed => {
            let writes = violation.writes.unwrap_or(false);
            let access = if writes { Access::Write } else { Access::Read };
            let used = Use::Memory { span: span(address, 1), access, role: Role::Instruction, claimed: None };
            drop(call(Op::Touch, address).by_the_program(used).begin_always());
        }
    }
    if !opened {
        // The process ends now, and nothing is printed at its end.
        report::print();
    }
    opened
}

/// Whether another thread has opened the page of a pinned block meanwhile, or does so in a moment: several may be early at
/// once, or wait. The first of them is told. A page that stays closed was closed by the program.
fn opens_soon(address: usize) -> bool {
    const TRIES: u32 = 1000;
    thread_local!(static TRIED: Cell<(usize, u32)> = const { Cell::new((0, 0)) });
    let (before, tries) = TRIED.get();
    let tries = if before == address { tries + 1 } else { 1 };
    TRIED.set((address, tries % TRIES));
    thread::yield_now();
    tries < TRIES
}

/// Lets the program at the destinations that have this address. Answers whether there are any.
fn take(address: usize) -> bool {
    let mut destinations = lock(&DESTINATIONS);
    let over: Vec<Destination> = destinations.extract_if(.., |one| one.locked.has(address)).collect();
    open(&destinations, &over);
    !over.is_empty()
}

/// Opens those that are over. The list has the others.
fn open(left: &[Destination], over: &[Destination]) {
    COUNT.store(left.len(), SeqCst);
    over.iter().for_each(|over| over.locked.open());
    // Of two copies to one page the other may go on.
    left.iter().filter(|left| over.iter().any(|over| left.locked.overlaps(&over.locked))).for_each(|left| {
        left.locked.close();
    });
}

/// A block of the host is about to be freed: whether the program has written over its end.
pub(crate) fn ends(address: Address) {
    if mode() != OFF
        && let Some((written, size)) = crate::machine::memory::guards::overrun(address)
    {
        report::overrun(address.number(), size, written);
    }
}

impl super::Watching {
    /// It is no call.
    fn by_the_program(mut self, used: Use) -> Self {
        if let Some(event) = &mut self.0 {
            **event = Event { call: PROGRAM, ..(**event).clone() }.using(used);
        }
        self
    }
}
