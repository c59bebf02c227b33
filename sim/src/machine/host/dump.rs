//! Dumps: what models read and write, in files.
//!
//! A device dumps the tensors of each of its operators. The engine here has other operators, so a dump has the inputs
//! and outputs of whole models, as files of NumPy.

use super::json::Value;
use super::process;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::model::{Element, Port};
use ascendcl_sys::error_codes::*;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

/// What is dumped of which models.
struct Settings {
    /// The folder for the runs under these settings.
    folder: PathBuf,
    /// The names of the models; `None` stands for all.
    models: Option<Vec<String>>,
    inputs: bool,
    outputs: bool,
}

/// Where the settings come from.
enum Source {
    /// The configuration of `aclInit`.
    Start,
    /// `aclmdlInitDump`; there are no settings before `aclmdlSetDump`.
    Calls,
}

static DUMPS: Mutex<Option<(Source, Option<Arc<Settings>>)>> = Mutex::new(None);

/// The dumps of one model.
pub(in crate::machine) struct Dump {
    settings: Arc<Settings>,
    folder: PathBuf,
    runs: AtomicU32,
}

/// The dump of one run.
pub(in crate::machine) struct RunDump {
    folder: PathBuf,
    pub(in crate::machine) inputs: bool,
    pub(in crate::machine) outputs: bool,
}

/// Takes the settings in the configuration of `aclInit`. A section that cannot be followed is left out with a message:
/// programs bring files that name a folder of the device's machine.
pub(super) fn start(configuration: &Value) {
    let Some(section) = configuration.get("dump") else { return };
    match Settings::read(section) {
        Ok(settings) => *lock(&DUMPS) = settings.map(|settings| (Source::Start, Some(Arc::new(settings)))),
        Err(why) => eprintln!("ascendcl-sim: nothing is dumped: {why}"),
    }
}

pub(crate) fn initialise() -> Answer {
    is_initialised()?;
    let mut dumps = lock(&DUMPS);
    match &*dumps {
        None => *dumps = Some((Source::Calls, None)),
        Some((Source::Start, _)) => {
            let text = "the configuration of aclInit has set dumps already (INIT-12)";
            return Err(Failure::new(ACL_ERROR_DUMP_ALREADY_RUN, text));
        }
        Some((Source::Calls, _)) => {
            return Err(Failure::new(ACL_ERROR_REPEAT_INITIALIZE, "dumps are initialised already"));
        }
    }
    Ok(())
}

/// Sets what is dumped of models that are loaded from now on.
pub(crate) fn set(path: &str) -> Answer {
    is_initialised()?;
    match &mut *lock(&DUMPS) {
        Some((Source::Calls, settings)) => {
            let (_, said) = process::read_json(path)?;
            let refuse = |why| Failure::new(ACL_ERROR_INVALID_DUMP_CONFIG, format!("{path}: {why}"));
            let section = said.get("dump").ok_or_else(|| refuse("it has no section `dump`".to_owned()))?;
            *settings = Settings::read(section).map_err(refuse)?.map(Arc::new);
            Ok(())
        }
        _ => Err(not_initialised()),
    }
}

/// Models that are loaded from now on are not dumped.
pub(crate) fn finalise() -> Answer {
    is_initialised()?;
    let mut dumps = lock(&DUMPS);
    match &*dumps {
        Some((Source::Calls, _)) => {
            *dumps = None;
            Ok(())
        }
        _ => Err(not_initialised()),
    }
}

pub(in crate::machine) fn clear() {
    *lock(&DUMPS) = None;
}

/// The dumps of a model that is being loaded, if the settings name it. A file's name without its ending is a name of
/// the model, too.
pub(in crate::machine) fn of_model(file: Option<&str>, graph: &str, id: u32, device: u32) -> Option<Dump> {
    let settings = lock(&DUMPS).as_ref().and_then(|(_, settings)| settings.clone())?;
    let names = [file.unwrap_or(graph), graph];
    if settings.models.as_ref().is_some_and(|models| !models.iter().any(|model| names.contains(&model.as_str()))) {
        return None;
    }
    let folder = settings.folder.join(device.to_string()).join(file_name(names[0])).join(id.to_string());
    Some(Dump { settings, folder, runs: AtomicU32::new(0) })
}

fn is_initialised() -> Answer {
    match process::is_initialised() {
        true => Ok(()),
        false => Err(Failure::new(ACL_ERROR_UNINITIALIZE, "dumps come after aclInit")),
    }
}

fn not_initialised() -> Failure {
    Failure::new(ACL_ERROR_DUMP_NOT_RUN, "dumps are not initialised by aclmdlInitDump")
}

impl Settings {
    /// `None` if nothing is to be dumped. The manual demands a folder that exists.
    fn read(section: &Value) -> Result<Option<Self>, String> {
        let text = |key: &str| match section.get(key) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(format!("`{key}` is not a text")),
        };
        let listed = match section.get("dump_list") {
            None => return Ok(None),
            Some(Value::List(list)) if list.is_empty() => return Ok(None),
            Some(Value::List(list)) => list,
            Some(_) => return Err("`dump_list` is not a list".to_owned()),
        };
        let name = |model: &Value| model.get("model_name").and_then(Value::as_text).map(str::to_owned);
        let (inputs, outputs) = match text("dump_mode")? {
            None | Some("output") => (false, true),
            Some("input") => (true, false),
            Some("all") => (true, true),
            Some(other) => {
                return Err(format!("`dump_mode` is `{other}`, and it has to be `input`, `output` or `all`"));
            }
        };
        let path = text("dump_path")?.ok_or("it has no `dump_path`")?;
        if !fs::metadata(path).is_ok_and(|found| found.is_dir()) {
            return Err(format!("`dump_path` is `{path}`, which is not a folder"));
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let folder = PathBuf::from(path).join(now.to_string());
        Ok(Some(Self { folder, models: listed.iter().map(name).collect(), inputs, outputs }))
    }
}

impl Dump {
    pub(in crate::machine) fn of_next_run(&self) -> RunDump {
        let folder = self.folder.join(self.runs.fetch_add(1, Relaxed).to_string());
        RunDump { folder, inputs: self.settings.inputs, outputs: self.settings.outputs }
    }
}

impl RunDump {
    /// Writes a file for a tensor, for example `output.0.probabilities.npy`.
    pub(in crate::machine) fn write(
        &self,
        side: &str,
        index: usize,
        port: &Port,
        dims: &[i64],
        bytes: &[u8],
    ) -> Answer {
        let path = self.folder.join(format!("{side}.{index}.{}.npy", file_name(&port.name)));
        let mut file = header(port.element, dims);
        file.extend_from_slice(bytes);
        let written = fs::create_dir_all(&self.folder).and_then(|()| fs::write(&path, file));
        written.map_err(|error| {
            Failure::new(ACL_ERROR_INVALID_FILE, format!("the dump {} cannot be written: {error}", path.display()))
        })
    }
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
