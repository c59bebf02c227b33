//! What a call says of its memory beside what it uses: how much room there is, and whether anything was ever written.

use crate::abi::{Address, unpoisoned};
use crate::locks::lock;
use crate::machine::memory;
use crate::machine::watch::{CHECKER, Watching, span};
use ascendcl_rules::{Flag, Use};

impl Watching {
    /// The call says that it may write so many bytes from here on. Of memory that the library did not allocate a sanitizer
    /// in the process knows whether that is so.
    pub(crate) fn room(self, start: Address, bytes: usize) -> Self {
        let own = |address| memory::describe(address).is_some();
        self.using(|| {
            let known = if own(start) { None } else { unpoisoned(start, bytes).map(|bytes| bytes as u64) };
            Use::Room { said: span(start, bytes), known }
        })
    }

    /// The call copies these bytes to this place. To see what is in device memory a program copies it to the host.
    pub(crate) fn copies(self, to: Address, start: Address, bytes: usize) -> Self {
        let mut copies = self.whole(start, bytes);
        let to_host = || !matches!(memory::describe(to).map(|found| found.place), Some(memory::Place::Device(_)));
        let was_written = || {
            let checker = lock(&CHECKER);
            checker.as_ref().is_some_and(|checker| checker.was_written(start.number() as u64))
        };
        if let Some(event) = &mut copies.0
            && to_host()
            && !was_written()
            && memory::is_untouched(start, bytes)
        {
            event.flags.push(Flag::Untouched);
        }
        copies
    }

    /// The call reads so many bytes from here on. The library gives more memory than it is asked for. How much was asked
    /// for, the checker knows: what comes behind has no bytes of the program.
    pub(crate) fn whole(self, start: Address, bytes: usize) -> Self {
        if self.0.is_none() {
            return self;
        }
        let there = match memory::describe(start) {
            Some(found) => Some(found.left),
            None => unpoisoned(start, bytes),
        };
        match there {
            Some(there) => self.using(|| Use::Room { said: span(start, bytes), known: Some(there as u64) }),
            None => self,
        }
    }
}
