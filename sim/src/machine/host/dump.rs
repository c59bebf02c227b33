//! Dumps of models: when they begin and end, and their configuration.

use super::json::Value;
use super::{configuration, dump_section, process};
use crate::abi::CText;
use crate::config::say;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::models::dump::{self, Settings};
use ascendcl_rules::{INIT_12, Object};
use ascendcl_sys::error_codes::*;
use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

/// Who has begun the dumps.
enum Source {
    /// The configuration of `aclInit`.
    Start,
    /// `aclmdlInitDump`; there are no settings before `aclmdlSetDump`.
    Calls,
}

static SOURCE: Mutex<Option<Source>> = Mutex::new(None);

fn refused(why: &str) -> Failure {
    Failure::new(ACL_ERROR_INVALID_DUMP_CONFIG, why.to_owned())
}

/// Takes the settings in the configuration of `aclInit`. If its folder is not there, nothing is dumped, and a message says
/// so: programs bring files that name a folder of the device's machine.
pub(super) fn start(configuration: &Value) {
    let Some(section) = configuration.get("dump") else { return };
    match read(section) {
        Ok(settings) => {
            *lock(&SOURCE) = settings.as_ref().map(|_| Source::Start);
            dump::set(settings);
        }
        Err(why) => say(format_args!("ascendcl-sim: nothing is dumped: {why}")),
    }
}

pub(crate) fn initialise() -> Answer {
    is_initialised()?;
    let mut source = lock(&SOURCE);
    match *source {
        None => *source = Some(Source::Calls),
        Some(Source::Start) => {
            let text = "the configuration of aclInit has set dumps already (INIT-12)";
            return Err(begun_once(Failure::new(ACL_ERROR_DUMP_ALREADY_RUN, text)));
        }
        Some(Source::Calls) => {
            return Err(Failure::new(ACL_ERROR_REPEAT_INITIALIZE, "dumps are initialised already"));
        }
    }
    Ok(())
}

/// Sets what is dumped of models that are loaded from now on. A file without a section on dumps changes nothing.
pub(crate) fn set(path: Option<&str>) -> Answer {
    is_begun_by_calls()?;
    let path = path.ok_or_else(|| Failure::invalid("the path of the configuration file is null"))?;
    let text = configuration::bytes(path)?;
    let said = configuration::parsed(path, &text).map_err(|failure| failure.coded(ACL_ERROR_INVALID_DUMP_CONFIG))?;
    let Some(section) = said.get("dump") else { return Ok(()) };
    let refuse = |why: String| refused(&format!("{path}: {why}"));
    dump_section::check(section).map_err(refuse)?;
    if let Some(settings) = read(section).map_err(refuse)? {
        dump::set(Some(settings));
    }
    Ok(())
}

/// Models that are loaded from now on are not dumped.
pub(crate) fn finalise() -> Answer {
    is_begun_by_calls()?;
    *lock(&SOURCE) = None;
    dump::set(None);
    Ok(())
}

pub(in crate::machine) fn clear() {
    *lock(&SOURCE) = None;
    dump::set(None);
    dump::hand_to(None);
}

/// The folder that the configuration names for dumps of models. It stays in place: a program may keep it.
pub(crate) fn path() -> Option<CText> {
    static NAMES: Mutex<BTreeSet<CString>> = Mutex::new(BTreeSet::new());
    let name = CString::new(dump::path()?).ok()?;
    let mut names = lock(&NAMES);
    names.insert(name.clone());
    names.get(&name).map(|name| CText::of(name))
}

fn is_initialised() -> Answer {
    match process::is_initialised() {
        true => Ok(()),
        false => Err(Failure::new(ACL_ERROR_UNINITIALIZE, "dumps come after aclInit")),
    }
}

/// Dumps are set in one of two ways (INIT-12).
fn begun_once(failure: Failure) -> Failure {
    let fix = "call aclmdlInitDump, aclmdlSetDump and aclmdlFinalizeDump, and leave `dump` out of the configuration of aclInit";
    failure.breaks(INIT_12, "dumps that aclInit sets, or aclmdlInitDump, and not both", fix).about(Object::PROCESS)
}

fn is_begun_by_calls() -> Answer {
    is_initialised()?;
    match *lock(&SOURCE) {
        Some(Source::Calls) => Ok(()),
        _ => Err(begun_once(Failure::new(ACL_ERROR_DUMP_NOT_RUN, "dumps are not initialised by aclmdlInitDump"))),
    }
}

/// The settings in a section that was looked at; `None` if nothing is to be dumped. The folder has to be there all the
/// same.
fn read(section: &Value) -> Result<Option<Settings>, String> {
    if matches!(section, Value::Object(entries) if entries.is_empty()) || dump_section::has_no_data(section) {
        return Ok(None);
    }
    let text = |key: &str| section.get(key).and_then(Value::as_text);
    let path = text("dump_path").unwrap_or_default();
    if !fs::metadata(path).is_ok_and(|found| found.is_dir()) {
        return Err(format!("`dump_path` is `{path}`, which is not a folder"));
    }
    let listed = match section.get("dump_list") {
        Some(Value::List(list)) if !list.is_empty() => list,
        _ => return Ok(None),
    };
    let name = |model: &Value| model.get("model_name").and_then(Value::as_text).map(str::to_owned);
    let (inputs, outputs) = match text("dump_mode") {
        Some("input") => (true, false),
        Some("all") => (true, true),
        _ => (false, true),
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let folder = PathBuf::from(path).join(now.to_string());
    let path = path.to_owned();
    Ok(Some(Settings { path, folder, models: listed.iter().map(name).collect(), inputs, outputs }))
}
