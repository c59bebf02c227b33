//! Filling memory.

use super::copy::fits;
use super::memory::is_somewhere;
use crate::abi::{Address, fill};
use crate::failure::{Answer, Failure};
use crate::machine::capture::{refuse_blocking, refuse_synchronous};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use crate::machine::memory::{describe, hold};
use crate::machine::trouble;
use crate::machine::watch;
use ascendcl_rules::{MEM_16, Op, Role};
use ascendcl_sys::types::aclrtStream;

pub(crate) fn aclrtMemset(dev_ptr: Address, max_count: usize, value: i32, count: usize) -> Answer {
    set(dev_ptr, max_count, Pattern::Byte(lowest_byte(value)), count)
}

pub(crate) fn aclrtMemsetAsync(
    dev_ptr: Address,
    max_count: usize,
    value: i32,
    count: usize,
    stream: aclrtStream,
) -> Answer {
    set_async(dev_ptr, max_count, Pattern::Byte(lowest_byte(value)), count, stream)
}

/// The size is in bytes, the number in values of 32 bits.
pub(crate) fn aclrtMemsetD32(ptr: Address, mem_size: usize, value: u32, n: usize) -> Answer {
    set(ptr, mem_size, Pattern::Word(value), bytes_of(ptr, mem_size, n)?)
}

pub(crate) fn aclrtMemsetD32Async(ptr: Address, mem_size: usize, value: u32, n: usize, stream: aclrtStream) -> Answer {
    set_async(ptr, mem_size, Pattern::Word(value), bytes_of(ptr, mem_size, n)?, stream)
}

/// What memory is filled with.
#[derive(Clone, Copy)]
enum Pattern {
    Byte(u8),
    Word(u32),
}

impl Pattern {
    fn fill(self, start: Address, count: usize) {
        match self {
            Self::Byte(value) => fill(start, value, count),
            Self::Word(value) => start.with_bytes_mut(count, |bytes| {
                bytes.chunks_exact_mut(WORD).for_each(|word| word.copy_from_slice(&value.to_ne_bytes()));
            }),
        }
    }
}

const WORD: usize = size_of::<u32>();

fn set(start: Address, room: usize, pattern: Pattern, count: usize) -> Answer {
    if count == 0 {
        return Ok(());
    }
    is_somewhere(start, MEM_16)?;
    let call = watch::call(Op::Fill, start).writes(start, count, Role::Target, None).room(start, room).begin()?;
    current_context()?;
    refuse_synchronous()?;
    fits(count, room)?;
    let _hold = hold(start, count)?;
    trouble::before_work()?;
    pattern.fill(start, count);
    call.end(Ok(()))
}

fn set_async(start: Address, room: usize, pattern: Pattern, count: usize, stream: aclrtStream) -> Answer {
    if count == 0 {
        return Ok(());
    }
    is_somewhere(start, MEM_16)?;
    let named = Named::find(stream)?;
    fits(count, room)?;
    let call = watch::call(Op::Fill, stream).queue(stream).writes(start, count, Role::Target, None);
    let call = call.room(start, room).blocking_for(&[start]).begin()?;
    let stream = named.for_work()?;
    let hold = hold(start, count)?;
    let pageable = hold.is_pageable();
    if pageable {
        refuse_blocking(&stream, "setting memory that is not pinned waits until it has run")?;
        stream.refuse_self_wait()?;
    }
    let position = stream.submit_each(move |_| {
        let _kept = &hold;
        pattern.fill(start, count);
        Ok(())
    })?;
    // As with copies, memory that is not pinned may be freed after the call.
    call.end(if pageable && !stream.is_persistent() { stream.finished(position, None) } else { Ok(()) })
}

/// C's `memset` uses the lowest byte of its argument.
fn lowest_byte(value: i32) -> u8 {
    value.to_le_bytes()[0]
}

/// How many bytes some values of 32 bits take. Other memory than the library's is not filled with them.
fn bytes_of(start: Address, room: usize, words: usize) -> Answer<usize> {
    if words == 0 {
        return Ok(0);
    }
    is_somewhere(start, MEM_16)?;
    let refused = |text: String| Err(Failure::invalid(text));
    if !start.number().is_multiple_of(WORD) {
        return refused(format!("{:#x} is no multiple of {WORD}", start.number()));
    }
    let Some(bytes) = words.checked_mul(WORD).filter(|bytes| *bytes <= room) else {
        return refused(format!("{words} values of {WORD} bytes do not fit into {room} bytes"));
    };
    match describe(start) {
        Some(_) => Ok(bytes),
        None => refused(format!("{:#x} is in no memory of the library", start.number())),
    }
}
