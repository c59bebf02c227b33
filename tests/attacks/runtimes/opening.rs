//! Runtimes that cannot be opened, and whose first steps cannot be undone at once.

use super::*;
use crate::common::assert_lives;
use ascendcl_sim::Config;

/// A device that only these tests leave taken, if they fail.
const DEVICE: i32 = 3;

fn setup() -> Setup {
    Setup::builder().library(library()).device(DEVICE).build()
}

/// A step of opening is refused, and then a step that undoes the others: the sweep undoes them.
#[proves(DEV_02, INIT_02)]
#[test]
fn what_an_open_that_failed_could_not_give_back_is_given_back_by_the_sweep() {
    let alone = alone();
    control::configure(crate::common::under_watch(Config::new().devices(4))).unwrap();
    for undone in ["aclrtResetDevice", "aclFinalizeReference"] {
        fail(&format!("aclrtCreateContext=207001,{undone}=507899"));
        let error = Runtime::<Worker>::open(setup()).unwrap_err();
        assert!(matches!(&error, Error::Vendor(error) if error.call == "aclrtCreateContext"), "{error}");
        let told = runtime::sweep(None);
        assert!(matches!(&told[..], [Error::Vendor(error)] if error.call == undone), "{told:?}");
        nothing_fails();
        sweep();
        // The device is nobody else's, so a runtime can reset it by force.
        let runtime = Runtime::<Worker>::open(setup()).unwrap();
        fail("aclrtDestroyContext#1=507899");
        assert_eq!(runtime.close_by_force(Duration::from_secs(1)).unwrap(), [""; 0]);
        nothing_fails();
        alone.assert_nothing_lives();
    }
}

/// A runtime that was to be verified and could not be opened: no call is verified for it, although the sweep has to try
/// again.
#[proves(CTX_05)]
#[test]
fn no_call_is_verified_for_a_runtime_that_could_not_be_opened() {
    let alone = alone();
    control::configure(crate::common::under_watch(Config::new().devices(4))).unwrap();
    let verified = Setup::builder().library(library()).device(DEVICE).verify_current(true).build();
    fail("aclrtCreateContext=207001,aclFinalizeReference=507899");
    drop(Runtime::<Worker>::open(verified).unwrap_err());
    nothing_fails();
    let runtime = Runtime::<Worker>::open(setup()).unwrap();
    runtime
        .with(|current| {
            // Only a verified call asks for it.
            crate::must_not_call("aclrtGetCurrentContext=507899");
            assert_eq!(current.upload(&[7_u8]).unwrap().to_vec(current).unwrap(), [7]);
            nothing_fails();
        })
        .unwrap();
    runtime.close().unwrap();
    sweep();
    alone.assert_nothing_lives();
}

/// The program gets the error of its own step. The next sweep tells what the close met, and does the rest.
#[proves(INIT_02, DEV_10)]
#[test]
fn the_close_of_a_runtime_whose_contents_could_not_be_made_tells_its_errors_to_the_sweep() {
    let alone = alone();
    control::configure(crate::common::under_watch(Config::new().devices(4))).unwrap();
    for refused in ["aclrtDestroyContext", "aclFinalizeReference"] {
        let opened = Runtime::<Worker>::open_with(setup(), |current| {
            fail(&format!("{refused}#1=507899"));
            current.load_model("no such file").map(drop)
        });
        assert!(opened.unwrap_err().to_string().contains("no such file"));
        let told = runtime::sweep(None);
        assert!(matches!(&told[..], [Error::Vendor(error)] if error.call == refused), "{told:?}");
        nothing_fails();
        sweep();
        alone.assert_nothing_lives();
    }
}

/// The child tells that it cannot close the library, and then forgets it: only the parent can.
#[proves(THREAD_05)]
#[test]
fn a_forked_child_does_not_keep_what_its_parent_could_not_give_back() {
    let alone = alone();
    control::configure(crate::common::under_watch(Config::new().devices(4))).unwrap();
    fail("aclrtCreateContext=207001,aclFinalizeReference=507899");
    drop(Runtime::<Worker>::open(setup()).unwrap_err());
    nothing_fails();
    in_a_forked_child((), |()| {
        let told = runtime::sweep(None);
        !told.is_empty() && told.iter().all(is_forked) && runtime::sweep(None).is_empty()
    });
    sweep();
    alone.assert_nothing_lives();
}

#[proves(DEV_02)]
#[test]
fn a_runtime_that_is_opened_releases_what_dropped_ones_have() {
    let alone = alone();
    let first = Runtime::<Worker>::open(library()).unwrap();
    first.with(|current| mem::forget(current.upload(&[1_u8]).unwrap())).unwrap();
    drop(first);
    assert_lives!(device_blocks, 1);
    let second = Runtime::<Worker>::open(library()).unwrap();
    assert_lives!(device_blocks, 0);
    second.close().unwrap();
    alone.assert_nothing_lives();
}
