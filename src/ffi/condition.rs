//! The conditions under which functions of the library may be called. [`call`](super::call) checks them.

use super::api::Api;
use crate::error::Error;
use ascendcl_macros::rule;

/// The condition for a call of a function of the library.
pub(super) trait Need: Sized {
    /// An error if the condition does not hold on this thread now.
    fn check(api: Api) -> Result<(), Error>;
}

/// A condition that holds if calls are [plain](super::process::LoadedLibrary::is_plain) and [`passes`](Self::passes) is true.
pub(super) trait FastCheck: Need {
    /// Whether this thread passes. If not, the [check](Need::check) says why.
    fn passes() -> bool;
}

/// This is the process that loaded the library.
pub(super) enum ThisProcess {}

/// Like [`ThisProcess`], and this thread is not inside a callback of the library.
#[rule(THREAD_05, ALLOC_18)]
pub(super) enum SelectsContext {}

/// Like [`ThisProcess`]. When each call is verified, the entered context is also current.
pub(super) enum HostOnly {}

/// Like [`HostOnly`], and this thread is not inside a callback of the library.
#[rule(THREAD_05, ALLOC_18)]
pub(super) enum OutsideCallbacks {}

/// The context of this thread's innermost `Current` is current.
///
/// This implies that the thread is not inside a callback. The objects that these functions take are used with a
/// `Current`. A callback is `'static`, so no `Current` can be taken into it, and it gets none inside, because entering
/// a context is refused there. One that code finds in a variable of the thread is left: the contract of `DeviceAllocator`
/// forbids to use it.
pub(super) enum Current {}

/// Like [`Current`], and this thread is not inside a callback of the library.
#[rule(THREAD_05, ALLOC_18)]
pub(super) enum Begins {}
