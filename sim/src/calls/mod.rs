//! One function per C function, under its name: checks the arguments, in the vendor's order, and asks the machine.

#![allow(non_snake_case)]

mod allocator;
mod base;
mod batch;
mod between_processes;
mod blas;
mod building;
mod cache;
mod callback;
mod capture;
mod conditional;
mod context;
mod copy;
mod count_notify;
mod data_buffer;
mod dataset;
mod descriptor;
mod device;
mod dump;
mod event;
mod exceptions;
mod hardware;
mod indirect;
mod info;
mod instance;
mod label;
mod limits;
mod managed_memory;
mod media;
mod memory;
mod memory_pool;
mod memory_settings;
mod model;
mod notices;
mod notify;
mod operator;
mod options;
mod process;
mod profiling;
mod queue;
mod queue_buffers;
mod random;
mod reduce;
mod registration;
mod set;
mod settings;
mod stamps;
mod stream;
mod stream_settings;
mod tensor_channel;
mod tensor_desc;
mod virtual_memory;

pub(crate) use {
    allocator::*, base::*, batch::*, between_processes::*, blas::*, building::*, cache::*, callback::*, capture::*,
    conditional::*, context::*, copy::*, count_notify::*, data_buffer::*, dataset::*, device::*, dump::*, event::*,
    exceptions::*, hardware::*, indirect::*, info::*, instance::*, label::*, limits::*, managed_memory::*, media::*,
    memory::*, memory_pool::*, memory_settings::*, model::*, notices::*, notify::*, operator::*, options::*,
    process::*, profiling::*, queue::*, queue_buffers::*, random::*, reduce::*, registration::*, set::*, settings::*,
    stamps::*, stream::*, stream_settings::*, tensor_channel::*, tensor_desc::*, virtual_memory::*,
};

use instance::instance_handle;

use crate::abi::Out;
use crate::failure::{Answer, Failure};
use ascendcl_rules::{Object, STREAM_16};
use core::ffi::c_char;
use std::time::{Duration, Instant};

/// For calls to which null without a context is no stream at all.
fn no_default_stream() -> Failure {
    Failure::refused("the stream is null, and no context is current that has a default stream")
}

/// A place for a result that has to be there (100000).
fn wanted<T>(out: &Out<'_, T>) -> Answer {
    if out.is_null() { Err(Failure::invalid("there is no place for the result: the pointer is null")) } else { Ok(()) }
}

/// Stores a text with its terminating zero, which has to fit (100000).
fn store_text(place: &mut Out<'_, c_char>, text: &str, room: usize) -> Answer {
    let need = text.len() + 1;
    if need > room {
        return Err(Failure::invalid(format!("the text takes {need} bytes, and there is room for {room}")));
    }
    place.set_all(text.bytes().chain([0]).map(|byte| byte as c_char), room);
    Ok(())
}

/// The deadline of a wait of so many milliseconds. -1 means no limit; other values have to be positive (107000).
fn deadline(milliseconds: i32) -> Answer<Option<Instant>> {
    limit(milliseconds).map(|limit| limit.and_then(|limit| Instant::now().checked_add(limit)))
}

/// Refuses a limit before the object of the wait is looked at (107000); 0 is refused afterwards.
fn not_below_minus_one(milliseconds: i32) -> Answer {
    if milliseconds < -1 {
        return Err(no_limit(milliseconds));
    }
    Ok(())
}

/// Like [`deadline`], as a duration.
fn limit(milliseconds: i32) -> Answer<Option<Duration>> {
    match u64::try_from(milliseconds) {
        Ok(milliseconds) if milliseconds > 0 => Ok(Some(Duration::from_millis(milliseconds))),
        Err(_) if milliseconds == -1 => Ok(None),
        _ => Err(no_limit(milliseconds)),
    }
}

/// Not even 0 is a limit: a program that is not to wait queries (STREAM-16).
fn no_limit(milliseconds: i32) -> Failure {
    let failure = Failure::refused(format!("{milliseconds} is no time limit; it is -1 or positive"));
    let fix = "pass -1 for no limit, or query in place of a wait of 0";
    failure.breaks(STREAM_16, "-1 or a positive number of milliseconds", fix).about(Object::PROCESS)
}
