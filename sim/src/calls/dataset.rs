//! Datasets: the inputs or the outputs of a run.

use super::model::told;
use crate::abi::Name;
use crate::failure::Answer;
use crate::machine::models;
use crate::machine::watch;
use ascendcl_rules::{Object, Op};
use ascendcl_sys::types::{aclDataBuffer, aclTensorDesc, aclmdlDataset};

pub(crate) fn aclmdlCreateDataset() -> Option<Name<aclmdlDataset>> {
    let call = watch::call(Op::Create, Object::dataset(0)).begin_always();
    let created = models::create_dataset();
    call.made(created.0);
    Some(created)
}

pub(crate) fn aclmdlDestroyDataset(dataset: Name<aclmdlDataset>) -> Answer {
    watch::call(Op::Destroy, dataset).begin()?.end(models::destroy_dataset(dataset))
}

pub(crate) fn aclmdlAddDatasetBuffer(dataset: Name<aclmdlDataset>, data_buffer: Name<aclDataBuffer>) -> Answer {
    watch::call(Op::Add, dataset).with(data_buffer).begin()?.end(models::add_buffer(dataset, data_buffer))
}

pub(crate) fn aclmdlGetDatasetNumBuffers(dataset: Name<aclmdlDataset>) -> usize {
    told(read(dataset, models::buffer_count(dataset))).unwrap_or(0)
}

/// The added data buffer, even if it was destroyed since.
pub(crate) fn aclmdlGetDatasetBuffer(dataset: Name<aclmdlDataset>, index: usize) -> Option<Name<aclDataBuffer>> {
    told(read(dataset, models::buffer_at(dataset, index)))
}

/// The dataset gets a copy; null takes away what it has.
pub(crate) fn aclmdlSetDatasetTensorDesc(
    dataset: Name<aclmdlDataset>,
    tensor_desc: Name<aclTensorDesc>,
    index: usize,
) -> Answer {
    watch::call(Op::Change, dataset).begin()?.end(models::attach(dataset, index, tensor_desc))
}

pub(crate) fn aclmdlGetDatasetTensorDesc(dataset: Name<aclmdlDataset>, index: usize) -> Option<Name<aclTensorDesc>> {
    told(read(dataset, models::attached(dataset, index))).flatten()
}

/// What was read of the dataset, if there is one.
fn read<T>(dataset: Name<aclmdlDataset>, answer: Answer<T>) -> Answer<T> {
    answer.inspect_err(|_| watch::read_missed(dataset))
}
