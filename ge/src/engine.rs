//! The initialised graph engine of this process.

use super::{Options, Place, Provider, Session};
use crate::error::EngineError;
use crate::ffi::{Shim, lost_sessions, sessions};
use crate::marks::OfTheEnginesThread;
use ascendcl::library::Loaded;
use ascendcl::raw::{LibraryHold, LibraryUser};
use ascendcl::thread::ThreadToken;
use ascendcl::{Acl, Current, Device, Error, Failed, Name, ScopeError, Scoped, Unnamed};
use ascendcl_macros::rule;
use ascendcl_rules::{GE_10, INIT_02};
use static_assertions::assert_not_impl_any;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread::ThreadId;

/// The graph engine, initialised (`GEInitialize`). There is one per process.
///
/// It owes one finalisation (`GEFinalize`), which [`close`](Self::close) makes. If an `Engine` is dropped, the engine
/// stays initialised, and the next [`init`](Self::init) finalises it first. If an `Engine` is forgotten, it stays
/// taken. In both cases its [`Acl`] refuses to be closed.
///
/// It stays on its thread: initialising the vendor's engine on one thread and finalising it on another can hang.
///
/// If a thread ends without closing its engine, for example after a panic, the engine stays initialised for the rest of
/// the process: no other thread can finalise it, [`init`](Self::init) returns [`EngineError::OtherThread`], and the
/// [`Acl`] cannot be closed. A program that continues after a panic should initialise the engine on a thread that does
/// not end, for example the main thread. After the panic was caught there, `init` and `close` on that thread finalise
/// the engine.
#[derive(Debug)]
#[must_use = "an engine that is not closed stays initialised"]
#[rule(GE_10, GE_11, GE_13)]
pub struct Engine<'a> {
    acl: &'a Acl,
    shim: Shim,
    hold: Hold,
    _here: OfTheEnginesThread,
}

/// The right to use the engine. Dropping it does not call the engine: see [`Engine::close`].
#[derive(Debug)]
struct Hold {
    /// `None` after it was closed.
    made: Option<Made>,
}

assert_not_impl_any!(Engine<'static>: Send, Sync, Clone);

/// An initialisation of the engine that was not finalised yet.
#[derive(Debug)]
struct Made {
    shim: Shim,
    library: Loaded,
    /// The thread that has to finalise it.
    thread: ThreadId,
    /// The device that the engine has set for itself, and how often it had been reset by force by then.
    device: Option<(i32, u64)>,
    /// Keeps the [`Acl`] from being closed earlier.
    _needs: LibraryHold,
}

/// The state of the engine in this process.
#[derive(Debug)]
enum Life {
    Uninitialised,
    /// An [`Engine`] exists.
    Taken,
    /// The [`Engine`] was dropped and not closed.
    Left(Made),
}

/// The reason that an [`Acl`] reports if it is closed while the engine is initialised.
static USER: LibraryUser = LibraryUser {
    why: "the graph engine is still initialised and uses the library: close the `Engine` first; if it was dropped, call \
          `Engine::init` on the same thread again, and `Engine::close`",
    rules: &[INIT_02, GE_10],
};

impl Made {
    /// Finalises the engine.
    fn finalize(&self) -> Result<(), Error> {
        if sessions() > 0 {
            return Err(EngineError::SessionsLeft { count: sessions(), lost: lost_sessions() }.into());
        }
        if self.thread != std::thread::current().id() {
            return Err(EngineError::OtherThread.into());
        }
        if let Some((device, before)) = self.device
            && self.library.forced_resets(device) != before
        {
            return Err(EngineError::DeviceWasReset { device }.into());
        }
        self.shim.finalize(self.library)
    }
}

static LIFE: Mutex<Life> = Mutex::new(Life::Uninitialised);

impl<'a> Engine<'a> {
    /// Loads the engine and initialises it (`GEInitialize`).
    ///
    /// With some options the engine sets a device for itself, and resets it when it is closed: `ge.exec.deviceId`, and
    /// `ge.graphRunMode` for training. If the program resets that device by force meanwhile, the engine cannot be closed
    /// any more ([`EngineError::DeviceWasReset`]).
    ///
    /// # Errors
    ///
    /// [`EngineError::Load`], which says what to install. [`EngineError::Taken`] while another `Engine` exists.
    /// [`EngineError::OtherThread`] when an `Engine` was dropped on another thread and is still initialised.
    /// [`EngineError::DeviceWasReset`] when an `Engine` was dropped and its own device was reset by force since.
    /// [`EngineError::Failed`] when the engine refuses.
    #[rule(GE_10, CTX_05)]
    pub fn init(acl: &'a Acl, place: &Place, options: &Options) -> Result<Self, Error> {
        let library = acl.library();
        library.check_calls_allowed()?;
        let shim = Shim::load(place)?;
        let needs = acl.hold(&USER)?;
        let before = std::mem::replace(&mut *life(), Life::Taken);
        match before {
            Life::Taken => return Err(EngineError::Taken.into()),
            Life::Uninitialised => (),
            Life::Left(made) => {
                if let Err(error) = made.finalize() {
                    *life() = Life::Left(made);
                    return Err(error);
                }
            }
        }
        let device = options.own_device().map(|device| (device, library.forced_resets(device)));
        match shim.initialize(library, options.pairs()) {
            Ok(()) => {
                let made = Made { shim, library, thread: std::thread::current().id(), device, _needs: needs };
                Ok(Self { acl, shim, hold: Hold { made: Some(made) }, _here: OfTheEnginesThread::NEW })
            }
            Err(error) => {
                *life() = Life::Uninitialised;
                Err(error)
            }
        }
    }

    /// The library through which this program calls the engine.
    pub fn library(&self) -> &'static Path {
        self.shim.path()
    }

    /// The kind of that library: the shim, or the vendor's wrapper, which offers a part of the engine.
    pub fn provider(&self) -> Provider {
        self.shim.provider()
    }

    /// Creates a session on a device, runs `program` in it, and takes down everything that was made in it. Streams are
    /// synchronised, outputs released, graphs removed, allocators unregistered and the session destroyed. The remaining
    /// objects follow in the order of [`Device::context`].
    ///
    /// The session uses the device's default context, because the vendor requires it (GE-18). The program gets this
    /// context as its current one. Objects that it creates there belong to this session only. The vendor's option
    /// `ge.session_device_id` is always that of the device.
    ///
    /// # Errors
    ///
    /// [`ScopeError`] when the session could not be created ([`EngineError::OtherLibrary`] if the device belongs to another
    /// library than the engine), or could not be taken down. In the second case the device keeps the remaining objects
    /// and refuses to be reset, and the engine refuses to be closed. A panic of the program continues after the session
    /// was taken down.
    #[rule(GE_11, GE_12, GE_18)]
    pub fn session<T: ThreadToken, R>(
        &self,
        thread: &mut T,
        device: &Device<'_>,
        options: &Options,
        program: impl for<'c> FnOnce(&mut Session<Scoped<'c>>, &mut Current<Scoped<'c>>) -> R,
    ) -> Result<R, ScopeError<Option<R>>> {
        self.named_session::<Unnamed, T, R>(thread, device, options, program)
    }

    /// Like [`session`](Self::session), for a session with a type as its name: see
    /// [`Device::named_context`](ascendcl::Device::named_context).
    ///
    /// # Errors
    ///
    /// As for [`session`](Self::session).
    pub fn named_session<N, T: ThreadToken, R>(
        &self,
        thread: &mut T,
        device: &Device<'_>,
        options: &Options,
        program: impl for<'c> FnOnce(&mut Session<Scoped<'c, N>>, &mut Current<Scoped<'c, N>>) -> R,
    ) -> Result<R, ScopeError<Option<R>>> {
        if device.library() != self.acl.library() {
            return Err(ScopeError::NotOpened(EngineError::OtherLibrary.into()));
        }
        let options = options.on_device(device.id());
        let ended = device.named_default_context::<N, T, _>(thread, |context, thread| {
            let entered = context.enter(thread, |current| {
                // The session has a name until the program has ended: what has none is collected.
                let mut session = Session::create(current, self.shim, &options)?;
                Ok(program(&mut session, current))
            });
            entered.and_then(|result| result)
        });
        match ended {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) | Err(ScopeError::NotOpened(error)) => Err(ScopeError::NotOpened(error)),
            Err(ScopeError::Teardown { mut errors, result }) => {
                let result = result.map_err(|error| errors.insert(0, error)).ok();
                Err(ScopeError::Teardown { errors, result })
            }
        }
    }

    /// Creates a session in the context of a [`Runtime`](ascendcl::Runtime), for a struct that keeps the session, its graphs
    /// and the runtime. The page of [`Session`] has a program.
    ///
    /// The runtime has to be in the device's default context
    /// ([`Setup::default_context`](ascendcl::Setup::default_context)), because the vendor requires it (GE-18). The
    /// vendor's option `ge.session_device_id` is always that of its device. The session may be sent to other threads. It
    /// ends by [`Session::close`], by [`Current::collect`] after it was dropped, or with its runtime, in the order of
    /// [`session`](Self::session). The engine cannot be closed before.
    ///
    /// # Errors
    ///
    /// [`EngineError::NotDefaultContext`] for a runtime with a context of its own; [`EngineError::OtherLibrary`] for a
    /// runtime of another library than the engine's; [`EngineError::Failed`] when the engine refuses.
    #[rule(GE_11, GE_12, GE_18)]
    #[rustfmt::skip] // The compiler's messages print the line of the name.
    pub fn open_session<
        N: Name, // GE-11: in a runtime: `runtime.with(|current| ...)`; a scope has a session of its own: `engine.session(...)`
    >(
        &self,
        current: &Current<N>,
        options: &Options,
    ) -> Result<Session<N>, Error> {
        if current.library() != self.acl.library() {
            return Err(EngineError::OtherLibrary.into());
        }
        if !current.is_default_context() {
            return Err(EngineError::NotDefaultContext.into());
        }
        Session::create(current, self.shim, &options.on_device(current.device_id()))
    }

    /// Finalises the engine (`GEFinalize`).
    ///
    /// # Errors
    ///
    /// The engine, unchanged: [`EngineError::SessionsLeft`] while there is a session, of a runtime for example;
    /// [`EngineError::DeviceWasReset`] after a reset by force of the device that the engine has set for itself; or
    /// [`EngineError::Failed`].
    #[rule(GE_10, GE_11)]
    pub fn close(mut self) -> Result<(), Failed<Self>> {
        let ended = self.hold.made.as_ref().map_or(Ok(()), Made::finalize);
        match ended {
            Ok(()) => {
                self.hold.made = None;
                *life() = Life::Uninitialised;
                Ok(())
            }
            Err(error) => Err(Failed { error, value: self }),
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let Some(made) = self.made.take() else { return };
        // A forked child takes no lock: another thread may have had it at the fork.
        match made.library.check_calls_allowed() {
            Err(Error::Forked { .. }) => core::mem::forget(made),
            _ => *life() = Life::Left(made),
        }
    }
}

fn life() -> std::sync::MutexGuard<'static, Life> {
    LIFE.lock().unwrap_or_else(PoisonError::into_inner)
}
