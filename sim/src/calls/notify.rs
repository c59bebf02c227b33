//! Notifies, and values in memory that streams write and wait for.

use super::memory::not_null;
use super::wanted;
use crate::abi::{Address, In, Out};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use crate::machine::memory::{Place, describe, hold};
use crate::machine::signals::notify::{self, find};
use crate::machine::signals::values::{self, Until, Wanted};
use crate::machine::watch;
use ascendcl_rules::{Flag, Object, Op, Place as Claimed, Role};
use ascendcl_sys::constants::*;
use ascendcl_sys::types::*;
use std::time::Duration;

pub(crate) fn aclrtCreateNotify(notify: Out<'_, aclrtNotify>, flag: u64) -> Answer {
    wanted(&notify)?;
    let of_the_device = flag == u64::from(ACL_NOTIFY_DEVICE_USE_ONLY);
    if !of_the_device && flag != u64::from(ACL_NOTIFY_DEFAULT) {
        return Err(Failure::refused(format!("there is no notify with the flag {flag:#x}")));
    }
    hand_out(notify, false, || match of_the_device {
        true => Err(Failure::unsupported("this device has no notifies for its own use alone")),
        false => Ok(notify::create()),
    })
}

pub(crate) fn aclrtDestroyNotify(notify: aclrtNotify) -> Answer {
    let call = watch::call(Op::Destroy, notify).begin()?;
    let destroyed = find(notify).and_then(|notify| {
        current_context()?;
        notify.destroy()
    });
    call.end(destroyed)
}

pub(super) fn hand_out(
    mut notify: Out<'_, aclrtNotify>,
    imported: bool,
    make: impl FnOnce() -> Answer<aclrtNotify>,
) -> Answer {
    let call = watch::call(Op::Create, Object::notify(0)).flag(Flag::Imported, imported).begin()?;
    current_context()?;
    let made = make()?;
    call.made(made.0.addr());
    notify.set(made);
    Ok(())
}

pub(crate) fn aclrtRecordNotify(notify: aclrtNotify, stream: aclrtStream) -> Answer {
    let handle = notify;
    let notify = find(handle)?;
    let call = watch::call(Op::Use, stream).queue(stream).with(handle).begin()?;
    call.end(notify.record(&Named::find(stream)?.for_work()?))
}

/// The time limit is in seconds; 0 means no limit.
pub(crate) fn aclrtWaitAndResetNotify(notify: aclrtNotify, stream: aclrtStream, timeout: u32) -> Answer {
    let handle = notify;
    let notify = find(handle)?;
    let limit = (timeout > 0).then(|| Duration::from_secs(timeout.into()));
    let call = watch::call(Op::Fence, stream).queue(stream).with(handle).begin()?;
    call.end(notify.hold_up(&Named::find(stream)?.for_work()?, limit))
}

pub(crate) fn aclrtGetNotifyId(notify: aclrtNotify, mut notify_id: Out<'_, u32>) -> Answer {
    wanted(&notify_id)?;
    let notify = find(notify)?;
    current_context()?;
    notify_id.set(notify.id());
    Ok(())
}

/// Nothing is reset if one of the list is no notify.
pub(crate) fn aclrtNotifyBatchReset(notifies: In<'_, aclrtNotify>, num: usize) -> Answer {
    if notifies.is_null() {
        return Err(Failure::invalid("the list of notifies is null"));
    }
    let found = notifies.list(num).into_iter().map(|notify| match notify {
        aclrtNotify::NULL => Err(Failure::refused("a notify of the list is null")),
        notify => find(notify),
    });
    found.collect::<Answer<Vec<_>>>()?.iter().for_each(|notify| notify.reset());
    Ok(())
}

pub(crate) fn aclrtValueWrite(dev_addr: Address, value: u64, flag: u32, stream: aclrtStream) -> Answer {
    not_null(dev_addr)?;
    let (named, stream) = (stream, Named::find(stream)?);
    if flag != 0 {
        return Err(Failure::refused(format!("the flag is reserved as 0, not {flag:#x}")));
    }
    on_device(dev_addr)?;
    let call = watch::call(Op::Use, named).queue(named);
    let call = call.writes(dev_addr, size_of::<u64>(), Role::Signal, Some(Claimed::Device)).begin()?;
    let stream = stream.for_work()?;
    call.end(values::write(&stream, dev_addr, hold(dev_addr, size_of::<u64>())?, value))
}

pub(crate) fn aclrtValueWait(dev_addr: Address, value: u64, flag: u32, stream: aclrtStream) -> Answer {
    not_null(dev_addr)?;
    let (named, stream) = (stream, Named::find(stream)?);
    let until = match flag {
        ACL_STREAM_WAIT_VALUE_GEQ => Until::AtLeast,
        ACL_STREAM_WAIT_VALUE_EQ => Until::Equal,
        ACL_STREAM_WAIT_VALUE_AND => Until::AnyBit,
        ACL_STREAM_WAIT_VALUE_NOR => Until::Nor,
        flag => return Err(Failure::refused(format!("{flag:#x} says of no comparison"))),
    };
    on_device(dev_addr)?;
    let call = watch::call(Op::Fence, named).queue(named);
    let call = call.reads(dev_addr, size_of::<u64>(), Role::Signal, Some(Claimed::Device)).begin()?;
    let stream = stream.for_work()?;
    let hold = hold(dev_addr, size_of::<u64>())?;
    call.end(values::hold_up(&stream, Wanted { address: dev_addr, _hold: hold, value, until }))
}

/// The value is in memory of a device (107000).
pub(super) fn on_device(address: Address) -> Answer {
    match describe(address).map(|found| found.place) {
        Some(Place::Device(_)) => Ok(()),
        _ => Err(Failure::refused(format!("{:#x} is in no memory of a device", address.number()))),
    }
}
