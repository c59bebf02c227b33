//! Streams.

use super::{deadline, no_default_stream, not_below_minus_one, wanted};
use crate::abi::Out;
use crate::failure::{Answer, Failure};
use crate::machine::callbacks::notices;
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::{Named, submission_stream, waiting_stream};
use crate::machine::contexts::teardown::{Rest, destroy_stream, discard_stream};
use crate::machine::memory::areas::Area;
use crate::machine::streams::refusals::refuse_on as refuse_captured;
use crate::machine::streams::stream::{Kind, Stream};
use crate::machine::streams::table;
use crate::machine::watch;
use ascendcl_rules::{Flag, Object, Op, STREAM_14};
use ascendcl_sys::constants::*;
use ascendcl_sys::types::*;
use std::sync::Arc;

pub(crate) fn aclrtCreateStream(stream: Out<'_, aclrtStream>) -> Answer {
    create(stream, Kind::default())
}

pub(crate) fn aclrtCreateStreamWithConfig(stream: Out<'_, aclrtStream>, priority: u32, flag: u32) -> Answer {
    create_with(stream, priority, flag, None)
}

/// The models that run on the stream use `work`.
pub(super) fn create_with(stream: Out<'_, aclrtStream>, priority: u32, flag: u32, work: Option<Area>) -> Answer {
    /// Other bits are not looked at, and forgotten.
    const KNOWN: u32 = ACL_STREAM_FAST_LAUNCH
        | ACL_STREAM_FAST_SYNC
        | ACL_STREAM_PERSISTENT
        | ACL_STREAM_HUGE
        | ACL_STREAM_CPU_SCHEDULE
        | ACL_STREAM_DEVICE_USE_ONLY;
    const APART: u32 = ACL_STREAM_PERSISTENT | ACL_STREAM_DEVICE_USE_ONLY;
    const LEAST_PRIORITY: i32 = 7;
    wanted(&stream)?;
    if flag & APART == APART {
        let failure = Failure::refused(format!("{flag:#x} is no combination of stream flags"));
        let fix = "create one stream for model instances, and another one for the device's own use";
        return Err(failure.breaks(
            STREAM_14,
            "ACL_STREAM_PERSISTENT or ACL_STREAM_DEVICE_USE_ONLY, and not both",
            fix,
        ));
    }
    if flag & ACL_STREAM_DEVICE_USE_ONLY != 0 {
        if flag & KNOWN != ACL_STREAM_DEVICE_USE_ONLY {
            let text = format!("{flag:#x} is no combination of stream flags: the device's own use goes with no other");
            return Err(Failure::refused(text));
        }
        return Err(Failure::unsupported("this device has no streams for its own use alone"));
    }
    // A priority has a sign, and one outside of 0 to 7 becomes the nearest.
    let kept = priority.cast_signed().clamp(0, LEAST_PRIORITY).cast_unsigned();
    create(stream, Kind { priority: kept, flags: flag & KNOWN, work, ..Kind::default() })
}

fn create(mut stream: Out<'_, aclrtStream>, kind: Kind) -> Answer {
    wanted(&stream)?;
    let persistent = kind.flags & ACL_STREAM_PERSISTENT != 0;
    let call = watch::call(Op::Create, Object::stream(0)).flag(Flag::Persistent, persistent).begin()?;
    let context = current_context()?;
    let created = table::create(context.id(), context.device(), kind)?;
    if !context.is_alive() {
        // Another thread ended the context during the call and may not have seen the stream.
        discard_stream(&created);
        return Err(Failure::no_context());
    }
    // Stopping at failures is for all streams of a context, also for those that come later (STREAM-15).
    if context.default_stream().settings.stops_at_failure() {
        created.settings.stop_at_failure(true)?;
    }
    call.made(created.number());
    stream.set(created.handle());
    notices::stream_created(&created);
    Ok(())
}

pub(crate) fn aclrtDestroyStream(stream: aclrtStream) -> Answer {
    watch::call(Op::Destroy, stream).begin()?.end(destroy_stream(stream, Rest::Finish))
}

pub(crate) fn aclrtDestroyStreamForce(stream: aclrtStream) -> Answer {
    watch::call(Op::DestroyForce, stream).begin()?.end(destroy_stream(stream, Rest::Discard))
}

pub(crate) fn aclrtStreamAbort(stream: aclrtStream) -> Answer {
    let call = watch::call(Op::Abort, stream).begin()?;
    if stream.is_null() && current_context().is_err() {
        return Err(no_default_stream());
    }
    let stream = submission_stream(stream)?;
    if stream.is_default() {
        return Err(Failure::unsupported("a default stream cannot be aborted"));
    }
    if stream.is_captured() {
        return Err(Failure::unsupported("the stream is being captured, so there is nothing to abort"));
    }
    stream.abort();
    call.end(Ok(()))
}

/// No device here can be stopped in the middle of a stream's work.
pub(crate) fn aclrtStreamStop(stream: aclrtStream) -> Answer {
    if stream.is_null() {
        return Err(Failure::refused("the stream is null"));
    }
    waiting_stream(stream)?;
    Err(Failure::unsupported("this device cannot stop a stream"))
}

pub(crate) fn aclrtSynchronizeStream(stream: aclrtStream) -> Answer {
    let call = watch::call(Op::Synchronize, stream).begin()?;
    call.end(asked(stream, "waited for")?.synchronize(None))
}

pub(crate) fn aclrtSynchronizeStreamWithTimeout(stream: aclrtStream, timeout: i32) -> Answer {
    not_below_minus_one(timeout)?;
    let call = watch::call(Op::Synchronize, stream).begin()?;
    Named::find(stream)?;
    let deadline = deadline(timeout)?;
    call.end(asked(stream, "waited for")?.synchronize(deadline))
}

pub(crate) fn aclrtStreamQuery(stream: aclrtStream, mut status: Out<'_, aclrtStreamStatus>) -> Answer {
    wanted(&status)?;
    let call = watch::call(Op::Query, stream).begin()?;
    let stream = asked(stream, "asked for its state")?;
    status.set(match call.found(stream.is_persistent() || stream.is_complete()) {
        true => aclrtStreamStatus::ACL_STREAM_STATUS_COMPLETE,
        false => aclrtStreamStatus::ACL_STREAM_STATUS_NOT_READY,
    });
    Ok(())
}

/// The stream of a call that waits or asks for its state. A captured one says so in any context and in none. Nothing on a
/// persistent one runs by itself, so that one needs no context either.
fn asked(handle: aclrtStream, what: &str) -> Answer<Arc<Stream>> {
    if let Some(stream) = Named::find(handle)?.stream() {
        refuse_captured(stream, what)?;
        if stream.is_persistent() {
            return Ok(Arc::clone(stream));
        }
    }
    waiting_stream(handle)
}

pub(crate) fn aclrtCtxGetCurrentDefaultStream(mut stream: Out<'_, aclrtStream>) -> Answer {
    wanted(&stream)?;
    let call = watch::call(Op::AskDefaultStream, Object::stream(0)).begin()?;
    let found = current_context()?.default_stream();
    call.made(found.number());
    stream.set(found.handle());
    Ok(())
}

pub(crate) fn aclrtGetStreamAvailableNum(mut stream_count: Out<'_, u32>) -> Answer {
    wanted(&stream_count)?;
    let left = current_context()?.device().streams_left();
    stream_count.set(u32::try_from(left).unwrap_or(u32::MAX));
    Ok(())
}

pub(crate) fn aclrtStreamGetFlags(stream: aclrtStream, mut flags: Out<'_, u32>) -> Answer {
    wanted(&flags)?;
    flags.set(waiting_stream(stream)?.flags());
    Ok(())
}

pub(crate) fn aclrtStreamGetId(stream: aclrtStream, mut stream_id: Out<'_, i32>) -> Answer {
    wanted(&stream_id)?;
    stream_id.set(Named::find(stream)?.in_any_context()?.id());
    Ok(())
}

pub(crate) fn aclrtStreamGetPriority(stream: aclrtStream, mut priority: Out<'_, u32>) -> Answer {
    wanted(&priority)?;
    priority.set(waiting_stream(stream)?.priority());
    Ok(())
}
