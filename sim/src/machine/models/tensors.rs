//! Tensor descriptions. Those in a dataset belong to it: the caller may read and change them, but not destroy them.

use crate::abi::Name;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::handles::Table;
use crate::machine::watch;
use ascendcl_rules::DATA_09;
use ascendcl_sys::types::{aclDataType, aclFormat, aclMemType, aclTensorDesc};
use std::ffi::CString;
use std::sync::Mutex;

/// The contents of a tensor description.
#[derive(Clone, Debug)]
pub(crate) struct TensorDesc {
    pub(crate) data_type: aclDataType,
    pub(crate) format: aclFormat,
    /// [`UNKNOWN_RANK`](crate::model::UNKNOWN_RANK) alone when not even the number of axes is known.
    pub(crate) dims: Vec<i64>,
    pub(crate) name: CString,
    /// From least to most for each axis, where the caller set it; a maximum of -1 means no limit.
    pub(crate) ranges: Vec<[i64; 2]>,
    pub(crate) extra: Extra,
}

/// The properties that only operators use.
#[derive(Clone, Default, Debug)]
#[allow(dead_code)]
pub(crate) struct Extra {
    pub(crate) storage_format: Option<aclFormat>,
    pub(crate) storage_dims: Option<Vec<i64>>,
    pub(crate) placement: Option<aclMemType>,
    /// The elements of a tensor that never changes.
    pub(crate) constant: Option<Vec<u8>>,
    /// From least to most for each element.
    pub(crate) value_ranges: Vec<[i64; 2]>,
    /// Of which input with a changing number of tensors this is one.
    pub(crate) dynamic_input: Option<String>,
}

struct Entry {
    desc: Mutex<TensorDesc>,
    in_dataset: bool,
}

static TENSORS: Table<Entry> = Table::new();

impl TensorDesc {
    pub(crate) fn new(data_type: aclDataType, dims: Vec<i64>, format: aclFormat) -> Self {
        let (name, ranges, extra) = (CString::default(), Vec::new(), Extra::default());
        Self { data_type, format, dims, name, ranges, extra }
    }
}

pub(crate) fn create_tensor(desc: TensorDesc) -> Name<aclTensorDesc> {
    let number = TENSORS.add(Entry { desc: Mutex::new(desc), in_dataset: false });
    watch::is_described(number);
    Name::new(number)
}

pub(crate) fn destroy_tensor(name: Name<aclTensorDesc>) -> Answer {
    if TENSORS.get(name.0).is_some_and(|entry| entry.in_dataset) {
        let failure = Failure::invalid("this tensor description belongs to a dataset, which destroys it (DATA-09)");
        let fix = "destroy what aclCreateTensorDesc returned, and nothing that aclmdlGetDatasetTensorDesc returned";
        return Err(failure.breaks(DATA_09, "a description that the program created", fix));
    }
    TENSORS.remove(name.0).map(|_| ()).ok_or_else(|| unknown(name))?;
    watch::is_described_no_more(name.0);
    Ok(())
}

/// Reads or changes a description.
pub(crate) fn with_tensor<R>(name: Name<aclTensorDesc>, f: impl FnOnce(&mut TensorDesc) -> R) -> Answer<R> {
    let entry = TENSORS.get(name.0).ok_or_else(|| unknown(name))?;
    Ok(f(&mut lock(&entry.desc)))
}

/// A description that belongs to a dataset.
pub(super) fn enter(desc: TensorDesc) -> Name<aclTensorDesc> {
    Name::new(TENSORS.add(Entry { desc: Mutex::new(desc), in_dataset: true }))
}

/// The dataset gives its description up.
pub(super) fn leave(name: Name<aclTensorDesc>) {
    TENSORS.remove(name.0);
}

/// How many there are that callers have to destroy.
pub(super) fn count() -> usize {
    TENSORS.select(|entry| !entry.in_dataset).len()
}

pub(super) fn clear() {
    TENSORS.remove_all(|_| true);
}

fn unknown(name: Name<aclTensorDesc>) -> Failure {
    let failure = Failure::invalid(match name.0 {
        0 => "the tensor description is null",
        _ => "this is no tensor description, or it was destroyed",
    });
    watch::no_description(name.0, failure)
}
