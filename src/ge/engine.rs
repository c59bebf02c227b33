//! The engine's life in this process.

use super::{EngineError, Options, Place, Provider, Session};
use crate::acl::Acl;
use crate::brand::Unnamed;
use crate::context::scope;
use crate::current::Current;
use crate::device::Device;
use crate::error::{Error, ScopeError, Undone};
use crate::ffi::ge::{RawSession, Shim, sessions};
use crate::thread::OnThread;
use ascendcl_macros::rule;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The graph engine, initialised (`GEInitialize`). There is one per process.
///
/// It owes one finalisation (`GEFinalize`), which [`close`](Self::close) pays. An engine that is dropped stays
/// initialised, and the next [`init`](Self::init) finalises it before it begins anew; one that is forgotten stays taken.
#[derive(Debug)]
#[must_use = "an engine that is not closed stays initialised"]
#[rule(GE_10, GE_11, GE_13)]
pub struct Engine<'a> {
    acl: &'a Acl,
    hold: Hold,
}

/// Has the engine. Dropping it calls nothing: see [`Engine::close`].
#[derive(Debug)]
struct Hold(Shim);

assert_impl_all!(Engine<'static>: Send, Sync);
assert_not_impl_any!(Engine<'static>: Clone);

/// What this process has done with the engine.
#[derive(Clone, Copy, Debug)]
enum Life {
    Uninitialised,
    /// An [`Engine`] has it.
    Taken,
    /// The [`Engine`] was dropped and not closed.
    Left(Shim),
}

static LIFE: Mutex<Life> = Mutex::new(Life::Uninitialised);

impl<'a> Engine<'a> {
    /// Loads the engine and initialises it (`GEInitialize`).
    ///
    /// # Errors
    ///
    /// [`EngineError::Load`], which says what to install; [`EngineError::Taken`] while there is another `Engine`;
    /// [`EngineError::Failed`] when the engine refuses.
    #[rule(GE_10)]
    pub fn init(acl: &'a Acl, place: &Place, options: &Options) -> Result<Self, Error> {
        let shim = Shim::load(place)?;
        let before = std::mem::replace(&mut *life(), Life::Taken);
        let begun = match before {
            Life::Taken => return Err(EngineError::Taken.into()),
            Life::Uninitialised => Ok(()),
            Life::Left(_) if sessions() > 0 => Err(EngineError::SessionsLeft { count: sessions() }.into()),
            Life::Left(shim) => shim.finalize(acl.api()),
        };
        if let Err(error) = begun {
            *life() = before;
            return Err(error);
        }
        match shim.initialize(acl.api(), options.pairs()) {
            Ok(()) => Ok(Self { acl, hold: Hold(shim) }),
            Err(error) => {
                *life() = Life::Uninitialised;
                Err(error)
            }
        }
    }

    /// The library that stands between this program and the engine.
    pub fn library(&self) -> &'static Path {
        self.hold.0.path()
    }

    /// What that library is: the shim, or the vendor's wrapper, which has a part of the engine.
    pub fn provider(&self) -> Provider {
        self.hold.0.provider()
    }

    /// Creates a session on a device, runs `program` in it, and takes down everything that was made in it: streams are
    /// synchronised, outputs released, graphs removed, allocators unregistered, the session destroyed, and then what is
    /// left, in the order of [`Device::context`].
    ///
    /// The session works in the device's default context, which the vendor demands of it (GE-18): the program gets it as
    /// the current one, and what it makes there serves this session and no other.
    ///
    /// # Errors
    ///
    /// [`ScopeError`] when the session could not be created ([`Error::OtherLibrary`] on a device of another library than
    /// the engine's), or not be taken down: then the device keeps what is left and refuses to be reset, and the engine refuses to be closed. A panic of the program goes on after the session was
    /// taken down.
    #[rule(GE_11, GE_12, GE_18)]
    pub fn session<T: OnThread, R>(
        &self,
        thread: &mut T,
        device: &Device<'_>,
        options: &Options,
        program: impl for<'c> FnOnce(&mut Session<'c>, &mut Current<'c>) -> R,
    ) -> Result<R, ScopeError<Option<R>>> {
        self.named_session::<Unnamed, T, R>(thread, device, options, program)
    }

    /// As [`session`](Self::session), for a session that a type gives its name to: see
    /// [`Device::named_context`](crate::Device::named_context).
    ///
    /// # Errors
    ///
    /// As for [`session`](Self::session).
    pub fn named_session<N, T: OnThread, R>(
        &self,
        thread: &mut T,
        device: &Device<'_>,
        options: &Options,
        program: impl for<'c> FnOnce(&mut Session<'c, N>, &mut Current<'c, N>) -> R,
    ) -> Result<R, ScopeError<Option<R>>> {
        let api = device.api();
        if !api.is_of_the_library_of(self.acl.api()) {
            return Err(ScopeError::NotOpened(Error::OtherLibrary { what: "device" }));
        }
        // What the vendor calls the session's device; otherwise it is the engine's.
        let options = options.or("ge.session_device_id", device.id().to_string());
        let ended = scope(
            api,
            device.row(),
            thread,
            |_, row| row.default(),
            |context, thread| {
                let entered = context.enter(thread, |current| {
                    let row = Arc::new(RawSession::create(api, self.hold.0, options.pairs())?);
                    current.ledger().host(row.clone());
                    Ok(program(&mut Session::new(row), current))
                });
                entered.and_then(|result| result)
            },
        );
        match ended {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) | Err(ScopeError::NotOpened(error)) => Err(ScopeError::NotOpened(error)),
            Err(ScopeError::Teardown { mut errors, result }) => {
                let result = result.map_err(|error| errors.insert(0, error)).ok();
                Err(ScopeError::Teardown { errors, result })
            }
        }
    }

    /// Finalises the engine (`GEFinalize`).
    ///
    /// # Errors
    ///
    /// The engine as it was: [`EngineError::SessionsLeft`] while a session could not be taken down, or
    /// [`EngineError::Failed`].
    #[rule(GE_10, GE_11)]
    pub fn close(self) -> Result<(), Undone<Self>> {
        let finalized = match sessions() {
            0 => self.hold.0.finalize(self.acl.api()),
            count => Err(EngineError::SessionsLeft { count }.into()),
        };
        match finalized {
            Ok(()) => {
                *life() = Life::Uninitialised;
                std::mem::forget(self.hold);
                Ok(())
            }
            Err(error) => Err(Undone { error, value: self }),
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        *life() = Life::Left(self.0);
    }
}

fn life() -> std::sync::MutexGuard<'static, Life> {
    LIFE.lock().unwrap_or_else(PoisonError::into_inner)
}
