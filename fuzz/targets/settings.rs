//! Any text in the environment variables of the simulator: settings, or an error in words.

#![no_main]

use ascendcl_sim::Config;
use libfuzzer_sys::{Corpus, fuzz_target};

const NAMES: [&str; 10] = [
    "ASCENDCL_SIM",
    "ASCENDCL_SIM_DEVICES",
    "ASCENDCL_SIM_SOC",
    "ASCENDCL_SIM_RUN_MODE",
    "ASCENDCL_SIM_FAIL",
    "ASCENDCL_SIM_MEMORY",
    "ASCENDCL_SIM_FINDINGS",
    "ASCENDCL_SIM_SUPPRESS",
    "ASCENDCL_SIM_EXIT",
    "ASCENDCL_SIM_PATIENCE",
];

// The first byte says which variable, the rest is the value.
fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Some((which, value)) = bytes.split_first() else { return Corpus::Reject };
    let Ok(value) = str::from_utf8(value) else { return Corpus::Reject };
    if value.contains('\0') {
        return Corpus::Reject;
    }
    let name = NAMES[usize::from(*which) % NAMES.len()];
    // SAFETY: `set_var` asks that no other thread reads the environment (its documentation). This program has one thread.
    unsafe { std::env::set_var(name, value) };
    if let Err(error) = Config::from_env() {
        assert!(error.to_string().contains(name), "{error}");
    }
    // SAFETY: `remove_var` asks that no other thread reads the environment (its documentation). This program has one
    // thread.
    unsafe { std::env::remove_var(name) };
    Corpus::Keep
});
