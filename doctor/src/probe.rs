//! The second and the third process: try the library, step by step.

use crate::findings::{Device, Findings, Library, Missing, ProblemKind};
use ascendcl::library::Loaded;
use ascendcl::{Acl, Error, Package, RunMode, Thread};
use ascendcl_sys::LoadError;
use std::io::{self, Write};

/// The start of a line with findings. It is needed because the library may write to the standard output, too.
pub(crate) const MARK: &str = "ascendcl-doctor-findings: ";

/// Tries the library that a program would use, and prints the findings after each step.
pub(crate) fn run() {
    let mut findings = Findings::default();
    try_all(&mut findings);
    findings.finished = true;
    step(&mut findings, "the process was ending");
}

/// Loads the library that a program would use, and the files beside it.
pub(crate) fn bind() {
    let mut findings = Findings::default();
    step(&mut findings, "loading the library");
    match ascendcl::Library::Vendor.load() {
        Ok(loaded) => findings.library = Some(library(loaded)),
        Err(error) => findings.problem(kind_of(&error), error),
    }
    findings.finished = true;
    step(&mut findings, "the process was ending");
}

fn step(findings: &mut Findings, step: &str) {
    findings.step = step.to_owned();
    let Ok(line) = serde_json::to_string(findings) else { return };
    // The first process may have ended. The library may have written a line without a line break.
    let mut out = io::stdout().lock();
    drop(writeln!(out, "\n{MARK}{line}").and_then(|()| out.flush()));
}

fn try_all(findings: &mut Findings) {
    step(findings, "loading the library");
    let loaded = match ascendcl::Library::Vendor.load() {
        Ok(loaded) => loaded,
        // The report lists the places.
        Err(Error::Load(error)) if matches!(*error, LoadError::NotFound { .. }) => {
            return findings
                .problem(ProblemKind::NotFound, "no AscendCL library was found in the places of the search");
        }
        Err(error) => return findings.problem(kind_of(&error), error),
    };
    step(findings, "looking for its functions");
    findings.library = Some(library(loaded));
    if !loaded.missing_functions().is_empty() {
        findings.problem(ProblemKind::MissingFunctions, format!("{loaded} lacks functions that this crate needs"));
    }
    step(findings, "initialising the library");
    match Acl::init(ascendcl::Library::Vendor) {
        Ok(acl) => {
            findings.initialised = true;
            versions(findings, loaded);
            try_initialised(findings, acl);
        }
        Err(error) => {
            findings.problem(ProblemKind::NotInitialised, error);
            versions(findings, loaded);
        }
    }
}

fn kind_of(error: &Error) -> ProblemKind {
    match error {
        Error::Load(error) if matches!(**error, LoadError::Stub { .. }) => ProblemKind::Stub,
        Error::Load(_) => ProblemKind::Refused,
        _ => ProblemKind::Library,
    }
}

fn library(loaded: Loaded) -> Library {
    let lacks = loaded.missing_functions();
    let needed = || ascendcl_sys::table().filter(|function| function.required);
    let missing = needed().filter(|function| lacks.contains(&function.name)).map(|function| Missing {
        function: function.name.to_owned(),
        files: function.files.iter().map(ToString::to_string).collect(),
    });
    Library {
        path: loaded.path().map(|path| path.display().to_string()),
        simulator: loaded.is_simulator(),
        needed: needed().count(),
        missing: missing.collect(),
    }
}

/// Releases without the functions for it do not report their versions. That is not a problem.
fn versions(findings: &mut Findings, loaded: Loaded) {
    step(findings, "asking for versions");
    findings.versions.interface = loaded.interface_version().ok().map(|version| version.to_string());
    for package in Package::ALL {
        let version = loaded.package_version(*package).ok().filter(|version| !version.is_empty());
        findings.versions.packages.extend(version.map(|version| (package.to_string(), version)));
    }
}

fn try_initialised(findings: &mut Findings, acl: Acl) {
    step(findings, "asking for the product");
    findings.product = acl.soc_name();
    step(findings, "asking for the run mode");
    match acl.run_mode() {
        Ok(RunMode::Host) => findings.run_mode = Some("host".to_owned()),
        Ok(RunMode::Device) => findings.run_mode = Some("device".to_owned()),
        Err(error) => findings.problem(ProblemKind::Library, error),
    }
    step(findings, "counting the devices");
    match acl.device_count() {
        Ok(0) => {
            findings.device_count = Some(0);
            findings.problem(ProblemKind::NoDevice, "the library finds no device");
        }
        Ok(count) => {
            findings.device_count = Some(count);
            for id in 0..count {
                device(findings, &acl, id);
            }
        }
        Err(error) => findings.problem(ProblemKind::NoDevice, error),
    }
    step(findings, "finalising the library");
    if let Err(error) = acl.close() {
        findings.problem(ProblemKind::Library, Error::from(error));
    }
}

fn device(findings: &mut Findings, acl: &Acl, id: i32) {
    step(findings, &format!("asking for the properties of device {id}"));
    let properties = acl.device_properties(id).ok();
    step(findings, &format!("taking device {id} and creating a context on it"));
    let free = free_bytes(acl, id);
    let error = free.as_ref().err().map(ToString::to_string);
    if let Some(error) = &error {
        findings.problem(ProblemKind::Device, format!("device {id}: {error}"));
    }
    findings.devices.push(Device {
        id,
        ai_cores: properties.and_then(|known| known.ai_cores),
        memory_bytes: properties.and_then(|known| known.memory_bytes),
        is_virtual: properties.and_then(|known| known.is_virtual),
        usable: error.is_none(),
        free_bytes: free.ok().flatten(),
        error,
    });
}

/// Takes the device, creates a context and gives both back. Returns `None` on releases that do not report free memory.
fn free_bytes(acl: &Acl, id: i32) -> Result<Option<u64>, String> {
    let words = |error: Error| error.to_string();
    let mut thread = Thread::new().map_err(words)?;
    let device = acl.device(&mut thread, id).map_err(words)?;
    let free = device.with_current(&mut thread, |current| current.memory_info().ok());
    let free = free.map_err(|error| error.to_string())?;
    device.reset(&mut thread).map_err(|failed| Error::from(failed).to_string())?;
    Ok(free.and_then(|memory| u64::try_from(memory.free).ok()))
}
