//! Running a program with one fault after the other.

use crate::common;
use ascendcl::{Acl, Current, Device, Error, Library, ScopeError, Thread};
use ascendcl_sim::{Checks, Config, Injected, Plan, control};
use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

pub(crate) type Program = for<'c> fn(&mut Current<'c>) -> Result<(), Error>;

/// How long the library fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum How {
    /// It is well again when the program gives back what it has.
    Once,
    /// Nothing can be given back.
    ForGood,
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
struct End {
    calls: u64,
    injected: Vec<Injected>,
    error: Option<String>,
    again: bool,
    /// What should not be.
    wrong: Vec<String>,
}

/// Lets each call of a program have the fault.
pub(crate) fn everywhere(name: &str, program: Program, fault: &str, how: How) -> Tally {
    everywhere_of("*", name, program, fault, how)
}

/// Lets each call of two threads that run the program side by side have the fault.
pub(crate) fn everywhere_on_two_threads(name: &str, program: Program, fault: &str) -> Tally {
    let run = |plan: &str| {
        run(|acl| with_device(acl, |device, thread| on_two_threads(device, thread, program)), plan, How::Once)
    };
    at_each_position("*", name, fault, run)
}

/// Lets each call of this function have the fault.
pub(crate) fn everywhere_of(call: &str, name: &str, program: Program, fault: &str, how: How) -> Tally {
    let run =
        |plan: &str| run(|acl| with_device(acl, |device, thread| on_this_thread(device, thread, program)), plan, how);
    at_each_position(call, name, fault, run)
}

fn at_each_position(call: &str, name: &str, fault: &str, run: impl Fn(&str) -> End) -> Tally {
    let _alone = common::alone();
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    for position in 1.. {
        let plan = format!("{call}#{position}={fault}");
        let mut end = watched(&format!("{name} with {plan}"), || run(&plan));
        wrong.append(&mut end.wrong);
        if end.injected.is_empty() {
            if end.calls < position || call != "*" {
                break;
            }
            // A call that cannot fail.
            continue;
        }
        tally.positions += 1;
        tally.again += u64::from(end.again);
        match end.error {
            None => tally.succeeded += 1,
            Some(error) => *tally.failed.entry(error).or_default() += 1,
        }
    }
    if tally.positions > 0 {
        let Tally { positions, succeeded, failed, again } = &tally;
        let failures: u64 = failed.values().sum();
        println!(
            "{name}, {call}={fault}: {positions} positions, {succeeded} succeeded, {failures} failed, {again} gave back \
             once more; {failed:?}",
        );
    }
    assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
    tally
}

/// Runs a program with a plan, and looks at what is left.
fn run(program: impl FnOnce(&Acl) -> Result<(), Error>, plan: &str, how: How) -> End {
    control::reset();
    control::configure(Config::new().checks(Checks::Report)).unwrap();
    control::take_findings();
    control::fail(plan.parse().unwrap()).unwrap();
    let ran = catch_unwind(AssertUnwindSafe(|| attempt(program)));
    let (calls, injected) = (control::calls(), control::injected());
    if how == How::Once {
        control::fail(Plan::new()).unwrap();
    }
    let at = injected.first().map_or("", |injected| injected.call);
    let Ok((result, left)) = ran else { panic!("{plan} ({at}): the program panicked") };
    let mut wrong = Vec::new();
    let again = left.is_some();
    let closed = left.map_or(Ok(()), |acl| acl.close().map_err(|undone| undone.error));
    if how == How::Once {
        wrong.extend(closed.err().map(|error| format!("{plan} ({at}): giving back once more failed: {error}")));
        let live = format!("{:?}", control::live());
        let live: Vec<_> = live
            .split([',', '{', '}'])
            .filter(|count| count.contains(": ") && !count.trim_end().ends_with(": 0"))
            .collect();
        if !live.is_empty() {
            wrong.push(format!("{plan} ({at}): left alive:{}", live.join(",")));
        }
    }
    let found = control::take_findings().into_iter();
    wrong.extend(found.map(|finding| format!("{plan} ({at}): \n{finding}")));
    End { calls, injected, error: result.err().map(|error| kind(&error)), again, wrong }
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
        Err(undone) => (result.and(Err(undone.error)), Some(undone.value)),
    }
}

fn with_device(acl: &Acl, program: impl FnOnce(&Device<'_>, &mut Thread) -> Result<(), Error>) -> Result<(), Error> {
    let mut thread = Thread::new()?;
    let device = acl.device(&mut thread, 0)?.with_patience(Duration::from_secs(5));
    let result = program(&device, &mut thread);
    result.and(device.reset(&mut thread).map_err(Error::from))
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
fn kind(error: &Error) -> String {
    match error {
        Error::Vendor(error) => error.call.to_owned(),
        other => {
            let text = format!("{other:?}");
            text.split([' ', '(', '{']).next().unwrap_or_default().to_owned()
        }
    }
}

/// Ends the process when `run` does not end: a hang is a failure, too.
fn watched<R>(what: &str, run: impl FnOnce() -> R) -> R {
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
