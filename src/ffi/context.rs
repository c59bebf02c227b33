//! Contexts, and this thread's current one.

use super::Api;
use crate::error::Error;
use ascendcl_macros::rule;
use ascendcl_sys::types::aclrtContext;
use core::cell::Cell;

/// A vendor context by its handle. The library looks the value up and refuses one that it does not know, so naming a
/// destroyed context is an error and not a memory fault.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawContext {
    handle: aclrtContext,
    /// Made by `aclrtCreateContext`; a device's default context is not, and goes with its device.
    made: bool,
}

// SAFETY: the vendor's contexts belong to the process; any thread may make one current (CTX-05, THREAD-03).
unsafe impl Send for RawContext {}
// SAFETY: as above; the handle itself is never written.
unsafe impl Sync for RawContext {}

impl RawContext {
    /// Creates a context on a device; the library also makes it current (CTX-04).
    pub(crate) fn create(api: Api, device: i32) -> Result<Self, Error> {
        api.may_be_called()?;
        let mut context = aclrtContext::NULL;
        // SAFETY: `context` is a place for the handle.
        let code = unsafe { api.library().aclrtCreateContext(&raw mut context, device) };
        api.done("aclrtCreateContext", code, || format!("create a context on device {device}"))
            .map(|()| Self { handle: context, made: true })
    }

    /// Destroys a context that was made; others are their device's.
    #[rule(CTX_02, CTX_03)]
    pub(crate) fn destroy(self, api: Api) -> Result<(), Error> {
        if !self.made {
            return Ok(());
        }
        // SAFETY: the library refuses a handle that it does not know.
        let code = unsafe { api.library().aclrtDestroyContext(self.handle) };
        api.done("aclrtDestroyContext", code, || "destroy a context".into())
    }

    pub(crate) fn make_current(self, api: Api) -> Result<(), Error> {
        api.may_be_called()?;
        // SAFETY: the library refuses a handle that it does not know.
        let code = unsafe { api.library().aclrtSetCurrentContext(self.handle) };
        api.done("aclrtSetCurrentContext", code, || "make a context current on this thread".into())
    }

    /// This thread's current context, if it has one.
    pub(crate) fn current(api: Api) -> Option<Self> {
        api.may_be_called().ok()?;
        let mut context = aclrtContext::NULL;
        // SAFETY: `context` is a place for the handle.
        let code = unsafe { api.library().aclrtGetCurrentContext(&raw mut context) };
        (code == Ok(0) && !context.is_null()).then_some(Self { handle: context, made: false })
    }
}

thread_local! {
    /// The context that should be current on this thread, and that its library refused to make current again. Without a
    /// destructor, so that nothing runs when the thread ends.
    static OWED: Cell<Option<Before>> = const { Cell::new(None) };
    /// The context of this thread's innermost `Current`.
    static ENTERED: Cell<Option<Before>> = const { Cell::new(None) };
}

/// A context, and the library that knows it: a process may have several, and each has a current context of its own.
#[derive(Clone, Copy)]
struct Before {
    context: RawContext,
    api: Api,
}

impl Before {
    fn make_current(self) -> Result<(), Error> {
        self.context.make_current(self.api)
    }
}

/// As long as it lives, this thread's innermost `Current` stands for the context.
pub(crate) struct Entered {
    outer: Option<Before>,
}

impl Entered {
    pub(crate) fn into(context: RawContext, api: Api) -> Self {
        Self { outer: ENTERED.replace(Some(Before { context, api })) }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        ENTERED.set(self.outer);
    }
}

impl Api {
    /// Whether this thread's current context is the one that its innermost `Current` stands for. If the library refused
    /// to make it current again, it is asked once more.
    #[inline]
    pub(super) fn in_place(self) -> Result<(), Error> {
        if OWED.get().is_none() { Ok(()) } else { pay() }
    }
}

#[cold]
fn pay() -> Result<(), Error> {
    let Some(owed) = OWED.get() else { return Ok(()) };
    owed.make_current()?;
    OWED.set(None);
    Ok(())
}

/// Puts this thread's current context back when it is dropped, also on unwind.
///
/// Where there was none before there is nothing to put back: the library has no call that takes a thread's context
/// away. Every entrance of this crate sets the context that it needs, so what is left behind is never relied upon. When
/// the library refuses, the context is owed: calls that need it ask again, and fail while it is refused.
#[rule(CTX_04, CTX_08, CTX_09)]
pub(crate) struct Restore {
    before: Option<Before>,
}

impl Restore {
    /// What an entrance of this crate made current is known; only what other code did has to be asked for, and that may
    /// fail.
    pub(crate) fn here(api: Api) -> Self {
        let foreign = || RawContext::current(api).map(|context| Before { context, api });
        Self { before: OWED.take().or(ENTERED.get()).or_else(foreign) }
    }

    /// The context has ended: it is not put back.
    pub(crate) fn without(&mut self, ended: RawContext) {
        self.before = self.before.filter(|before| before.context.handle != ended.handle);
    }

    /// For a call that may end the context that is current: taking a device leaves its default context behind, and the
    /// reset ends it (CTX-06). What this crate entered outlives the call; anything else is left as the library leaves it.
    pub(crate) fn entered() -> Self {
        OWED.set(None);
        Self { before: ENTERED.get() }
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            OWED.set(before.make_current().is_err().then_some(before));
        }
    }
}
