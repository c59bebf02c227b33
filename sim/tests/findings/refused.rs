//! Calls that the library answers with a code, and the rule that they break.

use crate::support::*;
use ascendcl_rules::RuleId;
use ascendcl_sim::exports::profiling::*;
use std::ffi::CString;
use std::ptr::null;

/// What is found when profiling is used so: `i`nit, `s`tart, `e`nd (stop), `f`inalise, `d`estroy the configuration, with
/// codes that are not looked at.
fn profiled(steps: &str) -> Vec<(RuleId, &'static str)> {
    let folder = std::env::temp_dir().join(format!("ascendcl-sim-refused-{}", std::process::id()));
    let path = CString::new(folder.to_str().unwrap()).unwrap();
    let found = broken_by(|| {
        let mut devices = [0];
        let metrics = aclprofAicoreMetrics::ACL_AICORE_NONE;
        let config = acl!(aclprofCreateConfig(devices.as_mut_ptr(), 1, metrics, null(), 3));
        for step in steps.chars() {
            match step {
                'i' => acl!(aclprofInit(path.as_ptr(), path.as_bytes().len())),
                's' => acl!(aclprofStart(config)),
                'e' => acl!(aclprofStop(config)),
                'f' => acl!(aclprofFinalize()),
                _ => acl!(aclprofDestroyConfig(config)),
            };
        }
    });
    let _ = std::fs::remove_dir_all(folder);
    found
}

#[test]
fn profiling_calls_nest() {
    for right in ["isefd", "isesefd", "ifd", "isefisefd"] {
        assert_eq!(profiled(right), [], "{right}");
    }
    let wrong = [
        ("sefd", "aclprofStart"),
        ("iefd", "aclprofStop"),
        ("isseefd", "aclprofStart"),
        ("iseefd", "aclprofStop"),
        ("iisefd", "aclprofInit"),
        ("isfed", "aclprofFinalize"),
        ("isfd", "aclprofFinalize"),
        ("iseffd", "aclprofFinalize"),
        ("isdef", "aclprofDestroyConfig"),
    ];
    for (steps, by) in wrong {
        assert_eq!(profiled(steps), [(rules::INIT_13, by)], "{steps}");
    }
    assert_eq!(profiled("isefdd"), [(rules::DATA_05, "aclprofDestroyConfig")]);
    assert_eq!(profiled("idsef"), [(rules::DATA_05, "aclprofStart")]);
}
