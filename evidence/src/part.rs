//! A part of the evidence, and its result.

use super::ground::Ground;
use serde_json::Value;

/// A check that shows one fact.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    /// One sentence for the index. `docs/evidence.md` also says what the part does not show.
    pub(crate) shows: &'static str,
    /// Whether the part takes minutes, so that `--short` leaves it out.
    pub(crate) long: bool,
    /// Runs the part. An error is a failure in words.
    pub(crate) run: fn(&Ground) -> Result<Outcome, String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    Passed,
    Failed,
    Skipped,
}

impl Status {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

pub(crate) struct Outcome {
    pub(crate) status: Status,
    /// One line: the counts, the failures, or why the part was skipped.
    pub(crate) says: String,
    /// Numbers for programs.
    pub(crate) facts: Vec<(&'static str, Value)>,
    /// Files below `target/evidence/`.
    pub(crate) files: Vec<String>,
}

impl Outcome {
    pub(crate) fn passed(says: impl Into<String>) -> Self {
        Self { status: Status::Passed, says: says.into(), facts: Vec::new(), files: Vec::new() }
    }

    pub(crate) fn failed(says: &str) -> Self {
        Self { status: Status::Failed, ..Self::passed(says) }
    }

    pub(crate) fn skipped(says: &str) -> Self {
        Self { status: Status::Skipped, ..Self::passed(says) }
    }

    /// Passed if `ok`, else failed.
    pub(crate) fn judged(ok: bool, says: impl Into<String>) -> Self {
        Self { status: if ok { Status::Passed } else { Status::Failed }, ..Self::passed(says) }
    }

    pub(crate) fn fact(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.facts.push((name, value.into()));
        self
    }

    pub(crate) fn file(mut self, name: impl Into<String>) -> Self {
        self.files.push(name.into());
        self
    }
}

/// A part that has run.
pub(crate) struct Done {
    pub(crate) part: &'static Part,
    pub(crate) outcome: Outcome,
    pub(crate) seconds: f64,
}
