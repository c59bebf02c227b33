//! Tensor channels.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! tensor_channel_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] tensor_channel "libacl_tdt_channel.so"

        [optional sim] fn acltdtAddDataItem(dataset: *mut acltdtDataset, data_item: *mut acltdtDataItem) -> aclError;
        [optional sim] fn acltdtCleanChannel(handle: *mut acltdtChannelHandle) -> aclError;
        [optional sim] fn acltdtCreateChannel(device_id: u32, name: *const c_char) -> *mut acltdtChannelHandle;
        [optional sim] fn acltdtCreateChannelWithCapacity(
            device_id: u32, name: *const c_char, capacity: usize
        ) -> *mut acltdtChannelHandle;
        [optional sim] fn acltdtCreateDataItem(
            tdt_type: acltdtTensorType, dims: *const i64, dim_num: usize, data_type: aclDataType, data: *mut c_void,
            size: usize
        ) -> *mut acltdtDataItem;
        [optional sim] fn acltdtCreateDataset() -> *mut acltdtDataset;
        [optional sim] fn acltdtDestroyChannel(handle: *mut acltdtChannelHandle) -> aclError;
        [optional sim] fn acltdtDestroyDataItem(data_item: *mut acltdtDataItem) -> aclError;
        [optional sim] fn acltdtDestroyDataset(dataset: *mut acltdtDataset) -> aclError;
        [optional sim] fn acltdtGetDataAddrFromItem(data_item: *const acltdtDataItem) -> *mut c_void;
        [optional sim] fn acltdtGetDataItem(dataset: *const acltdtDataset, index: usize) -> *mut acltdtDataItem;
        [optional sim] fn acltdtGetDataSizeFromItem(data_item: *const acltdtDataItem) -> usize;
        [optional sim] fn acltdtGetDataTypeFromItem(data_item: *const acltdtDataItem) -> aclDataType;
        [optional sim] fn acltdtGetDatasetName(dataset: *const acltdtDataset) -> *const c_char;
        [optional sim] fn acltdtGetDatasetSize(dataset: *const acltdtDataset) -> usize;
        [optional sim] fn acltdtGetDimNumFromItem(data_item: *const acltdtDataItem) -> usize;
        [optional sim] fn acltdtGetDimsFromItem(data_item: *const acltdtDataItem, dims: *mut i64, dim_num: usize) -> aclError;
        [optional sim] fn acltdtGetSliceInfoFromItem(
            data_item: *const acltdtDataItem, slice_num: *mut usize, slice_id: *mut usize
        ) -> aclError;
        [optional sim] fn acltdtGetTensorTypeFromItem(data_item: *const acltdtDataItem) -> acltdtTensorType;
        [optional sim] fn acltdtQueryChannelSize(handle: *const acltdtChannelHandle, size: *mut usize) -> aclError;
        [optional sim] fn acltdtReceiveTensor(
            handle: *const acltdtChannelHandle, dataset: *mut acltdtDataset, timeout: i32
        ) -> aclError;
        [optional sim] fn acltdtSendTensor(
            handle: *const acltdtChannelHandle, dataset: *const acltdtDataset, timeout: i32
        ) -> aclError;
        [optional sim] fn acltdtStopChannel(handle: *mut acltdtChannelHandle) -> aclError;
    } };
}
