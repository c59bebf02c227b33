//! The surroundings of a program: environment variables, and the places where the crate looks for a library.

use serde::Serialize;
use std::env;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;

/// The facts that a program on this machine finds before it loads anything.
#[derive(Serialize)]
pub(crate) struct Environment {
    pub(crate) variables: Vec<Variable>,
    pub(crate) places: Vec<Place>,
    /// The device files of the vendor's driver.
    pub(crate) device_files: Vec<String>,
}

/// An environment variable that affects the crate.
#[derive(Serialize)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) value: Option<String>,
    /// The effect of its value.
    pub(crate) meaning: String,
}

/// A place where the crate looks for a library, in the order of the search.
#[derive(Serialize)]
pub(crate) struct Place {
    pub(crate) path: String,
    /// Why the crate looks there: the name of a variable, `standard folder`, or `dynamic loader`.
    pub(crate) because: &'static str,
    pub(crate) found: Found,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Found {
    File,
    /// A stub of a toolkit for linking. The crate skips it.
    Stub,
    Absent,
    /// The system does not say whether a file is there.
    Unknown,
    /// A bare file name, which only the dynamic loader can find.
    LeftToTheLoader,
}

pub(crate) const LIBRARY: &str = "ASCENDCL_LIBRARY";
const LOADER: &str = "LD_LIBRARY_PATH";
const VERIFY: &str = "ASCENDCL_VERIFY_CURRENT";
const ENGINE: &str = "ASCENDCL_GE_LIBRARY";
pub(crate) const VISIBLE: &str = "ASCEND_RT_VISIBLE_DEVICES";
pub(crate) const SIMULATOR: &str = "ASCENDCL_SIM";

pub(crate) fn of_this_process() -> Environment {
    Environment { variables: variables(), places: places(), device_files: device_files() }
}

fn variables() -> Vec<Variable> {
    let variable = |name: &str, meaning: fn(Option<&OsStr>) -> String| {
        let value = env::var_os(name).filter(|value| !value.is_empty());
        let meaning = meaning(value.as_deref());
        Variable { name: name.to_owned(), value: value.map(|value| value.to_string_lossy().into_owned()), meaning }
    };
    let mut all = vec![variable(LIBRARY, library)];
    all.extend(ascendcl_sys::VARIABLES.map(|name| variable(name, home)));
    all.extend([
        variable(LOADER, folders),
        variable(VISIBLE, |value| {
            let set = "the vendor's library shows these devices only, numbered from 0";
            value.map_or("all devices can be seen", |_| set).to_owned()
        }),
        variable(VERIFY, verify),
        variable(ENGINE, |value| {
            let set = "sessions of the graph engine (`ascendcl-ge`) use this library";
            value.map_or("sessions of the graph engine use the installed library", |_| set).to_owned()
        }),
        variable(SIMULATOR, |value| {
            value.map_or("the simulator does not look for misuse", |_| "checks and options of the simulator").to_owned()
        }),
    ]);
    let others = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut others: Vec<_> = others.filter(|name| name.starts_with("ASCENDCL_SIM_")).collect();
    others.sort();
    all.extend(others.iter().map(|name| variable(name, |_| "an option of the simulator".to_owned())));
    all
}

fn library(value: Option<&OsStr>) -> String {
    match value {
        None => "the crate looks for a library in the places of the search".to_owned(),
        Some(value) if value == "sim" => "programs with the feature `sim` use the simulator".to_owned(),
        Some(value) if Path::new(value).is_dir() => "a folder, but the path of a file is expected".to_owned(),
        Some(value) if named(value).is_left_to_the_loader() => {
            "the dynamic loader looks for this file, and no other place is searched".to_owned()
        }
        Some(value) if Path::new(value).exists() => "this file is used, and no other place is searched".to_owned(),
        Some(value) if cannot_be_searched(Path::new(value)) => {
            "this place cannot be searched, and no other place is".to_owned()
        }
        Some(_) => "this file does not exist, and no other place is searched".to_owned(),
    }
}

fn home(value: Option<&OsStr>) -> String {
    match value {
        None => "no folder is added to the search",
        Some(value) if Path::new(value).is_dir() => "this folder is searched",
        Some(value) if cannot_be_searched(Path::new(value)) => "this folder cannot be searched",
        Some(_) => "this folder does not exist",
    }
    .to_owned()
}

fn folders(value: Option<&OsStr>) -> String {
    let Some(value) = value else { return "the dynamic loader searches its usual folders only".to_owned() };
    let named = env::split_paths(value).filter(|folder| !folder.as_os_str().is_empty());
    let (there, absent): (Vec<_>, Vec<_>) = named.partition(|folder| folder.is_dir());
    format!("{} of its folders exist, {} do not", there.len(), absent.len())
}

fn verify(value: Option<&OsStr>) -> String {
    match value {
        Some(value) if value != "0" => "each call compares the current context first, which costs a call each time",
        _ => "calls do not compare the current context first",
    }
    .to_owned()
}

/// The places that are searched. If `ASCENDCL_LIBRARY` names a file, that file is the only place.
fn places() -> Vec<Place> {
    let candidates = match env::var_os(LIBRARY).filter(|value| !value.is_empty()) {
        None => ascendcl_sys::candidates(),
        Some(value) if value == "sim" => Vec::new(),
        Some(value) => vec![named(&value)],
    };
    let place = |candidate: ascendcl_sys::Candidate| Place {
        found: match &candidate {
            it if it.is_left_to_the_loader() => Found::LeftToTheLoader,
            it if it.is_a_stub() => Found::Stub,
            it if it.path.is_file() => Found::File,
            it if cannot_be_searched(&it.path) => Found::Unknown,
            _ => Found::Absent,
        },
        path: candidate.path.display().to_string(),
        because: candidate.because,
    };
    candidates.into_iter().map(place).collect()
}

/// The file that a variable names.
pub(crate) fn named(value: &OsStr) -> ascendcl_sys::Candidate {
    ascendcl_sys::Candidate::of_file(value, LIBRARY)
}

fn cannot_be_searched(path: &Path) -> bool {
    path.try_exists().is_err_and(|error| error.kind() != ErrorKind::NotADirectory)
}

fn device_files() -> Vec<String> {
    let entries = std::fs::read_dir("/dev").into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut files: Vec<_> =
        names.filter(|name| name.starts_with("davinci")).map(|name| format!("/dev/{name}")).collect();
    files.sort();
    files
}
