//! The graph engine (GE): graphs that are compiled on this machine and executed on streams.
//!
//! An [`Engine`] is the initialised engine. It opens [`Session`]s, which own the objects made in them. A session is a scope,
//! or belongs to a [`Runtime`](ascendcl::Runtime), for services that keep their objects in a struct.
//! The type of a [`Graph`] states its progress: added, compiled, with an allocator or memory of the caller, loaded.
//! During an execution the graph is in a [`Pending`](ascendcl::Pending), with its inputs and outputs.
//!
//! The allocator is a [`DeviceAllocator`](ascendcl::DeviceAllocator), as for other work, for example a
//! [`PoolAllocator`](ascendcl::allocator::PoolAllocator). It moves into the graph and serves only the graph's stream.
//! Removing the graph returns it.
//!
//! ```
//! use ascendcl_ge::{Engine, GraphSource, Options, Place};
//! use ascendcl::{Acl, Library, Thread, allocator::PoolAllocator};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let place = ascendcl_ge_double::Double::load()?.place();
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/digits.onnx");
//! # let pixels = [0.0_f32; 64];
//! let acl = Acl::init(Library::Simulator)?;
//! let mut thread = Thread::new()?;
//! let device = acl.device(&mut thread, 0)?;
//! let engine = Engine::init(&acl, &place, &Options::new())?;
//! let probabilities = engine.session(&mut thread, &device, &Options::new(), |session, current| {
//!     let graph = session.add(current, GraphSource::onnx_file(file), &Options::new())?.compile(session, current)?;
//!     let pool = PoolAllocator::new(current, 1 << 20)?;
//!     let graph = graph.register(session, current, current.stream()?, pool)?.load(session, current)?;
//!     let images = current.upload_tensor(&[1, 64], &pixels)?;
//!     let done = graph.execute(session, current, images)?.wait(current)?;
//!     let probabilities = done.outputs.to_vec::<f32>(current, 0)?;
//!     done.outputs.release(session, current)?;
//!     let (_stream, pool) = done.graph.remove(session, current)?;
//!     pool.release(current)?;
//!     Ok::<_, ascendcl::Error>(probabilities)
//! })??;
//! engine.close()?;
//! # assert_eq!(probabilities.len(), 10);
//! # Ok(())
//! # }
//! ```
//!
//! # Requirements
//!
//! The engine's interface is C++. This project has a small library, the shim, that wraps the interface in plain C. It
//! is compiled with this crate on machines that have the headers of the CANN toolkit ([`Place`]).
//!
//! If only the vendor's `libge_runtime_wrapper.so` is installed, a part of this crate works: sessions, graphs that
//! other code created ([`GraphSource::graph`]), allocators on streams ([`Session::register`]), and runs with tensors
//! that other code created ([`SessionStream::run`]). Other calls return [`EngineError::OnlyWrapper`].

#![deny(unsafe_code)]
// `diagnostic::on_move` gives messages about moved values the words of this crate. Only nightly compilers know it, with
// `RUSTFLAGS="--cfg ascendcl_on_move"`; for others it is one more note to whoever reads the type.
#![cfg_attr(ascendcl_on_move, feature(diagnostic_on_move))]
#![allow(unknown_or_malformed_diagnostic_attributes, reason = "see above")]

mod engine;
mod error;
mod ffi;
mod graph_source;
pub mod kinds;
mod marks;
mod raw_tensors;
mod session;

pub use ascendcl_ge_sys::{LoadError, Place, Provider, VouchedFile};
pub use engine::Engine;
pub use error::{EngineError, FailedCall, Status};
pub use graph_source::{GraphSource, GraphSummary, Options};
pub use raw_tensors::{RawInputs, RawOutputTensors};
pub use session::{Executed, Graph, HasStream, NeedsStream, Outputs, Session, SessionStream};
// The bounds of the same names for streams are not exported here: the compiler would print both with their paths.
pub use session::{Added, CanCompile, CanLoad, CanSetMemory, Compiled, GraphState, Loaded, WithAllocator, WithMemory};
