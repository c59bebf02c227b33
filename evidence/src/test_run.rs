//! The output of `cargo test`: the result of each test.

use super::ground::Ground;
use super::part::Outcome;

/// The runs: the log, and what Cargo is asked beside the workspace. Without features, tests of features are not compiled. A
/// filter is one of all targets, so the tests of a module are a run by themselves.
pub(crate) const RUNS: [(&str, &[&str]); 3] = [
    ("tests", &["--no-fail-fast"]),
    ("tests-options", &["--no-fail-fast", "--features", FEATURES, "--test", "options", "--test", "tracing"]),
    ("tests-subscribers", &["--no-fail-fast", "--features", FEATURES, "--test", "attacks", "subscribers"]),
];
const FEATURES: &str = "ascendcl/half,ascendcl/tracing";

/// A test, or a program of `ui-tests/`.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Test {
    /// The file of the test binary in its package, as cargo prints it: `tests/attacks/main.rs`.
    pub(crate) target: String,
    /// `forget::a_sentence`, or the file of a program.
    pub(crate) name: String,
    pub(crate) ended: Ended,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    Ok,
    Failed,
    Ignored,
}

impl Ended {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "FAILED",
            Self::Ignored => "ignored",
        }
    }
}

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    let (mut tests, mut ends, mut logs) = (Vec::new(), Vec::new(), Vec::new());
    for (log, asked) in RUNS {
        let mut command = ground.command("cargo");
        // One of the tests writes the table of rules and tests. The part `traceability` joins that table with these runs.
        command.env("TRACEABILITY_CSV", ground.out(super::trace::MARKS));
        let ran = ground.run(log, command.args(["test", "--workspace", "--locked"]).args(asked))?;
        let own = read(&ran.text);
        if own.iter().all(|test| test.ended != Ended::Ok) {
            ends.push(format!("no test of `{log}` passes; {}", ran.end()));
        } else if !ran.ok && own.iter().all(|test| test.ended != Ended::Failed) {
            ends.push(ran.end());
        }
        tests.extend(own);
        logs.push(ran.log);
    }
    let count = |ended| tests.iter().filter(|test| test.ended == ended).count();
    let (ok, failed, ignored) = (count(Ended::Ok), count(Ended::Failed), count(Ended::Ignored));
    let mut says = format!("{ok} ok, {failed} failed, {ignored} ignored");
    for test in tests.iter().filter(|test| test.ended == Ended::Failed).take(5) {
        says += &format!("; {} in {}", test.name, test.target);
    }
    for end in &ends {
        says += &format!("; {end}");
    }
    let outcome = Outcome::judged(ends.is_empty() && failed == 0, says).fact("ok", ok).fact("failed", failed);
    Ok(logs.into_iter().fold(outcome.fact("ignored", ignored), Outcome::file))
}

/// The tests in the output of cargo, libtest and trybuild.
pub(crate) fn read(text: &str) -> Vec<Test> {
    let (mut tests, mut target) = (Vec::new(), String::new());
    for line in text.lines() {
        let line = plain(line);
        let line = line.trim();
        if let Some(place) = line.strip_prefix("Running ") {
            let file = place.strip_prefix("unittests ").unwrap_or(place);
            target = file.split(' ').next().unwrap_or_default().to_owned();
        } else if let Some(place) = line.strip_prefix("Doc-tests ") {
            target = format!("documentation of {place}");
        } else if let Some(test) = line.strip_prefix("test ") {
            tests.extend(one(&target, test));
        }
    }
    tests
}

fn one(target: &str, line: &str) -> Option<Test> {
    let (name, end) = line.split_once(" ... ")?;
    let name = name.split(" [should").next()?.split(" - should panic").next()?.to_owned();
    let ended = match end.split([',', ' ']).next()? {
        "ok" => Ended::Ok,
        "ignored" => Ended::Ignored,
        _ => Ended::Failed,
    };
    Some(Test { target: target.to_owned(), name, ended })
}

/// The line without the escape sequences for colours.
fn plain(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    first + &parts.map(|part| part.split_once('m').map_or(part, |(_, rest)| rest)).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::{Ended, read};

    #[test]
    fn tests_and_refused_programs_are_read_with_their_ends() {
        let text = "     Running unittests src/lib.rs (target/debug/deps/a-1)\n\
            test inner::works ... ok\n\
            \x20    Running tests/attacks/main.rs (target/debug/deps/attacks-1)\n\
            test forget::it_fails ... FAILED\ntest slow ... ignored, by hand\ntest result: FAILED. 1 passed; 1 failed\n\
            \u{1b}[0mtest \u{1b}[0m\u{1b}[1mui-tests/fail/a.rs\u{1b}[0m ... \u{1b}[0m\u{1b}[32mok\n\
            \u{1b}[0mtest \u{1b}[0m\u{1b}[1mui-tests/fail/b.rs\u{1b}[0m [should fail to compile] ... \u{1b}[0m\u{1b}[1m\u{1b}[31mmismatch\n\
            \x20  Doc-tests ascendcl\ntest src/lib.rs - (line 3) - compile ... ok\n";
        let tests = read(text);
        let found: Vec<_> = tests.iter().map(|test| (test.target.as_str(), test.name.as_str(), test.ended)).collect();
        assert_eq!(
            found,
            [
                ("src/lib.rs", "inner::works", Ended::Ok),
                ("tests/attacks/main.rs", "forget::it_fails", Ended::Failed),
                ("tests/attacks/main.rs", "slow", Ended::Ignored),
                ("tests/attacks/main.rs", "ui-tests/fail/a.rs", Ended::Ok),
                ("tests/attacks/main.rs", "ui-tests/fail/b.rs", Ended::Failed),
                ("documentation of ascendcl", "src/lib.rs - (line 3) - compile", Ended::Ok),
            ]
        );
    }
}
