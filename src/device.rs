//! Devices, and the context scopes on them.

use crate::acl::Acl;
use crate::brand::Unnamed;
use crate::context::{Context, scope};
use crate::current::Current;
use crate::error::{Error, ScopeError, Undone};
use crate::ffi::{Api, RawContext, Restore};
use crate::ledger::Ledger;
use crate::life_cycle::leads;
use crate::takes;
use crate::thread::OnThread;
use ascendcl_macros::rule;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// A device that was taken (`aclrtSetDevice`).
///
/// Having a `Device` tells you that the device is set once more than it was reset. [`reset`](Self::reset) gives it back;
/// one that is dropped or forgotten is given back by [`Acl::close`].
#[derive(Debug)]
#[must_use = "a device that is not reset is given back when the `Acl` is closed"]
#[rule(DEV_02, DEV_06, DEV_07)]
pub struct Device<'a> {
    acl: &'a Acl,
    row: Arc<DeviceRow>,
}

/// One take of a device.
#[derive(Debug)]
pub(crate) struct DeviceRow {
    /// Knows where the program runs.
    api: Api,
    id: i32,
    /// What taking the device made current: its default context, which lives until the last reset.
    default: Option<RawContext>,
    patience: Mutex<Option<Duration>>,
    /// The contexts that could not be taken down: something in them may still run.
    quarantine: Mutex<Vec<Arc<Ledger>>>,
    /// It was reset by force, and is not reset once more (DEV-09).
    ended: AtomicBool,
}

impl<'a> Device<'a> {
    pub(crate) fn new(acl: &'a Acl, row: Arc<DeviceRow>) -> Self {
        Self { acl, row }
    }

    /// The library that it was taken from, and where the program runs.
    #[cfg(feature = "ge")]
    pub(crate) fn api(&self) -> Api {
        self.row.api
    }

    pub(crate) fn row(&self) -> &DeviceRow {
        &self.row
    }

    /// The library has ended the device by force.
    pub(crate) fn leave(self) {
        self.acl.forget(&self.row);
    }

    /// The device's number.
    #[rule(DEV_12)]
    pub fn id(&self) -> i32 {
        self.row.id
    }

    /// Creates a context (`aclrtCreateContext`), runs `program`, and takes down everything that was made in the
    /// context: streams are synchronised, models unloaded, streams destroyed, memory freed, the context destroyed, in
    /// the vendor's order, however the program ended and whatever it forgot.
    ///
    /// On the vendor's library the end takes one second more when a callback ran in the context.
    ///
    /// The program gets the context, to be [entered](Context::enter) on this thread or on others, and the thread's token
    /// back.
    ///
    /// # Errors
    ///
    /// [`ScopeError`] when the context could not be created, or not be taken down: then the device keeps what is left
    /// and refuses to be reset. A panic of the program goes on after the scope was taken down.
    #[rule(INIT_11, DEV_05, DEV_10, CTX_01, CTX_04)]
    pub fn context<T: OnThread, R>(
        &self,
        thread: &mut T,
        program: impl for<'c> FnOnce(&'c Context<'c>, &mut T) -> R,
    ) -> Result<R, ScopeError<R>> {
        self.named_context::<Unnamed, T, R>(thread, program)
    }

    /// As [`context`](Self::context), for a context that a type gives its name to.
    ///
    /// # Errors
    ///
    /// As for [`context`](Self::context).
    pub fn named_context<N, T: OnThread, R>(
        &self,
        thread: &mut T,
        program: impl for<'c> FnOnce(&'c Context<'c, N>, &mut T) -> R,
    ) -> Result<R, ScopeError<R>> {
        scope(self.row.api, &self.row, thread, |api, row| RawContext::create(api, row.id, row.default), program)
    }

    /// Runs `program` with the device's default context, which came with `aclrtSetDevice` and goes with the last reset.
    ///
    /// It is lent, not owned: the end of the scope takes down what was made in the scope, as for
    /// [`context`](Self::context), and leaves the context itself. There is one default context per device, and so one
    /// default stream, which all takes of the device share with the rest of the process: contexts of their own keep parts
    /// of a program apart.
    ///
    /// # Errors
    ///
    /// As for [`context`](Self::context).
    #[rule(DEV_03, DEV_04, DEV_05, CTX_01, CTX_02)]
    pub fn default_context<T: OnThread, R>(
        &self,
        thread: &mut T,
        program: impl for<'c> FnOnce(&'c Context<'c>, &mut T) -> R,
    ) -> Result<R, ScopeError<R>> {
        scope(self.row.api, &self.row, thread, |_, row| row.default(), program)
    }

    /// A context for one thread: creates it, enters it, and takes it down when `program` is done.
    ///
    /// # Errors
    ///
    /// As for [`context`](Self::context).
    pub fn with_current<T: OnThread, R>(
        &self,
        thread: &mut T,
        program: impl for<'c> FnOnce(&mut Current<'c>) -> R,
    ) -> Result<R, ScopeError<Option<R>>> {
        let entered = self.context(thread, |context, thread| context.enter(thread, program));
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

    /// How long the end of a scope on this device waits for each stream before it gives up; without a limit, for ever.
    ///
    /// What cannot be waited for is kept and not freed: the scope reports a [`Teardown`](ScopeError::Teardown), and
    /// [`reset`](Self::reset) is refused until the work is done. [`recover`](Self::recover) gets the device back all the
    /// same.
    #[rule(STREAM_16)]
    pub fn with_patience(self, limit: Duration) -> Self {
        *lock(&self.row.patience) = Some(limit);
        self
    }

    /// Gives the device back (`aclrtResetDevice`). The thread's current context stays what it is.
    ///
    /// The contexts of this take are gone: a context scope borrows the device, and what a scope could not take down is
    /// tried once more here.
    ///
    /// # Errors
    ///
    /// [`Error::Poisoned`] while work of a context could not be waited for; [`Error::Vendor`] when the library refuses.
    #[rule(DEV_02, DEV_10, CTX_06)]
    pub fn reset(self, thread: &mut impl OnThread) -> Result<(), Undone<Self>> {
        // The token proves that this thread is between calls; the row puts its current context back.
        let _ = thread;
        self.acl.reset(&self.row).map_err(|error| Undone { error, value: self })
    }
}

impl DeviceRow {
    pub(crate) fn set(api: Api, _thread: &mut impl OnThread, id: i32) -> Result<Self, Error> {
        leads!(device: Start --> Set : Set, device: Set --> Set : SetAgain);
        let mut restore = Restore::around_setting(api);
        takes::begin(api, id)?;
        api.set_device(id).inspect_err(|_| takes::end(api, id))?;
        let default = RawContext::default_of(api, id);
        restore.has_set(id, default);
        Ok(Self {
            api,
            id,
            default,
            patience: Mutex::default(),
            quarantine: Mutex::default(),
            ended: AtomicBool::new(false),
        })
    }

    /// The device's default context.
    pub(crate) fn default(&self) -> Result<RawContext, Error> {
        self.default.ok_or(Error::NullAnswer { call: "aclrtGetCurrentContext" })
    }

    pub(crate) fn id(&self) -> i32 {
        self.id
    }

    pub(crate) fn api(&self) -> Api {
        self.api
    }

    /// The contexts that could not be taken down.
    pub(crate) fn kept(&self) -> Vec<Arc<Ledger>> {
        lock(&self.quarantine).clone()
    }

    /// Resets the device for the whole process. Nobody else has it.
    pub(crate) fn reset_by_force(&self, api: Api) -> Result<(), Error> {
        leads!(device: Set --> End : Reset);
        let _restore = Restore::around_resetting(api, self.id);
        api.reset_device_by_force(self.id)?;
        self.ended.store(true, Ordering::Release);
        takes::end(api, self.id);
        Ok(())
    }

    pub(crate) fn patience(&self) -> Option<Duration> {
        *lock(&self.patience)
    }

    /// The context was taken down after all.
    pub(crate) fn release(&self, ledger: &Arc<Ledger>) {
        lock(&self.quarantine).retain(|known| !Arc::ptr_eq(known, ledger));
    }

    /// Keeps a context that could not be taken down.
    pub(crate) fn quarantine(&self, ledger: Arc<Ledger>) {
        lock(&self.quarantine).push(ledger);
    }

    pub(crate) fn reset(&self, api: Api) -> Result<(), Error> {
        leads!(device: Set --> Set : ResetOnce, device: Set --> End : Reset);
        api.is_of_this_process()?;
        for ledger in self.kept() {
            // Runs code of the user, which may panic: what is not known to be empty stays.
            if ledger.tear_down(self.patience()).is_ok() {
                self.release(&ledger);
            }
        }
        let stuck: Vec<_> = self.kept().iter().map(|ledger| ledger.inventory()).collect();
        if !stuck.is_empty() {
            return Err(Error::Poisoned { device: self.id, stuck: stuck.join("; ") });
        }
        if self.ended.load(Ordering::Acquire) {
            return Ok(());
        }
        let _restore = Restore::around_resetting(api, self.id);
        api.reset_device(self.id).inspect(|()| takes::end(api, self.id))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
