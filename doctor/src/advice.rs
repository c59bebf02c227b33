//! The advice: what to do next.

use crate::environment::{Environment, Found, LIBRARY, SIMULATOR, VISIBLE, named};
use crate::findings::{Findings, Library, ProblemKind};
use crate::report::Verdict;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

const SOURCE: &str = "Install the vendor's software (CANN), or if it is installed, run `source <its folder>/set_env.sh` \
                      in this shell and try again.";
const NAME_IT: &str = "If the library is in another folder, set ASCENDCL_LIBRARY to its path: \
                       `ASCENDCL_LIBRARY=/path/to/libacl_rt.so ascendcl-doctor`.";
const MIXED: &str = "Check that all files of the library and of the driver are of one release: a call that needs the missing \
                     function ends the program.";
const CLOSED: &str = "the system does not say whether a library is there";
const SIMULATE: &str = "Without an Ascend device, use the simulator: build your program with the feature `sim`, and set \
                        ASCENDCL_LIBRARY=sim or ask for `Library::VendorOrSimulator`.";
const DRIVER: &str = "Run `npu-smi info` as this user. If it fails too, install or repair the driver and the firmware. In \
                      a container, pass the device files in: `--device /dev/davinci0 --device /dev/davinci_manager \
                      --device /dev/devmm_svm --device /dev/hisi_hdc`, with the driver's folder as a volume.";

pub(crate) fn of(verdict: Verdict, environment: &Environment, findings: &Findings) -> Vec<String> {
    let mut next = of_variables(environment, findings);
    if findings.has(ProblemKind::Unbound) {
        next.push(MIXED.to_owned());
    }
    next.extend(of_verdict(verdict, environment, findings));
    next
}

/// The corrections of environment variables, which are independent of all other findings.
fn of_variables(environment: &Environment, findings: &Findings) -> Vec<String> {
    let mut next = Vec::new();
    for variable in &environment.variables {
        let Some(value) = &variable.value else { continue };
        let name = &variable.name;
        if ascendcl_sys::VARIABLES.contains(&name.as_str()) && variable.meaning.ends_with("does not exist") {
            next.push(format!("Correct {name}: the folder {value} does not exist."));
        }
        let is_searched_for = named(OsStr::new(value)).is_left_to_the_loader() && !Path::new(value).is_dir();
        if name == LIBRARY && value != "sim" && !is_searched_for && !Path::new(value).is_file() {
            let what = match Path::new(value) {
                path if path.is_dir() => "is a folder",
                path if matches!(path.try_exists(), Ok(false)) => "does not exist",
                _ => "cannot be used",
            };
            next.push(format!("Correct {name}, or unset it: {value} {what}."));
        }
    }
    let vendors = findings.library.as_ref().is_some_and(|library| library.path.is_some());
    let simulators = environment.variables.iter().any(|it| it.name == SIMULATOR && it.value.is_some());
    if vendors && simulators && !is_the_simulator(findings) {
        next.push(
            "ASCENDCL_SIM has no effect on the vendor's library. Set ASCENDCL_LIBRARY=sim to use the simulator.".into(),
        );
    }
    next
}

/// Whether the loaded library is the simulator, in this program or as a shared object.
fn is_the_simulator(findings: &Findings) -> bool {
    let named = findings.product.as_ref().is_some_and(|product| product.contains("Simulator"));
    named || findings.library.as_ref().is_some_and(|library| library.simulator)
}

fn of_verdict(verdict: Verdict, environment: &Environment, findings: &Findings) -> Vec<String> {
    let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
    match verdict {
        Verdict::Ready | Verdict::Simulator if !findings.problems.is_empty() => some_works(findings),
        Verdict::Ready if is_the_simulator(findings) => texts(&["Nothing is wrong. The library is the simulator."]),
        Verdict::Ready => texts(&["Nothing is wrong: programs of the crate `ascendcl` run on this library."]),
        Verdict::Simulator => texts(&[
            "Nothing is wrong, but no Ascend device is used. On an Ascend machine, unset ASCENDCL_LIBRARY to use the \
             vendor's library.",
        ]),
        Verdict::NoLibrary => {
            let closed = environment.places.iter().filter(|place| place.found == Found::Unknown);
            let closed = closed.map(|place| {
                format!("Check the permissions of {}, and the groups of this user: {CLOSED}.", place.path)
            });
            closed.take(1).chain(texts(&[SOURCE, NAME_IT, SIMULATE])).collect()
        }
        Verdict::NotLoaded => not_loaded(environment, findings),
        Verdict::NoAscendcl => vec![
            "This file is a library, but not one of AscendCL. Set the variable or the link that leads to it to \
             libacl_rt.so, or to libascendcl.so of an older release."
                .into(),
            SIMULATE.into(),
        ],
        Verdict::Incomplete => findings.library.as_ref().map(incomplete).unwrap_or_default(),
        Verdict::NotInitialised if is_the_simulator(findings) => {
            texts(&["Correct the variable of the simulator that the error above names."])
        }
        Verdict::NotInitialised => vec![
            "Look up the code and the text of the error above. Frequent causes: the driver and the library are of \
             different releases, or the user may not use the device."
                .into(),
            DRIVER.into(),
        ],
        Verdict::NoDevice => no_device(environment, findings),
        Verdict::Crashed | Verdict::TimedOut => vec![
            "The failure is in the library or the driver, not in your program. Check that the two are of the same \
             release."
                .into(),
            DRIVER.into(),
            "If a device hangs, `npu-smi info` shows its health. A step that is only slow gets more time with \
             `--timeout SECONDS`."
                .into(),
        ],
        Verdict::NotTried => texts(&["Start this program again, by the full path of its file."]),
    }
}

fn some_works(findings: &Findings) -> Vec<String> {
    let whose = match is_the_simulator(findings) {
        true => "The library is the simulator, which makes calls fail if ASCENDCL_SIM_FAIL says so.",
        false => "`npu-smi info` shows the health of each device.",
    };
    vec![format!("Something works. Look at the problems above before you rely on it. {whose}")]
}

fn not_loaded(environment: &Environment, findings: &Findings) -> Vec<String> {
    let texts = findings.problems.iter().map(|problem| problem.text.as_str()).collect::<String>();
    let mut next = Vec::new();
    if environment.places.iter().any(|place| place.found == Found::Stub) {
        next.push(
            "A stub of the toolkit is in the search. Its functions do nothing. Take the path of the real library, which \
             is in the folder `lib64` of the installation."
                .to_owned(),
        );
    }
    if texts.contains("Permission denied") {
        next.push("This user may not read the file. Check its permissions, and the groups of this user.".to_owned());
    } else if is_of_another_kind(environment, &texts) {
        next.push(
            "The file is no library for this machine: it is empty, of another kind, or of another processor. Install the \
             vendor's software for this processor again, or correct the path."
                .to_owned(),
        );
    } else if texts.contains("cannot open shared object file") {
        next.push(
            "A file that the library needs is missing. `libascend_hal.so` and others belong to the driver: install it, \
             and run the vendor's `set_env.sh`, which adds the folders to LD_LIBRARY_PATH."
                .to_owned(),
        );
    }
    next.extend([NAME_IT.to_owned(), SIMULATE.to_owned()]);
    next
}

/// Whether the dynamic loader refused the file itself, and not a file that it needs.
fn is_of_another_kind(environment: &Environment, texts: &str) -> bool {
    // For a library of another processor, the loader says that the file does not exist.
    let mut files = environment.places.iter().filter(|place| place.found == Found::File);
    let not_there = files.any(|place| texts.contains(&format!("{}: cannot open shared object file", place.path)));
    not_there || ["invalid ELF header", "file too short", "wrong ELF class"].iter().any(|text| texts.contains(text))
}

fn incomplete(library: &Library) -> Vec<String> {
    let mut files = BTreeMap::<_, usize>::new();
    for missing in &library.missing {
        *files.entry(missing.files.join(" or ")).or_default() += 1;
    }
    let counted: Vec<_> = files.iter().map(|(files, count)| format!("{count} in {files}")).collect();
    vec![
        format!(
            "Install the missing part, or a newer release. The missing functions are in these files, which belong \
             beside the library: {}.",
            counted.join(", ")
        ),
        "Programs that do not call the missing functions run. A call of one is an error, `Error::MissingFunction`."
            .into(),
    ]
}

fn no_device(environment: &Environment, findings: &Findings) -> Vec<String> {
    let mut next = Vec::new();
    if let Some(limits) = environment.variables.iter().find(|it| it.name == VISIBLE)
        && let Some(value) = &limits.value
    {
        next.push(format!("Check {VISIBLE}={value}: it hides the other devices."));
    }
    if is_the_simulator(findings) {
        next.push(
            "Check the variables ASCENDCL_SIM_DEVICES and ASCENDCL_SIM_FAIL: the library is the simulator.".into(),
        );
        return next;
    }
    if environment.device_files.is_empty() {
        next.push("The driver's files /dev/davinci* are not there: this machine or container has no device.".into());
    }
    next.extend([DRIVER.to_owned(), SIMULATE.to_owned()]);
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Place;

    /// The first advice for this message of the dynamic loader about a library in `/lib64`.
    fn first_advice(reason: &str) -> String {
        let place = Place { path: "/lib64/libacl_rt.so".into(), because: "standard folder", found: Found::File };
        let environment = Environment { variables: Vec::new(), places: vec![place], device_files: Vec::new() };
        let mut findings = Findings::default();
        findings.problem(ProblemKind::Refused, reason);
        of(Verdict::NotLoaded, &environment, &findings).remove(0)
    }

    #[test]
    fn the_reason_of_the_dynamic_loader_decides_what_to_do_first() {
        for (reason, advice) in [
            ("/lib64/libacl_rt.so: cannot open shared object file: Permission denied", "This user may not read"),
            (
                "/lib64/libacl_rt.so: cannot open shared object file: No such file or directory",
                "The file is no library",
            ),
            ("libascend_hal.so: cannot open shared object file: No such file or directory", "A file that the library"),
            ("/lib64/libacl_rt.so: file too short", "The file is no library for this machine"),
            ("/lib64/libacl_rt.so: undefined symbol: hal", "If the library is in another folder"),
        ] {
            let first = first_advice(reason);
            assert!(first.starts_with(advice), "{reason}: {first}");
        }
    }
}
