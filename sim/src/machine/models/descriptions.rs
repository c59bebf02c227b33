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
    /// The dims, in the largest gear if there are gears; none if they depend on the run.
    pub(crate) largest: Option<Vec<i64>>,
    /// Minimum and maximum size of each axis, for models without gears; a maximum of -1 means no limit.
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

/// Fills a description with what `make` answers; one that was filled before is filled anew, or empty if that fails.
pub(crate) fn fill_description(
    name: Name<aclmdlDesc>,
    make: impl FnOnce() -> Answer<(Arc<Description>, Option<u32>)>,
) -> Answer {
    let place = DESCRIPTIONS.get(name.0).ok_or_else(|| unknown(name))?;
    let old = lock(&place).take();
    drop(old);
    let (description, model) = make()?;
    let other = lock(&place).replace(Filled { description, model });
    drop(other);
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
        let ranges = port.dims.iter().map(|&dim| if dim >= 0 { [dim, dim] } else { [1, -1] }).collect();
        let elements = |dims: &&[i64]| dims.iter().fold(1_i64, |all, dim| all.saturating_mul(*dim));
        let largest = gears.max_by_key(elements).filter(|dims| dims.iter().all(|dim| *dim >= 0));
        let largest = largest.map(<[i64]>::to_vec);
        let largest = largest.or_else(|| (!port.is_dynamic()).then(|| port.dims.clone()));
        let name = CString::new(port.name.replace('\0', " ")).unwrap_or_default();
        Self { port, name, size: size.unwrap_or(0), largest, ranges }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Input,
    Output,
}

/// Room for a name in the dims of a tensor, with the zero behind it.
const NAME: usize = ACL_MAX_TENSOR_NAME_LEN as usize;

impl Filled {
    /// The name that the dims of a tensor have: its own, if there is room for it.
    pub(crate) fn name(&self, side: Side, index: usize) -> String {
        match self.entries(side).get(index) {
            Some(entry) if entry.port.name.len() < NAME => entry.port.name.clone(),
            _ => self.converted(side, index),
        }
    }

    /// The tensor of this name, or of this converted name.
    pub(crate) fn tensor(&self, name: &str) -> Option<&Entry> {
        let all = || {
            let of = |side| self.entries(side).iter().enumerate().map(move |(index, entry)| (side, index, entry));
            of(Side::Input).chain(of(Side::Output))
        };
        let own = all().find(|(.., entry)| entry.port.name == name);
        let found = own.or_else(|| all().find(|(side, index, _)| self.converted(*side, *index) == name));
        found.map(|(.., entry)| entry)
    }

    /// The vendor's form, and more behind it where a tensor is called so.
    fn converted(&self, side: Side, index: usize) -> String {
        let side = if side == Side::Input { "input" } else { "output" };
        let mut name = format!("acl_modelId_{}_{side}_{index}", self.model.unwrap_or(0));
        let Description { inputs, outputs, .. } = &*self.description;
        while inputs.iter().chain(outputs).any(|entry| entry.port.name == name) {
            name.push_str("_0");
        }
        name
    }

    fn entries(&self, side: Side) -> &[Entry] {
        match side {
            Side::Input => &self.description.inputs,
            Side::Output => &self.description.outputs,
        }
    }
}

/// Dims with a name, as C gets them. There is room for the [name](Filled::name), and for a zero behind it.
pub(crate) fn io_dims(name: &str, dims: &[i64]) -> aclmdlIODims {
    let mut result = aclmdlIODims { name: [0; NAME], dimCount: 0, dims: [0; ACL_MAX_DIM_CNT as usize] };
    result.name.iter_mut().zip(name.bytes().take(NAME - 1)).for_each(|(to, from)| *to = from as c_char);
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
