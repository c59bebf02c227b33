//! The cache of functions: some threads fill it while others switch further checks on and off.

use super::*;

/// With one place, which is enough for all that these tests do.
type FunctionCache = ffi::function_cache::FunctionCache<1>;

/// As in `process.rs`.
const OWN: u32 = 1;
const VERIFIED: u32 = 16;

const PLACE: usize = 0;

extern "C" fn called() {}

/// A library whose calls are plain.
fn loaded() -> Arc<FunctionCache> {
    Arc::new(FunctionCache::new(OWN))
}

/// As `LoadedLibrary::fill_cache` does it.
fn keep(calls: &FunctionCache) {
    calls.put(PLACE, called as extern "C" fn(), |mark| mark.load(Ordering::Relaxed) == OWN);
}

fn finds(calls: &FunctionCache) -> bool {
    // SAFETY: `get` asks for the type of what was kept at this place, which is `keep`'s.
    unsafe { calls.get::<extern "C" fn()>(PLACE) }.is_some()
}

/// As `LoadedLibrary::verified` does it, and the end of its answer.
fn while_verified(calls: &FunctionCache) {
    calls.mark.fetch_add(VERIFIED, Ordering::AcqRel);
    calls.clear();
    assert!(!finds(calls), "a call was not checked");
    calls.mark.fetch_sub(VERIFIED, Ordering::Relaxed);
}

fn on<R: 'static>(calls: &Arc<FunctionCache>, run: fn(&FunctionCache) -> R) -> thread::JoinHandle<R> {
    let calls = Arc::clone(calls);
    thread::spawn(move || run(&calls))
}

#[proves(CTX_05)]
#[test]
fn who_switches_checks_on_finds_no_function_that_another_thread_keeps() {
    loom::model(|| {
        let calls = loaded();
        let keeps = on(&calls, keep);
        while_verified(&calls);
        while_verified(&calls);
        keeps.join().unwrap();
    });
}

#[proves(CTX_05)]
#[test]
fn who_switches_checks_on_finds_no_function_that_one_of_two_threads_keeps() {
    of_three_threads(|| {
        let calls = loaded();
        let (one, other) = (on(&calls, keep), on(&calls, keep));
        while_verified(&calls);
        one.join().unwrap();
        other.join().unwrap();
        keep(&calls);
        assert!(finds(&calls), "calls are plain again");
    });
}

#[test]
fn two_threads_keep_a_function_and_each_finds_it() {
    loom::model(|| {
        let calls = loaded();
        let keep_and_find = |calls: &FunctionCache| {
            keep(calls);
            finds(calls)
        };
        let other = on(&calls, keep_and_find);
        assert!(keep_and_find(&calls) && other.join().unwrap());
        while_verified(&calls);
        assert!(!finds(&calls), "forgotten");
    });
}

/// A library of which one thread opens a file: the loader and the file's initialisers write.
struct Opened {
    calls: FunctionCache,
    file: inside::LoomCell<u32>,
}

// SAFETY: sharing it must not make a data race on `file`. loom fails the test if there is one.
unsafe impl Sync for Opened {}
// SAFETY: it has no tie to a thread.
unsafe impl Send for Opened {}

#[test]
fn who_finds_a_function_sees_what_was_written_when_its_file_was_opened() {
    loom::model(|| {
        let opened = Arc::new(Opened { calls: FunctionCache::new(OWN), file: inside::LoomCell::new(0) });
        let other = Arc::clone(&opened);
        let opens = thread::spawn(move || {
            // SAFETY: the pointer is valid. Nobody else accesses the cell before the function is kept.
            other.file.with_mut(|file| unsafe { *file = 7 });
            keep(&other.calls);
        });
        if finds(&opened.calls) {
            // SAFETY: the pointer is valid. Nobody writes after the function was kept.
            assert_eq!(opened.file.with(|file| unsafe { *file }), 7);
        }
        opens.join().unwrap();
    });
}
