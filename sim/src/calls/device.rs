//! Setting and resetting devices, and waiting for them; access between devices.

use super::{deadline, wanted};
use crate::abi::Out;
use crate::failure::{Answer, Failure};
use crate::locks;
use crate::machine::contexts::context::{Context, current_context};
use crate::machine::life::devices;
use crate::machine::watch;
use crate::machine::workers::pool;
use crate::machine::{device, streams, trouble};
use ascendcl_rules::{DEV_13, Object, Op};
use ascendcl_sys::error_codes::ACL_ERROR_FEATURE_UNSUPPORTED;
use std::sync::Arc;
use std::time::Instant;

pub(crate) fn aclrtSetDevice(device_id: i32) -> Answer {
    let device = device::device_to_use(device_id)?;
    let call = watch::call(Op::Set, Object::device(device.id().into())).begin()?;
    devices::set(&device, |context| call.made(context))
}

pub(crate) fn aclrtResetDevice(device_id: i32) -> Answer {
    reset(device_id, Op::Reset)
}

pub(crate) fn aclrtResetDeviceForce(device_id: i32) -> Answer {
    reset(device_id, Op::ResetForce)
}

fn reset(device_id: i32, op: Op) -> Answer {
    let device = device::device(device_id.into())?;
    let call = watch::call(op, Object::device(device.id().into())).begin()?;
    let forced = op == Op::ResetForce;
    devices::reset(&device, forced, || drop(call.end(Ok::<_, Failure>(()))))?;
    if forced {
        end_hang(&device);
    }
    Ok(())
}

/// A forced reset ends a hang. The work that hung on this device is lost, also that of contexts which the reset leaves:
/// their memory may be freed now.
fn end_hang(device: &device::Device) {
    if trouble::hangs() {
        streams::of_device(device.id()).iter().for_each(|stream| stream.abort());
        trouble::hang_no_longer();
        pool::wake_stalled();
    }
}

pub(crate) fn aclrtGetDevice(mut device_id: Out<'_, i32>) -> Answer {
    wanted(&device_id)?;
    let device = current_context()?.device().id();
    device_id.set(i32::try_from(device).unwrap_or(i32::MAX));
    Ok(())
}

pub(crate) fn aclrtGetDeviceCount(mut count: Out<'_, u32>) -> Answer {
    wanted(&count)?;
    count.set(u32::try_from(device::all().len()).unwrap_or(u32::MAX));
    Ok(())
}

pub(crate) fn aclrtSynchronizeDevice() -> Answer {
    watch::call(Op::Synchronize, Object::PROCESS).begin()?.end(synchronize(None))
}

pub(crate) fn aclrtSynchronizeDeviceWithTimeout(timeout: i32) -> Answer {
    let deadline = deadline(timeout)?;
    watch::call(Op::Synchronize, Object::PROCESS).begin()?.end(synchronize(deadline))
}

/// Waits for every stream of the current context; answers the first failure, after all of them.
pub(super) fn synchronize(deadline: Option<Instant>) -> Answer {
    let context = current_context()?;
    let mut answer = Ok(());
    for stream in streams::of_context(context.id()) {
        answer = answer.and(stream.synchronize(deadline));
    }
    answer
}

pub(crate) fn aclrtGetPrimaryCtxState(device_id: i32, flags: Out<'_, u32>, mut active: Out<'_, i32>) -> Answer {
    wanted(&active)?;
    if !flags.is_null() {
        return Err(Failure::invalid("the place for flags is reserved as null"));
    }
    let device = device::device(device_id.into())?;
    active.set(i32::from(devices::is_set(&device)));
    Ok(())
}

/// Every two different devices can reach each other.
pub(crate) fn aclrtDeviceCanAccessPeer(mut can: Out<'_, i32>, device_id: i32, peer_device_id: i32) -> Answer {
    different(device_id, peer_device_id)?;
    device::device(peer_device_id.into())?;
    let device = numbered(device_id)?;
    if can.is_null() {
        return Err(Failure::refused("there is no place for the result: the pointer is null"));
    }
    device::device(device.into())?;
    can.set(1);
    Ok(())
}

pub(crate) fn aclrtDeviceEnablePeerAccess(peer_device_id: i32, flags: u32) -> Answer {
    if flags != 0 {
        let text = format!("the flags are reserved as 0, and {flags:#x} was given");
        let failure = Failure::new(ACL_ERROR_FEATURE_UNSUPPORTED, text);
        return Err(failure.breaks(DEV_13, "flags of 0", "pass 0: the flags are reserved").about(Object::PROCESS));
    }
    let context = current_context()?;
    let peer = peer_of(&context, peer_device_id)?;
    let call = watch::call(Op::EnablePeer, Object::device(peer.id().into())).begin()?;
    locks::lock(context.device().peers()).insert(peer.id());
    call.end(Ok(()))
}

/// Disabling access that was not enabled succeeds.
pub(crate) fn aclrtDeviceDisablePeerAccess(peer_device_id: i32) -> Answer {
    let context = current_context()?;
    let peer = peer_of(&context, peer_device_id)?;
    let call = watch::call(Op::DisablePeer, Object::device(peer.id().into())).begin()?;
    locks::lock(context.device().peers()).remove(&peer.id());
    call.end(Ok(()))
}

/// A device that is not there is one without access.
pub(crate) fn aclrtDevicePeerAccessStatus(device_id: i32, peer_device_id: i32, mut status: Out<'_, i32>) -> Answer {
    wanted(&status)?;
    let (device, peer) = (numbered(device_id)?, numbered(peer_device_id)?);
    let device = device::device(device.into()).ok();
    status.set(i32::from(device.is_some_and(|device| locks::lock(device.peers()).contains(&peer))));
    Ok(())
}

/// A number that a device could have (107000).
fn numbered(device_id: i32) -> Answer<u32> {
    const MOST: u32 = 64;
    let number = u32::try_from(device_id).ok().filter(|number| *number < MOST);
    number.ok_or_else(|| Failure::refused(format!("{device_id} is no number of a device")))
}

/// The other device of a call about access from the current one.
fn peer_of(context: &Context, peer_device_id: i32) -> Answer<Arc<device::Device>> {
    let peer = device::device_to_use(peer_device_id)?;
    let fix = "call it with another device than the one whose context is current";
    let of_peers = |failure: Failure| failure.breaks(DEV_13, "two different devices", fix).about(Object::PROCESS);
    different(context.device().id(), peer.id()).map_err(of_peers)?;
    Ok(peer)
}

fn different<N: PartialEq>(device: N, peer: N) -> Answer {
    if device == peer {
        Err(Failure::invalid("a device needs no access to itself, and none can be enabled"))
    } else {
        Ok(())
    }
}
