//! Kernel binaries, arguments and launches.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! kernel_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] kernel ["libacl_rt.so" "libascendcl.so"]

        [optional sim] fn aclrtActiveStream(active_stream: aclrtStream, stream: aclrtStream) -> aclError;
        [optional] fn aclrtBinaryGetDevAddress(
            bin_handle: aclrtBinHandle, bin_addr: *mut *mut c_void, bin_size: *mut usize
        ) -> aclError;
        [optional] fn aclrtBinaryGetFunction(
            bin_handle: aclrtBinHandle, kernel_name: *const c_char, func_handle: *mut aclrtFuncHandle
        ) -> aclError;
        [optional] fn aclrtBinaryGetFunctionByEntry(
            bin_handle: aclrtBinHandle, func_entry: u64, func_handle: *mut aclrtFuncHandle
        ) -> aclError;
        [optional] fn aclrtBinaryGetGlobal(
            bin_handle: aclrtBinHandle, name: *const c_char, dptr: *mut *mut c_void, size: *mut usize
        ) -> aclError;
        [optional] fn aclrtBinaryLoad(binary: aclrtBinary, bin_handle: *mut aclrtBinHandle) -> aclError;
        [optional] fn aclrtBinaryLoadFromData(
            data: *const c_void, length: usize, options: *const aclrtBinaryLoadOptions, bin_handle: *mut aclrtBinHandle
        ) -> aclError;
        [optional] fn aclrtBinaryLoadFromFile(
            bin_path: *const c_char, options: *mut aclrtBinaryLoadOptions, bin_handle: *mut aclrtBinHandle
        ) -> aclError;
        [optional] fn aclrtBinarySetExceptionCallback(
            bin_handle: aclrtBinHandle, callback: aclrtOpExceptionCallback, user_data: *mut c_void
        ) -> aclError;
        [optional] fn aclrtBinaryUnLoad(bin_handle: aclrtBinHandle) -> aclError;
        [optional] fn aclrtCreateBinary(data: *const c_void, data_len: usize) -> aclrtBinary;
        [optional sim] fn aclrtCreateLabel(label: *mut aclrtLabel) -> aclError;
        [optional sim] fn aclrtCreateLabelList(
            labels: *mut aclrtLabel, num: usize, label_list: *mut aclrtLabelList
        ) -> aclError;
        [optional] fn aclrtDestroyBinary(binary: aclrtBinary) -> aclError;
        [optional sim] fn aclrtDestroyLabel(label: aclrtLabel) -> aclError;
        [optional sim] fn aclrtDestroyLabelList(label_list: aclrtLabelList) -> aclError;
        [optional] fn aclrtFunctionGetAvailDynUbufPerBlock(
            func: *mut c_void, flags: u32, dynamic_ubuf_size: *mut usize
        ) -> aclError;
        [optional] fn aclrtFunctionGetBinary(func_handle: aclrtFuncHandle, bin_handle: *mut aclrtBinHandle) -> aclError;
        [optional] fn aclrtFunctionGetParamCount(func: *const c_void, param_count: *mut usize) -> aclError;
        [optional] fn aclrtFunctionGetParamInfo(
            func: *const c_void, param_index: usize, param_offset: *mut usize, param_size: *mut usize
        ) -> aclError;
        [optional sim] fn aclrtGetArgsFromExceptionInfo(
            info: *const aclrtExceptionInfo, dev_args_ptr: *mut *mut c_void, dev_args_len: *mut u32
        ) -> aclError;
        [optional] fn aclrtGetFuncBySymbol(symbol: *const c_void, func_handle: *mut aclrtFuncHandle) -> aclError;
        [optional sim] fn aclrtGetFuncHandleFromExceptionInfo(
            info: *const aclrtExceptionInfo, func: *mut aclrtFuncHandle
        ) -> aclError;
        [optional] fn aclrtGetFunctionAddr(
            func_handle: aclrtFuncHandle, aic_addr: *mut *mut c_void, aiv_addr: *mut *mut c_void
        ) -> aclError;
        [optional] fn aclrtGetFunctionAttribute(
            func_handle: aclrtFuncHandle, attr_type: aclrtFuncAttribute, attr_value: *mut i64
        ) -> aclError;
        [optional] fn aclrtGetFunctionName(func_handle: aclrtFuncHandle, max_len: u32, name: *mut c_char) -> aclError;
        [optional] fn aclrtGetFunctionSize(
            func_handle: aclrtFuncHandle, aic_size: *mut usize, aiv_size: *mut usize
        ) -> aclError;
        [optional] fn aclrtGetSymbolAddress(symbol: *const c_void, dev_ptr: *mut *mut c_void) -> aclError;
        [optional] fn aclrtGetSymbolSize(symbol: *const c_void, size: *mut usize) -> aclError;
        [optional] fn aclrtKernelArgsAppend(
            args_handle: aclrtArgsHandle, param: *mut c_void, param_size: usize, param_handle: *mut aclrtParamHandle
        ) -> aclError;
        [optional] fn aclrtKernelArgsAppendPlaceHolder(
            args_handle: aclrtArgsHandle, param_handle: *mut aclrtParamHandle
        ) -> aclError;
        [optional] fn aclrtKernelArgsFinalize(args_handle: aclrtArgsHandle) -> aclError;
        [optional] fn aclrtKernelArgsGetHandleMemSize(func_handle: aclrtFuncHandle, mem_size: *mut usize) -> aclError;
        [optional] fn aclrtKernelArgsGetMemSize(
            func_handle: aclrtFuncHandle, user_args_size: usize, actual_args_size: *mut usize
        ) -> aclError;
        [optional] fn aclrtKernelArgsGetPlaceHolderBuffer(
            args_handle: aclrtArgsHandle, param_handle: aclrtParamHandle, data_size: usize,
            buffer_addr: *mut *mut c_void
        ) -> aclError;
        [optional] fn aclrtKernelArgsInit(func_handle: aclrtFuncHandle, args_handle: *mut aclrtArgsHandle) -> aclError;
        [optional] fn aclrtKernelArgsInitByUserMem(
            func_handle: aclrtFuncHandle, args_handle: aclrtArgsHandle, user_host_mem: *mut c_void,
            actual_args_size: usize
        ) -> aclError;
        [optional] fn aclrtKernelArgsParaUpdate(
            args_handle: aclrtArgsHandle, param_handle: aclrtParamHandle, param: *mut c_void, param_size: usize
        ) -> aclError;
        [optional] fn aclrtLaunchKernel(
            func_handle: aclrtFuncHandle, num_blocks: u32, args_data: *const c_void, args_size: usize,
            stream: aclrtStream
        ) -> aclError;
        [optional] fn aclrtLaunchKernelV2(
            func_handle: aclrtFuncHandle, num_blocks: u32, args_data: *const c_void, args_size: usize,
            cfg: *mut aclrtLaunchKernelCfg, stream: aclrtStream
        ) -> aclError;
        [optional] fn aclrtLaunchKernelWithArgsArray(
            func: *mut c_void, num_blocks: u32, stream: aclrtStream, cfg: *mut aclrtLaunchKernelCfg,
            args: *mut *mut c_void
        ) -> aclError;
        [optional] fn aclrtLaunchKernelWithConfig(
            func_handle: aclrtFuncHandle, num_blocks: u32, stream: aclrtStream, cfg: *mut aclrtLaunchKernelCfg,
            args_handle: aclrtArgsHandle, reserve: *mut c_void
        ) -> aclError;
        [optional] fn aclrtLaunchKernelWithHostArgs(
            func_handle: aclrtFuncHandle, num_blocks: u32, stream: aclrtStream, cfg: *mut aclrtLaunchKernelCfg,
            host_args: *mut c_void, args_size: usize, place_holder_array: *mut aclrtPlaceHolderInfo,
            place_holder_num: usize
        ) -> aclError;
        [optional] fn aclrtLaunchSIMTKernelWithArgsArray(
            func: *mut c_void, grid_dim: dim3, block_dim: dim3, dyn_ubuf_size: usize, stream: aclrtStream,
            cfg: *mut aclrtLaunchKernelCfg, args: *mut *mut c_void
        ) -> aclError;
        [optional] fn aclrtLaunchSIMTKernelWithHostArgs(
            func: *mut c_void, grid_dim: dim3, block_dim: dim3, dyn_ubuf_size: usize, stream: aclrtStream,
            cfg: *mut aclrtLaunchKernelCfg, host_args: *mut c_void, args_size: usize,
            place_holder_array: *mut aclrtPlaceHolderInfo, place_holder_num: usize
        ) -> aclError;
        [optional] fn aclrtMemcpyFromSymbol(
            dst: *mut c_void, dst_max: usize, symbol: *const c_void, count: usize, offset: usize, kind: aclrtMemcpyKind
        ) -> aclError;
        [optional] fn aclrtMemcpyFromSymbolAsync(
            dst: *mut c_void, dst_max: usize, symbol: *const c_void, count: usize, offset: usize, kind: aclrtMemcpyKind,
            stream: aclrtStream
        ) -> aclError;
        [optional] fn aclrtMemcpyToSymbol(
            symbol: *const c_void, src: *const c_void, count: usize, offset: usize, kind: aclrtMemcpyKind
        ) -> aclError;
        [optional] fn aclrtMemcpyToSymbolAsync(
            symbol: *const c_void, src: *const c_void, count: usize, offset: usize, kind: aclrtMemcpyKind,
            stream: aclrtStream
        ) -> aclError;
        [optional] fn aclrtRegisterCpuFunc(
            handle: aclrtBinHandle, func_name: *const c_char, kernel_name: *const c_char,
            func_handle: *mut aclrtFuncHandle
        ) -> aclError;
        [optional sim] fn aclrtSetLabel(label: aclrtLabel, stream: aclrtStream) -> aclError;
        [optional sim] fn aclrtSwitchLabelByIndex(
            ptr: *mut c_void, max_value: u32, label_list: aclrtLabelList, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtSwitchStream(
            left_value: *mut c_void, cond: aclrtCondition, right_value: *mut c_void, data_type: aclrtCompareDataType,
            true_stream: aclrtStream, false_stream: aclrtStream, stream: aclrtStream
        ) -> aclError;
    } };
}
