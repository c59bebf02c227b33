//! Which tests reach which mutants, and what they say when one is on.

use super::switch;
use super::workspace::Program;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A test, and what it did without a mutant.
pub(crate) struct Test {
    pub(crate) program: usize,
    pub(crate) name: String,
    pub(crate) took: Duration,
    /// The mutants that made a difference could have been asked here.
    pub(crate) reaches: BTreeSet<usize>,
}

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

/// A test that takes longer is left out: each mutant that lives would run it.
const LONGEST: Duration = Duration::from_millis(2500);
/// A mutant is tried with so many tests at most under a further setting: those that reach the fewest mutants, because
/// hundreds of tests reach what each program does.
const MOST: usize = 30;

/// Tests at a time for each processor: most of them wait most of the time.
const WAITING: usize = 4;

/// Memory of a test, in KiB: a mutant may allocate without end.
const MEMORY: &str = "12582912";

/// The tests of the programs that pass without a mutant, with what they reach; and the names of the others.
pub(crate) fn recorded(programs: &[Program], scratch: &Path) -> Result<(Vec<Test>, Vec<String>), String> {
    let (mut tests, mut failed) = (Vec::new(), Vec::new());
    for (index, program) in programs.iter().enumerate() {
        for line in of_program(program, scratch)?.lines().skip(1) {
            let mut parts = line.split('\t');
            let (Some(name), Some(took)) = (parts.next(), parts.next()) else { continue };
            let Some(took) = took.parse().ok().filter(|took| u128::from(*took) < LONGEST.as_millis()) else {
                failed.push(format!("{}: {name}: {took}", program.name));
                continue;
            };
            let reaches =
                parts.next().unwrap_or_default().split(' ').filter_map(|number| number.parse().ok()).collect();
            tests.push(Test { program: index, name: name.to_owned(), took: Duration::from_millis(took), reaches });
        }
    }
    tests.sort_by_key(|test: &Test| (test.reaches.len(), test.took));
    Ok((tests, failed))
}

/// What the tests of a program reach, from the file of an earlier run of the same program, or by running each.
fn of_program(program: &Program, scratch: &Path) -> Result<String, String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", program.path.display());
    let built = std::fs::metadata(&program.path).and_then(|about| about.modified()).map_err(wrong)?;
    let file = scratch.join(program.path.file_name().unwrap_or_default());
    let head = format!("{built:?}");
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    if known.lines().next() == Some(&head) {
        return Ok(known);
    }
    let list = ["--list", "--format=terse"];
    let listed = Command::new(&program.path).args(list).current_dir(&program.folder).output().map_err(wrong)?;
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    let names: Vec<_> = text.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    let rows = Mutex::new(vec![head]);
    each(&names, |number, name| {
        let numbers = scratch.join(format!("numbers-{number}"));
        drop(std::fs::remove_file(&numbers));
        let begin = Instant::now();
        let ended = one(program, name, LONGEST * 4, "", |command| {
            command.env(switch::NUMBER, switch::ALL).env(switch::FILE, &numbers);
        });
        let took = match ended {
            Ended::Passed => begin.elapsed().as_millis().to_string(),
            Ended::Failed => "fails".to_owned(),
            Ended::Hung => "takes too long".to_owned(),
        };
        let reached = std::fs::read_to_string(&numbers).unwrap_or_default();
        drop(std::fs::remove_file(&numbers));
        let reached: Vec<_> = reached.lines().collect();
        if let Ok(mut rows) = rows.lock() {
            rows.push(format!("{name}\t{took}\t{}", reached.join(" ")));
        }
    });
    let text = rows.into_inner().map_err(|error| error.to_string())?.join("\n");
    std::fs::write(&file, &text).map_err(wrong)?;
    Ok(text)
}

/// How each of these mutants ends. A mutant and a test have to be of packages that fit.
pub(crate) fn tried(
    programs: &[Program],
    tests: &[Test],
    mutants: &[usize],
    fits: impl Fn(usize, &Program) -> bool + Sync,
    done: impl Fn(usize, &End) + Sync,
) {
    // A test that has killed a mutant is likely to kill its neighbours.
    let killers = Mutex::new(Vec::<usize>::new());
    each(mutants, |_, mutant| {
        let reach = |test: &Test| {
            test.reaches.contains(mutant) && programs.get(test.program).is_some_and(|program| fits(*mutant, program))
        };
        let all: Vec<_> = tests.iter().enumerate().filter(|(_, test)| reach(test)).collect();
        let first = killers.lock().map(|killers| killers.clone()).unwrap_or_default();
        let likely = first.iter().rev().filter_map(|killer| all.iter().find(|(index, _)| index == killer)).take(8);
        let likely: Vec<_> = likely.copied().collect();
        let rest = all.iter().copied().filter(|(index, _)| !likely.iter().any(|(other, _)| other == index));
        let order: Vec<_> = likely.iter().copied().chain(rest).collect();
        let mut end = if order.is_empty() { End::Unreached } else { End::Survived };
        'all: for (setting, names) in SETTINGS {
            let of_setting = |test: &Test| {
                let program = programs.get(test.program).filter(|own| names.is_empty() || names.contains(&&*own.name));
                program.filter(|_| test.reaches.contains(mutant))
            };
            let chosen = order.iter().filter_map(|(index, test)| Some((index, test, of_setting(test)?)));
            let most = if setting.is_empty() { usize::MAX } else { MOST };
            for (index, test, program) in chosen.take(most) {
                let name = || format!("{}: {}", program.name, test.name);
                end = match with_and_without(program, test, setting, *mutant) {
                    Ended::Passed => continue,
                    Ended::Failed => End::Killed(name()),
                    Ended::Hung => End::Hung(name()),
                };
                if let Ok(mut killers) = killers.lock() {
                    killers.retain(|killer| killer != index);
                    killers.push(*index);
                }
                break 'all;
            }
        }
        done(*mutant, &end);
    });
}

/// How the test ends with the mutant. A test that does not pass has to do that again, and to pass without the mutant: else
/// it has failed by chance, and shows nothing.
fn with_and_without(program: &Program, test: &Test, setting: &str, mutant: usize) -> Ended {
    let patience = Duration::from_secs(4) + test.took * 10;
    let try_once = |number: Option<usize>| {
        one(program, &test.name, patience, setting, |command| {
            if let Some(number) = number {
                command.env(switch::NUMBER, number.to_string());
            }
        })
    };
    let first = try_once(Some(mutant));
    let is_seen = !matches!(first, Ended::Passed)
        && !matches!(try_once(Some(mutant)), Ended::Passed)
        && matches!(try_once(None), Ended::Passed);
    if is_seen { first } else { Ended::Passed }
}

enum Ended {
    Passed,
    Failed,
    Hung,
}

/// What `timeout` says of a program that it has killed.
const KILLED: i32 = 137;

fn one(program: &Program, test: &str, patience: Duration, setting: &str, with: impl Fn(&mut Command)) -> Ended {
    let mut command = Command::new("sh");
    let script = format!("ulimit -c 0 -v {MEMORY}; exec timeout -s KILL \"$@\"");
    command.args(["-c", &script, "sh"]).arg(format!("{:.1}", patience.as_secs_f64())).arg(&program.path);
    command.args(["--exact", test, "--test-threads=1"]).current_dir(&program.folder);
    // What `.cargo/config.toml` says to programs that cargo runs. A backtrace of a large program takes a second.
    command.env("ASCENDCL_SIM_PATIENCE", "2").env("RUST_BACKTRACE", "0").env("CARGO_MANIFEST_DIR", &program.folder);
    if !setting.is_empty() {
        command.env("ASCENDCL_SIM", setting);
    }
    with(&mut command);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    match status.map(|status| (status.success(), status.code())) {
        Ok((true, _)) => Ended::Passed,
        // `timeout` kills itself, too, when it kills its program.
        Ok((false, Some(KILLED) | None)) => Ended::Hung,
        _ => Ended::Failed,
    }
}

/// Does this for each value, on several threads.
fn each<T: Sync>(values: &[T], act: impl Fn(usize, &T) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from) * WAITING;
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(value) = values.get(index) else { return };
                    act(index, value);
                }
            });
        }
    });
}
