//! Contexts, and which one is current on a thread.

use super::callback_thread;
use super::device::Device;
use super::handles::{Numbers, Table};
use super::hooks;
use super::stream::{Kind, Stream};
use super::switches;
use super::teardown::{Rest, end_streams};
use crate::failure::{Answer, Failure};
use ascendcl_sys::error_codes::ACL_ERROR_RT_CONTEXT_NULL;
use ascendcl_sys::types::aclrtContext;
use std::cell::Cell;
use std::sync::Arc;

pub(crate) struct Context {
    number: usize,
    device: Arc<Device>,
    default_stream: Arc<Stream>,
    /// Made by setting the device, not by the caller.
    primary: bool,
}

static CONTEXTS: Table<Context> = Table::new();
static NUMBERS: Numbers = Numbers::new();

thread_local! {
    /// The number of this thread's current context, 0 for none. It may have ended since: it is looked up when needed.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// The context that is current on this thread.
pub(crate) fn current_context() -> Answer<Arc<Context>> {
    CONTEXTS.get(CURRENT.get()).ok_or_else(Failure::no_context)
}

/// Whether a context is current on this thread.
pub(crate) fn has_current() -> bool {
    CONTEXTS.contains(CURRENT.get())
}

/// The number of the context that this thread chose last, even if it has ended since.
pub(crate) fn current_number() -> usize {
    CURRENT.get()
}

pub(super) fn set_current_number(number: usize) {
    CURRENT.set(number);
}

/// Makes a context of the caller current on this thread.
pub(crate) fn choose(handle: aclrtContext) -> Answer {
    let number = handle.0.addr();
    if !CONTEXTS.contains(number) {
        return Err(Failure::refused("this is not the handle of a live context"));
    }
    CURRENT.set(number);
    Ok(())
}

/// Destroys a context that the caller made, with its streams.
pub(crate) fn destroy(handle: aclrtContext) -> Answer {
    destroy_with(handle, Rest::Finish)
}

pub(super) fn destroy_with(handle: aclrtContext, rest: Rest) -> Answer {
    let number = handle.0.addr();
    let refuse = |text: &'static str| Err(Failure::new(ACL_ERROR_RT_CONTEXT_NULL, text));
    match CONTEXTS.get(number) {
        None => return refuse("this is not the handle of a live context"),
        Some(context) if context.primary => {
            return refuse("the default context ends with the reset of its device; it cannot be destroyed");
        }
        Some(context) => context.refuse_self_wait()?,
    }
    // Of two threads that destroy the same context one finds it gone.
    let Some(context) = CONTEXTS.remove(number) else {
        return refuse("this is not the handle of a live context");
    };
    if CURRENT.get() == number {
        CURRENT.set(0);
    }
    context.run_out(rest);
    context.device.lose_context();
    Ok(())
}

impl Context {
    /// A new context with its default stream, current nowhere yet.
    pub(super) fn create(device: &Arc<Device>, primary: bool) -> Answer<Arc<Self>> {
        let number = NUMBERS.take();
        let default_stream = Stream::create(number, device, Kind { default: true, ..Kind::default() })
            .inspect_err(|_| NUMBERS.give_back(number))?;
        let context = Arc::new(Self { number, device: Arc::clone(device), default_stream, primary });
        CONTEXTS.insert(number, Arc::clone(&context));
        Ok(context)
    }

    pub(crate) fn handle(&self) -> aclrtContext {
        aclrtContext(core::ptr::without_provenance_mut(self.number))
    }

    /// Names the context; never used again for another one.
    pub(crate) fn id(&self) -> usize {
        self.number
    }

    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    pub(crate) fn default_stream(&self) -> Arc<Stream> {
        Arc::clone(&self.default_stream)
    }

    pub(crate) fn is_primary(&self) -> bool {
        self.primary
    }

    pub(crate) fn make_current(&self) {
        CURRENT.set(self.number);
    }

    /// Whether it can still be looked up.
    pub(crate) fn is_alive(&self) -> bool {
        CONTEXTS.contains(self.number)
    }

    /// Makes it unreachable, lets its streams run out and tells the other parts.
    pub(super) fn end(&self, rest: Rest) {
        CONTEXTS.remove(self.number);
        self.run_out(rest);
    }

    fn run_out(&self, rest: Rest) {
        end_streams(self.number, rest);
        let called = callback_thread::end(self.number);
        hooks::context_ended(self);
        if called {
            switches::slow_destroy();
        }
        NUMBERS.give_back(self.number);
    }

    /// A callback cannot wait for the end of the stream that waits for it.
    pub(super) fn refuse_self_wait(&self) -> Answer {
        super::streams::of_context(self.number).iter().try_for_each(|stream| stream.refuse_self_wait())
    }
}

/// How many contexts of callers there are.
pub(crate) fn count() -> usize {
    CONTEXTS.select(|context| !context.primary).len()
}

/// Every context there is.
pub(super) fn all() -> Vec<Arc<Context>> {
    CONTEXTS.select(|_| true)
}
