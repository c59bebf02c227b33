//! How long an operator may run. The limit is kept and answered. Nothing here takes longer than it may.

use super::wanted;
use crate::abi::Out;
use crate::failure::Answer;
use crate::machine::device::settings;

/// In seconds; 0 stands for the longest limit.
pub(crate) fn aclrtSetOpExecuteTimeOut(timeout: u32) -> Answer {
    settings::limit_operators(u64::from(timeout) * 1_000_000);
    Ok(())
}

pub(crate) fn aclrtSetOpExecuteTimeOutWithMs(timeout: u32) -> Answer {
    settings::limit_operators(u64::from(timeout) * 1000);
    Ok(())
}

/// In microseconds.
pub(crate) fn aclrtSetOpExecuteTimeOutV2(timeout: u64, mut actual_timeout: Out<'_, u64>) -> Answer {
    wanted(&actual_timeout)?;
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
    interval.set(settings::OPERATOR_STEP);
    Ok(())
}
