//! Runs a program with one fault after the other.

use crate::common;
use ascendcl::runtime;
use ascendcl::{Acl, Current, Device, Error, Library, ScopeError, Scoped, Thread};
use ascendcl_sim::{Checks, Config, Injected, Plan, control};
use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

pub(crate) type Program = for<'c> fn(&mut Current<Scoped<'c>>) -> Result<(), Error>;

/// How long the library fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum How {
    /// It is well again when the program gives back what it has.
    Once,
    /// Nothing can be given back.
    ForGood,
}

/// Where the program runs, as the library says, and how that answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Host,
    Device,
    /// On the host, with answers of which the manual has the word. So the library has conditions.
    AsDocumented,
}

/// What became of the runs.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) positions: u64,
    /// The program went on, or around, the failure.
    pub(crate) succeeded: u64,
    /// By what the program returned: the call that its error names, or the kind of error.
    pub(crate) failed: BTreeMap<String, u64>,
    /// Runs in which what was left had to be given back once more.
    pub(crate) again: u64,
}

/// How one run ended.
pub(crate) struct End {
    pub(crate) calls: u64,
    pub(crate) injected: Vec<Injected>,
    pub(crate) error: Option<String>,
    pub(crate) again: bool,
    /// What should not be.
    pub(crate) wrong: Vec<String>,
}

impl End {
    /// Whether this many faults came.
    fn had(&self, faults: usize) -> bool {
        self.injected.len() >= faults
    }
}

/// Lets each call of a program have the fault.
pub(crate) fn everywhere(name: &str, program: Program, fault: &str, how: How) -> Tally {
    everywhere_of((Mode::Host, "*"), name, program, fault, how)
}

/// Lets each call of a program that runs there have the fault.
pub(crate) fn everywhere_in(mode: Mode, name: &str, program: Program, fault: &str) -> Tally {
    at_each_position("*", name, fault, |plan| run(mode, |acl| alone_on_device(acl, program), plan, How::Once))
}

/// Lets each call of two threads that run the program side by side have the fault.
pub(crate) fn everywhere_on_two_threads(name: &str, program: Program, fault: &str) -> Tally {
    let both = |acl: &Acl| with_device(acl, |device, thread| on_two_threads(device, thread, program));
    at_each_position("*", name, fault, |plan| run(Mode::Host, both, plan, How::Once))
}

/// Lets each call of this function have the fault.
pub(crate) fn everywhere_of((mode, call): (Mode, &str), name: &str, program: Program, fault: &str, how: How) -> Tally {
    at_each_position(call, name, fault, |plan| run(mode, |acl| alone_on_device(acl, program), plan, how))
}

/// Lets two calls of a program that runs there have the fault: see [`Pairs`].
pub(crate) fn in_pairs(pairs: Pairs, mode: Mode, name: &str, program: Program, fault: &str) -> Tally {
    at_each_pair(pairs, name, fault, |plan| run(mode, |acl| alone_on_device(acl, program), plan, How::Once))
}

pub(crate) fn at_each_position(call: &str, name: &str, fault: &str, run: impl Fn(&str) -> End) -> Tally {
    let _alone = common::alone();
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    for position in 1.. {
        let plan = format!("{call}#{position}={fault}");
        let mut end = watched(&format!("{name} with {plan}"), || run(&plan));
        wrong.append(&mut end.wrong);
        if !end.had(1) {
            if end.calls < position || call != "*" {
                break;
            }
            // A call that cannot fail.
            continue;
        }
        tally.count(end);
    }
    tally.report(name, &format!("{call}={fault}"));
    assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
    tally
}

/// Which second calls fail after a first one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pairs {
    /// All of the next so many: what cleans up after the first.
    pub(crate) next: u64,
    /// And of the later ones, one of so many, by turns.
    pub(crate) one_of: u64,
}

impl Pairs {
    fn has(self, first: u64, second: u64) -> bool {
        second - first <= self.next || (first + second).is_multiple_of(self.one_of)
    }
}

pub(crate) fn at_each_pair(pairs: Pairs, name: &str, fault: &str, run: impl Fn(&str) -> End) -> Tally {
    let _alone = common::alone();
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    for first in 1.. {
        let plan = format!("*#{first}={fault}");
        let alone = watched(&format!("{name} with {plan}"), || run(&plan));
        if alone.calls < first {
            break;
        }
        if !alone.had(1) {
            continue;
        }
        for second in (first + 1..).take_while(|second| *second <= alone.calls + pairs.next) {
            if !pairs.has(first, second) {
                continue;
            }
            let plan = format!("*#{first}={fault},*#{second}={fault}");
            let mut end = watched(&format!("{name} with {plan}"), || run(&plan));
            wrong.append(&mut end.wrong);
            if end.had(2) {
                tally.count(end);
            }
        }
    }
    tally.report(name, &format!("two calls={fault}"));
    assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
    tally
}

impl Tally {
    fn count(&mut self, end: End) {
        self.add(end.error, end.again);
    }

    pub(crate) fn add(&mut self, error: Option<String>, again: bool) {
        self.positions += 1;
        self.again += u64::from(again);
        match error {
            None => self.succeeded += 1,
            Some(error) => *self.failed.entry(error).or_default() += 1,
        }
    }

    pub(crate) fn report(&self, name: &str, what: &str) {
        if self.positions > 0 {
            let Self { positions, succeeded, failed, again } = self;
            let failures: u64 = failed.values().sum();
            println!(
                "{name}, {what}: {positions} positions, {succeeded} succeeded, {failures} failed, {again} gave back once \
                 more; {failed:?}",
            );
        }
    }
}

/// Runs a program with a plan, and looks at what is left.
pub(crate) fn run(mode: Mode, program: impl FnOnce(&Acl) -> Result<(), Error>, plan: &str, how: How) -> End {
    begin(mode, plan);
    let ran = catch_unwind(AssertUnwindSafe(|| attempt(program)));
    let (calls, injected) = (control::calls(), control::injected());
    if how == How::Once {
        control::fail(Plan::new()).unwrap();
    }
    let at = injected.first().map_or("", |injected| injected.call);
    let Ok((result, left)) = ran else { panic!("{plan} ({at}): the program panicked") };
    let mut wrong = Vec::new();
    let again = left.is_some();
    if how == How::Once {
        let left = runtime::sweep(Some(Duration::from_secs(5)));
        wrong.extend(left.iter().map(|error| format!("{plan} ({at}): the sweep once more failed: {error}")));
    }
    let closed = left.map_or(Ok(()), |acl| acl.close().map_err(|failed| failed.error));
    if how == How::Once {
        wrong.extend(closed.err().map(|error| format!("{plan} ({at}): giving back once more failed: {error}")));
        wrong.extend(left_alive().map(|left| format!("{plan} ({at}): left alive:{left}")));
    }
    wrong.extend(found().map(|finding| format!("{plan} ({at}): \n{finding}")));
    End { calls, injected, error: result.err().map(|error| kind(&error)), again, wrong }
}

/// A fresh machine with a plan.
pub(crate) fn begin(mode: Mode, plan: &str) {
    let config = match mode {
        Mode::AsDocumented => Config::new().documented(true),
        Mode::Host | Mode::Device => Config::new().on_device(mode == Mode::Device),
    };
    begin_with(config.checks(Checks::Report), plan);
}

pub(crate) fn begin_with(config: Config, plan: &str) {
    control::reset();
    control::configure(config).unwrap();
    control::take_findings();
    control::fail(plan.parse().unwrap()).unwrap();
}

/// Whatever the simulator still has: contexts, streams, events, memory, models, and the records that it keeps on the
/// host.
pub(crate) fn left_alive() -> Option<String> {
    let live = format!("{:?}", control::live());
    let counts = live.split([',', '{', '}']);
    let live: Vec<_> = counts.filter(|count| count.contains(": ") && !count.trim_end().ends_with(": 0")).collect();
    (!live.is_empty()).then(|| live.join(","))
}

/// The broken rules.
pub(crate) fn found() -> impl Iterator<Item = String> {
    control::take_findings().into_iter().map(|finding| finding.to_string())
}

/// Everything from `aclInit` on. What could not be given back comes with the result.
fn attempt(program: impl FnOnce(&Acl) -> Result<(), Error>) -> (Result<(), Error>, Option<Acl>) {
    let acl = match Acl::init(Library::Simulator) {
        Ok(acl) => acl,
        Err(error) => return (Err(error), None),
    };
    let result = program(&acl);
    match acl.close() {
        Ok(()) => (result, None),
        Err(failed) => (result.and(Err(failed.error)), Some(failed.value)),
    }
}

fn with_device(acl: &Acl, program: impl FnOnce(&Device<'_>, &mut Thread) -> Result<(), Error>) -> Result<(), Error> {
    let mut thread = Thread::new()?;
    let device = acl.device(&mut thread, 0)?.with_teardown_timeout(Duration::from_secs(5));
    let result = program(&device, &mut thread);
    result.and(device.reset(&mut thread).map_err(Error::from))
}

fn alone_on_device(acl: &Acl, program: Program) -> Result<(), Error> {
    with_device(acl, |device, thread| on_this_thread(device, thread, program))
}

fn on_this_thread(device: &Device<'_>, thread: &mut Thread, program: Program) -> Result<(), Error> {
    match device.with_current(thread, program) {
        Ok(result) => result,
        Err(ScopeError::NotOpened(error)) => Err(error),
        Err(ScopeError::Teardown { mut errors, .. }) => Err(errors.remove(0)),
    }
}

fn on_two_threads(device: &Device<'_>, thread: &mut Thread, program: Program) -> Result<(), Error> {
    std::thread::scope(|scope| {
        let other = scope.spawn(|| on_this_thread(device, &mut Thread::new()?, program));
        let own = on_this_thread(device, thread, program);
        own.and(other.join().unwrap())
    })
}

/// The vendor call that an error names, or what it is.
pub(crate) fn kind(error: &Error) -> String {
    match error {
        Error::Vendor(error) => error.call.to_owned(),
        other => {
            let text = format!("{other:?}");
            text.split([' ', '(', '{']).next().unwrap_or_default().to_owned()
        }
    }
}

/// Ends the process when `run` does not end: a hang is a failure, too.
pub(crate) fn watched<R>(what: &str, run: impl FnOnce() -> R) -> R {
    const LONGEST: Duration = Duration::from_secs(60);
    let (over, watch) = mpsc::channel::<()>();
    let what = what.to_owned();
    let watcher = std::thread::spawn(move || {
        if watch.recv_timeout(LONGEST) == Err(RecvTimeoutError::Timeout) {
            eprintln!("{what}: the run does not end");
            std::process::abort();
        }
    });
    let result = run();
    drop(over);
    watcher.join().unwrap();
    result
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.positions += other.positions;
        self.succeeded += other.succeeded;
        self.again += other.again;
        for (error, count) in other.failed {
            *self.failed.entry(error).or_default() += count;
        }
    }
}
