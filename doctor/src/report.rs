//! The report: the findings, their meaning, and the next steps.

use crate::advice;
use crate::environment::{Environment, Found};
use crate::findings::{Findings, ProblemKind};
use crate::watch::Probed;
use serde::Serialize;

/// The number of the JSON format. It increases when programs that read the JSON have to change.
const FORMAT: u32 = 1;

#[derive(Serialize)]
pub(crate) struct Report {
    /// The version of this format.
    pub(crate) format: u32,
    /// The version of this program.
    pub(crate) doctor: &'static str,
    pub(crate) verdict: Verdict,
    /// Whether the library and at least one device can be used.
    pub(crate) usable: bool,
    #[serde(flatten)]
    pub(crate) environment: Environment,
    #[serde(flatten)]
    pub(crate) findings: Findings,
    /// The last lines that the library wrote to the standard error.
    pub(crate) said: Vec<String>,
    /// What to do next, in this order.
    pub(crate) next: Vec<String>,
}

/// The result, in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// A library and a device can be used.
    Ready,
    /// The simulator can be used.
    Simulator,
    /// No library is installed.
    NoLibrary,
    /// A library exists but cannot be loaded.
    NotLoaded,
    /// The file is not an AscendCL library: it has none of the functions.
    NoAscendcl,
    /// The library lacks functions.
    Incomplete,
    /// The library cannot be initialised.
    NotInitialised,
    /// No device can be used.
    NoDevice,
    /// The library ended the process.
    Crashed,
    /// A step of the library exceeded its time limit.
    TimedOut,
    /// The library was not tried.
    NotTried,
}

impl Report {
    pub(crate) fn new(environment: Environment, Probed { findings, said }: Probed) -> Self {
        let verdict = Verdict::of(&environment, &findings);
        let next = advice::of(verdict, &environment, &findings);
        Self {
            format: FORMAT,
            doctor: env!("CARGO_PKG_VERSION"),
            verdict,
            usable: matches!(verdict, Verdict::Ready | Verdict::Simulator),
            environment,
            findings,
            said,
            next,
        }
    }
}

impl Verdict {
    fn of(environment: &Environment, findings: &Findings) -> Self {
        use ProblemKind as Kind;
        let only_stubs = || environment.places.iter().any(|place| place.found == Found::Stub);
        let lacks_all = findings.library.as_ref().is_some_and(|library| library.missing.len() == library.needed);
        let causes = [
            (findings.has(Kind::NotStarted), Self::NotTried),
            (findings.has(Kind::Crashed), Self::Crashed),
            (findings.has(Kind::TimedOut), Self::TimedOut),
            (findings.has(Kind::NotFound) && !only_stubs(), Self::NoLibrary),
            (findings.library.is_none(), Self::NotLoaded),
            (lacks_all, Self::NoAscendcl),
            (findings.has(Kind::MissingFunctions), Self::Incomplete),
            (!findings.initialised, Self::NotInitialised),
            (!findings.devices.iter().any(|device| device.usable), Self::NoDevice),
            (findings.library.as_ref().is_some_and(|library| library.simulator), Self::Simulator),
        ];
        causes.into_iter().find(|(applies, _)| *applies).map_or(Self::Ready, |(_, verdict)| verdict)
    }
}
