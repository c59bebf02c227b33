//! Contexts, and which one is current on a thread.

use super::callback_thread;
use super::device::Device;
use super::handles::{self, Numbers, Table};
use super::hooks;
use super::locks::lock;
use super::stream::{Kind, Stream};
use super::switches;
use super::teardown::{Rest, end_streams};
use crate::failure::{Answer, Failure};
use ascendcl_sys::error_codes::ACL_ERROR_RT_CONTEXT_NULL;
use ascendcl_sys::types::aclrtContext;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

pub(crate) struct Context {
    number: usize,
    device: Arc<Device>,
    default_stream: Arc<Stream>,
    /// Made by setting the device, not by the caller.
    primary: bool,
}

static CONTEXTS: Table<Context> = Table::new();
static NUMBERS: Numbers = Numbers::new();

/// The contexts that were current on a thread when it ended. The vendor's library never frees them.
static LEFT: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
/// Contexts up to this number are of a machine that was cleared since; they are gone.
static FORGOTTEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static CURRENT: Current = const { Current(Cell::new(0)) };
}

/// The number of a thread's current context, 0 for none. It may have ended since: it is looked up when needed.
struct Current(Cell<usize>);

impl Drop for Current {
    fn drop(&mut self) {
        let number = self.0.get();
        if super::device::is_primary(number) {
            return;
        }
        let mut left = lock(&LEFT);
        // Looked at under the lock: a fresh start that comes meanwhile forgets this one, too.
        if number > FORGOTTEN.load(SeqCst) {
            left.insert(number);
        }
    }
}

/// The context that is current on this thread. One that has ended is forgotten as soon as somebody asks for it: a default
/// context that comes back later is current only on threads that did not ask meanwhile.
pub(crate) fn current_context() -> Answer<Arc<Context>> {
    let number = current_number();
    if number == 0 {
        return Err(Failure::no_context());
    }
    CONTEXTS.get(number).ok_or_else(|| {
        set_current_number(0);
        Failure::no_context()
    })
}

/// Whether a context is current on this thread.
pub(crate) fn has_current() -> bool {
    CONTEXTS.contains(current_number())
}

/// The number of the context that this thread chose last, even if it has ended since.
pub(crate) fn current_number() -> usize {
    // A thread that is ending has none.
    CURRENT.try_with(|current| current.0.get()).unwrap_or(0)
}

pub(super) fn set_current_number(number: usize) {
    let _ = CURRENT.try_with(|current| current.0.set(number));
}

/// The thread's current context is dropped if it is the default one of any device.
pub(super) fn drop_current_default() {
    if super::device::is_primary(current_number()) {
        set_current_number(0);
    }
}

/// Makes a context of the caller current on this thread.
pub(crate) fn choose(handle: aclrtContext) -> Answer {
    let number = handle.0.addr();
    if !CONTEXTS.contains(number) {
        return Err(Failure::refused("this is not the handle of a live context"));
    }
    set_current_number(number);
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
    if current_number() == number {
        set_current_number(0);
    }
    context.run_out(rest);
    if !lock(&LEFT).contains(&number) {
        context.device.lose_context();
    }
    Ok(())
}

impl Context {
    /// A new context with its default stream, current nowhere yet.
    pub(super) fn create(device: &Arc<Device>, primary: bool) -> Answer<Arc<Self>> {
        // A device's default context keeps its number: whoever kept the handle finds the one that came later.
        let number = if primary { device.primary_number() } else { NUMBERS.take() };
        let default_stream =
            Stream::create(number, device, Kind { default: true, ..Kind::default() }).inspect_err(|_| {
                if !primary {
                    NUMBERS.give_back(number)
                }
            })?;
        let context = Arc::new(Self { number, device: Arc::clone(device), default_stream, primary });
        CONTEXTS.insert(number, Arc::clone(&context));
        Ok(context)
    }

    pub(crate) fn handle(&self) -> aclrtContext {
        aclrtContext(core::ptr::without_provenance_mut(self.number))
    }

    /// Names the context. A default context has the number that those of its device had before.
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
        set_current_number(self.number);
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
        // The next default context of the device has the same number.
        if !self.primary {
            NUMBERS.give_back(self.number);
        }
    }

    /// A callback cannot wait for the end of the stream that waits for it.
    pub(super) fn refuse_self_wait(&self) -> Answer {
        super::streams::of_context(self.number).iter().try_for_each(|stream| stream.refuse_self_wait())
    }
}

/// How many contexts of callers there are, with those that can never be freed.
pub(crate) fn count() -> usize {
    let left = lock(&LEFT).iter().filter(|number| !CONTEXTS.contains(**number)).count();
    CONTEXTS.select(|context| !context.primary).len() + left
}

/// As if no thread had ended.
pub(super) fn forget_left() {
    let mut left = lock(&LEFT);
    FORGOTTEN.store(handles::fresh(), SeqCst);
    left.clear();
}

/// Every context there is.
pub(super) fn all() -> Vec<Arc<Context>> {
    CONTEXTS.select(|_| true)
}
