//! Settings of streams and of cores. They are only stored, and returned when a program asks for them.

use crate::failure::{Answer, Failure};
use crate::locks::lock;
use ascendcl_rules::STREAM_15;
use ascendcl_sys::error_codes::ACL_ERROR_RT_DEV_SETUP_ERROR;
use ascendcl_sys::types::{aclrtDevResLimitType, aclrtDeviceLimit, aclrtFloatOverflowMode};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

/// The settings of one stream.
#[derive(Default)]
pub(crate) struct Settings {
    stop_at_failure: AtomicBool,
    pub(crate) overflow_check: AtomicU32,
    pub(crate) tag: AtomicU32,
    pub(crate) cache_operators: AtomicU32,
    pub(crate) limits: Limits,
}

impl Settings {
    /// Whether the first failure of a task ends the work of the stream's context.
    pub(crate) fn stops_at_failure(&self) -> bool {
        self.stop_at_failure.load(SeqCst)
    }

    /// Once chosen it stays (STREAM-15).
    pub(crate) fn stop_at_failure(&self, stop: bool) -> Answer {
        let before = self.stop_at_failure.fetch_or(stop, SeqCst);
        if before && !stop {
            let failure = Failure::unsupported("the stream stops at failures, and that cannot be taken back");
            let fix = "create another stream for work that goes on behind failures, in a context of its own";
            return Err(failure.breaks(STREAM_15, "a mode that is chosen once", fix));
        }
        Ok(())
    }
}

/// How many cores work may use, by type. Work runs on the host here, so that nothing is slower with fewer.
#[derive(Default)]
pub(crate) struct Limits(Mutex<[Option<u32>; TYPES]>);

const TYPES: usize = 2;

pub(crate) const CUBE_CORES: u32 = 24;
pub(crate) const VECTOR_CORES: u32 = 48;

impl Limits {
    /// `None` when nothing was set.
    pub(crate) fn get(&self, kind: aclrtDevResLimitType) -> Answer<Option<u32>> {
        let (index, _) = place(kind)?;
        Ok(lock(&self.0).get(index).copied().flatten())
    }

    pub(crate) fn set(&self, kind: aclrtDevResLimitType, value: u32) -> Answer {
        let (index, most) = place(kind)?;
        if !(1..=most).contains(&value) {
            return Err(Failure::refused(format!(
                "{value} cores of this type: there are {most}, and one is the least"
            )));
        }
        if let Some(limit) = lock(&self.0).get_mut(index) {
            *limit = Some(value);
        }
        Ok(())
    }

    pub(crate) fn reset(&self) {
        *lock(&self.0) = [None; TYPES];
    }
}

/// How many cores of a type there are.
pub(crate) fn cores(kind: aclrtDevResLimitType) -> Answer<u32> {
    place(kind).map(|(_, most)| most)
}

fn place(kind: aclrtDevResLimitType) -> Answer<(usize, u32)> {
    match kind {
        aclrtDevResLimitType::ACL_RT_DEV_RES_CUBE_CORE => Ok((0, CUBE_CORES)),
        aclrtDevResLimitType::ACL_RT_DEV_RES_VECTOR_CORE => Ok((1, VECTOR_CORES)),
        other => Err(Failure::refused(format!("there is no type of core {}", other.0))),
    }
}

/// The default time limit of a stream's wait for an event; 0 means no limit. The last one set holds (EVENT-11).
static WAIT_SECONDS: AtomicU32 = AtomicU32::new(0);

pub(crate) fn wait_limit() -> Option<Duration> {
    match WAIT_SECONDS.load(SeqCst) {
        0 => None,
        seconds => Some(Duration::from_secs(seconds.into())),
    }
}

pub(crate) fn limit_waits(seconds: u32) {
    WAIT_SECONDS.store(seconds, SeqCst);
}

/// Limits of operators go in these steps, in microseconds. A device's step is its own.
pub(crate) const OPERATOR_STEP: u64 = 1_000_000;
const MOST_OPERATOR_STEPS: u64 = 254;

static OPERATOR_LIMIT: AtomicU64 = AtomicU64::new(MOST_OPERATOR_STEPS * OPERATOR_STEP);

/// Limits operators to so many microseconds, rounded up to a step; 0 stands for the longest limit. Answers what holds now.
pub(crate) fn limit_operators(microseconds: u64) -> u64 {
    let steps = match microseconds.div_ceil(OPERATOR_STEP) {
        0 => MOST_OPERATOR_STEPS,
        steps => steps.min(MOST_OPERATOR_STEPS),
    };
    OPERATOR_LIMIT.store(steps * OPERATOR_STEP, SeqCst);
    steps * OPERATOR_STEP
}

pub(crate) fn operator_limit() -> u64 {
    OPERATOR_LIMIT.load(SeqCst)
}

/// How operators treat overflows, for the whole process: a reset of a device does not take it back. The simulator's operators
/// keep infinities.
static OVERFLOW_MODE: AtomicU32 = AtomicU32::new(aclrtFloatOverflowMode::ACL_RT_OVERFLOW_MODE_INFNAN.0);

pub(crate) fn overflow_mode() -> aclrtFloatOverflowMode {
    aclrtFloatOverflowMode(OVERFLOW_MODE.load(SeqCst))
}

pub(crate) fn choose_overflow_mode(mode: aclrtFloatOverflowMode) {
    OVERFLOW_MODE.store(mode.0, SeqCst);
}

/// What kernels of all devices get, in bytes. It is chosen for the process, and a device takes it when it is set up.
#[derive(Clone, Copy)]
struct DeviceLimits {
    stack: u32,
    /// For what the kernels of one core print.
    printed: u32,
}

impl DeviceLimits {
    const DEFAULT: Self = Self { stack: 32 << 10, printed: 32 << 10 };
}

static DEVICE_LIMITS: Mutex<DeviceLimits> = Mutex::new(DeviceLimits::DEFAULT);

pub(crate) fn device_limit(limit: aclrtDeviceLimit) -> Answer<u32> {
    match limit {
        aclrtDeviceLimit::ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE => Ok(lock(&DEVICE_LIMITS).stack),
        aclrtDeviceLimit::ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE => Ok(lock(&DEVICE_LIMITS).printed),
        other => Err(no_such_cores(other)),
    }
}

pub(crate) fn choose_device_limit(limit: aclrtDeviceLimit, bytes: u32) -> Answer {
    const STACK_STEP: u32 = 16 << 10;
    const PRINTED_STEP: u32 = 8;
    const PRINTED: std::ops::RangeInclusive<u32> = 1 << 10..=64 << 20;
    match limit {
        // Up to the default nothing changes. Sizes that are too large are kept: the device finds them when it is set up. The
        // library adds in 32 bits, too, so the last 16 KiB of them become 0.
        aclrtDeviceLimit::ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE if bytes > DeviceLimits::DEFAULT.stack => {
            lock(&DEVICE_LIMITS).stack = bytes.wrapping_add(STACK_STEP - 1) / STACK_STEP * STACK_STEP;
        }
        aclrtDeviceLimit::ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE => {}
        aclrtDeviceLimit::ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE => {
            if !PRINTED.contains(&bytes) {
                let text = format!("{bytes} bytes for what a core prints; 1024 to 67108864 are possible");
                return Err(Failure::refused(text));
            }
            lock(&DEVICE_LIMITS).printed = bytes.next_multiple_of(PRINTED_STEP);
        }
        other => return Err(no_such_cores(other)),
    }
    Ok(())
}

/// A device is set up with the stacks that were chosen (507033).
pub(in crate::machine) fn check_stacks() -> Answer {
    const MOST: u32 = 192 << 10;
    let chosen = lock(&DEVICE_LIMITS).stack;
    if chosen <= MOST {
        return Ok(());
    }
    let text = format!("aclrtDeviceSetLimit chose stacks of {chosen} bytes; the device has at most {MOST} for one");
    Err(Failure::new(ACL_ERROR_RT_DEV_SETUP_ERROR, text))
}

fn no_such_cores(limit: aclrtDeviceLimit) -> Failure {
    Failure::unsupported(format!("the limit {} is one of cores that this device does not have", limit.0))
}

type Parameters = BTreeMap<(usize, u32), i64>;

/// System parameters by context and number; those of the process stand under 0.
pub(crate) fn parameters() -> &'static Mutex<Parameters> {
    static PARAMETERS: Mutex<Parameters> = Mutex::new(BTreeMap::new());
    &PARAMETERS
}

/// The context has ended. A later default context of its device has the same number and starts without settings.
pub(in crate::machine) fn forget_context(context: usize) {
    lock(parameters()).retain(|(of, _), _| *of != context);
}

/// As if nothing had been set.
pub(in crate::machine) fn clear() {
    lock(parameters()).clear();
    limit_operators(0);
    choose_overflow_mode(aclrtFloatOverflowMode::ACL_RT_OVERFLOW_MODE_INFNAN);
    *lock(&DEVICE_LIMITS) = DeviceLimits::DEFAULT;
}

thread_local! {
    /// The stream whose limits hold on this thread; 0 for none.
    static IN_USE: Cell<usize> = const { Cell::new(0) };
}

/// The number of the stream whose limits hold on this thread; the last one that was chosen wins (STREAM-19).
pub(crate) fn stream_in_use() -> usize {
    IN_USE.get()
}

pub(crate) fn use_stream(number: usize) {
    IN_USE.set(number);
}
