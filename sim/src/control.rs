//! For tests: what is simulated, what exists, and a fresh start.

use crate::config::{self, Config, ConfigError, Plan};
use crate::faults::{self, Injected};
use crate::machine::contexts::context;
use crate::machine::{allocators, descriptions, event, instances, life, memory, models, operators, streams, watch};

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use crate::machine::live::Live;
pub use ascendcl_rules::Finding;

/// Exclusive use of the simulator by one test; see [`exclusive`].
#[must_use = "another test uses the simulator as soon as this is dropped"]
#[derive(Debug)]
pub struct Exclusive {
    _turn: MutexGuard<'static, ()>,
}

/// Waits until no other test has the simulator, and takes it for this one. A process has one simulator, and Rust runs
/// tests on several threads: without this one test sees the faults, the findings and the objects of another.
///
/// When the test begins, and when it ends, no [fault](fail) is planned beyond those of the configuration, and the
/// [findings](take_findings) are empty.
///
/// ```
/// use ascendcl_sim::control;
///
/// let _simulator = control::exclusive();
/// control::fail("aclrtMalloc#1=207001".parse()?)?;
/// // … the test …
/// assert!(control::take_findings().is_empty());
/// assert!(control::live().is_empty());
/// # Ok::<_, ascendcl_sim::ConfigError>(())
/// ```
pub fn exclusive() -> Exclusive {
    static TURN: Mutex<()> = Mutex::new(());
    // A test that failed has ended its turn, too.
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    forget();
    Exclusive { _turn: turn }
}

impl Drop for Exclusive {
    fn drop(&mut self) {
        forget();
    }
}

fn forget() {
    faults::reset();
    drop(watch::take_findings());
}

/// The objects that exist now.
pub fn live() -> Live {
    let (device_blocks, host_blocks) = memory::count();
    let mut live = Live {
        contexts: context::count(),
        streams: streams::count(),
        events: event::count(),
        device_blocks,
        host_blocks,
        allocator_descriptors: allocators::count(),
        labels: instances::count_labels(),
        ..Live::default()
    };
    descriptions::count(&mut live);
    models::count(&mut live);
    operators::count(&mut live);
    live
}

/// Replaces the configuration. Refused while a device is set or anything [exists](live).
pub fn configure(config: Config) -> Result<(), ConfigError> {
    config.check()?;
    let live = live();
    if !live.is_empty() || life::devices::any_is_set() {
        return Err(ConfigError::new(format!("the machine is in use: {live:?}")));
    }
    config::choose(config);
    watch::reconsider();
    faults::reset();
    life::devices::forget_all();
    Ok(())
}

/// Makes calls fail as the plan says. It replaces the plan before it, and devices that were lost or that hang work again.
/// Refused when the plan names a function that the simulator does not have.
///
/// [`reset`] puts back the plan of the [configuration](Config::plan).
pub fn fail(plan: Plan) -> Result<(), ConfigError> {
    plan.check()?;
    faults::begin(plan);
    Ok(())
}

/// How many calls there were since the plan began to hold; 0 without a plan.
pub fn calls() -> u64 {
    faults::calls()
}

/// The faults that were injected since the plan was set: the first ten thousand.
pub fn injected() -> Vec<Injected> {
    faults::injected()
}

/// The broken rules that were found since they were taken last, when they are [looked for](crate::Checks).
pub fn findings() -> Vec<Finding> {
    watch::findings()
}

/// Returns the findings so far, and removes them.
pub fn take_findings() -> Vec<Finding> {
    watch::take_findings()
}

/// Ends and frees everything, even what is in use, and forgets that anything was initialised. For use between two
/// tests, when no other thread uses the machine. Queued work is discarded; no allocator is called any more; the
/// configuration stays.
pub fn reset() {
    faults::reset();
    life::clear();
}
