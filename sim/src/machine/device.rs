//! Devices: how often each is set, its default context, its quotas.

use super::config::{self, Config};
use super::context::Context;
use super::locks::{lock, read, write};
use super::settings::Limits as CoreLimits;
use super::teardown::Rest;
use super::{context, event, handles, memory, notices, streams};
use crate::failure::{Answer, Failure};
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::{aclrtDeviceState, aclrtFloatOverflowMode};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, RwLock};

pub(crate) struct Device {
    id: u32,
    limits: Limits,
    life: Mutex<Life>,
    /// The number that every default context of the device has.
    primary_number: usize,
    streams: AtomicUsize,
    stream_ids: AtomicI32,
    events: AtomicUsize,
    memory: AtomicUsize,
    /// Devices that work of this one may reach.
    peers: Mutex<BTreeSet<u32>>,
    overflow_mode: AtomicU32,
    core_limits: CoreLimits,
}

#[derive(Clone, Copy)]
struct Limits {
    streams: usize,
    events: usize,
    memory: usize,
    tasks: u64,
}

#[derive(Default)]
struct Life {
    /// Sets without their reset, of all threads together.
    sets: u64,
    primary: Option<Arc<Context>>,
    /// Contexts that callers made. The device keeps its memory and events while there is one.
    explicit: usize,
}

static DEVICES: RwLock<Vec<Arc<Device>>> = RwLock::new(Vec::new());

/// The device with this id (107001 when there is none).
pub(crate) fn device(id: i64) -> Answer<Arc<Device>> {
    let devices = all();
    let found = usize::try_from(id).ok().and_then(|id| devices.get(id));
    found.cloned().ok_or_else(|| {
        let text = format!("device {id} does not exist; there are {} devices, the first is 0", devices.len());
        Failure::new(ACL_ERROR_RT_INVALID_DEVICEID, text)
    })
}

pub(crate) fn all() -> Vec<Arc<Device>> {
    let devices = read(&DEVICES);
    if !devices.is_empty() {
        return devices.clone();
    }
    drop(devices);
    let config = config::current();
    let mut devices = write(&DEVICES);
    if devices.is_empty() {
        *devices = (0..config.device_count()).map(|id| Arc::new(Device::new(id, &config))).collect();
    }
    devices.clone()
}

/// Whether this is the number of a device's default context, alive or not.
pub(super) fn is_primary(number: usize) -> bool {
    number != 0 && read(&DEVICES).iter().any(|device| device.primary_number == number)
}

/// Whether any device is set.
pub(crate) fn any_is_set() -> bool {
    read(&DEVICES).iter().any(|device| device.is_set())
}

/// Devices of a new configuration replace these.
pub(crate) fn forget_all() {
    write(&DEVICES).clear();
}

impl Device {
    fn new(id: u32, config: &Config) -> Self {
        Self {
            id,
            limits: Limits {
                streams: config.stream_limit(),
                events: config.event_limit(),
                memory: config.memory_per_device(),
                tasks: config.task_limit(),
            },
            life: Mutex::default(),
            primary_number: handles::fresh(),
            streams: AtomicUsize::new(0),
            stream_ids: AtomicI32::new(0),
            events: AtomicUsize::new(0),
            memory: AtomicUsize::new(0),
            peers: Mutex::default(),
            overflow_mode: AtomicU32::new(aclrtFloatOverflowMode::ACL_RT_OVERFLOW_MODE_INFNAN.0),
            core_limits: CoreLimits::default(),
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    pub(super) fn primary_number(&self) -> usize {
        self.primary_number
    }

    /// Counts a set and makes the default context current on this thread.
    pub(crate) fn set(self: &Arc<Self>) -> Answer {
        notices::device(self.id, aclrtDeviceState::ACL_RT_DEVICE_STATE_SET_PRE);
        let (primary, created) = {
            let mut life = lock(&self.life);
            let (primary, created) = match &life.primary {
                Some(primary) => (Arc::clone(primary), false),
                None => (Context::create(self, true)?, true),
            };
            life.primary = Some(Arc::clone(&primary));
            life.sets += 1;
            (primary, created)
        };
        primary.make_current();
        if created {
            // Measured: each function is called twice for a set, and once for the reset. Nobody measured for which stream.
            notices::stream_created(&primary.default_stream());
            notices::stream_created(&primary.default_stream());
        }
        notices::device(self.id, aclrtDeviceState::ACL_RT_DEVICE_STATE_SET_POST);
        Ok(())
    }

    /// Counts a reset; the last one, or a forced one, ends the default context.
    pub(crate) fn reset(&self, forced: bool) -> Answer {
        notices::device(self.id, aclrtDeviceState::ACL_RT_DEVICE_STATE_RESET_PRE);
        let ended = {
            let mut life = lock(&self.life);
            if life.sets == 0 {
                let text = format!("device {} is not set (any more)", self.id);
                return Err(Failure::new(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, text));
            }
            let last = forced || life.sets == 1;
            if last && let Some(primary) = &life.primary {
                primary.refuse_self_wait()?;
            }
            life.sets = if last { 0 } else { life.sets - 1 };
            if last { life.primary.take() } else { None }
        };
        if let Some(primary) = ended {
            // A default context of another device is dropped from this thread, too, unless there were streams to end.
            let with_streams = streams::of_context(primary.id()).iter().any(|stream| !stream.is_default());
            primary.end(if forced { Rest::Discard } else { Rest::Finish });
            if !with_streams || context::current_number() == primary.id() {
                context::drop_current_default();
            }
            self.release_when_unused();
        }
        notices::device(self.id, aclrtDeviceState::ACL_RT_DEVICE_STATE_RESET_POST);
        Ok(())
    }

    /// A context of the caller on this device.
    pub(crate) fn create_context(self: &Arc<Self>) -> Answer<Arc<Context>> {
        lock(&self.life).explicit += 1;
        let context = Context::create(self, false).inspect_err(|_| self.lose_context())?;
        notices::stream_created(&context.default_stream());
        Ok(context)
    }

    /// A context of the caller has ended.
    pub(super) fn lose_context(&self) {
        let mut life = lock(&self.life);
        life.explicit = life.explicit.saturating_sub(1);
        drop(life);
        self.release_when_unused();
    }

    /// Without any context the device loses what belongs to it.
    fn release_when_unused(&self) {
        let used = {
            let life = lock(&self.life);
            life.sets > 0 || life.explicit > 0
        };
        if !used {
            event::lose_all_of(self.id);
            memory::lose_all_of(self);
            lock(&self.peers).clear();
            self.overflow_mode.store(aclrtFloatOverflowMode::ACL_RT_OVERFLOW_MODE_INFNAN.0, SeqCst);
            self.core_limits.reset();
        }
    }

    /// Whether its default context is there.
    pub(crate) fn is_set(&self) -> bool {
        lock(&self.life).primary.is_some()
    }

    /// Ends everything, whoever uses it.
    pub(super) fn clear(&self) {
        let primary = {
            let mut life = lock(&self.life);
            life.sets = 0;
            // Those that a thread kept when it ended, too.
            life.explicit = 0;
            life.primary.take()
        };
        if let Some(primary) = primary {
            primary.end(Rest::Discard);
        }
        self.release_when_unused();
    }

    /// A place for one more stream, and its id.
    pub(super) fn take_stream(&self) -> Answer<i32> {
        if !take(&self.streams, 1, self.limits.streams) {
            let text = format!("device {} has no stream left of its {}", self.id, self.limits.streams);
            return Err(Failure::new(ACL_ERROR_RT_NO_STREAM_RESOURCE, text));
        }
        Ok(self.stream_ids.fetch_add(1, SeqCst) & i32::MAX)
    }

    pub(super) fn give_stream_back(&self) {
        self.streams.fetch_sub(1, SeqCst);
    }

    pub(crate) fn streams_left(&self) -> usize {
        self.limits.streams.saturating_sub(self.streams.load(SeqCst))
    }

    /// How many tasks a stream takes.
    pub(super) fn task_limit(&self) -> u64 {
        self.limits.tasks
    }

    pub(super) fn take_event(&self) -> Answer {
        if take(&self.events, 1, self.limits.events) {
            return Ok(());
        }
        let text = format!("device {} has no event left of its {}", self.id, self.limits.events);
        Err(Failure::new(ACL_ERROR_RT_NO_EVENT_RESOURCE, text))
    }

    pub(super) fn give_event_back(&self) {
        self.events.fetch_sub(1, SeqCst);
    }

    pub(crate) fn events_left(&self) -> usize {
        self.limits.events.saturating_sub(self.events.load(SeqCst))
    }

    pub(super) fn take_memory(&self, size: usize) -> bool {
        take(&self.memory, size, self.limits.memory)
    }

    /// Somebody else takes all the memory that is left.
    pub(crate) fn fill(&self) {
        self.memory.fetch_max(self.limits.memory, SeqCst);
    }

    pub(super) fn give_memory_back(&self, size: usize) {
        self.memory.fetch_sub(size, SeqCst);
    }

    pub(crate) fn memory_left(&self) -> usize {
        self.limits.memory.saturating_sub(self.memory.load(SeqCst))
    }

    pub(crate) fn memory_size(&self) -> usize {
        self.limits.memory
    }

    /// What becomes of floats that are too large, as it was chosen. The operators of the simulator keep infinities.
    pub(crate) fn overflow_mode(&self) -> &AtomicU32 {
        &self.overflow_mode
    }

    pub(crate) fn core_limits(&self) -> &CoreLimits {
        &self.core_limits
    }

    /// Which devices work of this one may reach.
    pub(crate) fn peers(&self) -> &Mutex<BTreeSet<u32>> {
        &self.peers
    }
}

/// Takes from a quota what it still has.
fn take(used: &AtomicUsize, amount: usize, limit: usize) -> bool {
    let more = |used: usize| used.checked_add(amount).filter(|used| *used <= limit);
    used.fetch_update(SeqCst, SeqCst, more).is_ok()
}
