//! A loaded library, whose functions are looked up one by one.

use crate::groups::Symbols;
use crate::search::{Attempt, Candidate, RUNTIME, STUB, absolute, is_stub, why_not_there};
use crate::shared::Shared;
use crate::table::{Function, table};
use core::ffi::c_void;
use core::fmt;
use core::num::NonZero;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// Returns the address of a function by its name. A library that is part of the program provides one.
pub type Resolver = fn(&str) -> Option<NonNull<c_void>>;

/// A library of AscendCL functions.
///
/// It is never unloaded, because threads and signal handlers of the vendor's library outlive any handle.
pub struct Library {
    origin: Origin,
    source: Source,
    /// The address of `aclInit`. One installation has one.
    init: Option<NonZero<usize>>,
    pub(crate) symbols: Symbols,
}

/// Where a [`Library`] comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Origin {
    /// A shared object, by the path that the dynamic loader opened.
    File(PathBuf),
    /// A table of functions inside this program.
    Table(&'static str),
}

/// The library could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// No candidate exists, except for stubs.
    #[error("no AscendCL library was found; looked for{}", List(tried))]
    NotFound { tried: Vec<Attempt> },
    /// A candidate exists, but the dynamic loader refused it.
    #[error("{} was found but cannot be loaded: {reason}", path.display())]
    Refused { path: PathBuf, reason: String },
    /// The file is a stub of a toolkit for linking.
    #[error("{} is {STUB}", path.display())]
    Stub { path: PathBuf },
}

impl LoadError {
    /// Whether no library is installed. In a place that cannot be searched, there may be one.
    pub fn is_not_installed(&self) -> bool {
        matches!(self, Self::NotFound { tried } if !tried.iter().any(Attempt::is_undecided))
    }
}

/// The library does not have a function that was called.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{symbol}` is not in the loaded AscendCL library (the vendor's is in {})", files.join(", earlier in "))]
pub struct MissingSymbol {
    pub symbol: &'static str,
    /// The files that contain it in the vendor's releases, newest first.
    pub files: &'static [&'static str],
}

enum Source {
    Shared(Shared),
    Table(Resolver),
}

impl Source {
    #[cold]
    fn find(&self, name: &'static str, files: &'static [&'static str]) -> Option<NonNull<c_void>> {
        match self {
            Self::Table(resolve) => resolve(name),
            Self::Shared(shared) => shared.address(name, files),
        }
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Library").field(&self.origin).finish()
    }
}

impl Library {
    /// Opens the first candidate that exists and is not a stub.
    ///
    /// A candidate that exists but cannot be loaded is an error, because trying the next one would hide a broken
    /// installation.
    ///
    /// # Safety
    ///
    /// Opening runs the file's initialisers. So every candidate, and each file beside it that the table names, must be
    /// an AscendCL library whose functions have the signatures of this crate's table.
    pub unsafe fn open_first(candidates: impl IntoIterator<Item = Candidate>) -> Result<&'static Self, LoadError> {
        let mut tried = Vec::new();
        for candidate in candidates {
            if !candidate.is_left_to_the_loader()
                && let Some(reason) = why_not_there(&candidate.path)
            {
                tried.push(candidate.was(&reason));
                continue;
            }
            // SAFETY: `Library::open` requires an AscendCL library whose functions have the table's signatures. The
            // caller of this function promises that for each candidate (its safety section).
            match unsafe { Self::open(&candidate.path) } {
                Err(LoadError::Refused { reason, .. }) if candidate.reason_means_not_found(&reason) => {
                    tried.push(candidate.was("not on its search path"));
                }
                Err(LoadError::Stub { .. }) => tried.push(candidate.was(STUB)),
                answer => return answer,
            }
        }
        Err(LoadError::NotFound { tried })
    }

    /// Opens a shared object. Other files of its installation are opened when their functions are first called.
    ///
    /// # Safety
    ///
    /// As for [`open_first`](Self::open_first).
    pub unsafe fn open(path: &Path) -> Result<&'static Self, LoadError> {
        if path.as_os_str().is_empty() {
            // The dynamic loader would take it for the program itself.
            return Err(LoadError::Refused { path: path.to_owned(), reason: "the path is empty".to_owned() });
        }
        let path = &absolute(path);
        let stub = |path: &Path| LoadError::Stub { path: path.to_owned() };
        if is_stub(path) {
            return Err(stub(path));
        }
        // SAFETY: opening a file runs its initialisers. The caller of this function promises that it is an AscendCL
        // library (its safety section).
        let shared =
            unsafe { Shared::open(path) }.map_err(|reason| LoadError::Refused { path: path.to_owned(), reason })?;
        // For a bare name, this is the path to which the dynamic loader resolved it.
        if is_stub(&shared.path) {
            return Err(stub(&shared.path));
        }
        Ok(Self::leak(Origin::File(shared.path.clone()), Source::Shared(shared)))
    }

    /// Takes the functions from a table inside this program.
    ///
    /// # Safety
    ///
    /// Every address that `resolve` returns must be a function with the signature that the table has for its name.
    pub unsafe fn from_table(name: &'static str, resolve: Resolver) -> &'static Self {
        Self::leak(Origin::Table(name), Source::Table(resolve))
    }

    fn leak(origin: Origin, source: Source) -> &'static Self {
        let init = source.find("aclInit", &RUNTIME).map(NonNull::addr);
        Box::leak(Box::new(Self { origin, source, init, symbols: Symbols::default() }))
    }

    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Whether both call the same functions: they are one file, or files of one installation.
    pub fn is_same(&self, other: &Self) -> bool {
        self.origin == other.origin || (self.init.is_some() && self.init == other.init)
    }

    /// The functions that every release should have and that this library lacks. Empty for a suitable library.
    pub fn missing_functions(&self) -> Vec<Function> {
        let needed = table().filter(|function| function.required);
        needed.filter(|function| self.find(function.name, function.files).is_none()).collect()
    }

    /// The first of these functions that this library lacks.
    pub fn first_missing_of(&self, names: &[&str]) -> Option<Function> {
        let mut wanted = table().filter(|function| names.contains(&function.name));
        wanted.find(|function| self.find(function.name, function.files).is_none())
    }

    fn find(&self, name: &'static str, files: &'static [&'static str]) -> Option<NonNull<c_void>> {
        self.source.find(name, files)
    }

    /// The files that were searched for a missing function. Empty for a library inside this program.
    pub fn searched_for(&self, missing: &MissingSymbol) -> Vec<Attempt> {
        match &self.source {
            Source::Table(_) => Vec::new(),
            Source::Shared(shared) => shared.searched(missing.files),
        }
    }
}

static LOOKED_UP: AtomicUsize = AtomicUsize::new(0);

/// How many functions of all libraries this process has looked up. While the number stays, no file was opened for a call,
/// and no function was called for the first time.
#[inline]
pub fn looked_up() -> usize {
    LOOKED_UP.load(Ordering::Relaxed)
}

/// The address of one function, null before the first look-up.
#[derive(Default)]
pub(crate) struct Symbol(AtomicPtr<c_void>);

impl Symbol {
    #[inline(always)]
    pub(crate) fn get(
        &self,
        library: &Library,
        symbol: &'static str,
        files: &'static [&'static str],
    ) -> Result<*mut c_void, MissingSymbol> {
        // `Acquire`: another thread may have opened the file of this function. What the loader and the file's initialisers
        // wrote is visible then, before the function is called.
        let known = self.0.load(Ordering::Acquire);
        if known.is_null() { self.look_up(library, symbol, files) } else { Ok(known) }
    }

    #[cold]
    fn look_up(
        &self,
        library: &Library,
        symbol: &'static str,
        files: &'static [&'static str],
    ) -> Result<*mut c_void, MissingSymbol> {
        let found = library.find(symbol, files).ok_or(MissingSymbol { symbol, files })?.as_ptr();
        self.0.store(found, Ordering::Release);
        LOOKED_UP.fetch_add(1, Ordering::Relaxed);
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
