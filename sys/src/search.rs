//! Where a vendor's library may be.

use core::fmt;
use std::env;
use std::path::{Path, PathBuf};

/// The file that holds the runtime.
const FILE: &str = "libascendcl.so";

/// A place to look, in the order of looking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    pub path: PathBuf,
    /// What names this place: a variable, the standard folders, or the dynamic loader.
    pub because: &'static str,
}

/// A place that was looked at, and what was there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    pub candidate: Candidate,
    pub outcome: String,
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.candidate.path.display(), self.candidate.because, self.outcome)
    }
}

impl Candidate {
    pub(crate) fn was(self, outcome: &str) -> Attempt {
        Attempt { candidate: self, outcome: outcome.to_owned() }
    }

    /// Whether the dynamic loader's refusal means that it found no such file (and not that the file, or something it
    /// needs, is broken).
    pub(crate) fn is_absent_says(&self, reason: &str) -> bool {
        let missing = format!("{}: cannot open shared object file", self.path.display());
        self.is_left_to_the_loader() && reason.contains(&missing)
    }

    /// Whether the path is a bare file name, which only the dynamic loader can find.
    pub fn is_left_to_the_loader(&self) -> bool {
        self.path.parent().is_none_or(|parent| parent.as_os_str().is_empty())
    }
}

/// Where an installation of the vendor's software may have put the library: the folders named by the toolkit's own
/// environment variables, the standard folders, and what the dynamic loader finds by itself.
///
/// The `devlib` folders are left out on purpose: they hold stubs to link against.
pub fn candidates() -> Vec<Candidate> {
    let mut found = Vec::new();
    for variable in ["ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"] {
        if let Some(home) = env::var_os(variable).filter(|home| !home.is_empty()) {
            found.push(Candidate { path: in_home(Path::new(&home)), because: variable });
        }
    }
    let mut roots = vec![PathBuf::from("/usr/local/Ascend")];
    roots.extend(env::var_os("HOME").map(|home| Path::new(&home).join("Ascend")));
    for root in roots {
        for product in ["ascend-toolkit/latest", "cann", "latest", "nnrt/latest", "nnae/latest"] {
            found.push(Candidate { path: in_home(&root.join(product)), because: "standard folder" });
        }
    }
    found.push(Candidate { path: FILE.into(), because: "dynamic loader" });
    found
}

fn in_home(home: &Path) -> PathBuf {
    home.join("lib64").join(FILE)
}
