//! The state behind the calls: one simulated machine per process, with its devices, contexts, streams, events, memory.
//!
//! What the rest of the crate builds on:
//!
//! * [`current_context`]: the context that is current on this thread, or the failure 107002.
//! * [`submission_stream`]: the stream behind a C argument, after every check of a call that queues work on it (null is
//!   the default stream; 107017, then 107002, then 107003).
//! * [`Stream::submit`]: queues a task and returns at once with its position; the task's failure is what the next
//!   synchronise of the stream answers. [`Stream::finished`] waits for one position.
//! * [`memory`]: blocks of device and pinned memory by address. [`memory::allocate_device`], [`memory::free_device`],
//!   [`memory::describe`]. A task that works on memory keeps a [`memory::Hold`] on it, so that a block which its owner
//!   frees too early stays in place until the task has run.
//! * [`allocators::for_operator`], [`allocators::for_model`]: where the memory of an execution comes from: the machine,
//!   or the allocator that the caller registered for the stream.
//! * [`handles::Table`]: objects behind numbers that are looked up and never followed. Any number may be asked for.
//! * [`user_code`]: wrap every call into the caller's code with it.
//! * [`hooks`]: how other parts hear that a context has ended, and add to what [`crate::control::live`] counts.
//!
//! # Locks
//!
//! No lock is held while code of the caller runs, while a task runs, or while anything is waited for, with one
//! exception: a condition variable's own lock. Where two locks are held at once, they are taken in this order:
//!
//! 1. the initialisation count ([`process`]), then the configuration;
//! 2. the list of devices, then one device's `life` ([`device`]);
//! 3. one event's newest record ([`event`]);
//! 4. the ranges of addresses, then one range, then a handle table or the memory table;
//! 5. one stream's queue, then one capture or one group of captured tasks;
//! 6. the arena's free places, the values that are waited for, one notify, one point, the pool's run queue, the timer, the allocators' book, who is inside which
//!    allocator and then who waits, the watch on their blocks, or the report book and then one reporter.
//!
//! Tasks, blocks and callbacks are dropped outside every lock: dropping a queued record resumes the streams that wait
//! for it.

mod allocator_blocks;
pub(crate) mod allocator_calls;
pub(crate) mod allocators;
mod arena;
pub(crate) mod callback_thread;
pub(crate) mod capture;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod errors;
pub(crate) mod event;
pub(crate) mod exceptions;
pub(crate) mod handles;
pub(crate) mod hooks;
mod json;
pub(crate) mod locks;
pub(crate) mod media;
pub(crate) mod memory;
pub(crate) mod memory_pools;
mod missed;
pub(crate) mod models;
pub(crate) mod notices;
pub(crate) mod notify;
pub(crate) mod operators;
mod point;
pub(crate) mod pool;
pub(crate) mod process;
pub(crate) mod profiling;
mod queue;
pub(crate) mod random;
pub(crate) mod reports;
pub(crate) mod scratch;
mod serve;
pub(crate) mod settings;
pub(crate) mod stamps;
pub(crate) mod stream;
pub(crate) mod streams;
mod submission;
pub(crate) mod switches;
pub(crate) mod teardown;
pub(crate) mod tensor_channels;
mod timer;
pub(crate) mod user_code;
pub(crate) mod values;
pub(crate) mod virtual_memory;
mod waiting;

pub(crate) use context::{Context, current_context};
pub(crate) use stream::Stream;
pub(crate) use streams::{Named, submission_stream, waiting_stream};

/// Ends and drops everything, whoever uses it, as if the process had just begun. The configuration stays.
pub(crate) fn clear() {
    crate::faults::reset();
    notices::clear();
    exceptions::clear();
    settings::limit_waits(0);
    allocators::forget_all();
    for context in context::all() {
        if !context.is_primary() {
            // Another thread may have destroyed it meanwhile.
            let _ = context::destroy_with(context.handle(), teardown::Rest::Discard);
        }
    }
    device::all().iter().for_each(|device| device.clear());
    hooks::cleared();
    notify::clear();
    settings::clear();
    memory::clear();
    device::forget_all();
    context::forget_left();
    allocators::clear();
    process::clear();
    profiling::clear();
    stamps::clear();
    crate::watch::reset();
    errors::clear();
}
