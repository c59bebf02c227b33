//! What was found: kept for tests, and printed.

use super::{CHECKER, this_thread};
use crate::abi::at_exit;
use crate::machine::locks::lock;
use ascendcl_rules::{Event, Finding, Object, Op};
use std::fmt::Write;
use std::sync::{Mutex, Once, TryLockError};

#[derive(Default)]
struct Record {
    findings: Vec<Finding>,
    /// How many of them were printed.
    printed: usize,
    /// How many came when there was no more place.
    dropped: usize,
}

static RECORD: Mutex<Record> = Mutex::new(Record { findings: Vec::new(), printed: 0, dropped: 0 });

pub(super) fn record(findings: Vec<Finding>) {
    /// A program that breaks a rule in a loop is not to fill the memory.
    const KEPT: usize = 10_000;
    if findings.is_empty() {
        return;
    }
    let mut record = lock(&RECORD);
    for finding in findings {
        if record.findings.len() < KEPT {
            record.findings.push(finding);
        } else {
            record.dropped += 1;
        }
    }
}

/// What was found since it was taken last.
pub(crate) fn findings() -> Vec<Finding> {
    lock(&RECORD).findings.clone()
}

/// Takes what was found.
pub(crate) fn take_findings() -> Vec<Finding> {
    std::mem::take(&mut *lock(&RECORD)).findings
}

/// Prints what was found and not printed yet.
pub(crate) fn print() {
    let text = lock(&RECORD).text();
    eprint!("{text}");
}

/// Has the rest printed when the process exits.
pub(super) fn print_at_exit() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| at_exit(exit));
}

/// Another thread may have stopped with a lock held: then nothing is said.
extern "C" fn exit() {
    if let Ok(mut checker) = CHECKER.try_lock()
        && let Some(checker) = &mut *checker
    {
        let event = Event::new("exit", Object::PROCESS, Op::Finalise, this_thread());
        record(checker.exit(&event));
    }
    let text = match RECORD.try_lock() {
        Ok(mut record) => record.text(),
        Err(TryLockError::Poisoned(record)) => record.into_inner().text(),
        Err(TryLockError::WouldBlock) => return,
    };
    eprint!("{text}");
}

impl Record {
    fn text(&mut self) -> String {
        /// How many are printed in full.
        const IN_FULL: usize = 100;
        let new = self.findings.get(self.printed..).unwrap_or_default();
        let mut text = String::new();
        if new.is_empty() {
            return text;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "ascendcl-sim: {} of the vendor's rules broken", count(new.len(), self.dropped));
        for finding in new.iter().take(IN_FULL) {
            let _ = writeln!(text, "\n{finding}");
        }
        if new.len() > IN_FULL {
            let _ = writeln!(text, "\nand {} more", new.len() - IN_FULL + self.dropped);
        }
        self.printed = self.findings.len();
        text
    }
}

fn count(kept: usize, dropped: usize) -> String {
    match kept + dropped {
        1 => "1 time one".to_owned(),
        times => format!("{times} times one"),
    }
}
