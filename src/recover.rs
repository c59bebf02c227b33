//! Recovery of a device whose work does not complete.

use crate::device::Device;
use crate::error::{Error, Failed, ObjectKind};
use crate::ledger::DeviceRow;
use crate::ledger::Ledger;
use crate::ledger::takes::{self, ExclusiveDevice, WaitForOthers};
use crate::panics::Panics;
use crate::thread::ThreadToken;
use crate::undelivered;
use ascendcl_macros::rule;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How [`Device::recover`] ended.
///
/// ```
/// use ascendcl::{Acl, Library, Recovered, Thread};
/// use std::time::Duration;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let acl = Acl::init(Library::Simulator)?;
/// # let mut thread = Thread::new()?;
/// # let device = acl.device(&mut thread, 0)?;
/// match device.recover(&mut thread, Duration::from_secs(1))? {
///     Recovered::Usable(device) => assert_eq!(device.id(), 0),
///     Recovered::Reset { lost } => lost.iter().for_each(|what| eprintln!("lost: {what}")),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "the device may be in here"]
pub enum Recovered<'a> {
    /// All objects were released, because their work is done or was discarded. The device is still taken. This says that
    /// nothing of this program is left, and not that the device answers: new work may hang or fail as before.
    Usable(Device<'a>),
    /// The device was reset by force and given back. [`Acl::device`](crate::Acl::device) can take it again.
    Reset {
        /// The objects that could not be released, in words. They stay allocated until the process ends. Empty if another
        /// part of the program has reset the device: that part got the list.
        lost: Vec<String>,
    },
}

impl<'a> Device<'a> {
    /// Recovers the device if its work does not complete. Call it after scopes have reported that they could not
    /// release their objects; no scope of the device is open then. It takes the steps below in order, tries after each
    /// step to release what is left, and stops when nothing is left:
    ///
    /// 1. waiting once more;
    /// 2. discarding the work of each stream (`aclrtStreamAbort`), if the release of the library supports it;
    /// 3. discarding all work on the device (`aclrtDeviceTaskAbort`), if the release of the library supports it;
    /// 4. a forced reset (`aclrtResetDeviceForce`), which gives the device back.
    ///
    /// So a device is reset only if something of this program is left there. A call without a stream that has reached its
    /// time limit leaves nothing. [`reset_by_force`](Self::reset_by_force) resets the device in any case.
    ///
    /// The limit, in whole milliseconds, applies to each wait for a stream, to the third step, and to the wait for other
    /// parts of the program. Work in flight is lost.
    /// Memory is freed only when no work can use it any more: after the wait for its streams, or after the forced reset.
    /// Objects that the library refuses to release even then are lost, too.
    ///
    /// # Several parts of one program
    ///
    /// A forced reset ends the device for the whole process. So every other part of the program that has taken it by this
    /// crate has to *give it up* (this is checked), and code outside this crate must not use it (see
    /// [`foreign`](crate::foreign)). A part gives the device up in one of these ways:
    ///
    /// * Its call of `recover` is refused with [`Error::DeviceShared`]. The part that calls last recovers the device for all,
    ///   and gets the list of what all of them lose. The others call `recover` again, or [`reset`](Self::reset): after a
    ///   forced reset these calls reach no library. Opening a scope on the device takes it back.
    /// * Its `Device` is dropped. One that is leaked, by [`core::mem::forget`] for example, counts as used.
    /// * Its runtime was [closed by force](crate::Runtime::close_by_force) in vain, or dropped.
    ///
    /// # Allocators of streams that the reset ends
    ///
    /// A forced reset ends the streams of a default context, and the library keeps the registrations of their allocators
    /// under the handles of the streams (ALLOC-16). They are ended right after the reset: before it they cannot be, because
    /// work that hangs may use their memory (ALLOC-11). Nobody gets a stream of this device in between. A stream that another
    /// thread creates on *another* device in that moment may get such a handle. Then its work gets no memory from the old
    /// allocator, and may fail; and an allocator that is registered on it in that moment may not be called for it. No memory is
    /// used wrongly. A service that recovers one device while others start creates their streams before or afterwards.
    ///
    /// ```
    /// use ascendcl::{Acl, Error, Library, Recovered, Thread};
    /// use std::time::Duration;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let acl = Acl::init(Library::Simulator)?;
    /// # let mut thread = Thread::new()?;
    /// let limit = Duration::from_millis(100);
    /// let (one, other) = (acl.device(&mut thread, 0)?, acl.device(&mut thread, 0)?);
    /// let refused = one.recover(&mut thread, limit).unwrap_err();
    /// assert!(matches!(refused.error, Error::DeviceShared { takes: 2, .. }));
    /// assert!(matches!(other.recover(&mut thread, limit)?, Recovered::Usable(_)));
    /// assert!(matches!(refused.value.recover(&mut thread, limit)?, Recovered::Usable(_)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If an allocator panics while it is dropped with its stream, the panic continues after the last step. The device
    /// then counts as dropped: [`Acl::close`](crate::Acl::close) releases what is left of it, and
    /// [`Acl::device`](crate::Acl::device) can take it again.
    ///
    /// # Errors
    ///
    /// The device in its present state. [`Error::DeviceShared`] when another part of the program has taken it and not given
    /// it up; the error says where. [`Error::Vendor`] when the forced reset fails; then only the end of the process releases
    /// the device.
    #[rule(DEV_08, DEV_09, ERR_07, STREAM_17)]
    pub fn recover(self, thread: &mut impl ThreadToken, limit: Duration) -> Result<Recovered<'a>, Failed<Self>> {
        // The token proves that no call is under way on this thread.
        let _ = thread;
        let lost = match self.row().recover(limit, ForcedReset::IfNecessary) {
            Ok(Ended::Idle) => return Ok(Recovered::Usable(self)),
            Ok(Ended::Reset(lost)) => lost,
            Ok(Ended::ResetByOthers) => Vec::new(),
            Err(error) => return Err(Failed { error, value: self }),
        };
        self.leave();
        Ok(Recovered::Reset { lost })
    }

    /// Like [`recover`](Self::recover), and takes the last step in any case: resets the device by force
    /// (`aclrtResetDeviceForce`) also if nothing of this program is left there. For a device that does not answer, although
    /// no work of the program hangs: its synchronous calls reach their time limits, or fail. Gives the device back, and returns
    /// the objects that were lost, in words. If another part of the program has reset the device since it was taken, nothing is
    /// called, and the list is empty: that part got it.
    ///
    /// A program closes its runtimes on the device first. What it has given up there ends, too, as for `recover`.
    ///
    /// ```
    /// use ascendcl::{Acl, Error, Library, Runtime, Thread};
    /// use std::time::Duration;
    ///
    /// ascendcl::names!(Vision);
    ///
    /// /// For a device on which also a new runtime gets no answer.
    /// fn reset(closed: Runtime<Vision>, device: i32) -> Result<(), Error> {
    ///     drop(closed);
    ///     let acl = Acl::init(Library::Simulator)?;
    ///     let mut thread = Thread::new()?;
    ///     let device = acl.device(&mut thread, device)?;
    ///     for lost in device.reset_by_force(&mut thread, Duration::from_secs(5))? {
    ///         eprintln!("lost: {lost}");
    ///     }
    ///     acl.close()?;
    ///     Ok(())
    /// }
    ///
    /// let runtime = Runtime::open(Library::Simulator)?;
    /// runtime.close_by_force(Duration::from_secs(5))?;
    /// reset(runtime, 0)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As for [`recover`](Self::recover).
    ///
    /// # Errors
    ///
    /// As for [`recover`](Self::recover).
    #[rule(DEV_08, DEV_09, ERR_07, STREAM_17)]
    pub fn reset_by_force(
        self, // DEV-09: a forced reset ends the `Device`: for another take, call `acl.device(thread, id)`
        thread: &mut impl ThreadToken,
        limit: Duration,
    ) -> Result<Vec<String>, Failed<Self>> {
        // The token proves that no call is under way on this thread.
        let _ = thread;
        match self.row().recover(limit, ForcedReset::Always) {
            Ok(ended) => {
                self.leave();
                Ok(if let Ended::Reset(lost) = ended { lost } else { Vec::new() })
            }
            Err(error) => Err(Failed { error, value: self }),
        }
    }
}

/// Whether a device is reset by force although nothing of this program is left there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ForcedReset {
    IfNecessary,
    Always,
}

/// How the recovery of a device ended.
pub(crate) enum Ended {
    /// A reset was not necessary.
    Idle,
    /// The device was reset by force. These are the lost objects.
    Reset(Vec<String>),
    /// Another part of the program has reset the device by force, and knows what was lost.
    ResetByOthers,
}

/// The time between two checks whether other parts of the program have given the device up.
const POLL_INTERVAL: Duration = Duration::from_micros(500);

impl DeviceRow {
    fn recover(self: &Arc<Self>, limit: Duration, reset: ForcedReset) -> Result<Ended, Error> {
        self.api().check_process()?;
        // Each step runs code of the user, which may panic.
        let mut panics = Panics::default();
        let recovered = self.recover_when_last(limit, reset, &mut panics);
        undelivered::unless_panicked(panics, recovered, |error| vec![error])
    }

    /// Gives this take up, and recovers the device when all other parts of the program have given it up, too. Waits at most
    /// `limit` for that. If several try, the last one that gives up recovers the device for all.
    pub(crate) fn recover_when_last(
        self: &Arc<Self>,
        limit: Duration,
        reset: ForcedReset,
        panics: &mut Panics,
    ) -> Result<Ended, Error> {
        let until = Instant::now().checked_add(limit);
        let _waits = WaitForOthers::on(self);
        takes::give_up(self);
        loop {
            if self.has_ended() {
                return Ok(Ended::ResetByOthers);
            }
            match self.recover_in_steps(limit, reset, panics) {
                Ok(lost) => return Ok(lost.map_or(Ended::Idle, Ended::Reset)),
                Err(Error::DeviceShared { .. }) if until.is_none_or(|until| Instant::now() < until) => {
                    sleep(POLL_INTERVAL)
                }
                Err(Error::Gone { what: ObjectKind::DEVICE }) if self.has_ended() => return Ok(Ended::ResetByOthers),
                Err(error) => return Err(error),
            }
        }
    }

    /// Recovers the device for the parts of the program that have given it up, if nobody else has it. For a part that
    /// has no take of it any more. Returns what was lost: nothing if the device was not reset.
    pub(crate) fn recover_for_others(&self, limit: Duration, panics: &mut Panics) -> Result<Vec<String>, Error> {
        self.api().check_process()?;
        let Some((row, alone)) = ExclusiveDevice::of_given_up(self.api(), self.id()) else { return Ok(Vec::new()) };
        // The take stays given up until its own part of the program goes on with it: nobody else is to wait for that part.
        row.recover_alone(&alone, limit, ForcedReset::IfNecessary, panics).map(Option::unwrap_or_default)
    }

    fn recover_in_steps(
        &self,
        limit: Duration,
        reset: ForcedReset,
        panics: &mut Panics,
    ) -> Result<Option<Vec<String>>, Error> {
        self.api().check_process()?;
        let alone = ExclusiveDevice::on(self)?;
        self.recover_alone(&alone, limit, reset, panics).inspect(|_| alone.mark_recovered(self))
    }

    fn recover_alone(
        &self,
        alone: &ExclusiveDevice,
        limit: Duration,
        reset: ForcedReset,
        panics: &mut Panics,
    ) -> Result<Option<Vec<String>>, Error> {
        let api = self.api();
        let rows: Vec<_> = alone.given_up().iter().map(|row| &**row).chain([self]).collect();
        let kept = || rows.iter().flat_map(|row| row.kept());
        if self.end_work(&rows, limit, panics)? && reset == ForcedReset::IfNecessary {
            return Ok(None);
        }
        kept()
            .try_for_each(|ledger| ledger.prepare_forced_reset())
            .and_then(|()| self.reset_by_force(api, alone.given_up()))
            .inspect_err(|_| kept().for_each(|ledger| ledger.cancel_forced_reset()))?;
        let mut lost = Vec::new();
        // The library may still know these allocators under the handle of a stream, so this never frees them.
        let mut loses = |ledger: &Arc<Ledger>, inventory| {
            lost.push(inventory);
            // A call that is inside may end later: the row of its event stays.
            let _ = ledger.hold_events();
            core::mem::forget(Arc::clone(ledger));
        };
        // All ledgers note the reset first, because the code below runs code of the user.
        let with_losses: Vec<_> = kept().filter(|ledger| ledger.record_forced_reset()).collect();
        // As long as `alone` exists, nobody can take the device and create streams there.
        with_losses.iter().for_each(|ledger| ledger.end_lost_registrations());
        with_losses.iter().for_each(|ledger| loses(ledger, ledger.inventory()));
        with_losses.iter().for_each(|ledger| ledger.notify_lost_attachments(panics));
        for (row, ledger) in rows.iter().flat_map(|row| row.kept().into_iter().map(move |ledger| (row, ledger))) {
            let inventory = ledger.inventory();
            if !ledger.tear_down_after_forced_reset(limit, panics) {
                loses(&ledger, inventory);
            }
            row.release(&ledger);
        }
        Ok(Some(lost))
    }

    /// Waits for the work on the device, and discards it if that is not enough. Returns whether nothing is left in the
    /// contexts of `rows`.
    fn end_work(&self, rows: &[&Self], limit: Duration, panics: &mut Panics) -> Result<bool, Error> {
        let api = self.api();
        let kept = || rows.iter().flat_map(|row| row.kept());
        let tear_down_kept = |tries, panics: &mut Panics| {
            // Each is tried, also if one before it is not taken down.
            rows.iter().filter(|row| !row.tear_down_kept(limit, tries, panics)).count() == 0
        };
        if tear_down_kept(1, panics) {
            return Ok(true);
        }
        kept().for_each(|ledger| ledger.keep_callback_state());
        // The thread that watches futures makes no call while work is discarded. Each try to take a context down ends that.
        // Nobody else is inside a call on an event: other parts of the program have given the device up.
        kept().try_for_each(|ledger| ledger.hold_events())?;
        kept().for_each(|ledger| ledger.abort_streams(limit, panics));
        if tear_down_kept(1, panics) {
            return Ok(true);
        }
        kept().try_for_each(|ledger| ledger.hold_events())?;
        // The first wait of a stream returns an error because work was discarded, so this tries twice.
        Ok(api.abort_tasks(self.id(), limit).is_ok() && tear_down_kept(2, panics))
    }

    /// Tries `tries` times to take down each context in quarantine. Returns whether none is left.
    fn tear_down_kept(&self, limit: Duration, tries: u32, panics: &mut Panics) -> bool {
        for ledger in self.kept() {
            if (0..tries).any(|_| ledger.tear_down_quietly(Some(limit), panics)) {
                self.release(&ledger);
            }
        }
        self.kept().is_empty()
    }
}
