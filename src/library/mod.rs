//! The library that the program runs on.

mod find;

use crate::error::Error;
use crate::ffi::{Api, LoadedLibrary, app_log};
use ascendcl_sys as sys;
use core::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Which library to use.
///
/// For [`Vendor`](Self::Vendor) and [`VendorOrSimulator`](Self::VendorOrSimulator), the environment variable
/// `ASCENDCL_LIBRARY` overrides the search. It is the path of a library, or `sim` for the simulator. If that library
/// cannot be loaded, the result is an error; no other library is tried. The crate trusts the environment: loading the
/// named file runs code of that file.
///
/// The crate uses the simulator only if the program or the variable asks for it. If the program does not name
/// [`Simulator`](Self::Simulator), the crate prints to stderr that it uses it. [`Loaded::is_simulator`] says it to the
/// program, and the names of the simulator's devices contain `Simulator`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Library {
    /// The vendor's library: from `ASCEND_HOME_PATH`, `ASCEND_TOOLKIT_HOME`, the standard folders, or the dynamic
    /// loader. In each place the crate looks for `libacl_rt.so` with the files beside it that have the functions of
    /// models and operators, and then for `libascendcl.so` of older releases. It skips the stubs of a toolkit
    /// (`devlib`, `lib64/stub`).
    #[default]
    Vendor,
    /// A library file that the program guarantees to be suitable: [`Library::at`].
    At(LibraryFile),
    /// The simulator inside this program (feature `sim`).
    #[cfg(feature = "sim")]
    Simulator,
    /// The vendor's library if one is installed, else the simulator (feature `sim`). The crate prints to stderr which
    /// one it uses. A library that is installed but cannot be loaded is an error, and so is a folder that cannot be
    /// searched.
    #[cfg(feature = "sim")]
    VendorOrSimulator,
}

/// The loaded library. It prints as a phrase like "the library at /usr/local/…/libascendcl.so".
#[derive(Clone, Copy)]
pub struct Loaded {
    loading: &'static LoadedLibrary,
}

/// The file of [`Library::at`](Library::at).
///
/// ```
/// use ascendcl::Library;
///
/// // SAFETY: nothing loads the file here.
/// let library = unsafe { Library::at("/opt/ascend/libacl_rt.so") };
/// assert!(matches!(library, Library::At(_)));
/// ```
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
    /// Safe code cannot name a file:
    ///
    /// ```compile_fail,E0133
    /// # use ascendcl::Library;
    /// let library = Library::at("/nonexistent/libacl_rt.so");
    /// ```
    ///
    /// # Safety
    ///
    /// Loading a file runs its initialisers, and calling a function assumes its signature. When the file is loaded, it
    /// has to be an AscendCL library, of the vendor or another, whose functions have the signatures of the vendor's
    /// headers. The same holds for the other libraries in its folder. If the file does not exist or is not a library,
    /// the result is an error.
    ///
    /// A process uses only one installation of the vendor's software. The crate counts the libraries of two installations
    /// as independent. But the dynamic loader shares the files that both need if these have the same names, and both
    /// libraries use the same devices.
    #[allow(unsafe_code, reason = "a declaration only: the caller vouches for the file")]
    pub unsafe fn at(path: impl Into<PathBuf>) -> Self {
        Self::At(LibraryFile(path.into()))
    }
}

/// The type of [`Library`]'s variants for the simulator in a program without the feature `sim`. No function accepts it.
/// Its name, and the words of [`PartOfThisProgram`], are for the compiler's messages.
#[cfg(not(feature = "sim"))]
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NeedsTheFeatureSim;

/// No type implements it.
#[cfg(not(feature = "sim"))]
#[diagnostic::on_unimplemented(
    message = "the simulator is not part of this program",
    label = "this needs the feature `sim` of the crate `ascendcl`",
    note = "in `Cargo.toml`: `ascendcl = { ..., features = [\"sim\"] }`, or `cargo add ascendcl --features sim`",
    note = "without it there are `Library::Vendor` and `Library::at`"
)]
pub trait PartOfThisProgram {
    /// A value of any type: there is no such function.
    #[doc(hidden)]
    fn never<R>(&self) -> R;
}

#[cfg(not(feature = "sim"))]
#[doc(hidden)]
#[allow(non_upper_case_globals, reason = "the names of the variants that the feature adds")]
impl Library {
    pub const Simulator: NeedsTheFeatureSim = NeedsTheFeatureSim;
    pub const VendorOrSimulator: NeedsTheFeatureSim = NeedsTheFeatureSim;
}

impl LibraryFile {
    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Library {
    /// Loads the library without initialising it, for inspection. [`Acl::init`](crate::Acl::init) loads the library
    /// itself.
    ///
    /// ```
    /// use ascendcl::Library;
    ///
    /// let loaded = Library::Simulator.load()?;
    /// println!("{loaded}, which lacks {:?}", loaded.missing_functions());
    /// # Ok::<(), ascendcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Load`] if there is no library or the dynamic loader refuses it, and [`Error::SimulatorNotBuiltIn`].
    pub fn load(&self) -> Result<Loaded, Error> {
        find::find(self)
    }
}

/// Exists for the compiler's message only: a [`Loaded`] library may not be initialised. No type implements it.
#[diagnostic::on_unimplemented(
    message = "the library is loaded, and may not be initialised",
    label = "this is for an initialised library",
    note = "INIT-01: `Acl::init(library)?` initialises it, and has the calls: `acl.device_count()`",
    note = "see `ascendcl-explain INIT-01`"
)]
pub trait Initialised {
    /// The compiler's message needs a method. No type has it, so its result may have any type.
    #[doc(hidden)]
    fn never<R>(&self) -> R;
}

impl Loaded {
    fn new(library: &'static sys::Library) -> Self {
        Self::by(LoadedLibrary::new(library))
    }

    fn by(loading: &'static LoadedLibrary) -> Self {
        Self { loading }
    }

    pub(crate) fn functions(self) -> &'static sys::Library {
        self.loading.library()
    }

    /// The library of these functions.
    pub(crate) fn of(api: Api) -> Self {
        Self::by(api.loading())
    }

    pub(crate) fn api(self) -> Api {
        Api::new(self.loading)
    }

    /// Exists for the compiler's message only: a library that is merely loaded cannot count devices.
    #[doc(hidden)]
    pub fn device_count<'a>(&'a self) -> Result<i32, crate::error::Error>
    where
        // The lifetime is needed: the compiler would refuse a bound without parameters here, and not at the call.
        &'a Self: Initialised,
    {
        self.never()
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

    /// The functions that every release should have and that this library lacks. Empty for a suitable library. A
    /// long-running program can check this at its start; otherwise the first call of a missing function returns an
    /// error. If the library lacks the waits with a time limit, a wait without a limit calls the vendor's function without
    /// one.
    pub fn missing_functions(self) -> Vec<&'static str> {
        self.loading.library().missing_functions().iter().map(|function| function.name).collect()
    }
}

/// The library's own log (`aclAppLog`), where the vendor's tools look. It is a writer for lines of text.
///
/// To send the events of the program and of this crate from `tracing` to this log, use
/// `tracing_subscriber::fmt().with_ansi(false).with_writer(move || library.app_log(LogLevel::Info))`.
///
/// ```
/// use ascendcl::library::LogLevel;
/// use std::io::Write;
///
/// ascendcl::run(ascendcl::Library::Simulator, |current| {
///     writeln!(current.library().app_log(LogLevel::Warning), "the camera sends {} % of its images", 40)?;
///     Ok::<_, std::io::Error>(())
/// })?;
/// # Ok::<(), ascendcl::RunError<std::io::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AppLog {
    library: Loaded,
    level: LogLevel,
}

/// How much a line in the library's log matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LogLevel {
    /// Details for debugging.
    Debug,
    /// Normal events.
    Info,
    /// Events that may lead to a failure.
    Warning,
    /// A failure.
    Error,
}

impl Loaded {
    /// A writer to the library's log, for lines of this level.
    pub fn app_log(self, level: LogLevel) -> AppLog {
        AppLog { library: self, level }
    }
}

impl Write for AppLog {
    /// Writes the text as one entry, without the line break at its end.
    ///
    /// # Errors
    ///
    /// [`std::io::ErrorKind::Other`] with the [`Error`]: [`Error::MissingFunction`] for a library without `aclAppLog`,
    /// or [`Error::Forked`] in a forked child.
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let level = match self.level {
            LogLevel::Debug => sys::types::aclLogLevel::ACL_DEBUG,
            LogLevel::Info => sys::types::aclLogLevel::ACL_INFO,
            LogLevel::Warning => sys::types::aclLogLevel::ACL_WARNING,
            LogLevel::Error => sys::types::aclLogLevel::ACL_ERROR,
        };
        let line = String::from_utf8_lossy(text);
        app_log(self.library.loading, level, line.trim_end()).map_err(io::Error::other)?;
        Ok(text.len())
    }

    /// Writes the whole text as one entry.
    fn write_fmt(&mut self, text: fmt::Arguments<'_>) -> io::Result<()> {
        self.write_all(text.to_string().as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether both call the same functions.
impl PartialEq for Loaded {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.functions(), other.functions())
    }
}

impl Eq for Loaded {}

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
