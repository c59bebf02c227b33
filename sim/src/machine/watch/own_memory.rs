//! Memory that the library allocates itself and gives to the program.

use super::{CHECKER, LIBRARY, Watching, call};
use crate::abi::Address;
use crate::locks::lock;
use crate::machine::memory;
use ascendcl_rules::{Object, Op, Outcome, Place, Role};

/// A run leaves memory of the library's to the program.
pub(crate) fn handed_over(address: Address, bytes: usize) {
    let device = match memory::describe(address).map(|found| found.place) {
        Some(memory::Place::Device(id)) => u64::from(id),
        _ => return,
    };
    let mut watching = call(Op::Allocate, Object::memory(0)).with(Object::device(device));
    if let Some(event) = watching.0.as_mut().filter(|event| event.call == LIBRARY) {
        // On a thread of the library: a queued run.
        event.call = "aclmdlExecuteAsync";
    }
    watching = watching.writes(address, bytes, Role::Contents, Some(Place::Device));
    watching.note(Outcome::Created(address.number() as u64));
}

/// The library frees such memory itself.
pub(crate) fn taken_back(address: Address) {
    call(Op::Free, address).note(Outcome::Success);
}

impl Watching {
    /// The program has called nothing, so there is nothing to find.
    fn note(self, outcome: Outcome) {
        if let Some(event) = self.0
            && let Some(checker) = &mut *lock(&CHECKER)
        {
            checker.judge(&event);
            checker.commit(&event, outcome);
        }
    }
}
