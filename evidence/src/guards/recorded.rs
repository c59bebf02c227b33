//! Which tests reach which mutants.

use super::process::{Ended, Run, each, file_of, listed};
use super::switch;
use super::workspace::Program;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
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
    for (index, text) in texts(programs, folder)?.iter().enumerate() {
        for line in text.lines().skip(1) {
            let mut parts = line.split('\t');
            let (Some(name), Some(took)) = (parts.next(), parts.next()) else { continue };
            let Ok(took) = took.parse() else {
                let program = programs.get(index).map(|program| program.name.as_str());
                failed.push(format!("{}: {name}: {took}", program.unwrap_or_default()));
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

/// What the tests of a program reach, a line for each, behind the time at which the program was built.
struct Text {
    file: PathBuf,
    lines: Vec<String>,
    /// So many tests have not run yet.
    left: usize,
}

/// For each program, what its tests reach: from the file of an earlier run of the same program, or by running each. The
/// tests of all programs wait for each other: some wait for minutes.
fn texts(programs: &[Program], folder: &Path) -> Result<Vec<String>, String> {
    let (mut texts, mut wanted) = (Vec::new(), Vec::new());
    for (index, program) in programs.iter().enumerate() {
        let wrong = |error: std::io::Error| format!("{}: {error}", program.path.display());
        let built = fs::metadata(&program.path).and_then(|about| about.modified()).map_err(wrong)?;
        let file = folder.join(program.path.file_name().unwrap_or_default());
        let head = format!("{built:?}");
        let known = fs::read_to_string(&file).unwrap_or_default();
        let is_known = known.lines().next() == Some(&head);
        let names = if is_known { Vec::new() } else { listed(program)? };
        let lines = if is_known { known.lines().map(str::to_owned).collect() } else { vec![head] };
        texts.push(Mutex::new(Text { file, lines, left: names.len() }));
        wanted.extend(names.into_iter().map(|name| (index, program, name)));
    }
    each(&wanted, |number, (index, program, name)| {
        let line = line_of(program, name, &file_of(folder, number));
        if let Some(Ok(mut text)) = texts.get(*index).map(Mutex::lock) {
            text.lines.push(line);
            text.left -= 1;
            if text.left == 0 {
                // Without the file the next run does this again.
                drop(fs::write(&text.file, text.lines.join("\n")));
            }
        }
    });
    let text = |text: Mutex<Text>| text.into_inner().map(|text| text.lines.join("\n"));
    texts.into_iter().map(text).collect::<Result<_, _>>().map_err(|error| error.to_string())
}

/// Runs a test without a mutant: its name, the time that it took, and what it reached.
fn line_of(program: &Program, name: &str, numbers: &Path) -> String {
    drop(fs::remove_file(numbers));
    let begin = Instant::now();
    let path = numbers.to_string_lossy();
    let variables = [(switch::NUMBER, switch::ALL), (switch::FILE, &*path)];
    let run = Run { program, tests: &[name], patience: LONGEST, setting: "", variables: &variables };
    let took = match run.ended() {
        Ended::Passed => begin.elapsed().as_millis().to_string(),
        Ended::Failed => "fails".to_owned(),
        Ended::Hung => "takes too long".to_owned(),
    };
    let reached = fs::read_to_string(numbers).unwrap_or_default();
    drop(fs::remove_file(numbers));
    let reached: Vec<_> = reached.lines().collect();
    format!("{name}\t{took}\t{}", reached.join(" "))
}
