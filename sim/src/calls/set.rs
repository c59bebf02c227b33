//! Filling memory.

use super::copy::fits;
use super::memory::not_null;
use crate::abi::{Address, fill};
use crate::failure::Answer;
use crate::machine::capture::{refuse_blocking, refuse_synchronous};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use crate::machine::memory::hold;
use crate::machine::trouble;
use crate::machine::watch;
use ascendcl_rules::{Op, Role};
use ascendcl_sys::types::aclrtStream;

pub(crate) fn aclrtMemset(dev_ptr: Address, max_count: usize, value: i32, count: usize) -> Answer {
    if count == 0 {
        return Ok(());
    }
    not_null(dev_ptr)?;
    let call =
        watch::call(Op::Fill, dev_ptr).writes(dev_ptr, count, Role::Target, None).room(dev_ptr, max_count).begin()?;
    current_context()?;
    refuse_synchronous()?;
    fits(count, max_count)?;
    let _hold = hold(dev_ptr, count)?;
    trouble::before_work()?;
    fill(dev_ptr, lowest_byte(value), count);
    call.end(Ok(()))
}

pub(crate) fn aclrtMemsetAsync(
    dev_ptr: Address,
    max_count: usize,
    value: i32,
    count: usize,
    stream: aclrtStream,
) -> Answer {
    if count == 0 {
        return Ok(());
    }
    not_null(dev_ptr)?;
    let named = Named::find(stream)?;
    fits(count, max_count)?;
    let call = watch::call(Op::Fill, stream).queue(stream).writes(dev_ptr, count, Role::Target, None);
    let call = call.room(dev_ptr, max_count).blocking_for(&[dev_ptr]).begin()?;
    let stream = named.for_work()?;
    let hold = hold(dev_ptr, count)?;
    let pageable = hold.is_pageable();
    if pageable {
        refuse_blocking(&stream, "setting memory that is not pinned waits until it has run")?;
        stream.refuse_self_wait()?;
    }
    let position = stream.submit_each(move |_| {
        let _kept = &hold;
        fill(dev_ptr, lowest_byte(value), count);
        Ok(())
    })?;
    // As with copies, memory that is not pinned may be freed after the call.
    call.end(if pageable && !stream.is_persistent() { stream.finished(position, None) } else { Ok(()) })
}

/// C's `memset` uses the lowest byte of its argument.
fn lowest_byte(value: i32) -> u8 {
    value.to_le_bytes()[0]
}
