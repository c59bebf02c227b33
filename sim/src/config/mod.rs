//! The configuration: number, size and name of the devices.

mod chosen;
mod error;
mod plan;
mod reporting;
pub(crate) mod switches;
mod units;
mod visible;

pub(crate) use chosen::{checked, choose, current, if_documented, is_documented};
pub use error::ConfigError;
pub use plan::{Calls, Fault, Plan};
pub use reporting::Checks;
pub(crate) use reporting::{Reporting, Telling, say};

use crate::SOC_NAME_MARK;
use ascendcl_rules::RuleId;
use ascendcl_sys::types::aclrtRunMode;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;
use switches::{Switch, Switches};
use units::{bytes, seconds};

/// The product that the simulator imitates.
///
/// A program that configures nothing gets what the environment says when the first call comes:
///
/// | variable | meaning | default |
/// | --- | --- | --- |
/// | `ASCENDCL_SIM_DEVICES` | how many devices | 2 |
/// | `ASCENDCL_SIM_SOC` | the system on chip's name; contains `Simulator` | `Simulator910B1` |
/// | `ASCENDCL_SIM_RUN_MODE` | where the program runs: `host` or `device` | `host` |
/// | `ASCENDCL_SIM` | a list with commas: what happens when a call breaks a rule of the vendor's, `report` or `strict`, as [`Checks`] says; and what is switched on, [`documented`](Self::documented), [`vendor-waits`](Self::vendor_waits), [`reuse-handles`](Self::reuse_handles), [`copy-at-once`](Self::copy_at_once), [`slow-destroy`](Self::slow_destroy), [`guard`](Self::guard), [`advice`](Self::advice) | nothing |
/// | `ASCENDCL_SIM_FINDINGS` | `stderr` or a file: [where findings are told as they are found](Self::findings_to) | told at the end |
/// | `ASCENDCL_SIM_SUPPRESS` | a list of rules: [what is not looked for](Self::suppress) | nothing |
/// | `ASCENDCL_SIM_EXIT` | [the exit status](Self::exit_status) of a process that has broken a rule | its own |
/// | `ASCENDCL_SIM_FAIL` | which calls go wrong, and how, as [`Plan`] says | nothing |
/// | `ASCEND_RT_VISIBLE_DEVICES` | the vendor's variable: a list of the devices that the process sees | all |
/// | `ASCENDCL_SIM_PATIENCE` | [how many seconds](Self::patience) a wait for what nobody has queued lasts | 20 |
/// | `ASCENDCL_SIM_MEMORY` | memory of each device in bytes; `k`, `m` and `g` multiply by powers of 1024. The system provides it when it is first used | `8g` |
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use = "`control::configure` applies a configuration"]
pub struct Config {
    devices: u32,
    /// Which of them the process sees: all of them, if nothing says it.
    visible: Option<String>,
    soc: String,
    run_mode: aclrtRunMode,
    memory: usize,
    streams: usize,
    events: usize,
    tasks: u64,
    /// `None` leaves it to the environment.
    patience: Option<Duration>,
    /// `None` leaves it to the environment.
    checks: Option<Checks>,
    switches: Switches,
    reporting: Reporting,
    plan: Plan,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            devices: 2,
            visible: None,
            soc: format!("{SOC_NAME_MARK}910B1"),
            run_mode: aclrtRunMode::ACL_HOST,
            memory: 8 << 30,
            streams: 1984,
            events: 65536,
            tasks: 2000,
            patience: None,
            checks: None,
            switches: Switches::default(),
            reporting: Reporting::default(),
            plan: Plan::new(),
        }
    }
}

impl Config {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The defaults, with what the environment says.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_variables(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    fn from_variables(get: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        // A shell clears a variable for one program like this.
        let get = |name: &str| get(name).filter(|value| !value.is_empty());
        let mut config = Self::new();
        let bad = |name: &str, value: &str, wanted: &str| ConfigError::new(format!("{name}={value}: {wanted}"));
        if let Some(value) = get("ASCENDCL_SIM_DEVICES") {
            let number = value.trim().parse();
            config.devices = number.map_err(|_| bad("ASCENDCL_SIM_DEVICES", &value, "not a number of devices"))?;
        }
        if let Some(value) = get(PATIENCE) {
            let time = seconds(&value);
            config.patience = Some(time.ok_or_else(|| bad(PATIENCE, &value, "not a number of seconds"))?);
        }
        config.visible = get(visible::VARIABLE);
        if let Some(value) = get("ASCENDCL_SIM_SOC") {
            config.soc = value;
        }
        if let Some(value) = get("ASCENDCL_SIM_RUN_MODE") {
            config.run_mode = match value.trim() {
                "host" => aclrtRunMode::ACL_HOST,
                "device" => aclrtRunMode::ACL_DEVICE,
                _ => return Err(bad("ASCENDCL_SIM_RUN_MODE", &value, "neither host nor device")),
            };
        }
        if let Some(value) = get("ASCENDCL_SIM") {
            let (checks, switches) = switches::read(&value).map_err(|unknown| bad("ASCENDCL_SIM", &value, &unknown))?;
            (config.checks, config.switches) = (Some(checks), switches);
        }
        config.reporting = Reporting::from_variables(get).map_err(|(name, value, wrong)| bad(name, &value, &wrong))?;
        if let Some(value) = get("ASCENDCL_SIM_FAIL") {
            config.plan = value.parse().map_err(|error| bad("ASCENDCL_SIM_FAIL", &value, &format!("{error}")))?;
        }
        if let Some(value) = get("ASCENDCL_SIM_MEMORY") {
            let size = bytes(value.trim());
            config.memory = size.ok_or_else(|| bad("ASCENDCL_SIM_MEMORY", &value, "not a number of bytes"))?;
        }
        match config.wrong() {
            None => Ok(config),
            Some((name, text)) => Err(ConfigError::new(format!("{name}: {text}"))),
        }
    }

    /// How many devices there are.
    pub fn devices(mut self, count: u32) -> Self {
        self.devices = count;
        self
    }

    /// The system on chip's name; it has to contain [`SOC_NAME_MARK`].
    pub fn soc(mut self, name: impl Into<String>) -> Self {
        self.soc = name.into();
        self
    }

    /// Whether the program claims to run on the device's own processor.
    pub fn on_device(mut self, yes: bool) -> Self {
        self.run_mode = if yes { aclrtRunMode::ACL_DEVICE } else { aclrtRunMode::ACL_HOST };
        self
    }

    /// Memory of each device, in bytes.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// How many streams may live on one device, default streams included.
    pub fn streams(mut self, count: usize) -> Self {
        self.streams = count;
        self
    }

    /// How many events may live on one device.
    pub fn events(mut self, count: usize) -> Self {
        self.events = count;
        self
    }

    /// How many tasks a stream takes before the call that queues one more waits for room; at least three. A host function
    /// counts for three.
    pub fn tasks(mut self, count: u64) -> Self {
        self.tasks = count.max(3);
        self
    }

    /// How long a stream waits for a record, a notify or a value that nobody has queued. Another thread or process may
    /// queue it later; after this time the wait counts as one that never ends, and fails. The vendor's library waits without
    /// a limit. By default `ASCENDCL_SIM_PATIENCE` decides, or it is 20 seconds. A wait for work for which the system
    /// starts no thread is given up after the same time.
    pub fn patience(mut self, time: Duration) -> Self {
        self.patience = Some(time);
        self
    }

    /// What happens when a call breaks a rule. By default `ASCENDCL_SIM` decides.
    pub fn checks(mut self, checks: Checks) -> Self {
        self.checks = Some(checks);
        self
    }

    /// Writes each finding to the end of this file when it is found, instead of printing all when the library is finalised
    /// and when the process exits. What is written is not lost when the process crashes.
    pub fn findings_to(mut self, file: impl Into<PathBuf>) -> Self {
        self.reporting.telling = Telling::InFile(file.into());
        self
    }

    /// Does not tell when this rule is broken, nor lets a call fail for it.
    pub fn suppress(mut self, rule: RuleId) -> Self {
        self.reporting.suppressed.insert(rule);
        self
    }

    /// The exit status of a process that exits normally after it broke a rule whose severity is
    /// [`Misuse`](ascendcl_rules::Severity::Misuse).
    pub fn exit_status(mut self, status: u8) -> Self {
        self.reporting.exit = Some(status);
        self
    }

    /// Whether calls answer as the vendor's manual says where the vendor's library was seen to do something else:
    ///
    /// * without `aclInit`, calls answer 100001 (INIT-01) and not 0;
    /// * `aclFinalize` that nothing came before returns 100037 (INIT-08) and not 0;
    /// * a copy of no bytes returns 100000 (COPY-01) and not 0;
    /// * `aclrtFree` does not take pinned host memory (MEM-03);
    /// * the handle of a default stream cannot be destroyed (STREAM-02);
    /// * an allocator is not registered without its free function (ALLOC-07);
    /// * `aclmdlRITaskDisable` and `aclmdlRIUpdate` leave tasks of model instances out (GRAPH-09) and do not answer 207000;
    /// * `aclmdlRICondHandleCreate` makes conditions for what is being captured (GRAPH-10) and does not answer 207000.
    ///
    /// By default `ASCENDCL_SIM` decides.
    pub fn documented(self, yes: bool) -> Self {
        self.switch(Switch::Documented, yes)
    }

    /// Whether waits can miss the end of the work, as they do in the vendor's library: when another thread queues work on a
    /// stream while a thread waits for it, `aclrtSynchronizeStream`, `aclrtSynchronizeDevice` and `aclrtSynchronizeEvent`
    /// never return, although the work is done. The `…WithTimeout` functions answer 507046 or 507047 at their limit then;
    /// when the same thread asks again, it is told the truth. The library misses some of these ends; here every one is
    /// missed.
    ///
    /// By default `vendor-waits` in `ASCENDCL_SIM` decides.
    pub fn vendor_waits(self, yes: bool) -> Self {
        self.switch(Switch::VendorWaits, yes)
    }

    /// Whether a new context, stream or event gets the handle of the one of its kind that was destroyed last, as in the
    /// vendor's library. A program that uses a stale handle then meets another object, without an error.
    ///
    /// By default `reuse-handles` in `ASCENDCL_SIM` decides.
    pub fn reuse_handles(self, yes: bool) -> Self {
        self.switch(Switch::ReuseHandles, yes)
    }

    /// Whether `aclrtMemcpyAsync` of host memory that is not pinned copies in the call, as with newer drivers: it waits for
    /// no work of the stream, and the stream may be of any context. Otherwise the call queues the copy and waits for it. The
    /// same goes for rows (`aclrtMemcpy2dAsync`), of which no driver was measured. Batches stay as they are.
    ///
    /// By default `copy-at-once` in `ASCENDCL_SIM` decides.
    pub fn copy_at_once(self, yes: bool) -> Self {
        self.switch(Switch::CopyAtOnce, yes)
    }

    /// Whether it takes a second to destroy a context in which a host function has run, as in the vendor's library. Off by
    /// default, since tests that destroy many contexts would take minutes.
    ///
    /// By default `slow-destroy` in `ASCENDCL_SIM` decides.
    pub fn slow_destroy(self, yes: bool) -> Self {
        self.switch(Switch::SlowDestroy, yes)
    }

    /// Whether the program is kept out of memory that it must not use (on Linux): blocks of devices; pinned memory that a
    /// queued copy writes; what is behind pinned memory, or was freed. With [checks](Self::checks) each use is found.
    ///
    /// By default `guard` in `ASCENDCL_SIM` decides.
    pub fn guard(self, yes: bool) -> Self {
        self.switch(Switch::Guard, yes)
    }

    /// Whether findings are reported whose severity is [`Advice`](ascendcl_rules::Severity::Advice).
    ///
    /// By default `advice` in `ASCENDCL_SIM` decides.
    pub fn advice(self, yes: bool) -> Self {
        self.switch(Switch::Advice, yes)
    }

    fn switch(mut self, switch: Switch, yes: bool) -> Self {
        self.switches.set(switch, yes);
        self
    }

    /// The plan of faults, from the first call on.
    pub fn plan(mut self, plan: Plan) -> Self {
        self.plan = plan;
        self
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        self.wrong().map_or(Ok(()), |(_, text)| Err(ConfigError::new(text)))
    }

    /// What cannot be simulated, after the variable that says it where the environment does.
    fn wrong(&self) -> Option<(&'static str, String)> {
        const MOST_DEVICES: u32 = 1024;
        if !(1..=MOST_DEVICES).contains(&self.devices) {
            let text = format!("{} devices cannot be simulated, only 1 to {MOST_DEVICES}", self.devices);
            return Some(("ASCENDCL_SIM_DEVICES", text));
        }
        if !self.soc.contains(SOC_NAME_MARK) || self.soc.contains('\0') {
            return Some(("ASCENDCL_SIM_SOC", format!("the name {:?} does not contain {SOC_NAME_MARK}", self.soc)));
        }
        self.plan.check().err().map(|error| ("ASCENDCL_SIM_FAIL", error.0))
    }

    pub(crate) fn planned(&self) -> Plan {
        self.plan.clone()
    }

    pub(crate) fn checks_wanted(&self) -> Checks {
        self.checks.or_else(|| switches::from_env().map(|(checks, _)| checks)).unwrap_or_default()
    }

    pub(crate) fn reporting(&self) -> &Reporting {
        &self.reporting
    }

    pub(crate) fn switches(&self) -> Switches {
        self.switches
    }

    pub(crate) fn task_limit(&self) -> u64 {
        self.tasks
    }

    /// The devices that the process sees, by their numbers in the machine.
    pub(crate) fn devices_seen(&self) -> Vec<u32> {
        match &self.visible {
            Some(list) => visible::read(list, self.devices),
            None => (0..self.devices).collect(),
        }
    }

    pub(crate) fn device_count(&self) -> u32 {
        self.devices
    }

    pub(crate) fn soc_name(&self) -> &str {
        &self.soc
    }

    pub(crate) fn run_mode(&self) -> aclrtRunMode {
        self.run_mode
    }

    pub(crate) fn memory_per_device(&self) -> usize {
        self.memory
    }

    pub(crate) fn stream_limit(&self) -> usize {
        self.streams
    }

    pub(crate) fn event_limit(&self) -> usize {
        self.events
    }

    pub(crate) fn time_for_others(&self) -> Duration {
        static OF_THE_ENVIRONMENT: LazyLock<Duration> = LazyLock::new(|| {
            std::env::var(PATIENCE).ok().and_then(|value| seconds(&value)).unwrap_or(Duration::from_secs(20))
        });
        self.patience.unwrap_or_else(|| *OF_THE_ENVIRONMENT)
    }
}

const PATIENCE: &str = "ASCENDCL_SIM_PATIENCE";

#[cfg(test)]
mod tests;
