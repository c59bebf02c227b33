//! Devices in trouble: lost, hanging, slow, full. It is all of them at once.

use crate::config;
use crate::failure::{Answer, Failure};
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// The duration of a wait without a time limit while the devices hang. The vendor's library takes minutes.
const WATCHDOG: Duration = Duration::from_millis(100);

/// Whether anything can go wrong at all.
static PLANNED: AtomicBool = AtomicBool::new(false);
static LOST: AtomicBool = AtomicBool::new(false);
static HANGS: AtomicBool = AtomicBool::new(false);
/// Microseconds.
static SLOWER: AtomicU64 = AtomicU64::new(0);

/// Whether anything can go wrong from now on.
pub(crate) fn expect(any: bool) {
    PLANNED.store(any, SeqCst);
}

fn planned() -> bool {
    PLANNED.load(SeqCst)
}

pub(crate) fn lose() {
    LOST.store(true, SeqCst);
}

pub(crate) fn hang() {
    HANGS.store(true, SeqCst);
}

/// The devices stop hanging, although the plan goes on.
pub(crate) fn hang_no_longer() {
    HANGS.store(false, SeqCst);
}

pub(crate) fn slow_down(time: Duration) {
    SLOWER.store(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), SeqCst);
}

/// The devices are well again; what memory they lost they get back when the machine starts afresh.
pub(crate) fn end() {
    LOST.store(false, SeqCst);
    HANGS.store(false, SeqCst);
    SLOWER.store(0, SeqCst);
}

/// The answer of calls and work while the devices are lost.
pub(crate) fn lost() -> Option<Failure> {
    LOST.load(SeqCst).then(|| Failure::new(ACL_ERROR_RT_LOST_HEARTBEAT, "the device does not answer any more"))
}

pub(crate) fn hangs() -> bool {
    HANGS.load(SeqCst)
}

/// Faults that a task of a stream meets before it runs.
pub(crate) fn before_task() -> Answer {
    if !planned() {
        return Ok(());
    }
    let slower = SLOWER.load(SeqCst);
    if slower > 0 {
        std::thread::sleep(Duration::from_micros(slower));
    }
    lost().map_or(Ok(()), Err)
}

/// Faults of work that a call does on the device without a stream.
pub(crate) fn before_work() -> Answer {
    before_task()?;
    if !planned() || !hangs() {
        return Ok(());
    }
    std::thread::sleep(WATCHDOG);
    Err(stuck())
}

/// The start of a wait without a time limit.
#[derive(Clone, Copy)]
pub(crate) struct Patience(Instant);

impl Patience {
    /// The interval in which a long wait is checked.
    pub(crate) const LOOK: Duration = Duration::from_millis(25);

    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn has_lasted(&self, time: Duration) -> bool {
        self.0.elapsed() >= time
    }

    /// Whether nobody is expected any more to queue what the wait is for: the record of an event that was reset, a
    /// notify, or a value.
    pub(crate) fn with_others_is_over(&self) -> bool {
        self.has_lasted(config::current().time_for_others())
    }

    /// Whether a wait without a time limit is given up.
    pub(crate) fn is_over(&self) -> bool {
        planned() && hangs() && self.0.elapsed() >= WATCHDOG
    }
}

/// The answer of a wait that is given up.
pub(crate) fn stuck() -> Failure {
    Failure::new(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "the device hangs: the work is not over, and will not be")
}

/// Whether a call that answers this code has met a trouble, and no mistake of the program: there is not enough of something,
/// or the devices are lost or hang.
pub(crate) fn is_reason_of(code: aclError) -> bool {
    match code {
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT => false,
        ACL_ERROR_RT_LOST_HEARTBEAT | 200_000..300_000 => true,
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT => hangs(),
        _ => false,
    }
}

/// Whether a call of this function needs a device, or only what the library keeps on the host.
pub(crate) fn needs_device(name: &str) -> bool {
    const OF_HOST: [&str; 8] = [
        "aclrtGetSocName",
        "aclrtGetRunMode",
        "aclrtGetVersion",
        "aclrtGetLastError",
        "aclrtPeekAtLastError",
        "aclrtGetCurrentContext",
        "aclrtSetCurrentContext",
        "aclrtPointerGetAttributes",
    ];
    const BY_START: [&str; 9] = [
        "aclrt",
        "aclmdlLoad",
        "aclmdlUnload",
        "aclmdlExecute",
        "aclopExecute",
        "aclopCompile",
        "aclopCast",
        "aclopLoad",
        "aclblas",
    ];
    let of_host = OF_HOST.contains(&name) || name.starts_with("aclrtAllocator");
    !of_host && BY_START.iter().any(|start| name.starts_with(start))
}
