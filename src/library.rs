//! Which library the program runs on.

use crate::error::Error;
use crate::ffi::{Api, Loading};
use ascendcl_sys as sys;
use core::fmt;
use std::ffi::OsString;
#[cfg(feature = "sim")]
use std::io::Write;
use std::path::{Path, PathBuf};
#[cfg(feature = "sim")]
use std::sync::Once;
use std::sync::{Mutex, PoisonError};

/// Which library to use.
///
/// The environment variable `ASCENDCL_LIBRARY` decides for [`Vendor`](Self::Vendor) and
/// [`VendorOrSimulator`](Self::VendorOrSimulator): it holds the path of a library, or `sim` for the simulator. What it
/// names is used or is an error; nothing else is tried then. The environment is trusted: what the variable names is loaded,
/// and loading a file runs code that is in it.
///
/// The simulator is never taken silently: it has to be asked for here or there, and it says what it is
/// ([`Loaded`] prints it, and the names of its devices start with `Simulator`).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Library {
    /// The vendor's library: from `ASCEND_HOME_PATH`, `ASCEND_TOOLKIT_HOME`, the standard folders, or where the dynamic
    /// loader finds it. In each place it is `libacl_rt.so`, and the files beside it that hold the functions of models and
    /// operators, or else `libascendcl.so`, which older releases have. The stubs of a toolkit (`devlib`, `lib64/stub`),
    /// whose functions do nothing, are passed over.
    #[default]
    Vendor,
    /// A library file, for which the program vouches: [`Library::at`].
    At(LibraryFile),
    /// The simulator inside this program (feature `sim`).
    #[cfg(feature = "sim")]
    Simulator,
    /// The vendor's library if one is installed, else the simulator (feature `sim`); which of them it is is said on stderr.
    /// A library that is installed and cannot be loaded is an error.
    #[cfg(feature = "sim")]
    VendorOrSimulator,
}

/// The library that was loaded; it prints as a phrase like "the library at /usr/local/…/libascendcl.so".
#[derive(Clone, Copy)]
pub struct Loaded {
    loading: &'static Loading,
}

/// A file that somebody vouched for: [`Library::at`](Library::at) makes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LibraryFile(PathBuf);

impl Library {
    /// The library in a file.
    ///
    /// ```
    /// # use ascendcl::{Acl, Library};
    /// // SAFETY: no file is there.
    /// let library = unsafe { Library::at("/nonexistent/libacl_rt.so") };
    /// assert!(Acl::init(library).is_err());
    /// ```
    ///
    /// Safe code names no file:
    ///
    /// ```compile_fail,E0133
    /// # use ascendcl::Library;
    /// let library = Library::at("/nonexistent/libacl_rt.so");
    /// ```
    ///
    /// # Safety
    ///
    /// Loading a file runs its initialisers, and calling a function assumes its signature: when it is loaded, the file has
    /// to be an AscendCL library, of the vendor or another, whose functions have the signatures of the vendor's headers,
    /// and so have the other libraries in its folder. A file that is absent, or that is no library, is an error.
    #[allow(unsafe_code, reason = "a declaration only: the caller vouches for the file")]
    pub unsafe fn at(path: impl Into<PathBuf>) -> Self {
        Self::At(LibraryFile(path.into()))
    }
}

impl LibraryFile {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

const VARIABLE: &str = "ASCENDCL_LIBRARY";

impl Library {
    pub(crate) fn load(&self) -> Result<Loaded, Error> {
        match self {
            Self::At(file) => open(&file.path().to_string_lossy(), [candidate(file.path(), "the given path")]),
            #[cfg(feature = "sim")]
            Self::Simulator => simulator(),
            Self::Vendor => chosen_or(|| open("", sys::candidates())),
            #[cfg(feature = "sim")]
            Self::VendorOrSimulator => {
                let mut why = "";
                let got = chosen_or(|| match open("", sys::candidates()) {
                    Err(Error::Load(sys::LoadError::NotFound { .. })) => {
                        why = "no library of the vendor's is installed: ";
                        simulator()
                    }
                    answer => answer,
                });
                announce(why, got)
            }
        }
    }
}

/// Says on stderr which of two libraries the program got, once.
#[cfg(feature = "sim")]
fn announce(why: &str, got: Result<Loaded, Error>) -> Result<Loaded, Error> {
    static ONCE: Once = Once::new();
    if let Ok(loaded) = &got {
        // There may be nobody to read it.
        ONCE.call_once(|| drop(writeln!(std::io::stderr(), "ascendcl: {why}running on {loaded}")));
    }
    got
}

/// What the environment variable names, or else `otherwise`.
fn chosen_or(otherwise: impl FnOnce() -> Result<Loaded, Error>) -> Result<Loaded, Error> {
    match std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        None => otherwise(),
        Some(value) if value == *"sim" => simulator(),
        Some(value) => open(&value.to_string_lossy(), [candidate(value.clone(), VARIABLE)]),
    }
}

fn candidate(path: impl Into<OsString>, because: &'static str) -> sys::Candidate {
    sys::Candidate { path: PathBuf::from(path.into()), because }
}

/// A process loads each library once; the second time it gets the same one.
static LOADED: Mutex<Vec<(String, Loaded)>> = Mutex::new(Vec::new());

fn open(key: &str, candidates: impl IntoIterator<Item = sys::Candidate>) -> Result<Loaded, Error> {
    once(key, || crate::ffi::open_first(candidates))
}

#[cfg(feature = "sim")]
fn simulator() -> Result<Loaded, Error> {
    once("sim", || Ok(crate::ffi::simulator()))
}

#[cfg(not(feature = "sim"))]
fn simulator() -> Result<Loaded, Error> {
    Err(Error::SimulatorNotBuiltIn)
}

fn once(key: &str, load: impl FnOnce() -> Result<&'static sys::Library, sys::LoadError>) -> Result<Loaded, Error> {
    let known = |loaded: &[(String, Loaded)]| loaded.iter().find(|(known, _)| known == key).map(|(_, loaded)| *loaded);
    if let Some(loaded) = known(&LOADED.lock().unwrap_or_else(PoisonError::into_inner)) {
        return Ok(loaded);
    }
    // Not under the lock: the file's initialisers run. Another thread may have loaded it by then.
    let library = Loaded::new(load()?);
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(known(&loaded).unwrap_or_else(|| {
        loaded.push((key.to_owned(), library));
        library
    }))
}

impl Loaded {
    fn new(library: &'static sys::Library) -> Self {
        Self::by(Loading::new(library))
    }

    fn by(loading: &'static Loading) -> Self {
        Self { loading }
    }

    pub(crate) fn functions(self) -> &'static sys::Library {
        self.loading.library()
    }

    /// The library that these functions are of.
    pub(crate) fn of(api: Api) -> Self {
        Self::by(api.loading())
    }

    pub(crate) fn api(self) -> Api {
        Api::new(self.loading)
    }

    /// Whether this is the simulator inside this program.
    pub fn is_simulator(self) -> bool {
        matches!(self.loading.library().origin(), sys::Origin::Table(_))
    }

    /// The file, unless the library is part of this program.
    pub fn path(self) -> Option<&'static Path> {
        match self.loading.library().origin() {
            sys::Origin::File(path) => Some(path),
            _ => None,
        }
    }

    /// The functions that this crate counts on in every release and that this library lacks; empty for a library that
    /// fits. To be asked before a long program starts: otherwise a missing function is an error when it is first called.
    pub fn lacks(self) -> Vec<&'static str> {
        self.loading.library().lacks().iter().map(|function| function.name).collect()
    }
}

impl fmt::Display for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.loading.fmt(f)
    }
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Loaded").field(self.loading.library().origin()).finish()
    }
}
