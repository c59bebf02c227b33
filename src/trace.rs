//! Events and spans for the crate `tracing`, under the target `ascendcl`. Without the feature `tracing` this does
//! nothing.
//!
//! A subscriber is code of the program. It runs in destructors, and inside calls that have failed, before this crate has
//! recorded what they changed. So a panic of the subscriber ends here, and it gets no events of calls that it makes
//! itself.

use crate::device_allocator::ContextId;
use crate::error::{MissingFunction, VendorError};
#[cfg(feature = "tracing")]
use subscriber::{contained, emit};

#[cfg(feature = "tracing")]
mod subscriber {
    use crate::panics::catch;
    use core::cell::Cell;

    thread_local! {
        /// Whether the subscriber handles an event on this thread.
        static EMITTING: Cell<bool> = const { Cell::new(false) };
    }

    /// Calls the subscriber. `None` if it panicked.
    pub(super) fn contained<R>(subscriber: impl FnOnce() -> R) -> Option<R> {
        catch(subscriber).ok()
    }

    /// Sends an event to the subscriber, unless the subscriber is handling one on this thread.
    pub(super) fn emit(event: impl FnOnce()) {
        if !EMITTING.replace(true) {
            contained(event);
            EMITTING.set(false);
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
        contained(|| drop(entered));
    }
}

/// Opens the span for a context that is now current on this thread.
#[inline]
pub(crate) fn entered(context: ContextId) -> Span {
    #[cfg(not(feature = "tracing"))]
    let _ = context;
    Span {
        #[cfg(feature = "tracing")]
        entered: contained(|| {
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
        emit(|| {
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
    emit(|| {
        tracing::warn!(target: "ascendcl", call = error.symbol, library = error.library, "could not {}", error.doing);
    });
    #[cfg(not(feature = "tracing"))]
    let _ = error;
}
