//! Datasets: the inputs or the outputs of a run.

use super::model::told;
use crate::abi::Name;
use crate::failure::Answer;
use crate::machine::models;
use ascendcl_sys::types::{aclDataBuffer, aclTensorDesc, aclmdlDataset};

pub(crate) fn aclmdlCreateDataset() -> Option<Name<aclmdlDataset>> {
    Some(models::create_dataset())
}

pub(crate) fn aclmdlDestroyDataset(dataset: Name<aclmdlDataset>) -> Answer {
    models::destroy_dataset(dataset)
}

pub(crate) fn aclmdlAddDatasetBuffer(dataset: Name<aclmdlDataset>, data_buffer: Name<aclDataBuffer>) -> Answer {
    models::add_buffer(dataset, data_buffer)
}

pub(crate) fn aclmdlGetDatasetNumBuffers(dataset: Name<aclmdlDataset>) -> usize {
    told(models::buffer_count(dataset)).unwrap_or(0)
}

/// What was added, even if it was destroyed meanwhile.
pub(crate) fn aclmdlGetDatasetBuffer(dataset: Name<aclmdlDataset>, index: usize) -> Option<Name<aclDataBuffer>> {
    told(models::buffer_at(dataset, index))
}

/// The dataset gets a copy; null takes away what it has.
pub(crate) fn aclmdlSetDatasetTensorDesc(
    dataset: Name<aclmdlDataset>,
    tensor_desc: Name<aclTensorDesc>,
    index: usize,
) -> Answer {
    models::attach(dataset, index, tensor_desc)
}

pub(crate) fn aclmdlGetDatasetTensorDesc(dataset: Name<aclmdlDataset>, index: usize) -> Option<Name<aclTensorDesc>> {
    told(models::attached(dataset, index)).flatten()
}
