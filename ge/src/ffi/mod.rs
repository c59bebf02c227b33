//! The graph engine's calls, and the values that keep its memory rules. This is the only module with unsafe blocks.
//!
//! The guarantees for the rest of the crate:
//!
//! * A [`RawSession`] owns its graphs, their registrations and the outputs of their executions. A handle refers to a
//!   row of the session. The session ends with all its objects when its context takes it down ([`InContext`]).
//! * Each row knows its session ([`Home`](session::Home)). A call that gets a session, a row and a context compares the
//!   three before it calls the engine, because those of two runtimes may have the same type.
//! * Who calls the engine with a session has `&mut` of its handle, or is the end of the session, when no such handle can
//!   be used. Outputs are read without the session: readers are counted, and nothing is released under them.
//! * The inputs and outputs of an execution stay allocated until the stream has completed it (their [`LastUse`]).
//! * An allocator stays at its address while it is registered, and afterwards as long as the engine has a block of it.

#![allow(unsafe_code)]

mod graph;
mod lent;
mod outputs;
mod session;

pub(crate) use graph::{RawGraph, idle};
pub(crate) use outputs::RawOutputs;
pub(crate) use session::{InContext, RawSession};

use crate::error::{EngineError, FailedCall};
use ascendcl::context::ContextId;
use ascendcl::library::Loaded;
use ascendcl::raw::{EndingContext, LastUse};
use ascendcl::{Brand, Current, Error};
use ascendcl_ge_sys as sys;
use ascendcl_macros::rule;
use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicUsize, Ordering};
use std::ffi::CString;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The loaded shim, or the vendor's wrapper with the same functions. It stays loaded for the rest of the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shim(&'static sys::Library);

/// Options in the form that the shim takes.
struct OptionList {
    _texts: Vec<CString>,
    keys: Vec<*const c_char>,
    values: Vec<*const c_char>,
}

/// The libraries of this process. Each is loaded once.
static LOADED: Mutex<Vec<(sys::Place, Shim)>> = Mutex::new(Vec::new());

/// The number of sessions in this process. There is one count, because there is one engine.
static SESSIONS: AtomicUsize = AtomicUsize::new(0);

/// How many of them ended with their context, so that nobody can destroy them.
static LOST_SESSIONS: AtomicUsize = AtomicUsize::new(0);

/// The context of a call: the current one, also while the context ends.
pub(crate) trait Site {
    fn check_calls_allowed(&self) -> Result<(), Error>;
    fn is_over(&self, used: &LastUse) -> bool;
    fn library(&self) -> Loaded;
    /// The current context, if the caller may be in another one than the session.
    fn context(&self) -> Option<ContextId>;

    fn is_in(&self, context: ContextId) -> bool {
        self.context().is_none_or(|current| current == context)
    }
}

impl<C: Brand> Site for Current<C> {
    fn check_calls_allowed(&self) -> Result<(), Error> {
        self.check_calls_allowed()
    }

    fn is_over(&self, used: &LastUse) -> bool {
        used.is_over(self)
    }

    fn library(&self) -> Loaded {
        self.library()
    }

    fn context(&self) -> Option<ContextId> {
        Some(self.id())
    }
}

impl Site for EndingContext<'_> {
    fn check_calls_allowed(&self) -> Result<(), Error> {
        self.check_calls_allowed()
    }

    fn is_over(&self, used: &LastUse) -> bool {
        self.is_over(used)
    }

    fn library(&self) -> Loaded {
        self.library()
    }

    /// A session ends in the context to which it is attached.
    fn context(&self) -> Option<ContextId> {
        None
    }
}

impl Shim {
    pub(crate) fn load(place: &sys::Place) -> Result<Self, Error> {
        let known =
            |loaded: &[(sys::Place, Self)]| loaded.iter().find(|(known, _)| known == place).map(|(_, shim)| *shim);
        if let Some(shim) = known(&LOADED.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(shim);
        }
        // This comes before the lock, because loading runs the file's initialisers. Another thread may have loaded the file
        // meanwhile.
        // SAFETY: `Library::load` requires a file that has the shim's functions, with the signatures of its header. The
        // file was built with this program, or comes from the vendor, or is named by the environment, which a process
        // trusts, or the caller of `Place::at` has guaranteed this for it.
        let shim = unsafe { sys::Library::load(place) }.map(Self).map_err(EngineError::Load)?;
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(known(&loaded).unwrap_or_else(|| {
            loaded.push((place.clone(), shim));
            shim
        }))
    }

    pub(crate) fn path(self) -> &'static Path {
        self.0.path()
    }

    pub(crate) fn provider(self) -> sys::Provider {
        self.0.provider()
    }

    pub(crate) fn initialize(self, library: Loaded, options: &[(String, String)]) -> Result<(), Error> {
        library.check_calls_allowed()?;
        let options = OptionList::new(options)?;
        // SAFETY: the function reads the options during the call. `OptionList` keeps the texts, which are terminated,
        // for longer.
        let status = self.call(library, |shim| unsafe { (shim.initialize)(&options.raw()) });
        self.done("GEInitialize", status, || "initialise the graph engine".into())
    }

    /// The caller has checked that every session has ended: see [`sessions`].
    #[rule(GE_11)]
    pub(crate) fn finalize(self, library: Loaded) -> Result<(), Error> {
        library.check_calls_allowed()?;
        // SAFETY: the function takes no arguments: it asks for nothing but its signature, which is that of the table.
        let status = self.call(library, |shim| unsafe { (shim.finalize)() });
        self.done("GEFinalize", status, || "finalise the graph engine".into())
    }

    /// Calls a function of the engine. The engine makes contexts of its own current, for example the one that it creates for
    /// a session. Afterwards the context from before is current again. If the library refuses that, the next call in the
    /// context asks once more.
    #[rule(CTX_05, STREAM_09, GE_18)]
    pub(super) fn call<R>(self, library: Loaded, function: impl FnOnce(&'static sys::Library) -> R) -> R {
        library.foreign(|| function(self.0)).result
    }

    /// Turns the status of a call into a result. `doing` follows "could not" in the message.
    #[rule(GE_08)]
    fn done(self, call: &'static str, status: sys::Status, doing: impl FnOnce() -> String) -> Result<(), Error> {
        match status {
            sys::SUCCESS => Ok(()),
            status => Err(self.failed(call, status, doing())),
        }
    }

    #[cold]
    fn failed(self, call: &'static str, status: sys::Status, doing: String) -> Error {
        let library = self.path();
        match (status, self.provider()) {
            (sys::ABSENT, sys::Provider::Wrapper) => return EngineError::OnlyWrapper { call, library }.into(),
            (sys::ABSENT, _) => return EngineError::OnlyWithWrapper { call, library }.into(),
            (sys::NO_SLOT, sys::Provider::Wrapper) => return EngineError::TooManyAllocators.into(),
            _ => (),
        }
        // SAFETY: `text` asks for null or a terminated string that stays in place. The answer is a string that is there
        // until this thread's next call; it is copied here.
        let text = unsafe { text((self.0.last_error)()) };
        EngineError::Failed(FailedCall { call, status: status.into(), text, doing }).into()
    }
}

/// The number of sessions in this process.
pub(crate) fn sessions() -> usize {
    SESSIONS.load(Ordering::Acquire)
}

/// How many of them were lost.
pub(crate) fn lost_sessions() -> usize {
    LOST_SESSIONS.load(Ordering::Acquire)
}

/// # Safety
///
/// `text` is null or points at a terminated string that stays valid during the call.
unsafe fn text(text: *const c_char) -> Option<String> {
    // SAFETY: `CStr::from_ptr` requires a terminated string that stays valid. The pointer is not null, and the caller
    // of this function promises the rest (its safety section).
    let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })?;
    let text = text.to_string_lossy().trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// A path in the form that the shim takes.
fn c_path(path: &Path) -> Result<CString, Error> {
    CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| Error::NulInPath { path: path.to_owned() })
}

fn c_text(text: &str) -> Result<CString, Error> {
    CString::new(text).map_err(|_| Error::NulInText { text: text.to_owned() })
}

impl OptionList {
    fn new(options: &[(String, String)]) -> Result<Self, Error> {
        let (mut texts, mut keys, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (key, value) in options {
            let (key, value) = (c_text(key)?, c_text(value)?);
            keys.push(key.as_ptr());
            values.push(value.as_ptr());
            texts.extend([key, value]);
        }
        Ok(Self { _texts: texts, keys, values })
    }

    fn raw(&self) -> sys::Options {
        sys::Options { keys: self.keys.as_ptr(), values: self.values.as_ptr(), count: self.keys.len() }
    }
}
