//! What the tests say when a mutant is on.

use super::process::{Ended, Run, each};
use super::recorded::Test;
use super::switch;
use super::workspace::Program;
use std::sync::Mutex;
use std::time::Duration;

/// How a mutant ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// A test failed.
    Killed(String),
    /// A test did not end in time.
    Hung(String),
    Survived,
    /// No test runs what it changes.
    Unreached,
    /// The compiler refuses it.
    Refused,
}

/// The settings of the simulator under which `.ci/run` runs tests of the safe crate, and which tests those are. A mutant
/// that survives the first is tried with the others.
const SETTINGS: [(&str, &[&str]); 3] = [
    ("", &[]),
    ("strict", &["attacks", "execution", "operators", "scopes", "shapes"]),
    ("vendor-waits,reuse-handles", &["attacks", "asynchronous", "soak"]),
];

/// So many tests run in processes of their own, the likely ones.
const ALONE: usize = 12;
/// So many of the others run before it is looked whether one has failed. Those of a program share a process.
const TOGETHER: usize = 40;
/// A mutant is tried with so many tests at most under a further setting: those that reach the fewest mutants, because
/// hundreds of tests reach what each program does.
const MOST: usize = 60;
/// A mutant is tried with so many long tests at most: those that reach the fewest mutants.
const MOST_LONG: usize = 4;
/// How many tests of each program that have killed a mutant are tried first with the next: they are likely to kill its
/// neighbours.
const KILLERS: usize = 8;

/// A mutant to be tried, and the tests that may kill it, by their numbers.
pub(crate) struct Trial {
    pub(crate) mutant: usize,
    pub(crate) tests: Vec<usize>,
}

/// Tries each: first all of them with the tests that are quick and likeliest to fail, then what has lived with the other quick
/// ones, then what has lived with the rest. Before the last step, says what has lived so far.
pub(crate) fn tried(
    programs: &[Program],
    tests: &[Test],
    trials: &[Trial],
    so_far: impl Fn(&[usize]),
    done: impl Fn(usize, &End) + Sync,
) {
    let killers = Mutex::new(Vec::<usize>::new());
    let mutant = |number: usize| Mutant { number: number.to_string(), programs, tests };
    let name = |test: usize| tests.get(test).map(|test| test.label(programs)).unwrap_or_default();
    let killed = |number: usize, (killer, ended): (usize, Ended)| match ended {
        Ended::Hung => done(number, &End::Hung(name(killer))),
        _ => done(number, &End::Killed(name(killer))),
    };
    let likely = Mutex::new(Vec::new());
    each(trials, |_, trial| {
        let first = killers.lock().map(|killers| killers.clone()).unwrap_or_default();
        let likely_ones = first.iter().rev().filter(|killer| trial.tests.contains(killer)).take(KILLERS);
        let mut order: Vec<_> = likely_ones.copied().collect();
        let rest: Vec<_> = trial.tests.iter().copied().filter(|test| !order.contains(test)).collect();
        order.extend(rest);
        if order.is_empty() {
            return done(trial.mutant, &End::Unreached);
        }
        match mutant(trial.mutant).killed_by_a_likely_one(&order) {
            Some(end) => {
                if tests.get(end.0).is_some_and(Test::is_quick)
                    && let Ok(mut killers) = killers.lock()
                {
                    killers.retain(|other| *other != end.0);
                    killers.push(end.0);
                }
                killed(trial.mutant, end);
            }
            None => keep(&likely, (trial.mutant, order)),
        }
    });
    let living = Mutex::new(Vec::new());
    each(&all(likely), |_, (number, order)| match mutant(*number).killed_by_a_short_one(order) {
        Some(end) => killed(*number, end),
        None => keep(&living, (*number, order.clone())),
    });
    let living = all(living);
    so_far(&living.iter().map(|(number, _)| *number).collect::<Vec<_>>());
    each(&living, |_, (number, order)| match mutant(*number).killed_otherwise(order) {
        Some(end) => killed(*number, end),
        None => done(*number, &End::Survived),
    });
}

/// A mutant that lives so far, and its tests.
type Living = (usize, Vec<usize>);

fn keep(living: &Mutex<Vec<Living>>, one: Living) {
    if let Ok(mut living) = living.lock() {
        living.push(one);
    }
}

fn all(living: Mutex<Vec<Living>>) -> Vec<Living> {
    living.into_inner().unwrap_or_default()
}

impl Test {
    pub(crate) fn label(&self, programs: &[Program]) -> String {
        let program = programs.get(self.program).map(|program| program.name.as_str());
        format!("{}: {}", program.unwrap_or_default(), self.name)
    }
}

struct Mutant<'a> {
    number: String,
    programs: &'a [Program],
    tests: &'a [Test],
}

impl Mutant<'_> {
    /// The test of the likeliest quick ones that kills the mutant.
    fn killed_by_a_likely_one(&self, order: &[usize]) -> Option<(usize, Ended)> {
        self.short(order).0.iter().find_map(|index| self.fails(*index, ""))
    }

    /// The other test of those that are not long that kills the mutant.
    fn killed_by_a_short_one(&self, order: &[usize]) -> Option<(usize, Ended)> {
        self.short(order).1.chunks(TOGETHER).find_map(|some| self.fails_among(some, ""))
    }

    /// The tests that are not long: those that run alone, and the others.
    fn short(&self, order: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let mut short = self.of_length(order, false);
        let quick = short.iter().filter(|index| self.tests.get(**index).is_some_and(Test::is_quick)).count();
        let others = short.split_off(quick.min(ALONE));
        (short, others)
    }

    /// The test that kills the mutant under another setting, or the long one.
    fn killed_otherwise(&self, order: &[usize]) -> Option<(usize, Ended)> {
        let short = self.of_length(order, false);
        for (setting, names) in SETTINGS.iter().filter(|(setting, _)| !setting.is_empty()) {
            let of_setting = |index: &&usize| {
                let program = self.tests.get(**index).and_then(|test| self.programs.get(test.program));
                program.is_some_and(|program| names.contains(&&*program.name))
            };
            let chosen: Vec<_> = short.iter().filter(of_setting).take(MOST).copied().collect();
            if let Some(killer) = self.fails_among(&chosen, setting) {
                return Some(killer);
            }
        }
        self.of_length(order, true).iter().take(MOST_LONG).find_map(|index| self.fails(*index, ""))
    }

    fn of_length(&self, order: &[usize], is_long: bool) -> Vec<usize> {
        let fits = |index: &&usize| self.tests.get(**index).is_some_and(|test| test.is_long() == is_long);
        order.iter().filter(fits).copied().collect()
    }

    /// The first of these that fails. The tests of a program run in one process, and what does not pass there, again alone.
    fn fails_among(&self, order: &[usize], setting: &str) -> Option<(usize, Ended)> {
        for number in 0..self.programs.len() {
            let of_program = |index: &&usize| self.tests.get(**index).is_some_and(|test| test.program == number);
            let here: Vec<_> = order.iter().filter(of_program).copied().collect();
            let tests: Vec<_> = here.iter().filter_map(|index| self.tests.get(*index)).collect();
            let (Some(program), false) = (self.programs.get(number), tests.is_empty()) else { continue };
            let took: Duration = tests.iter().map(|test| test.took).sum();
            let names: Vec<_> = tests.iter().map(|test| test.name.as_str()).collect();
            let variables = [(switch::NUMBER, &*self.number)];
            let patience = Duration::from_secs(8) + took * 2;
            let run = Run { program, tests: &names, patience, setting, variables: &variables };
            let suspects = run.not_passed().into_iter().filter_map(|place| here.get(place));
            if let Some(killer) = suspects.into_iter().find_map(|index| self.fails(*index, setting)) {
                return Some(killer);
            }
        }
        None
    }

    /// Whether the test fails with the mutant. It has to do that again, and to pass without the mutant: else it has failed
    /// by chance, and shows nothing.
    fn fails(&self, index: usize, setting: &str) -> Option<(usize, Ended)> {
        let test = self.tests.get(index)?;
        let program = self.programs.get(test.program)?;
        let patience = Duration::from_secs(4) + test.took * 10;
        let with: [(&str, &str); 1] = [(switch::NUMBER, &self.number)];
        let try_once =
            |variables: &[(&str, &str)]| Run { program, tests: &[&test.name], patience, setting, variables }.ended();
        let first = try_once(&with);
        let is_seen = first != Ended::Passed && try_once(&with) != Ended::Passed && try_once(&[]) == Ended::Passed;
        is_seen.then_some((index, first))
    }
}
