//! Running foreign code.
//!
//! Other code in the process may use the same library: a framework, a C library, a binding of another language. The
//! guarantees of this crate hold as long as that code keeps to the rules of this page.
//!
//! # On a thread that is inside a context
//!
//! Run it in [`Current::foreign`](crate::Current::foreign):
//!
//! ```
//! # ascendcl::run(ascendcl::Library::Simulator, |current| {
//! # fn library_in_c() -> i32 { 0 }
//! let left = current.foreign(|| library_in_c());
//! assert_eq!((left.result, left.changed), (0, false));
//! # Ok::<_, ascendcl::Error>(())
//! # })?;
//! # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
//! ```
//!
//! Code that has only `&Current`, and code on a thread that is in no context, uses [`Loaded::foreign`].
//!
//! There it may set devices, create contexts and make others current: afterwards this crate makes its own context
//! current again. Elsewhere, code that changes the thread's current context has to restore it (`aclrtSetDevice`,
//! `aclrtResetDevice`, `aclrtCreateContext`, `aclrtDestroyContext` and `aclrtSetCurrentContext` change it). Otherwise
//! the calls that follow work on another context or device, and the library still reports success (CTX-05, CTX-08). To
//! find such code, let [each call be verified](crate::Acl::verify_current).
//!
//! # Anywhere
//!
//! Other code may:
//!
//! * initialise the library, and give its own initialisation back with `aclFinalizeReference`;
//! * set devices, and reset them as often as it has set them;
//! * use its own contexts, streams, events, memory and models, on any thread.
//!
//! It must not:
//!
//! * finalise with `aclFinalize`, which does not count (INIT-07), or reset a device by force (DEV-08);
//! * reset a device more often than it has set it (DEV-07);
//! * begin a capture on a stream that this crate uses, or queue work on it while this crate captures it;
//! * destroy, reset or unload what this crate has made, or use a handle of it after its scope: the library gives the
//!   addresses of destroyed contexts, streams and events to the next ones, so an old handle may name a stranger.
//!
//! # When this crate leaves a thread
//!
//! When a thread leaves a context, the previous context is made current again. If there was none, or it was one of this
//! crate that has ended since, the default context of the device stays current (CTX-06, CTX-11, CTX-14).
//!
//! # When the process ends or forks
//!
//! `exit` runs the library's destructors. If a thread is inside the library then, the process may crash: join the
//! threads first. [`run`](crate::run) and [`std::thread::scope`] do so. `exit` waits for this
//! crate's own threads, ten seconds at most: the one that watches futures, and those of actors that were dropped.
//!
//! A child of `fork` cannot use the library: every call is [`Error::Forked`] there and does not reach
//! the library. Start a new program instead ([`std::process::Command`]), or fork before the library is loaded.

use crate::brand::Brand;
use crate::current::Current;
use crate::error::Error;
use crate::ffi::Outside;
use crate::library::Loaded;
use ascendcl_macros::rule;

/// The result of code that ran in [`Current::foreign`] or [`Loaded::foreign`], and its effect on the current context.
#[derive(Debug)]
#[non_exhaustive]
pub struct Foreign<R> {
    /// The value that the code returned.
    pub result: R,
    /// Whether another context, or none, was current at the end. The right one is current again. `false` if the library did
    /// not say what was current.
    pub changed: bool,
    /// Why the right one could not be made current. Calls in the context try once more, and fail while the library
    /// refuses.
    pub refused: Option<Error>,
}

impl<C: Brand> Current<C> {
    /// Runs foreign code, and makes this context current again afterwards, also on a panic (`aclrtGetCurrentContext`,
    /// `aclrtSetCurrentContext`).
    ///
    /// The page of [this module](crate::foreign) says what such code may do.
    #[rule(CTX_05, CTX_08)]
    pub fn foreign<R>(&mut self, code: impl FnOnce() -> R) -> Foreign<R> {
        let ledger = self.ledger();
        let outside = Outside::of(ledger.context(), ledger.api());
        let result = code();
        let (changed, refused) = outside.end();
        Foreign { result, changed, refused }
    }
}

impl Loaded {
    /// Runs foreign code, and makes the context that was current before current again afterwards, also on a panic
    /// (`aclrtGetCurrentContext`, `aclrtSetCurrentContext`).
    ///
    /// This is [`Current::foreign`] for functions that have only `&Current` or an
    /// [`EndingContext`](crate::raw::EndingContext), and for threads that are in no context. If no context was current
    /// before, what the code makes current stays so. A context of this crate that the thread could not leave counts as
    /// none (CTX-11, CTX-14).
    ///
    /// The page of [this module](crate::foreign) says what such code may do. Beyond that:
    ///
    /// * As soon as the code has made another context current, it calls nothing of this crate until it ends. Here the
    ///   compiler does not ensure that, because the program may still use its `Current`.
    /// * Code that ends the context that was current before ends it with calls of this crate, or leaves no context
    ///   current. That context is not made current again.
    /// * A context that this crate did not create is not made current again either, if a call of this crate has begun to
    ///   reset any device meanwhile, on any thread: it may have been that device's. `changed` says so, and `refused`
    ///   does not.
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// # fn engine_in_cpp() -> i32 { 0 }
    /// let left = current.library().foreign(|| engine_in_cpp());
    /// assert_eq!((left.result, left.changed), (0, false));
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    #[rule(CTX_05, CTX_08)]
    pub fn foreign<R>(self, code: impl FnOnce() -> R) -> Foreign<R> {
        let outside = Outside::here(self.api());
        let result = code();
        let (changed, refused) = outside.map_or((false, None), Outside::end);
        Foreign { result, changed, refused }
    }

    /// How often this crate has reset the device by force, for other code that has set the device and still has to reset it:
    /// after a reset by force, that would be one reset too many (DEV-07).
    pub fn forced_resets(self, device: i32) -> u64 {
        self.api().forced_resets(device)
    }
}
