//! The contents of a runtime, and their release.

use super::CloseError;
use super::abandoned::keep_never_opened;
use crate::acl::Acl;
use crate::context::open_context;
use crate::error::Error;
use crate::ffi::{Gate, Passage};
use crate::ledger::takes::{CodeLocation, TakeBack};
use crate::ledger::{DeviceRow, Ledger, takes};
use crate::life_cycle::leads;
use crate::panics::{Panics, drop_each_quietly};
use crate::recover::{Ended, ForcedReset};
use crate::run::{Setup, default_device};
use crate::thread::Thread;
use crate::undelivered;
use core::mem;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time between two checks whether other threads have left, or whether the jobs of an actor have ended.
pub(super) const POLL_INTERVAL: Duration = Duration::from_micros(500);

pub(super) struct Shared {
    ledger: Arc<Ledger>,
    device: Arc<DeviceRow>,
    /// Threads that enter pass this gate, and `close` shuts it. A shut gate does not show that no thread is inside:
    /// only [`CloseState::begun`] does.
    entrance: Gate,
    /// Locked while the runtime is being closed. No thread waits for the lock, because code of the user runs under it.
    ending: Mutex<CloseState>,
}

struct CloseState {
    /// The library's initialisation and the take of the device; `None` when they were given back.
    acl: Option<Acl>,
    /// Whether all threads have left and the teardown has begun.
    begun: bool,
    /// What this runtime has lost when it reset the device by force, until the program knows. `None` if it has not reset it.
    lost: Option<Vec<String>>,
}

impl CloseState {
    /// The context was taken down after all. What this runtime itself had comes last among what was lost.
    fn no_longer_lost(&mut self) {
        self.lost.iter_mut().for_each(|lost| drop(lost.pop()));
    }

    /// What was lost, for the program. If code of the program has panicked, the caller gets the panic, and the next call
    /// returns the list.
    fn tell_lost(&mut self, panics: &Panics) -> Vec<String> {
        self.lost.as_mut().filter(|_| panics.is_none()).map(mem::take).unwrap_or_default()
    }

    /// Gives the device and the initialisation back, if that was not done before.
    fn give_back(&mut self) -> Result<(), Vec<Error>> {
        let Some(acl) = self.acl.take() else { return Ok(()) };
        acl.close().map_err(|failed| {
            self.acl = Some(failed.value);
            vec![failed.error]
        })
    }
}

impl Shared {
    /// Opens a context on the device of the setup. On an error, the earlier steps are undone as far as the library
    /// allows.
    pub(super) fn open(acl: Acl, setup: &Setup, thread: &mut Thread, place: CodeLocation) -> Result<Self, Error> {
        match Self::opened(&acl, setup, thread, place) {
            Ok((device, ledger)) => {
                let ending = Mutex::new(CloseState { acl: Some(acl), begun: false, lost: None });
                Ok(Self { ledger, device, entrance: Gate::open(), ending })
            }
            Err(error) => {
                // The first error is the one to report. The next sweep tries again what the library refuses now.
                let _ = acl.close().map_err(|failed| keep_never_opened(failed.value));
                Err(error)
            }
        }
    }

    fn opened(
        acl: &Acl,
        setup: &Setup,
        thread: &mut Thread,
        place: CodeLocation,
    ) -> Result<(Arc<DeviceRow>, Arc<Ledger>), Error> {
        let id = setup.device.map_or_else(|| default_device(acl), Ok)?;
        let device = acl.take_device(thread, id, place)?;
        setup.teardown_timeout.into_iter().for_each(|limit| device.set_teardown_timeout(limit));
        let ledger = open_context(&device, setup.default_context)?;
        Ok((device, ledger))
    }

    /// The context exists while the returned value exists.
    #[inline]
    pub(super) fn pass(&self) -> Option<Passage<'_>> {
        // A runtime is never captured, and this look at the gate takes fewer instructions.
        self.entrance.pass_unless_captured()
    }

    #[inline]
    pub(super) fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    pub(super) fn teardown_timeout(&self) -> Option<Duration> {
        self.device.teardown_timeout()
    }

    /// Whether no thread can enter.
    pub(super) fn is_shut(&self) -> bool {
        !self.entrance.is_open()
    }

    /// Lets no further thread in. Returns whether something is left to release.
    pub(super) fn shut_unless_released(&self) -> bool {
        // A forked child takes no lock, and takes nothing down.
        if self.ledger.api().check_process().is_err() {
            return false;
        }
        self.entrance.shut();
        self.try_lock().is_none_or(|ending| ending.acl.is_some())
    }

    /// Lets no further thread in, waits at most `limit` for the threads that are inside, and releases everything. Waits
    /// for each stream for at most `teardown_timeout`, if there is a limit.
    pub(super) fn close(
        &self,
        _thread: &mut Thread,
        limit: Duration,
        teardown_timeout: Option<Duration>,
    ) -> Result<(), CloseError> {
        self.run_ending(TakeBack::ForItsOwner, |ending, was_given_up, panics| {
            self.take_down_or_give_up(ending, limit, teardown_timeout, was_given_up, panics)
        })
    }

    /// Like [`close`](Self::close), for a runtime that the program cannot close any more. What cannot be released is given up.
    pub(super) fn close_or_give_up(
        &self,
        _thread: &mut Thread,
        teardown_timeout: Option<Duration>,
    ) -> Result<(), CloseError> {
        self.run_ending(TakeBack::ForASweep, |ending, _, panics| {
            self.take_down_or_give_up(ending, Duration::ZERO, teardown_timeout, true, panics)
        })
    }

    /// Like [`close`](Self::close), and recovers the device if its work does not complete, or for others that have given it
    /// up. Returns what was lost.
    pub(super) fn close_by_force(&self, _thread: &mut Thread, limit: Duration) -> Result<Vec<String>, CloseError> {
        self.run_ending(TakeBack::ForItsOwner, |ending, _, panics| {
            match self.take_down(ending, limit, Some(limit), panics) {
                Err(CloseError::Teardown { errors }) => self.recover(ending, limit, errors, panics),
                closed => closed.and_then(|()| self.recover_for_others(ending, limit, panics)),
            }
        })
    }

    /// Whether the device waits for the last one that is closed by force.
    pub(super) fn is_device_given_up(&self) -> bool {
        takes::is_given_up(self.device.api(), self.device.id())
    }

    /// Recovers the device for those that have given it up, after this runtime has been closed: its own end needed no
    /// force, and it may be the last one on the device. Runs code of the user, which may panic.
    fn recover_for_others(
        &self,
        ending: &mut CloseState,
        limit: Duration,
        panics: &mut Panics,
    ) -> Result<Vec<String>, CloseError> {
        // Only now: of several runtimes that are closed at a time, the last one that gives its take back finds no other.
        let lost = self.device.recover_for_others(limit, panics);
        let lost = lost.map_err(|error| CloseError::Teardown { errors: vec![error] })?;
        if !lost.is_empty() {
            ending.lost.get_or_insert_default().extend(lost);
        }
        Ok(ending.tell_lost(panics))
    }

    /// Runs `steps` with the lock, and with the device taken back if it was given up. The second argument of `steps` is
    /// whether it was.
    fn run_ending<T>(
        &self,
        why: TakeBack,
        steps: impl FnOnce(&mut CloseState, bool, &mut Panics) -> Result<T, CloseError>,
    ) -> Result<T, CloseError> {
        self.ledger.api().check_process().map_err(CloseError::Refused)?;
        // Locked for all steps: two threads that close this runtime by force would hinder each other.
        let mut ending = self.try_lock().ok_or(CloseError::Closing)?;
        let was_given_up = takes::take_back(&self.device, why).map_err(|_| CloseError::Closing)?;
        let mut panics = Panics::default();
        let closed = steps(&mut ending, was_given_up, &mut panics);
        drop(ending);
        undelivered::unless_panicked(panics, closed, CloseError::into_errors)
    }

    /// Lets another runtime that is closed by force reset the device and release what this one has. For that, the
    /// device gets the context: recovering a device takes down the contexts that it keeps.
    fn give_up_device(&self) {
        if !self.device.kept().iter().any(|kept| Arc::ptr_eq(kept, &self.ledger)) {
            self.device.quarantine(Arc::clone(&self.ledger));
        }
        takes::give_up(&self.device);
    }

    /// Runs code of the user, which may panic.
    fn take_down_or_give_up(
        &self,
        ending: &mut CloseState,
        limit: Duration,
        teardown_timeout: Option<Duration>,
        gives_up: bool,
        panics: &mut Panics,
    ) -> Result<(), CloseError> {
        let mut closed = self.take_down(ending, limit, teardown_timeout, panics);
        if gives_up && let Err(CloseError::Teardown { errors }) = &mut closed {
            if !self.device.has_ended() {
                self.give_up_device();
            } else if ending.lost.is_some() {
                // The device was reset, so what is left stays lost. It does not keep the library initialised.
                errors.extend(self.ledger.hold_events().err());
                errors.extend(ending.give_back().err().into_iter().flatten());
            }
        }
        closed
    }

    /// Runs code of the user, which may panic.
    fn take_down(
        &self,
        ending: &mut CloseState,
        limit: Duration,
        teardown_timeout: Option<Duration>,
        panics: &mut Panics,
    ) -> Result<(), CloseError> {
        leads!(context: Live --> End : Destroy);
        if ending.acl.is_none() {
            return Ok(());
        }
        if !ending.begun {
            self.wait_until_left(limit)?;
            ending.begun = true;
        }
        // If another runtime has reset the device, it has also released what this one had, or that is lost.
        let is_left = ending.lost.is_some() || !self.device.has_ended();
        let had_lost = ending.lost.is_some() && !self.ledger.is_gone();
        let torn_down = if is_left { self.ledger.tear_down(teardown_timeout, panics) } else { Ok(()) };
        if had_lost && torn_down.is_ok() {
            ending.no_longer_lost();
        }
        torn_down.and_then(|()| ending.give_back()).map_err(|errors| CloseError::Teardown { errors })
    }

    /// Recovers the device after these errors. Runs code of the user, which may panic.
    fn recover(
        &self,
        ending: &mut CloseState,
        limit: Duration,
        mut errors: Vec<Error>,
        panics: &mut Panics,
    ) -> Result<Vec<String>, CloseError> {
        let recovered = match self.device.has_ended() {
            // What cannot be released now stays lost.
            true if ending.lost.is_some() => {
                if !self.ledger.is_gone() {
                    match self.ledger.tear_down_after_forced_reset(limit, panics) {
                        true => ending.no_longer_lost(),
                        // A call that is inside may end later: the row of its event stays.
                        false => drop(self.ledger.hold_events()),
                    }
                }
                Ok(Ended::ResetByOthers)
            }
            true => Err(Vec::new()),
            false => {
                self.give_up_device();
                self.device.recover_when_last(limit, ForcedReset::IfNecessary, panics).map_err(|error| vec![error])
            }
        };
        let closed = recovered.and_then(|ended| {
            if let Ended::Reset(lost) = ended {
                ending.lost = Some(lost);
                ending.acl.iter().for_each(|acl| acl.forget(&self.device));
            }
            ending.give_back().map(|()| ending.tell_lost(panics))
        });
        match closed {
            Ok(lost) => {
                // These errors are why the device was recovered. They are settled now.
                drop_each_quietly(errors);
                Ok(lost)
            }
            Err(more) => {
                errors.extend(more);
                Err(CloseError::Teardown { errors })
            }
        }
    }

    fn wait_until_left(&self, limit: Duration) -> Result<(), CloseError> {
        self.entrance.shut();
        let until = Instant::now().checked_add(limit);
        loop {
            let inside = self.entrance.inside();
            if inside == 0 {
                return Ok(());
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                self.entrance.reopen();
                return Err(CloseError::Busy { inside });
            }
            sleep(POLL_INTERVAL);
        }
    }

    /// `None` while a thread is closing the runtime.
    fn try_lock(&self) -> Option<MutexGuard<'_, CloseState>> {
        match self.ending.try_lock() {
            Ok(ending) => Some(ending),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}
