//! Finds and loads a library. Each is loaded once in a process.

use super::{Library, Loaded};
use crate::error::Error;
use ascendcl_sys as sys;
#[cfg(feature = "sim")]
use std::io::Write;
use std::path::{Path, PathBuf};
#[cfg(feature = "sim")]
use std::sync::Once;
use std::sync::{Mutex, PoisonError};

const VARIABLE: &str = "ASCENDCL_LIBRARY";

pub(super) fn find(library: &Library) -> Result<Loaded, Error> {
    match library {
        Library::At(file) => open_file(file.path(), "the given path"),
        #[cfg(feature = "sim")]
        Library::Simulator => simulator(),
        Library::Vendor => chosen_or(|| open(Key::Installed, sys::candidates())),
        #[cfg(feature = "sim")]
        Library::VendorOrSimulator => {
            let mut why = "";
            let got = chosen_or(|| match open(Key::Installed, sys::candidates()) {
                Err(Error::Load(error)) if error.is_not_installed() => {
                    why = "no library of the vendor's is installed: ";
                    simulator()
                }
                answer => answer,
            });
            announce(why, got)
        }
    }
}

/// Prints to stderr, once, which of the two libraries the program uses.
#[cfg(feature = "sim")]
fn announce(why: &str, got: Result<Loaded, Error>) -> Result<Loaded, Error> {
    static ONCE: Once = Once::new();
    if let Ok(loaded) = &got {
        // Stderr may be closed.
        ONCE.call_once(|| drop(writeln!(std::io::stderr(), "ascendcl: {why}running on {loaded}")));
    }
    got
}

/// The library that the environment variable names, or else `otherwise`.
fn chosen_or(otherwise: impl FnOnce() -> Result<Loaded, Error>) -> Result<Loaded, Error> {
    match std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        None => otherwise(),
        Some(value) if value == *"sim" => chosen_simulator(),
        Some(value) => open_file(Path::new(&value), VARIABLE),
    }
}

fn open_file(path: &Path, because: &'static str) -> Result<Loaded, Error> {
    let candidate = sys::Candidate::of_file(path, because);
    open(Key::File(candidate.path.clone()), [candidate])
}

/// What a loaded library is known by.
#[derive(PartialEq, Eq)]
enum Key {
    #[cfg(feature = "sim")]
    Simulator,
    /// The one that is found where libraries are installed.
    Installed,
    File(PathBuf),
}

/// The libraries of this process. Each is loaded once.
static LOADED: Mutex<Vec<(Key, Loaded)>> = Mutex::new(Vec::new());

fn open(key: Key, candidates: impl IntoIterator<Item = sys::Candidate>) -> Result<Loaded, Error> {
    once(key, || crate::ffi::open_first(candidates))
}

#[cfg(feature = "sim")]
fn simulator() -> Result<Loaded, Error> {
    once(Key::Simulator, || Ok(crate::ffi::simulator()))
}

/// A program that names the vendor's library says on stderr that it runs on the simulator.
#[cfg(feature = "sim")]
fn chosen_simulator() -> Result<Loaded, Error> {
    announce("", simulator())
}

#[cfg(not(feature = "sim"))]
fn chosen_simulator() -> Result<Loaded, Error> {
    Err(Error::SimulatorNotBuiltIn)
}

fn once(key: Key, load: impl FnOnce() -> Result<&'static sys::Library, sys::LoadError>) -> Result<Loaded, Error> {
    let known = |loaded: &[(Key, Loaded)]| loaded.iter().find(|(known, _)| *known == key).map(|(_, loaded)| *loaded);
    if let Some(loaded) = known(&LOADED.lock().unwrap_or_else(PoisonError::into_inner)) {
        return Ok(loaded);
    }
    // This comes before the lock, because loading runs the file's initialisers. Another thread may have loaded the file
    // meanwhile.
    let library = load()?;
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(known(&loaded).unwrap_or_else(|| {
        // A file with two names is one library, and so are two files of one installation: each thread has one current
        // context of it (CTX-05).
        let same = loaded.iter().map(|(_, loaded)| *loaded).find(|loaded| loaded.functions().is_same(library));
        let library = same.unwrap_or_else(|| Loaded::new(library));
        loaded.push((key, library));
        library
    }))
}
