//! Loaded models and their descriptions.

mod binding;
mod dataset;
mod execute;
mod gears;
mod load;

use super::api::text;
use super::queue::Queue;
use super::{Api, ElementType, LastUse};
use crate::error::Error;
use crate::ledger::Shelf;
use ascendcl_macros::rule;
use ascendcl_sys::MissingSymbol;
use ascendcl_sys::error_codes::ACL_SUCCESS;
use ascendcl_sys::types::*;
use core::ffi::c_char;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};

pub(crate) use binding::{Binding, BoundInput};
pub(crate) use execute::Given;
use gears::GearBox;
pub use gears::Gears;
pub(crate) use load::{ModelImage, Onto, Share, Sizes};

/// A model in the device's memory. Without a `Drop`: what is not unloaded stays loaded.
#[derive(Debug)]
#[rule(MODEL_02, MODEL_03, MODEL_12)]
pub(crate) struct LoadedModel {
    id: u32,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    gears: Option<GearBox>,
    last_use: LastUse,
    unloaded: AtomicBool,
    _onto: Onto,
}

/// One input or output, as the model's description says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) element: ElementType,
    /// -1 where the size is chosen at each execution.
    pub(crate) dims: Vec<i64>,
    /// The bytes of a buffer for it; 0 when they depend on sizes that are chosen at each execution.
    pub(crate) bytes: usize,
    format: aclFormat,
}

impl LoadedModel {
    /// Reads the description of a model that has just been loaded; unloads it again when that fails.
    fn described(api: Api, id: u32, onto: Onto) -> Result<Self, Error> {
        match describe(api, id) {
            Ok((inputs, outputs, gears)) => {
                let (last_use, unloaded) = (LastUse::new(), AtomicBool::new(false));
                Ok(Self { id, inputs, outputs, gears, last_use, unloaded, _onto: onto })
            }
            Err(error) => {
                // The first error is the one to report; a model that cannot even be unloaded stays loaded.
                let _ = unload(api, id);
                Err(error)
            }
        }
    }

    fn id(&self) -> u32 {
        self.id
    }

    /// All work that used the model is known to be done.
    pub(crate) fn rest(&self) {
        self.last_use.rest();
    }

    /// What is queued on this stream by now comes after all work that used the model.
    pub(crate) fn follow(&self, queue: &Queue) {
        queue.lead(&self.last_use);
    }

    fn last_use(&self) -> &LastUse {
        &self.last_use
    }

    /// All inputs of the dataset, the one for the gear among them.
    pub(crate) fn inputs(&self) -> &[Port] {
        &self.inputs
    }

    pub(crate) fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// The shapes that the model was compiled for, if it takes only some.
    pub(crate) fn gears(&self) -> Option<&Gears> {
        self.gears.as_ref().map(|own| &own.gears)
    }

    /// The input that the library notes the chosen gear in: its place, and the bytes that it needs.
    pub(crate) fn gear_input(&self) -> Option<(usize, usize)> {
        let index = self.gears.as_ref()?.input;
        self.inputs.get(index).map(|port| (index, port.bytes))
    }

    /// Unloads the model; refused while queued work may use it, and done once only (MODEL-14). Its context has to be
    /// current (MODEL-01).
    ///
    /// Callers hold the model's only handle, or its scope has ended.
    #[rule(MODEL_14)]
    pub(crate) fn unload(&self, api: Api, streams: &Shelf<Queue>) -> Result<(), Error> {
        if !streams.has_done(&self.last_use) {
            return Err(Error::StillRunning { what: "model" });
        }
        api.in_place()?;
        if self.unloaded.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        unload(api, self.id).inspect_err(|_| self.unloaded.store(false, Ordering::Release))
    }
}

fn unload(api: Api, id: u32) -> Result<(), Error> {
    // SAFETY: takes a number, which the library checks.
    let code = unsafe { api.library().aclmdlUnload(id) };
    api.done("aclmdlUnload", code, || "unload a model".into())
}

/// The inputs, the outputs and the gears of a loaded model.
fn describe(api: Api, id: u32) -> Result<(Vec<Port>, Vec<Port>, Option<GearBox>), Error> {
    let library = api.library();
    let doing = "read the description of a model";
    // SAFETY: takes nothing; a null answer is an error.
    let created = unsafe { library.aclmdlCreateDesc() };
    let desc = pointer(api, "aclmdlCreateDesc", created, doing)?.as_ptr();
    // SAFETY: `desc` was just created.
    let code = unsafe { library.aclmdlGetDesc(desc, id) };
    let ports = api.done("aclmdlGetDesc", code, || doing.into()).and_then(|()| {
        // SAFETY: `desc` is alive and filled in.
        let inputs = count(api, unsafe { library.aclmdlGetNumInputs(desc) })?;
        // SAFETY: as above.
        let outputs = count(api, unsafe { library.aclmdlGetNumOutputs(desc) })?;
        let inputs: Vec<_> = (0..inputs).map(|index| input(api, desc, index)).collect::<Result<_, _>>()?;
        let outputs = (0..outputs).map(|index| output(api, desc, index)).collect::<Result<_, _>>()?;
        let gears = GearBox::read(api, desc, &inputs)?;
        Ok((inputs, outputs, gears))
    });
    // SAFETY: `desc` is alive, and nothing keeps a pointer into it: names were copied.
    let destroy = || unsafe { library.aclmdlDestroyDesc(desc) };
    // A record that no row keeps: what the library refuses once is tried once more, and is lost then.
    let code = match destroy() {
        Ok(ACL_SUCCESS) => Ok(ACL_SUCCESS),
        _ => destroy(),
    };
    ports.and_then(|ports| api.done("aclmdlDestroyDesc", code, || doing.into()).map(|()| ports))
}

macro_rules! port {
    ($function:ident, $dims:ident, $name:ident, $data_type:ident, $format:ident, $size:ident) => {
        /// Reads one port of a description that is alive and filled in.
        fn $function(api: Api, desc: *mut aclmdlDesc, index: usize) -> Result<Port, Error> {
            let library = api.library();
            let mut dims = NO_DIMS;
            // SAFETY: `desc` is alive and filled in, `dims` is a place for the answer.
            let code = unsafe { library.$dims(desc, index, &raw mut dims) };
            api.done(stringify!($dims), code, || format!("read the shape of {} {index}", stringify!($function)))?;
            let lacks = |missing| api.lacks(missing, "read the description of a model".into());
            // SAFETY: as above.
            let name = unsafe { library.$name(desc, index) }.map_err(lacks)?;
            // SAFETY: null or a string that lives as long as the description; it is copied here.
            let name = unsafe { text(name) }.unwrap_or_default();
            // SAFETY: as above.
            let element = unsafe { library.$data_type(desc, index) }.map_err(lacks)?.into();
            // SAFETY: as above.
            let format = unsafe { library.$format(desc, index) }.map_err(lacks)?;
            // SAFETY: as above.
            let bytes = unsafe { library.$size(desc, index) }.map_err(lacks)?;
            Ok(Port { name, element, dims: sizes(&dims), bytes, format })
        }
    };
}
port!(
    input,
    aclmdlGetInputDims,
    aclmdlGetInputNameByIndex,
    aclmdlGetInputDataType,
    aclmdlGetInputFormat,
    aclmdlGetInputSizeByIndex
);
port!(
    output,
    aclmdlGetOutputDims,
    aclmdlGetOutputNameByIndex,
    aclmdlGetOutputDataType,
    aclmdlGetOutputFormat,
    aclmdlGetOutputSizeByIndex
);

const NO_DIMS: aclmdlIODims = aclmdlIODims { name: [0 as c_char; 128], dimCount: 0, dims: [0; 128] };

fn sizes(dims: &aclmdlIODims) -> Vec<i64> {
    dims.dims.iter().copied().take(dims.dimCount).collect()
}

fn count(api: Api, answer: Result<usize, MissingSymbol>) -> Result<usize, Error> {
    answer.map_err(|missing| api.lacks(missing, "read the description of a model".into()))
}

/// A pointer that a function answers with; null is a failure (ERR-06).
#[rule(ERR_06)]
pub(super) fn pointer<T>(
    api: Api,
    call: &'static str,
    answer: Result<*mut T, MissingSymbol>,
    doing: &'static str,
) -> Result<NonNull<T>, Error> {
    let pointer = answer.map_err(|missing| api.lacks(missing, doing.into()))?;
    NonNull::new(pointer).ok_or(Error::NullAnswer { call })
}
