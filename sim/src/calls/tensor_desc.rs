//! Tensor descriptions.

use super::model::told;
use super::{aclDataTypeSize, wanted};
use crate::abi::CText;
use crate::abi::{Address, In, Name, Out, Text};
use crate::failure::{Answer, Failure};
use crate::machine::models::{TensorDesc, create_tensor, destroy_tensor, with_tensor};
use crate::model::UNKNOWN_RANK;
use ascendcl_rules::{DATA_11, Object};
use ascendcl_sys::constants::{ACL_MAX_DIM_CNT, ACL_UNKNOWN_RANK};
use ascendcl_sys::types::*;
use std::ffi::CString;

pub(crate) fn aclCreateTensorDesc(
    data_type: aclDataType,
    num_dims: i32,
    dims: In<'_, i64>,
    format: aclFormat,
) -> Option<Name<aclTensorDesc>> {
    let dims = told(list(num_dims, &dims))?;
    Some(create_tensor(TensorDesc::new(data_type, dims, format)))
}

/// Has no result: why it failed is the thread's recent text.
pub(crate) fn aclDestroyTensorDesc(desc: Name<aclTensorDesc>) {
    told(destroy_tensor(desc));
}

pub(crate) fn aclGetTensorDescType(desc: Name<aclTensorDesc>) -> aclDataType {
    told(with_tensor(desc, |desc| desc.data_type)).unwrap_or(aclDataType::ACL_DT_UNDEFINED)
}

pub(crate) fn aclGetTensorDescFormat(desc: Name<aclTensorDesc>) -> aclFormat {
    told(with_tensor(desc, |desc| desc.format)).unwrap_or(aclFormat::ACL_FORMAT_UNDEFINED)
}

/// The bytes of all elements; 0 while an axis is open, and for texts.
pub(crate) fn aclGetTensorDescSize(desc: Name<aclTensorDesc>) -> usize {
    let size = |desc: &mut TensorDesc| elements(&desc.dims)?.checked_mul(aclDataTypeSize(desc.data_type));
    told(with_tensor(desc, size)).flatten().unwrap_or(0)
}

/// 1 without axes, 0 while one is open.
pub(crate) fn aclGetTensorDescElementCount(desc: Name<aclTensorDesc>) -> usize {
    told(with_tensor(desc, |desc| elements(&desc.dims))).flatten().unwrap_or(0)
}

pub(crate) fn aclGetTensorDescNumDims(desc: Name<aclTensorDesc>) -> usize {
    let count = |desc: &mut TensorDesc| match desc.dims.first() {
        Some(&UNKNOWN_RANK) => ACL_UNKNOWN_RANK as usize,
        _ => desc.dims.len(),
    };
    told(with_tensor(desc, count)).unwrap_or(0)
}

/// -1 where there is no such axis.
pub(crate) fn aclGetTensorDescDim(desc: Name<aclTensorDesc>, index: usize) -> i64 {
    told(dim(desc, index)).unwrap_or(-1)
}

pub(crate) fn aclGetTensorDescDimV2(desc: Name<aclTensorDesc>, index: usize, mut dim_size: Out<'_, i64>) -> Answer {
    wanted(&dim_size)?;
    dim_size.set(dim(desc, index)?);
    Ok(())
}

/// Minimum and maximum size of an axis, as the program set them; a maximum of -1 means no limit.
pub(crate) fn aclGetTensorDescDimRange(
    desc: Name<aclTensorDesc>,
    index: usize,
    dim_range_num: usize,
    mut dim_range: Out<'_, i64>,
) -> Answer {
    let range = with_tensor(desc, |desc| desc.ranges.get(index).copied())?;
    wanted(&dim_range)?;
    let range = range.ok_or_else(|| Failure::invalid(format!("no range was set for axis {index}")))?;
    if dim_range_num < 2 {
        return Err(Failure::invalid(format!("a range has 2 numbers, and there is room for {dim_range_num}")));
    }
    dim_range.set_all(range, 2);
    Ok(())
}

/// In place until the name is set again or the description goes. Never null.
pub(crate) fn aclGetTensorDescName(desc: Name<aclTensorDesc>) -> CText {
    told(with_tensor(desc, |desc| CText::of(&desc.name))).unwrap_or(CText::of(c""))
}

pub(crate) fn aclSetTensorDescName(desc: Name<aclTensorDesc>, name: Text<'_>) {
    let name = CString::new(name.get().unwrap_or_default().into_owned()).unwrap_or_default();
    told(with_tensor(desc, |desc| desc.name = name));
}

pub(crate) fn aclSetTensorShapeRange(
    desc: Name<aclTensorDesc>,
    dims_count: usize,
    dims_range: In<'_, [i64; 2]>,
) -> Answer {
    let count = i32::try_from(dims_count).unwrap_or(i32::MAX);
    let ranges = list(count, &dims_range)?;
    with_tensor(desc, |desc| desc.ranges = ranges)
}

/// Kept: no operator of the simulator takes its shape from values.
pub(crate) fn aclSetTensorValueRange(
    desc: Name<aclTensorDesc>,
    value_count: usize,
    value_range: In<'_, [i64; 2]>,
) -> Answer {
    with_tensor(desc, |_| ())?;
    if value_count > 0 && value_range.is_null() {
        return Err(Failure::invalid(format!("{value_count} ranges are announced, and the list of them is null")));
    }
    let ranges = value_range.list(value_count);
    with_tensor(desc, |desc| desc.extra.value_ranges = ranges)
}

/// Kept: no operator of the simulator has a changing number of inputs.
pub(crate) fn aclSetTensorDynamicInput(desc: Name<aclTensorDesc>, dynamic_input_name: Text<'_>) -> Answer {
    with_tensor(desc, |_| ())?;
    let name = dynamic_input_name.get().ok_or_else(|| Failure::invalid("the name of the input is null"))?;
    let name = name.into_owned();
    with_tensor(desc, |desc| desc.extra.dynamic_input = Some(name))
}

/// Each description here is a list of one.
pub(crate) fn aclGetTensorDescByIndex(desc: Name<aclTensorDesc>, index: usize) -> Option<Name<aclTensorDesc>> {
    told(with_tensor(desc, |_| ()))?;
    let missing = || Failure::invalid(format!("this is one description, and there is none at {index} behind it"));
    told(if index == 0 { Ok(desc) } else { Err(missing()) })
}

/// Descriptions of a model's operators have addresses, and there are none of those here.
pub(crate) fn aclGetTensorDescAddress(desc: Name<aclTensorDesc>) -> Option<Address> {
    told(with_tensor(desc, |_| ()))?;
    None
}

/// What comes from here on is kept for operators: a model's run looks at the dims only (DATA-09).
pub(crate) fn aclSetTensorFormat(desc: Name<aclTensorDesc>, format: aclFormat) -> Answer {
    set_format(desc, |desc| desc.extra.storage_format = Some(format))
}

pub(crate) fn aclSetTensorStorageFormat(desc: Name<aclTensorDesc>, format: aclFormat) -> Answer {
    set_format(desc, |desc| desc.extra.storage_format = Some(format))
}

/// The format that the description was created with.
pub(crate) fn aclSetTensorOriginFormat(desc: Name<aclTensorDesc>, format: aclFormat) -> Answer {
    set_format(desc, |desc| desc.format = format)
}

pub(crate) fn aclSetTensorShape(desc: Name<aclTensorDesc>, num_dims: i32, dims: In<'_, i64>) -> Answer {
    set_dims(desc, num_dims, &dims, |desc, dims| desc.extra.storage_dims = Some(dims))
}

pub(crate) fn aclSetTensorStorageShape(desc: Name<aclTensorDesc>, num_dims: i32, dims: In<'_, i64>) -> Answer {
    set_dims(desc, num_dims, &dims, |desc, dims| desc.extra.storage_dims = Some(dims))
}

/// The dims that the description was created with.
pub(crate) fn aclSetTensorOriginShape(desc: Name<aclTensorDesc>, num_dims: i32, dims: In<'_, i64>) -> Answer {
    set_dims(desc, num_dims, &dims, |desc, dims| desc.dims = dims)
}

/// Kept as it is: what is not the host's memory is the device's.
pub(crate) fn aclSetTensorPlaceMent(desc: Name<aclTensorDesc>, mem_type: aclMemType) -> Answer {
    with_tensor(desc, |desc| desc.extra.placement = Some(mem_type))
}

/// The elements are copied.
pub(crate) fn aclSetTensorConst(desc: Name<aclTensorDesc>, data_buffer: Address, length: usize) -> Answer {
    if data_buffer.is_null() || length == 0 {
        return Err(Failure::invalid("a constant has an address and a length"));
    }
    // Before the description's lock, and not at all for a description that is not there.
    with_tensor(desc, |_| ())?;
    let constant = data_buffer.bytes(length);
    with_tensor(desc, |desc| desc.extra.constant = Some(constant))
}

/// A description that is null has no format, which is no mistake to these calls.
fn set_format(desc: Name<aclTensorDesc>, set: impl FnOnce(&mut TensorDesc)) -> Answer {
    if desc.0 == 0 { Ok(()) } else { with_tensor(desc, set) }
}

/// The list has to be there even if it is empty, which it is for a negative count as well.
fn set_dims(
    desc: Name<aclTensorDesc>,
    num_dims: i32,
    dims: &In<'_, i64>,
    set: impl FnOnce(&mut TensorDesc, Vec<i64>),
) -> Answer {
    with_tensor(desc, |_| ())?;
    if dims.is_null() {
        return Err(Failure::invalid("the list of the axes is null"));
    }
    let dims = list(num_dims.max(0), dims)?;
    with_tensor(desc, |desc| set(desc, dims))
}

/// A list and its length, as the header pairs them (DATA-11).
fn list<T: Copy>(count: i32, items: &In<'_, T>) -> Answer<Vec<T>> {
    const MOST: usize = ACL_MAX_DIM_CNT as usize;
    let count = usize::try_from(count).ok().filter(|count| *count <= MOST);
    let wrong = |text: String| {
        let fix = "pass the length of the list, which has to be there";
        Failure::invalid(text).breaks(DATA_11, "as many axes as the list has", fix).about(Object::PROCESS)
    };
    let count = count.ok_or_else(|| wrong(format!("there are 0 to {MOST} axes")))?;
    if count > 0 && items.is_null() {
        return Err(wrong(format!("{count} axes are announced, and the list of them is null")));
    }
    Ok(items.list(count))
}

fn dim(desc: Name<aclTensorDesc>, index: usize) -> Answer<i64> {
    let (found, count) = with_tensor(desc, |desc| (desc.dims.get(index).copied(), desc.dims.len()))?;
    found.ok_or_else(|| Failure::invalid(format!("there is no axis {index} of {count}")))
}

fn elements(dims: &[i64]) -> Option<usize> {
    dims.iter().try_fold(1_usize, |count, dim| count.checked_mul(usize::try_from(*dim).ok()?))
}
