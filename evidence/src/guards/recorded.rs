//! Which tests reach which mutants.

use super::process::{Ended, Run, each, file_of, listed};
use super::switch;
use super::workspace::Program;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A test, and what it did without a mutant.
pub(crate) struct Test {
    pub(crate) program: usize,
    pub(crate) name: String,
    pub(crate) took: Duration,
    /// The mutants that made a difference could have been asked here.
    pub(crate) reaches: BTreeSet<usize>,
}

impl Test {
    /// Whether it is worth its time as a guess.
    pub(crate) fn is_quick(&self) -> bool {
        self.took < QUICK
    }

    /// Whether only mutants are tried with it that nothing else kills.
    pub(crate) fn is_long(&self) -> bool {
        self.took > LONG
    }
}

const QUICK: Duration = Duration::from_millis(500);
const LONG: Duration = Duration::from_millis(2500);
/// A test that takes longer is left out.
const LONGEST: Duration = Duration::from_secs(300);

/// The tests of the programs that pass without a mutant, with what they reach; and the names of the others.
pub(crate) fn recorded(programs: &[Program], folder: &Path) -> Result<(Vec<Test>, Vec<String>), String> {
    let (mut tests, mut failed) = (Vec::new(), Vec::new());
    for (index, program) in programs.iter().enumerate() {
        for line in of_program(program, folder)?.lines().skip(1) {
            let mut parts = line.split('\t');
            let (Some(name), Some(took)) = (parts.next(), parts.next()) else { continue };
            let Ok(took) = took.parse() else {
                failed.push(format!("{}: {name}: {took}", program.name));
                continue;
            };
            let reaches =
                parts.next().unwrap_or_default().split(' ').filter_map(|number| number.parse().ok()).collect();
            tests.push(Test { program: index, name: name.to_owned(), took: Duration::from_millis(took), reaches });
        }
    }
    tests.sort_by_key(|test: &Test| (test.is_long(), !test.is_quick(), test.reaches.len(), test.took));
    Ok((tests, failed))
}

/// What the tests of a program reach, from the file of an earlier run of the same program, or by running each.
fn of_program(program: &Program, folder: &Path) -> Result<String, String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", program.path.display());
    let built = fs::metadata(&program.path).and_then(|about| about.modified()).map_err(wrong)?;
    let file = folder.join(program.path.file_name().unwrap_or_default());
    let head = format!("{built:?}");
    let known = fs::read_to_string(&file).unwrap_or_default();
    if known.lines().next() == Some(&head) {
        return Ok(known);
    }
    let rows = Mutex::new(vec![head]);
    each(&listed(program)?, |number, name| {
        let numbers = file_of(folder, number);
        drop(fs::remove_file(&numbers));
        let begin = Instant::now();
        let path = numbers.to_string_lossy();
        let variables = [(switch::NUMBER, switch::ALL), (switch::FILE, &*path)];
        let run = Run { program, tests: &[name], patience: LONGEST, setting: "", variables: &variables };
        let took = match run.ended() {
            Ended::Passed => begin.elapsed().as_millis().to_string(),
            Ended::Failed => "fails".to_owned(),
            Ended::Hung => "takes too long".to_owned(),
        };
        let reached = fs::read_to_string(&numbers).unwrap_or_default();
        drop(fs::remove_file(&numbers));
        let reached: Vec<_> = reached.lines().collect();
        if let Ok(mut rows) = rows.lock() {
            rows.push(format!("{name}\t{took}\t{}", reached.join(" ")));
        }
    });
    let text = rows.into_inner().map_err(|error| error.to_string())?.join("\n");
    fs::write(&file, &text).map_err(wrong)?;
    Ok(text)
}
