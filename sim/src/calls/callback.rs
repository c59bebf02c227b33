//! Callbacks in stream order: on a thread that the caller subscribed, or on one of the library.

use super::deadline;
use crate::abi::{HostCallback, Opaque};
use crate::failure::{Answer, Failure};
use crate::machine::callbacks::reports;
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::{Named, waiting_stream};
use crate::machine::watch;
use ascendcl_rules::{Access, CB_05, Flag, Object, Op, Role};
use ascendcl_sys::error_codes::ACL_ERROR_INVALID_PARAM;
use ascendcl_sys::types::*;

pub(crate) fn aclrtSubscribeReport(thread_id: u64, stream: aclrtStream) -> Answer {
    let call = watch::call(Op::Subscribe, stream).begin()?;
    let stream = waiting_stream(stream)?;
    call.end(reports::subscribe(thread_id, &stream))
}

pub(crate) fn aclrtUnSubscribeReport(thread_id: u64, stream: aclrtStream) -> Answer {
    let call = watch::call(Op::Unsubscribe, stream).begin()?;
    let stream = waiting_stream(stream)?;
    call.end(reports::unsubscribe(thread_id, &stream))
}

/// Unlike other waits, this one has the AscendCL layer refuse the time itself (100000).
pub(crate) fn aclrtProcessReport(timeout: i32) -> Answer {
    let deadline =
        deadline(timeout).map_err(|refused| Failure { code: ACL_ERROR_INVALID_PARAM, ..refused.instead(CB_05) })?;
    reports::process(deadline)
}

pub(crate) fn aclrtLaunchCallback(
    func: aclrtCallback,
    user_data: Opaque,
    block_type: aclrtCallbackBlockType,
    stream: aclrtStream,
) -> Answer {
    let blocking = match block_type {
        aclrtCallbackBlockType::ACL_CALLBACK_BLOCK => true,
        aclrtCallbackBlockType::ACL_CALLBACK_NO_BLOCK => false,
        other => return Err(Failure::invalid(format!("{} is no block type", other.0))),
    };
    let named = Named::find(stream)?;
    let func = func.ok_or_else(|| Failure::refused("the callback is null"))?;
    let callback = HostCallback::new(func, user_data, watch::new_callback());
    let number = Object::callback(callback.number());
    let call = watch::call(Op::LaunchCallback, stream).queue(stream).with(number);
    let call = call.flag(Flag::StreamGoesOn, !blocking).begin()?;
    let stream = named.for_work()?;
    call.end(reports::launch(callback, &stream, blocking))
}

pub(crate) fn aclrtLaunchHostFunc(stream: aclrtStream, func: aclrtHostFunc, args: Opaque) -> Answer {
    let named = Named::find(stream)?;
    let func = func.ok_or_else(|| Failure::refused("the host function is null"))?;
    let callback = HostCallback::new(func, args, watch::new_callback());
    let call = watch::call(Op::LaunchHostFunction, stream).queue(stream);
    let call = call.with(Object::callback(callback.number())).begin()?;
    if let Some(stream) = named.stream() {
        current_context()?;
        reports::refuse_subscribed(stream)?;
    }
    let stream = named.for_work()?;
    reports::refuse_subscribed(&stream)?;
    let (number, state) = (stream.number(), callback.argument());
    reports::launch_on_own_thread(callback, &stream)?;
    watch::keeps_for_a_task(number, state, 1, (Access::Read, Role::Instruction));
    call.end(Ok(()))
}
