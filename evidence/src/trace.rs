//! The traceability table for programs: each rule with its class, the code that keeps it, the tests and refused
//! programs that show it, and their results.

use super::ground::Ground;
use super::part::Outcome;
use super::table::{csv, records};
use super::test_run::{Ended, RUNS, Test, read};
use std::fs;

/// The file that `tests/traceability/csv.rs` writes.
pub(crate) const MARKS: &str = "marks.csv";
const FILE: &str = "traceability.csv";
const HEAD: [&str; 8] = ["rule", "area", "class", "priority", "mark", "file", "name", "result"];

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    let logs: Result<Vec<_>, _> =
        RUNS.iter().map(|(log, _)| fs::read(ground.out(&format!("logs/{log}.log")))).collect();
    let marks = fs::read_to_string(ground.out(MARKS));
    let (Ok(logs), Ok(marks)) = (logs, marks) else {
        return Ok(Outcome::skipped("there is no run of the tests: run the part `tests` first"));
    };
    let tests: Vec<_> = logs.iter().flat_map(|log| read(&String::from_utf8_lossy(log))).collect();
    let rows = joined(&records(&marks), &tests);
    ground.write(FILE, &csv(&HEAD, &rows))?;
    let shows = |row: &&Vec<String>| row.get(4).is_some_and(|mark| !mark.is_empty() && mark != "keeps");
    let shown: Vec<_> = rows.iter().filter(shows).collect();
    let with = |word: &str| shown.iter().filter(|row| row.get(7).is_some_and(|result| result == word)).count();
    let rules: std::collections::BTreeSet<_> = rows.iter().filter_map(|row| row.first()).collect();
    let [ok, failed, ignored, missing] = ["ok", "FAILED", "ignored", "not run"].map(with);
    let says = format!(
        "{} rules, {} rows; of {} marks of evidence {ok} ok, {failed} failed, {ignored} ignored, {missing} not run",
        rules.len(),
        rows.len(),
        shown.len()
    );
    // A test that does not run shows nothing, whatever the reason.
    let outcome = Outcome::judged(ok == shown.len() && ok > 0, says).fact("rules", rules.len()).fact("ok", ok);
    Ok(outcome.fact("failed", failed).fact("ignored", ignored).fact("not run", missing).file(FILE))
}

fn joined(marks: &[Vec<String>], tests: &[Test]) -> Vec<Vec<String>> {
    let row = |mark: &Vec<String>| {
        let cell = |at: usize| mark.get(at).map_or("", String::as_str);
        let result = match cell(4) {
            "" | "keeps" => "",
            _ => ended(cell(5), cell(6), tests),
        };
        mark.iter().cloned().chain([result.to_owned()]).collect()
    };
    marks.iter().map(row).collect()
}

/// The result of the test with this name in this file. If it ran several times, one failed run counts.
fn ended(file: &str, name: &str, tests: &[Test]) -> &'static str {
    let in_package = file.find("tests/").or_else(|| file.find("src/")).and_then(|at| file.get(at..)).unwrap_or(file);
    let mut parts = in_package.split('/');
    let (folder, first) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let stem = first.strip_suffix(".rs").unwrap_or(first);
    let targets = match folder {
        "src" => ["src/lib.rs".to_owned(), "src/main.rs".to_owned()],
        folder => [format!("{folder}/{stem}.rs"), format!("{folder}/{stem}/main.rs")],
    };
    let is_it = |test: &&Test| {
        let last = test.name.rsplit("::").next().unwrap_or_default();
        test.name == file || (targets.contains(&test.target) && last == name)
    };
    let all: Vec<_> = tests.iter().filter(is_it).collect();
    // Two modules of a binary may have tests with the same name, so the module decides. It has the name of its file.
    let module = in_package.rsplit('/').find(|part| !matches!(*part, "main.rs" | "mod.rs")).unwrap_or_default();
    let module = format!("{}::", module.strip_suffix(".rs").unwrap_or(module));
    let narrow: Vec<_> = all.iter().filter(|test| test.name.contains(&module)).copied().collect();
    let found = if narrow.is_empty() { all } else { narrow };
    let one = |ended: Ended| found.iter().any(|test| test.ended == ended);
    [Ended::Failed, Ended::Ok, Ended::Ignored].into_iter().find(|ended| one(*ended)).map_or("not run", Ended::word)
}

#[cfg(test)]
mod tests {
    use super::{ended, joined, read};

    const LOG: &str = "     Running tests/attacks/main.rs (a)\ntest forget::works ... ok\ntest panics::works ... FAILED\n\
        \x20    Running tests/loading.rs (a)\ntest deep::works ... ok\n     Running unittests src/lib.rs (a)\n\
        test error::rules::tests::holds ... ok\n     Running tests/ui.rs (a)\ntest ui-tests/fail/a.rs ... ok\n\
        \x20    Running tests/vendor/main.rs (a)\ntest waits ... ignored\n";

    #[test]
    fn a_mark_gets_the_end_of_its_own_test() {
        let tests = read(LOG);
        for (file, name, expected) in [
            ("tests/attacks/forget.rs", "works", "ok"),
            ("tests/attacks/panics.rs", "works", "FAILED"),
            ("tests/loading/deep.rs", "works", "ok"),
            ("src/error/rules.rs", "holds", "ok"),
            ("ui-tests/fail/a.rs", "a", "ok"),
            ("sim/tests/vendor/main.rs", "waits", "ignored"),
            ("tests/scopes.rs", "works", "not run"),
        ] {
            assert_eq!(ended(file, name, &tests), expected, "{file} {name}");
        }
    }

    #[test]
    fn code_and_rules_without_a_mark_have_no_result() {
        let row = |mark: &str| ["A-01", "A", "Limit", "1", mark, "", ""].map(str::to_owned).to_vec();
        let results: Vec<_> = joined(&[row("keeps"), row("")], &[]).into_iter().map(|row| row.concat()).collect();
        assert_eq!(results, ["A-01ALimit1keeps", "A-01ALimit1"]);
    }
}
