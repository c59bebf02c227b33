//! Models, descriptions and datasets.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! model_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] model ["libacl_mdl.so" "libascendcl.so"]

        [optional] fn aclRecoverAllHcclTasks(device_id: i32) -> aclError;
        [required sim] fn aclmdlAddDatasetBuffer(dataset: *mut aclmdlDataset, data_buffer: *mut aclDataBuffer) -> aclError;
        [optional] fn aclmdlCreateAndGetOpDesc(
            device_id: u32, stream_id: u32, task_id: u32, op_name: *mut c_char, op_name_len: usize,
            input_desc: *mut *mut aclTensorDesc, num_inputs: *mut usize, output_desc: *mut *mut aclTensorDesc,
            num_outputs: *mut usize
        ) -> aclError;
        [optional sim] fn aclmdlCreateConfigHandle() -> *mut aclmdlConfigHandle;
        [required sim] fn aclmdlCreateDataset() -> *mut aclmdlDataset;
        [required sim] fn aclmdlCreateDesc() -> *mut aclmdlDesc;
        [optional sim] fn aclmdlCreateExecConfigHandle() -> *mut aclmdlExecConfigHandle;
        [optional sim] fn aclmdlDestroyConfigHandle(handle: *mut aclmdlConfigHandle) -> aclError;
        [required sim] fn aclmdlDestroyDataset(dataset: *const aclmdlDataset) -> aclError;
        [required sim] fn aclmdlDestroyDesc(model_desc: *mut aclmdlDesc) -> aclError;
        [optional sim] fn aclmdlDestroyExecConfigHandle(handle: *const aclmdlExecConfigHandle) -> aclError;
        [required sim] fn aclmdlExecute(
            model_id: u32, input: *const aclmdlDataset, output: *mut aclmdlDataset
        ) -> aclError;
        [required sim] fn aclmdlExecuteAsync(
            model_id: u32, input: *const aclmdlDataset, output: *mut aclmdlDataset, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclmdlExecuteAsyncV2(
            model_id: u32, input: *const aclmdlDataset, output: *mut aclmdlDataset, stream: aclrtStream,
            handle: *const aclmdlExecConfigHandle
        ) -> aclError;
        [optional sim] fn aclmdlExecuteV2(
            model_id: u32, input: *const aclmdlDataset, output: *mut aclmdlDataset, stream: aclrtStream,
            handle: *const aclmdlExecConfigHandle
        ) -> aclError;
        [optional sim] fn aclmdlGetAttribute(model_id: u32, attr: aclmdlAttr, attr_value: *mut aclmdlAttrValue_t) -> aclError;
        [optional sim] fn aclmdlGetCurOutputDims(
            model_desc: *const aclmdlDesc, index: usize, dims: *mut aclmdlIODims
        ) -> aclError;
        [optional sim] fn aclmdlGetDatasetBuffer(dataset: *const aclmdlDataset, index: usize) -> *mut aclDataBuffer;
        [optional sim] fn aclmdlGetDatasetNumBuffers(dataset: *const aclmdlDataset) -> usize;
        [required sim] fn aclmdlGetDatasetTensorDesc(dataset: *const aclmdlDataset, index: usize) -> *mut aclTensorDesc;
        [required sim] fn aclmdlGetDesc(model_desc: *mut aclmdlDesc, model_id: u32) -> aclError;
        [optional sim] fn aclmdlGetDescFromFile(model_desc: *mut aclmdlDesc, model_path: *const c_char) -> aclError;
        [optional sim] fn aclmdlGetDescFromMem(
            model_desc: *mut aclmdlDesc, model: *const c_void, model_size: usize
        ) -> aclError;
        [required sim] fn aclmdlGetDynamicBatch(model_desc: *const aclmdlDesc, batch: *mut aclmdlBatch) -> aclError;
        [required sim] fn aclmdlGetDynamicHW(model_desc: *const aclmdlDesc, index: usize, hw: *mut aclmdlHW) -> aclError;
        [required sim] fn aclmdlGetInputDataType(model_desc: *const aclmdlDesc, index: usize) -> aclDataType;
        [required sim] fn aclmdlGetInputDims(
            model_desc: *const aclmdlDesc, index: usize, dims: *mut aclmdlIODims
        ) -> aclError;
        [optional sim] fn aclmdlGetInputDimsRange(
            model_desc: *const aclmdlDesc, index: usize, dims_range: *mut aclmdlIODimsRange
        ) -> aclError;
        [optional sim] fn aclmdlGetInputDimsV2(
            model_desc: *const aclmdlDesc, index: usize, dims: *mut aclmdlIODims
        ) -> aclError;
        [required sim] fn aclmdlGetInputDynamicDims(
            model_desc: *const aclmdlDesc, index: usize, dims: *mut aclmdlIODims, gear_count: usize
        ) -> aclError;
        [required sim] fn aclmdlGetInputDynamicGearCount(
            model_desc: *const aclmdlDesc, index: usize, gear_count: *mut usize
        ) -> aclError;
        [required sim] fn aclmdlGetInputFormat(model_desc: *const aclmdlDesc, index: usize) -> aclFormat;
        [optional sim] fn aclmdlGetInputIndexByName(
            model_desc: *const aclmdlDesc, name: *const c_char, index: *mut usize
        ) -> aclError;
        [required sim] fn aclmdlGetInputNameByIndex(model_desc: *const aclmdlDesc, index: usize) -> *const c_char;
        [required sim] fn aclmdlGetInputSizeByIndex(model_desc: *mut aclmdlDesc, index: usize) -> usize;
        [required sim] fn aclmdlGetNumInputs(model_desc: *mut aclmdlDesc) -> usize;
        [required sim] fn aclmdlGetNumOutputs(model_desc: *mut aclmdlDesc) -> usize;
        [optional] fn aclmdlGetOpAttr(
            model_desc: *mut aclmdlDesc, op_name: *const c_char, attr: *const c_char
        ) -> *const c_char;
        [required sim] fn aclmdlGetOutputDataType(model_desc: *const aclmdlDesc, index: usize) -> aclDataType;
        [required sim] fn aclmdlGetOutputDims(
            model_desc: *const aclmdlDesc, index: usize, dims: *mut aclmdlIODims
        ) -> aclError;
        [required sim] fn aclmdlGetOutputFormat(model_desc: *const aclmdlDesc, index: usize) -> aclFormat;
        [optional sim] fn aclmdlGetOutputIndexByName(
            model_desc: *const aclmdlDesc, name: *const c_char, index: *mut usize
        ) -> aclError;
        [required sim] fn aclmdlGetOutputNameByIndex(model_desc: *const aclmdlDesc, index: usize) -> *const c_char;
        [required sim] fn aclmdlGetOutputSizeByIndex(model_desc: *mut aclmdlDesc, index: usize) -> usize;
        [optional sim] fn aclmdlGetTensorRealName(model_desc: *const aclmdlDesc, name: *const c_char) -> *const c_char;
        [required sim] fn aclmdlLoadFromFile(model_path: *const c_char, model_id: *mut u32) -> aclError;
        [required sim] fn aclmdlLoadFromFileWithMem(
            model_path: *const c_char, model_id: *mut u32, work_ptr: *mut c_void, work_size: usize,
            weight_ptr: *mut c_void, weight_size: usize
        ) -> aclError;
        [optional] fn aclmdlLoadFromFileWithQ(
            model_path: *const c_char, model_id: *mut u32, input_q: *const u32, input_q_num: usize, output_q: *const u32,
            output_q_num: usize
        ) -> aclError;
        [required sim] fn aclmdlLoadFromMem(model: *const c_void, model_size: usize, model_id: *mut u32) -> aclError;
        [required sim] fn aclmdlLoadFromMemWithMem(
            model: *const c_void, model_size: usize, model_id: *mut u32, work_ptr: *mut c_void, work_size: usize,
            weight_ptr: *mut c_void, weight_size: usize
        ) -> aclError;
        [optional] fn aclmdlLoadFromMemWithQ(
            model: *const c_void, model_size: usize, model_id: *mut u32, input_q: *const u32, input_q_num: usize,
            output_q: *const u32, output_q_num: usize
        ) -> aclError;
        [optional] fn aclmdlLoadFromModel(
            model: *const aclmdlModel, handle: *const aclmdlConfigHandle, model_id: *mut u32
        ) -> aclError;
        [optional sim] fn aclmdlLoadWithConfig(handle: *const aclmdlConfigHandle, model_id: *mut u32) -> aclError;
        [optional] fn aclmdlQueryExeOMDesc(file_name: *const c_char, mdl_partition_size: *mut aclmdlExeOMDesc) -> aclError;
        [required sim] fn aclmdlQuerySize(
            file_name: *const c_char, work_size: *mut usize, weight_size: *mut usize
        ) -> aclError;
        [required sim] fn aclmdlQuerySizeFromMem(
            model: *const c_void, model_size: usize, work_size: *mut usize, weight_size: *mut usize
        ) -> aclError;
        [optional sim] fn aclmdlSetAttribute(model_id: u32, attr: aclmdlAttr, attr_value: *mut aclmdlAttrValue_t) -> aclError;
        [optional sim] fn aclmdlSetConfigOpt(
            handle: *mut aclmdlConfigHandle, attr: aclmdlConfigAttr, attr_value: *const c_void, value_size: usize
        ) -> aclError;
        [required sim] fn aclmdlSetDatasetTensorDesc(
            dataset: *mut aclmdlDataset, tensor_desc: *mut aclTensorDesc, index: usize
        ) -> aclError;
        [required sim] fn aclmdlSetDynamicBatchSize(
            model_id: u32, dataset: *mut aclmdlDataset, index: usize, batch_size: u64
        ) -> aclError;
        [required sim] fn aclmdlSetDynamicHWSize(
            model_id: u32, dataset: *mut aclmdlDataset, index: usize, height: u64, width: u64
        ) -> aclError;
        [optional sim] fn aclmdlSetExecConfigOpt(
            handle: *mut aclmdlExecConfigHandle, attr: aclmdlExecConfigAttr, attr_value: *const c_void,
            value_size: usize
        ) -> aclError;
        [optional] fn aclmdlSetExternalWeightAddress(
            handle: *mut aclmdlConfigHandle, weight_file_name: *const c_char, dev_ptr: *mut c_void, size: usize
        ) -> aclError;
        [required sim] fn aclmdlSetInputDynamicDims(
            model_id: u32, dataset: *mut aclmdlDataset, index: usize, dims: *const aclmdlIODims
        ) -> aclError;
        [required sim] fn aclmdlUnload(model_id: u32) -> aclError;
    } };
}
