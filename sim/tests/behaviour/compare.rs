//! Runs the cases and compares what they wrote down with the measured rows.

use crate::case::{FLAG, Record};
use crate::exceptions::{Demand, EXCEPTIONS, Exception};
use crate::rows::{Answer, Row, rows};
use std::process::{Command, ExitCode, Output};

/// Replays the cases whose names contain one of `words` (all, if `words` is empty) and reports as `cargo test` does.
pub(crate) fn all(words: &[&str]) -> ExitCode {
    let rows = rows();
    let mut names: Vec<&str> = rows.iter().map(|row| row.case).collect();
    names.dedup();
    let all = names.len();
    names.retain(|name| words.is_empty() || words.iter().any(|word| name.contains(word)));

    println!("\nrunning {} tests", names.len());
    let mut total = Tally::default();
    let mut failed = 0;
    for name in &names {
        let of_case: Vec<Row> = rows.iter().filter(|row| row.case == *name).copied().collect();
        let tally = run(name, &of_case);
        println!("test {name} ... {}", if tally.differences.is_empty() { "ok" } else { "FAILED" });
        failed += usize::from(!tally.differences.is_empty());
        total.add(tally);
    }
    let stale = stale(&rows);
    failed += usize::from(!stale.is_empty());
    total.differences.extend(stale);

    print!("\n{total}");
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    let (passed, left_out) = (names.len().saturating_sub(failed), all - names.len());
    println!(
        "\ntest result: {verdict}. {passed} passed; {failed} failed; 0 ignored; 0 measured; {left_out} filtered out"
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What the comparison of some rows came to.
#[derive(Default)]
struct Tally {
    rows: usize,
    equal: usize,
    crashes_refused: usize,
    excepted: Vec<String>,
    differences: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.equal += other.equal;
        self.crashes_refused += other.crashes_refused;
        self.excepted.extend(other.excepted);
        self.differences.extend(other.differences);
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} rows equal of {}", self.equal, self.rows)?;
        writeln!(f, "{} rows refused with an error where the vendor's library crashes", self.crashes_refused)?;
        writeln!(f, "{} rows different for a reason:", self.excepted.len())?;
        self.excepted.iter().try_for_each(|text| writeln!(f, "    {text}"))?;
        self.differences.iter().try_for_each(|text| writeln!(f, "DIFFERENT {text}"))
    }
}

fn run(name: &str, rows: &[Row]) -> Tally {
    let mut tally = Tally { rows: rows.len(), ..Tally::default() };
    let output = replay(name);
    let text = String::from_utf8_lossy(&output.stdout);
    let mut records = text.lines().filter_map(Record::read);
    for row in rows {
        judge(row, records.next(), &mut tally);
    }
    for surplus in records {
        tally.differences.push(format!("{name}: replayed, but not in the file: {surplus:?}"));
    }
    if !output.status.success() {
        let last_words = String::from_utf8_lossy(&output.stderr);
        tally.differences.push(format!("{name}: the process ended with {}\n{last_words}", output.status));
    }
    tally
}

/// The case in a fresh process: this program again.
fn replay(name: &str) -> Output {
    let this = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new(this);
    command.args([FLAG, name]);
    // The rows were measured with what these variables have as defaults.
    for (variable, _) in std::env::vars_os() {
        if variable.to_string_lossy().starts_with("ASCENDCL_SIM") {
            command.env_remove(variable);
        }
    }
    if name.contains("(dirty heap)") {
        command.env("MALLOC_PERTURB_", "165");
    }
    command.output().expect("this program runs")
}

fn judge(row: &Row, record: Option<Record>, tally: &mut Tally) {
    let Row { case, call, answer } = *row;
    let exception = EXCEPTIONS.iter().find(|it| it.case == case && it.call == call);
    let difference = |got: &str| match answer {
        Answer::Code(code) => format!("{case}: {call}: expected {code}, got {got}"),
        Answer::Crash => format!("{case}: {call}: expected an error code, got {got}"),
        Answer::Seen => format!("{case}: expected {call}, got {got}"),
    };
    match (record, answer, exception) {
        (None, ..) => tally.differences.push(difference("no answer: the case ended before")),
        (Some(Record::Code { call: made, .. }), ..) if made != call => {
            tally.differences.push(difference(&format!("another call: {made}")));
        }
        (Some(record), _, Some(exception)) => match exception.admits(&record) {
            true => tally.excepted.push(format!("{case}: {call}: {} ({})", shown(&record), exception.reason)),
            false => tally.differences.push(difference(&shown(&record)) + &format!(" ({:?})", exception.demand)),
        },
        (Some(Record::Code { code, .. }), Answer::Code(expected), None) if code == expected => tally.equal += 1,
        (Some(Record::Code { code, .. }), Answer::Crash, None) if code != 0 => tally.crashes_refused += 1,
        (Some(Record::Seen(text)), Answer::Seen, None) if text == call => tally.equal += 1,
        (Some(record), _, None) => tally.differences.push(difference(&shown(&record))),
    }
}

fn shown(record: &Record) -> String {
    match record {
        Record::Code { code, .. } => code.to_string(),
        Record::Seen(text) => text.clone(),
    }
}

impl Exception {
    fn admits(&self, record: &Record) -> bool {
        match (self.demand, record) {
            (Demand::AnError, Record::Code { code, .. }) => *code != 0,
            (Demand::Sight(words), Record::Seen(text)) => text.contains(words),
            _ => false,
        }
    }
}

/// Exceptions without a case in the file, and cases without an exception.
fn stale(rows: &[Row]) -> Vec<String> {
    let exceptions = EXCEPTIONS
        .iter()
        .filter(|it| !rows.iter().any(|row| row.case == it.case && row.call == it.call))
        .map(|it| format!("{}: {}: an exception for a row that does not exist", it.case, it.call));
    let cases = crate::cases()
        .filter(|(name, _)| !rows.iter().any(|row| row.case == *name))
        .map(|(name, _)| format!("{name}: a case that the file does not have"));
    exceptions.chain(cases).collect()
}
