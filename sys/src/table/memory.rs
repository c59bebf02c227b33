//! Device, host, virtual and shared memory.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! memory_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] memory ["libacl_rt.so" "libascendcl.so"]

        [optional] fn aclrtAllocBuf(buf: *mut aclrtMbuf, size: usize) -> aclError;
        [optional] fn aclrtAppendBufChain(head_buf: aclrtMbuf, buf: aclrtMbuf) -> aclError;
        [optional sim] fn aclrtCheckMemType(
            addr_list: *mut *mut c_void, size: u32, mem_type: u32, check_result: *mut u32, reserve: u32
        ) -> aclError;
        [optional] fn aclrtCopyBufRef(buf: aclrtMbuf, new_buf: *mut aclrtMbuf) -> aclError;
        [required sim] fn aclrtFree(dev_ptr: *mut c_void) -> aclError;
        [optional] fn aclrtFreeBuf(buf: aclrtMbuf) -> aclError;
        [required sim] fn aclrtFreeHost(host_ptr: *mut c_void) -> aclError;
        [optional sim] fn aclrtFreeHostWithDevSync(host_ptr: *mut c_void) -> aclError;
        [optional sim] fn aclrtFreePhysical(handle: aclrtDrvMemHandle) -> aclError;
        [optional sim] fn aclrtFreeWithDevSync(dev_ptr: *mut c_void) -> aclError;
        [optional] fn aclrtGetBufChainNum(head_buf: aclrtMbuf, num: *mut u32) -> aclError;
        [optional] fn aclrtGetBufData(buf: aclrtMbuf, data_ptr: *mut *mut c_void, size: *mut usize) -> aclError;
        [optional] fn aclrtGetBufDataLen(buf: aclrtMbuf, len: *mut usize) -> aclError;
        [optional] fn aclrtGetBufFromChain(head_buf: aclrtMbuf, index: u32, buf: *mut aclrtMbuf) -> aclError;
        [optional] fn aclrtGetBufUserData(buf: aclrtMbuf, data_ptr: *mut c_void, size: usize, offset: usize) -> aclError;
        [required sim] fn aclrtGetMemInfo(attr: aclrtMemAttr, free: *mut usize, total: *mut usize) -> aclError;
        [optional sim] fn aclrtGetMemUceInfo(
            device_id: i32, mem_uce_info_array: *mut aclrtMemUceInfo, array_size: usize, ret_size: *mut usize
        ) -> aclError;
        [optional] fn aclrtGetMemUsageInfo(
            device_id: i32, mem_usage_info: *mut aclrtMemUsageInfo, input_num: usize, output_num: *mut usize
        ) -> aclError;
        [optional sim] fn aclrtHostGetDevicePointer(p_host: *mut c_void, p_device: *mut *mut c_void, flag: u32) -> aclError;
        [optional] fn aclrtHostMemMapCapabilities(
            device_id: u32, hac_type: aclrtHacType, capabilities: *mut aclrtHostMemMapCapability
        ) -> aclError;
        [optional sim] fn aclrtHostRegister(
            ptr: *mut c_void, size: u64, kind: aclrtHostRegisterType, dev_ptr: *mut *mut c_void
        ) -> aclError;
        [optional sim] fn aclrtHostRegisterV2(ptr: *mut c_void, size: u64, flag: u32) -> aclError;
        [optional sim] fn aclrtHostUnregister(ptr: *mut c_void) -> aclError;
        [optional sim] fn aclrtIpcGetEventHandle(event: aclrtEvent, handle: *mut aclrtIpcEventHandle) -> aclError;
        [optional sim] fn aclrtIpcMemClose(key: *const c_char) -> aclError;
        [optional sim] fn aclrtIpcMemGetExportKey(
            dev_ptr: *mut c_void, size: usize, key: *mut c_char, len: usize, flags: u64
        ) -> aclError;
        [optional sim] fn aclrtIpcMemImportByKey(dev_ptr: *mut *mut c_void, key: *const c_char, flags: u64) -> aclError;
        [optional] fn aclrtIpcMemImportPidInterServer(
            key: *const c_char, server_pids: *mut aclrtServerPid, num: usize
        ) -> aclError;
        [optional sim] fn aclrtIpcMemSetAttr(key: *const c_char, kind: aclrtIpcMemAttrType, attr: u64) -> aclError;
        [optional sim] fn aclrtIpcMemSetImportPid(key: *const c_char, pid: *mut i32, num: usize) -> aclError;
        [optional sim] fn aclrtIpcOpenEventHandle(handle: aclrtIpcEventHandle, event: *mut aclrtEvent) -> aclError;
        [required sim] fn aclrtMalloc(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy) -> aclError;
        [optional sim] fn aclrtMallocAlign32(
            dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy
        ) -> aclError;
        [optional sim] fn aclrtMallocCached(
            dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy
        ) -> aclError;
        [optional sim] fn aclrtMallocForTaskScheduler(
            dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy, cfg: *mut aclrtMallocConfig
        ) -> aclError;
        [required sim] fn aclrtMallocHost(host_ptr: *mut *mut c_void, size: usize) -> aclError;
        [optional sim] fn aclrtMallocHostWithCfg(ptr: *mut *mut c_void, size: u64, cfg: *mut aclrtMallocConfig) -> aclError;
        [optional sim] fn aclrtMallocPhysical(
            handle: *mut aclrtDrvMemHandle, size: usize, prop: *const aclrtPhysicalMemProp, flags: u64
        ) -> aclError;
        [optional sim] fn aclrtMallocWithCfg(
            dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy, cfg: *mut aclrtMallocConfig
        ) -> aclError;
        [optional sim] fn aclrtMapMem(
            vir_ptr: *mut c_void, size: usize, offset: usize, handle: aclrtDrvMemHandle, flags: u64
        ) -> aclError;
        [optional sim] fn aclrtMemAllocManaged(ptr: *mut *mut c_void, size: u64, flag: u32) -> aclError;
        [optional sim] fn aclrtMemExportToShareableHandle(
            handle: aclrtDrvMemHandle, handle_type: aclrtMemHandleType, flags: u64, shareable_handle: *mut u64
        ) -> aclError;
        [optional sim] fn aclrtMemExportToShareableHandleV2(
            handle: aclrtDrvMemHandle, flags: u64, share_type: aclrtMemSharedHandleType, shareable_handle: *mut c_void
        ) -> aclError;
        [optional sim] fn aclrtMemFlush(dev_ptr: *mut c_void, size: usize) -> aclError;
        [optional sim] fn aclrtMemGetAccess(vir_ptr: *mut c_void, location: *mut aclrtMemLocation, flag: *mut u64) -> aclError;
        [optional sim] fn aclrtMemGetAddressRange(ptr: *mut c_void, pbase: *mut *mut c_void, psize: *mut usize) -> aclError;
        [optional sim] fn aclrtMemGetAllocationGranularity(
            prop: *mut aclrtPhysicalMemProp, option: aclrtMemGranularityOptions, granularity: *mut usize
        ) -> aclError;
        [optional sim] fn aclrtMemGetAllocationPropertiesFromHandle(
            handle: aclrtDrvMemHandle, prop: *mut aclrtPhysicalMemProp
        ) -> aclError;
        [optional sim] fn aclrtMemImportFromShareableHandle(
            shareable_handle: u64, device_id: i32, handle: *mut aclrtDrvMemHandle
        ) -> aclError;
        [optional sim] fn aclrtMemImportFromShareableHandleV2(
            shareable_handle: *mut c_void, share_type: aclrtMemSharedHandleType, flags: u64,
            handle: *mut aclrtDrvMemHandle
        ) -> aclError;
        [optional sim] fn aclrtMemInvalidate(dev_ptr: *mut c_void, size: usize) -> aclError;
        [optional sim] fn aclrtMemManagedAdvise(
            ptr: *const c_void, size: u64, advise: aclrtMemManagedAdviseType, location: aclrtMemManagedLocation
        ) -> aclError;
        [optional sim] fn aclrtMemManagedGetAttr(
            attribute: aclrtMemManagedRangeAttribute, ptr: *const c_void, size: usize, data: *mut c_void,
            data_size: usize
        ) -> aclError;
        [optional sim] fn aclrtMemManagedGetAttrs(
            attributes: *mut aclrtMemManagedRangeAttribute, num_attributes: usize, ptr: *const c_void, size: usize,
            data: *mut *mut c_void, data_sizes: *mut usize
        ) -> aclError;
        [optional sim] fn aclrtMemManagedPrefetchAsync(
            ptr: *const c_void, size: usize, location: aclrtMemManagedLocation, flags: u32, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtMemManagedPrefetchBatchAsync(
            ptrs: *mut *const c_void, sizes: *mut usize, count: usize, prefetch_locs: *mut aclrtMemManagedLocation,
            prefetch_loc_idxs: *mut usize, num_prefetch_locs: usize, flags: u64, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtMemMapNoAccess(
            vir_ptr: *mut c_void, size: usize, offset: usize, handle: aclrtDrvMemHandle, flags: u64
        ) -> aclError;
        [optional] fn aclrtMemMapSelectedLink(
            vir_ptr_dst: *mut c_void, size: usize, vir_ptr_src: *mut c_void, link_idx: u32
        ) -> aclError;
        [optional] fn aclrtMemMapSetLink(handle: aclrtDrvMemHandle, advice_link: aclrtMemLinkType) -> aclError;
        [optional] fn aclrtMemP2PMap(dev_ptr: *mut c_void, size: usize, dst_dev_id: i32, flags: u64) -> aclError;
        [optional sim] fn aclrtMemRetainAllocationHandle(vir_ptr: *mut c_void, handle: *mut aclrtDrvMemHandle) -> aclError;
        [optional sim] fn aclrtMemSetAccess(
            vir_ptr: *mut c_void, size: usize, desc: *mut aclrtMemAccessDesc, count: usize
        ) -> aclError;
        [optional sim] fn aclrtMemSetPidToShareableHandle(shareable_handle: u64, pid: *mut i32, pid_num: usize) -> aclError;
        [optional sim] fn aclrtMemSetPidToShareableHandleV2(
            shareable_handle: *mut c_void, share_type: aclrtMemSharedHandleType, pid: *mut i32, pid_num: usize
        ) -> aclError;
        [optional] fn aclrtMemUceRepair(
            device_id: i32, mem_uce_info_array: *mut aclrtMemUceInfo, array_size: usize
        ) -> aclError;
        [optional sim] fn aclrtPointerGetAttributes(ptr: *const c_void, attributes: *mut aclrtPtrAttributes) -> aclError;
        [optional sim] fn aclrtReleaseMemAddress(vir_ptr: *mut c_void) -> aclError;
        [optional sim] fn aclrtReserveMemAddress(
            vir_ptr: *mut *mut c_void, size: usize, alignment: usize, expect_ptr: *mut c_void, flags: u64
        ) -> aclError;
        [optional sim] fn aclrtReserveMemAddressNoUCMemory(
            vir_ptr: *mut *mut c_void, size: usize, alignment: usize, expect_ptr: *mut c_void, flags: u64
        ) -> aclError;
        [optional] fn aclrtSetBufDataLen(buf: aclrtMbuf, len: usize) -> aclError;
        [optional] fn aclrtSetBufUserData(buf: aclrtMbuf, data_ptr: *const c_void, size: usize, offset: usize) -> aclError;
        [optional sim] fn aclrtUnmapMem(vir_ptr: *mut c_void) -> aclError;
    } };
}
