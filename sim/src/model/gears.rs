//! Gears: the shapes that a dynamic model was compiled for.
//!
//! The vendor's compiler writes them into the model; here they stand in the metadata of the ONNX file
//! (`metadata_props`), under one of these keys:
//!
//! | key | value | which dynamic axes |
//! | --- | --- | --- |
//! | `ascendcl.dynamic_batch` | `1,2,8` | the first of each input |
//! | `ascendcl.dynamic_image_size` | `224,224;448,448` | height and width of each dynamic input, which has four axes |
//! | `ascendcl.dynamic_dims` | `1,64;8,64` | all, in the order of the inputs and their axes |

use super::Model;
use super::failure::LoadFailure;
use super::onnx::OnnxFile;
use super::port::{Element, Format, Port, UNKNOWN_RANK, known_bytes};

/// The name of the extra last input through which the gear of a run is chosen.
pub const GEAR_INPUT: &str = "ascend_mbatch_shape_data";

/// How the keys begin that mean something here.
const OWN: &str = "ascendcl.";

/// As many gears as the vendor's compiler takes.
const MOST_GEARS: usize = 100;

/// The gears of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gears {
    /// Which axes they set.
    pub kind: GearKind,
    /// The gears, in the file's order; at least one, all different.
    pub list: Vec<Gear>,
}

/// Which axes the gears of a model set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GearKind {
    /// The first axis of each dynamic input: one value a gear.
    Batch,
    /// Height and width of each dynamic input: two values a gear.
    ImageSize,
    /// Every dynamic axis: as many values a gear as there are such axes.
    Dims,
}

/// One shape that the model was compiled for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gear {
    /// Its values, as the file lists them.
    pub values: Vec<u64>,
    /// The dims of every input in this gear.
    pub inputs: Vec<Vec<i64>>,
    /// The dims of every output in this gear; -1 where they depend on more than the dims of the inputs.
    pub outputs: Vec<Vec<i64>>,
}

impl Gears {
    /// The gear with these values: a batch size; a height and a width; or the sizes of all dynamic axes.
    pub fn find(&self, values: &[u64]) -> Option<&Gear> {
        self.list.iter().find(|gear| gear.values == values)
    }

    /// The extra input, [`GEAR_INPUT`]: the values of the chosen gear, as 64-bit integers. [`Model::run`] does not take
    /// it.
    pub fn port(&self) -> Port {
        let count = self.list.first().map_or(0, |gear| gear.values.len());
        Port::new(GEAR_INPUT, Element::I64, vec![i64::try_from(count).unwrap_or(i64::MAX)])
    }
}

impl GearKind {
    const ALL: [Self; 3] = [Self::Batch, Self::ImageSize, Self::Dims];

    /// The key of the metadata that lists the gears.
    pub fn key(self) -> &'static str {
        match self {
            Self::Batch => "ascendcl.dynamic_batch",
            Self::ImageSize => "ascendcl.dynamic_image_size",
            Self::Dims => "ascendcl.dynamic_dims",
        }
    }

    /// What separates the gears of a list. The values within a gear are separated by commas.
    fn separator(self) -> char {
        if self == Self::Batch { ',' } else { ';' }
    }

    /// Whether gears of this kind set exactly these dynamic axes of an input.
    fn sets(self, port: &Port, dynamic: &[usize]) -> bool {
        match self {
            Self::Batch => dynamic == [0],
            Self::ImageSize => port.format == Format::Nchw && dynamic == [2, 3],
            Self::Dims => true,
        }
    }
}

/// The gears of a model that is otherwise ready.
pub(super) fn read(mut file: OnnxFile, model: &Model) -> Result<Option<Gears>, LoadFailure> {
    check_keys(&file)?;
    let listed = |kind: GearKind| file.properties(kind.key()).map(move |text| (kind, text.to_string()));
    let lists: Vec<_> = GearKind::ALL.into_iter().flat_map(listed).collect();
    let Some((kind, text)) = lists.first() else { return Ok(None) };
    if let Some((other, _)) = lists.get(1) {
        let why = format!("`{}` and `{}` are both in the metadata; a model has one list", kind.key(), other.key());
        return Err(LoadFailure::Gears(why));
    }
    let kind = *kind;
    let wrong = |why: String| LoadFailure::Gears(format!("`{}` is \"{text}\": {why}", kind.key()));
    check_axes(kind, model.inputs()).map_err(wrong)?;

    let mut list = Vec::<Gear>::new();
    for part in text.split(kind.separator()) {
        let values = numbers(part).map_err(wrong)?;
        if list.iter().any(|gear| gear.values == values) {
            return Err(wrong(format!("{} stands there twice", part.trim())));
        }
        if list.len() == MOST_GEARS {
            return Err(wrong(format!("these are more than {MOST_GEARS} gears")));
        }
        let inputs = input_dims(kind, model.inputs(), &values).map_err(wrong)?;
        if known_bytes(model.inputs(), &inputs).is_none() {
            return Err(wrong(format!("{} needs more bytes than can be counted", part.trim())));
        }
        let mut outputs = model.output_dims(&inputs);
        if outputs.iter().flatten().any(|&dim| dim < 0) {
            let exact = file.specialize(model.inputs(), &inputs)?;
            outputs.iter_mut().zip(exact).for_each(|(dims, exact)| fill(dims, exact));
        }
        list.push(Gear { values, inputs, outputs });
    }
    Ok(Some(Gears { kind, list }))
}

/// Refuses a key that looks as if it meant something here: the compiler's options have other names.
fn check_keys(file: &OnnxFile) -> Result<(), LoadFailure> {
    let known = GearKind::ALL.map(GearKind::key);
    let unknown = file.keys().find(|key| key.starts_with(OWN) && !known.contains(key));
    let [batch, image, dims] = known;
    unknown.map_or(Ok(()), |key| {
        let why = format!("`{key}` is in the metadata; the keys with gears are `{batch}`, `{image}` and `{dims}`");
        Err(LoadFailure::Gears(why))
    })
}

/// Refuses a model without dynamic axes, or with some that gears of this kind do not set.
fn check_axes(kind: GearKind, ports: &[Port]) -> Result<(), String> {
    if !ports.iter().any(Port::is_dynamic) {
        return Err("no input has a dynamic axis".to_string());
    }
    for port in ports.iter().filter(|port| port.is_dynamic()) {
        let dynamic: Vec<usize> = (0..).zip(&port.dims).filter(|&(_, &dim)| dim < 0).map(|(axis, _)| axis).collect();
        if !kind.sets(port, &dynamic) {
            return Err(format!("such gears do not fit the dynamic axes of input `{}`, {:?}", port.name, port.dims));
        }
    }
    Ok(())
}

/// Puts in what is still missing of an output's dims.
fn fill(dims: &mut Vec<i64>, exact: Vec<i64>) {
    if *dims == [UNKNOWN_RANK] {
        *dims = exact;
    } else {
        dims.iter_mut().zip(exact).filter(|(dim, _)| **dim < 0).for_each(|(dim, exact)| *dim = exact);
    }
}

fn numbers(part: &str) -> Result<Vec<u64>, String> {
    let number = |text: &str| match text.trim().parse::<u64>() {
        Ok(number) if number > 0 && i64::try_from(number).is_ok() => Ok(number),
        _ => Err(format!("\"{}\" is not a size", text.trim())),
    };
    part.split(',').map(number).collect()
}

/// The dims of every input in the gear with these values. A batch size, or a height and a width, serve each dynamic
/// input anew; the values of `Dims` are used up in order.
fn input_dims(kind: GearKind, ports: &[Port], values: &[u64]) -> Result<Vec<Vec<i64>>, String> {
    let expected = match kind {
        GearKind::Batch => 1,
        GearKind::ImageSize => 2,
        GearKind::Dims => ports.iter().flat_map(|port| &port.dims).filter(|&&dim| dim < 0).count(),
    };
    if values.len() != expected {
        return Err(format!("a gear of {} values, where {expected} are needed", values.len()));
    }
    let mut sizes = values.iter().filter_map(|&value| i64::try_from(value).ok()).cycle();
    let mut dim = |dim: &i64| if *dim < 0 { sizes.next().unwrap_or(*dim) } else { *dim };
    Ok(ports.iter().map(|port| port.dims.iter().map(&mut dim).collect()).collect())
}
