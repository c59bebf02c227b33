//! The short form: one device, one context, one thread.

use crate::acl::Acl;
use crate::brand::Scoped;
use crate::code::Code;
use crate::current::Current;
use crate::device::Device;
use crate::error::{Error, Failed, Lines, ScopeError};
use crate::ledger::takes::{self, CodeLocation};
use crate::library::Library;
#[cfg(not(feature = "sim"))]
use crate::library::{NeedsTheFeatureSim, PartOfThisProgram};
use crate::panics::{Panics, catch, drop_quietly};
use crate::thread::Thread;
use crate::undelivered;
use ascendcl_macros::rule;
use core::fmt;
use core::panic::Location;
use std::path::PathBuf;
use std::time::Duration;
use typed_builder::TypedBuilder;

/// The library, the device and more for [`run`] and [`Runtime::open`](crate::Runtime::open). A [`Library`] alone stands for
/// that library and the defaults of the other fields.
///
/// ```
/// use ascendcl::{Library, Setup};
///
/// let setup = Setup::builder().library(Library::Simulator).device(1).build();
/// ascendcl::run(setup, |current| {
///     assert_eq!(current.device_id(), 1);
///     Ok::<_, ascendcl::Error>(())
/// })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
///
/// What a configuration may leave out is set in the field:
///
/// ```
/// use ascendcl::{Library, Setup};
///
/// # let configured: Option<i32> = None;
/// let mut setup = Setup::from(Library::Simulator);
/// setup.device = configured;
/// # assert_eq!(setup, Setup::builder().library(Library::Simulator).build());
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, TypedBuilder)]
#[non_exhaustive]
pub struct Setup {
    /// Which library.
    #[builder(default)]
    pub library: Library,
    /// The device. By default it is the device of this thread's current context, if other code has chosen one, and
    /// otherwise device 0. If this process uses other devices and not device 0, the error is [`Error::NoDeviceNamed`].
    #[builder(default, setter(strip_option))]
    pub device: Option<i32>,
    /// Whether the program works in the device's default context, which `aclrtSetDevice` creates. By default it gets a
    /// context of its own.
    ///
    /// All takes of the device share the default context and its default stream, with each other and with other code of
    /// the process. What the program makes there belongs to the program alone, and ends with it; the context stays. A
    /// program that has used the default stream waits at its end for the work of all others there, too. Some libraries of
    /// the vendor require the default context: the graph engine does (GE-18). See
    /// [`Device::default_context`](crate::Device::default_context).
    #[builder(default)]
    pub default_context: bool,
    /// A configuration file for the library, in the vendor's JSON format.
    #[builder(default, setter(strip_option, into))]
    pub config: Option<PathBuf>,
    /// Limits how long the end of the program waits: at most this long for each stream, and for calls of other contexts
    /// on each event. See [`Device::with_teardown_timeout`](crate::Device::with_teardown_timeout). Without this setting
    /// there is no limit.
    #[builder(default, setter(strip_option))]
    pub teardown_timeout: Option<Duration>,
    /// Whether each call of the library in this process compares the thread's current context first, until the program has
    /// ended or the runtime is closed: see [`Acl::verify_current`].
    #[builder(default)]
    pub verify_current: bool,
}

/// The lifetime is needed: the compiler would refuse a bound without parameters here, and not where a program uses it.
#[cfg(not(feature = "sim"))]
#[doc(hidden)]
impl<'a> From<NeedsTheFeatureSim> for Setup
where
    &'a NeedsTheFeatureSim: PartOfThisProgram,
{
    fn from(_: NeedsTheFeatureSim) -> Self {
        (&NeedsTheFeatureSim).never()
    }
}

impl From<Library> for Setup {
    fn from(library: Library) -> Self {
        Self { library, ..Self::default() }
    }
}

/// Loads and initialises the library, takes the device, creates a context, and runs `program` with the context current
/// on this thread. Afterwards it takes down everything in the vendor's order, also after an error or a panic.
///
/// This is [`Acl`], [`Thread`], [`Device`](crate::Device) and [`Context`](crate::Context) in one call, for programs
/// that need one of each.
///
/// # Errors
///
/// [`RunError`] says whether the program failed, or a step before or after it.
///
/// # Panics
///
/// A panic of the program, or of a value of it that is dropped, continues afterwards. The next
/// [`runtime::sweep`](crate::runtime::sweep) returns the errors of the steps after the panic.
///
/// ```
/// use ascendcl::Library;
///
/// let sum = ascendcl::run(Library::Simulator, |current| {
///     let numbers = current.upload(&[1_u32, 2, 3])?.to_vec(current)?;
///     Ok::<u32, ascendcl::Error>(numbers.iter().sum())
/// })?;
/// assert_eq!(sum, 6);
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[rule(INIT_03)]
#[track_caller]
pub fn run<T, E>(
    setup: impl Into<Setup>,
    program: impl for<'c> FnOnce(&mut Current<Scoped<'c>>) -> Result<T, E>,
) -> Result<T, RunError<E>> {
    let setup = setup.into();
    let opened = Acl::set_up(setup.library.clone(), setup.config.as_deref(), setup.verify_current);
    let acl = opened.map_err(RunError::Setup)?;
    // A panic continues after the device was reset and the library finalised.
    let mut panics = Panics::default();
    let (result, mut errors) = with_device(&acl, &setup, program, Location::caller(), &mut panics);
    errors.extend(panics.catch(|| acl.close().err().map(Error::from)).flatten());
    if let Some(panic) = panics.first() {
        drop_quietly(result);
        undelivered::keep(errors);
        panic.resume();
    }
    match (result, errors.pop()) {
        (Some(Ok(result)), None) => Ok(result),
        (Some(Err(error)), None) => Err(RunError::Program(error)),
        (None, Some(error)) if errors.is_empty() => Err(RunError::Setup(error)),
        (result, last) => {
            errors.extend(last);
            match catch(|| result.and_then(Result::err)) {
                Ok(program) => Err(RunError::Teardown { errors, program }),
                Err(panic) => {
                    undelivered::keep(errors);
                    panic.resume()
                }
            }
        }
    }
}

/// Returns the value of the program, if it ran, and the errors of the steps before and after it.
fn with_device<R>(
    acl: &Acl,
    setup: &Setup,
    program: impl for<'c> FnOnce(&mut Current<Scoped<'c>>) -> R,
    place: CodeLocation,
    panics: &mut Panics,
) -> (Option<R>, Vec<Error>) {
    let taken = Thread::new().and_then(|mut thread| {
        let id = setup.device.map_or_else(|| default_device(acl), Ok)?;
        Device::taken(acl, &mut thread, id, place).map(|device| (thread, device))
    });
    let (mut thread, device) = match taken {
        Ok((thread, device)) => match setup.teardown_timeout {
            Some(limit) => (thread, device.with_teardown_timeout(limit)),
            None => (thread, device),
        },
        Err(error) => return (None, vec![error]),
    };
    let entered = panics.catch(|| device.with_current_in(setup.default_context, &mut thread, program));
    let (result, mut errors) = match entered {
        None => (None, Vec::new()),
        Some(Ok(result)) => (Some(result), Vec::new()),
        Some(Err(ScopeError::NotOpened(error))) => (None, vec![error]),
        Some(Err(ScopeError::Teardown { errors, result })) => (result, errors),
    };
    errors.extend(panics.catch(|| device.reset(&mut thread).err().map(Error::from)).flatten());
    (result, errors)
}

/// The device of a [`Setup`] that names none: the one that this thread has chosen, or else device 0. An error if the
/// process uses other devices only, so that its work is not split between two devices by accident.
#[rule(DEV_12)]
pub(crate) fn default_device(acl: &Acl) -> Result<i32, Error> {
    if let Some(current) = acl.api().chosen_device() {
        return Ok(current);
    }
    match takes::in_use(acl.api()).as_slice() {
        [] => Ok(0),
        used if used.contains(&0) => Ok(0),
        [used, ..] => Err(Error::NoDeviceNamed { in_use: *used }),
    }
}

/// Why [`run`] failed.
///
/// ```
/// use ascendcl::{Error, Library, RunError};
///
/// let failed = ascendcl::run(Library::Simulator, |_current| Err::<(), _>(Error::InsideCallback));
/// assert!(matches!(failed, Err(RunError::Program(Error::InsideCallback))));
/// ```
#[non_exhaustive]
pub enum RunError<E> {
    /// The library, the device or the context could not be opened. The program did not run.
    Setup(Error),
    /// The program ran and returned this error; everything was taken down cleanly.
    Program(E),
    /// Not all objects could be released. The program's own error, if there is one, is included.
    ///
    /// The device is given up. To release what is left, take it again by [`Acl::device`], and call [`Device::recover`].
    Teardown {
        /// The errors, in the order in which they occurred.
        errors: Vec<Error>,
        /// The program's own error.
        program: Option<E>,
    },
}

impl<E> RunError<E> {
    /// The errors of the steps before and after the program, in the order in which they occurred.
    pub fn errors(&self) -> &[Error] {
        match self {
            Self::Setup(error) => core::slice::from_ref(error),
            Self::Program(_) => &[],
            Self::Teardown { errors, .. } => errors,
        }
    }

    /// The vendor's code of the first of [these errors](Self::errors) that has one.
    pub fn code(&self) -> Option<Code> {
        self.errors().iter().find_map(Error::code)
    }
}

impl<E: fmt::Display> fmt::Display for RunError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup(error) => error.fmt(f),
            Self::Program(error) => error.fmt(f),
            Self::Teardown { errors, program } => {
                program.iter().try_for_each(|error| write!(f, "{error}; then "))?;
                f.write_str("not everything could be taken down:")?;
                errors.iter().try_for_each(|error| write!(f, "\n  {error}"))
            }
        }
    }
}

/// The text, because `unwrap` and a failed `main` print it.
impl<E: fmt::Debug> fmt::Debug for RunError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup(error) => error.fmt(f),
            Self::Program(error) => error.fmt(f),
            Self::Teardown { errors, program } => {
                program.iter().try_for_each(|error| write!(f, "{error:?}; then "))?;
                write!(f, "not everything could be taken down:{}", Lines(errors))
            }
        }
    }
}

/// The text contains those of the [errors](RunError::errors), so none of them is a `source`.
impl<E: fmt::Debug + fmt::Display> std::error::Error for RunError<E> {}

/// Exists for the compiler's message only: a run can fail with several errors. No type implements it.
#[diagnostic::on_unimplemented(
    message = "a run can fail in several steps, and its error is more than one `ascendcl::Error`",
    label = "ERR-01: a run can fail in several steps: return `RunError<Error>` or `Box<dyn std::error::Error>`",
    note = "see `ascendcl-explain ERR-01`"
)]
pub trait IsOneError {
    /// A value of any type: there is no such function.
    #[doc(hidden)]
    fn never<R>(&self) -> R;
}

/// A run can fail with several errors, so `?` cannot convert them into one [`Error`]. The bound has the words of the
/// compiler's message.
#[doc(hidden)]
impl<E> From<RunError<E>> for Error
where
    RunError<E>: IsOneError,
{
    fn from(error: RunError<E>) -> Self {
        error.never()
    }
}

/// Drops the object of a failed transition. So `?` works in functions that return the error of [`run`].
impl<T> From<Failed<T>> for RunError<Error> {
    fn from(failed: Failed<T>) -> Self {
        Self::Program(failed.error)
    }
}
