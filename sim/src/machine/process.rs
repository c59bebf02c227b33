//! Initialisation of the process: counted, and ended at once or count by count.

use super::locks::lock;
use super::{config, json};
use crate::failure::{Answer, Failure};
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclCompileOpt;
use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;

struct Count {
    inits: u64,
    /// A finalise has taken effect since the last initialisation.
    finalised: bool,
}

static COUNT: Mutex<Count> = Mutex::new(Count { inits: 0, finalised: false });

/// Counts an initialisation. Only the first one looks at the configuration.
pub(crate) fn init(config_path: &str) -> Answer {
    let mut count = lock(&COUNT);
    if count.inits > 0 {
        count.inits += 1;
        let text = "initialised already; one more finalise is owed, and this configuration is not looked at";
        return Err(Failure::new(ACL_ERROR_REPEAT_INITIALIZE, text));
    }
    config::checked()?;
    check_file(config_path)?;
    *count = Count { inits: 1, finalised: false };
    Ok(())
}

/// Ends it all, whatever the count. The vendor's library accepts that once without an initialisation.
pub(crate) fn finalize() -> Answer {
    let mut count = lock(&COUNT);
    if count.finalised {
        return Err(not_initialised());
    }
    if count.inits == 0 {
        config::if_documented(not_initialised)?;
    }
    *count = Count { inits: 0, finalised: true };
    Ok(())
}

/// Takes back one initialisation; answers how many are left, too.
pub(crate) fn finalize_reference() -> (u64, Answer) {
    let mut count = lock(&COUNT);
    if count.inits == 0 {
        return (0, Err(not_initialised()));
    }
    count.inits -= 1;
    count.finalised = count.inits == 0;
    (count.inits, Ok(()))
}

/// By the manual a call that needs the runtime needs an initialisation; the vendor's library does not look.
pub(crate) fn refuse_uninitialised() -> Answer {
    if !config::is_documented() || lock(&COUNT).inits > 0 {
        return Ok(());
    }
    Err(Failure::new(ACL_ERROR_UNINITIALIZE, "the library is not initialised"))
}

/// Whether an initialisation is owed its finalise.
pub(crate) fn is_initialised() -> bool {
    lock(&COUNT).inits > 0
}

/// The operator compiler's options.
pub(crate) fn options() -> &'static Mutex<BTreeMap<aclCompileOpt, String>> {
    static OPTIONS: Mutex<BTreeMap<aclCompileOpt, String>> = Mutex::new(BTreeMap::new());
    &OPTIONS
}

/// As if nothing had been initialised.
pub(super) fn clear() {
    lock(options()).clear();
    *lock(&COUNT) = Count { inits: 0, finalised: false };
}

fn not_initialised() -> Failure {
    Failure::new(ACL_ERROR_REPEAT_FINALIZE, "finalised already, or never initialised")
}

/// The file has to be JSON; nothing in it concerns a simulator.
fn check_file(path: &str) -> Answer {
    if path.is_empty() {
        return Ok(());
    }
    let bytes = fs::read(path).map_err(|error| {
        Failure::new(ACL_ERROR_INVALID_FILE, format!("the configuration file {path} cannot be read: {error}"))
    })?;
    json::check(&bytes).map_err(|at| {
        let text = format!("the configuration file {path} is not JSON, from byte {at} on");
        Failure::new(ACL_ERROR_PARSE_FILE, text)
    })
}
