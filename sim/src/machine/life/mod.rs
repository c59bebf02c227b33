//! How contexts and devices end, and how the machine begins afresh.

pub(crate) mod contexts;
pub(crate) mod devices;

use crate::machine::callbacks::notices;
use crate::machine::contexts::context;
use crate::machine::contexts::teardown::Rest;
use crate::machine::device::{self, settings};
use crate::machine::host::{dump, process, profiling, stamps};
use crate::machine::signals::{notify, shared_event};
use crate::machine::streams::{exceptions, stream_settings};
use crate::machine::thread::{current, errors};
use crate::machine::workers::pool;
use crate::machine::{allocators, descriptions, instances, memory, models, operators, watch};

/// Ends and drops everything, even what is in use, as if the process had just begun. The configuration stays.
pub(crate) fn clear() {
    notices::clear();
    exceptions::clear();
    stream_settings::clear();
    settings::limit_waits(0);
    allocators::forget_all();
    for context in context::all() {
        if !context.is_primary() {
            // Another thread may have destroyed it since.
            let _ = contexts::destroy_with(context.handle(), Rest::Discard);
        }
    }
    device::all().iter().for_each(|device| devices::clear(device));
    // A callback that is still under way may set a device: it is given back once more.
    pool::let_tasks_end();
    device::all().iter().for_each(|device| devices::clear(device));
    instances::clear();
    models::clear();
    operators::clear();
    descriptions::clear();
    notify::clear();
    shared_event::clear();
    settings::clear();
    memory::clear();
    devices::forget_all();
    current::forget_left();
    allocators::clear();
    process::clear();
    dump::clear();
    profiling::clear();
    stamps::clear();
    watch::reset();
    errors::clear();
}
