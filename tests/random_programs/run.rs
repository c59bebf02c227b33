//! Runs one program on a fresh machine, and checks what is left.

use crate::actor::{Actor, scope_ended};

use crate::program::{Kind, Program};
use crate::world::World;
use ascendcl::{Acl, Context, Error, Library, Recovered, Scoped, Thread};
use ascendcl_sim::{Fault, Injected, Plan, control};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, Once};
use std::thread;
use std::time::Duration;

/// What panicked, and where, since the program began.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// What went wrong on purpose.
static INJECTED: Mutex<Vec<Injected>> = Mutex::new(Vec::new());

/// The rules that were broken while things went wrong.
static FINDINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// How many of them were found before the devices were well again.
static FOUND_WHILE_LOST: AtomicUsize = AtomicUsize::new(0);

/// Nothing goes wrong any more.
fn heal() {
    FINDINGS.lock().unwrap().extend(control::take_findings().iter().map(ToString::to_string));
    INJECTED.lock().unwrap().extend(control::injected().iter().filter(|fault| !matches!(fault.fault, Fault::Slows(_))));
    control::fail(Plan::new()).unwrap();
}

/// Whether a call of this function was made to fail, in this program.
pub(crate) fn was_injected(call: &str) -> bool {
    let before = INJECTED.lock().unwrap();
    before.iter().chain(&control::injected()).any(|fault| fault.call == call)
}

/// The program ends well, or this says why not.
pub(crate) fn run(seed: u64, program: &Program) -> Result<(), String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let own = thread::current().name().is_some_and(|name| name.starts_with("random program"));
            if own { PANICS.lock().unwrap().push(panic.to_string()) } else { before(panic) }
        }));
    });
    control::reset();
    control::configure(program.machine.config()).unwrap();
    control::take_findings();
    control::fail(program.faults.plan.parse().unwrap()).unwrap();
    PANICS.lock().unwrap().clear();
    INJECTED.lock().unwrap().clear();
    FINDINGS.lock().unwrap().clear();
    FOUND_WHILE_LOST.store(usize::MAX, Relaxed);
    let ended = watched(seed, program, || {
        // A thread of its own: a panic can leave the token of a thread behind.
        thread::scope(|scope| {
            let thread = thread::Builder::new().name("random program".into()).spawn_scoped(scope, || whole(program));
            thread.unwrap().join()
        })
    });
    heal();
    if program.faults.kind == Kind::Lost {
        // The checker did not see the calls that were made while the devices were lost.
        FINDINGS.lock().unwrap().truncate(FOUND_WHILE_LOST.load(Relaxed));
    }
    if program.faults.recovers {
        // A recovery aborts every stream in turn, also one for which another waits. That one's turn comes.
        FINDINGS.lock().unwrap().retain(|finding| !finding.starts_with("STREAM-17 "));
    }
    let mut wrong = std::mem::take(&mut *PANICS.lock().unwrap());
    wrong.append(&mut FINDINGS.lock().unwrap());
    match ended {
        Ok(()) if control::live().is_empty() => {}
        Ok(()) => wrong.push(format!("left alive: {:?}", control::live())),
        Err(_) if wrong.is_empty() => wrong.push("a panic without a message".into()),
        Err(_) => {}
    }
    if wrong.is_empty() {
        return Ok(());
    }
    wrong.extend(INJECTED.lock().unwrap().iter().map(|fault| format!("{fault:?}")));
    Err(wrong.join("\n"))
}

/// From the initialisation of the library to its end.
fn whole(program: &Program) {
    let faulty = program.faults.kind != Kind::None;
    let acl = match Acl::init(Library::Simulator) {
        Ok(acl) => acl,
        Err(error) => {
            assert!(faulty, "the library could not be initialised: {error}");
            return;
        }
    };
    if let Err(error) = on_device(&acl, program) {
        assert!(faulty, "on the device: {error}");
    }
    if crate::forcing::what_is_left_is_swept(program) {
        // The library is well again, and takes back all that it refused before.
        heal();
        FOUND_WHILE_LOST.fetch_min(FINDINGS.lock().unwrap().len(), Relaxed);
        crate::forcing::all_is_swept();
    }
    let Err(mut failed) = acl.close() else { return };
    assert!(faulty, "closing failed although nothing goes wrong: {}", failed.error);
    // The library is well again, and takes back all that it refused before.
    heal();
    FOUND_WHILE_LOST.fetch_min(FINDINGS.lock().unwrap().len(), Relaxed);
    // Where work failed on the device, a first wait for each stream tells that.
    for _ in 0..3 {
        failed = match failed.value.close() {
            Ok(()) => return,
            Err(failed) if matches!(program.faults.kind, Kind::Lost | Kind::Hangs) => failed,
            Err(failed) => panic!("closing once more failed, and nothing goes wrong any more: {}", failed.error),
        };
    }
    panic!("closing fails again and again, and nothing goes wrong any more: {}", failed.error);
}

fn on_device(acl: &Acl, program: &Program) -> Result<(), Error> {
    let mut thread = Thread::new()?;
    let device = acl.device(&mut thread, 0)?.with_teardown_timeout(program.faults.patience());
    let world = World::new(&device, program);
    macro_rules! inside {
        ($open:ident) => {
            device.$open(&mut thread, |context, thread| on_threads(program, &world, context, thread))
        };
    }
    let ended = if program.in_default_context { inside!(default_context) } else { inside!(context) };
    scope_ended(&world, ended);
    if !program.faults.recovers {
        return device.reset(&mut thread).map_err(Error::from);
    }
    if program.resets {
        let lost = device.reset_by_force(&mut thread, program.faults.patience())?;
        assert!(lost.is_empty(), "lost with the device: {lost:?}");
        return Ok(());
    }
    match device.recover(&mut thread, program.faults.patience())? {
        Recovered::Usable(device) => {
            heal();
            device.reset(&mut thread).map_err(Error::from)
        }
        Recovered::Reset { lost } => {
            assert!(lost.is_empty(), "lost with the device: {lost:?}");
            Ok(())
        }
    }
}

/// The steps of each thread; those of the first on this one.
fn on_threads<'c>(program: &Program, world: &World<'_>, context: &Context<Scoped<'c>>, own: &mut Thread) {
    let mailbox = Mutex::default();
    let steps_of = |number: usize, thread: &mut Thread| {
        let mut actor = Actor::new(world, context, &mailbox);
        let steps = &mut program.threads.get(number).map_or(&[][..], Vec::as_slice).iter();
        while !steps.as_slice().is_empty() {
            // A step that leaves the context leaves it for a moment.
            let entered = context.enter(thread, |current| actor.run(current, steps, None));
            if let Err(error) = entered {
                world.failed("entering", &error);
                break;
            }
        }
        actor.has.end(program.forgets);
    };
    let steps_of = &steps_of;
    thread::scope(|scope| {
        let others: Vec<_> = (1..program.threads.len())
            .map(|number| {
                let others = thread::Builder::new().name(format!("random program, thread {number}"));
                others.spawn_scoped(scope, move || steps_of(number, &mut Thread::new().unwrap())).unwrap()
            })
            .collect();
        // The others end, too, if this one panics.
        let first = catch_unwind(AssertUnwindSafe(|| steps_of(0, own)));
        let others: Vec<_> = others.into_iter().map(|other| other.join().is_ok()).collect();
        assert!(first.is_ok() && others.iter().all(|well| *well), "a thread panicked");
    });
}

/// Ends the process when `run` does not end: a hang is a failure, too.
fn watched<R>(seed: u64, program: &Program, run: impl FnOnce() -> R) -> R {
    const LONGEST: Duration = Duration::from_secs(60);
    let (over, watch) = mpsc::channel::<()>();
    let what = format!("{program:#?}");
    let watcher = thread::spawn(move || {
        if watch.recv_timeout(LONGEST) == Err(RecvTimeoutError::Timeout) {
            eprintln!("the program of seed {seed} does not end:\n{what}");
            std::process::abort();
        }
    });
    let result = run();
    drop(over);
    watcher.join().unwrap();
    result
}
