//! Devices, contexts and their limits.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! device_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] device ["libacl_rt.so" "libascendcl.so"]

        [optional sim] fn aclrtCheckArchCompatibility(soc_version: *const c_char, can_compatible: *mut i32) -> aclError;
        [required sim] fn aclrtCreateContext(context: *mut aclrtContext, device_id: i32) -> aclError;
        [optional sim] fn aclrtCtxGetSysParamOpt(opt: aclSysParamOpt, value: *mut i64) -> aclError;
        [optional sim] fn aclrtCtxSetSysParamOpt(opt: aclSysParamOpt, value: i64) -> aclError;
        [required sim] fn aclrtDestroyContext(context: aclrtContext) -> aclError;
        [optional sim] fn aclrtDeviceCanAccessPeer(
            can_access_peer: *mut i32, device_id: i32, peer_device_id: i32
        ) -> aclError;
        [optional sim] fn aclrtDeviceDisablePeerAccess(peer_device_id: i32) -> aclError;
        [optional sim] fn aclrtDeviceEnablePeerAccess(peer_device_id: i32, flags: u32) -> aclError;
        [optional sim] fn aclrtDeviceGetBareTgid(pid: *mut i32) -> aclError;
        [optional] fn aclrtDeviceGetByPCIBusId(pci_bus_id: *const c_char, device_id: *mut i32) -> aclError;
        [optional sim] fn aclrtDeviceGetHostAtomicCapabilities(
            capabilities: *mut u32, operations: *const aclrtAtomicOperation, count: u32, device_id: i32
        ) -> aclError;
        [optional sim] fn aclrtDeviceGetLimit(limit: aclrtDeviceLimit, value: *mut usize) -> aclError;
        [optional sim] fn aclrtDeviceGetP2PAtomicCapabilities(
            capabilities: *mut u32, operations: *const aclrtAtomicOperation, count: u32, src_device_id: i32,
            dst_device_id: i32
        ) -> aclError;
        [optional] fn aclrtDeviceGetPCIBusId(device_id: i32, pci_bus_id: *mut c_char, len: i32) -> aclError;
        [optional sim] fn aclrtDeviceGetUuid(device_id: i32, uuid: *mut aclrtUuid) -> aclError;
        [optional sim] fn aclrtDevicePeerAccessStatus(device_id: i32, peer_device_id: i32, status: *mut i32) -> aclError;
        [optional sim] fn aclrtDeviceSetLimit(limit: aclrtDeviceLimit, value: usize) -> aclError;
        [optional sim] fn aclrtDeviceTaskAbort(device_id: i32, timeout: u32) -> aclError;
        [required sim] fn aclrtGetCurrentContext(context: *mut aclrtContext) -> aclError;
        [required sim] fn aclrtGetDevice(device_id: *mut i32) -> aclError;
        [optional sim] fn aclrtGetDeviceCapability(
            device_id: i32, dev_feature_type: aclrtDevFeatureType, value: *mut i32
        ) -> aclError;
        [required sim] fn aclrtGetDeviceCount(count: *mut u32) -> aclError;
        [optional sim] fn aclrtGetDeviceInfo(device_id: u32, attr: aclrtDevAttr, value: *mut i64) -> aclError;
        [optional sim] fn aclrtGetDeviceResLimit(device_id: i32, kind: aclrtDevResLimitType, value: *mut u32) -> aclError;
        [optional sim] fn aclrtGetDeviceSatMode(mode: *mut aclrtFloatOverflowMode) -> aclError;
        [optional sim] fn aclrtGetDeviceUtilizationRate(
            device_id: i32, utilization_info: *mut aclrtUtilizationInfo
        ) -> aclError;
        [optional] fn aclrtGetDevicesTopo(device_id: u32, other_device_id: u32, value: *mut u64) -> aclError;
        [optional] fn aclrtGetHardwareSyncAddr(addr: *mut *mut c_void) -> aclError;
        [optional sim] fn aclrtGetLogicDevIdByPhyDevId(phy_dev_id: i32, logic_dev_id: *mut i32) -> aclError;
        [optional sim] fn aclrtGetLogicDevIdByUserDevId(user_devid: i32, logic_dev_id: *mut i32) -> aclError;
        [optional sim] fn aclrtGetPhyDevIdByLogicDevId(logic_dev_id: i32, phy_dev_id: *mut i32) -> aclError;
        [optional sim] fn aclrtGetPhyDevIdByUserDevId(user_dev_id: i32, phy_dev_id: *mut i32) -> aclError;
        [optional sim] fn aclrtGetPrimaryCtxState(device_id: i32, flags: *mut u32, active: *mut i32) -> aclError;
        [optional sim] fn aclrtGetResInCurrentThread(kind: aclrtDevResLimitType, value: *mut u32) -> aclError;
        [required sim] fn aclrtGetRunMode(run_mode: *mut aclrtRunMode) -> aclError;
        [optional sim] fn aclrtGetSysParamOpt(opt: aclSysParamOpt, value: *mut i64) -> aclError;
        [optional sim] fn aclrtGetUserDevIdByLogicDevId(logic_dev_id: i32, user_devid: *mut i32) -> aclError;
        [optional sim] fn aclrtGetUserDevIdByPhyDevId(phy_dev_id: i32, user_dev_id: *mut i32) -> aclError;
        [optional sim] fn aclrtQueryDeviceStatus(device_id: i32, device_status: *mut aclrtDeviceStatus) -> aclError;
        [required sim] fn aclrtResetDevice(device_id: i32) -> aclError;
        [optional sim] fn aclrtResetDeviceForce(device_id: i32) -> aclError;
        [optional sim] fn aclrtResetDeviceResLimit(device_id: i32) -> aclError;
        [required sim] fn aclrtSetCurrentContext(context: aclrtContext) -> aclError;
        [required sim] fn aclrtSetDevice(device_id: i32) -> aclError;
        [optional sim] fn aclrtSetDeviceResLimit(device_id: i32, kind: aclrtDevResLimitType, value: u32) -> aclError;
        [optional sim] fn aclrtSetDeviceSatMode(mode: aclrtFloatOverflowMode) -> aclError;
        [optional sim] fn aclrtSetSysParamOpt(opt: aclSysParamOpt, value: i64) -> aclError;
        [optional sim] fn aclrtSetTsDevice(ts_id: aclrtTsId) -> aclError;
        [required sim] fn aclrtSynchronizeDevice() -> aclError;
        [required sim] fn aclrtSynchronizeDeviceWithTimeout(timeout: i32) -> aclError;
    } };
}
