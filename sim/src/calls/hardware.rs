//! Small questions and settings that concern a device or the process: kept, or answered as the simulated device is.

use super::memory::not_null;
use super::set::aclrtMemsetAsync;
use super::wanted;
use crate::abi::{Address, In, InOut, Out};
use crate::config;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use crate::machine::device::{self, settings};
use crate::machine::life::devices;
use crate::machine::streams::refusals::{assembly_of, refuse_on};
use ascendcl_rules::CTX_13;
use ascendcl_sys::error_codes::{
    ACL_ERROR_RT_INTERNAL_ERROR, ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
};
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

/// The numbers of the machine are the same for its driver and its hardware here.
pub(crate) fn aclrtGetLogicDevIdByUserDevId(user: i32, number: Out<'_, i32>) -> Answer {
    check_number(user, &number)?;
    number_in_machine(user, number)
}

pub(crate) fn aclrtGetLogicDevIdByPhyDevId(physical: i32, number: Out<'_, i32>) -> Answer {
    same_number(physical, number)
}

pub(crate) fn aclrtGetUserDevIdByLogicDevId(logical: i32, number: Out<'_, i32>) -> Answer {
    check_number(logical, &number)?;
    number_in_process(logical, number)
}

pub(crate) fn aclrtGetUserDevIdByPhyDevId(physical: i32, number: Out<'_, i32>) -> Answer {
    number_in_process(physical, number)
}

pub(crate) fn aclrtGetPhyDevIdByLogicDevId(logical: i32, number: Out<'_, i32>) -> Answer {
    same_number(logical, number)
}

pub(crate) fn aclrtGetPhyDevIdByUserDevId(user: i32, number: Out<'_, i32>) -> Answer {
    number_in_machine(user, number)
}

/// Between the numbers of a program and of its driver a negative one is a wrong argument, not a device that is not there.
fn check_number(id: i32, number: &Out<'_, i32>) -> Answer {
    wanted(number)?;
    if id < 0 { Err(Failure::refused(format!("{id} is no number of a device"))) } else { Ok(()) }
}

fn number_in_machine(user: i32, mut number: Out<'_, i32>) -> Answer {
    wanted(&number)?;
    number.set(device::device(user.into())?.physical().cast_signed());
    Ok(())
}

/// The process counts the devices that it sees.
fn number_in_process(of_machine: i32, mut number: Out<'_, i32>) -> Answer {
    wanted(&number)?;
    let seen = device::all();
    let found = seen.iter().find(|device| i64::from(device.physical()) == of_machine.into());
    number.set(found.ok_or_else(|| no_device(of_machine))?.id().cast_signed());
    Ok(())
}

fn same_number(id: i32, mut number: Out<'_, i32>) -> Answer {
    wanted(&number)?;
    if !(0..i64::from(config::current().device_count())).contains(&id.into()) {
        return Err(no_device(id));
    }
    number.set(id);
    Ok(())
}

fn no_device(id: i32) -> Failure {
    let text = format!("there is no device {id} in the machine, or this process does not see it");
    Failure::new(ACL_ERROR_RT_INVALID_DEVICEID, text)
}

pub(crate) fn aclrtSetTsDevice(ts_id: aclrtTsId) -> Answer {
    if ts_id > aclrtTsId::ACL_TS_ID_AIVECTOR {
        return Err(Failure::invalid(format!("there is no task scheduler {}", ts_id.0)));
    }
    Ok(())
}

/// The number that a device keeps for life. Those of simulated devices tell them apart, and that they are simulated.
pub(crate) fn aclrtDeviceGetUuid(device_id: i32, mut uuid: Out<'_, aclrtUuid>) -> Answer {
    wanted(&uuid)?;
    let device = device::device(device_id.into())?;
    let bytes = b"ascendcl-sim".iter().copied().chain(device.physical().to_be_bytes());
    let mut found = aclrtUuid { bytes: [0; 16] };
    found.bytes.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte as core::ffi::c_char);
    uuid.set(found);
    Ok(())
}

/// A persistent stream has tasks while it is part of a model that is built; there alone they can be dropped.
pub(crate) fn aclrtPersistentTaskClean(stream: aclrtStream) -> Answer {
    if stream.is_null() {
        return Err(Failure::refused("the stream is null"));
    }
    let named = Named::find(stream)?;
    let assembly = named
        .stream()
        .and_then(|stream| assembly_of(stream).ok())
        .ok_or_else(|| Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, "the stream has no tasks that can be dropped"))?;
    assembly.clean(named.for_work()?.number())
}

pub(crate) fn aclrtCtxSetSysParamOpt(opt: aclSysParamOpt, value: i64) -> Answer {
    let place = of_contexts(opt)?;
    possible(opt, value)?;
    let context = current_context()?;
    lock(settings::parameters()).insert((context.id(), place), value);
    Ok(())
}

pub(crate) fn aclrtCtxGetSysParamOpt(opt: aclSysParamOpt, mut value: Out<'_, i64>) -> Answer {
    wanted(&value)?;
    let place = of_contexts(opt)?;
    value.set(kept(current_context()?.id(), place)?);
    Ok(())
}

pub(crate) fn aclrtSetSysParamOpt(opt: aclSysParamOpt, value: i64) -> Answer {
    let place = parameter(opt)?;
    possible(opt, value)?;
    lock(settings::parameters()).insert((0, place), value);
    Ok(())
}

pub(crate) fn aclrtGetSysParamOpt(opt: aclSysParamOpt, mut value: Out<'_, i64>) -> Answer {
    wanted(&value)?;
    let place = parameter(opt)?;
    // The parameters of the process have a default, those of a context have none.
    value.set(lock(settings::parameters()).get(&(0, place)).copied().unwrap_or_default());
    Ok(())
}

fn parameter(opt: aclSysParamOpt) -> Answer<u32> {
    if opt > aclSysParamOpt::ACL_OPT_ENABLE_KERNEL_EARLY_START {
        return Err(Failure::invalid(format!("there is no system parameter {}", opt.0)));
    }
    Ok(opt.0)
}

/// A parameter that a context can have. How early kernels start is decided for the process (100000).
fn of_contexts(opt: aclSysParamOpt) -> Answer<u32> {
    let place = parameter(opt)?;
    if opt == aclSysParamOpt::ACL_OPT_ENABLE_KERNEL_EARLY_START {
        return Err(Failure::invalid(format!("contexts do not have the system parameter {}", opt.0)));
    }
    Ok(place)
}

/// 0 is off and 1 is on; how alike calculations are has more levels.
fn possible(opt: aclSysParamOpt, value: i64) -> Answer {
    let most = if opt == aclSysParamOpt::ACL_OPT_DETERMINISTIC { 3 } else { 1 };
    if (0..=most).contains(&value) {
        return Ok(());
    }
    Err(Failure::refused(format!("{value} is no value of this parameter; 0 to {most} are")))
}

fn kept(context: usize, place: u32) -> Answer<i64> {
    let value = lock(settings::parameters()).get(&(context, place)).copied();
    value.ok_or_else(|| {
        let failure = Failure::new(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "the system parameter was not set");
        failure.breaks(CTX_13, "a parameter that was set before", "set it first (aclrtCtxSetSysParamOpt)")
    })
}

/// No device here can be stopped in the middle of its work.
pub(crate) fn aclrtDeviceTaskAbort(device_id: i32, timeout: u32) -> Answer {
    /// In milliseconds: 36 minutes.
    const LONGEST: u32 = 36 * 60 * 1000;
    if timeout > LONGEST {
        return Err(Failure::refused(format!("the time limit is {timeout} ms; at most {LONGEST} ms are possible")));
    }
    let device = device::device(device_id.into())?;
    if !devices::is_set(&device) {
        return Err(Failure::no_context());
    }
    Err(Failure::unsupported("this device cannot stop its work"))
}

/// Over the bus there are no atomic operations between a device and the host. The runtime looks at the pointers (107000).
pub(crate) fn aclrtDeviceGetHostAtomicCapabilities(
    mut capabilities: Out<'_, u32>,
    operations: In<'_, aclrtAtomicOperation>,
    count: u32,
    device_id: i32,
) -> Answer {
    let count = asked_for(&capabilities, &operations, count)?;
    device::device(device_id.into())?;
    known_operations(&operations, count)?;
    capabilities.set_all(std::iter::repeat_n(0, count), count);
    Ok(())
}

/// Which operations there are between two devices depends on the links, and there are none.
pub(crate) fn aclrtDeviceGetP2PAtomicCapabilities(
    capabilities: Out<'_, u32>,
    operations: In<'_, aclrtAtomicOperation>,
    count: u32,
    src_device_id: i32,
    dst_device_id: i32,
) -> Answer {
    let count = asked_for(&capabilities, &operations, count)?;
    if src_device_id == dst_device_id {
        let text = format!("device {src_device_id} is both; expected two devices");
        return Err(Failure::new(ACL_ERROR_RT_INVALID_DEVICEID, text));
    }
    device::device(src_device_id.into())?;
    device::device(dst_device_id.into())?;
    known_operations(&operations, count)?;
    Err(Failure::unsupported("there are no links between the devices"))
}

fn asked_for(capabilities: &Out<'_, u32>, operations: &In<'_, aclrtAtomicOperation>, count: u32) -> Answer<usize> {
    if capabilities.is_null() || operations.is_null() || count == 0 {
        return Err(Failure::refused("there are no operations, or there is no place for the answers"));
    }
    usize::try_from(count).map_err(|_| Failure::refused(format!("there are no {count} operations")))
}

fn known_operations(operations: &In<'_, aclrtAtomicOperation>, count: usize) -> Answer {
    let last = aclrtAtomicOperation::ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH;
    match operations.list(count).iter().find(|operation| **operation > last) {
        Some(unknown) => Err(Failure::refused(format!("there is no atomic operation {}", unknown.0))),
        None => Ok(()),
    }
}

/// Memory of the host has no errors that a device would find.
pub(crate) fn aclrtGetMemUceInfo(
    device_id: i32,
    mem_uce_info_array: Out<'_, aclrtMemUceInfo>,
    _array_size: usize,
    mut ret_size: Out<'_, usize>,
) -> Answer {
    wanted(&mem_uce_info_array)?;
    wanted(&ret_size)?;
    device::device(device_id.into())?;
    ret_size.set(0);
    Ok(())
}

/// Nothing overflows here: the status is zeros.
pub(crate) fn aclrtGetOverflowStatus(output_addr: Address, output_size: usize, stream: aclrtStream) -> Answer {
    not_null(output_addr)?;
    overflow_status(output_addr, output_size as u64, stream)
}

/// The layer below looks for the place, behind the stream.
pub(crate) fn aclrtGetFloatOverflowStatus(output_addr: Address, output_size: u64, stream: aclrtStream) -> Answer {
    overflow_status(output_addr, output_size, stream)
}

fn overflow_status(output_addr: Address, output_size: u64, stream: aclrtStream) -> Answer {
    const SIZE: usize = 64;
    let named = Named::find(stream)?;
    if output_addr.is_null() {
        return Err(Failure::refused("there is no place for the status"));
    }
    if output_size != SIZE as u64 {
        return Err(Failure::refused(format!("the status takes {SIZE} bytes, and the size given is {output_size}")));
    }
    uncaptured(named, "asked for its overflows")?;
    aclrtMemsetAsync(output_addr, SIZE, 0, SIZE, stream)
}

/// That the stream is being captured comes before the context.
fn uncaptured(named: Named, what: &str) -> Answer {
    named.stream().map_or(Ok(()), |stream| refuse_on(stream, what))?;
    named.for_work().map(drop)
}

pub(crate) fn aclrtResetOverflowStatus(stream: aclrtStream) -> Answer {
    uncaptured(Named::find(stream)?, "rid of its overflows")
}

pub(crate) fn aclrtResetFloatOverflowStatus(stream: aclrtStream) -> Answer {
    aclrtResetOverflowStatus(stream)
}

/// The load of a simulated device is not measured: it counts as idle. What a device does not tell is -1, and one that
/// is not there tells nothing.
pub(crate) fn aclrtGetDeviceUtilizationRate(
    device_id: i32,
    mut utilization_info: InOut<'_, aclrtUtilizationInfo>,
) -> Answer {
    const UNTOLD: i32 = -1;
    let rates = |before: aclrtUtilizationInfo| {
        if !before.utilizationExtend.is_null() {
            return Err(Failure::invalid("the extension is reserved as null"));
        }
        let rate = device::device(device_id.into()).map_or(UNTOLD, |_| 0);
        Ok(aclrtUtilizationInfo {
            cubeUtilization: rate,
            vectorUtilization: rate,
            aicpuUtilization: rate,
            memoryUtilization: UNTOLD,
            utilizationExtend: before.utilizationExtend,
        })
    };
    utilization_info.replace(rates).unwrap_or_else(|| Err(Failure::invalid("there is no place for the rates")))
}
