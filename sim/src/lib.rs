//! A stand-in for Huawei's AscendCL library on an ordinary CPU.
//!
//! It has the vendor's C ABI and is reached the vendor's way: by function addresses. [`resolve`] returns them
//! inside a program; the crate `ascendcl-sim-dylib` exports the same functions from a shared object.
//!
//! * Streams are real queues that worker threads serve; events, callbacks and timestamps are real.
//! * A model is an ONNX file, run by `rten`.
//! * Return codes are the vendor's where those were measured; where the vendor's library crashes, this one returns
//!   an error.
//! * It says that it is a simulator: see [`SOC_NAME_MARK`].
//!
//! How it is built: `shells` has the functions that C calls; `abi` turns C arguments into Rust values; `calls` has one
//! function per C function, under its name; `machine` is the state behind them. All unsafe code is in `abi` and `shells`.

#![deny(unsafe_code)]

mod abi;
mod calls;
mod config;
pub mod control;
mod failure;
mod faults;
mod locks;
mod machine;
mod media;
mod model;
mod shells;

pub use ascendcl_rules::Severity;
pub use config::{Calls, Checks, Config, ConfigError, Fault, Plan};
pub use faults::Injected;
pub use shells::{exports, not_simulated, resolve, wrong_argument};

/// Every name of a simulated system on chip contains this, so that no test mistakes it for a device. Programs that insist
/// on how a name begins are given one by [`Config::soc`].
pub const SOC_NAME_MARK: &str = "Simulator";
