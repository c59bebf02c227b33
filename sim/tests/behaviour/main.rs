//! The simulator answers as the vendor's library was measured to answer.
//!
//! `rows.tsv` holds what the vendor's own code returned, call by call, in cases that mostly misuse it. Each case is
//! replayed here in a process of its own, in the same order, and every answer is compared: the code, and, for the rows
//! in parentheses, what the case saw beside the code. A row of which a driver or chance decided, or in which the
//! vendor's library crashes, stands in `exceptions.rs` with the reason and with what is demanded instead.
//!
//! Words given on the command line select the cases whose names contain one of them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[macro_use]
mod case;
mod compare;
mod exceptions;
mod objects;
mod rows;

mod allocator;
mod context;
mod device;
mod error;
mod event;
mod init;
mod memory;
mod stream;
mod thread;

use std::process::ExitCode;

/// Every case, by its name in `rows.tsv`.
fn cases() -> impl Iterator<Item = &'static (&'static str, fn())> {
    [
        init::CASES,
        device::CASES,
        context::CASES,
        stream::CASES,
        event::CASES,
        memory::CASES,
        thread::CASES,
        error::CASES,
        allocator::CASES,
    ]
    .into_iter()
    .flatten()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [case::FLAG, name] => case::replay(name),
        ["--list", ..] => {
            cases().for_each(|(name, _)| println!("{name}: test"));
            ExitCode::SUCCESS
        }
        ref others => {
            let words: Vec<&str> = others.iter().copied().filter(|word| !word.starts_with('-')).collect();
            compare::all(&words)
        }
    }
}
