//! Panics of the engine. They end at the call that met them, and print nothing: C code cannot catch them, and the standard
//! error belongs to the program.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How the text of a panic begins.
pub(super) const PANICKED: &str = "rten panicked";

thread_local! {
    /// How often this thread is inside of the engine.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// How many threads load a model: the engine then works on threads of its own, too.
static LOADS: AtomicUsize = AtomicUsize::new(0);

/// Work of the engine on this thread; a panic is its text.
pub(super) fn contained<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    static ONCE: Once = Once::new();
    // The hook of the process cannot be changed by a thread that panics.
    if !thread::panicking() {
        ONCE.call_once(keep_quiet);
    }
    let _inside = Inside::enter();
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| format!("{PANICKED}: {}", panic_text(&*panic)))
}

/// As [`contained`], for work that the engine shares out among its threads.
pub(super) fn contained_load<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    let _load = Load::begin();
    contained(work)
}

/// Leaves the hook of the program as it is, for all panics but the engine's.
fn keep_quiet() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !is_of_engine() {
            before(panic);
        }
    }));
}

fn is_of_engine() -> bool {
    let own = || thread::current().name().is_some_and(|name| name.starts_with("rten-"));
    // The value is gone only while the thread ends, when it is not inside of the engine.
    DEPTH.try_with(|depth| depth.get() > 0).unwrap_or(false) || LOADS.load(Ordering::Relaxed) > 0 && own()
}

struct Inside;

impl Inside {
    fn enter() -> Self {
        let _ = DEPTH.try_with(|depth| depth.set(depth.get() + 1));
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let _ = DEPTH.try_with(|depth| depth.set(depth.get().saturating_sub(1)));
    }
}

struct Load;

impl Load {
    fn begin() -> Self {
        LOADS.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        LOADS.fetch_sub(1, Ordering::Relaxed);
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no reason given")
}
