//! A loaded library, and its functions looked up one by one.

use crate::groups::Symbols;
use crate::search::{Attempt, Candidate};
use crate::table::{Function, table};
use core::ffi::{c_char, c_int, c_void};
use core::fmt;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Answers with the address of a function, by its name: how a library that is part of the program offers itself.
pub type Resolver = fn(&str) -> Option<NonNull<c_void>>;

/// A library of AscendCL functions.
///
/// It is never unloaded: the vendor's library leaves threads and signal handlers behind that outlive any handle.
pub struct Library {
    origin: Origin,
    source: Source,
    pub(crate) symbols: Symbols,
}

/// Where a [`Library`] comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Origin {
    /// A shared object, by the path it was opened under.
    File(PathBuf),
    /// A table of functions inside this program.
    Table(&'static str),
}

/// The library could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// No candidate exists.
    #[error("no AscendCL library was found; looked for{}", List(tried))]
    NotFound { tried: Vec<Attempt> },
    /// A candidate exists, but the dynamic loader refused it.
    #[error("{} was found but cannot be loaded: {reason}", path.display())]
    Refused { path: PathBuf, reason: String },
}

/// The library does not have a function that was called.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{symbol}` is not in the loaded AscendCL library (in the vendor's releases it is part of {file})")]
pub struct MissingSymbol {
    pub symbol: &'static str,
    pub file: &'static str,
}

enum Source {
    Shared { main: libloading::Library, folder: Option<PathBuf>, siblings: Mutex<Vec<Sibling>> },
    Table(Resolver),
}

/// Another file of the same installation, opened when one of its functions is first called.
struct Sibling {
    file: &'static str,
    library: Option<libloading::Library>,
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Library").field(&self.origin).finish()
    }
}

impl Library {
    /// Opens the first candidate that exists.
    ///
    /// A candidate that exists and cannot be loaded is an error: going on would hide a broken installation.
    ///
    /// # Safety
    ///
    /// Opening runs the file's initialisers: every candidate must be an AscendCL library, whose functions have the
    /// signatures of this crate's table.
    pub unsafe fn open_first(candidates: impl IntoIterator<Item = Candidate>) -> Result<&'static Self, LoadError> {
        let mut tried = Vec::new();
        for candidate in candidates {
            if !candidate.is_left_to_the_loader() && !candidate.path.exists() {
                tried.push(candidate.was("no such file"));
                continue;
            }
            // SAFETY: the caller vouches for the file.
            match unsafe { Self::open(&candidate.path) } {
                Err(LoadError::Refused { reason, .. }) if candidate.is_absent_says(&reason) => {
                    tried.push(candidate.was("not on its search path"));
                }
                answer => return answer,
            }
        }
        Err(LoadError::NotFound { tried })
    }

    /// Opens a shared object.
    ///
    /// # Safety
    ///
    /// As for [`open_first`](Self::open_first).
    pub unsafe fn open(path: &Path) -> Result<&'static Self, LoadError> {
        // SAFETY: the caller vouches for the file's initialisers.
        let main = unsafe { libloading::Library::new(path) }
            .map_err(|error| LoadError::Refused { path: path.to_owned(), reason: reason(&error) })?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).map(Path::to_owned);
        let source = Source::Shared { main, folder, siblings: Mutex::default() };
        Ok(Self::leak(Origin::File(path.to_owned()), source))
    }

    /// Takes the functions from a table inside this program.
    ///
    /// # Safety
    ///
    /// Every address that `resolve` answers with must be a function of the signature that the table gives to its name.
    pub unsafe fn from_table(name: &'static str, resolve: Resolver) -> &'static Self {
        Self::leak(Origin::Table(name), Source::Table(resolve))
    }

    fn leak(origin: Origin, source: Source) -> &'static Self {
        Box::leak(Box::new(Self { origin, source, symbols: Symbols::default() }))
    }

    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The functions that are counted on in every release and that this library lacks. Empty for a library that fits.
    pub fn lacks(&self) -> Vec<Function> {
        let needed = table().filter(|function| function.required);
        needed.filter(|function| self.find(function.name, function.library).is_none()).collect()
    }

    #[cold]
    fn find(&self, name: &'static str, file: &'static str) -> Option<NonNull<c_void>> {
        match &self.source {
            Source::Table(resolve) => resolve(name),
            Source::Shared { main, .. } if is_pretended(main, name) => None,
            Source::Shared { main, folder, siblings } => {
                address_in(main, name).or_else(|| address_in_sibling(siblings, folder.as_deref(), name, file))
            }
        }
    }
}

/// What the dynamic loader says; the error itself only says which of its functions failed.
fn reason(error: &dyn core::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

fn address_in(library: &libloading::Library, name: &str) -> Option<NonNull<c_void>> {
    // SAFETY: the symbol is only taken as an address; its use as a function is the caller's business.
    let address = unsafe { library.get::<*mut c_void>(name).ok()?.try_as_raw_ptr() };
    address.and_then(NonNull::new)
}

/// The simulator's shared object exports every function, so that C programs can be linked with it, and says which of them
/// it does not have.
fn is_pretended(library: &libloading::Library, name: &str) -> bool {
    type Has = unsafe extern "C" fn(*const c_char) -> c_int;
    // SAFETY: only the simulator's library has a function of this name, and it has this type.
    let Ok(has) = (unsafe { library.get::<Has>("ascendcl_sim_has") }) else { return false };
    let Ok(name) = CString::new(name) else { return false };
    // SAFETY: the name is a terminated string.
    unsafe { has(name.as_ptr()) == 0 }
}

fn address_in_sibling(
    siblings: &Mutex<Vec<Sibling>>,
    folder: Option<&Path>,
    name: &str,
    file: &'static str,
) -> Option<NonNull<c_void>> {
    let mut siblings = siblings.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !siblings.iter().any(|sibling| sibling.file == file) {
        let path = folder.map_or_else(|| PathBuf::from(file), |folder| folder.join(file));
        // SAFETY: a file of the same installation under its documented name; `open` asked the caller to vouch for it.
        let library = unsafe { libloading::Library::new(path) }.ok();
        siblings.push(Sibling { file, library });
    }
    let sibling = siblings.iter().find(|sibling| sibling.file == file)?;
    address_in(sibling.library.as_ref()?, name)
}

/// The address of one function, null until it is first asked for.
#[derive(Default)]
pub(crate) struct Symbol(AtomicPtr<c_void>);

impl Symbol {
    #[inline]
    pub(crate) fn get(
        &self,
        library: &Library,
        symbol: &'static str,
        file: &'static str,
    ) -> Result<*mut c_void, MissingSymbol> {
        let known = self.0.load(Ordering::Relaxed);
        if known.is_null() { self.look_up(library, symbol, file) } else { Ok(known) }
    }

    #[cold]
    fn look_up(
        &self,
        library: &Library,
        symbol: &'static str,
        file: &'static str,
    ) -> Result<*mut c_void, MissingSymbol> {
        let found = library.find(symbol, file).ok_or(MissingSymbol { symbol, file })?.as_ptr();
        self.0.store(found, Ordering::Relaxed);
        Ok(found)
    }
}

/// One line per attempt.
struct List<'a>(&'a [Attempt]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|attempt| write!(f, "\n  {attempt}"))
    }
}
