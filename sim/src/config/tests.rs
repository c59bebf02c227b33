//! What the environment says.

use crate::config::*;

#[test]
fn the_environment_is_read_and_its_mistakes_are_named() {
    let read = |name: &'static str, value: &'static str| {
        Config::from_variables(move |wanted| (wanted == name).then(|| value.to_owned()))
    };
    assert_eq!(read("ASCENDCL_SIM_MEMORY", "3m"), Ok(Config::new().memory(3 << 20)));
    assert_eq!(read("ASCENDCL_SIM_DEVICES", "8"), Ok(Config::new().devices(8)));
    assert_eq!(read("ASCENDCL_SIM_RUN_MODE", "device"), Ok(Config::new().on_device(true)));
    assert_eq!(read("ASCENDCL_SIM_SOC", "SimulatorX"), Ok(Config::new().soc("SimulatorX")));
    assert_eq!(read("ASCENDCL_SIM_SOC", "AscendSimulator1"), Ok(Config::new().soc("AscendSimulator1")));
    assert_eq!(read("ASCENDCL_SIM_PATIENCE", "0.5"), Ok(Config::new().patience(Duration::from_millis(500))));
    let checks = |checks| Config::new().checks(checks);
    assert_eq!(read("ASCENDCL_SIM", "strict"), Ok(checks(Checks::Strict)));
    assert_eq!(read("ASCENDCL_SIM", "documented, report"), Ok(checks(Checks::Report).documented(true)));
    let all = checks(Checks::Off).vendor_waits(true).reuse_handles(true).copy_at_once(true).slow_destroy(true);
    assert_eq!(read("ASCENDCL_SIM", "vendor-waits,reuse-handles,copy-at-once,slow-destroy"), Ok(all));
    assert_eq!(read("ASCENDCL_SIM", "report,advice"), Ok(checks(Checks::Report).advice(true)));
    for (name, value) in [
        ("ASCENDCL_SIM_PATIENCE", "-1"),
        ("ASCENDCL_SIM_MEMORY", "lots"),
        ("ASCENDCL_SIM_MEMORY", "99999999999999g"),
        ("ASCENDCL_SIM_DEVICES", "0"),
        ("ASCENDCL_SIM_DEVICES", "-1"),
        ("ASCENDCL_SIM_FAIL", "aclrtNone#1=1"),
        ("ASCENDCL_SIM_RUN_MODE", "moon"),
        ("ASCENDCL_SIM", "maybe"),
        ("ASCENDCL_SIM_SOC", "Ascend910B1"),
    ] {
        let said = read(name, value).map_err(|error| error.to_string());
        assert!(said.as_ref().is_err_and(|text| text.starts_with(name)), "{name}={value}: {said:?}");
    }
    let empty = Config::from_variables(|_| Some(String::new()));
    assert_eq!(empty, Ok(Config::new()), "an empty value counts as not set");
}

#[test]
fn a_process_sees_the_devices_of_the_list_up_to_the_first_that_there_is_not() {
    let seen = |list: &str| {
        let read = |name: &str| match name {
            "ASCENDCL_SIM_DEVICES" => Some("8".to_owned()),
            "ASCEND_RT_VISIBLE_DEVICES" => Some(list.to_owned()),
            _ => None,
        };
        Config::from_variables(read).unwrap().devices_seen()
    };
    assert_eq!(seen("1"), [1]);
    assert_eq!(seen("3,2,1"), [3, 2, 1]);
    assert_eq!(seen("1, 2,3"), [1], "a blank ends the list");
    assert_eq!(seen("1,3,8,4"), [1, 3]);
    assert_eq!(seen("1,2,-1,3"), [1, 2]);
    assert_eq!(seen("1,2,1,3"), [1, 2]);
    assert_eq!(seen("all"), []);
    assert_eq!(seen(""), [0, 1, 2, 3, 4, 5, 6, 7]);
}
