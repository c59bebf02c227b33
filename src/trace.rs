//! Events and spans for the crate `tracing`, under the target `ascendcl`. Without the feature `tracing` this does
//! nothing.
//!
//! A subscriber is code of the program. It is called in the middle of calls that failed, before what they changed is
//! recorded, and in destructors. So a panic of it ends here, and it is told nothing of the calls that it makes itself.

use crate::device_allocator::ContextId;
use crate::error::{MissingFunction, VendorError};
#[cfg(feature = "tracing")]
use subscriber::{calls, told};

#[cfg(feature = "tracing")]
mod subscriber {
    use crate::panics::catch;
    use core::cell::Cell;

    thread_local!(static CALLED: Cell<bool> = const { Cell::new(false) });

    /// Calls the subscriber. `None` if it panicked.
    pub(super) fn calls<R>(subscriber: impl FnOnce() -> R) -> Option<R> {
        catch(subscriber).ok()
    }

    /// Tells the subscriber of an event, unless it is being told of one on this thread.
    pub(super) fn told(event: impl FnOnce()) {
        if !CALLED.replace(true) {
            calls(event);
            CALLED.set(false);
        }
    }
}

/// A span at the level `TRACE` for code that runs with a context current. It ends when this is dropped.
#[must_use]
pub(crate) struct Span {
    #[cfg(feature = "tracing")]
    entered: Option<tracing::span::EnteredSpan>,
}

#[cfg(feature = "tracing")]
impl Drop for Span {
    fn drop(&mut self) {
        let entered = self.entered.take();
        calls(|| drop(entered));
    }
}

/// Opens the span for a context that is now current on this thread.
#[inline]
pub(crate) fn entered(context: ContextId) -> Span {
    #[cfg(not(feature = "tracing"))]
    let _ = context;
    Span {
        #[cfg(feature = "tracing")]
        entered: calls(|| {
            tracing::trace_span!(target: "ascendcl", "current", device = context.device(), ?context).entered()
        }),
    }
}

/// Reports a failed function of the library. A timeout is only `DEBUG`, because it is a normal result for a program
/// that set a limit.
pub(crate) fn vendor_error(error: &VendorError) {
    #[cfg(feature = "tracing")]
    {
        let VendorError { call, code, text, doing } = error;
        let (number, name) = (code.number(), code.name());
        let rules = code.rules().iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let text = text.as_deref();
        told(|| {
            if code.is_timeout() {
                tracing::debug!(target: "ascendcl", call, code = number, name, rules, text, "the time was up: {doing}");
            } else {
                tracing::error!(target: "ascendcl", call, code = number, name, rules, text, "could not {doing}");
            }
        });
    }
    #[cfg(not(feature = "tracing"))]
    let _ = error;
}

/// Reports a function that the library lacks.
pub(crate) fn missing(error: &MissingFunction) {
    #[cfg(feature = "tracing")]
    told(|| {
        tracing::warn!(target: "ascendcl", call = error.symbol, library = error.library, "could not {}", error.doing);
    });
    #[cfg(not(feature = "tracing"))]
    let _ = error;
}
