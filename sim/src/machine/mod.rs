//! The state behind the calls: one simulated machine per process, with its devices, contexts, streams, events, memory.
//!
//! The foundation of the rest of the crate:
//!
//! * [`current_context`](contexts::context::current_context): the context that is current on this thread, or the failure 107002.
//! * [`submission_stream`](contexts::named::submission_stream): the stream behind a C argument, after every check of a call that queues work on it (null is
//!   the default stream; 107017, then 107002, then 107003).
//! * [`submit`](streams::stream::Stream::submit): queues a task and returns at once with its position; the task's
//!   failure is what the next synchronise of the stream answers. [`finished`](streams::stream::Stream::finished) waits for
//!   one position.
//! * [`memory`]: blocks of device and pinned memory by address. [`memory::allocate_device`], [`memory::free_device`],
//!   [`memory::describe`]. A task that works on memory keeps a [`memory::Hold`] on it, so that a block which its owner
//!   frees too early stays in place until the task has run.
//! * [`allocators::for_operator`], [`allocators::for_model`]: where the memory of an execution comes from: the machine,
//!   or the allocator that the caller registered for the stream.
//! * [`handles::Table`]: objects behind numbers that are looked up and never followed. Any number may be asked for.
//! * [`user_code`](workers::user_code): wrap every call into the caller's code with it.
//!
//! # Floors
//!
//! A folder imports only what is below it; `tests/floors/` of `ascendcl` has the list. Two things run against it:
//!
//! * The [`workers`] are below the [`streams`]: a stream enters itself with them, and they call it by the trait
//!   [`Served`](workers::served::Served).
//! * What a stream does with its work instead of running it is data in [`recording`]; [`capture`], [`instances`] and
//!   [`event`] work on that from above.
//!
//! What ends with a context or a device is known to [`life`], which stands above it all and ends it in order.
//!
//! # Locks
//!
//! No lock is held while code of the caller runs, while a task runs, or while anything is waited for, with one
//! exception: a condition variable's own lock. Where two locks are held at once, they are taken in this order:
//!
//! 1. the initialisation count ([`host::process`]), then the configuration;
//! 2. the list of devices, then the table of their lives and one device's ([`life`]);
//! 3. one event's newest record ([`event`]);
//! 4. the ranges of addresses, then one range, then the blocks of other processes, then a handle table or the memory table,
//!    then the blocks that others may import;
//! 5. one stream's queue, then one capture, one group of captured tasks, one instance that is built, or one run of it;
//! 6. the arena's free places, the values that are waited for, one notify, one point, the pool's run queue, the timer, the
//!    streams that the workers know, the allocators' book, who is inside which allocator and then who waits, the watch on
//!    their blocks, or the report book and then one reporter.
//!
//! Tasks, blocks and callbacks are dropped outside every lock: dropping a queued record resumes the streams that wait
//! for it.

pub(crate) mod allocators;
pub(crate) mod callbacks;
pub(crate) mod capture;
pub(crate) mod contexts;
pub(crate) mod descriptions;
pub(crate) mod device;
pub(crate) mod event;
#[cfg(test)]
mod growth;
pub(crate) mod handles;
pub(crate) mod host;
pub(crate) mod instances;
pub(crate) mod life;
pub(crate) mod live;
pub(crate) mod memory;
pub(crate) mod models;
pub(crate) mod operators;
pub(crate) mod recording;
pub(crate) mod sharing;
pub(crate) mod signals;
pub(crate) mod streams;
pub(crate) mod thread;
pub(crate) mod trouble;
pub(crate) mod watch;
pub(crate) mod workers;
