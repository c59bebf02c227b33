//! Which calls a plan means, as a value and as text.

use crate::support::*;
use ascendcl_sim::{Calls, Checks, Fault, Plan, control};
use std::process::Command;

fn plan(text: &str) -> Plan {
    text.parse().unwrap()
}

fn malloc_code() -> aclError {
    let mut address = std::ptr::null_mut();
    acl!(aclrtMalloc(&mut address, 64, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST))
}

#[test]
fn the_nth_call_of_a_name_fails_and_no_other() {
    let _machine = machine(Checks::Report);
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    control::fail(Plan::new().at(Calls::of("aclrtMalloc").nth(2), Fault::Fails(207_001))).unwrap();
    let first = malloc(64);
    let stream = stream();
    assert_eq!(malloc_code(), 207_001);
    assert_eq!(
        message(),
        "aclrtMalloc: the plan of the simulator wants this failure (call 3) [ACL_ERROR_RT_MEMORY_ALLOCATION]"
    );
    assert_eq!(control::live().device_blocks, 1, "the call did nothing");
    ok!(aclrtFree(malloc(64)));
    let injected = control::injected();
    assert_eq!((injected.len(), injected[0].call, injected[0].number), (1, "aclrtMalloc", 3));
    ok!(aclrtFree(first));
    ok!(aclrtDestroyStream(stream));
    ok!(aclrtResetDevice(0));
    ok!(aclFinalize());
    assert_eq!(control::take_findings(), [], "a call that did not take place breaks no rule");
}

#[test]
fn calls_of_any_name_are_counted_together() {
    let _machine = machine(Checks::Off);
    control::fail(plan("*#2=507899")).unwrap();
    ok!(aclInit(std::ptr::null()));
    assert_eq!(acl!(aclrtSetDevice(0)), 507_899);
    ok!(aclrtSetDevice(0));
    control::fail(plan("*#2+=507899")).unwrap();
    ok!(aclrtSetDevice(0));
    assert_eq!([acl!(aclrtResetDevice(0)), acl!(aclFinalize())], [507_899; 2]);
    control::fail(Plan::new()).unwrap();
    ok!(aclrtResetDevice(0));
}

#[test]
fn what_has_no_code_fails_as_it_does_without_memory() {
    let _machine = machine(Checks::Off);
    control::fail(plan("aclCreateDataBuffer#1=200000,aclmdlCreateDataset=200000,aclFloat16ToFloat=1")).unwrap();
    assert!(acl!(aclCreateDataBuffer(std::ptr::null_mut(), 0)).is_null());
    assert!(acl!(aclmdlCreateDataset()).is_null());
    assert_eq!(acl!(aclFloat16ToFloat(0x3c00)), 1.0, "it cannot fail");
    assert_eq!(control::injected().len(), 2);
    let buffer = acl!(aclCreateDataBuffer(std::ptr::null_mut(), 0));
    ok!(aclDestroyDataBuffer(buffer));
}

#[test]
fn a_call_can_fail_after_it_had_its_effect() {
    let _machine = machine(Checks::Off);
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    control::fail(plan("aclrtMemcpyAsync#1=after:507899")).unwrap();
    let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
    ok!(aclrtMemset(pinned, 64, 7, 64));
    assert_eq!(acl!(aclrtMemcpyAsync(block, 64, pinned, 64, TO_DEVICE, stream)), 507_899);
    sync(stream);
    let mut bytes = [0_u8; 64];
    ok!(aclrtMemcpy(bytes.as_mut_ptr().cast(), 64, block, 64, TO_HOST));
    assert_eq!(bytes, [7; 64], "the work was queued all the same");
}

#[test]
fn a_plan_is_read_and_written_alike() {
    for text in [
        "aclrtMalloc#3=ACL_ERROR_RT_MEMORY_ALLOCATION",
        "aclrtMalloc#3+=after:ACL_ERROR_RT_DRV_INTERNAL_ERROR,*#17=lost",
        "*=hang,aclrtSetDevice=full,aclInit=slow:5000us,aclFinalize=4711",
    ] {
        assert_eq!(plan(text).to_string(), text);
    }
    assert_eq!(
        plan(" aclInit # 1 = 100000 , , *=slow: 2 s "),
        plan("aclInit#1=ACL_ERROR_INVALID_PARAM,*=slow:2000000us")
    );
    assert!(plan("").is_empty());
}

#[test]
fn a_bad_plan_is_told_with_what_is_wrong_and_what_is_right() {
    for (text, wrong) in [
        ("aclrtMalloc", "`aclrtMalloc`: a fault is written as calls=fault, for example aclrtMalloc#3=207001"),
        ("=lost", "`=lost`: which function? A name, or * for any"),
        ("aclrtMaloc=lost", "aclrtMaloc=lost: the simulator has no function `aclrtMaloc`"),
        ("*#0=lost", "`*#0=lost`: `#0` is no number of a call: #1 is the first, #1+ all from it on"),
        ("*#x+=lost", "`*#x+=lost`: `#x+` is no number of a call: #1 is the first, #1+ all from it on"),
        ("*=0", "*=ACL_ERROR_NONE: 0 is success, and no failure"),
        ("*=slow:5", "`*=slow:5`: `5` is no time: a number with us, ms or s, as in slow:5ms"),
        (
            "*=broken",
            "`*=broken`: `broken` is no fault: a code (207001, ACL_ERROR_RT_MEMORY_ALLOCATION), after:code, lost, hang, \
             slow:5ms or full",
        ),
    ] {
        assert_eq!(text.parse::<Plan>().unwrap_err().to_string(), wrong);
    }
    let unknown = Plan::new().at(Calls::of("aclrtFly"), Fault::Lost);
    assert!(control::fail(unknown).is_err());
}

#[test]
fn the_environment_has_a_plan_and_a_bad_one_fails_the_initialisation() {
    let child = |value: &str| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "plans::a_program_that_initialises", "--ignored", "--nocapture"]);
        // The program forgets to finalise, which `strict` would say, too.
        let output = command.env_remove("ASCENDCL_SIM").env("ASCENDCL_SIM_FAIL", value).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(child("aclrtSetDevice#1=507033").contains("0 507033 0: "));
    assert!(child("").contains("0 0 0: "));
    let bad = child("aclrtSetDevice#1");
    assert!(
        bad.contains("100000 0 0: aclInit: the simulator's configuration: ASCENDCL_SIM_FAIL=aclrtSetDevice#1: "),
        "{bad}"
    );
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn a_program_that_initialises() {
    let initialised = acl!(aclInit(std::ptr::null()));
    let text = message();
    println!("{initialised} {} {}: {text}", acl!(aclrtSetDevice(0)), acl!(aclrtSetDevice(0)));
}

#[test]
fn the_plan_of_the_configuration_begins_once_when_several_threads_make_the_first_call() {
    const THREADS: usize = 8;
    for _ in 0..500 {
        let _machine = machine_of(ascendcl_sim::Config::new().plan(plan("aclInit#1000=lost")));
        let barrier = std::sync::Barrier::new(THREADS);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    barrier.wait();
                    let mut count = 0;
                    acl!(aclrtGetDeviceCount(&mut count));
                });
            }
        });
        assert_eq!(control::calls(), THREADS as u64);
    }
}
