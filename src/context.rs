//! Context scopes.

use crate::brand::{Brand, Mark, Scoped};
use crate::callback_guard::OutsideCallbacks;
use crate::current::Current;
pub use crate::device_allocator::ContextId;
use crate::error::{Error, ScopeError};
use crate::ffi::{RawContext, Restore};
use crate::ledger::DeviceRow;
use crate::ledger::Ledger;
use crate::life_cycle::leads;
use crate::panics::{Panics, catch, drop_quietly};
use crate::thread::ThreadToken;
use crate::trace;
use crate::undelivered;
use ascendcl_macros::rule;
use core::fmt;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// A context that exists for its scope: a new one (`aclrtCreateContext`), or a view of a device's default context.
///
/// Threads share it by reference, inside [`std::thread::scope`]; each enters it with its own [`Thread`](crate::Thread).
/// The program cannot destroy it. A scope that created its context destroys it at the end, when no thread can be in it.
///
/// ```
/// use ascendcl::{Acl, Library, Thread};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let acl = Acl::init(Library::Simulator)?;
/// let mut thread = Thread::new()?;
/// let device = acl.device(&mut thread, 0)?;
/// let sum = device.context(&mut thread, |context, thread| {
///     context.enter(thread, |current| {
///         let numbers = current.upload(&[1_u32, 2, 3])?.to_vec(current)?;
///         Ok::<u32, ascendcl::Error>(numbers.iter().sum())
///     })
/// });
/// // One `?` each: the context was opened and ended, it was entered, the program in it succeeded.
/// assert_eq!(sum???, 6);
/// # Ok(())
/// # }
/// ```
#[rule(CTX_02, CTX_03, CTX_06, CTX_10, CTX_11)]
pub struct Context<C: Brand> {
    ledger: Arc<Ledger>,
    _brand: Mark<C>,
}

assert_impl_all!(Context<Scoped<'static>>: Send, Sync);
assert_not_impl_any!(Context<Scoped<'static>>: Clone);

impl<C: Brand> Context<C> {
    /// Makes the context current on this thread (`aclrtSetCurrentContext`) while `program` runs. Afterwards it restores
    /// the previous context, also if the program panics. If there was none, the device's default context becomes
    /// current: a context of a scope does not stay current on a thread.
    ///
    /// While the program runs, the given token is borrowed. So the context that was current before cannot be used by
    /// mistake.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the library refuses. The program did not run then.
    #[rule(CTX_05, CTX_09)]
    #[inline]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn enter<R>( // CTX-05: the thread's token comes first: `&mut Thread::new()?`, or its `current`
        &self,
        thread: &mut impl ThreadToken,
        program: impl FnOnce(&mut Current<C>) -> R,
    ) -> Result<R, Error> {
        let _ = thread;
        enter(&self.ledger, None, program)
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The number of the context's device.
    pub fn device_id(&self) -> i32 {
        self.ledger.device()
    }
}

/// Makes the ledger's context current while `program` runs. The caller guarantees that the context does not end in that
/// time, and that the thread's token is borrowed. It gives the proof that the thread is outside of callbacks, if it has
/// one.
#[inline(always)]
pub(crate) fn enter<C: Brand, R>(
    ledger: &Arc<Ledger>,
    outside: Option<OutsideCallbacks>,
    program: impl FnOnce(&mut Current<C>) -> R,
) -> Result<R, Error> {
    leads!(context: Live --> Live : MakeCurrent);
    let mut visit = ledger.visit();
    let inside = visit.enter(outside)?;
    let result = {
        let _span = trace::entered(ledger.id());
        program(&mut Current::new(ledger))
    };
    inside.leave();
    Ok(result)
}

/// Creates a context, or uses the device's default one. The thread's current context does not change.
pub(crate) fn open_context(device: &DeviceRow, default_context: bool) -> Result<Arc<Ledger>, Error> {
    leads!(context: Start --> Live : Create);
    device.take_back_for_use()?;
    let (api, default) = (device.api(), device.default());
    let mut restore = Restore::around_creating(api, default.as_ref().ok().copied());
    let context = match default_context {
        true => default?,
        false => RawContext::create(api, device.id(), default.ok())?,
    };
    restore.record_created(context);
    Ok(Arc::new(Ledger::new(api, context, device.id())))
}

/// Opens a context and runs `program` with it. Then takes down everything that was made in the context. Destroys the
/// context itself, unless it is the device's default one.
#[rule(CTX_03, CTX_04)]
pub(crate) fn scope<N, T: ThreadToken, R>(
    device: &DeviceRow,
    default_context: bool,
    thread: &mut T,
    program: impl for<'c> FnOnce(&'c Context<Scoped<'c, N>>, &mut T) -> R,
) -> Result<R, ScopeError<R>> {
    leads!(context: Live --> End : Destroy);
    let api = device.api();
    api.check_process().map_err(ScopeError::NotOpened)?;
    let ledger = open_context(device, default_context).map_err(ScopeError::NotOpened)?;
    let scope = Context { ledger: Arc::clone(&ledger), _brand: Mark::NEW };
    let result = catch(|| program(&scope, thread));
    if let Err(error) = api.check_process() {
        // None of these objects belongs to a forked child, and threads that only the parent has may hold locks. So
        // nothing is dropped here.
        core::mem::forget(ledger);
        let result = result.unwrap_or_else(|panic| panic.resume());
        return Err(ScopeError::Teardown { errors: vec![error], result });
    }
    // The context is in quarantine until it is known to be empty.
    device.quarantine(Arc::clone(&ledger));
    let mut panics = Panics::default();
    let torn_down = ledger.tear_down(device.teardown_timeout(), &mut panics);
    if torn_down.is_ok() {
        device.release(&ledger);
    }
    match (result, panics.first(), torn_down) {
        (Ok(result), None, Ok(())) => Ok(result),
        (Ok(result), None, Err(errors)) => Err(ScopeError::Teardown { errors, result }),
        (Err(first), _later, torn_down) => {
            let _ = torn_down.map_err(undelivered::keep);
            first.resume()
        }
        (Ok(result), Some(panic), torn_down) => {
            drop_quietly(result);
            let _ = torn_down.map_err(undelivered::keep);
            panic.resume()
        }
    }
}

impl<C: Brand> fmt::Debug for Context<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("device", &self.ledger.device()).finish_non_exhaustive()
    }
}
