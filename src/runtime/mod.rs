//! Contexts that a value owns: for services, frameworks and plugins, which keep streams, models and memory in structs.
//!
//! A scope is for a program: [`run`](crate::run) and [`Device::context`](crate::Device::context) take everything down
//! at their end, and what outlives them does not compile. A [`Runtime`] is for a service: a value with no lifetime.

mod abandoned;
mod actor;
mod answer;
mod shared;

use crate::acl::Acl;
use crate::brand::{Mark, Name};
use crate::callback_guard::OutsideCallbacks;
use crate::context::enter;
use crate::current::Current;
use crate::device_allocator::ContextId;
pub use crate::error::close::CloseError;
use crate::error::{Error, ObjectKind};
use crate::ffi::Api;
use crate::ledger::Ledger;
use crate::ledger::takes::CodeLocation;
use crate::library::Loaded;
use crate::panics::{Panics, drop_quietly};
use crate::run::Setup;
use crate::thread::{Thread, ThreadToken};
use crate::undelivered;
pub use abandoned::sweep;
pub use actor::Actor;
pub use answer::Answer;
use ascendcl_macros::rule;
use core::fmt;
use core::panic::Location;
use shared::Shared;
use std::sync::Arc;
use std::time::Duration;

/// A library, a device and a context, in one value without a lifetime.
///
/// It can be stored in a struct, an [`Arc`] or a static, beside the streams, buffers, models and events that are made
/// in it, in any order of fields. Any thread can [use](Self::with) it, several at a time.
///
/// ```
/// use ascendcl::{Current, Error, Input, Library, Model, Runtime};
///
/// ascendcl::names!(Vision);
///
/// struct Classifier {
///     model: Model<Vision>,
///     runtime: Runtime<Vision>,
/// }
///
/// impl Classifier {
///     fn open(file: &str) -> Result<Self, Error> {
///         let (runtime, model) = Runtime::open_with(Library::Simulator, |current| current.load_model(file))?;
///         Ok(Self { model, runtime })
///     }
///
///     fn classify(&mut self, pixels: &[f32; 64]) -> Result<Vec<f32>, Error> {
///         self.runtime.with(|current| {
///             let outputs = self.model.run(current, &[Input::new(&[1, 64], pixels)?])?;
///             outputs.get(0)?.to_vec()
///         })?
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits.onnx");
/// let mut classifier = Classifier::open(file)?;
/// assert_eq!(classifier.classify(&[0.0; 64])?.len(), 10);
/// classifier.runtime.close()?;
/// assert!(classifier.classify(&[0.0; 64]).is_err());
/// # Ok(())
/// # }
/// ```
///
/// # What is checked when
///
/// * Values of two names do not mix: that does not compile.
/// * Two runtimes of one name do not mix, either. That is found when a value is used: [`Error::WrongContext`].
/// * After [`close`](Self::close) the values still exist but do nothing: no code can get a [`Current`] to use them with
///   ([`Error::Gone`]).
///
/// # The end
///
/// [`close`](Self::close) releases everything in the vendor's order and reports what it could not release. Dropping a
/// runtime does not call the library, because a drop may run inside a callback, in a panic, or while work is in flight.
/// The next [`Runtime::open`] releases what is idle by then; [`sweep`] waits for the rest.
#[must_use = "a runtime that is dropped is taken down by the next `open` or by `runtime::sweep`; `close` shows the errors"]
#[rule(DEV_10, CTX_02, CTX_03, CTX_06, CTX_11)]
pub struct Runtime<
    N: Name, // CTX-02: the name of its context: `ascendcl::names!(Vision);`, then `Runtime<Vision>`
> {
    shared: Arc<Shared>,
    _brand: Mark<N>,
}

impl<N: Name> Runtime<N> {
    /// Loads and initialises the library (`aclInit`), takes the device (`aclrtSetDevice`) and creates a context
    /// (`aclrtCreateContext`), unless the setup asks for the [device's own](Setup::default_context). The thread's current
    /// context does not change.
    ///
    /// A process may open several, one per device or per worker.
    ///
    /// # Errors
    ///
    /// [`Error::ThreadTaken`] if this thread has a [`Thread`] or is inside a context; [`Error::Load`],
    /// [`Error::NoSuchDevice`], [`Error::NoDeviceNamed`] or [`Error::Vendor`]. The crate undoes the steps before the error.
    /// The next [`sweep`] tries again what the library refuses to release now.
    #[rule(INIT_03, INIT_11, DEV_03, DEV_04, DEV_12, CTX_01, CTX_04)]
    #[track_caller]
    pub fn open(setup: impl Into<Setup>) -> Result<Self, Error> {
        Self::open_at(setup.into(), Location::caller())
    }

    fn open_at(setup: Setup, place: CodeLocation) -> Result<Self, Error> {
        let mut thread = Thread::new()?;
        abandoned::take_down_idle(&mut thread);
        let acl = Acl::set_up(setup.library.clone(), setup.config.as_deref(), setup.verify_current)?;
        let shared = Shared::open(acl, &setup, &mut thread, place)?;
        Ok(Self { shared: Arc::new(shared), _brand: Mark::NEW })
    }

    /// Like [`open`](Self::open), and makes what the program keeps beside the runtime. When `make` fails, the runtime is
    /// closed before the error is returned. So a service that cannot load its model leaves nothing behind. `make` fails with
    /// an [`Error`] only: what fails otherwise, a configuration for example, is read before.
    ///
    /// ```
    /// use ascendcl::{Error, Library, Runtime, runtime};
    ///
    /// ascendcl::names!(Vision);
    ///
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits.onnx");
    /// let open = |file| Runtime::<Vision>::open_with(Library::Simulator, |current| current.load_model(file));
    /// let (runtime, model) = open(file)?;
    /// assert_eq!(model.inputs().len(), 1);
    /// runtime.close()?;
    ///
    /// assert!(open("a file that does not exist").is_err());
    /// assert!(runtime::sweep(None).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open) and of `make`. What could not be released then, and what a panic of `make` leaves,
    /// is released by the next `open` or by [`sweep`], which also returns the errors of the close.
    #[track_caller]
    pub fn open_with<S>(
        setup: impl Into<Setup>,
        make: impl FnOnce(&mut Current<N>) -> Result<S, Error>,
    ) -> Result<(Self, S), Error> {
        Self::open_with_at(setup.into(), make, Location::caller())
    }

    fn open_with_at<S>(
        setup: Setup,
        make: impl FnOnce(&mut Current<N>) -> Result<S, Error>,
        place: CodeLocation,
    ) -> Result<(Self, S), Error> {
        let runtime = Self::open_at(setup, place)?;
        match runtime.with(make).and_then(|made| made) {
            Ok(state) => Ok((runtime, state)),
            Err(error) => {
                // The first error is the one to report. The next sweep returns the others, and releases what is left.
                let mut panics = Panics::default();
                panics.catch(|| {
                    undelivered::keep(runtime.close().err().map(CloseError::into_errors).unwrap_or_default())
                });
                let Some(panic) = panics.first() else { return Err(error) };
                drop_quietly(error);
                panic.resume()
            }
        }
    }

    /// Runs `program` with the context current on this thread (`aclrtSetCurrentContext`), and puts back what was current
    /// before, also when the program panics.
    ///
    /// Several threads can be inside at a time. The runtime stays open until they have left.
    ///
    /// # Errors
    ///
    /// [`Error::Gone`] when the runtime is closed or being closed; [`Error::ThreadTaken`] where this thread has a
    /// [`Thread`] or is inside a context ([`enter`](Self::enter) is for that); [`Error::Vendor`] when the library
    /// refuses. The program did not run then.
    #[inline]
    pub fn with<R>(&self, program: impl FnOnce(&mut Current<N>) -> R) -> Result<R, Error> {
        let (thread, outside) = Thread::new_outside()?;
        self.enter_as(thread, Some(outside), program)
    }

    /// Like [`with`](Self::with), on a thread that has a [`Thread`] or is inside a context. That context is current
    /// again afterwards.
    ///
    /// # Errors
    ///
    /// As for [`with`](Self::with).
    #[rule(CTX_05, CTX_09)]
    #[inline]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn enter<R>( // CTX-05: the thread's token comes first: `&mut Thread::new()?`, its `current`; or `runtime.with(...)`
        &self,
        thread: &mut impl ThreadToken,
        program: impl FnOnce(&mut Current<N>) -> R,
    ) -> Result<R, Error> {
        self.enter_as(thread, None, program)
    }

    /// Enters with this token, which it keeps until the thread has left. Both the token and the passage of the entrance are
    /// given back before there is a result, so that the result is not kept meanwhile.
    #[inline(always)]
    fn enter_as<T, R>(
        &self,
        thread: T,
        outside: Option<OutsideCallbacks>,
        program: impl FnOnce(&mut Current<N>) -> R,
    ) -> Result<R, Error> {
        let Some(inside) = self.shared.pass() else { return Err(is_gone()) };
        match enter(self.shared.ledger(), outside, program) {
            Ok(result) => {
                drop((inside, thread));
                Ok(result)
            }
            Err(error) => Err(not_entered((inside, thread), error)),
        }
    }

    /// Runs `program` while the runtime is open, without entering it.
    pub(crate) fn while_open<R>(&self, program: impl FnOnce(&Ledger) -> R) -> Result<R, Error> {
        let _inside = self.shared.pass().ok_or_else(|| Error::Gone { what: ObjectKind::RUNTIME })?;
        Ok(program(self.shared.ledger()))
    }

    /// Releases everything that was made in the context, in the vendor's order. Then destroys the context, resets the
    /// device (`aclrtResetDevice`) and finalises the library (`aclFinalizeReference`). A default context is not
    /// destroyed: it ends with the last reset of its device. Handles that are still stored somewhere are useless
    /// afterwards. Closing a closed runtime does nothing.
    ///
    /// [`Setup::teardown_timeout`] limits the wait for each stream, and for calls of other contexts on each event
    /// ([`wait_across_contexts`](crate::stream::StreamOps::wait_across_contexts)).
    ///
    /// # Errors
    ///
    /// [`CloseError::Busy`] while another thread is inside. [`CloseError::Refused`] if this thread is inside a context, has a
    /// [`Thread`] or is in a callback, and in a forked child. [`CloseError::Closing`] while another thread closes the runtime
    /// or recovers its device. In these cases nothing has happened. [`CloseError::Teardown`] when something could not be
    /// released: the runtime cannot be entered any more, and closing it again tries the rest.
    #[rule(DEV_02, DEV_10, INIT_02, INIT_07, STREAM_05)]
    pub fn close(&self) -> Result<(), CloseError> {
        self.close_within(Duration::ZERO)
    }

    /// Like [`close`](Self::close), but first waits at most `limit` for the threads that are inside. Meanwhile no
    /// thread can enter.
    ///
    /// # Errors
    ///
    /// As for [`close`](Self::close). After a [`CloseError::Busy`] the runtime can be entered as before.
    pub fn close_within(&self, limit: Duration) -> Result<(), CloseError> {
        let mut thread = Thread::new().map_err(CloseError::Refused)?;
        self.shared.close(&mut thread, limit, self.shared.teardown_timeout())
    }

    /// Like [`close_within`](Self::close_within), and ends work that does not complete, for example on a device that
    /// hangs: it takes the steps of [`Device::recover`](crate::Device::recover), the last of which resets the device by
    /// force (`aclrtStreamAbort`, `aclrtDeviceTaskAbort`, `aclrtResetDeviceForce`). `limit` limits the wait for the
    /// threads that are inside, and each further wait. Returns descriptions of what could not be released: that stays
    /// allocated until the process ends.
    ///
    /// `Ok` says that nothing of this runtime is left, and not that the device answers: a device is reset only if something
    /// of the program is left there. If the next runtime on it gets no answer, either, close that and call
    /// [`Device::reset_by_force`](crate::Device::reset_by_force).
    ///
    /// A service gives a hanging device up and opens another runtime on it:
    ///
    /// ```
    /// use ascendcl::{Error, Library, Runtime};
    /// use std::time::Duration;
    ///
    /// ascendcl::names!(Vision);
    ///
    /// fn anew(hangs: Runtime<Vision>) -> Result<Runtime<Vision>, Error> {
    ///     for lost in hangs.close_by_force(Duration::from_secs(5))? {
    ///         eprintln!("lost: {lost}");
    ///     }
    ///     Runtime::open(Library::Simulator)
    /// }
    ///
    /// anew(Runtime::open(Library::Simulator)?)?.close()?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`close_within`](Self::close_within). The last error of [`CloseError::Teardown`] is
    /// [`Error::DeviceShared`] when another part of the program has taken the device too, because a device is not reset
    /// while others use it. Closing again tries the rest.
    ///
    /// A runtime that gets this error has *given up* the device, and has waited at most `limit` for the others to do
    /// the same. When all runtimes on the device have given it up, the last one that is closed by force recovers it for
    /// all, also if its own end needs no force, and returns what all of them lose. The others are then closed as usual.
    /// A dropped runtime that could not be released has also given up its device, and so has a
    /// [`Device`](crate::Device) that was dropped or whose [recovery](crate::Device::recover) was refused. The error
    /// says where the others have taken the device.
    #[rule(DEV_08, DEV_09, ERR_07, STREAM_17)]
    pub fn close_by_force(&self, limit: Duration) -> Result<Vec<String>, CloseError> {
        let mut thread = Thread::new().map_err(CloseError::Refused)?;
        let closed = self.shared.close_by_force(&mut thread, limit);
        // Dropped runtimes that are idle are not to keep the device from its recovery.
        let waits = match &closed {
            Err(error) => matches!(error.errors().last(), Some(Error::DeviceShared { .. })),
            Ok(lost) => lost.is_empty() && self.shared.is_device_given_up(),
        };
        if !waits || !abandoned::are_left() {
            return closed;
        }
        abandoned::take_down_idle(&mut thread);
        self.shared.close_by_force(&mut thread, limit)
    }

    /// Whether the runtime can no longer be entered.
    pub fn is_closed(&self) -> bool {
        self.shared.is_shut()
    }

    /// The library that was loaded.
    pub fn library(&self) -> Loaded {
        Loaded::of(self.api())
    }

    /// Identifies the context among all contexts of this process.
    pub fn id(&self) -> ContextId {
        self.shared.ledger().id()
    }

    pub(crate) fn api(&self) -> Api {
        self.shared.ledger().api()
    }

    /// The number of the context's device.
    pub fn device_id(&self) -> i32 {
        self.id().device()
    }
}

#[cold]
#[inline(never)]
fn is_gone() -> Error {
    Error::Gone { what: ObjectKind::RUNTIME }
}

/// The error of an entry, after what the entry had is given back.
#[cold]
#[inline(never)]
fn not_entered<T>(had: T, error: Error) -> Error {
    drop(had);
    error
}

impl<N: Name> Drop for Runtime<N> {
    fn drop(&mut self) {
        abandoned::keep(&self.shared);
    }
}

impl<N: Name> fmt::Debug for Runtime<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, closed) = (self.id(), self.is_closed());
        f.debug_struct("Runtime").field("id", &id).field("closed", &closed).finish_non_exhaustive()
    }
}
