//! Mutants of the code that keeps the rules: each guard is changed, and a test has to fail.
//!
//! One build has all mutants (mutant schemata), and a variable of the environment switches one on. So a mutant costs
//! the run of a few tests, not a build. A first run of each test writes down which mutants it asks, and a mutant is tried
//! with the tests that ask it, each in a process of its own.

mod answers;
mod find;
#[cfg(test)]
mod find_tests;
mod known;
mod process;
mod recorded;
mod shapes;
mod switch;
mod text;
mod trials;
mod watch;
mod workspace;

use crate::ground::Ground;
use crate::part::Outcome;
use crate::parts::tests_of;
use crate::table;
use known::{Known, Refused};
use recorded::Test;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use text::Mutant;
use trials::{End, Trial};
use workspace::{Built, FOLDERS, Program};

/// The packages whose tests are tried, and their tests; without a list, all that run code of the package.
const PACKAGES: [(&str, &[&str]); 4] =
    [("ascendcl-rules", &[]), ("ascendcl-sim", &["findings"]), ("ascendcl", &[]), ("ascendcl-ge", &[])];

/// Those of them whose tests are for the checker. The others are for the safe crate.
const CHECKING: [&str; 2] = ["ascendcl-rules", "ascendcl-sim"];

/// The variable with the beginnings of the names of files to which a run is limited, with commas between.
const LIMITED: &str = "GUARDS";

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    let mutants = workspace::mutants(&ground.root)?;
    let reasons = answers::of(&ground.read(answers::FILE)?)?;
    let limited = std::env::var(LIMITED).unwrap_or_default();
    let files: Vec<_> = limited.split(',').filter(|name| !name.is_empty()).collect();
    let wanted = wanted(&mutants, &files)?;
    let folder = ground.root.join("target/guards");
    let names = known::names(&mutants, |file| ground.read(file))?;
    let mut refused = Refused::of(&folder.join("known"), &names)?;
    let programs = built(ground, &mutants, &wanted, &mut refused)?;
    let reached = folder.join("reached");
    std::fs::create_dir_all(&reached).map_err(|error| format!("{}: {error}", reached.display()))?;
    let (tests, failed) = recorded::recorded(&programs, &reached)?;
    ground.write("guards-without.txt", &failed.join("\n"))?;
    if tests.is_empty() {
        return Err("no test passes without a mutant".to_owned());
    }
    let labels = tests.iter().map(|test| test.label(&programs)).collect();
    let known = Known::of(&folder.join("known"), names, &labels)?;
    let mut ends = BTreeMap::new();
    let mut trials = Vec::new();
    for number in wanted {
        if refused.numbers().contains(&number) {
            ends.insert(number, End::Refused);
            continue;
        }
        let trial = trial(number, &mutants, &programs, &tests, &known);
        if let Some((end, _)) = known.end(number) {
            ends.insert(number, end.clone());
            if matches!(end, End::Killed(_) | End::Hung(_)) || trial.tests.is_empty() {
                continue;
            }
        }
        trials.push(trial);
    }
    let (first, last) = by_reason(trials, &mutants, &reasons);
    let ends = Mutex::new(ends);
    let so_far = |living: &[usize]| {
        let rows = living.iter().filter_map(|number| mutants.get(*number)).map(answers::place);
        drop(ground.write("guards-so-far.tsv", &answers::rows(rows)));
    };
    let done = |number: usize, end: &End| {
        if let Ok(mut ends) = ends.lock() {
            known.note(number, end);
            ends.insert(number, end.clone());
            if ends.len().is_multiple_of(20) {
                // What a run that is stopped leaves; the end writes it again.
                drop(ground.write("guards.csv", &page(&mutants, &ends)));
            }
        }
    };
    trials::tried(&programs, &tests, &first, so_far, done);
    trials::tried(&programs, &tests, &last, |_| (), done);
    let ends = ends.into_inner().map_err(|error| error.to_string())?;
    ground.write("guards.csv", &page(&mutants, &ends))?;
    Ok(judged(ground, &mutants, &ends, &reasons, files.is_empty())?.fact("tests left out", failed.len()))
}

/// The numbers of the mutants in files whose names begin with one of these, in the order of the list; all, if there is no list.
fn wanted(mutants: &[Mutant], files: &[&str]) -> Result<Vec<usize>, String> {
    let place = |number: &usize| {
        let file = mutants.get(*number).map(|mutant| mutant.file.as_str()).unwrap_or_default();
        if files.is_empty() { Some(0) } else { files.iter().position(|name| file.starts_with(name)) }
    };
    let mut wanted: Vec<_> = (0..mutants.len()).filter(|number| place(number).is_some()).collect();
    wanted.sort_by_key(place);
    match files.iter().find(|name| !mutants.iter().any(|mutant| mutant.file.starts_with(**name))) {
        Some(name) => Err(format!("{LIMITED}: no file with a mutant begins with `{name}`")),
        None => Ok(wanted),
    }
}

/// Those without a reason, and those with one. A mutant that has a reason is likely to live, and then all tests run: it is tried
/// when the others are through.
fn by_reason(
    trials: Vec<Trial>,
    mutants: &[Mutant],
    reasons: &BTreeMap<answers::Place, String>,
) -> (Vec<Trial>, Vec<Trial>) {
    let place = |trial: &Trial| mutants.get(trial.mutant).map(answers::place);
    trials.into_iter().partition(|trial| !place(trial).is_some_and(|place| reasons.contains_key(&place)))
}

/// The tests that reach the mutant and were not tried with it yet. A mutant and a test have to be of packages that fit.
fn trial(mutant: usize, mutants: &[Mutant], programs: &[Program], tests: &[Test], known: &Known) -> Trial {
    let checks = mutants.get(mutant).is_some_and(is_of_the_checker);
    let fits = |test: &Test| {
        let program = programs.get(test.program);
        test.reaches.contains(&mutant) && program.is_some_and(|program| checks == CHECKING.contains(&&*program.package))
    };
    let round = known.end(mutant).map(|(_, round)| *round);
    let is_new = |test: &Test| round.is_none_or(|round| !known.had(round, &test.label(programs)));
    let chosen = tests.iter().enumerate().filter(|(_, test)| fits(test) && is_new(test));
    Trial { mutant, tests: chosen.map(|(index, _)| index).collect() }
}

/// The test programs for the mutants that are wanted. Finds out which mutants the compiler refuses.
fn built(ground: &Ground, mutants: &[Mutant], wanted: &[usize], refused: &mut Refused) -> Result<Vec<Program>, String> {
    let is_wanted = |package: &str| {
        let checks = CHECKING.contains(&package);
        wanted.iter().any(|number| mutants.get(*number).is_some_and(|mutant| is_of_the_checker(mutant) == checks))
    };
    let (mut packages, mut tests) = (Vec::new(), BTreeSet::new());
    for (package, chosen) in PACKAGES.iter().filter(|(package, _)| is_wanted(package)) {
        packages.push(*package);
        match chosen {
            [] => tests.extend(tests_of(ground, package)?),
            chosen => tests.extend(chosen.iter().map(|test| (*test).to_owned())),
        }
    }
    loop {
        let copy = workspace::write(ground, mutants, refused.numbers())?;
        match workspace::build(ground, &copy, &packages, &tests)? {
            Built::Programs(programs) => return Ok(programs),
            // Each round takes some away, so the rounds end.
            Built::Errors(numbers) => refused.note(numbers)?,
        }
    }
}

fn is_of_the_checker(mutant: &Mutant) -> bool {
    mutant.file.starts_with("rules/")
}

fn page(mutants: &[Mutant], ends: &BTreeMap<usize, End>) -> String {
    let rows = ends.iter().filter_map(|(number, end)| {
        let mutant = mutants.get(*number)?;
        let (word, test) = match end {
            End::Killed(test) => ("killed", test.as_str()),
            End::Hung(test) => ("hung", test.as_str()),
            End::Survived => ("survived", ""),
            End::Unreached => ("no test", ""),
            End::Refused => ("does not compile", ""),
        };
        let cells =
            [&number.to_string(), word, &mutant.file, &mutant.line.to_string(), &mutant.function, &mutant.change, test];
        Some(cells.map(str::to_owned).to_vec())
    });
    table::csv(&["number", "end", "file", "line", "function", "change", "test"], &rows.collect::<Vec<_>>())
}

fn judged(
    ground: &Ground,
    mutants: &[Mutant],
    ends: &BTreeMap<usize, End>,
    reasons: &BTreeMap<answers::Place, String>,
    all: bool,
) -> Result<Outcome, String> {
    let ended = |number: &usize, end: &End| Some((mutants.get(*number)?, end.clone()));
    let tried: Vec<_> = ends.iter().filter_map(|(number, end)| ended(number, end)).collect();
    let lives = |end: &End| matches!(end, End::Survived | End::Unreached);
    let living: BTreeSet<_> = tried.iter().filter(|(_, end)| lives(end)).map(|(one, _)| answers::place(one)).collect();
    let open: Vec<_> = living.iter().filter(|place| !reasons.contains_key(*place)).collect();
    let killed: BTreeSet<_> = tried.iter().filter(|(_, end)| !lives(end)).map(|(one, _)| answers::place(one)).collect();
    let dead = |place: &&answers::Place| killed.contains(*place) && !living.contains(*place);
    let mut stale = answers::stale(reasons, mutants);
    stale.extend(reasons.keys().filter(dead));
    ground.write("guards-open.tsv", &answers::rows(open.iter().copied().cloned()))?;
    ground.write("guards-stale.tsv", &answers::rows(stale.iter().copied().cloned()))?;
    let count = |is: fn(&End) -> bool| tried.iter().filter(|(_, end)| is(end)).count();
    let (killed, hung) = (count(|end| matches!(end, End::Killed(_))), count(|end| matches!(end, End::Hung(_))));
    let refused = count(|end| *end == End::Refused);
    let lived = count(|end| matches!(end, End::Survived | End::Unreached));
    let tried_number = tried.len() - refused;
    let says = format!(
        "{tried_number} mutants tried: {killed} killed, {hung} hung, {lived} live, {} of them without a reason; {} stale reasons",
        open.len(),
        stale.len()
    );
    let mut outcome = Outcome::judged(open.is_empty() && stale.is_empty() && tried_number > 0, says)
        .fact("tried", tried_number)
        .fact("killed", killed)
        .fact("hung", hung)
        .fact("live", lived)
        .fact("without a reason", open.len())
        .fact("refused by the compiler", refused)
        .fact("all files", all);
    for folder in FOLDERS {
        let here = |one: &&(&Mutant, End)| one.0.file.starts_with(folder) && one.1 != End::Refused;
        let of = tried.iter().filter(here).count();
        let alive = tried.iter().filter(here).filter(|(_, end)| lives(end)).count();
        outcome = outcome.fact(folder, format!("{of} tried, {alive} live"));
    }
    Ok(outcome.file("guards.csv").file("guards-open.tsv"))
}
