//! The end of the process, while work is under way.

use super::common::{alone, c_library, library_at, shared_simulator};
use super::{ending_of, that_counts};
use ascendcl::runtime::Actor;
use ascendcl::{Acl, Library, Model, Runtime};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::pin::pin;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

ascendcl::names!(Server);

/// What the process of its own answers when the library was called behind the handlers of the crate.
const CALLED: i32 = 9;

/// What it answers when its end came before the test had done what it is about.
const TOO_EARLY: i32 = 8;

/// Whether the test did what it is about, and ends its process now. A test that panics ends it, too.
static ENDS: AtomicBool = AtomicBool::new(false);

fn ends_the_process() -> ! {
    ENDS.store(true, Ordering::SeqCst);
    std::process::exit(7)
}

/// The C library runs this after what was registered later, where it runs destructors of a library.
extern "C" fn where_the_library_is_destroyed() {
    let before = control::calls();
    std::thread::sleep(Duration::from_millis(500));
    let code = match ENDS.load(Ordering::SeqCst) {
        false => TOO_EARLY,
        true if control::calls() == before => 0,
        true => CALLED,
    };
    // SAFETY: ends the process without running what belongs to the test's harness.
    unsafe { libc::_exit(code) }
}

/// A program joins its own threads before it ends, but it has no handle of the thread that watches futures.
#[proves(INIT_03, INIT_04)]
#[test]
fn a_process_that_ends_under_a_future_does_not_call_the_library_while_that_is_destroyed() {
    ends_well("exits::in_a_process_of_its_own_a_future_is_left");
}

/// The thread of an actor that was dropped closes its runtime, and the program has no handle of it any more.
#[proves(INIT_03, INIT_04, DEV_10)]
#[test]
fn a_process_that_ends_behind_a_dropped_actor_does_not_destroy_the_library_under_it() {
    ends_well("exits::in_a_process_of_its_own_an_actor_is_dropped");
}

/// Runs a test in a process of its own, which ends.
#[track_caller]
fn ends_well(test: &str) {
    assert!(ended(test) < Duration::from_secs(8), "it waited although no thread was inside");
}

/// The same. Returns how long it took.
#[track_caller]
fn ended(test: &str) -> Duration {
    let begun = Instant::now();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--nocapture", "--exact", "--ignored", test])
        .output()
        .unwrap();
    assert_eq!(child.status.code(), Some(0), "{}", String::from_utf8_lossy(&child.stderr));
    assert!(String::from_utf8_lossy(&child.stdout).contains("running 1 test\n"), "there is no test `{test}`");
    begun.elapsed()
}

#[test]
#[ignore = "ends its process"]
fn in_a_process_of_its_own_a_future_is_left() {
    // SAFETY: registers a function that takes and returns nothing.
    assert_eq!(unsafe { libc::atexit(where_the_library_is_destroyed) }, 0);
    let _alone = alone();
    control::fail(that_counts()).unwrap();
    let runtime = Runtime::<Server>::open(Library::Simulator).unwrap();
    let under_way = runtime.with(|current| {
        let stream = current.stream().unwrap();
        let slow = stream.launch_host_fn(current, || std::thread::sleep(Duration::from_secs(20))).unwrap();
        slow.when_done(current, &stream).unwrap()
    });
    let mut under_way = pin!(under_way.unwrap());
    assert!(under_way.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    // Long enough for the thread to have begun to look.
    std::thread::sleep(Duration::from_millis(20));
    ends_the_process()
}

/// What an actor keeps. It is long in dropping.
struct Slow;

impl Drop for Slow {
    fn drop(&mut self) {
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
#[ignore = "ends its process"]
fn in_a_process_of_its_own_an_actor_is_dropped() {
    // SAFETY: registers a function that takes and returns nothing.
    assert_eq!(unsafe { libc::atexit(where_the_library_is_destroyed) }, 0);
    let _alone = alone();
    control::fail(that_counts()).unwrap();
    drop(Actor::<Server, _>::open(Library::Simulator, |_| Ok(Slow)).unwrap());
    ends_the_process()
}

/// What an actor keeps. It is so long in dropping that no program waits for it.
struct Endless;

impl Drop for Endless {
    fn drop(&mut self) {
        std::thread::sleep(Duration::from_secs(60));
    }
}

/// The thread of a dropped actor may never leave the library: a device that hangs keeps it.
#[proves(INIT_03)]
#[test]
fn a_process_that_ends_behind_a_dropped_actor_that_hangs_ends_all_the_same() {
    let took = ended("exits::in_a_process_of_its_own_an_actor_that_hangs_is_dropped");
    assert!(took > Duration::from_secs(8) && took < Duration::from_secs(40), "{took:?}");
}

#[test]
#[ignore = "ends its process"]
fn in_a_process_of_its_own_an_actor_that_hangs_is_dropped() {
    // SAFETY: registers a function that takes and returns nothing.
    assert_eq!(unsafe { libc::atexit(where_the_library_is_destroyed) }, 0);
    let _alone = alone();
    control::fail(that_counts()).unwrap();
    drop(Actor::<Server, _>::open(Library::Simulator, |_| Ok(Endless)).unwrap());
    ends_the_process()
}

/// What an actor keeps. The process ends where it is dropped, on the actor's thread.
struct Exits;

impl Drop for Exits {
    fn drop(&mut self) {
        // Only the drop of the actor, on another thread, makes `exit` wait for this one.
        std::thread::sleep(Duration::from_millis(50));
        ends_the_process()
    }
}

/// `exit` waits for the threads of dropped actors. The thread that it runs on would wait for itself.
#[proves(INIT_03)]
#[test]
fn a_process_that_ends_on_the_thread_of_a_dropped_actor_does_not_wait_for_that() {
    ends_well("exits::in_a_process_of_its_own_what_an_actor_keeps_ends_the_process");
}

#[test]
#[ignore = "ends its process"]
fn in_a_process_of_its_own_what_an_actor_keeps_ends_the_process() {
    // SAFETY: registers a function that takes and returns nothing.
    assert_eq!(unsafe { libc::atexit(where_the_library_is_destroyed) }, 0);
    let _alone = alone();
    control::fail(that_counts()).unwrap();
    drop(Actor::<Server, _>::open(Library::Simulator, |_| Ok(Exits)).unwrap());
    std::thread::sleep(Duration::from_secs(20));
    panic!("the process goes on");
}

/// The thread of another actor that was dropped is still inside.
#[proves(INIT_03)]
#[test]
fn a_process_that_ends_on_the_thread_of_a_dropped_actor_waits_for_the_others_alone() {
    ends_well("exits::in_a_process_of_its_own_two_actors_are_dropped");
}

#[test]
#[ignore = "ends its process"]
fn in_a_process_of_its_own_two_actors_are_dropped() {
    // SAFETY: registers a function that takes and returns nothing.
    assert_eq!(unsafe { libc::atexit(where_the_library_is_destroyed) }, 0);
    let _alone = alone();
    control::fail(that_counts()).unwrap();
    let slow = Actor::<Server, _>::open(Library::Simulator, |_| Ok(Slow)).unwrap();
    drop(Actor::<Server, _>::open(Library::Simulator, |_| Ok(Exits)).unwrap());
    drop(slow);
    std::thread::sleep(Duration::from_secs(20));
    panic!("the process goes on");
}

/// The thread of an actor that the program still has is not one of those for which `exit` waits.
#[proves(INIT_03)]
#[test]
fn a_process_that_ends_in_a_job_of_an_actor_waits_for_another_one_that_was_dropped() {
    ends_well("exits::in_a_process_of_its_own_a_job_ends_the_process");
}

#[test]
#[ignore = "ends its process"]
fn in_a_process_of_its_own_a_job_ends_the_process() {
    // SAFETY: registers a function that takes and returns nothing.
    assert_eq!(unsafe { libc::atexit(where_the_library_is_destroyed) }, 0);
    let _alone = alone();
    control::fail(that_counts()).unwrap();
    let kept = Actor::<Server, _>::open(Library::Simulator, |_| Ok(())).unwrap();
    drop(Actor::<Server, _>::open(Library::Simulator, |_| Ok(Slow)).unwrap());
    kept.call(|_, ()| ends_the_process()).unwrap()
}

/// What an actor keeps. The process forks where it is dropped, on the actor's thread.
struct Forks {
    library: std::path::PathBuf,
    child: mpsc::Sender<libc::pid_t>,
}

impl Drop for Forks {
    fn drop(&mut self) {
        // SAFETY: the child has the memory of this thread alone. It loads a library of its own, and goes on to the end of the
        // thread, which is its only one: so it ends by `exit`.
        match unsafe { libc::fork() } {
            0 => drop(Acl::init(library_at(self.library.clone())).unwrap()),
            child => self.child.send(child).unwrap(),
        }
    }
}

/// The parent counts the thread. The child has loaded a library, and counts anew.
#[proves(THREAD_05)]
#[test]
fn a_child_forked_on_the_thread_of_a_dropped_actor_does_not_wait_for_it_when_it_ends() {
    let (alone, library) = (alone(), shared_simulator());
    let (child, forked) = mpsc::channel();
    let keeps = Forks { library, child };
    drop(Actor::<Server, _>::open(Library::Simulator, move |_| Ok(keeps)).unwrap());
    let begun = Instant::now();
    assert_eq!(ending_of(forked.recv_timeout(Duration::from_secs(20)).unwrap()), "refused");
    assert!(begun.elapsed() < Duration::from_secs(8), "it waited although no thread was inside");
    let until = Instant::now() + Duration::from_secs(20);
    while control::live() != control::Live::default() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    alone.assert_nothing_lives();
}

/// A library of which a function makes an object at its first call. `exit` destroys the object, and no call may come after
/// that.
fn library_that_is_destroyed(name: &str, first: (&str, &str), later: (&str, &str)) -> Library {
    let head = "#include <unistd.h>\n\
                static int destroyed;\n\
                static void destroy(void) { destroyed = 1; usleep(300000); }\n\
                static void make(void) { static int made; if (!made++) atexit(destroy); }\n\
                static void use(void) { if (destroyed) _exit(9); }\n";
    let null = include_str!("../null/library.c");
    let (prelude, functions) = null.split_once("static _Thread_local handle current;").unwrap();
    let mut source = [prelude, head, "static _Thread_local handle current;", functions].concat();
    for (function, does) in [first, later] {
        let begin = source.find(&format!("aclError {function}(")).unwrap();
        let body = begin + source[begin..].find('{').unwrap() + 1;
        source.insert_str(body, does);
    }
    library_at(c_library(name, &source))
}

/// The library made an object when the program loaded its model, long after the library itself was loaded.
#[proves(INIT_03, MODEL_14)]
#[test]
fn a_process_that_ends_behind_a_dropped_actor_waits_before_late_objects_of_the_library_are_destroyed() {
    ends_well("exits::in_a_process_of_its_own_an_actor_with_a_model_is_dropped");
}

#[test]
#[ignore = "ends its process"]
fn in_a_process_of_its_own_an_actor_with_a_model_is_dropped() {
    let made = ("aclmdlLoadFromFile", "make();");
    let library = library_that_is_destroyed("made-by-a-model", made, ("aclmdlUnload", "usleep(150000); use();"));
    let actor = Actor::<Server, _>::open(library, |current| Ok((current.load_model("a.om")?, Slow)));
    drop(actor.unwrap());
    std::process::exit(0)
}

/// The library made an object in a job that ran after its actor was dropped.
#[proves(INIT_03, MODEL_14)]
#[test]
fn a_process_that_ends_behind_a_dropped_actor_waits_before_what_its_last_job_made_is_destroyed() {
    ends_well("exits::in_a_process_of_its_own_a_job_of_a_dropped_actor_loads_a_model");
}

#[test]
#[ignore = "ends its process"]
fn in_a_process_of_its_own_a_job_of_a_dropped_actor_loads_a_model() {
    let made = ("aclmdlLoadFromFile", "make();");
    let library = library_that_is_destroyed("made-by-a-job", made, ("aclmdlUnload", "usleep(150000); use();"));
    let (release, released) = mpsc::channel::<()>();
    let (tell, loaded) = mpsc::channel();
    let actor = Actor::<Server, (Option<Model<Server>>, Slow)>::open(library, |_| Ok((None, Slow))).unwrap();
    let loads = actor.start(move |current, kept| {
        released.recv().unwrap();
        kept.0 = Some(current.load_model("a.om").unwrap());
    });
    drop(loads.unwrap());
    // When this job runs, the one before is over.
    drop(actor.start(move |_, _| tell.send(()).unwrap()).unwrap());
    drop(actor);
    release.send(()).unwrap();
    loaded.recv_timeout(Duration::from_secs(20)).unwrap();
    std::process::exit(0)
}

/// The library made an object when it was initialised. The thread that watches futures looks at the event until `exit`
/// tells it to stop.
#[proves(INIT_03)]
#[test]
fn a_process_that_ends_under_a_future_waits_before_late_objects_of_the_library_are_destroyed() {
    ends_well("exits::in_a_process_of_its_own_a_future_of_a_late_library_is_forgotten");
}

#[test]
#[ignore = "ends its process"]
fn in_a_process_of_its_own_a_future_of_a_late_library_is_forgotten() {
    let looks = ("aclrtQueryEventStatus", "*status = 0; use(); return 0;");
    let library = library_that_is_destroyed("made-by-the-initialisation", ("aclInit", "make();"), looks);
    let runtime = Runtime::<Server>::open(library).unwrap();
    runtime
        .with(|current| {
            let stream = current.stream().unwrap();
            let set = stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap();
            let mut under_way = Box::pin(set.when_done(current, &stream).unwrap());
            assert!(under_way.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            std::mem::forget(under_way);
        })
        .unwrap();
    std::thread::sleep(Duration::from_millis(20));
    std::process::exit(0)
}
