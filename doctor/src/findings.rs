//! The findings of the second process about the library.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The findings after a step.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Findings {
    /// The next step, worded to follow "while": `while initialising the library`.
    pub(crate) step: String,
    /// Whether all steps have ended.
    pub(crate) finished: bool,
    pub(crate) library: Option<Library>,
    pub(crate) versions: Versions,
    pub(crate) initialised: bool,
    pub(crate) product: Option<String>,
    pub(crate) run_mode: Option<String>,
    pub(crate) device_count: Option<i32>,
    pub(crate) devices: Vec<Device>,
    pub(crate) problems: Vec<Problem>,
}

/// The loaded library.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Library {
    /// `None` for the simulator inside this program.
    pub(crate) path: Option<String>,
    pub(crate) simulator: bool,
    /// The number of functions that every release should have.
    pub(crate) needed: usize,
    /// Those of them that this library lacks.
    pub(crate) missing: Vec<Missing>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Missing {
    pub(crate) function: String,
    /// The files that contain it in the vendor's releases, newest first.
    pub(crate) files: Vec<String>,
}

#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Versions {
    /// The version of the C interface.
    pub(crate) interface: Option<String>,
    /// The versions of the packages that the library knows.
    pub(crate) packages: BTreeMap<String, String>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Device {
    pub(crate) id: i32,
    pub(crate) ai_cores: Option<u64>,
    pub(crate) memory_bytes: Option<u64>,
    pub(crate) is_virtual: Option<bool>,
    /// Whether the device was taken and a context was created on it.
    pub(crate) usable: bool,
    /// Memory that can be allocated.
    pub(crate) free_bytes: Option<u64>,
    /// Why the device cannot be used.
    pub(crate) error: Option<String>,
}

/// Something that does not work.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Problem {
    pub(crate) kind: ProblemKind,
    /// The crate's message.
    pub(crate) text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ProblemKind {
    /// No library exists.
    NotFound,
    /// A file exists, but the dynamic loader refuses it.
    Refused,
    /// A file of the library needs a function that none of the loaded files has.
    Unbound,
    /// The file is a stub for linking.
    Stub,
    /// The library lacks functions that every release should have.
    MissingFunctions,
    /// The library exists, but refuses to be initialised.
    NotInitialised,
    /// The library cannot count the devices, or finds no device.
    NoDevice,
    /// A device cannot be used.
    Device,
    /// The library does not answer a question, or cannot be closed.
    Library,
    /// The library ended the process.
    Crashed,
    /// A step took longer than its time limit.
    TimedOut,
    /// The second process could not be started.
    NotStarted,
}

impl Findings {
    pub(crate) fn problem(&mut self, kind: ProblemKind, text: impl ToString) {
        self.problems.push(Problem { kind, text: text.to_string() });
    }

    pub(crate) fn has(&self, kind: ProblemKind) -> bool {
        self.problems.iter().any(|problem| problem.kind == kind)
    }
}
