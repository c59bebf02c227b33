//! What functions that the simulator does not have demand of their arguments. The AscendCL layer of the vendor's library
//! refuses these before its runtime sees the call, and programs that are tried out without a device meet them.

use super::words::Argument;
use crate::abi::{FromC, Text};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::device;
use ascendcl_sys::error_codes::*;
use core::ffi::c_char;
use std::path::Path;

/// An argument with its name.
pub(super) type Named = (&'static str, Argument);

/// A name is that of an argument which is neither null nor 0. `!` is for one that is reserved: it has to be null or 0. Of
/// `a|b`, one has to be given. `@` is for the number of this process, `*` for what the runtime refuses (107000), and
/// `/` for the path of a file that has to be there (107000). `#` is for a handle of kernels: none is ever made, so that
/// each is unknown (107017). `?` is for the place of a kernel in the program: none is known (107044). `&context` is for
/// the current context of the thread (107002), and other names with `&` are for what there never is (`MISSING`). `%` is
/// for bytes, which have to be a multiple of 32, and `<` for a number that is too large (107000). `=` is for the number of a
/// device (107001).
///
/// Read in the vendor's sources.
const DEMANDS: &[(&str, &str)] = &[
    ("aclTransTensorDescFormat", "src_desc dst_desc"),
    ("aclmdlBundleDestroyQueryInfo", "query_info"),
    ("aclmdlBundleGetModelId", "model_id &bundle"),
    ("aclmdlBundleGetModelNum", "model_num &bundle"),
    ("aclmdlBundleGetQueryModelNum", "query_info model_num"),
    ("aclmdlBundleGetSize", "query_info work_size const_weight_size"),
    ("aclmdlBundleGetVarWeightSize", "query_info variable_weight_size"),
    ("aclmdlBundleInitFromFile", "model_path bundle_id"),
    ("aclmdlBundleInitFromMem", "model bundle_id"),
    ("aclmdlBundleLoadFromFile", "model_path bundle_id"),
    ("aclmdlBundleLoadFromMem", "model model_size bundle_id"),
    ("aclmdlBundleLoadModel", "model_id &bundle"),
    ("aclmdlBundleLoadModelWithConfig", "handle model_id"),
    ("aclmdlBundleLoadModelWithMem", "model_id &bundle"),
    ("aclmdlBundleQueryInfoFromFile", "file_name query_info"),
    ("aclmdlBundleQueryInfoFromMem", "model query_info"),
    ("aclmdlLoadFromFileWithQ", "model_path model_id input_q output_q input_q_num output_q_num"),
    ("aclmdlLoadFromMemWithQ", "model model_id input_q output_q model_size input_q_num output_q_num"),
    ("aclmdlRIKernelTaskGetAttribute", "task attr_value"),
    ("aclmdlSetExternalWeightAddress", "handle weight_file_name dev_ptr size%"),
    ("aclopCreateKernel", "op_type kernel_id kernel_name bin_data"),
    ("aclprofDestroySubscribeConfig", "prof_subscribe_config"),
    ("aclprofGetOpDescSize", "op_desc_size"),
    ("aclprofGetOpName", "op_info op_name"),
    ("aclprofGetOpNameLen", "op_info op_name_len"),
    ("aclprofGetOpNum", "op_info op_number"),
    ("aclprofGetOpType", "op_info op_type"),
    ("aclprofGetOpTypeLen", "op_info op_type_len"),
    ("aclprofModelSubscribe", "prof_subscribe_config"),
    ("aclrtAllocBuf", "buf size"),
    ("aclrtAppendBufChain", "head_buf buf"),
    ("aclrtBinaryGetDevAddress", "bin_handle bin_handle#"),
    ("aclrtBinaryGetFunction", "bin_handle kernel_name func_handle bin_handle#"),
    ("aclrtBinaryGetFunctionByEntry", "bin_handle func_handle bin_handle#"),
    ("aclrtBinaryGetGlobal", "bin_handle name dptr|size bin_handle#"),
    ("aclrtBinaryLoad", "binary bin_handle"),
    ("aclrtBinaryLoadFromData", "data bin_handle length*"),
    ("aclrtBinaryLoadFromFile", "bin_path bin_handle bin_path/"),
    ("aclrtBinarySetExceptionCallback", "bin_handle callback bin_handle#"),
    ("aclrtBinaryUnLoad", "bin_handle bin_handle#"),
    ("aclrtCacheLastTaskOpInfo", "info_ptr info_size"),
    ("aclrtCmoAsyncWithBarrier", "src"),
    ("aclrtCmoWaitBarrier", "task_info"),
    ("aclrtCopyBufRef", "buf new_buf"),
    ("aclrtCtxGetFloatOverflowAddr", "overflow_addr* &context"),
    ("aclrtDestroyBinary", "binary"),
    ("aclrtDestroyGroupInfo", "group_info"),
    ("aclrtDeviceGetByPCIBusId", "pci_bus_id device_id"),
    ("aclrtDeviceGetPCIBusId", "pci_bus_id"),
    ("aclrtDeviceL2CacheFlush", "!rsv"),
    ("aclrtFreeBuf", "buf"),
    ("aclrtFunctionGetAvailDynUbufPerBlock", "func dynamic_ubuf_size !flags func#"),
    ("aclrtFunctionGetBinary", "func_handle* func_handle#"),
    ("aclrtFunctionGetParamCount", "func param_count func#"),
    ("aclrtFunctionGetParamInfo", "func param_offset|param_size func#"),
    ("aclrtGetAllGroupInfo", "group_info"),
    ("aclrtGetBufChainNum", "head_buf num"),
    ("aclrtGetBufData", "buf data_ptr size"),
    ("aclrtGetBufDataLen", "buf len"),
    ("aclrtGetBufFromChain", "head_buf buf"),
    ("aclrtGetBufUserData", "buf data_ptr"),
    ("aclrtGetDevicesTopo", "value"),
    ("aclrtGetErrorVerbose", "error_info device_id="),
    ("aclrtGetFuncBySymbol", "symbol func_handle &context symbol?"),
    ("aclrtGetFunctionAddr", "func_handle aic_addr aiv_addr func_handle#"),
    ("aclrtGetFunctionAttribute", "func_handle attr_value func_handle#"),
    ("aclrtGetFunctionName", "name func_handle* func_handle#"),
    ("aclrtGetFunctionSize", "func_handle* func_handle#"),
    ("aclrtGetGroupCount", "count"),
    ("aclrtGetGroupInfoDetail", "group_info attr_value param_ret_size"),
    ("aclrtGetHardwareSyncAddr", "addr*"),
    ("aclrtGetMemUsageInfo", "mem_usage_info output_num input_num* device_id="),
    ("aclrtHostMemMapCapabilities", "capabilities device_id= hac_type<10 &context"),
    ("aclrtKernelArgsAppend", "args_handle param param_size param_handle args_handle#"),
    ("aclrtKernelArgsAppendPlaceHolder", "args_handle param_handle args_handle#"),
    ("aclrtKernelArgsFinalize", "args_handle args_handle#"),
    ("aclrtKernelArgsGetHandleMemSize", "func_handle mem_size func_handle#"),
    ("aclrtKernelArgsGetMemSize", "func_handle actual_args_size func_handle#"),
    ("aclrtKernelArgsGetPlaceHolderBuffer", "args_handle param_handle data_size buffer_addr args_handle#"),
    ("aclrtKernelArgsInit", "func_handle args_handle func_handle#"),
    ("aclrtKernelArgsInitByUserMem", "func_handle args_handle user_host_mem actual_args_size func_handle#"),
    ("aclrtKernelArgsParaUpdate", "args_handle param_handle param param_size args_handle#"),
    ("aclrtLaunchKernel", "func_handle args_data func_handle#"),
    ("aclrtLaunchKernelV2", "func_handle args_data func_handle#"),
    ("aclrtLaunchKernelWithArgsArray", "func num_blocks"),
    ("aclrtLaunchKernelWithConfig", "func_handle num_blocks args_handle !reserve func_handle#"),
    ("aclrtLaunchKernelWithHostArgs", "func_handle host_args func_handle#"),
    ("aclrtLaunchSIMTKernelWithArgsArray", "func"),
    ("aclrtLaunchSIMTKernelWithHostArgs", "func host_args args_size"),
    ("aclrtMemMapSelectedLink", "vir_ptr_dst vir_ptr_src size"),
    ("aclrtMemP2PMap", "dev_ptr size !flags"),
    ("aclrtMemUceRepair", "mem_uce_info_array device_id="),
    ("aclrtProfTrace", "userdata"),
    ("aclrtRegisterCpuFunc", "handle func_name kernel_name func_handle handle#"),
    ("aclrtRepairError", "error_info device_id="),
    ("aclrtSetBufDataLen", "buf"),
    ("aclrtSetBufUserData", "buf data_ptr"),
    ("aclrtSnapShotCallbackRegister", "stage<6 callback*"),
    ("aclrtSnapShotCallbackUnregister", "stage<6 callback* &registration"),
    ("aclrtSnapShotProcessBackup", "pid@ !args &lock_to_back_up"),
    ("aclrtSnapShotProcessLock", "pid@ !reserve"),
    ("aclrtSnapShotProcessRestore", "pid@ !args &backup"),
    ("aclrtSnapShotProcessUnlock", "pid@ !reserve &lock_to_end"),
    ("aclrtTaskUpdateAsync", "info"),
];

/// What there never is, because the functions that make it are not simulated: its code.
const MISSING: &[(&str, i32, &str)] = &[
    ("&backup", ACL_ERROR_SNAPSHOT_RESTORE_FAILED, "the process has no snapshot"),
    ("&bundle", ACL_ERROR_INVALID_BUNDLE_MODEL_ID, "there is no such bundle of models"),
    ("&lock_to_back_up", ACL_ERROR_SNAPSHOT_BACKUP_FAILED, "the process is not locked"),
    ("&lock_to_end", ACL_ERROR_SNAPSHOT_UNLOCK_FAILED, "the process is not locked"),
    ("&registration", ACL_ERROR_RT_PARAM_INVALID, "the function is not registered for this stage"),
];

/// Whether the arguments of the function with this name are as it demands.
pub(super) fn check(function: &str, arguments: &[Named]) -> Answer {
    let found = DEMANDS.binary_search_by_key(&function, |(name, _)| name).ok().and_then(|at| DEMANDS.get(at));
    found.map_or(Ok(()), |(_, demands)| demands.split(' ').try_for_each(|demand| meets(demand, arguments)))
}

fn meets(demand: &str, arguments: &[Named]) -> Answer {
    let argument = |wanted: &str| arguments.iter().find(|(name, _)| *name == wanted).map(|(_, argument)| *argument);
    let is_nothing = |name: &str| argument(name).is_some_and(Argument::is_nothing);
    if let Some(reserved) = demand.strip_prefix('!') {
        return holds(is_nothing(reserved), || {
            Failure::invalid(format!("`{reserved}` is reserved: expected null or 0"))
        });
    }
    if demand == "&context" {
        return current_context().map(drop);
    }
    if let Some((_, code, text)) = MISSING.iter().find(|(name, ..)| *name == demand) {
        return Err(Failure::new(*code, *text));
    }
    if let Some((name, end)) = demand.split_once('<') {
        let fits = matches!((argument(name), end.parse()), (Some(Argument::Word(number)), Ok(end)) if number < end);
        return holds(fits, || Failure::refused(format!("`{name}` is too large: expected less than {end}")));
    }
    if let Some(name) = demand.strip_suffix('=') {
        return match argument(name) {
            Some(Argument::Word(number)) => device::device(i64::try_from(number).unwrap_or(-1)).map(drop),
            _ => Ok(()),
        };
    }
    if let Some(name) = demand.strip_suffix('%') {
        let fits = matches!(argument(name), Some(Argument::Word(bytes)) if bytes > 0 && bytes.is_multiple_of(32));
        return holds(fits, || Failure::invalid(format!("`{name}` is no multiple of 32 bytes")));
    }
    if let Some(name) = demand.strip_suffix('#') {
        return holds(is_nothing(name), || Failure::unknown("kernel, binary, or list of its arguments"));
    }
    if let Some(name) = demand.strip_suffix('?') {
        let text = format!("`{name}` is no kernel that was registered");
        return holds(is_nothing(name), || Failure::new(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION, text));
    }
    if let Some(name) = demand.strip_suffix('@') {
        let own = Argument::Word(u64::from(std::process::id()));
        return holds(argument(name) == Some(own), || Failure::invalid(format!("`{name}` is not this process")));
    }
    if let Some(name) = demand.strip_suffix('/') {
        let path = argument(name).map(text);
        let is_there = path.as_ref().is_some_and(|path| Path::new(path).exists());
        return holds(is_there, || Failure::refused(format!("`{name}` is {path:?}, where no file is")));
    }
    if let Some(name) = demand.strip_suffix('*') {
        return holds(!is_nothing(name), || Failure::refused(format!("`{name}` is 0")));
    }
    let is_given = demand.split('|').any(|name| !is_nothing(name));
    holds(is_given, || Failure::invalid(format!("`{}` is null or 0", demand.replace('|', "` or `"))))
}

/// The text at an argument; none at null.
fn text(argument: Argument) -> String {
    let Argument::Address(address) = argument else { return String::new() };
    // SAFETY: `FromC::from_c` asks for an argument of a C call that is under way. The text is one, as the demand says.
    let text: Text<'_> = unsafe { FromC::from_c(address.cast::<c_char>()) };
    text.get().map(Into::into).unwrap_or_default()
}

fn holds(condition: bool, failure: impl FnOnce() -> Failure) -> Answer {
    if condition { Ok(()) } else { Err(failure()) }
}

#[cfg(test)]
mod tests {
    use super::DEMANDS;

    #[test]
    fn the_demands_are_sorted_and_those_of_functions_that_are_not_simulated() {
        assert!(DEMANDS.is_sorted());
        for (name, demands) in DEMANDS {
            let function = ascendcl_sys::table().find(|function| function.name == *name).unwrap();
            assert!(!function.simulated && !demands.is_empty(), "{name}");
        }
    }
}
