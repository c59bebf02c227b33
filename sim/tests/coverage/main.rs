//! Which functions of the vendor's headers the simulator has, as a table in `docs/`, and how many of those that programs
//! use.
//!
//! `DOCS=overwrite cargo test -p ascendcl-sim --test coverage` writes the table anew.
//!
//! `vendor.tsv` has the header of each function and how many public programs were counted that call it; what is simulated
//! is said in the table of `ascendcl-sys` alone. `reasons.tsv` says why the others are not, and `refusals.tsv` which of the
//! simulated functions refuse each right call, and why; a `*` stands for any letters.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use ascendcl_sys::Function;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// What is known of a function beside its line in the table.
#[derive(Clone, Copy)]
struct Facts {
    header: &'static str,
    repositories: u32,
}

/// Programs that call a function are counted from so many repositories on.
const USED: u32 = 3;

fn facts() -> BTreeMap<&'static str, Facts> {
    let mut lines = include_str!("vendor.tsv").lines();
    assert_eq!(lines.next(), Some("function\theader\trepositories"));
    let fact = |line: &'static str| {
        let [function, header, repositories] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        (function, Facts { header, repositories: repositories.parse().unwrap() })
    };
    lines.map(fact).collect()
}

#[test]
fn every_function_of_the_headers_is_in_the_table_and_the_other_way_round() {
    let facts = facts();
    let known: BTreeSet<_> = facts.keys().copied().collect();
    let table: BTreeSet<_> = ascendcl_sys::table().map(|line| line.name).collect();
    assert_eq!(table.symmetric_difference(&known).collect::<Vec<_>>(), [&""; 0]);
}

#[test]
fn most_functions_that_programs_use_are_simulated() {
    let (simulated, used) = used(&facts());
    assert_eq!(used, 165);
    assert!(simulated >= 154, "{simulated} of {used}");
}

#[test]
fn the_table_in_the_documentation_says_what_the_table_of_functions_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/simulator-coverage.md");
    let made = document(&facts());
    if std::env::var_os("DOCS").is_some_and(|value| value == "overwrite") {
        std::fs::write(&path, &made).unwrap();
        return;
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let advice = "`DOCS=overwrite cargo test -p ascendcl-sim --test coverage` writes it anew";
    let differs = made.lines().find(|line| !written.lines().any(|known| known == *line));
    assert!(written == made, "docs/simulator-coverage.md is stale: {advice}; it lacks {differs:?}");
}

/// How many of the functions that programs use are simulated, of how many.
fn used(facts: &BTreeMap<&str, Facts>) -> (usize, usize) {
    let used: Vec<Function> = ascendcl_sys::table().filter(|line| facts[line.name].repositories >= USED).collect();
    let simulated = used.iter().filter(|line| line.simulated && found(REFUSALS, line.name).is_none()).count();
    (simulated, used.len())
}

#[test]
fn a_star_stands_for_any_letters() {
    for (pattern, name, matches) in [
        ("aclrtMalloc*WithCfg", "aclrtMallocHostWithCfg", true),
        ("aclrtMalloc*WithCfg", "aclrtMallocWithCfg", true),
        ("aclrtMalloc*WithCfg", "aclrtMallocHost", false),
        ("aclrtFree", "aclrtFreeHost", false),
        ("*Buf*", "aclrtAllocBuf", true),
        ("acl*Buf", "acltdtFreeBufBuf", true),
    ] {
        assert_eq!(covers(pattern, name), matches, "{pattern} {name}");
    }
}

#[test]
fn each_reason_is_for_a_function_that_is_not_simulated_or_refuses() {
    for (reasons, simulated) in [(REASONS, false), (REFUSALS, true)] {
        let functions = ascendcl_sys::table().filter(|line| line.simulated == simulated);
        let names: Vec<_> = functions.map(|line| line.name).collect();
        let unused = lines(reasons).into_iter().filter(|(pattern, _)| !names.iter().any(|name| covers(pattern, name)));
        assert_eq!(unused.map(|(pattern, _)| pattern).collect::<Vec<_>>(), [""; 0]);
    }
}

const REASONS: &str = include_str!("reasons.tsv");
const REFUSALS: &str = include_str!("refusals.tsv");

fn lines(table: &'static str) -> Vec<(&'static str, &'static str)> {
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("functions\treason"));
    lines.map(|line| line.split_once('\t').unwrap()).collect()
}

/// Why a function is not simulated. Of several patterns the longest counts.
fn reason(name: &str) -> &'static str {
    found(REASONS, name).unwrap_or_else(|| panic!("reasons.tsv does not say why {name} is not simulated"))
}

fn found(table: &'static str, name: &str) -> Option<&'static str> {
    let reasons = lines(table).into_iter().filter(|(pattern, _)| covers(pattern, name));
    reasons.max_by_key(|(pattern, _)| pattern.len()).map(|(_, reason)| reason)
}

/// What the table says of a function.
fn answer(line: Function) -> String {
    match (line.simulated, found(REFUSALS, line.name)) {
        (false, _) => format!("207000: {}", reason(line.name)),
        (true, Some(reason)) => format!("refused: {reason}"),
        (true, None) => "simulated".to_owned(),
    }
}

fn covers(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(name) = name.strip_prefix(start) else { return false };
    (0..=name.len()).any(|at| covers(rest, &name[at..]))
}

fn document(facts: &BTreeMap<&str, Facts>) -> String {
    let functions: BTreeMap<&str, Function> = ascendcl_sys::table().map(|line| (line.name, line)).collect();
    let simulated_or_refused = || functions.values().filter(|line| line.simulated);
    let refused = simulated_or_refused().filter(|line| found(REFUSALS, line.name).is_some()).count();
    let all = simulated_or_refused().count() - refused;
    let (simulated, used) = used(facts);
    let mut text = format!(
        "# What the simulator has\n\n\
         Every function of the vendor's headers, made from the table of functions:\n\
         `DOCS=overwrite cargo test -p ascendcl-sim --test coverage`. `simulated` functions do what is documented. The\n\
         others are exported too: they answer 207000 (\"feature not supported\"), or null or 0 where they return no code,\n\
         and leave a text that names them. The table says why (`sim/tests/coverage/reasons.tsv`). `refused` functions\n\
         check their arguments with the vendor's codes, and refuse a right call, because the simulated device cannot do it\n\
         (`sim/tests/coverage/refusals.tsv`).\n\n\
         * {all} of {} functions are simulated, and {refused} more are refused.\n\
         * {used} functions are called by {USED} or more of the public repositories that were counted; {simulated} of\n  \
         them are simulated.\n\n\
         The last column says how many repositories call the function.\n",
        functions.len()
    );
    let headers: BTreeSet<&str> = facts.values().map(|facts| facts.header).collect();
    for header in headers {
        write!(text, "\n## {header}\n\n| function | | repositories |\n| --- | --- | ---: |\n").unwrap();
        for (name, line) in functions.iter().filter(|(name, _)| facts[**name].header == header) {
            writeln!(text, "| `{name}` | {} | {} |", answer(*line), facts[*name].repositories).unwrap();
        }
    }
    text
}
