//! A safe Rust API for AscendCL. Misusing it is a compile error.
//!
//! AscendCL (`libascendcl.so`) is the C runtime of Huawei's Ascend NPUs. Its rules of order, lifetime and thread are
//! invisible to a C compiler: a stream used under another context, a device reset with live streams, memory freed while
//! a task still uses it. In this crate these rules are types:
//!
//! * **Scopes own, handles only name.** Everything made in a context belongs to the context's scope. The scope takes it
//!   down in the vendor's order, even after a panic and for forgotten handles.
//! * **A runtime is owned by a value.** A service stores a [`Runtime`] in a struct, together with the objects made in
//!   it.
//! * **The current context is a proof.** [`Current`] stays on its thread and cannot be used while another context is
//!   entered. A call on an object takes the proof of the object's own context.
//! * **Failure keeps the value.** A transition that fails returns the object ([`Failed`]).
//!
//! # A first program
//!
//! ```
//! use ascendcl::{Input, Library};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let pixels = [0.0_f32; 64];
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits.onnx");
//! let digit = ascendcl::run(Library::Simulator, |current| {
//!     let mut model = current.load_model(file)?;
//!     let outputs = model.run(current, &[Input::new(&[1, 64], &pixels)?])?;
//!     let probabilities = outputs.get(0)?.to_vec::<f32>()?;
//!     model.unload(current)?;
//!     Ok::<_, ascendcl::Error>((0..10).max_by(|a, b| probabilities[*a].total_cmp(&probabilities[*b])))
//! })?;
//! # assert!(digit.is_some());
//! # Ok(())
//! # }
//! ```
//!
//! # Where to go on
//!
//! * [`run`] is the short form for one device, one context and one thread. It combines [`Acl`], [`Device`],
//!   [`Context`], [`Thread`] and [`Current`].
//! * [`Runtime`] is for services, [`runtime::Actor`] for a thread that owns a device's work.
//! * [`stream`] has work in flight, [`memory`] buffers, [`model`] models, [`operator`] single operators, [`allocator`]
//!   memory from an allocator of the program, [`lane`] models that share a workspace, [`capture`] captured graphs.
//! * [`error`] has what can fail, and what a failure leaves. [`raw`] and [`foreign`] are for code outside of this crate.
//! * The crate `ascendcl-ge` adds sessions of the graph engine to this one.
//! * [`protocol!`] declares the life cycle of another C library's objects.
//! * The [book](https://github.com/ascendcl/ascendcl/blob/main/book/pages/SUMMARY.md) explains all this in order, has a
//!   table from the vendor's functions to items of this crate, and exercises.
//!
//! # The compiler's messages
//!
//! Most messages have the id of the rule, what was found and expected, the repair, and "see `ascendcl-explain ALLOC-09`".
//! That program prints the rule with programs in C and Rust; install it with
//! `cargo install --git https://github.com/ascendcl/ascendcl ascendcl-explain`. Messages about moved values quote the line of
//! the method, often with the rule and the repair in its comment. Messages about borrows and lifetimes mostly have the
//! compiler's words alone; the book says what they mean here.
//!
//! # Features
//!
//! None is on by default.
//!
//! | feature | what it adds |
//! | --- | --- |
//! | `sim` | the simulator inside the program: [`Library::Simulator`] |
//! | `tracing` | spans for contexts that are entered, events for calls of the library that fail |
//! | `half` | `f16` and `bf16` of the crate `half` as elements |
//!
//! The target of `tracing` is `ascendcl`. The span `current` (`TRACE`) has the fields `device` and `context`. Events are
//! `ERROR` for a call that failed, with `call`, `code`, `name`, `rules` and `text`; `WARN` for a function that the library
//! lacks; and `DEBUG` for a wait that timed out, which is a normal result.
//!
//! A program that runs on a device and on the simulator from one source names [`Library::Vendor`], and has a feature of its
//! own: `sim = ["ascendcl/sim"]`. `ASCENDCL_LIBRARY=sim cargo run --features sim` then takes the simulator, and a build without
//! the feature does not contain it.
//!
//! # Environment variables
//!
//! | variable | what it says |
//! | --- | --- |
//! | `ASCENDCL_LIBRARY` | the path of the library; `sim` is the simulator, if the program contains it |
//! | `ASCEND_HOME_PATH`, `ASCEND_TOOLKIT_HOME` | where the vendor's toolkit is; its `set_env.sh` sets them |
//! | `HOME`, `LD_LIBRARY_PATH` | where else the library is searched: in `$HOME/Ascend`, and in the folders of the loader |
//! | `ASCENDCL_VERIFY_CURRENT` | `1` compares the current context before every call: see [`Acl::verify_current`] |
//! | `ASCENDCL_SIM`, `ASCENDCL_SIM_…` | settings of the simulator: the checks of rules, devices, memory, calls that fail |
//!
//! # Unsafe code
//!
//! Blocks of it are in one private module, `ffi`, and nowhere else in this crate.

#![deny(unsafe_code)]
// `diagnostic::on_move` puts words of this crate into messages about moved values. Only nightly compilers know it, with
// `RUSTFLAGS="--cfg ascendcl_on_move"`.
#![cfg_attr(ascendcl_on_move, feature(diagnostic_on_move))]
#![allow(unknown_or_malformed_diagnostic_attributes, reason = "see above")]

mod acl;
mod attribute;
mod brand;
mod callback_guard;
mod capture_mode;
mod code;
pub mod context;
mod device;
mod device_allocator;
mod element;
mod elsewhere;
mod ends_before;
pub mod error;
mod ffi;
mod ledger;
pub mod library;
mod library_user;
mod life_cycle;
mod model_size;
mod panics;
mod properties;
mod recover;
mod run;
mod run_mode;
pub mod runtime;
pub mod thread;
mod trace;
mod undelivered;
mod version;

// rustdoc lists the methods of a type in the order of these modules. The modules are in the order of use, so `rustfmt`
// does not sort them.
pub mod memory;

pub mod stream;

pub mod event;

pub mod model;

pub mod operator;

pub mod lane;

pub mod allocator;

pub mod capture;

mod current;

pub mod foreign;

pub mod peer;

pub mod raw;

pub use acl::Acl;
pub use ascendcl_macros::protocol;
// The whole crate is not exported under a name: then the compiler would print every type of it with that path.
pub use ascendcl_rules::RuleId;
pub use brand::{Brand, InScope, Name, Scoped, Unnamed};
pub use context::Context;
pub use current::{Current, MemoryInfo};
pub use device::Device;
pub use device_allocator::DeviceAllocator;
pub use element::{Bf16, Bool, Element, ElementType, F16};
pub use error::{Error, Failed, OrDrop, Result, ScopeError};
pub use event::Event;
pub use library::Library;
pub use memory::{DeviceBuffer, HostBuffer, SharedBuffer};
pub use model::{BoundModel, Input, Model, Outputs};
pub use operator::Operator;
pub use properties::DeviceProperties;
pub use recover::Recovered;
pub use run::{RunError, Setup, run};
pub use run_mode::RunMode;
pub use runtime::Runtime;
pub use stream::{Pending, Stream};
pub use thread::Thread;
pub use version::{InterfaceVersion, Package};

/// The programs in the README are programs.
#[cfg(all(doctest, feature = "sim"))]
#[doc = include_str!("../README.md")]
struct Readme;
