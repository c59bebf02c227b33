//! Datasets: data buffers in order, each with a tensor description if there is one, and the gear chosen for a run.
//!
//! Data buffers stay the caller's (DATA-04); the attached descriptions are copies that belong to the dataset (DATA-09).

use super::tensors::{self, TensorDesc, with_tensor};
use crate::abi::Name;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::handles::Table;
use crate::machine::memory::areas::{self, Area, read_area};
use ascendcl_rules::{DATA_09, Object};
use ascendcl_sys::types::{aclDataBuffer, aclTensorDesc, aclmdlDataset};
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Dataset {
    slots: Vec<Slot>,
    /// The values of the gear that was chosen for it.
    gear: Option<Vec<u64>>,
}

struct Slot {
    buffer: Name<aclDataBuffer>,
    desc: Option<Name<aclTensorDesc>>,
}

/// A dataset as a run sees it: what is changed later does not concern the run.
pub(super) struct Snapshot {
    pub(super) items: Vec<Item>,
    pub(super) gear: Option<Vec<u64>>,
}

pub(super) struct Item {
    pub(super) buffer: Name<aclDataBuffer>,
    pub(super) area: Area,
    /// The dims of the attached description.
    pub(super) dims: Option<Vec<i64>>,
}

static DATASETS: Table<Mutex<Dataset>> = Table::new();

pub(crate) fn create_dataset() -> Name<aclmdlDataset> {
    Name::new(DATASETS.add(Mutex::default()))
}

pub(crate) fn destroy_dataset(name: Name<aclmdlDataset>) -> Answer {
    let dataset = DATASETS.remove(name.0).ok_or_else(|| unknown(name))?;
    lock(&dataset).slots.iter_mut().for_each(|slot| slot.describe(None));
    Ok(())
}

pub(crate) fn add_buffer(name: Name<aclmdlDataset>, buffer: Name<aclDataBuffer>) -> Answer {
    let dataset = find(name)?;
    areas::exists(buffer)?;
    lock(&dataset).slots.push(Slot { buffer, desc: None });
    Ok(())
}

pub(crate) fn buffer_count(name: Name<aclmdlDataset>) -> Answer<usize> {
    Ok(lock(&*find(name)?).slots.len())
}

/// The data buffer at an index, even if it was destroyed since.
pub(crate) fn buffer_at(name: Name<aclmdlDataset>, index: usize) -> Answer<Name<aclDataBuffer>> {
    slot(name, index, |slot| slot.buffer)
}

/// The description at an index; none when nothing was attached there.
pub(crate) fn attached(name: Name<aclmdlDataset>, index: usize) -> Answer<Option<Name<aclTensorDesc>>> {
    slot(name, index, |slot| slot.desc)
}

/// Puts a copy of the description at an index; null takes away the one that is there.
pub(crate) fn attach(name: Name<aclmdlDataset>, index: usize, desc: Name<aclTensorDesc>) -> Answer {
    // A dataset's lock comes before a description's: read first what is attached next.
    let copy = if desc.0 == 0 { None } else { Some(with_tensor(desc, |desc| desc.clone())?) };
    slot(name, index, |slot| slot.describe(copy)).map_err(|failure| {
        let fix = "add the data buffers first, and attach a description to one of them";
        let failure = failure.breaks(DATA_09, "the index of a buffer of the dataset", fix);
        failure.about(Object::dataset(name.0 as u64))
    })
}

/// Remembers the gear for the next runs.
pub(crate) fn choose_gear(name: Name<aclmdlDataset>, values: Vec<u64>) -> Answer {
    lock(&*find(name)?).gear = Some(values);
    Ok(())
}

/// Notes the outputs of a run. Nothing is noted when the dataset was destroyed or changed.
pub(super) fn describe_all(name: Name<aclmdlDataset>, descs: Vec<TensorDesc>) {
    let Some(dataset) = DATASETS.get(name.0) else { return };
    let mut dataset = lock(&dataset);
    // Destroying takes a dataset out first and its descriptions then: none may come after that.
    if DATASETS.contains(name.0) && dataset.slots.len() == descs.len() {
        dataset.slots.iter_mut().zip(descs).for_each(|(slot, desc)| slot.describe(Some(desc)));
    }
}

pub(super) fn snapshot(name: Name<aclmdlDataset>) -> Answer<Snapshot> {
    let dataset = find(name)?;
    let dataset = lock(&dataset);
    let item = |(index, slot): (usize, &Slot)| {
        let area = read_area(slot.buffer).map_err(|failure| failure.of(&format!("buffer {index} of the dataset")))?;
        let dims = slot.desc.and_then(|desc| with_tensor(desc, |desc| desc.dims.clone()).ok());
        Ok(Item { buffer: slot.buffer, area, dims })
    };
    let items = dataset.slots.iter().enumerate().map(item).collect::<Answer<_>>()?;
    Ok(Snapshot { items, gear: dataset.gear.clone() })
}

pub(super) fn count() -> usize {
    DATASETS.len()
}

pub(super) fn clear() {
    DATASETS.remove_all(|_| true);
}

impl Slot {
    fn describe(&mut self, desc: Option<TensorDesc>) {
        if let Some(old) = std::mem::replace(&mut self.desc, desc.map(tensors::enter)) {
            tensors::leave(old);
        }
    }
}

fn slot<R>(name: Name<aclmdlDataset>, index: usize, f: impl FnOnce(&mut Slot) -> R) -> Answer<R> {
    let dataset = find(name)?;
    let mut dataset = lock(&dataset);
    let count = dataset.slots.len();
    let slot = dataset.slots.get_mut(index);
    slot.map(f).ok_or_else(|| Failure::invalid(format!("there is no index {index} in a dataset of {count} buffers")))
}

fn find(name: Name<aclmdlDataset>) -> Answer<Arc<Mutex<Dataset>>> {
    DATASETS.get(name.0).ok_or_else(|| unknown(name))
}

fn unknown(name: Name<aclmdlDataset>) -> Failure {
    Failure::invalid(match name.0 {
        0 => "the dataset is null",
        _ => "this is no dataset, or it was destroyed",
    })
}
