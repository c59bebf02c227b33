//! Contexts, and which one is current on a thread.

use crate::failure::{Answer, Failure};
use crate::machine::device::Device;
use crate::machine::handles::{Numbers, Table};
use crate::machine::streams::stream::{Kind, Stream};
use crate::machine::streams::table;
use crate::machine::thread::current::{self, current_number, set_current_number};
use ascendcl_sys::types::aclrtContext;
use std::sync::Arc;

pub(crate) struct Context {
    number: usize,
    device: Arc<Device>,
    default_stream: Arc<Stream>,
    /// Made by setting the device, not by the caller.
    primary: bool,
}

pub(in crate::machine) static CONTEXTS: Table<Context> = Table::new();
pub(in crate::machine) static NUMBERS: Numbers = Numbers::new();

/// The context that is current on this thread. An ended context is forgotten when the thread asks for its current
/// context. So a default context that is created again later is current only on threads that have not asked since.
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

/// Makes a context of the caller current on this thread.
pub(crate) fn choose(handle: aclrtContext) -> Answer {
    let number = handle.0.addr();
    if !CONTEXTS.contains(number) {
        return Err(Failure::refused("this is not the handle of a live context"));
    }
    set_current_number(number);
    Ok(())
}

impl Context {
    /// A new context with its default stream, current nowhere yet.
    pub(in crate::machine) fn create(device: &Arc<Device>, primary: bool) -> Answer<Arc<Self>> {
        // A device's default context keeps its number: an old handle refers to the new default context.
        let number = if primary { device.primary_number() } else { NUMBERS.take() };
        let default_stream =
            table::create(number, device, Kind { default: true, ..Kind::default() }).inspect_err(|_| {
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
}

/// How many contexts of callers there are, with those that can never be freed.
pub(crate) fn count() -> usize {
    let left = current::count_left(|number| CONTEXTS.contains(number));
    CONTEXTS.select(|context| !context.primary).len() + left
}

/// Every context there is.
pub(in crate::machine) fn all() -> Vec<Arc<Context>> {
    CONTEXTS.select(|_| true)
}
