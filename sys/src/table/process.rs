//! Initialisation, error text, versions and other state of the process.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! process_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] process ["libacl_rt.so" "libascendcl.so"]

        [optional sim] fn aclFinalize() -> aclError;
        [optional sim] fn aclFinalizeCallbackRegister(
            kind: aclRegisterCallbackType, cb_func: aclFinalizeCallbackFunc, user_data: *mut c_void
        ) -> aclError;
        [optional sim] fn aclFinalizeCallbackUnRegister(
            kind: aclRegisterCallbackType, cb_func: aclFinalizeCallbackFunc
        ) -> aclError;
        [required sim] fn aclFinalizeReference(ref_count: *mut u64) -> aclError;
        [required sim] fn aclGetRecentErrMsg() -> *const c_char;
        [required sim] fn aclInit(config_path: *const c_char) -> aclError;
        [optional sim] fn aclInitCallbackRegister(
            kind: aclRegisterCallbackType, cb_func: aclInitCallbackFunc, user_data: *mut c_void
        ) -> aclError;
        [optional sim] fn aclInitCallbackUnRegister(kind: aclRegisterCallbackType, cb_func: aclInitCallbackFunc) -> aclError;
        [optional sim] fn aclmdlFinalizeDump() -> aclError;
        [optional sim] fn aclmdlInitDump() -> aclError;
        [optional sim] fn aclmdlSetDump(dump_cfg_path: *const c_char) -> aclError;
        [optional] fn aclrtCacheLastTaskExtendInfo(extend_info_ptr: *const c_char, info_size: usize) -> aclError;
        [optional] fn aclrtCacheLastTaskOpInfo(info_ptr: *const c_void, info_size: usize) -> aclError;
        [optional] fn aclrtCreateGroupInfo() -> *mut aclrtGroupInfo;
        [optional] fn aclrtDestroyGroupInfo(group_info: *mut aclrtGroupInfo) -> aclError;
        [optional] fn aclrtDeviceL2CacheFlush(rsv: *mut c_void) -> aclError;
        [optional] fn aclrtGetAllGroupInfo(group_info: *mut aclrtGroupInfo) -> aclError;
        [optional] fn aclrtGetErrorVerbose(device_id: i32, error_info: *mut aclrtErrorInfo) -> aclError;
        [optional] fn aclrtGetGroupCount(count: *mut u32) -> aclError;
        [optional] fn aclrtGetGroupInfoDetail(
            group_info: *const aclrtGroupInfo, group_index: i32, attr: aclrtGroupAttr, attr_value: *mut c_void,
            value_len: usize, param_ret_size: *mut usize
        ) -> aclError;
        [optional sim] fn aclrtGetLastError(level: aclrtLastErrLevel) -> aclError;
        [optional sim] fn aclrtGetOpExecuteTimeout(timeout_ms: *mut u32) -> aclError;
        [optional sim] fn aclrtGetOpTimeOutInterval(interval: *mut u64) -> aclError;
        [optional sim] fn aclrtGetThreadLastTaskId(task_id: *mut u32) -> aclError;
        [optional sim] fn aclrtGetVersion(
            major_version: *mut i32, minor_version: *mut i32, patch_version: *mut i32
        ) -> aclError;
        [optional sim] fn aclrtPeekAtLastError(level: aclrtLastErrLevel) -> aclError;
        [optional sim] fn aclrtPersistentTaskClean(stream: aclrtStream) -> aclError;
        [optional] fn aclrtProfTrace(userdata: *mut c_void, length: i32, stream: aclrtStream) -> aclError;
        [optional] fn aclrtRepairError(device_id: i32, error_info: *const aclrtErrorInfo) -> aclError;
        [optional] fn aclrtSetGroup(group_id: i32) -> aclError;
        [optional sim] fn aclrtSetOpExecuteTimeOut(timeout: u32) -> aclError;
        [optional sim] fn aclrtSetOpExecuteTimeOutV2(timeout: u64, actual_timeout: *mut u64) -> aclError;
        [optional sim] fn aclrtSetOpExecuteTimeOutWithMs(timeout: u32) -> aclError;
        [optional sim] fn aclrtSetOpWaitTimeout(timeout: u32) -> aclError;
        [optional] fn aclrtSnapShotProcessBackup(pid: c_int, args: *mut aclrtSnapShotBackupArgs) -> aclError;
        [optional] fn aclrtSnapShotProcessLock(pid: c_int, reserve: *mut c_void) -> aclError;
        [optional] fn aclrtSnapShotProcessRestore(pid: c_int, args: *mut aclrtSnapShotRestoreArgs) -> aclError;
        [optional] fn aclrtSnapShotProcessUnlock(pid: c_int, reserve: *mut c_void) -> aclError;
        [optional sim] fn aclsysGetCANNVersion(name: aclCANNPackageName, version: *mut aclCANNPackageVersion) -> aclError;
        [optional sim] fn aclsysGetVersionNum(pkg_name: *mut c_char, version_num: *mut i32) -> aclError;
        [optional sim] fn aclsysGetVersionStr(pkg_name: *mut c_char, version_str: *mut c_char) -> aclError;
    } };
}
