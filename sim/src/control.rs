//! For tests: what is simulated, what exists, and a fresh start.

use crate::faults::{self, Injected, Plan};
use crate::machine::config::{self, Config, ConfigError};
use crate::machine::{self, allocators, context, event, hooks, memory, streams};
use crate::watch;

pub use ascendcl_rules::Finding;

/// What exists in the machine because a program made it and has not destroyed it. Default contexts and default streams
/// are not counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Live {
    /// Contexts made by `aclrtCreateContext`.
    pub contexts: usize,
    /// Streams.
    pub streams: usize,
    /// Events.
    pub events: usize,
    /// Blocks of device memory.
    pub device_blocks: usize,
    /// Blocks of pinned host memory.
    pub host_blocks: usize,
    /// Allocator descriptors.
    pub allocator_descriptors: usize,
    /// Loaded models.
    pub models: usize,
    /// Model descriptions.
    pub model_descriptions: usize,
    /// Datasets.
    pub datasets: usize,
    /// Data buffers.
    pub data_buffers: usize,
    /// Tensor descriptions.
    pub tensor_descriptions: usize,
    /// Collections of operator attributes.
    pub operator_attributes: usize,
    /// Operator handles.
    pub operator_handles: usize,
    /// Descriptions of media processing: channels, pictures, streams of video, regions, configurations.
    pub media_descriptions: usize,
    /// Channels of tensors, their datasets and items.
    pub tensor_channel_objects: usize,
}

impl Live {
    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What exists now.
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
    hooks::count(&mut live);
    live
}

/// Simulates something else from now on. Refused while a device is set or anything [exists](live).
pub fn configure(config: Config) -> Result<(), ConfigError> {
    config.check()?;
    let live = live();
    if !live.is_empty() || machine::device::any_is_set() {
        return Err(ConfigError::new(format!("the machine is in use: {live:?}")));
    }
    config::choose(config);
    machine::device::forget_all();
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

/// What has gone wrong on purpose since the plan began to hold: the first ten thousand faults.
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

/// Ends and frees everything, whoever uses it, and forgets that anything was initialised: for the time between two
/// tests, when no other thread uses the machine. Queued work is discarded; no allocator is called any more; the
/// configuration stays.
pub fn reset() {
    machine::clear();
}
