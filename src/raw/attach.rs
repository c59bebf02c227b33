//! How an object of other code ends with its context.

use super::work::LastUse;
use crate::ends_before::EndsBefore;
use crate::error::Error;
use crate::ffi::{Keeps, KeptAllocator, TakeDownContext};
use crate::library::Loaded;
use core::cell::RefCell;
use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;
use core::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

/// An object of other code that lives in a context and has to end before it: a communicator, a channel, an executor.
///
/// [`Current::attach`](crate::Current::attach) gives the object to the context. From then on it ends like the context's
/// own objects do: when its handle is [taken down](super::Attached::take_down), when the handle was dropped and
/// [`Current::collect`](crate::Current::collect) finds no work, or when the scope or the runtime ends, before the objects
/// that it [names](Self::ENDS_BEFORE). A context whose attached object cannot be taken down is not destroyed.
///
/// Here, a notify of the library, which the safe layer does not have:
///
/// ```
/// use ascendcl::raw::{Attach, EndsBefore, EndingContext};
/// use ascendcl::{Brand, Current, Error, Library};
/// use ascendcl_sys::types::aclrtNotify;
///
/// struct Notify(aclrtNotify);
///
/// // SAFETY: a notify is used by any thread that has its context.
/// unsafe impl Send for Notify {}
/// // SAFETY: any thread that has its context may use a notify, and it has no state on the host.
/// unsafe impl Sync for Notify {}
///
/// // SAFETY: `take_down` destroys the notify, and calls nothing else. Streams outlive it. No work that uses it is
/// // captured.
/// unsafe impl Attach for Notify {
///     const NAME: &'static str = "notify";
///     const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;
///
///     fn take_down(&self, from: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
///         // SAFETY: the notify is destroyed once, with no work behind it: that is when this is called.
///         let answer = unsafe { from.library().as_raw().aclrtDestroyNotify(self.0) };
///         Ok(from.library().check_call("destroy a notify", "aclrtDestroyNotify", answer)?)
///     }
/// }
///
/// fn notify<C: Brand>(current: &Current<C>) -> Result<Notify, Error> {
///     let (library, mut notify) = (current.library(), aclrtNotify(core::ptr::null_mut()));
///     // SAFETY: the context is current, and the answer goes to a live local.
///     let answer = unsafe { library.as_raw().aclrtCreateNotify(&raw mut notify, 0) };
///     library.check_call("create a notify", "aclrtCreateNotify", answer)?;
///     Ok(Notify(notify))
/// }
///
/// # ascendcl::run(Library::Simulator, |current| {
/// let stream = current.stream()?;
/// let notify = current.attach(notify(current)?, stream)?;
/// let raw = notify.get(current)?.0;
/// // Calls of the library that use `raw` and `notify.uses().as_raw()` stand here.
/// let stream = notify.take_down(current)?;
/// # let _ = (raw, stream);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
///
/// # Safety
///
/// * After [`take_down`](Self::take_down) has returned `Ok`, nothing that the object stands for uses the context, its
///   streams, events, models or memory any more.
/// * [`ENDS_BEFORE`](Self::ENDS_BEFORE) names the first kind of objects that the object needs in order to end. If the
///   device [was reset by force](EndingContext::was_reset), it needs none.
/// * What it uses of the context is among the [`uses`](super::Attached::uses) with which it was attached, or the code
///   that uses it keeps that alive.
/// * No work that uses the object is part of a captured graph: a replay would use it after its end.
/// * It may be taken down on any thread, with its context current.
/// * [`take_down`](Self::take_down) leaves the thread's current context as it is, and destroys nothing of the context but
///   its own object.
#[allow(unsafe_code, reason = "a declaration only: who implements it vouches for the object's end")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how a context takes it down",
    label = "expected an object of another library that implements `Attach`",
    note = "DEV-09: the context ends it in its place: `unsafe impl Attach for {Self}` with `ENDS_BEFORE` and `take_down`",
    note = "see `ascendcl-explain DEV-09`"
)]
pub unsafe trait Attach: Send + Sync + 'static {
    /// The kind of object, for messages: "communicator".
    const NAME: &'static str;

    /// The objects of the context that end after this one. Two attached objects that end before the same kind end in
    /// the reverse of the order in which they were attached.
    const ENDS_BEFORE: EndsBefore;

    /// Ends the object. All streams of the context are synchronised, and the context is current. After this has returned
    /// `Ok`, it is not called again.
    ///
    /// The calling thread is inside the context. So closing a runtime is refused here, and so is a new
    /// [`Thread`](crate::Thread) token, unless this code drops the token that the thread had.
    ///
    /// # Errors
    ///
    /// The reason why the object could not end. The object stays. This method is called again when the program tries
    /// again, or when the context ends. A panic counts as an error.
    fn take_down(&self, from: &EndingContext<'_>) -> Result<(), Box<dyn core::error::Error + Send + Sync>>;

    /// The device was [reset by force](crate::Device::recover), and the object's context has ended with everything in it: it
    /// was the default context of the device. The object is lost: [`take_down`](Self::take_down) is not called, and the
    /// object and what it uses stay in place until the process ends.
    ///
    /// This is called once. The object's context is gone, and another context may be current: leave it current. A new
    /// [`Thread`](crate::Thread) token is refused here. By default it does nothing. An object that gave other code something
    /// of the context that later work could use, for example an allocator, takes it back here.
    fn on_lost(&self) {}
}

/// The context that an [attached](Attach) object is taken out of. It is current.
pub struct EndingContext<'a> {
    from: &'a TakeDownContext<'a>,
    also: RefCell<Vec<Box<dyn core::error::Error + Send + Sync>>>,
    later: RefCell<Vec<KeptAllocator>>,
    /// The context is current on this thread.
    _on_this_thread: PhantomData<*const ()>,
}

/// What [`Attach::take_down`] reported to its [`EndingContext`].
pub(super) struct Reported {
    pub(super) errors: Vec<Box<dyn core::error::Error + Send + Sync>>,
    pub(super) later: Vec<KeptAllocator>,
}

impl<'a> EndingContext<'a> {
    pub(super) fn new(from: &'a TakeDownContext<'a>) -> Self {
        Self { from, also: RefCell::default(), later: RefCell::default(), _on_this_thread: PhantomData }
    }

    pub(super) fn into_reported(self) -> Reported {
        Reported { errors: self.also.into_inner(), later: self.later.into_inner() }
    }

    /// The library.
    pub fn library(&self) -> Loaded {
        Loaded::of(self.from.api)
    }

    /// The context's handle (`aclrtContext`).
    pub fn context(&self) -> *mut c_void {
        self.from.context.raw()
    }

    /// Whether the device was [recovered](crate::Device::recover) by force since the object was attached. Then the
    /// library may have ended the object already and given its handle to another one, and the streams that it used are
    /// destroyed.
    pub fn was_reset(&self) -> bool {
        self.from.was_reset
    }

    /// Whether all work that used this is known to be done, as for [`LastUse::is_over`].
    pub fn is_over(&self, used: &LastUse) -> bool {
        used.has_ended(self.from.streams)
    }

    /// An error if libraries that use this one must not be called now: see
    /// [`Current::check_calls_allowed`](crate::Current::check_calls_allowed).
    ///
    /// # Errors
    ///
    /// As for [`Current::check_calls_allowed`](crate::Current::check_calls_allowed).
    pub fn check_calls_allowed(&self) -> Result<(), Error> {
        self.from.api.check_begin()
    }

    /// Reports an error beside the one that [`take_down`](Attach::take_down) returns. It is reported even if `take_down`
    /// returns `Ok`: by the end of the scope or by the [`collect`](crate::Current::collect) that has ended the object. If
    /// the program has taken the object down itself, the next `collect` reports it.
    pub fn also_failed(&self, error: impl Into<Box<dyn core::error::Error + Send + Sync>>) {
        // The conversion is code of the program, which may get here again.
        let error = error.into();
        self.also.borrow_mut().push(error);
    }

    /// Drops this value after the context's objects were taken down, when nothing is half done. Use it for values whose drop
    /// runs code of the program, for example a [`SlotKeeper`](crate::raw::SlotKeeper) with an allocator.
    pub fn drop_later<T: Send + 'static>(&self, value: T) {
        self.later.borrow_mut().push(Arc::new(Later(Mutex::new(Some(value)))));
    }
}

/// A value on its way to be dropped.
struct Later<T>(Mutex<Option<T>>);

impl<T: Send> Keeps for Later<T> {
    fn has_lent(&self, _: NonZeroUsize) -> bool {
        false
    }
}

impl<T> fmt::Debug for Later<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Later<{}>", core::any::type_name::<T>())
    }
}

impl fmt::Debug for EndingContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndingContext").field("was_reset", &self.was_reset()).finish_non_exhaustive()
    }
}
