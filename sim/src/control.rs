//! For tests: what is simulated, what exists, and a fresh start.

use crate::config::{self, Config, ConfigError, Plan};
use crate::faults::{self, Injected};
use crate::machine::contexts::context;
use crate::machine::{allocators, descriptions, event, life, memory, models, operators, streams, watch};

pub use crate::machine::live::Live;
pub use ascendcl_rules::Finding;

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
        ..Live::default()
    };
    descriptions::count(&mut live);
    models::count(&mut live);
    operators::count(&mut live);
    live
}

/// Simulates something else from now on. Refused while a device is set or anything [exists](live).
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

/// Lets things go wrong from now on as this plan says, and nothing else: the plan before it is over, and the devices are
/// well again. Refused when the plan names a function that the simulator does not have.
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

/// Takes them.
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
