//! Says which AscendCL library this machine has, what is wrong with it, and what to do next.
//!
//! The library is tried in a second process, which reports after each step. If the library crashes or hangs, only that
//! process ends, and the report names the last step. A third process loads the library alone, to find out what its files
//! lack.

#![forbid(unsafe_code)]

mod advice;
mod arguments;
mod environment;
mod findings;
mod probe;
mod report;
mod watch;
mod words;

use arguments::Task;
use report::Report;
use std::io::{self, Write};
use std::process::ExitCode;

/// The library can be used, and so can a device.
const READY: u8 = 0;
/// The library or every device cannot be used, or the report could not be written.
const NOT_READY: u8 = 1;
/// The arguments are wrong.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    ExitCode::from(match arguments::read() {
        Ok(Task::Help) => printed(arguments::HELP, READY),
        Ok(Task::Version) => printed(concat!("ascendcl-doctor ", env!("CARGO_PKG_VERSION")), READY),
        Ok(Task::Probe) => {
            probe::run();
            READY
        }
        Ok(Task::Bind) => {
            probe::bind();
            READY
        }
        Ok(Task::Report { json, limit }) => {
            let report = Report::new(environment::of_this_process(), watch::probe(limit));
            let status = if report.usable { READY } else { NOT_READY };
            let text = match json {
                true => serde_json::to_string_pretty(&report).unwrap_or_else(|error| error.to_string()),
                false => report.to_string(),
            };
            printed(text.trim_end(), status)
        }
        Err(wrong) => {
            // Stdout may be closed.
            drop(writeln!(io::stderr(), "ascendcl-doctor: {wrong}\n\n{}", arguments::HELP.trim_end()));
            USAGE
        }
    })
}

/// Prints a text. Returns the given status if that succeeds.
fn printed(text: &str, status: u8) -> u8 {
    match writeln!(io::stdout(), "{}", text.trim_end()) {
        Ok(()) => status,
        Err(_) => NOT_READY,
    }
}
