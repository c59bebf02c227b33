//! Properties of a device.

use crate::error::Error;
use crate::ffi::Api;
use ascendcl_sys::types::aclrtDevAttr;

/// The properties of a device ([`Acl::device_properties`](crate::Acl::device_properties)). `None` stands for a property
/// that this release of the library does not report for this device.
///
/// ```
/// use ascendcl::{Acl, Library};
///
/// let acl = Acl::init(Library::Simulator)?;
/// for id in 0..acl.device_count()? {
///     let properties = acl.device_properties(id)?;
///     println!("device {id}: {:?} bytes of memory, {:?} cores", properties.memory_bytes, properties.ai_cores);
/// }
/// # Ok::<(), ascendcl::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DeviceProperties {
    /// How many AI cores it has (`ACL_DEV_ATTR_AICORE_CORE_NUM`).
    pub ai_cores: Option<u64>,
    /// How many of its cores multiply matrices (`ACL_DEV_ATTR_CUBE_CORE_NUM`).
    pub cube_cores: Option<u64>,
    /// How many of its cores compute with vectors (`ACL_DEV_ATTR_VECTOR_CORE_NUM`).
    pub vector_cores: Option<u64>,
    /// How many AI CPUs it has (`ACL_DEV_ATTR_AICPU_CORE_NUM`).
    pub ai_cpus: Option<u64>,
    /// All of its memory, in bytes (`ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE`).
    pub memory_bytes: Option<u64>,
    /// Its second-level cache, in bytes (`ACL_DEV_ATTR_L2_CACHE_SIZE`).
    pub l2_bytes: Option<u64>,
    /// The number of its chip in the machine (`ACL_DEV_ATTR_PHY_CHIP_ID`).
    pub chip: Option<u64>,
    /// Whether it is a part of a device (`ACL_DEV_ATTR_IS_VIRTUAL`).
    pub is_virtual: Option<bool>,
}

impl DeviceProperties {
    pub(crate) fn of(api: Api, id: u32) -> Result<Self, Error> {
        let number = |attribute| {
            let value = api.device_attribute(id, attribute)?;
            Ok::<_, Error>(value.and_then(|value| u64::try_from(value).ok()))
        };
        Ok(Self {
            ai_cores: number(aclrtDevAttr::ACL_DEV_ATTR_AICORE_CORE_NUM)?,
            cube_cores: number(aclrtDevAttr::ACL_DEV_ATTR_CUBE_CORE_NUM)?,
            vector_cores: number(aclrtDevAttr::ACL_DEV_ATTR_VECTOR_CORE_NUM)?,
            ai_cpus: number(aclrtDevAttr::ACL_DEV_ATTR_AICPU_CORE_NUM)?,
            memory_bytes: number(aclrtDevAttr::ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE)?,
            l2_bytes: number(aclrtDevAttr::ACL_DEV_ATTR_L2_CACHE_SIZE)?,
            chip: number(aclrtDevAttr::ACL_DEV_ATTR_PHY_CHIP_ID)?,
            is_virtual: number(aclrtDevAttr::ACL_DEV_ATTR_IS_VIRTUAL)?.map(|virtual_| virtual_ != 0),
        })
    }
}
