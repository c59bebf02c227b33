//! Sessions and steps.

use crate::support::*;
use crate::world::*;
use ascendcl_macros::proves;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ptr::{null, null_mut};

const METRICS: aclprofAicoreMetrics = aclprofAicoreMetrics::ACL_AICORE_NONE;

fn config(devices: &mut [u32]) -> *mut aclprofConfig {
    call!(profiling::aclprofCreateConfig(devices.as_mut_ptr(), devices.len() as u32, METRICS, null(), 3))
}

#[test]
fn a_session_writes_down_when_the_stream_came_to_the_steps() {
    let _world = world();
    let folder = std::env::temp_dir().join(format!("ascendcl-sim-profile-{}", std::process::id()));
    let path = c(folder.to_str().unwrap());
    ok!(profiling::aclprofInit(path.as_ptr(), path.as_bytes().len()));
    let (config, step, stream) = (config(&mut [0, 1]), call!(profiling::aclprofCreateStepInfo()), stream());
    ok!(profiling::aclprofStart(config));
    ok!(profiling::aclprofGetStepTimestamp(step, aclprofStepTag::ACL_STEP_START, stream));
    launch(stream, || std::thread::sleep(std::time::Duration::from_millis(20)));
    ok!(profiling::aclprofGetStepTimestamp(step, aclprofStepTag::ACL_STEP_END, stream));
    for (tag, again) in [(aclprofStepTag::ACL_STEP_START, "started"), (aclprofStepTag::ACL_STEP_END, "ended")] {
        fails!(ACL_ERROR_INVALID_PARAM, again, profiling::aclprofGetStepTimestamp(step, tag, stream));
    }
    synchronize(stream);
    ok!(profiling::aclprofStop(config));
    ok!(profiling::aclprofFinalize());
    ok!(profiling::aclprofDestroyConfig(config));
    call!(profiling::aclprofDestroyStepInfo(step));

    let file = folder.join("ascendcl-sim-profile.json");
    let written = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(written.starts_with(r#"{"simulator":""#) && written.contains(r#""devices":[0, 1],"data":3"#), "{written}");
    let times: Vec<u64> =
        written.split(r#""at_us":"#).skip(1).map(|rest| rest.split('}').next().unwrap().parse().unwrap()).collect();
    assert_eq!(times.len(), 2, "{written}");
    assert!(times[1] - times[0] >= 20_000, "{written}");
}

/// There is nothing to measure, so what is set is checked and has no effect.
#[test]
fn what_is_to_be_measured_is_taken_and_ignored() {
    let _world = world();
    let wrong = ACL_ERROR_INVALID_PARAM;
    let kind = aclprofConfigType::ACL_PROF_SYS_HARDWARE_MEM_FREQ;
    ok!(profiling::aclprofSetConfig(kind, c"50".as_ptr(), 2));
    ok!(profiling::aclprofSetConfig(kind, c("7".repeat(256).as_str()).as_ptr(), 256));
    fails!(wrong, "257 bytes", profiling::aclprofSetConfig(kind, c("7".repeat(257).as_str()).as_ptr(), 257));
    fails!(wrong, "2 bytes long", profiling::aclprofSetConfig(kind, c"50".as_ptr(), 3));
    fails!(wrong, "null", profiling::aclprofSetConfig(kind, null(), 2));
    for none in [aclprofConfigType::ACL_PROF_ARGS_MIN, aclprofConfigType(99)] {
        fails!(wrong, "no setting", profiling::aclprofSetConfig(none, c"50".as_ptr(), 2));
    }
}

#[test]
#[proves(INIT_13)]
fn profiling_is_initialised_started_stopped_and_finalised_in_this_order() {
    let _world = world();
    let folder = std::env::temp_dir().join(format!("ascendcl-sim-order-{}", std::process::id()));
    let path = c(folder.to_str().unwrap());
    let length = path.as_bytes().len();
    let (off, on) = (ACL_ERROR_PROF_NOT_RUN, ACL_ERROR_PROF_ALREADY_RUN);
    let (config, step) = (config(&mut [0]), call!(profiling::aclprofCreateStepInfo()));
    fails!(off, "not initialised", profiling::aclprofStart(config));
    fails!(off, "not initialised", profiling::aclprofFinalize());
    let start = aclprofStepTag::ACL_STEP_START;
    fails!(off, "not initialised", profiling::aclprofGetStepTimestamp(step, start, aclrtStream::NULL));
    fails!(ACL_ERROR_INVALID_PARAM, "length", profiling::aclprofInit(path.as_ptr(), length + 1));
    fails!(ACL_ERROR_INVALID_PARAM, "folder", profiling::aclprofInit(null(), 0));
    ok!(profiling::aclprofInit(path.as_ptr(), length));
    fails!(on, "initialised already", profiling::aclprofInit(path.as_ptr(), length));
    fails!(off, "no session", profiling::aclprofStop(config));
    ok!(profiling::aclprofStart(config));
    fails!(on, "is running", profiling::aclprofStart(config));
    ok!(profiling::aclprofStop(config));
    fails!(ACL_ERROR_INVALID_PARAM, "configuration", profiling::aclprofStart(null_mut()));
    assert!(self::config(&mut [0, 77]).is_null(), "there is no device 77");
    let tag = aclprofStepTag(2);
    fails!(ACL_ERROR_INVALID_PARAM, "tag 2", profiling::aclprofGetStepTimestamp(step, tag, aclrtStream::NULL));
    ok!(profiling::aclprofFinalize());
    ok!(profiling::aclprofDestroyConfig(config));
    fails!(ACL_ERROR_INVALID_PARAM, "configuration", profiling::aclprofDestroyConfig(config));
    std::fs::remove_dir_all(&folder).unwrap();
    ok!(process::aclFinalize());
    fails!(ACL_ERROR_UNINITIALIZE, "after aclInit", profiling::aclprofInit(path.as_ptr(), length));
}
