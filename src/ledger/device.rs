//! The rows of devices.

use super::Ledger;
use super::takes::{self, CodeLocation, TakeBack};
use crate::error::{Error, ObjectKind};
use crate::ffi::{Api, RawContext, Restore, is_inside_a_context};
use crate::life_cycle::leads;
use crate::panics::Panics;
use crate::thread::ThreadToken;
use ascendcl_macros::rule;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// What stands for no limit, and for one of more than five hundred years.
const NO_LIMIT: u64 = u64::MAX;

/// One take of a device.
pub(crate) struct DeviceRow {
    /// The library, and its run mode.
    api: Api,
    id: i32,
    taken_at: CodeLocation,
    /// The device's default context, which setting the device made current. It exists until the last reset.
    default: Option<RawContext>,
    /// In nanoseconds. Not in a lock, because a forked child takes none.
    teardown_timeout: AtomicU64,
    /// The contexts that could not be taken down, because work in them may still run.
    quarantine: Mutex<Vec<Arc<Ledger>>>,
    /// The take has ended: the device was reset, or reset by force. So closing must not reset it again (DEV-07, DEV-09).
    ended: AtomicBool,
}

impl DeviceRow {
    pub(crate) fn set(
        api: Api,
        _thread: &mut impl ThreadToken,
        id: i32,
        taken_at: CodeLocation,
    ) -> Result<Self, Error> {
        leads!(device: Start --> Set : Set, device: Set --> Set : SetAgain);
        let mut restore = Restore::around_setting(api);
        takes::begin(api, id, taken_at)?;
        api.set_device(id).inspect_err(|_| takes::end(api, id, taken_at))?;
        let default = RawContext::default_of(api, id);
        restore.record_device_set(id, default);
        Ok(Self {
            api,
            id,
            taken_at,
            default,
            teardown_timeout: AtomicU64::new(NO_LIMIT),
            quarantine: Mutex::default(),
            ended: AtomicBool::new(false),
        })
    }

    /// The device's default context.
    pub(crate) fn default(&self) -> Result<RawContext, Error> {
        self.default.ok_or_else(RawContext::null_context_error)
    }

    pub(crate) fn id(&self) -> i32 {
        self.id
    }

    pub(crate) fn api(&self) -> Api {
        self.api
    }

    /// Where the program has taken the device.
    pub(crate) fn taken_at(&self) -> CodeLocation {
        self.taken_at
    }

    /// Called before the program makes a context in this take: it is no longer given up.
    ///
    /// # Errors
    ///
    /// The take has ended with a reset by force, or the device is being recovered.
    pub(crate) fn take_back_for_use(&self) -> Result<(), Error> {
        takes::take_back(self, TakeBack::ForItsOwner)?;
        if self.has_ended() { Err(Error::Gone { what: ObjectKind::DEVICE }) } else { Ok(()) }
    }

    /// The contexts that could not be taken down.
    pub(crate) fn kept(&self) -> Vec<Arc<Ledger>> {
        lock(&self.quarantine).clone()
    }

    /// What is left of these contexts, in words. `None` if there are none.
    fn inventory(&self) -> Option<String> {
        let left: Vec<_> = self.kept().iter().map(|ledger| ledger.inventory()).collect();
        if left.is_empty() { None } else { Some(left.join("; ")) }
    }

    /// An error if the reset would take contexts down inside of another one. Taking a context down runs code of the program
    /// in it, and that code must not reach a `Current` of this thread. For a caller without the thread's token.
    #[rule(CTX_05)]
    pub(crate) fn check_reset_allowed(&self) -> Result<(), Error> {
        match self.inventory().filter(|_| is_inside_a_context()) {
            Some(left) => {
                let stuck =
                    format!("{left} (this thread is inside of another context: close the library outside of it)");
                Err(Error::ObjectsLeft { device: self.id, stuck })
            }
            None => Ok(()),
        }
    }

    /// Resets the device by force, for the whole process. The caller has checked that the only other takes of the
    /// device are `given_up`, which end as well.
    pub(crate) fn reset_by_force(&self, api: Api, given_up: &[Arc<Self>]) -> Result<(), Error> {
        leads!(device: Set --> End : Reset);
        let restore = Restore::around_resetting(api, self.id);
        api.reset_device_by_force(self.id)?;
        restore.record_device_reset();
        for row in given_up.iter().map(|row| &**row).chain([self]) {
            row.ended.store(true, Ordering::Release);
            takes::end(api, row.id, row.taken_at);
        }
        Ok(())
    }

    /// Whether the take has ended: the device was reset, or reset by force.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    pub(crate) fn set_teardown_timeout(&self, limit: Duration) {
        let nanoseconds = u64::try_from(limit.as_nanos()).unwrap_or(NO_LIMIT);
        self.teardown_timeout.store(nanoseconds, Ordering::Relaxed);
    }

    pub(crate) fn teardown_timeout(&self) -> Option<Duration> {
        let nanoseconds = self.teardown_timeout.load(Ordering::Relaxed);
        (nanoseconds != NO_LIMIT).then(|| Duration::from_nanos(nanoseconds))
    }

    /// Removes a context from quarantine, after it was taken down.
    pub(crate) fn release(&self, ledger: &Arc<Ledger>) {
        lock(&self.quarantine).retain(|known| !Arc::ptr_eq(known, ledger));
    }

    /// Keeps a context that could not be taken down (quarantine).
    pub(crate) fn quarantine(&self, ledger: Arc<Ledger>) {
        lock(&self.quarantine).push(ledger);
    }

    pub(crate) fn reset(&self, api: Api, panics: &mut Panics) -> Result<(), Error> {
        leads!(device: Set --> Set : ResetOnce, device: Set --> End : Reset);
        api.check_process()?;
        for ledger in self.kept() {
            if ledger.tear_down_quietly(self.teardown_timeout(), panics) {
                self.release(&ledger);
            }
        }
        if let Some(stuck) = self.inventory() {
            return Err(Error::ObjectsLeft { device: self.id, stuck });
        }
        if self.has_ended() {
            return Ok(());
        }
        let restore = Restore::around_resetting(api, self.id);
        api.reset_device(self.id)?;
        restore.record_device_reset();
        self.ended.store(true, Ordering::Release);
        takes::end(api, self.id, self.taken_at);
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
impl DeviceRow {
    /// A take of which the library does not know.
    #[track_caller]
    pub(super) fn of_a_test(api: Api, id: i32) -> Self {
        Self {
            api,
            id,
            taken_at: core::panic::Location::caller(),
            default: None,
            teardown_timeout: AtomicU64::new(NO_LIMIT),
            quarantine: Mutex::default(),
            ended: AtomicBool::new(false),
        }
    }

    pub(super) fn end_of_a_test(&self) {
        self.ended.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::super::takes::ExclusiveDevice;
    use super::*;

    /// Another part of the program recovers the device, resets it and is done, while this part is about to begin.
    #[test]
    fn a_take_that_a_reset_has_ended_is_not_recovered() {
        let row = DeviceRow::of_a_test(Api::without_functions(), 0);
        row.end_of_a_test();
        let refused = ExclusiveDevice::on(&row).map(drop);
        assert!(matches!(refused, Err(Error::Gone { what: ObjectKind::DEVICE })), "{refused:?}");
        row.ended.store(false, Ordering::Release);
        assert!(ExclusiveDevice::on(&row).is_ok());
    }
}
