//! Devices, and the context scopes on them.

use crate::acl::Acl;
use crate::brand::{Scoped, Unnamed};
use crate::context::{Context, scope};
use crate::current::Current;
use crate::error::{Error, Failed, ScopeError};
use crate::ledger::DeviceRow;
use crate::ledger::takes::{self, CodeLocation};
use crate::library::Loaded;
use crate::thread::ThreadToken;
use ascendcl_macros::rule;
use core::fmt;
use core::panic::Location;
use std::sync::Arc;
use std::time::Duration;

/// A device that was taken (`aclrtSetDevice`).
///
/// Having a `Device` tells you that the device was set once more than it was reset. [`reset`](Self::reset) gives the
/// device back. If the `Device` is dropped or forgotten, [`Acl::close`] gives the device back.
///
/// ```
/// use ascendcl::{Acl, Library, Thread};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let acl = Acl::init(Library::Simulator)?;
/// let mut thread = Thread::new()?;
/// let device = acl.device(&mut thread, 0)?;
/// assert_eq!(device.id(), 0);
/// device.reset(&mut thread)?;
/// acl.close()?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a device that is not reset is given back when the `Acl` is closed"]
#[rule(DEV_02, DEV_06, DEV_07)]
#[diagnostic::on_move(
    message = "this device was reset",
    note = "DEV-02, DEV-07: for another take, call `acl.device(thread, id)`"
)]
pub struct Device<'a> {
    acl: &'a Acl,
    row: Held,
}

/// The program's handle of a take. When it is dropped, nobody uses the take any more, so it is given up: another part of the
/// program may recover the device. Dropping it does not call the library.
struct Held(Arc<DeviceRow>);

impl Drop for Held {
    fn drop(&mut self) {
        // A forked child takes no lock.
        if self.0.api().check_process().is_ok() {
            takes::give_up(&self.0);
        }
    }
}

impl Acl {
    /// Takes a device (`aclrtSetDevice`). The thread's current context does not change.
    ///
    /// One program or several parts of it can take a device any number of times. Each take is given back by its own
    /// [`Device::reset`].
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchDevice`] for a number that does not exist, else [`Error::Vendor`].
    #[rule(DEV_06, DEV_11, CTX_08, MODE_01)]
    #[track_caller]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn device( // CTX-08: the thread's token comes first: `acl.device(&mut Thread::new()?, 0)`
        &self,
        thread: &mut impl ThreadToken,
        id: i32,
    ) -> Result<Device<'_>, Error> {
        Device::taken(self, thread, id, Location::caller())
    }

    /// Takes a device. Closing gives it back.
    pub(crate) fn take_device(
        &self,
        thread: &mut impl ThreadToken,
        id: i32,
        place: CodeLocation,
    ) -> Result<Arc<DeviceRow>, Error> {
        let count = self.device_count()?;
        if (0..count).contains(&id) {
            let row = Arc::new(DeviceRow::set(self.api().for_mode(self.run_mode()?), thread, id, place)?);
            self.keep(&row);
            Ok(row)
        } else {
            Err(Error::NoSuchDevice { id, count })
        }
    }
}

impl<'a> Device<'a> {
    /// Like [`Acl::device`], for a part of the program that called at `place`.
    pub(crate) fn taken(
        acl: &'a Acl,
        thread: &mut impl ThreadToken,
        id: i32,
        place: CodeLocation,
    ) -> Result<Self, Error> {
        acl.take_device(thread, id, place).map(|row| Self { acl, row: Held(row) })
    }
}

impl Device<'_> {
    /// The library of this device.
    pub fn library(&self) -> Loaded {
        Loaded::of(self.row().api())
    }

    pub(crate) fn row(&self) -> &Arc<DeviceRow> {
        &self.row.0
    }

    /// Drops the handle after the library has reset the device by force.
    pub(crate) fn leave(self) {
        self.acl.forget(self.row());
    }

    /// The device's number.
    #[rule(DEV_12)]
    pub fn id(&self) -> i32 {
        self.row().id()
    }

    /// Creates a context (`aclrtCreateContext`) and runs `program`. Then it takes down everything that was made in the
    /// context, even after a panic and for forgotten handles. It uses the vendor's order: streams are synchronised,
    /// models unloaded, streams destroyed, memory freed, the context destroyed.
    ///
    /// If a callback ran in the context, the vendor's library takes one more second for the end.
    ///
    /// The program gets the context, which it can [enter](Context::enter) on this thread or on others, and the thread's
    /// token.
    ///
    /// # Errors
    ///
    /// [`ScopeError`] if the context could not be created, or could not be destroyed. In the first case the error is
    /// [`Error::Gone`] if another part of the program has [recovered](Self::recover) the device by a forced reset, and
    /// [`Error::DeviceShared`] while it does so. In the second case the device
    /// keeps the remaining objects and refuses to be reset. A panic of the program continues after the objects of the
    /// scope were released; the next [`runtime::sweep`](crate::runtime::sweep) returns the errors of that.
    #[rule(INIT_11, DEV_05, DEV_10, CTX_01, CTX_04)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn context<T: ThreadToken, R>( // CTX-05: the thread's token comes first: `&mut Thread::new()?`
        &self,
        thread: &mut T,
        program: impl for<'c> FnOnce(&'c Context<Scoped<'c>>, &mut T) -> R,
    ) -> Result<R, ScopeError<R>> {
        self.named_context::<Unnamed, T, R>(thread, program)
    }

    /// Like [`context`](Self::context), for a context with a type as its name.
    ///
    /// # Errors
    ///
    /// As for [`context`](Self::context).
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn named_context<N, T: ThreadToken, R>( // CTX-05: the thread's token comes first: `&mut Thread::new()?`
        &self,
        thread: &mut T,
        program: impl for<'c> FnOnce(&'c Context<Scoped<'c, N>>, &mut T) -> R,
    ) -> Result<R, ScopeError<R>> {
        scope(self.row(), false, thread, program)
    }

    /// Runs `program` with the device's default context. `aclrtSetDevice` creates this context, and the last reset ends
    /// it.
    ///
    /// The scope borrows the context and does not own it. The end of the scope takes down what was made in the scope,
    /// as for [`context`](Self::context), and leaves the context itself. A device has one default context, and so one
    /// default stream. All takes of the device share them with the rest of the process. Use separate contexts to keep
    /// parts of a program apart: where they share a default context, a failure of work of one part may be reported for work
    /// that another part queues at the same moment, and a wait of another part that returns then may miss it (ERR-02).
    ///
    /// # Errors
    ///
    /// As for [`context`](Self::context).
    #[rule(DEV_03, DEV_04, DEV_05, CTX_01, CTX_02)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn default_context<T: ThreadToken, R>( // CTX-05: the thread's token comes first: `&mut Thread::new()?`
        &self,
        thread: &mut T,
        program: impl for<'c> FnOnce(&'c Context<Scoped<'c>>, &mut T) -> R,
    ) -> Result<R, ScopeError<R>> {
        self.named_default_context::<Unnamed, T, R>(thread, program)
    }

    /// Like [`default_context`](Self::default_context), for a view with a type as its name.
    ///
    /// # Errors
    ///
    /// As for [`context`](Self::context).
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn named_default_context<N, T: ThreadToken, R>( // CTX-05: the thread's token comes first: `&mut Thread::new()?`
        &self,
        thread: &mut T,
        program: impl for<'c> FnOnce(&'c Context<Scoped<'c, N>>, &mut T) -> R,
    ) -> Result<R, ScopeError<R>> {
        scope(self.row(), true, thread, program)
    }

    /// A context for one thread: creates it (`aclrtCreateContext`) and enters it. When `program` has ended, takes it
    /// down (`aclrtDestroyContext`).
    ///
    /// # Errors
    ///
    /// As for [`context`](Self::context).
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn with_current<T: ThreadToken, R>( // CTX-05: the thread's token comes first: `&mut Thread::new()?`
        &self,
        thread: &mut T,
        program: impl for<'c> FnOnce(&mut Current<Scoped<'c>>) -> R,
    ) -> Result<R, ScopeError<Option<R>>> {
        self.with_current_in(false, thread, program)
    }

    /// Like [`with_current`](Self::with_current), in a new context, or in the default one if `default_context` is set.
    pub(crate) fn with_current_in<T: ThreadToken, R>(
        &self,
        default_context: bool,
        thread: &mut T,
        program: impl for<'c> FnOnce(&mut Current<Scoped<'c>>) -> R,
    ) -> Result<R, ScopeError<Option<R>>> {
        let enter = |context: &Context<Scoped<'_>>, thread: &mut T| context.enter(thread, program);
        let entered = scope::<Unnamed, T, _>(self.row(), default_context, thread, enter);
        match entered {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(ScopeError::NotOpened(error)),
            Err(ScopeError::NotOpened(error)) => Err(ScopeError::NotOpened(error)),
            Err(ScopeError::Teardown { mut errors, result }) => {
                let result = result.map_err(|error| errors.insert(0, error)).ok();
                Err(ScopeError::Teardown { errors, result })
            }
        }
    }

    /// Limits how long the end of a scope on this device waits for each stream, rounded up to whole milliseconds. Without
    /// this setting there is no limit. The same limit, or a quarter of a second if that is longer, is for each event on
    /// which a thread of another context is inside a call ([`Error::StillRunning`]).
    ///
    /// If a wait fails, the memory of the work is kept and not freed. The scope reports a
    /// [`Teardown`](ScopeError::Teardown), and [`reset`](Self::reset) returns [`Error::ObjectsLeft`] until everything that was
    /// kept is released. [`recover`](Self::recover) can still recover the device.
    #[rule(STREAM_16)]
    pub fn with_teardown_timeout(self, limit: Duration) -> Self {
        self.row().set_teardown_timeout(limit);
        self
    }

    /// Gives the device back (`aclrtResetDevice`). The thread's current context does not change.
    ///
    /// The contexts of this take have ended, because a context scope borrows the device. If a scope could not release
    /// some of its objects, `reset` tries once more.
    ///
    /// # Panics
    ///
    /// If an allocator panics while it is dropped with its stream, the panic continues after the device was given back. If
    /// that is not possible, the device counts as dropped: [`Acl::close`](crate::Acl::close) tries again.
    ///
    /// # Errors
    ///
    /// [`Error::ObjectsLeft`] while a context has objects that cannot be released: their work was not waited for, or the library
    /// refuses to release them. [`Error::Vendor`] when the library refuses the reset; [`Error::DeviceShared`] while another
    /// part of the program recovers the device.
    #[must_use = "ERR-01: a failed call gives its object back: `?`, or look at the `Err`; see `ascendcl-explain ERR-01`"]
    #[rule(DEV_02, DEV_10, CTX_06)]
    pub fn reset(
        self, // DEV-02, DEV-07: a `Device` is reset once and last: for another take, call `acl.device(thread, id)`
        thread: &mut impl ThreadToken,
    ) -> Result<(), Failed<Self>> {
        // The token proves that no call is under way on this thread. The row restores the thread's current context.
        let _ = thread;
        self.acl.reset(self.row()).map_err(|error| Failed { error, value: self })
    }
}

/// Without the contexts that are left, whose list is locked: the program's writer may use this value.
impl fmt::Debug for Device<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("id", &self.id()).finish_non_exhaustive()
    }
}
