//! Runs the cases and compares what they answered with the measured rows.

use crate::table::{Answer, Case, Exception, Instead, Line, cases, exceptions};
use std::collections::BTreeMap;
use std::process::{Command, ExitCode};

/// Tells this program that it is the process of one case.
pub(crate) const FLAG: &str = "--case";

/// What a case answers to one line, as one line of its standard output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Record {
    Code(i32),
    Seen(String),
    /// The interpreter does not know how to make this call.
    NotMade,
}

impl Record {
    pub(crate) fn write(&self) -> String {
        match self {
            Self::Code(code) => format!("code\t{code}"),
            Self::Seen(text) => format!("seen\t{text}"),
            Self::NotMade => "not made\t".to_owned(),
        }
    }

    fn read(line: &str) -> Option<Self> {
        match line.split_once('\t')? {
            ("code", code) => code.parse().ok().map(Self::Code),
            ("seen", text) => Some(Self::Seen(text.to_owned())),
            ("not made", _) => Some(Self::NotMade),
            _ => None,
        }
    }
}

/// What the comparison of some rows came to.
#[derive(Default)]
struct Tally {
    rows: usize,
    equal: usize,
    crashes: usize,
    excepted: usize,
    /// The calls whose exceptions were needed.
    needed: Vec<&'static str>,
    differences: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.equal += other.equal;
        self.crashes += other.crashes;
        self.excepted += other.excepted;
        self.differences.extend(other.differences);
    }
}

/// Replays the cases whose names contain one of `words` (all, if `words` is empty) and reports as `cargo test` does.
pub(crate) fn all(words: &[&str]) -> ExitCode {
    let (cases, exceptions) = (cases(), exceptions());
    let mut total = stale(&cases, &exceptions);
    let mut families: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut failed = usize::from(!total.differences.is_empty());
    let (mut passed, mut left_out) = (0, 0);
    for case in &cases {
        if !words.is_empty() && !words.iter().any(|word| case.name.contains(word)) {
            left_out += 1;
            continue;
        }
        let tally = replay(case, &exceptions);
        let bad = !tally.differences.is_empty();
        println!("test {} ... {}", case.name, if bad { "FAILED" } else { "ok" });
        failed += usize::from(bad);
        passed += usize::from(!bad);
        let family = families.entry(case.name.split([':', ',']).next().unwrap_or(case.name)).or_default();
        family.0 += tally.rows;
        family.1 += tally.equal + tally.crashes;
        total.add(tally);
    }
    println!();
    for (family, (rows, equal)) in families {
        println!("    {family}: {equal} of {rows}");
    }
    println!("{} rows equal of {}", total.equal, total.rows);
    println!("{} rows refused with an error where the vendor's library crashes or hangs", total.crashes);
    println!("{} rows different for a reason", total.excepted);
    println!("{} rows different", total.differences.len());
    total.differences.iter().for_each(|difference| println!("DIFFERENT {difference}"));
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {verdict}. {passed} passed; {failed} failed; 0 ignored; 0 measured; {left_out} filtered out"
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn replay(case: &Case, exceptions: &[Exception]) -> Tally {
    let this = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new(this);
    command.args([FLAG, case.name]).env("RUST_BACKTRACE", "0");
    // The rows were measured with what these variables have as defaults.
    for (variable, _) in std::env::vars_os() {
        if variable.to_string_lossy().starts_with("ASCENDCL_SIM") {
            command.env_remove(variable);
        }
    }
    let output = command.output().expect("this program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut records = text.lines().filter_map(Record::read);
    let mut tally = Tally::default();
    for line in &case.lines {
        let record = records.next();
        if line.result != Answer::Preparation {
            judge(case.name, line, record, exceptions, &mut tally);
        }
    }
    for exception in exceptions.iter().filter(|exception| exception.case == case.name) {
        // An exception is for all rows of these words, or for none.
        let needed = tally.needed.iter().filter(|call| **call == exception.call).count();
        if needed != rows(case, exception) {
            let text = format!("{}: {}: an exception that agrees: {}", case.name, exception.call, exception.reason);
            tally.differences.push(text);
        }
    }
    if !output.status.success() {
        let last_words = String::from_utf8_lossy(&output.stderr);
        tally.differences.push(format!("{}: the process ended with {}\n{last_words}", case.name, output.status));
    }
    tally
}

fn judge(case: &str, line: &Line, record: Option<Record>, exceptions: &[Exception], tally: &mut Tally) {
    tally.rows += 1;
    let call = line.text;
    let exception = exceptions.iter().find(|it| it.case == case && it.call == call);
    let Some(record) = record else {
        tally.differences.push(format!("{case}: {call}: the case ended before"));
        return;
    };
    let equal = match (&record, line.result) {
        (Record::Code(code), Answer::Code(measured)) => *code == measured,
        (Record::Code(code), Answer::Crash) => *code != 0,
        (Record::Seen(text), Answer::Seen) => *text == bare(call),
        _ => false,
    };
    match exception {
        Some(exception) if !equal && exception.admits(&record) => {
            tally.excepted += 1;
            tally.needed.push(call);
        }
        _ if equal && line.result == Answer::Crash => tally.crashes += 1,
        _ if equal => tally.equal += 1,
        _ => tally.differences.push(format!("{case}: {call}: expected {:?}, got {record:?}", line.result)),
    }
}

/// What was seen, without the parentheses and the marks in brackets.
fn bare(text: &str) -> String {
    let text = text.strip_prefix('(').unwrap_or(text);
    let text = text.rsplit_once(')').map_or(text, |(text, _)| text);
    text.to_owned()
}

impl Exception {
    fn admits(&self, record: &Record) -> bool {
        match (self.answer, record) {
            (Instead::Code(wanted), Record::Code(code)) => wanted == *code,
            (Instead::AnError, Record::Code(code)) => *code != 0,
            (Instead::NotMade, Record::NotMade) => true,
            (Instead::Seen(wanted), Record::Seen(text)) => wanted == text,
            _ => false,
        }
    }
}

/// The measured rows that an exception is for.
fn rows(case: &Case, exception: &Exception) -> usize {
    case.lines.iter().filter(|line| line.result != Answer::Preparation && line.text == exception.call).count()
}

/// Exceptions for rows that do not exist.
fn stale(cases: &[Case], exceptions: &[Exception]) -> Tally {
    let known = |it: &Exception| cases.iter().any(|case| case.name == it.case && rows(case, it) > 0);
    let stale = exceptions.iter().filter(|exception| !known(exception));
    let differences = stale.map(|it| format!("{}: {}: an exception for a row that does not exist", it.case, it.call));
    Tally { differences: differences.collect(), ..Tally::default() }
}
