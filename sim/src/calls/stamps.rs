//! The program's own marks and ranges.

use super::model::told;
use super::wanted;
use crate::abi::{Address, In, Out, Text};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::named::submission_stream;
use crate::machine::host::stamps;
use ascendcl_sys::types::*;
use core::ffi::c_char;

pub(crate) fn aclprofCreateStamp() -> Option<Address> {
    Some(Address::named(stamps::create()))
}

pub(crate) fn aclprofDestroyStamp(stamp: Address) {
    // There is no code to answer with.
    told(stamps::destroy(stamp.number()));
}

pub(crate) fn aclprofSetStampTraceMessage(stamp: Address, msg: In<'_, c_char>, msg_len: u32) -> Answer {
    stamps::set_text(stamp.number(), text(&msg, msg_len as usize)?)
}

pub(crate) fn aclprofMark(stamp: Address) -> Answer {
    stamps::text_of(stamp.number()).map(stamps::mark)
}

/// Marks the moment when the stream comes to it.
pub(crate) fn aclprofMarkEx(msg: In<'_, c_char>, msg_len: usize, stream: aclrtStream) -> Answer {
    let text = text(&msg, msg_len)?;
    submission_stream(stream)?.submit_each(move |_| {
        stamps::mark(text.clone());
        Ok(())
    })?;
    Ok(())
}

pub(crate) fn aclprofPush(stamp: Address) -> Answer {
    stamps::text_of(stamp.number()).map(stamps::push)
}

pub(crate) fn aclprofPop() -> Answer {
    stamps::pop()
}

pub(crate) fn aclprofRangePushEx(attr: In<'_, aclprofEventAttributes>) -> Answer {
    let attributes = attr.get().ok_or_else(|| Failure::invalid("the attributes are null"))?;
    let message = Text::member(&attr, attributes.message).get();
    stamps::push(message.ok_or_else(|| Failure::invalid("the message is null"))?.into_owned());
    Ok(())
}

pub(crate) fn aclprofRangePop() -> Answer {
    stamps::pop()
}

pub(crate) fn aclprofRangeStart(stamp: Address, mut range_id: Out<'_, u32>) -> Answer {
    wanted(&range_id)?;
    range_id.set(stamps::start(stamps::text_of(stamp.number())?));
    Ok(())
}

pub(crate) fn aclprofRangeStop(range_id: u32) -> Answer {
    stamps::stop(range_id)
}

fn text(message: &In<'_, c_char>, length: usize) -> Answer<String> {
    if message.is_null() {
        return Err(Failure::invalid("the message is null"));
    }
    let bytes: Vec<u8> = message.list(length).into_iter().map(|byte| byte.cast_unsigned()).collect();
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
