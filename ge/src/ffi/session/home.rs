//! Which session a graph or an execution is of.
//!
//! In a scope, the type of a value names its session. Sessions of runtimes have types of one name, so each call compares.

use crate::error::EngineError;
use crate::ffi::Site;
use ascendcl::Error;
use ascendcl::context::ContextId;
use ascendcl::error::ObjectKind;
use ascendcl_macros::rule;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// A session, as all that is of it knows it: they share one value.
#[derive(Debug)]
pub(crate) struct Home {
    context: ContextId,
    ended: AtomicBool,
}

impl Home {
    pub(super) fn of(context: ContextId) -> Arc<Self> {
        Arc::new(Self { context, ended: AtomicBool::new(false) })
    }

    pub(super) fn mark_ended(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// An error unless the session exists, and its context is the current one.
    #[rule(GE_11)]
    pub(crate) fn check_here(&self, site: &impl Site, what: ObjectKind) -> Result<(), Error> {
        self.exists(what)?;
        if site.is_in(self.context) {
            return Ok(());
        }
        Err(Error::WrongContext { what, owner: Some(self.context), current: site.context() })
    }

    /// An error unless an object of this session is of that one, too.
    #[rule(GE_11)]
    pub(super) fn check_same_session(self: &Arc<Self>, session: &Arc<Self>, what: ObjectKind) -> Result<(), Error> {
        if Arc::ptr_eq(self, session) {
            return Ok(());
        }
        self.exists(what)?;
        Err(EngineError::OtherSession { what }.into())
    }

    /// An error after the session has ended, and everything of it.
    pub(crate) fn exists(&self, what: ObjectKind) -> Result<(), Error> {
        if self.ended.load(Ordering::Acquire) { Err(Error::Gone { what }) } else { Ok(()) }
    }
}
