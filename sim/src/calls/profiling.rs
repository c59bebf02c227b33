//! Profiling, as far as there is something to profile: sessions and the program's own steps.

use super::model::told;
use crate::abi::{In, Name, Text};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::named::submission_stream;
use crate::machine::device;
use crate::machine::host::profiling;
use ascendcl_sys::types::*;

pub(crate) fn aclprofInit(profiler_result_path: Text<'_>, length: usize) -> Answer {
    let path = profiler_result_path.get().filter(|path| !path.is_empty());
    let path = path.ok_or_else(|| Failure::invalid("profiling has no folder to write to"))?;
    if path.len() != length {
        return Err(Failure::invalid(format!("the path is {} bytes long, and its length says {length}", path.len())));
    }
    profiling::initialise(&path)
}

/// Answers null when a device does not exist. What the hardware would count is not counted.
pub(crate) fn aclprofCreateConfig(
    device_id_list: In<'_, u32>,
    device_nums: u32,
    _aicore_metrics: aclprofAicoreMetrics,
    _aicore_events: Name<aclprofAicoreEvents>,
    data_type_config: u64,
) -> Option<Name<aclprofConfig>> {
    let devices = device_id_list.list(device_nums as usize);
    let known = devices.len() == device_nums as usize && devices.iter().all(|id| device::device((*id).into()).is_ok());
    known.then(|| Name::new(profiling::create_config(devices, data_type_config)))
}

/// What it chooses among the counters of a device has no effect here.
pub(crate) fn aclprofSetConfig(config_type: aclprofConfigType, config: Text<'_>, config_length: usize) -> Answer {
    const LONGEST: usize = 256;
    if config_type <= aclprofConfigType::ACL_PROF_ARGS_MIN || config_type >= aclprofConfigType::ACL_PROF_ARGS_MAX {
        return Err(Failure::invalid(format!("profiling has no setting {}", config_type.0)));
    }
    let config = config.get().ok_or_else(|| Failure::invalid("the setting is null"))?;
    if config.len() != config_length {
        let text = format!("the setting is {} bytes long, and its length says {config_length}", config.len());
        return Err(Failure::invalid(text));
    }
    if config_length > LONGEST {
        return Err(Failure::invalid(format!("found {config_length} bytes, expected a setting of at most {LONGEST}")));
    }
    Ok(())
}

pub(crate) fn aclprofDestroyConfig(profiler_config: Name<aclprofConfig>) -> Answer {
    profiling::destroy_config(profiler_config.0)
}

pub(crate) fn aclprofStart(profiler_config: Name<aclprofConfig>) -> Answer {
    profiling::start(profiler_config.0)
}

pub(crate) fn aclprofStop(profiler_config: Name<aclprofConfig>) -> Answer {
    profiling::stop(profiler_config.0)
}

pub(crate) fn aclprofFinalize() -> Answer {
    profiling::finalise()
}

pub(crate) fn aclprofCreateStepInfo() -> Option<Name<aclprofStepInfo>> {
    Some(Name::new(profiling::create_step()))
}

pub(crate) fn aclprofDestroyStepInfo(stepinfo: Name<aclprofStepInfo>) {
    // There is no code to answer with.
    told(profiling::destroy_step(stepinfo.0));
}

pub(crate) fn aclprofGetStepTimestamp(
    step_info: Name<aclprofStepInfo>,
    tag: aclprofStepTag,
    stream: aclrtStream,
) -> Answer {
    if tag > aclprofStepTag::ACL_STEP_END {
        return Err(Failure::invalid(format!("there is no step tag {}", tag.0)));
    }
    profiling::mark(step_info.0, tag == aclprofStepTag::ACL_STEP_START, &submission_stream(stream)?)
}
