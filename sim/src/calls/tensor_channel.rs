//! Channels of tensors.

use super::model::told;
use super::wanted;
use crate::abi::CText;
use crate::abi::{Address, In, Name, Out, Text};
use crate::failure::{Answer, Failure};
use crate::machine::descriptions::queues::SMALLEST_QUEUE;
use crate::machine::descriptions::tensor_channels::{
    self, Item, add_item, clean_channel, count_items, create_channel, create_item, destroy_channel, destroy_dataset,
    destroy_item, is_queue, item_at, read_item, receive, send, stop_channel, waiting_in, with_name,
};
use crate::machine::device;
use ascendcl_sys::constants::ACL_MAX_DIM_CNT;
use ascendcl_sys::types::*;
use std::ffi::CString;
use std::time::{Duration, Instant};

pub(crate) fn acltdtCreateDataItem(
    tdt_type: acltdtTensorType,
    dims: In<'_, i64>,
    dim_num: usize,
    data_type: aclDataType,
    data: Address,
    size: usize,
) -> Option<Name<acltdtDataItem>> {
    if dims.is_null() != (dim_num == 0) {
        let dims = if dims.is_null() { "null" } else { "not null" };
        return told(Err(Failure::invalid(format!("the dims are {dims}, and their number is {dim_num}"))));
    }
    if dim_num > ACL_MAX_DIM_CNT as usize {
        return told(Err(Failure::invalid(format!("found {dim_num} dims, expected at most {ACL_MAX_DIM_CNT}"))));
    }
    if tdt_type != acltdtTensorType::ACL_TENSOR_DATA_TENSOR {
        if !dims.is_null() {
            return told(Err(Failure::invalid("the mark of an end has no dims")));
        }
        // Nor does it carry data.
        let none = aclDataType::ACL_DT_UNDEFINED;
        return Some(create_item(Item::new(tdt_type, Vec::new(), none, Address::NULL, 0)));
    }
    // What the dims are, and whether there is data, is looked at when it is sent.
    Some(create_item(Item::new(tdt_type, dims.list(dim_num), data_type, data, size)))
}

pub(crate) fn acltdtDestroyDataItem(item: Name<acltdtDataItem>) -> Answer {
    destroy_item(item)
}

pub(crate) fn acltdtGetTensorTypeFromItem(item: Name<acltdtDataItem>) -> acltdtTensorType {
    told(read_item(item)).map_or(acltdtTensorType::ACL_TENSOR_DATA_UNDEFINED, |item| item.kind)
}

pub(crate) fn acltdtGetDataTypeFromItem(item: Name<acltdtDataItem>) -> aclDataType {
    told(read_item(item)).map_or(aclDataType::ACL_DT_UNDEFINED, |item| item.data_type)
}

pub(crate) fn acltdtGetDataAddrFromItem(item: Name<acltdtDataItem>) -> Option<Address> {
    told(read_item(item)).map(|item| item.data)
}

pub(crate) fn acltdtGetDataSizeFromItem(item: Name<acltdtDataItem>) -> usize {
    told(read_item(item)).map_or(0, |item| item.size)
}

pub(crate) fn acltdtGetDimNumFromItem(item: Name<acltdtDataItem>) -> usize {
    told(read_item(item)).map_or(0, |item| item.dims.len())
}

pub(crate) fn acltdtGetDimsFromItem(item: Name<acltdtDataItem>, mut dims: Out<'_, i64>, dim_num: usize) -> Answer {
    let item = read_item(item)?;
    if dims.is_null() != (dim_num == 0) {
        let dims = if dims.is_null() { "null" } else { "not null" };
        return Err(Failure::invalid(format!("the place for the dims is {dims}, and its room is {dim_num}")));
    }
    if item.dims.len() > dim_num {
        let text = format!("the tensor has {} axes, and there is room for {dim_num}", item.dims.len());
        return Err(Failure::invalid(text));
    }
    dims.set_all(item.dims.iter().copied(), dim_num);
    Ok(())
}

/// Tensors are not cut into slices here.
pub(crate) fn acltdtGetSliceInfoFromItem(
    item: Name<acltdtDataItem>,
    mut slice_num: Out<'_, usize>,
    mut slice_id: Out<'_, usize>,
) -> Answer {
    wanted(&slice_num).and(wanted(&slice_id))?;
    read_item(item)?;
    slice_num.set(0);
    slice_id.set(0);
    Ok(())
}

pub(crate) fn acltdtCreateDataset() -> Option<Name<acltdtDataset>> {
    Some(tensor_channels::create_dataset())
}

pub(crate) fn acltdtDestroyDataset(dataset: Name<acltdtDataset>) -> Answer {
    destroy_dataset(dataset)
}

pub(crate) fn acltdtAddDataItem(dataset: Name<acltdtDataset>, item: Name<acltdtDataItem>) -> Answer {
    add_item(dataset, item)
}

pub(crate) fn acltdtGetDataItem(dataset: Name<acltdtDataset>, index: usize) -> Option<Name<acltdtDataItem>> {
    told(item_at(dataset, index))
}

pub(crate) fn acltdtGetDatasetSize(dataset: Name<acltdtDataset>) -> usize {
    told(count_items(dataset)).unwrap_or(0)
}

/// The channel's name, in place until the dataset receives again or is destroyed.
pub(crate) fn acltdtGetDatasetName(dataset: Name<acltdtDataset>) -> CText {
    told(with_name(dataset, |name| CText::of(name))).unwrap_or(CText::NULL)
}

pub(crate) fn acltdtCreateChannel(device_id: u32, name: Text<'_>) -> Option<Name<acltdtChannelHandle>> {
    create(device_id, name, None)
}

pub(crate) fn acltdtCreateChannelWithCapacity(
    device_id: u32,
    name: Text<'_>,
    capacity: usize,
) -> Option<Name<acltdtChannelHandle>> {
    /// With the terminating zero.
    const LONGEST: usize = 128;
    if name.get().is_some_and(|name| name.len() >= LONGEST) {
        return told(Err(Failure::invalid(format!("a name has at most {} bytes", LONGEST - 1))));
    }
    // The library, too, looks at the lower half alone.
    let capacity = capacity as u32 as usize;
    if name.get().is_some() && capacity < SMALLEST_QUEUE as usize {
        let text = format!("found the capacity {capacity}, expected at least {SMALLEST_QUEUE}");
        return told(Err(Failure::refused(text)));
    }
    create(device_id, name, Some(capacity))
}

fn create(device_id: u32, name: Text<'_>, capacity: Option<usize>) -> Option<Name<acltdtChannelHandle>> {
    let name = name.get().and_then(|name| CString::new(name.into_owned()).ok());
    let name = told(name.ok_or_else(|| Failure::invalid("the channel has no name: the pointer is null")))?;
    told(device::device(device_id.into()))?;
    Some(create_channel(device_id, name, capacity))
}

pub(crate) fn acltdtDestroyChannel(handle: Name<acltdtChannelHandle>) -> Answer {
    destroy_channel(handle)
}

pub(crate) fn acltdtStopChannel(handle: Name<acltdtChannelHandle>) -> Answer {
    stop_channel(handle)
}

pub(crate) fn acltdtCleanChannel(handle: Name<acltdtChannelHandle>) -> Answer {
    clean_channel(handle)
}

pub(crate) fn acltdtQueryChannelSize(handle: Name<acltdtChannelHandle>, mut size: Out<'_, usize>) -> Answer {
    wanted(&size)?;
    size.set(waiting_in(handle)?);
    Ok(())
}

pub(crate) fn acltdtSendTensor(
    handle: Name<acltdtChannelHandle>,
    dataset: Name<acltdtDataset>,
    timeout: i32,
) -> Answer {
    send(handle, dataset, until(handle, timeout)?)
}

pub(crate) fn acltdtReceiveTensor(
    handle: Name<acltdtChannelHandle>,
    dataset: Name<acltdtDataset>,
    timeout: i32,
) -> Answer {
    receive(handle, dataset, until(handle, timeout)?)
}

/// -1 waits without end, 0 does not wait. A channel without a capacity takes no other limit than -1.
fn until(channel: Name<acltdtChannelHandle>, timeout: i32) -> Answer<Option<Instant>> {
    if timeout != -1 && !is_queue(channel) {
        return Err(Failure::invalid("a channel without a capacity is waited for without a limit (-1)"));
    }
    match u64::try_from(timeout) {
        Ok(milliseconds) => Ok(Instant::now().checked_add(Duration::from_millis(milliseconds))),
        Err(_) if timeout == -1 => Ok(None),
        Err(_) => Err(Failure::invalid(format!("{timeout} is no time limit: it is -1, 0 or positive"))),
    }
}
