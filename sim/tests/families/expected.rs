//! The two files: what a family answers, and which functions answer otherwise.

use crate::arguments::{Kind, Wrong};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) struct Expected {
    families: BTreeMap<(&'static str, &'static str), i32>,
    exceptions: BTreeMap<(&'static str, &'static str), i32>,
}

impl Expected {
    pub(crate) fn read() -> Self {
        let families = rows(include_str!("families.tsv"), "argument\tsituation\tcode\tmeasured at");
        let exceptions = rows(include_str!("exceptions.tsv"), "function\tsituation\tcode\treason");
        Self { families, exceptions }
    }

    /// What a call is to answer; `used` learns of the exception that says so.
    pub(crate) fn code(
        &self,
        function: &'static str,
        situation: &str,
        kind: Kind,
        wrong: Wrong,
        used: &mut BTreeSet<String>,
    ) -> Option<i32> {
        let wrong = wrong.to_string();
        let family = self.families.get(&(kind.name(), wrong.as_str())).copied();
        self.exception(function, situation, family, used).or(family)
    }

    /// What a call with good arguments is to answer without a context, or in another one than that of its stream.
    pub(crate) fn of_context(
        &self,
        function: &'static str,
        situation: &'static str,
        used: &mut BTreeSet<String>,
    ) -> Option<i32> {
        let family = self.families.get(&("any", situation)).copied();
        self.exception(function, situation, family, used).or(family)
    }

    /// The exceptions that no call needed.
    pub(crate) fn unused<'a>(&'a self, used: &'a BTreeSet<String>) -> impl Iterator<Item = String> + 'a {
        let all = self.exceptions.keys().map(|(function, situation)| format!("{function}\t{situation}"));
        all.filter(|line| !used.contains(line))
    }

    fn exception(
        &self,
        function: &'static str,
        situation: &str,
        family: Option<i32>,
        used: &mut BTreeSet<String>,
    ) -> Option<i32> {
        let code = self.exceptions.get(&(function, situation)).copied()?;
        if Some(code) != family {
            used.insert(format!("{function}\t{situation}"));
        }
        Some(code)
    }
}

fn rows(text: &'static str, heading: &str) -> BTreeMap<(&'static str, &'static str), i32> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(heading));
    let row = |line: &'static str| {
        let [subject, situation, code, why] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        assert!(!why.is_empty(), "{line}: a reason is missing");
        ((subject, situation), code.parse().unwrap())
    };
    lines.map(row).collect()
}
