//! Beside the safe layer: raw handles for functions that it does not offer, and a way to queue work with them.
//!
//! A handle is only a number, so getting one is safe. The caller guarantees its use in the `unsafe` block that calls
//! the library. The functions are those of `ascendcl-sys`, whose table
//! [`Loaded::as_raw`](crate::library::Loaded::as_raw) lends, or of any other binding of the same library.
//!
//! | value | handle |
//! | --- | --- |
//! | [`Current`](crate::Current) | [`as_raw`](crate::Current::as_raw): `aclrtContext` |
//! | [`Stream`](crate::Stream) and all other streams | [`as_raw`](crate::stream::StreamOps::as_raw): `aclrtStream`; null for a default stream |
//! | [`Event`](crate::Event) | [`as_raw`](crate::Event::as_raw): `aclrtEvent` |
//! | [`Model`](crate::Model) | [`as_raw`](crate::Model::as_raw): the number of the model |
//! | [`DeviceBuffer`](crate::DeviceBuffer) | [`as_raw`](crate::DeviceBuffer::as_raw): the address in device memory |
//! | [`SharedBuffer`](crate::memory::SharedBuffer) | [`as_raw`](crate::memory::SharedBuffer::as_raw): the address in device memory, to be read |
//! | [`DeviceTensor`](crate::operator::DeviceTensor), [`AnyTensor`](crate::operator::AnyTensor) | [`as_raw`](crate::operator::DeviceTensor::as_raw): the address in device memory |
//! | [`SharedTensor`](crate::operator::SharedTensor), [`SharedAnyTensor`](crate::operator::SharedAnyTensor) | [`as_raw`](crate::operator::SharedTensor::as_raw): the address in device memory, to be read |
//! | a [`Pending`](crate::Pending) of one of these | [`as_raw`](crate::Pending::as_raw): the address in device memory, for work behind this one on its stream |
//!
//! # The obligations of a raw handle's user
//!
//! * Use the handle only while its value is alive: until the value was destroyed, unloaded or freed, or its scope has
//!   ended. The library gives the address of a destroyed object to the next one, so an old handle may name a stranger.
//! * Do not destroy, reset, unload or free it (STREAM-08, MEM-01): its scope does that.
//! * Do not begin a capture on a stream, and do not queue work on it while this crate captures it.
//! * Use it in its own context. That context is current where its `Current` can be used (STREAM-09).
//! * This crate does not know of work that is queued with it outside of [`submit`](crate::stream::StreamOps::submit), and
//!   may free or lend out memory that such work still uses. A stream is synchronised before its scope ends, so work that
//!   uses the caller's own memory only is waited for.
//!
//! # Work by other functions
//!
//! [`StreamOps::submit`](crate::stream::StreamOps::submit) lends a function the stream and the memory of its operands,
//! and gives the work back as a [`Pending`](crate::Pending) like any other. Here, a number that is written to device
//! memory in its turn (`aclrtValueWrite`), which the safe layer does not have:
//!
//! ```
//! use ascendcl::Library;
//! use ascendcl_sys::types::aclrtStream;
//!
//! # ascendcl::run(Library::Simulator, |current| {
//! let (stream, functions) = (current.stream()?, current.library().as_raw());
//! let counter = current.upload(&[0_u64])?;
//! // SAFETY: the buffer holds the 64 bits that are written; the work is queued on this stream.
//! let counted = unsafe {
//!     stream.submit(current, "aclrtValueWrite", counter, |stream, counter| {
//!         functions.aclrtValueWrite(counter.start, 5, 0, aclrtStream(stream))
//!     })
//! }?;
//! assert_eq!(counted.wait(current)?.to_vec(current)?, [5]);
//! # Ok::<_, ascendcl::Error>(())
//! # })?;
//! # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
//! ```
//!
//! # Objects of other code
//!
//! A stream that a framework has made becomes a [`Stream`](crate::Stream) of this crate, and memory of it a
//! [`DeviceBuffer`](crate::DeviceBuffer), by [`Current::adopt_stream`](crate::Current::adopt_stream) and
//! [`Current::adopt_memory`](crate::Current::adopt_memory). They are used like all others, and are never destroyed or
//! freed here.
//!
//! An event of other code needs no value here: work on a stream waits for it by [`submit`](crate::stream::StreamOps::submit)
//! without operands. In the other direction, other code waits for `event.as_raw()`.
//!
//! ```
//! use ascendcl::Library;
//! use ascendcl_sys::types::{aclrtEvent, aclrtStream};
//!
//! # ascendcl::run(Library::Simulator, |current| {
//! # let (other, numbers) = (current.stream()?, current.upload(&[1_u8; 4])?);
//! # let written = other.set_bytes(current, numbers, 7)?;
//! # let recorded = other.record(current, current.event()?)?;
//! # let theirs = recorded.as_raw();
//! let (stream, functions) = (current.stream()?, current.library().as_raw());
//! // SAFETY: other code has recorded the event in this context, and destroys it after this work is over. The function
//! // queues one task on this stream, and uses no memory.
//! let behind = unsafe {
//!     stream.submit(current, "aclrtStreamWaitEvent", (), |stream, ()| {
//!         functions.aclrtStreamWaitEvent(aclrtStream(stream), aclrtEvent(theirs))
//!     })
//! }?;
//! // What is queued on the stream from here on reads what other code wrote before it recorded the event.
//! behind.wait(current)?;
//! # assert_eq!(written.wait(current)?.to_vec(current)?, [7; 4]);
//! # Ok::<_, ascendcl::Error>(())
//! # })?;
//! # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
//! ```
//!
//! An object of other code that has to end before the context does (a communicator, a channel, an executor) is
//! [attached](Attach) to the context, which takes it down in its turn.
//!
//! # Crates beside this one
//!
//! A crate that adds a part of the library to this one is written on this module alone, as `ascendcl-ge` is: it adds
//! sessions of the graph engine.
//!
//! | it has | and takes from here |
//! | --- | --- |
//! | functions of another library | [`Current::check_calls_allowed`](crate::Current::check_calls_allowed), which says whether they may be called now |
//! | functions that make other contexts current | [`Loaded::foreign`](crate::library::Loaded::foreign), around each call of them |
//! | objects that end before their context | [`Attach`] |
//! | work that uses its objects | [`InFlight`], [`LastUse`], [`submit_object`](crate::stream::StreamOps::submit_object) |
//! | objects that keep streams and memory of the program | [`KeptStream`], [`KeptMemory`], [`tensors`] |
//! | a library that calls allocators of the program | [`AllocatorSlot`] |
//! | a library that has to end before this one | [`Acl::hold`](crate::Acl::hold) |
//! | errors, and rules that they name | [`ExtensionError`](crate::error::ExtensionError), [`ForeignKind`](crate::error::ForeignKind) |

mod adopt;
mod allocator_slot;
mod attach;
mod attached;
mod call_result;
mod handles;
mod kept;
mod operands;
mod submit;
mod work;

pub use crate::device_allocator::{AddressFn, AllocateFn, AllocateNearFn, FreeFn};
pub use crate::ends_before::EndsBefore;
pub use crate::library_user::{LibraryHold, LibraryUser};
pub use allocator_slot::{AllocatorFunctions, AllocatorSlot, SlotKeeper};
pub use attach::{Attach, EndingContext};
pub use attached::{Attached, Uses};
pub use call_result::CallResult;
pub use handles::HasOneAddress;
pub use kept::{KeptElement, KeptMemory, KeptStream, LentStream, RawTensor, tensors};
pub use operands::{Operands, RawMemory};
pub use work::{InFlight, LastUse};
