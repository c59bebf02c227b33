//! What the program does by its own instructions, with the switch `guard`: it is told by a fault of the processor.

use crate::abi::{Address, Violation, on_violation};
use crate::config::switches::{self, Switch};
use crate::locks::lock;
use crate::machine::memory::guards::{Kept, Locked, kept, lock_out};
use crate::machine::thread::{errors, inside};
use crate::machine::watch::{CHECKER, Named, OFF, PROGRAM, call, mode, report, span};
use ascendcl_rules::{Access, Event, Object, Op, Role, Span, Use};
use ascendcl_sys::types::aclmdlRI;
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

thread_local! {
    /// The destinations that the callback of this thread was let in at.
    static LENT: Cell<Vec<Destination>> = const { Cell::new(Vec::new()) };
}

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

/// The same for everything that copies of a graph write, whose replay is about to be queued.
pub(crate) fn destinations_of_replay(graph: aclmdlRI, stream: Object) {
    if mode() == OFF || !switches::is_on(Switch::Guard) {
        return;
    }
    let written = lock(&CHECKER).as_ref().map(|checker| checker.written_by_replay(graph.named()));
    for Span { start, bytes } in written.unwrap_or_default() {
        // Both came from numbers of this size.
        if let (Ok(start), Ok(bytes)) = (usize::try_from(start), usize::try_from(bytes)) {
            destination(stream, Address::named(start), bytes);
        }
    }
}

/// A callback of this thread has returned. Where it was let in, and a copy still is to write, the program is kept out again.
pub(super) fn callback_returns() {
    // A thread that is ending runs none.
    let lent = LENT.try_with(Cell::take).unwrap_or_default();
    if lent.is_empty() {
        return;
    }
    let mut destinations = lock(&DESTINATIONS);
    lent.iter().for_each(|destination| destination.locked.close());
    destinations.extend(lent);
    COUNT.store(destinations.len(), SeqCst);
    drop(destinations);
    settle();
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
    let mut over = take(violation.address);
    let opened = !over.is_empty();
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
            let (watched, found) = call(Op::Touch, address).by_the_program(used).judged();
            drop(watched);
            // What a callback may use is open until it returns.
            if found.is_none() && inside::callback_of() != 0 {
                let _ = LENT.try_with(|lent| {
                    let mut all = lent.take();
                    all.append(&mut over);
                    lent.set(all);
                });
            }
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

/// Lets the program at the destinations that have this address, and answers them.
fn take(address: usize) -> Vec<Destination> {
    let mut destinations = lock(&DESTINATIONS);
    let over: Vec<Destination> = destinations.extract_if(.., |one| one.locked.has(address)).collect();
    open(&destinations, &over);
    over
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
