//! Getting a device back whose work does not end.

use crate::device::Device;
use crate::error::{Error, Failed};
use crate::ledger::DeviceRow;
use crate::ledger::Ledger;
use crate::ledger::takes::ExclusiveDevice;
use crate::thread::ThreadToken;
use ascendcl_macros::rule;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::Duration;

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
/// match device.recover(&mut thread, Duration::from_secs(1)).map_err(|failed| failed.error)? {
///     Recovered::Usable(device) => assert_eq!(device.id(), 0),
///     Recovered::Reset { lost } => lost.iter().for_each(|what| eprintln!("lost: {what}")),
///     _ => {}
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "the device may be in here"]
pub enum Recovered<'a> {
    /// All objects were released, and their work is done or was discarded. The device is taken as before.
    Usable(Device<'a>),
    /// The device was reset by force and is given back: [`Acl::device`](crate::Acl::device) takes it anew.
    Reset {
        /// The objects that could not be released, in words. They stay allocated until the process ends.
        lost: Vec<String>,
    },
}

impl<'a> Device<'a> {
    /// Recovers the device if its work does not complete, after the scopes have reported that they could not release
    /// their objects. No scope of the device is open any more. This takes one step after the other, and tries after
    /// each step to release what is left. It stops when nothing is left:
    ///
    /// 1. waiting once more;
    /// 2. discarding the work of each stream (`aclrtStreamAbort`), where the release can;
    /// 3. discarding all work on the device (`aclrtDeviceTaskAbort`), where the release can;
    /// 4. a reset by force (`aclrtResetDeviceForce`), which gives the device back.
    ///
    /// The limit applies to each wait for a stream and to the third step. Work in flight is lost. Memory is freed when
    /// no work can use it any more: when its streams were waited for, or after the forced reset. Objects that the
    /// library does not release then are lost too.
    ///
    /// A forced reset ends the device for the whole process. So this part has to be the only one of this crate that has
    /// taken the device; and code outside this crate must not use it (see [`foreign`](crate::foreign)).
    ///
    /// # Panics
    ///
    /// If an allocator panics while it is dropped with its stream, the panic continues: after the last step, if the
    /// device is reset by force. The device then counts as dropped. [`Acl::close`](crate::Acl::close) releases what is
    /// left of it, and [`Acl::device`](crate::Acl::device) can take it anew.
    ///
    /// # Errors
    ///
    /// The device as it is then. [`Error::DeviceShared`] when another part of the program has also taken it.
    /// [`Error::Vendor`] when the forced reset fails; then only the end of the process releases the device.
    #[rule(DEV_08, DEV_09, ERR_07, STREAM_17)]
    pub fn recover(self, thread: &mut impl ThreadToken, limit: Duration) -> Result<Recovered<'a>, Failed<Self>> {
        // The token proves that this thread is between calls.
        let _ = thread;
        match self.row().recover(limit) {
            Ok(None) => Ok(Recovered::Usable(self)),
            Ok(Some(lost)) => {
                self.leave();
                Ok(Recovered::Reset { lost })
            }
            Err(error) => Err(Failed { error, value: self }),
        }
    }
}

impl DeviceRow {
    /// The losses, if the device was reset by force.
    fn recover(&self, limit: Duration) -> Result<Option<Vec<String>>, Error> {
        let api = self.api();
        api.is_of_this_process()?;
        let _alone = ExclusiveDevice::on(api, self.id())?;
        let left = |tries: u32| self.take_down_what_is_kept(Some(limit), tries);
        if left(1).is_empty() {
            return Ok(None);
        }
        self.kept().iter().for_each(|ledger| ledger.abort_streams(limit));
        if left(1).is_empty() {
            return Ok(None);
        }
        // The first wait tells that work was discarded.
        if api.abort_tasks(self.id(), limit).is_ok() && left(2).is_empty() {
            return Ok(None);
        }
        let held: Vec<_> = self.kept().iter().flat_map(|ledger| ledger.hold_what_a_forced_reset_ends()).collect();
        self.reset_by_force(api).inspect_err(|_| held.iter().for_each(|event| event.let_go()))?;
        let mut lost = Vec::new();
        // The library may still know these allocators under the handle of a stream, so they are never freed.
        let mut loses = |ledger: &Arc<Ledger>, inventory| {
            lost.push(inventory);
            core::mem::forget(Arc::clone(ledger));
        };
        // First for all of them: what follows runs code of the user, which may panic.
        for ledger in self.kept().iter().filter(|ledger| ledger.loses_what_a_forced_reset_ends()) {
            loses(ledger, ledger.inventory());
        }
        let mut panics = Vec::new();
        for ledger in self.kept() {
            let inventory = ledger.inventory();
            // Each panic comes from an allocator that was dropped by now, so the next try does not meet it.
            let taken_down = loop {
                match catch_unwind(AssertUnwindSafe(|| ledger.is_taken_down_after_a_forced_reset(limit))) {
                    Ok(taken_down) => break taken_down,
                    Err(panic) => panics.push(panic),
                }
            };
            if !taken_down {
                loses(&ledger, inventory);
            }
            self.release(&ledger);
        }
        let mut panics = panics.into_iter();
        let first = panics.next();
        // Dropping what was thrown could throw again.
        panics.for_each(core::mem::forget);
        first.map_or(Ok(Some(lost)), |panic| resume_unwind(panic))
    }

    /// Tries so many times to take down each context that could not be taken down. Answers what is left.
    fn take_down_what_is_kept(&self, limit: Option<Duration>, tries: u32) -> Vec<Arc<Ledger>> {
        for ledger in self.kept() {
            // Runs code of the user, which may panic: what is not known to be empty stays.
            if (0..tries).any(|_| ledger.tear_down(limit).is_ok()) {
                self.release(&ledger);
            }
        }
        self.kept()
    }
}
