//! Loading: from a file or an image of one, with memory of the library's or of the caller's.
//!
//! What is not a model that the simulator can run answers 100013 (`ACL_ERROR_PARSE_MODEL`), whatever is wrong with it:
//! the code says that the file is at fault, and the text says in which way. The vendor's codes tell partitions of its
//! own file format apart, which an ONNX file does not have.

use super::loaded::{Blocks, Loaded};
use super::{Description, on_device, provide};
use crate::abi::Address;
use crate::config;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::{Context, current_context};
use crate::machine::memory::areas::Area;
use crate::machine::memory::{Place, describe, free_device};
use crate::model::{LoadFailure, Model};
use ascendcl_rules::{MODEL_07, MODEL_11, MODEL_19};
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclrtRunMode;
use std::fs;
use std::path::Path;

/// Where a model is read from.
pub(crate) enum Source<'a> {
    File(&'a str),
    Image(Address, usize),
}

/// Memory of the caller for a model; a null address leaves it to the library (MODEL-08).
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) work: (Address, usize),
    pub(crate) weights: (Address, usize),
}

/// Loads a model into the current context. Weights in other files are in the folder `data`, or beside the model's file.
pub(crate) fn load(source: Source<'_>, data: Option<&str>, memory: Option<Memory>) -> Answer<u32> {
    let (folder, name) = (data.map(Path::new).or_else(|| source.folder()), source.name());
    let file = source.read()?;
    let context = current_context()?;
    let engine = model_of(folder, file)?;
    let description = Description::of(&engine);
    let needs = Needs::of(&engine, &description);
    let blocks = needs.settle(memory, &context)?;
    Ok(Loaded::enter(&context, name, engine, description, blocks, needs.work))
}

/// Reads a model without loading it.
pub(crate) fn parse(source: Source<'_>) -> Answer<Model> {
    let folder = source.folder();
    model_of(folder, source.read()?)
}

/// Bytes of working memory, and of weights, that a model needs.
pub(crate) fn sizes(source: Source<'_>) -> Answer<(usize, usize)> {
    let engine = parse(source)?;
    let needs = Needs::of(&engine, &Description::of(&engine));
    Ok((needs.work.ok_or_else(undetermined)?, needs.weights))
}

impl<'a> Source<'a> {
    /// Where data that the model keeps in other files are.
    fn folder(&self) -> Option<&'a Path> {
        match *self {
            // The parent of a plain name is the empty path, which is the current folder.
            Self::File(path) => Path::new(path).parent(),
            Self::Image(..) => None,
        }
    }

    /// The file's name without its ending.
    fn name(&self) -> Option<&'a str> {
        match *self {
            Self::File(path) => Path::new(path).file_stem()?.to_str(),
            Self::Image(..) => None,
        }
    }

    fn read(self) -> Answer<Vec<u8>> {
        let bytes = match self {
            Self::File(path) => fs::read(path).map_err(|error| {
                let text = format!("the model file `{path}` cannot be read: {error}");
                Failure::new(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, text)
            })?,
            Self::Image(address, size) => {
                check_image(address, size)?;
                address.bytes(size)
            }
        };
        if bytes.is_empty() {
            return Err(empty());
        }
        Ok(bytes)
    }
}

/// An image is in host memory when the program runs on the host, else in device memory (MODEL-10).
fn check_image(address: Address, size: usize) -> Answer {
    let found = describe(address);
    let in_device = found.is_some_and(|found| matches!(found.place, Place::Device(_)));
    let on_host = config::current().run_mode() == aclrtRunMode::ACL_HOST;
    if in_device == on_host {
        let (wanted, found) = if on_host { ("host", "device") } else { ("device", "host") };
        let text =
            format!("in this run mode the model's image has to be in {wanted} memory, and it is in {found} memory");
        return Err(Failure::new(ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID, text));
    }
    if size == 0 {
        return Err(empty());
    }
    match found {
        Some(found) if found.left < size => {
            let text = format!("the model's image of {size} bytes is in a block that ends {} bytes on", found.left);
            let failure = Failure::new(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, text);
            Err(failure.breaks(MODEL_11, "the number of bytes of the model", "pass the size of the file that was read"))
        }
        _ => Ok(()),
    }
}

fn model_of(folder: Option<&Path>, file: Vec<u8>) -> Answer<Model> {
    Model::parse_in(folder, file).map_err(|failure| match failure {
        LoadFailure::Empty => empty(),
        failure => Failure::new(ACL_ERROR_PARSE_MODEL, failure.to_string()),
    })
}

fn empty() -> Failure {
    Failure::new(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, "the model has no bytes")
}

/// What the shape of the inputs decides is asked of a model whose shape is open (MODEL-19).
fn undetermined() -> Failure {
    let text = "the model's shapes are not determined, so the size of its working memory is not, either (MODEL-19)";
    Failure::new(ACL_ERROR_GE_SHAPE_INVALID, text)
}

/// Bytes of device memory for a model.
struct Needs {
    /// None while the shapes are open.
    work: Option<usize>,
    weights: usize,
}

impl Needs {
    /// Working memory is as large as all inputs and outputs together, each in the gear that needs most of it.
    fn of(engine: &Model, description: &Description) -> Self {
        let inputs = (0..engine.inputs().len()).map(|index| engine.input_capacity(index));
        let outputs = (0..engine.outputs().len()).map(|index| engine.output_capacity(index));
        let special = description.gear_input().and_then(|index| description.inputs.get(index)).map(|entry| entry.size);
        let mut all = inputs.chain(outputs).chain(special.map(Some));
        let work = all.try_fold(0_usize, |sum, size| sum.checked_add(size?));
        Self { work, weights: engine.weight_bytes() }
    }

    /// The memory that the model is loaded with.
    fn settle(&self, memory: Option<Memory>, context: &Context) -> Answer<Blocks> {
        let lent = |pick: fn(&Memory) -> (Address, usize)| memory.as_ref().map(pick).filter(|(at, _)| !at.is_null());
        let (work, weights) = (lent(|memory| memory.work), lent(|memory| memory.weights));
        if self.work.is_none() && (work.is_some() || weights.is_some()) {
            let fix = "load the model without memory of the program: the library allocates what each run needs";
            return Err(undetermined().breaks(MODEL_19, "a model with fixed shapes, or with gears", fix));
        }
        let mut blocks = Blocks::default();
        let parts = [(WORK, work, self.work), ("weight memory", weights, Some(self.weights))];
        for (what, lent, need) in parts {
            let taken = match (lent, need) {
                (Some((address, size)), need) => check_lent(what, address, size, need.unwrap_or(0), context)
                    .map(|()| blocks.lent.push((what, address))),
                (None, Some(need)) if need > 0 => provide(context, need).map(|address| blocks.own.push(address)),
                _ => Ok(()),
            };
            if let Err(failure) = taken {
                blocks.own.into_iter().for_each(|address| drop(free_device(address)));
                return Err(failure);
            }
        }
        Ok(blocks)
    }
}

/// Working memory of the caller for a run of the model, in place of what the model was loaded with.
pub(super) fn check_work(model: &Loaded, work: Area, context: &Context) -> Answer {
    let need = model.work.ok_or_else(undetermined)?;
    check_lent(WORK, work.address, work.size, need, context)
}

/// What a finding calls it.
const WORK: &str = "working memory";

fn check_lent(what: &str, address: Address, size: usize, need: usize, context: &Context) -> Answer {
    let failed = |text: String| Failure::new(ACL_ERROR_GE_PARAM_INVALID, text);
    if let Err(failure) = on_device(what, address, context) {
        return Err(failed(failure.text.into_owned()));
    }
    let refuse = |text: String| {
        let fix =
            "allocate as many bytes as aclmdlQuerySize reports, for the model that needs most, and pass that size";
        let failure = failed(text);
        Err(if what == WORK {
            failure.breaks(MODEL_07, "as much working memory as the model needs", fix)
        } else {
            failure
        })
    };
    let there = describe(address).map_or(0, |found| found.left);
    if size < need {
        return refuse(format!("the model needs {need} bytes of {what}, and {size} were given"));
    }
    if there < size {
        return refuse(format!("{size} bytes of {what} were promised, and the block has {there} from there on"));
    }
    Ok(())
}
