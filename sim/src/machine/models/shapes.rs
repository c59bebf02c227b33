//! Which dims a run has: those of the file, of a gear, or of the attached tensor descriptions (MODEL-20).
//!
//! A run whose shape was not chosen answers 145021 (`ACL_ERROR_GE_SHAPE_INVALID`), and so does a shape that the model
//! does not have. 100019 says that a model is not dynamic: the opposite mistake, and what the setters answer to it.

use super::datasets::Snapshot;
use crate::abi::{Address, Name};
use crate::failure::{Answer, Failure};
use crate::machine::memory::areas::read_area;
use crate::machine::memory::hold;
use crate::machine::models::{Loaded, buffer_at, buffer_count, choose_gear, find_here, on_device};
use crate::model::{Gear, GearKind, Gears, Port};
use ascendcl_rules::{DATA_08, MODEL_18, MODEL_20, Object};
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclmdlDataset;

/// A gear that the caller asks for.
pub(crate) enum Choice {
    Batch(u64),
    ImageSize(u64, u64),
    /// All axes of all inputs in order, those that are fixed too.
    Dims(Vec<i64>),
}

/// Chooses the gear of the next runs with this dataset, and writes it into the input that selects it.
pub(crate) fn choose(id: u32, dataset: Name<aclmdlDataset>, index: usize, choice: Choice) -> Answer {
    let about = |failure: Failure| failure.about(Object::dataset(dataset.0 as u64)).about(Object::model(id.into()));
    try_to_choose(id, dataset, index, choice).map_err(about)
}

fn try_to_choose(id: u32, dataset: Name<aclmdlDataset>, index: usize, choice: Choice) -> Answer {
    buffer_count(dataset)?;
    let (model, context) = find_here(id)?;
    let description = &model.description;
    let gears = description.gears.as_ref().filter(|gears| gears.kind == choice.kind()).ok_or_else(|| {
        let text = format!("model {id} has no gears of this kind; `{}` in its file lists them", choice.kind().key());
        unchosen(Failure::new(ACL_ERROR_MODEL_NOT_DYNAMIC, text))
    })?;
    if description.gear_input() != Some(index) {
        let text = format!("input {index} is not the one that selects the gear; aclmdlGetInputIndexByName finds it");
        return Err(unchosen(Failure::invalid(text)));
    }
    let area = read_area(buffer_at(dataset, index).map_err(unchosen)?)?;
    let gear = choice.find(gears, model.engine.inputs())?;
    let bytes: Vec<u8> = gear.values.iter().flat_map(|value| value.to_le_bytes()).collect();
    if area.size < bytes.len() {
        let text = format!("the gear has {} bytes, and the buffer for it {}", bytes.len(), area.size);
        return Err(too_short(Failure::new(ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID, text)));
    }
    let wrong_address = |failure: Failure| {
        Failure::new(ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID, failure.text).breaks(
            MODEL_18,
            "live memory of the model's device",
            "allocate the buffer for the gear by aclrtMalloc, as large as the input is",
        )
    };
    on_device("the buffer for the gear", area.address, &context).map_err(wrong_address)?;
    write(area.address, &bytes).map_err(wrong_address)?;
    choose_gear(dataset, gear.values.clone())?;
    model.set_current_outputs(gear.outputs.clone());
    Ok(())
}

fn write(address: Address, bytes: &[u8]) -> Answer {
    let _hold = hold(address, bytes.len())?;
    address.write(bytes);
    Ok(())
}

/// The dims of a run: of its inputs, and of its outputs, -1 where only the run tells.
pub(super) struct Shapes {
    pub(super) inputs: Vec<Vec<i64>>,
    pub(super) outputs: Vec<Vec<i64>>,
}

impl Shapes {
    /// The shapes in the dataset.
    pub(super) fn of(model: &Loaded, given: &Snapshot) -> Answer<Self> {
        let ports = model.engine.inputs();
        let attached = given.items.iter().map(|item| item.dims.as_deref());
        if let Some(gears) = model.engine.gears() {
            let gear = chosen_gear(gears, ports, given)?;
            return Ok(Self { inputs: gear.inputs.clone(), outputs: gear.outputs.clone() });
        }
        let dims = |(index, (port, attached)): (usize, (&Port, Option<&[i64]>))| match attached {
            Some(dims) if fit(port, dims) => Ok(dims.to_vec()),
            Some(dims) => Err(misfit(index, port, dims)),
            None if !port.is_dynamic() => Ok(port.dims.clone()),
            None => Err(unset(index, port)),
        };
        let inputs: Vec<_> = ports.iter().zip(attached).enumerate().map(dims).collect::<Answer<_>>()?;
        let outputs = model.engine.output_dims(&inputs);
        Ok(Self { inputs, outputs })
    }
}

/// The gear that a setter chose, or else the one that the attached descriptions amount to.
fn chosen_gear<'a>(gears: &'a Gears, ports: &[Port], given: &Snapshot) -> Answer<&'a Gear> {
    if let Some(values) = &given.gear {
        let gear = gears.find(values).ok_or_else(|| no_gear(gears, values))?;
        return match contradiction(gear, given) {
            None => Ok(gear),
            Some((index, dims)) => {
                let text = format!(
                    "the gear {values:?} was chosen, and the description attached to input {index} says {dims:?}: \
                     choose one way or the other"
                );
                Err(unchosen(Failure::new(ACL_ERROR_GE_SHAPE_INVALID, text)))
            }
        };
    }
    let mut dynamic = ports.iter().zip(&given.items).enumerate().filter(|(_, (port, _))| port.is_dynamic());
    if let Some((index, (port, _))) = dynamic.find(|(_, (_, item))| item.dims.is_none()) {
        return Err(unset(index, port));
    }
    gears.list.iter().find(|gear| contradiction(gear, given).is_none()).ok_or_else(|| {
        let text = "the attached descriptions are no shape that the model was compiled for";
        unchosen(Failure::new(ACL_ERROR_GE_SHAPE_INVALID, text))
    })
}

/// The first attached description that says something else than the gear.
fn contradiction<'a>(gear: &Gear, given: &'a Snapshot) -> Option<(usize, &'a [i64])> {
    let attached = given.items.iter().map(|item| item.dims.as_deref()).enumerate();
    let mut both = attached.zip(&gear.inputs).filter_map(|((index, given), dims)| Some((index, given?, dims)));
    both.find(|(_, given, dims)| given != dims).map(|(index, given, _)| (index, given))
}

impl Choice {
    fn kind(&self) -> GearKind {
        match self {
            Self::Batch(_) => GearKind::Batch,
            Self::ImageSize(..) => GearKind::ImageSize,
            Self::Dims(_) => GearKind::Dims,
        }
    }

    fn find<'a>(&self, gears: &'a Gears, ports: &[Port]) -> Answer<&'a Gear> {
        let values = match self {
            Self::Batch(size) => vec![*size],
            Self::ImageSize(height, width) => vec![*height, *width],
            Self::Dims(dims) => dynamic_values(dims, ports)?,
        };
        gears.find(&values).ok_or_else(|| no_gear(gears, &values))
    }
}

/// The dynamic ones of all dims; the others have to be what the file declares.
fn dynamic_values(given: &[i64], ports: &[Port]) -> Answer<Vec<u64>> {
    let declared: Vec<i64> = ports.iter().flat_map(|port| &port.dims).copied().collect();
    let fit = |(&given, &declared): (&i64, &i64)| if declared < 0 { given > 0 } else { given == declared };
    if given.len() != declared.len() || !given.iter().zip(&declared).all(fit) {
        let text = format!("{given:?} does not fit {declared:?}, the axes of all inputs in order");
        return Err(unchosen(Failure::new(ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID, text)));
    }
    let dynamic = given.iter().zip(&declared).filter(|(_, declared)| **declared < 0);
    Ok(dynamic.filter_map(|(given, _)| u64::try_from(*given).ok()).collect())
}

fn fit(port: &Port, dims: &[i64]) -> bool {
    let fits = |(&given, &declared): (&i64, &i64)| if declared < 0 { given >= 0 } else { declared == given };
    dims.len() == port.dims.len() && dims.iter().zip(&port.dims).all(fits)
}

fn misfit(index: usize, port: &Port, dims: &[i64]) -> Failure {
    let text =
        format!("input {index} (`{}`): the attached description says {dims:?}, the model {:?}", port.name, port.dims);
    unchosen(Failure::new(ACL_ERROR_GE_SHAPE_INVALID, text))
}

fn unset(index: usize, port: &Port) -> Failure {
    let text = format!(
        "input {index} (`{}`): its shape was not set, and the model leaves it open: {:?}",
        port.name, port.dims
    );
    unchosen(Failure::new(ACL_ERROR_GE_SHAPE_INVALID, text))
}

fn no_gear(gears: &Gears, values: &[u64]) -> Failure {
    let list: Vec<_> = gears.list.iter().map(|gear| &gear.values).collect();
    let text = format!("{values:?} is not among the model's gears, {list:?}");
    unchosen(Failure::new(ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID, text))
}

/// A shape was not chosen, or cannot be (MODEL-20).
pub(crate) fn unchosen(failure: Failure) -> Failure {
    failure.breaks(
        MODEL_20,
        "a shape that the model has, chosen in one way and before each run",
        "choose it for the dataset of the inputs, by the function and the input that the model was compiled for",
    )
}

/// A data buffer is too short (DATA-08).
pub(super) fn too_short(failure: Failure) -> Failure {
    let expected = "a buffer as large as the description of the model says";
    failure.breaks(DATA_08, expected, "ask for the size (aclmdlGetInputSizeByIndex, aclmdlGetOutputSizeByIndex)")
}
