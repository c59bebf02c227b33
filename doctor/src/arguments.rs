//! The command line.

use lexopt::prelude::*;
use std::time::Duration;

/// The task that the command line asks for.
pub(crate) enum Task {
    Help,
    Version,
    /// Tries the library, in the second process.
    Probe,
    /// Loads the library, in a process whose dynamic loader binds all functions at once.
    Bind,
    Report {
        json: bool,
        /// The time limit for each step of the library.
        limit: Duration,
    },
}

/// The argument that makes this program the second process.
pub(crate) const PROBE: &str = "--try-the-library";
/// The argument that makes this program the third process.
pub(crate) const BIND: &str = "--bind-the-library";

pub(crate) const HELP: &str = "\
Says which AscendCL library this machine has, what is wrong with it, and what to do next.

Usage: ascendcl-doctor [--json] [--timeout SECONDS]

  --json               print the report as JSON
  --timeout SECONDS    how long each step of the library may take (default: 60)
  --version            print the version
  --help               print this text

It loads the library, initialises it, and takes each device once, with a context, for a moment. The environment
variable ASCENDCL_LIBRARY selects a library, as it does for every program of the crate `ascendcl`; `sim` is the
simulator.

The exit status is 0 if the library and at least one device can be used, else 1; it is 2 for wrong arguments.
";

pub(crate) fn read() -> Result<Task, lexopt::Error> {
    let mut arguments = lexopt::Parser::from_env();
    let (mut json, mut seconds) = (false, 60_u32);
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("json") => json = true,
            Long("timeout") => seconds = arguments.value()?.parse()?,
            Long("version") | Short('V') => return Ok(Task::Version),
            Long("help") | Short('h') => return Ok(Task::Help),
            Long(name) if PROBE.strip_prefix("--") == Some(name) => return Ok(Task::Probe),
            Long(name) if BIND.strip_prefix("--") == Some(name) => return Ok(Task::Bind),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(Task::Report { json, limit: Duration::from_secs(seconds.max(1).into()) })
}
