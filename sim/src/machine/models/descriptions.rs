//! Descriptions of models: what the inputs and outputs are.

use crate::abi::Name;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::handles::Table;
use crate::machine::watch;
use crate::model::{Gears, Model, Port};
use ascendcl_sys::constants::{ACL_MAX_DIM_CNT, ACL_MAX_TENSOR_NAME_LEN};
use ascendcl_sys::types::{aclmdlDesc, aclmdlIODims};
use core::ffi::c_char;
use std::ffi::CString;
use std::sync::{Arc, Mutex};

/// The declarations of a model's file.
pub(crate) struct Description {
    /// The file's inputs, and the one that selects the gear when there are gears.
    pub(crate) inputs: Vec<Entry>,
    pub(crate) outputs: Vec<Entry>,
    pub(crate) gears: Option<Gears>,
}

/// One input or output.
pub(crate) struct Entry {
    pub(crate) port: Port,
    /// The port's name, in place as long as the description.
    pub(crate) name: CString,
    /// Bytes that a buffer needs, for the largest gear if there are gears; 0 when unknown.
    pub(crate) size: usize,
    /// Minimum and maximum size of each axis; a maximum of -1 means no limit.
    pub(crate) ranges: Vec<[i64; 2]>,
}

/// The contents of a filled description object.
#[derive(Clone)]
pub(crate) struct Filled {
    pub(crate) description: Arc<Description>,
    /// The loaded model that it describes; none when it came from a file or an image (MODEL-24).
    pub(crate) model: Option<u32>,
}

static DESCRIPTIONS: Table<Mutex<Option<Filled>>> = Table::new();

pub(crate) fn create_description() -> Name<aclmdlDesc> {
    let number = DESCRIPTIONS.add(Mutex::default());
    watch::is_described(number);
    Name::new(number)
}

pub(crate) fn destroy_description(name: Name<aclmdlDesc>) -> Answer {
    DESCRIPTIONS.remove(name.0).map(|_| ()).ok_or_else(|| unknown(name))?;
    watch::is_described_no_more(name.0);
    Ok(())
}

/// Fills a description with what `make` answers; one that was filled before is filled anew.
pub(crate) fn fill_description(
    name: Name<aclmdlDesc>,
    make: impl FnOnce() -> Answer<(Arc<Description>, Option<u32>)>,
) -> Answer {
    let place = DESCRIPTIONS.get(name.0).ok_or_else(|| unknown(name))?;
    let (description, model) = make()?;
    let old = lock(&place).replace(Filled { description, model });
    drop(old);
    Ok(())
}

pub(crate) fn filled(name: Name<aclmdlDesc>) -> Answer<Filled> {
    let place = DESCRIPTIONS.get(name.0).ok_or_else(|| unknown(name))?;
    lock(&place).clone().ok_or_else(|| Failure::invalid("the model description is empty; aclmdlGetDesc fills it"))
}

pub(super) fn count() -> usize {
    DESCRIPTIONS.len()
}

pub(super) fn clear() {
    DESCRIPTIONS.remove_all(|_| true);
}

impl Description {
    pub(crate) fn of(model: &Model) -> Self {
        let input = |(index, port): (usize, &Port)| {
            let gears = model.gears().map_or(&[][..], |gears| &gears.list);
            let dims = gears.iter().filter_map(|gear| gear.inputs.get(index)).map(Vec::as_slice);
            Entry::new(port.clone(), model.input_capacity(index), dims)
        };
        let output = |(index, port): (usize, &Port)| {
            let gears = model.gears().map_or(&[][..], |gears| &gears.list);
            let dims = gears.iter().filter_map(|gear| gear.outputs.get(index)).map(Vec::as_slice);
            Entry::new(port.clone(), model.output_capacity(index), dims)
        };
        let special = model.gears().map(Gears::port);
        let special = special.map(|port| Entry::new(port.clone(), port.bytes(), std::iter::empty()));
        Self {
            inputs: model.inputs().iter().enumerate().map(input).chain(special).collect(),
            outputs: model.outputs().iter().enumerate().map(output).collect(),
            gears: model.gears().cloned(),
        }
    }

    /// The index of the input that selects the gear.
    pub(crate) fn gear_input(&self) -> Option<usize> {
        self.gears.as_ref().and_then(|_| self.inputs.len().checked_sub(1))
    }
}

impl Entry {
    fn new<'a>(port: Port, size: Option<usize>, gears: impl Iterator<Item = &'a [i64]> + Clone) -> Self {
        let range = |(axis, &dim): (usize, &i64)| {
            let sizes = gears.clone().filter_map(|dims| dims.get(axis)).copied();
            match (sizes.clone().min(), sizes.max()) {
                _ if dim >= 0 => [dim, dim],
                (Some(least), Some(most)) if least > 0 => [least, most],
                _ => [1, -1],
            }
        };
        let ranges = port.dims.iter().enumerate().map(range).collect();
        let name = CString::new(port.name.replace('\0', " ")).unwrap_or_default();
        Self { port, name, size: size.unwrap_or(0), ranges }
    }
}

/// Dims with a name, as C gets them: a name that is too long is cut off.
pub(crate) fn io_dims(name: &str, dims: &[i64]) -> aclmdlIODims {
    const NAME: usize = ACL_MAX_TENSOR_NAME_LEN as usize;
    let mut result = aclmdlIODims { name: [0; NAME], dimCount: 0, dims: [0; ACL_MAX_DIM_CNT as usize] };
    // The last character stays zero.
    let end = name.floor_char_boundary(NAME - 1);
    let name = name.bytes().take(end);
    result.name.iter_mut().zip(name).for_each(|(to, from)| *to = from as c_char);
    result.dims.iter_mut().zip(dims).for_each(|(to, from)| *to = *from);
    result.dimCount = dims.len().min(result.dims.len());
    result
}

fn unknown(name: Name<aclmdlDesc>) -> Failure {
    let failure = Failure::invalid(match name.0 {
        0 => "the model description is null",
        _ => "this is no model description, or it was destroyed",
    });
    watch::no_description(name.0, failure)
}
