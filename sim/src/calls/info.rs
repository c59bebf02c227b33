//! Properties of the device.

use super::wanted;
use crate::abi::{CText, Out, Text};
use crate::config;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::contexts::context::current_context;
use crate::machine::device::{self, Device};
use crate::machine::life::devices;
use ascendcl_sys::constants::*;
use ascendcl_sys::error_codes::ACL_ERROR_INVALID_FILE;
use ascendcl_sys::types::*;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::sync::Mutex;

/// The name stays in place as long as the process lives, so each name there was is kept.
pub(crate) fn aclrtGetSocName() -> CText {
    static NAMES: Mutex<BTreeMap<String, &'static CStr>> = Mutex::new(BTreeMap::new());
    let config = config::current();
    let name = config.soc_name();
    let mut names = lock(&NAMES);
    let kept = names.entry(name.to_owned()).or_insert_with(|| {
        let name = CString::new(name).unwrap_or_default();
        Box::leak(name.into_boxed_c_str())
    });
    CText::of(kept)
}

/// Whether kernels for a system on chip run here. None of another product does. The runtime looks at the pointers (107000).
pub(crate) fn aclrtCheckArchCompatibility(soc_version: Text<'_>, mut can_compatible: Out<'_, i32>) -> Answer {
    let name = soc_version.get().filter(|name| !name.is_empty() && !can_compatible.is_null());
    let name =
        name.ok_or_else(|| Failure::refused("the system on chip has no name, or there is no place for the answer"))?;
    can_compatible.set(i32::from(name == config::current().soc_name()));
    Ok(())
}

pub(crate) fn aclrtGetRunMode(mut run_mode: Out<'_, aclrtRunMode>) -> Answer {
    wanted(&run_mode)?;
    run_mode.set(config::current().run_mode());
    Ok(())
}

pub(crate) fn aclrtGetDeviceInfo(device_id: u32, attr: aclrtDevAttr, mut value: Out<'_, i64>) -> Answer {
    wanted(&value)?;
    let device = device::device(device_id.into()).map_err(|failure| Failure::refused(failure.text))?;
    let found = attribute(&device, attr);
    value.set(found.ok_or_else(|| Failure::refused(format!("there is no device attribute {}", attr.0)))?);
    Ok(())
}

pub(crate) fn aclGetDeviceCapability(device_id: u32, device_info: aclDeviceInfo, mut value: Out<'_, i64>) -> Answer {
    wanted(&value)?;
    device::device(device_id.into()).map_err(|failure| Failure::invalid(failure.text))?;
    value.set(match device_info {
        aclDeviceInfo::ACL_DEVICE_INFO_AI_CORE_NUM => CUBE_CORES,
        aclDeviceInfo::ACL_DEVICE_INFO_VECTOR_CORE_NUM => VECTOR_CORES,
        aclDeviceInfo::ACL_DEVICE_INFO_L2_SIZE => L2_BYTES,
        other => return Err(Failure::invalid(format!("there is no device information {}", other.0))),
    });
    Ok(())
}

/// None of the optional features is simulated.
pub(crate) fn aclrtGetDeviceCapability(
    device_id: i32,
    dev_feature_type: aclrtDevFeatureType,
    mut value: Out<'_, i32>,
) -> Answer {
    wanted(&value)?;
    let has = match dev_feature_type {
        aclrtDevFeatureType::ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV
        | aclrtDevFeatureType::ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV => ACL_DEV_FEATURE_NOT_SUPPORT,
        other => return Err(Failure::refused(format!("there is no device feature {}", other.0))),
    };
    device::device(device_id.into())?;
    // What the task scheduler can do is asked of a context's device; what the driver can do is not.
    if dev_feature_type == aclrtDevFeatureType::ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV {
        current_context()?;
    }
    value.set(has as i32);
    Ok(())
}

// Figures of the size of a real device: nothing here is limited by them.
const AICPU_CORES: i64 = 6;
const CUBE_CORES: i64 = 24;
const VECTOR_CORES: i64 = 48;
const L2_BYTES: i64 = 192 << 20;
const LOCAL_BYTES: i64 = 192 << 10;

fn attribute(device: &Device, attr: aclrtDevAttr) -> Option<i64> {
    Some(match attr {
        aclrtDevAttr::ACL_DEV_ATTR_AICPU_CORE_NUM => AICPU_CORES,
        aclrtDevAttr::ACL_DEV_ATTR_AICORE_CORE_NUM | aclrtDevAttr::ACL_DEV_ATTR_CUBE_CORE_NUM => CUBE_CORES,
        aclrtDevAttr::ACL_DEV_ATTR_VECTOR_CORE_NUM => VECTOR_CORES,
        aclrtDevAttr::ACL_DEV_ATTR_WARP_SIZE | aclrtDevAttr::ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE => 0,
        aclrtDevAttr::ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE => LOCAL_BYTES,
        aclrtDevAttr::ACL_DEV_ATTR_MAX_GRID_DIM_X | aclrtDevAttr::ACL_DEV_ATTR_MAX_BLOCK_PER_GRID => 65535,
        aclrtDevAttr::ACL_DEV_ATTR_MAX_GRID_DIM_Y | aclrtDevAttr::ACL_DEV_ATTR_MAX_GRID_DIM_Z => 1,
        aclrtDevAttr::ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK
        | aclrtDevAttr::ACL_DEV_ATTR_MAX_BLOCK_DIM_X
        | aclrtDevAttr::ACL_DEV_ATTR_MAX_BLOCK_DIM_Y
        | aclrtDevAttr::ACL_DEV_ATTR_MAX_BLOCK_DIM_Z => 1,
        aclrtDevAttr::ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE => i64::try_from(device.memory_size()).unwrap_or(i64::MAX),
        aclrtDevAttr::ACL_DEV_ATTR_L2_CACHE_SIZE => L2_BYTES,
        aclrtDevAttr::ACL_DEV_ATTR_PHY_CHIP_ID
        | aclrtDevAttr::ACL_DEV_ATTR_SMP_ID
        | aclrtDevAttr::ACL_DEV_ATTR_SUPER_POD_DEVICE_ID => device.id().into(),
        aclrtDevAttr::ACL_DEV_ATTR_SUPER_POD_SERVER_ID
        | aclrtDevAttr::ACL_DEV_ATTR_SUPER_POD_ID
        | aclrtDevAttr::ACL_DEV_ATTR_CUST_OP_PRIVILEGE
        | aclrtDevAttr::ACL_DEV_ATTR_MAINBOARD_ID
        | aclrtDevAttr::ACL_DEV_ATTR_IS_VIRTUAL => 0,
        aclrtDevAttr::ACL_DEV_ATTR_HD_CONNECT_TYPE => ACL_HOST_DEVICE_CONNECT_TYPE_PCIE.into(),
        aclrtDevAttr::ACL_DEV_ATTR_DEVICE_FORM_FACTOR => ACL_DEVICE_FORM_FACTOR_PCIE_CARD.into(),
        aclrtDevAttr::ACL_DEV_ATTR_NPU_ARCH => 2201,
        _ => return None,
    })
}

/// The capabilities of the simulated release: infinities are kept, bfloat16 is supported, operators are compiled on
/// demand.
const ATTRIBUTES: [(aclCannAttr, i32); 3] = [
    (aclCannAttr::ACL_CANN_ATTR_INF_NAN, 1),
    (aclCannAttr::ACL_CANN_ATTR_BF16, 1),
    (aclCannAttr::ACL_CANN_ATTR_JIT_COMPILE, 1),
];

pub(crate) fn aclGetCannAttributeList(
    mut cann_attr_list: Out<'_, *const aclCannAttr>,
    mut num: Out<'_, usize>,
) -> Answer {
    static LIST: [aclCannAttr; ATTRIBUTES.len()] = [ATTRIBUTES[0].0, ATTRIBUTES[1].0, ATTRIBUTES[2].0];
    wanted(&cann_attr_list).and(wanted(&num))?;
    cann_attr_list.set(LIST.as_ptr());
    num.set(LIST.len());
    Ok(())
}

pub(crate) fn aclGetCannAttribute(cann_attr: aclCannAttr, mut value: Out<'_, i32>) -> Answer {
    wanted(&value)?;
    let known = ATTRIBUTES.iter().find(|(attribute, _)| *attribute == cann_attr);
    // The answer is read from a file that belongs to the device, as the code says.
    let missing = |text: String| Failure::new(ACL_ERROR_INVALID_FILE, text);
    let (_, supported) = known.ok_or_else(|| missing(format!("there is no attribute {}", cann_attr.0)))?;
    if !devices::any_is_set() {
        return Err(missing("no device is set, and attributes are asked of one".to_owned()));
    }
    value.set(*supported);
    Ok(())
}
