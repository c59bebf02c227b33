//! Runtimes that cannot be opened, and whose first steps cannot be undone at once.

use super::*;
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
