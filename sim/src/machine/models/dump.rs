//! Dumps of models that are run: what they read and write, as files of NumPy.
//!
//! A device dumps the tensors of each of its operators. The engine here has other operators, so a dump has the inputs
//! and outputs of whole models.

use crate::abi::{OfDump, tell_of_dump};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::workers::user_code;
use crate::model::{Element, Port};
use ascendcl_sys::error_codes::ACL_ERROR_INVALID_FILE;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// What is dumped of which models.
pub(in crate::machine) struct Settings {
    /// The folder that the configuration names.
    pub(in crate::machine) path: String,
    /// The one in it for the runs under these settings.
    pub(in crate::machine) folder: PathBuf,
    /// The names of the models; `None` stands for all.
    pub(in crate::machine) models: Option<Vec<String>>,
    pub(in crate::machine) inputs: bool,
    pub(in crate::machine) outputs: bool,
}

/// For models that are loaded from now on.
static SETTINGS: Mutex<Option<Arc<Settings>>> = Mutex::new(None);

/// Takes the dumps in place of files.
static LISTENER: Mutex<Option<OfDump>> = Mutex::new(None);

/// Hands dumps to a function of the caller instead of writing files, or writes files again.
pub(crate) fn hand_to(function: Option<OfDump>) {
    *lock(&LISTENER) = function;
}

/// The dumps of one model.
pub(super) struct Dump {
    settings: Arc<Settings>,
    folder: PathBuf,
    runs: AtomicU32,
}

/// The dump of one run.
pub(super) struct RunDump {
    folder: PathBuf,
    pub(super) inputs: bool,
    pub(super) outputs: bool,
}

/// Sets what is dumped of models that are loaded from now on.
pub(in crate::machine) fn set(settings: Option<Settings>) {
    *lock(&SETTINGS) = settings.map(Arc::new);
}

/// The folder that the settings name, if any.
pub(in crate::machine) fn path() -> Option<String> {
    lock(&SETTINGS).as_ref().map(|settings| settings.path.clone())
}

/// The dumps of a model that is being loaded, if the settings name it. A file's name without its ending is a name of
/// the model, too.
pub(super) fn of_model(file: Option<&str>, graph: &str, id: u32, device: u32) -> Option<Dump> {
    let settings = lock(&SETTINGS).clone()?;
    let names = [file.unwrap_or(graph), graph];
    if settings.models.as_ref().is_some_and(|models| !models.iter().any(|model| names.contains(&model.as_str()))) {
        return None;
    }
    let folder = settings.folder.join(device.to_string()).join(file_name(names[0])).join(id.to_string());
    Some(Dump { settings, folder, runs: AtomicU32::new(0) })
}

impl Dump {
    pub(super) fn of_next_run(&self) -> RunDump {
        let folder = self.folder.join(self.runs.fetch_add(1, Relaxed).to_string());
        RunDump { folder, inputs: self.settings.inputs, outputs: self.settings.outputs }
    }
}

impl RunDump {
    /// Writes a file for a tensor, for example `output.0.probabilities.npy`.
    pub(super) fn write(&self, side: &str, index: usize, port: &Port, dims: &[i64], bytes: &[u8]) -> Answer {
        let path = self.folder.join(format!("{side}.{index}.{}.npy", file_name(&port.name)));
        let mut file = header(port.element, dims);
        file.extend_from_slice(bytes);
        let listener = *lock(&LISTENER);
        if let Some(function) = listener {
            return hand_over(function, &path.to_string_lossy(), &file);
        }
        let written = fs::create_dir_all(&self.folder).and_then(|()| fs::write(&path, file));
        written.map_err(|error| {
            Failure::new(ACL_ERROR_INVALID_FILE, format!("the dump {} cannot be written: {error}", path.display()))
        })
    }
}

/// Hands a file over part by part, in order.
fn hand_over(function: OfDump, name: &str, file: &[u8]) -> Answer {
    const PART: usize = 1 << 20;
    let parts = file.len().div_ceil(PART);
    for (index, part) in file.chunks(PART).enumerate() {
        let (offset, last) = ((index * PART) as i64, index + 1 == parts);
        let mut answer = 0;
        user_code::run_within(0, || answer = tell_of_dump(function, name, offset, last, part));
        if answer != 0 {
            let text = format!("the function that takes dumps answered {answer} for {name}");
            return Err(Failure::new(ACL_ERROR_INVALID_FILE, text));
        }
    }
    Ok(())
}

/// The start of a file of NumPy's format, version 1.0: a Python dictionary, padded to 64 bytes.
fn header(element: Element, dims: &[i64]) -> Vec<u8> {
    let kind = match element {
        Element::F16 => "<f2",
        Element::F32 => "<f4",
        Element::F64 => "<f8",
        Element::I8 => "|i1",
        Element::I16 => "<i2",
        Element::I32 => "<i4",
        Element::I64 => "<i8",
        Element::U8 => "|u1",
        Element::U16 => "<u2",
        Element::U32 => "<u4",
        Element::U64 => "<u8",
        Element::Bool => "|b1",
    };
    let dims: String = dims.iter().map(|dim| format!("{dim},")).collect();
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({dims}), }}").into_bytes();
    const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
    let before = MAGIC.len() + size_of::<u16>();
    text.resize((before + text.len() + 1).next_multiple_of(64) - before - 1, b' ');
    text.push(b'\n');
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
    [MAGIC, &length.to_le_bytes(), &text].concat()
}

/// A name as a part of a path: its start, with `_` for what separates or hides files.
fn file_name(name: &str) -> String {
    /// File systems take names of 255 bytes, and a character has at most four.
    const LONGEST: usize = 50;
    let letter = |letter| if matches!(letter, '/' | '\\' | '.' | '\0' | ':') { '_' } else { letter };
    match name {
        "" => "model".to_owned(),
        name => name.chars().take(LONGEST).map(letter).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn any_name_is_one_part_of_a_path_that_file_systems_take() {
        assert_eq!(["", "../a", "x:0", "/model/y"].map(file_name), ["model", "___a", "x_0", "_model_y"]);
        assert!(file_name(&"\u{1f600}".repeat(300)).len() <= 200);
    }
}
