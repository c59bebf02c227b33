//! The files: what was measured, what a family answers, and which functions answer otherwise.
//!
//! `measured.tsv` has what the vendor's own code answered, one wrong argument each. `families.tsv` and `exceptions.tsv`
//! have the expected answers that were not measured. `departures.tsv` has the measured answers that the simulator does
//! not give, each with the reason.

use crate::arguments::{Kind, Wrong};
use std::collections::{BTreeMap, BTreeSet};

type Table<T> = BTreeMap<(&'static str, &'static str), T>;

/// What the vendor's code did.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Measured {
    Code(i32),
    /// It ended the process; a simulator owes an error code.
    Crash,
}

/// What a call is to answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Demand {
    Code(i32),
    AnError,
    /// Nothing says.
    Unknown,
}

impl Demand {
    pub(crate) fn admits(self, code: i32) -> bool {
        match self {
            Self::Code(wanted) => code == wanted,
            Self::AnError => code != 0,
            Self::Unknown => false,
        }
    }
}

pub(crate) struct Expected {
    measured: Table<Measured>,
    departures: Table<i32>,
    families: Table<i32>,
    exceptions: Table<i32>,
}

impl Expected {
    pub(crate) fn read() -> Self {
        let code = |text: &str| text.parse().unwrap();
        let families = rows(include_str!("families.tsv"), "argument\tsituation\tcode\tmeasured at", code);
        let exceptions = rows(include_str!("exceptions.tsv"), "function\tsituation\tcode\treason", code);
        let departures = rows(include_str!("departures.tsv"), "function\tsituation\tcode\treason", code);
        let measured = rows(include_str!("measured.tsv"), "function\tsituation\tresult\tname", |text| {
            text.parse().map_or(Measured::Crash, Measured::Code)
        });
        Self { measured, departures, families, exceptions }
    }

    /// What a call is to answer; `used` learns which lines of the files say so.
    pub(crate) fn code(
        &self,
        function: &'static str,
        situation: &str,
        kind: Kind,
        wrong: Wrong,
        used: &mut BTreeSet<String>,
    ) -> Demand {
        let wrong = wrong.to_string();
        let family = self.families.get(&(kind.name(), wrong.as_str())).copied();
        self.demand(function, situation, family, used)
    }

    /// What a call with good arguments is to answer without a context, or in another one than that of its stream.
    pub(crate) fn of_context(
        &self,
        function: &'static str,
        situation: &'static str,
        used: &mut BTreeSet<String>,
    ) -> Demand {
        let family = self.families.get(&("any", situation)).copied();
        self.demand(function, situation, family, used)
    }

    fn demand(
        &self,
        function: &'static str,
        situation: &str,
        family: Option<i32>,
        used: &mut BTreeSet<String>,
    ) -> Demand {
        let key = (function, situation);
        if let Some(measured) = self.measured.get(&key) {
            used.insert(line(&key, "measured"));
            let departure = self.departures.get(&key);
            if let Some(code) = departure
                && Measured::Code(*code) != *measured
            {
                used.insert(line(&key, "departure"));
                return Demand::Code(*code);
            }
            return match *measured {
                Measured::Code(code) => Demand::Code(code),
                Measured::Crash => Demand::AnError,
            };
        }
        match self.exceptions.get(&key) {
            Some(code) => {
                if Some(*code) != family {
                    used.insert(line(&key, "exception"));
                }
                Demand::Code(*code)
            }
            None => family.map_or(Demand::Unknown, Demand::Code),
        }
    }

    /// How many rows were measured, and how many of them the simulator answers otherwise.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.measured.len(), self.departures.len())
    }

    /// The lines that no call needed. A function that the simulator does not have is never called.
    pub(crate) fn unused<'a>(&'a self, used: &'a BTreeSet<String>) -> impl Iterator<Item = String> + 'a {
        let measured = self.measured.keys().map(|key| line(key, "measured"));
        let departures = self.departures.keys().map(|key| line(key, "departure"));
        let exceptions = self.exceptions.keys().map(|key| line(key, "exception"));
        measured.chain(departures).chain(exceptions).filter(|line| !used.contains(line))
    }
}

fn line((function, situation): &(&str, &str), file: &str) -> String {
    format!("{function}\t{situation} ({file})")
}

fn rows<T>(text: &'static str, heading: &str, value: impl Fn(&'static str) -> T) -> Table<T> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(heading));
    let row = |line: &'static str| {
        let [subject, situation, code, why] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        assert!(!why.is_empty(), "{line}: a reason is missing");
        ((subject, situation), value(code))
    };
    lines.map(row).collect()
}
