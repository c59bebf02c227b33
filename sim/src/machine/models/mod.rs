//! Models and what they are run with: loaded models, their descriptions, datasets, data buffers, tensor descriptions.
//!
//! Each is an object behind a number in a table, so that any number may be asked for. Two locks of this part are held
//! at once only in the order dataset, data buffer, tensor description; a model's run lock is held while the engine
//! runs, and every other one is taken inside it.

mod datasets;
mod descriptions;
pub(crate) mod dump;
mod load;
mod loaded;
mod run;
mod settings;
mod shapes;
mod tensors;

pub(crate) use datasets::{
    add_buffer, attach, attached, buffer_at, buffer_count, choose_gear, create_dataset, destroy_dataset,
};
pub(crate) use descriptions::{
    Description, Entry, Filled, Side, create_description, destroy_description, fill_description, filled, io_dims,
};
pub(crate) use load::{Memory, Source, load, parse, sizes};
pub(crate) use loaded::{Loaded, find, find_here, unload};
pub(in crate::machine) use loaded::{release, take_of_context};
pub(crate) use run::Job;
pub(super) use run::{Given, claim, lend};
pub(crate) use settings::{
    LoadSettings, Way, change_load_settings, change_run_settings, create_load_settings, create_run_settings,
    destroy_load_settings, destroy_run_settings, lent, load_settings, run_settings, unconfigured,
};
pub(crate) use shapes::{Choice, choose, unchosen};
pub(crate) use tensors::{TensorDesc, create_tensor, destroy_tensor, with_tensor};

use super::memory::{self, Place, describe};
use crate::abi::Address;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::Context;
use crate::machine::live::Live;
use crate::model::{Element, Format};
use ascendcl_sys::error_codes::ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID;
use ascendcl_sys::types::{aclDataType, aclFormat};

pub(crate) fn count(live: &mut Live) {
    live.models = loaded::count();
    live.model_descriptions = descriptions::count();
    live.datasets = datasets::count();
    live.data_buffers = memory::areas::count();
    live.tensor_descriptions = tensors::count();
}

pub(in crate::machine) fn clear() {
    loaded::clear();
    descriptions::clear();
    settings::clear();
    datasets::clear();
    memory::areas::clear();
    tensors::clear();
}

/// Where the memory of a model comes from when it is loaded and the caller did not give it: weights, and working memory
/// of a known size.
fn provide(context: &Context, bytes: usize) -> Answer<Address> {
    memory::allocate_device(context.device(), bytes.max(1))
}

/// Refuses (145007) an address that is not in a live block of the context's device, such as a host pointer.
pub(super) fn on_device(what: &str, address: Address, context: &Context) -> Answer {
    let id = context.device().id();
    let found = match describe(address).map(|found| found.place) {
        Some(Place::Device(other)) if other == id => return Ok(()),
        Some(Place::Device(other)) => format!("memory of device {other}"),
        Some(Place::Host) => "pinned host memory".to_string(),
        None => "host memory, or memory that was freed".to_string(),
    };
    let text = format!("{what} at {:#x} is {found}; it has to be live memory of device {id}", address.number());
    Err(Failure::new(ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID, text))
}

pub(crate) fn data_type(element: Element) -> aclDataType {
    match element {
        Element::F16 => aclDataType::ACL_FLOAT16,
        Element::F32 => aclDataType::ACL_FLOAT,
        Element::F64 => aclDataType::ACL_DOUBLE,
        Element::I8 => aclDataType::ACL_INT8,
        Element::I16 => aclDataType::ACL_INT16,
        Element::U16 => aclDataType::ACL_UINT16,
        Element::U32 => aclDataType::ACL_UINT32,
        Element::U64 => aclDataType::ACL_UINT64,
        Element::I32 => aclDataType::ACL_INT32,
        Element::I64 => aclDataType::ACL_INT64,
        Element::U8 => aclDataType::ACL_UINT8,
        Element::Bool => aclDataType::ACL_BOOL,
    }
}

/// The element type that a C data type stands for; `None` for those that the simulator does not calculate with.
pub(crate) fn element(data_type: aclDataType) -> Option<Element> {
    match data_type {
        aclDataType::ACL_FLOAT16 => Some(Element::F16),
        aclDataType::ACL_FLOAT => Some(Element::F32),
        aclDataType::ACL_DOUBLE => Some(Element::F64),
        aclDataType::ACL_INT8 => Some(Element::I8),
        aclDataType::ACL_INT32 => Some(Element::I32),
        aclDataType::ACL_INT64 => Some(Element::I64),
        aclDataType::ACL_UINT8 => Some(Element::U8),
        aclDataType::ACL_BOOL => Some(Element::Bool),
        _ => None,
    }
}

pub(crate) fn format(format: Format) -> aclFormat {
    match format {
        Format::Nchw => aclFormat::ACL_FORMAT_NCHW,
        Format::Nd => aclFormat::ACL_FORMAT_ND,
    }
}
