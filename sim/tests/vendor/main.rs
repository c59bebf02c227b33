//! The simulator answers as the vendor's own code was measured to answer: whole cases, replayed as programs.
//!
//! `programs.tsv` has the cases. A line with a result is a measured row; a line without one prepares the next rows. Each
//! case runs in a process of its own, in which an interpreter (`run`) makes the call that each line names. A row in
//! parentheses tells what the case saw beside the code.
//!
//! `exceptions.tsv` has the rows that the simulator answers otherwise, each with what it answers instead and the reason.
//! A row that differs without an exception fails the test, and so does an exception whose row agrees.
//!
//! Words given on the command line select the cases whose names contain one of them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[macro_use]
mod call;
mod arguments;
mod building;
mod capture;
mod compare;
mod contexts;
mod events;
mod hooks;
mod memory;
mod notices;
mod pools;
mod run;
mod seen;
mod streams;
mod table;
mod threads;
mod world;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [compare::FLAG, name] => run::case(name),
        ["--list", ..] => {
            table::cases().iter().for_each(|case| println!("{}: test", case.name));
            ExitCode::SUCCESS
        }
        ref others => {
            let words: Vec<&str> = others.iter().copied().filter(|word| !word.starts_with('-')).collect();
            compare::all(&words)
        }
    }
}
