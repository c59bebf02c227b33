//! What earlier runs found out, so that a run goes on where another one stopped.
//!
//! An end stands as long as the text of its function is the same. A test that an earlier run did not have is tried with
//! what lived. Nothing else is tried again: `target/guards/known` is deleted where tests or other files have changed in a
//! way that matters.

use super::text::Mutant;
use super::trials::End;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A mutant by the text of its function and its place there: both stay when other functions change.
pub(crate) type Name = (u64, usize);

pub(crate) struct Known {
    names: Vec<Name>,
    ends: BTreeMap<Name, (End, usize)>,
    /// The round in which each test was there first.
    rounds: BTreeMap<String, usize>,
    round: usize,
    file: Mutex<File>,
}

impl Known {
    /// What the folder has. The tests of this run are written down there.
    pub(crate) fn of(folder: &Path, names: Vec<Name>, tests: &BTreeSet<String>) -> Result<Self, String> {
        let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
        fs::create_dir_all(folder).map_err(wrong)?;
        let (ends_file, tests_file) = (folder.join("ends.tsv"), folder.join("tests.tsv"));
        let ends = ends_of(&fs::read_to_string(&ends_file).unwrap_or_default());
        let mut rounds = rounds_of(&fs::read_to_string(&tests_file).unwrap_or_default());
        let last = rounds.values().max().copied().unwrap_or_default();
        let new: Vec<_> = tests.iter().filter(|test| !rounds.contains_key(*test)).cloned().collect();
        let round = if new.is_empty() { last } else { last + 1 };
        rounds.extend(new.into_iter().map(|test| (test, round)));
        let text: String = rounds.iter().map(|(test, round)| format!("{round}\t{test}\n")).collect();
        fs::write(&tests_file, text).map_err(wrong)?;
        let file = File::options().create(true).append(true).open(&ends_file).map_err(wrong)?;
        // A test that is no more kills nothing.
        let stands = |end: &End| match end {
            End::Killed(test) | End::Hung(test) => tests.contains(test),
            _ => true,
        };
        let ends = ends.into_iter().filter(|(_, (end, _))| stands(end)).collect();
        Ok(Self { names, ends, rounds, round, file: Mutex::new(file) })
    }

    /// The end of the mutant, and the round of tests that it stands for.
    pub(crate) fn end(&self, mutant: usize) -> Option<&(End, usize)> {
        self.ends.get(self.names.get(mutant)?)
    }

    /// Whether an earlier round of tests, and this one, had the test.
    pub(crate) fn had(&self, round: usize, test: &str) -> bool {
        self.rounds.get(test).is_some_and(|first| *first <= round)
    }

    /// Writes down an end at once: a run may be stopped.
    pub(crate) fn note(&self, mutant: usize, end: &End) {
        let (word, test) = match end {
            End::Killed(test) => ("killed", test.as_str()),
            End::Hung(test) => ("hung", test.as_str()),
            End::Survived => ("survived", ""),
            End::Unreached => ("unreached", ""),
            End::Refused => return,
        };
        if let (Some(name), Ok(mut rows)) = (self.names.get(mutant), self.file.lock()) {
            drop(rows.write_all(format!("{}\t{word}\t{test}\t{}\n", row(name), self.round).as_bytes()));
        }
    }
}

/// The mutants that the compiler refuses. A build without them takes the sources of the last one: cargo compiles nothing
/// anew.
pub(crate) struct Refused {
    file: PathBuf,
    names: Vec<Name>,
    numbers: BTreeSet<usize>,
}

impl Refused {
    /// What the folder has.
    pub(crate) fn of(folder: &Path, names: &[Name]) -> Result<Self, String> {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let file = folder.join("refused.tsv");
        let text = fs::read_to_string(&file).unwrap_or_default();
        let refused: BTreeSet<&str> = text.lines().collect();
        let is_refused = |number: &usize| names.get(*number).is_some_and(|name| refused.contains(&*row(name)));
        let numbers = (0..names.len()).filter(is_refused).collect();
        Ok(Self { file, names: names.to_vec(), numbers })
    }

    pub(crate) fn numbers(&self) -> &BTreeSet<usize> {
        &self.numbers
    }

    pub(crate) fn note(&mut self, more: BTreeSet<usize>) -> Result<(), String> {
        self.numbers.extend(more);
        let rows = self.numbers.iter().filter_map(|number| self.names.get(*number));
        let text: String = rows.map(|name| row(name) + "\n").collect();
        fs::write(&self.file, text).map_err(|error| format!("{}: {error}", self.file.display()))
    }
}

fn row((function, place): &Name) -> String {
    format!("{function:016x}\t{place}")
}

/// The places are told from each other by what the mutants are, too: the finder may have changed. Functions of a file that
/// have the same text are told from each other by their order.
pub(crate) fn names(mutants: &[Mutant], source: impl Fn(&str) -> Result<String, String>) -> Result<Vec<Name>, String> {
    let mut names = Vec::new();
    for of_file in mutants.chunk_by(|one, next| one.file == next.file) {
        let Some(first) = of_file.first() else { continue };
        let text = source(&first.file)?;
        let mut before = BTreeMap::<u64, usize>::new();
        for of_function in of_file.chunk_by(|one, next| one.within == next.within) {
            let mut hasher = DefaultHasher::new();
            first.file.hash(&mut hasher);
            for mutant in of_function {
                (&mutant.function, &mutant.change).hash(&mut hasher);
            }
            of_function.first().and_then(|one| text.get(one.within.clone())).hash(&mut hasher);
            let same = before.entry(hasher.finish()).or_default();
            same.hash(&mut hasher);
            *same += 1;
            let function = hasher.finish();
            names.extend((0..of_function.len()).map(|place| (function, place)));
        }
    }
    Ok(names)
}

fn ends_of(text: &str) -> BTreeMap<Name, (End, usize)> {
    let rows = text.lines().filter_map(|row| {
        let parts: Vec<_> = row.split('\t').collect();
        let [function, place, word, test, round] = parts.as_slice() else { return None };
        let end = match *word {
            "killed" => End::Killed((*test).to_owned()),
            "hung" => End::Hung((*test).to_owned()),
            "survived" => End::Survived,
            "unreached" => End::Unreached,
            _ => return None,
        };
        Some(((u64::from_str_radix(function, 16).ok()?, place.parse().ok()?), (end, round.parse().ok()?)))
    });
    rows.collect()
}

fn rounds_of(text: &str) -> BTreeMap<String, usize> {
    let rows = text.lines().filter_map(|row| {
        let (round, test) = row.split_once('\t')?;
        Some((test.to_owned(), round.parse().ok()?))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails says where")]

    use super::*;

    /// Two functions with two mutants each: one returns nothing, one leaves out a call.
    const SOURCE: &str = "fn begin() {\n    one();\n}\n\nfn end() {\n    two();\n}\n";

    fn names_in(source: &str) -> Vec<Name> {
        let mutants = crate::guards::find::mutants("one.rs", source, 0).unwrap();
        assert_eq!(mutants.len(), 4);
        names(&mutants, |_| Ok(source.to_owned())).unwrap()
    }

    fn named(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_run_goes_on_where_another_one_stopped() {
        let folder = std::env::temp_dir().join(format!("ascendcl-guards-known-{}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        let load = |source: &str, tests: &[&str]| Known::of(&folder, names_in(source), &named(tests)).unwrap();
        let ends = |known: &Known| [0, 1, 2, 3].map(|number| known.end(number).map(|(end, _)| end.clone()));
        let first = load(SOURCE, &["a", "b"]);
        assert_eq!(ends(&first), [None, None, None, None]);
        first.note(0, &End::Killed("a".to_owned()));
        first.note(1, &End::Survived);
        first.note(2, &End::Unreached);
        let noted = [Some(End::Killed("a".to_owned())), Some(End::Survived), Some(End::Unreached), None];
        let second = load(SOURCE, &["a", "b", "c"]);
        assert_eq!(ends(&second), noted);
        let round = second.end(1).unwrap().1;
        assert!(second.had(round, "a") && !second.had(round, "c"), "what lived is tried with the new test");
        second.note(1, &End::Hung("c".to_owned()));
        assert_eq!(ends(&load(SOURCE, &["b", "c"])), [None, Some(End::Hung("c".to_owned())), noted[2].clone(), None]);
        let changed = SOURCE.replace("fn end() {", "// What ends.\nfn end() {\n    // First the second.");
        assert_eq!(ends(&load(&changed, &["a", "c"])), [noted[0].clone(), Some(End::Hung("c".to_owned())), None, None]);
        let moved = "\n\n// What begins.\n".to_owned() + SOURCE;
        assert_eq!(ends(&load(&moved, &["a", "c"]))[2], noted[2], "what stands around a function does not matter");
        drop(fs::remove_dir_all(&folder));
    }

    #[test]
    fn what_the_compiler_refuses_is_left_out_of_the_next_build_at_once() {
        let folder = std::env::temp_dir().join(format!("ascendcl-guards-refused-{}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        let load = |source: &str| Refused::of(&folder, &names_in(source)).unwrap();
        let mut first = load(SOURCE);
        assert!(first.numbers().is_empty());
        first.note(BTreeSet::from([1])).unwrap();
        first.note(BTreeSet::from([2])).unwrap();
        assert_eq!(*first.numbers(), BTreeSet::from([1, 2]));
        assert_eq!(*load(SOURCE).numbers(), BTreeSet::from([1, 2]));
        assert_eq!(
            *load(&SOURCE.replace("one()", "three()")).numbers(),
            BTreeSet::from([2]),
            "it may compile with another source"
        );
        drop(fs::remove_dir_all(&folder));
    }

    #[test]
    fn functions_with_the_same_text_are_told_from_each_other() {
        let same = "impl A {\n    fn end() {\n        two();\n    }\n}\n\nimpl B {\n    fn end() {\n        two();\n    }\n}\n";
        let names: BTreeSet<_> = names_in(same).into_iter().collect();
        assert_eq!(names.len(), 4);
    }
}
