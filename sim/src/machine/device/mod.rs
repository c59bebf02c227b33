//! Devices: their quotas and settings. How long each lives is [`life`](super::life)'s matter.

pub(crate) mod settings;

use crate::config::{self, Config};
use crate::failure::{Answer, Failure};
use crate::locks::{lock, read, write};
use crate::machine::handles;
use ascendcl_rules::{DEV_11, Object};
use ascendcl_sys::error_codes::*;
use settings::Limits as CoreLimits;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, RwLock};

pub(crate) struct Device {
    /// The number by which the process knows it.
    id: u32,
    /// Its number in the machine.
    physical: u32,
    limits: Limits,
    /// The number that every default context of the device has.
    primary_number: usize,
    streams: AtomicUsize,
    stream_ids: AtomicI32,
    events: AtomicUsize,
    memory: AtomicUsize,
    /// Devices that work of this one may reach.
    peers: Mutex<BTreeSet<u32>>,
    core_limits: CoreLimits,
}

#[derive(Clone, Copy)]
struct Limits {
    streams: usize,
    events: usize,
    memory: usize,
    tasks: u64,
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

/// The device that a program is going to use. That it does not exist breaks DEV-11; a program may ask about any.
pub(crate) fn device_to_use(id: i32) -> Answer<Arc<Device>> {
    device(id.into()).map_err(|failure| {
        let expected = "a number below that of aclrtGetDeviceCount";
        let fix =
            "count the devices that the process sees from 0 (ASCEND_RT_VISIBLE_DEVICES), not those of the machine";
        failure.breaks(DEV_11, expected, fix).about(u64::try_from(id).map_or(Object::PROCESS, Object::device))
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
        let seen = (0..).zip(config.devices_seen());
        *devices = seen.map(|(id, physical)| Arc::new(Device::new(id, physical, &config))).collect();
    }
    devices.clone()
}

/// Whether this is the number of a device's default context, alive or not.
pub(super) fn is_primary(number: usize) -> bool {
    number != 0 && read(&DEVICES).iter().any(|device| device.primary_number == number)
}

/// Devices of a new configuration replace these.
pub(crate) fn forget_all() {
    write(&DEVICES).clear();
}

impl Device {
    fn new(id: u32, physical: u32, config: &Config) -> Self {
        Self {
            id,
            physical,
            limits: Limits {
                streams: config.stream_limit(),
                events: config.event_limit(),
                memory: config.memory_per_device(),
                tasks: config.task_limit(),
            },
            primary_number: handles::fresh(),
            streams: AtomicUsize::new(0),
            stream_ids: AtomicI32::new(0),
            events: AtomicUsize::new(0),
            memory: AtomicUsize::new(0),
            peers: Mutex::default(),
            core_limits: CoreLimits::default(),
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Its number in the machine, which is its own among all processes.
    pub(crate) fn physical(&self) -> u32 {
        self.physical
    }

    pub(super) fn primary_number(&self) -> usize {
        self.primary_number
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

    /// Resets all settings.
    pub(in crate::machine) fn forget_settings(&self) {
        lock(&self.peers).clear();
        self.core_limits.reset();
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
