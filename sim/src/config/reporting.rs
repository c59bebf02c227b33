//! How findings are reported.

use ascendcl_rules::RuleId;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::{Write, stderr};
use std::path::PathBuf;

const FINDINGS: &str = "ASCENDCL_SIM_FINDINGS";
const EXIT: &str = "ASCENDCL_SIM_EXIT";
const SUPPRESS: &str = "ASCENDCL_SIM_SUPPRESS";

/// What happens when a call breaks a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Checks {
    /// Nothing is checked. The simulator answers as the vendor's library does.
    #[default]
    Off,
    /// It is recorded, and printed to stderr when the library is finalised or the process exits.
    Report,
    /// The same, and the call fails, if the rule's [severity](ascendcl_rules::Severity) is a misuse.
    Strict,
}

/// How findings are reported, as `ASCENDCL_SIM_FINDINGS`, `ASCENDCL_SIM_SUPPRESS` and `ASCENDCL_SIM_EXIT` say.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Reporting {
    pub(crate) telling: Telling,
    pub(crate) suppressed: BTreeSet<RuleId>,
    /// The exit status of a process that has broken a rule.
    pub(crate) exit: Option<u8>,
}

/// When and where.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) enum Telling {
    /// To stderr, when the library is finalised and when the process exits.
    #[default]
    AtEnd,
    /// To stderr, when it is found.
    AtOnce,
    /// At the end of this file, when it is found.
    InFile(PathBuf),
}

impl Reporting {
    /// Which variable cannot be read, and why, otherwise.
    pub(crate) fn from_variables(get: impl Fn(&str) -> Option<String>) -> Result<Self, (&'static str, String, String)> {
        let mut reporting = Self::default();
        if let Some(value) = get(FINDINGS) {
            reporting.telling = if value == "stderr" { Telling::AtOnce } else { Telling::InFile(value.into()) };
        }
        if let Some(value) = get(SUPPRESS) {
            for id in value.split(',').map(str::trim).filter(|id| !id.is_empty()) {
                let rule = id.parse().map_err(|error| (SUPPRESS, value.clone(), format!("{error}")))?;
                reporting.suppressed.insert(rule);
            }
        }
        if let Some(value) = get(EXIT) {
            let status = value.trim().parse();
            reporting.exit = Some(status.map_err(|_| (EXIT, value, "not a status from 0 to 255".to_owned()))?);
        }
        Ok(reporting)
    }

    /// The variable that expects findings.
    pub(super) fn expects(&self) -> Option<&'static str> {
        match self {
            Self { exit: Some(_), .. } => Some(EXIT),
            Self { telling: Telling::AtOnce | Telling::InFile(_), .. } => Some(FINDINGS),
            Self { suppressed, .. } if !suppressed.is_empty() => Some(SUPPRESS),
            _ => None,
        }
    }
}

/// Writes a line to stderr. A stderr that is closed, as by `program 2>&1 | head`, is no reason to fail or to end the
/// program, and `eprintln!` panics there.
pub(crate) fn say(text: impl Display) {
    let _ = writeln!(stderr(), "{text}");
}

impl Telling {
    /// Reports it now, unless everything is reported at the end. Returns whether it did.
    pub(crate) fn tell(&self, text: &str) -> bool {
        let path = match self {
            Self::AtEnd => return false,
            Self::AtOnce => {
                say(text);
                return true;
            }
            Self::InFile(path) => path,
        };
        let file = OpenOptions::new().create(true).append(true).open(path);
        if let Err(error) = file.and_then(|mut file| file.write_all(format!("{text}\n").as_bytes())) {
            say(format_args!("ascendcl-sim: {} cannot be written: {error}\n{text}", path.display()));
        }
        true
    }
}
