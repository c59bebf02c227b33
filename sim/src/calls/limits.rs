//! How long an operator may run, and what kernels get of a device. The limits are kept and answered: nothing here takes longer
//! than it may, and no kernel runs.

use super::wanted;
use crate::abi::Out;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::device::settings;
use ascendcl_sys::types::aclrtDeviceLimit;

/// In seconds; 0 stands for the longest limit.
pub(crate) fn aclrtSetOpExecuteTimeOut(timeout: u32) -> Answer {
    settings::limit_operators(u64::from(timeout) * 1_000_000);
    Ok(())
}

pub(crate) fn aclrtSetOpExecuteTimeOutWithMs(timeout: u32) -> Answer {
    settings::limit_operators(u64::from(timeout) * 1000);
    Ok(())
}

/// In microseconds. The answer depends on the device's step, so a context has to be current.
pub(crate) fn aclrtSetOpExecuteTimeOutV2(timeout: u64, mut actual_timeout: Out<'_, u64>) -> Answer {
    wanted(&actual_timeout)?;
    current_context()?;
    actual_timeout.set(settings::limit_operators(timeout));
    Ok(())
}

/// In milliseconds.
pub(crate) fn aclrtGetOpExecuteTimeout(mut timeout_ms: Out<'_, u32>) -> Answer {
    wanted(&timeout_ms)?;
    timeout_ms.set(u32::try_from(settings::operator_limit() / 1000).unwrap_or(u32::MAX));
    Ok(())
}

/// The step in which limits are set, in microseconds.
pub(crate) fn aclrtGetOpTimeOutInterval(mut interval: Out<'_, u64>) -> Answer {
    wanted(&interval)?;
    current_context()?;
    interval.set(settings::OPERATOR_STEP);
    Ok(())
}

/// In bytes, for kernels of all devices. Other cores than this device has are looked at in a context.
pub(crate) fn aclrtDeviceSetLimit(limit: aclrtDeviceLimit, value: usize) -> Answer {
    known(limit)?;
    let bytes = u32::try_from(value);
    let bytes = bytes.map_err(|_| Failure::invalid(format!("{value} bytes; less than 4 GiB are possible")))?;
    let of_threads = limit <= aclrtDeviceLimit::ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE;
    if of_threads {
        current_context()?;
    }
    settings::choose_device_limit(limit, bytes)
}

pub(crate) fn aclrtDeviceGetLimit(limit: aclrtDeviceLimit, mut value: Out<'_, usize>) -> Answer {
    wanted(&value)?;
    known(limit)?;
    value.set(settings::device_limit(limit)? as usize);
    Ok(())
}

fn known(limit: aclrtDeviceLimit) -> Answer {
    if limit > aclrtDeviceLimit::ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE {
        return Err(Failure::invalid(format!("a device has no limit {}", limit.0)));
    }
    Ok(())
}
