//! Small questions and settings that concern a device or the process: kept, or answered as the simulated device is.

use super::memory::not_null;
use super::set::aclrtMemsetAsync;
use super::wanted;
use crate::abi::{Address, InOut, Out};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use crate::machine::device::{self, settings};
use crate::machine::life::devices;
use crate::machine::streams::refusals::assembly_of;
use crate::machine::streams::refusals::refuse_on;
use ascendcl_sys::error_codes::{ACL_ERROR_RT_INTERNAL_ERROR, ACL_ERROR_RT_SYSPARAMOPT_NOT_SET};
use ascendcl_sys::types::*;

/// Every device is well.
pub(crate) fn aclrtQueryDeviceStatus(device_id: i32, mut device_status: Out<'_, aclrtDeviceStatus>) -> Answer {
    wanted(&device_status)?;
    device::device(device_id.into())?;
    device_status.set(aclrtDeviceStatus::ACL_RT_DEVICE_STATUS_NORMAL);
    Ok(())
}

/// The process outside of any container; the simulator looks no further than the one that it runs in.
pub(crate) fn aclrtDeviceGetBareTgid(mut pid: Out<'_, i32>) -> Answer {
    wanted(&pid)?;
    pid.set(std::process::id().cast_signed());
    Ok(())
}

/// All numbers of a device are the same here.
pub(crate) fn aclrtGetLogicDevIdByUserDevId(user: i32, number: Out<'_, i32>) -> Answer {
    same_number(user, number)
}

pub(crate) fn aclrtGetLogicDevIdByPhyDevId(physical: i32, number: Out<'_, i32>) -> Answer {
    same_number(physical, number)
}

pub(crate) fn aclrtGetUserDevIdByLogicDevId(logical: i32, number: Out<'_, i32>) -> Answer {
    same_number(logical, number)
}

pub(crate) fn aclrtGetUserDevIdByPhyDevId(physical: i32, number: Out<'_, i32>) -> Answer {
    same_number(physical, number)
}

pub(crate) fn aclrtGetPhyDevIdByLogicDevId(logical: i32, number: Out<'_, i32>) -> Answer {
    same_number(logical, number)
}

pub(crate) fn aclrtGetPhyDevIdByUserDevId(user: i32, number: Out<'_, i32>) -> Answer {
    same_number(user, number)
}

fn same_number(id: i32, mut number: Out<'_, i32>) -> Answer {
    wanted(&number)?;
    device::device(id.into())?;
    number.set(id);
    Ok(())
}

pub(crate) fn aclrtSetTsDevice(ts_id: aclrtTsId) -> Answer {
    if ts_id > aclrtTsId::ACL_TS_ID_AIVECTOR {
        return Err(Failure::invalid(format!("there is no task scheduler {}", ts_id.0)));
    }
    Ok(())
}

/// Nothing here takes longer than it may.
pub(crate) fn aclrtSetOpExecuteTimeOut(_timeout: u32) -> Answer {
    Ok(())
}

/// In milliseconds; the longest there is, as nothing has a limit.
pub(crate) fn aclrtGetOpExecuteTimeout(mut timeout_ms: Out<'_, u32>) -> Answer {
    wanted(&timeout_ms)?;
    timeout_ms.set(u32::MAX);
    Ok(())
}

/// A persistent stream has tasks while it is part of a model that is built; there alone they can be dropped.
pub(crate) fn aclrtPersistentTaskClean(stream: aclrtStream) -> Answer {
    if stream.is_null() {
        return Err(Failure::refused("the stream is null"));
    }
    let stream = Named::find(stream)?.for_work()?;
    match assembly_of(&stream) {
        Ok(assembly) => assembly.clean(stream.number()),
        Err(_) => Err(Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, "the stream has no tasks that can be dropped")),
    }
}

pub(crate) fn aclrtCtxSetSysParamOpt(opt: aclSysParamOpt, value: i64) -> Answer {
    let place = parameter(opt)?;
    let context = current_context()?;
    on_or_off(value)?;
    lock(settings::parameters()).insert((context.id(), place), value);
    Ok(())
}

pub(crate) fn aclrtCtxGetSysParamOpt(opt: aclSysParamOpt, mut value: Out<'_, i64>) -> Answer {
    wanted(&value)?;
    let place = parameter(opt)?;
    value.set(kept(current_context()?.id(), place)?);
    Ok(())
}

pub(crate) fn aclrtSetSysParamOpt(opt: aclSysParamOpt, value: i64) -> Answer {
    let place = parameter(opt)?;
    on_or_off(value)?;
    lock(settings::parameters()).insert((0, place), value);
    Ok(())
}

pub(crate) fn aclrtGetSysParamOpt(opt: aclSysParamOpt, mut value: Out<'_, i64>) -> Answer {
    wanted(&value)?;
    let place = parameter(opt)?;
    value.set(kept(0, place)?);
    Ok(())
}

fn parameter(opt: aclSysParamOpt) -> Answer<u32> {
    if opt > aclSysParamOpt::ACL_OPT_ENABLE_KERNEL_EARLY_START {
        return Err(Failure::invalid(format!("there is no system parameter {}", opt.0)));
    }
    Ok(opt.0)
}

fn on_or_off(value: i64) -> Answer {
    if matches!(value, 0 | 1) { Ok(()) } else { Err(Failure::refused(format!("{value} is neither 0 nor 1"))) }
}

fn kept(context: usize, place: u32) -> Answer<i64> {
    let value = lock(settings::parameters()).get(&(context, place)).copied();
    value.ok_or_else(|| Failure::new(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "the system parameter was not set"))
}

/// No device here can be stopped in the middle of its work.
pub(crate) fn aclrtDeviceTaskAbort(device_id: i32, _timeout: u32) -> Answer {
    let device = device::device(device_id.into())?;
    if !devices::is_set(&device) {
        return Err(Failure::no_context());
    }
    Err(Failure::unsupported("this device cannot stop its work"))
}

/// Nothing overflows here: the status is zeros.
pub(crate) fn aclrtGetOverflowStatus(output_addr: Address, output_size: usize, stream: aclrtStream) -> Answer {
    const LEAST: usize = 64;
    not_null(output_addr)?;
    let named = Named::find(stream)?;
    if output_size < LEAST {
        return Err(Failure::refused(format!("the status takes {LEAST} bytes, and there is room for {output_size}")));
    }
    refuse_on(&*named.for_work()?, "asked for its overflows")?;
    aclrtMemsetAsync(output_addr, LEAST, 0, LEAST, stream)
}

pub(crate) fn aclrtResetOverflowStatus(stream: aclrtStream) -> Answer {
    refuse_on(&*Named::find(stream)?.for_work()?, "rid of its overflows")
}

/// Memory needs no hints here.
pub(crate) fn aclrtCmoAsync(src: Address, size: usize, cmo_type: aclrtCmoType, stream: aclrtStream) -> Answer {
    not_null(src)?;
    if size == 0 {
        return Err(Failure::invalid("the size is 0"));
    }
    let named = Named::find(stream)?;
    if cmo_type > aclrtCmoType::ACL_RT_CMO_TYPE_FLUSH {
        return Err(Failure::refused(format!("there is no hint {}", cmo_type.0)));
    }
    named.for_work()?.submit_each(|_| Ok(())).map(drop)
}

/// The device copies, and does not reduce on the way.
pub(crate) fn aclrtReduceAsync(
    dst: Address,
    src: Address,
    count: u64,
    kind: aclrtReduceKind,
    data_type: aclDataType,
    stream: aclrtStream,
    _reserve: Address,
) -> Answer {
    not_null(dst)?;
    not_null(src)?;
    match data_type {
        aclDataType::ACL_FLOAT
        | aclDataType::ACL_FLOAT16
        | aclDataType::ACL_BF16
        | aclDataType::ACL_INT8
        | aclDataType::ACL_INT16
        | aclDataType::ACL_INT32 => {}
        other => return Err(Failure::invalid(format!("nothing is reduced in the data type {}", other.0))),
    }
    let named = Named::find(stream)?;
    let known = aclrtReduceKind::ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM..=aclrtReduceKind::ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL;
    if count == 0 || !known.contains(&kind) {
        return Err(Failure::refused(format!("{count} bytes cannot be reduced in the way {}", kind.0)));
    }
    if named.for_work()?.is_recording() {
        return Err(Failure::refused("a reduction cannot be captured"));
    }
    Err(Failure::unsupported("this device does not reduce"))
}

/// The load of a simulated device is not measured: it counts as idle.
pub(crate) fn aclrtGetDeviceUtilizationRate(
    device_id: i32,
    mut utilization_info: InOut<'_, aclrtUtilizationInfo>,
) -> Answer {
    let idle = |before: aclrtUtilizationInfo| {
        device::device(device_id.into())?;
        Ok(aclrtUtilizationInfo {
            cubeUtilization: 0,
            vectorUtilization: 0,
            aicpuUtilization: 0,
            memoryUtilization: 0,
            utilizationExtend: before.utilizationExtend,
        })
    };
    utilization_info.replace(idle).unwrap_or_else(|| Err(Failure::invalid("there is no place for the rates")))
}
