//! The files of one installation: the first one, and the others in its folder.

use crate::search::{Attempt, STUB, absolute, has_folder, is_stub, why_not_there};
use core::ffi::{c_char, c_int, c_void};
use std::ffi::{CString, OsStr};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard};

/// The first file, and the files that were opened later.
pub(crate) struct Shared {
    main: libloading::Library,
    pub(crate) path: PathBuf,
    siblings: Mutex<Vec<&'static Sibling>>,
}

/// Another file of the same installation, opened when one of its functions is first called.
struct Sibling {
    file: &'static str,
    path: PathBuf,
    /// The library, or the reason why it could not be opened.
    library: Result<libloading::Library, String>,
}

impl Shared {
    /// Opens a file. The dynamic loader searches for a bare name; the path is then the one that it found.
    ///
    /// # Safety
    ///
    /// Opening runs the file's initialisers.
    pub(crate) unsafe fn open(path: &Path) -> Result<Self, String> {
        // SAFETY: opening a file runs its initialisers. The caller of this function promises that it is an AscendCL
        // library (its safety section).
        let main = unsafe { libloading::Library::new(path) }.map_err(|error| reason(&error, path))?;
        let path = address_in(&main, "aclInit").and_then(file_of).unwrap_or_else(|| path.to_owned());
        // The files beside it are opened later, and the program may have changed its folder by then.
        Ok(Self { main, path: absolute(&path), siblings: Mutex::default() })
    }

    /// The address of a function in one of these files, newest first.
    pub(crate) fn address(&self, name: &str, files: &[&'static str]) -> Option<NonNull<c_void>> {
        if is_pretended(&self.main, name) {
            return None;
        }
        let beside = || self.others(files).find_map(|file| address_in(self.sibling(file).library.as_ref().ok()?, name));
        address_in(&self.main, name).or_else(beside)
    }

    /// The places that were searched for a function that none of these files has.
    pub(crate) fn searched(&self, files: &[&'static str]) -> Vec<Attempt> {
        let lacks = "it has no such function";
        let attempt = |path: &Path, outcome: &str| Attempt { path: path.into(), because: "", outcome: outcome.into() };
        let beside = self.others(files).map(|file| self.sibling(file)).map(|sibling| {
            let outcome = sibling.library.as_ref().map_or_else(String::as_str, |_| lacks);
            attempt(&sibling.path, outcome)
        });
        [attempt(&self.path, lacks)].into_iter().chain(beside).collect()
    }

    /// The files without the first one.
    fn others<'a>(&'a self, files: &'a [&'static str]) -> impl Iterator<Item = &'static str> {
        files.iter().copied().filter(|file| self.path.file_name() != Some(OsStr::new(file)))
    }

    fn sibling(&self, file: &'static str) -> &'static Sibling {
        if let Some(known) = self.known(file) {
            return known;
        }
        // The lock is not held here, because initialisers run. If another thread opens the file too, the loader counts
        // both.
        let opened: &'static Sibling = Box::leak(Box::new(Sibling::open(self.path.parent(), file)));
        let mut siblings = self.siblings();
        if let Some(known) = siblings.iter().find(|sibling| sibling.file == file) {
            return known;
        }
        siblings.push(opened);
        opened
    }

    fn known(&self, file: &str) -> Option<&'static Sibling> {
        self.siblings().iter().copied().find(|sibling| sibling.file == file)
    }

    fn siblings(&self) -> MutexGuard<'_, Vec<&'static Sibling>> {
        self.siblings.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Sibling {
    fn open(folder: Option<&Path>, file: &'static str) -> Self {
        let path = folder.map_or_else(|| PathBuf::from(file), |folder| folder.join(file));
        let absent = if has_folder(&path) { why_not_there(&path) } else { None };
        let library = if let Some(reason) = absent {
            Err(reason)
        } else if is_stub(&path) {
            Err(STUB.to_owned())
        } else {
            // SAFETY: opening a file runs its initialisers. This is a file of the same installation under its
            // documented name. The caller who opened the first file also guaranteed the files beside it
            // (`Library::open_first`).
            unsafe { libloading::Library::new(&path) }
                .map_err(|error| format!("it cannot be loaded: {}", reason(&error, &path)))
        };
        Self { file, path, library }
    }
}

/// The dynamic loader's message. The error itself only names the loader's function that failed.
fn reason(error: &dyn core::error::Error, path: &Path) -> String {
    let reason = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    // The loader passes over a library of another processor, and then finds no other one.
    let is_not_found = reason.contains(&format!("{}: cannot open shared object file: No such file", path.display()));
    match is_not_found && has_folder(path) && path.exists() {
        true => reason + "; the file is there, so it may be of another processor",
        false => reason,
    }
}

fn address_in(library: &libloading::Library, name: &str) -> Option<NonNull<c_void>> {
    // SAFETY: `Library::get` requires that the symbol has the given type. The type is an address, and every symbol has
    // an address.
    let address = unsafe { library.get::<*mut c_void>(name).ok()?.try_as_raw_ptr() };
    address.and_then(NonNull::new)
}

/// The file that contains an address, by the path that the dynamic loader opened.
#[cfg(not(unix))]
fn file_of(_: NonNull<c_void>) -> Option<PathBuf> {
    None
}

/// The file that contains an address, by the path that the dynamic loader opened.
#[cfg(unix)]
fn file_of(address: NonNull<c_void>) -> Option<PathBuf> {
    let mut found = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: `dladdr` accepts any address and writes to `found`, which is a local. `assume_init` requires an
    // initialised value: `found` was zeroed, and every bit pattern is a valid `Dl_info`.
    let (known, found) = unsafe { (libc::dladdr(address.as_ptr(), found.as_mut_ptr()), found.assume_init()) };
    if known == 0 || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: `CStr::from_ptr` asks for a terminated string that stays in place. It is the dynamic loader's own text,
    // which stays while the file is loaded, and it is copied here.
    let path = unsafe { core::ffi::CStr::from_ptr(found.dli_fname) };
    Some(PathBuf::from(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(path.to_bytes())))
}

/// Whether the simulator's shared object does not simulate this function. It exports every function so that C programs
/// can link with it, and reports which of them it does not simulate.
fn is_pretended(library: &libloading::Library, name: &str) -> bool {
    type Has = unsafe extern "C" fn(*const c_char) -> c_int;
    // SAFETY: `Library::get` requires that the symbol has the given type. Only the simulator's library has a function
    // of this name, and it has this type.
    let Ok(has) = (unsafe { library.get::<Has>("ascendcl_sim_has") }) else { return false };
    let Ok(name) = CString::new(name) else { return false };
    // SAFETY: the function reads a terminated string during the call. A `CString` is one.
    unsafe { has(name.as_ptr()) == 0 }
}
