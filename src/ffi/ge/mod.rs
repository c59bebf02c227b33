//! The graph engine's calls, and the values that keep their memory rules.
//!
//! The guarantees for the rest of the crate:
//!
//! * A [`RawSession`] owns its graphs, their registrations and the outputs of their executions. A handle names a row of
//!   it; the session ends with everything in it, when its context's ledger is taken down.
//! * The inputs of an execution stay named, and its outputs stay, until the stream has done it (the stamps).
//! * An allocator stays in place while it is registered, and after that while the engine has a block of it.

mod graph;
mod outputs;
mod session;

pub(crate) use graph::RawGraph;
pub(crate) use outputs::RawOutputs;
pub(crate) use session::RawSession;

use super::Api;
use super::api::{c_text, text};
use super::call::OutsideCallbacks;
use crate::error::{EngineError, Error, FailedCall};
use ascendcl_ge_sys as sys;
use ascendcl_macros::rule;
use core::ffi::c_char;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

/// The loaded shim, or the vendor's wrapper behind the same functions. They stay where they are for the life of the
/// process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shim(&'static sys::Library);

/// Options as the shim takes them.
pub(super) struct OptionList {
    _texts: Vec<CString>,
    keys: Vec<*const c_char>,
    values: Vec<*const c_char>,
}

/// A process loads each library once.
static LOADED: Mutex<Vec<(sys::Place, Shim)>> = Mutex::new(Vec::new());

/// The engine is one per process, and so is this number.
static SESSIONS: AtomicUsize = AtomicUsize::new(0);

impl Shim {
    pub(crate) fn load(place: &sys::Place) -> Result<Self, Error> {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, shim)) = loaded.iter().find(|(known, _)| known == place) {
            return Ok(*shim);
        }
        // SAFETY: `Library::load` asks for a file that has the shim's functions, with the signatures of its header. The
        // file was built with this program, or is the vendor's, or is named by the environment, which a process trusts,
        // or whoever called `Place::at` vouched for it.
        let shim = unsafe { sys::Library::load(place) }.map(Self).map_err(EngineError::Load)?;
        loaded.push((place.clone(), shim));
        Ok(shim)
    }

    pub(crate) fn path(self) -> &'static std::path::Path {
        self.0.path()
    }

    pub(crate) fn provider(self) -> sys::Provider {
        self.0.provider()
    }

    pub(crate) fn initialize(self, api: Api, options: &[(String, String)]) -> Result<(), Error> {
        api.ready::<OutsideCallbacks>()?;
        let options = OptionList::new(options)?;
        // SAFETY: the function reads the options during the call. `OptionList` keeps the texts, which are terminated,
        // for longer.
        let status = unsafe { (self.0.initialize)(&options.raw()) };
        self.done("GEInitialize", status, || "initialise the graph engine".into())
    }

    /// Every session has ended: see [`sessions`].
    #[rule(GE_11)]
    pub(crate) fn finalize(self, api: Api) -> Result<(), Error> {
        api.ready::<OutsideCallbacks>()?;
        // SAFETY: the function takes no arguments: it asks for nothing but its signature, which is that of the table.
        let status = unsafe { (self.0.finalize)() };
        self.done("GEFinalize", status, || "finalise the graph engine".into())
    }

    /// Turns the answer of a call into a result; `doing` reads on from "could not".
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

/// How many sessions live in this process.
pub(crate) fn sessions() -> usize {
    SESSIONS.load(Ordering::Acquire)
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
