//! What the program reports, on machines with different installations of the vendor's software.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{Machine, OLD, complete};
use serde_json::{Value, json};
use std::fs::File;
use std::path::Path;

/// A machine with the vendor's software in the standard place finds it where these tests expect nothing.
fn nothing_is_installed_here() -> bool {
    let nothing = !Path::new("/usr/local/Ascend").exists();
    if !nothing {
        eprintln!("skipped: /usr/local/Ascend is there");
    }
    nothing
}

/// A complete library in which this line replaces the definition of a function.
fn with_own(function: &str, definition: &str) -> String {
    let all = complete(OLD);
    let line = all.lines().find(|line| line.starts_with(&format!("aclError {function}("))).unwrap().to_owned();
    all.replacen(&line, definition, 1)
}

#[test]
fn nothing_is_installed() {
    if !nothing_is_installed_here() {
        return;
    }
    let machine = Machine::new("nothing");
    let report = machine.report();
    report.says(
        "no-library",
        1,
        &[
            "No AscendCL library was found.",
            "  none is loaded",
            &format!("  {} (ASCEND_HOME_PATH): no such file or directory", machine.file("lib64/libacl_rt.so")),
            "  /usr/local/Ascend/cann (standard folder): no such file or directory",
            "  libacl_rt.so (dynamic loader): not on its search path",
            "  * no AscendCL library was found in the places of the search",
            &format!("  ASCEND_HOME_PATH={}: this folder is searched", machine.file("").trim_end_matches('/')),
        ],
    );
    report.contains("1. Install the vendor's software (CANN)").contains("use the simulator");
    assert_eq!(report.kinds(), ["not-found"]);
    assert_eq!((&report.json["library"], &report.json["initialised"]), (&Value::Null, &json!(false)));
    let place = json!({
        "path": machine.file("lib64/libacl_rt.so"), "because": "ASCEND_HOME_PATH", "found": "absent"
    });
    assert!(report.json["places"].as_array().unwrap().contains(&place), "{}", report.json);
}

#[test]
fn a_variable_that_leads_nowhere_is_named_first() {
    let home = Machine::new("lost-home").variable("ASCEND_HOME_PATH", "/nonexistent/Ascend").report();
    home.contains("ASCEND_HOME_PATH=/nonexistent/Ascend: this folder does not exist")
        .contains("1. Correct ASCEND_HOME_PATH: the folder /nonexistent/Ascend does not exist.");
    let file = Machine::new("lost-file").variable("ASCENDCL_LIBRARY", "/nonexistent/libacl_rt.so").report();
    file.says("no-library", 1, &["  /nonexistent/libacl_rt.so (ASCENDCL_LIBRARY): no such file or directory"])
        .contains("1. Correct ASCENDCL_LIBRARY, or unset it: /nonexistent/libacl_rt.so does not exist");
    let folder = Machine::new("lost-folder").variable("ASCENDCL_LIBRARY", "/usr").report();
    folder.says("not-loaded", 1, &[]).contains("1. Correct ASCENDCL_LIBRARY, or unset it: /usr is a folder.");
}

#[test]
fn the_simulator() {
    let machine = Machine::new("simulator").variable("ASCENDCL_LIBRARY", "sim").variable("ASCENDCL_SIM_DEVICES", "3");
    let report = machine.variable("ASCENDCL_VERIFY_CURRENT", "1").report();
    report.says(
        "simulator",
        0,
        &[
            "The simulator can be used. No Ascend device is used.",
            "  the simulator inside this program",
            "  product: Simulator910B1",
            "  run mode: host",
            "  devices: 3",
            "  device 2: can be used, 24 AI cores, 8192 MiB of memory, 8192 MiB free",
            "  ASCENDCL_LIBRARY=sim: programs with the feature `sim` use the simulator",
            "  ASCENDCL_SIM_DEVICES=3: an option of the simulator",
            "  ASCENDCL_VERIFY_CURRENT=1: each call compares the current context first, which costs a call each time",
        ],
    );
    assert_eq!(report.kinds(), [""; 0]);
    let json = &report.json;
    assert_eq!(json["library"]["simulator"], true);
    assert_eq!(json["library"]["missing"], json!([]));
    assert!(json["versions"]["packages"]["runtime"].as_str().unwrap().ends_with("simulator"));
    assert!(json["versions"]["interface"].as_str().unwrap().split('.').all(|part| part.parse::<u32>().is_ok()));
    assert_eq!((&json["product"], &json["run_mode"]), (&json!("Simulator910B1"), &json!("host")));
    let usable: Vec<_> = json["devices"].as_array().unwrap().iter().map(|device| &device["usable"]).collect();
    assert_eq!(usable, [&json!(true); 3]);
}

#[test]
fn an_old_library_that_lacks_functions() {
    let (runtime, _) = OLD.split_once("/* A model without inputs and outputs. */").unwrap();
    let machine = Machine::new("old").with("lib64/libascendcl.so", runtime);
    let report = machine.report();
    report.says(
        "incomplete",
        1,
        &[
            "The library lacks functions that every release should have.",
            &format!("  {} (ASCEND_HOME_PATH)", machine.file("lib64/libascendcl.so")),
            "  interface: this release does not tell",
            "  devices: 1",
            "  device 0: can be used",
        ],
    );
    report.contains("aclmdlLoadFromFile").contains(" in libacl_mdl.so or libascendcl.so");
    assert_eq!(report.kinds(), ["missing-functions"]);
    let missing = report.json["library"]["missing"].as_array().unwrap();
    assert!(missing.contains(&json!({
        "function": "aclmdlLoadFromFile", "files": ["libacl_mdl.so", "libascendcl.so"]
    })));
    assert!(!missing.iter().any(|missing| missing["function"] == "aclInit"));
}

#[test]
fn a_complete_library() {
    let version = "aclError aclrtGetVersion(int *major, int *minor, int *patch)
        { *major = 1; *minor = 22; *patch = 333; return 0; }";
    let machine = Machine::new("complete").with("lib64/libacl_rt.so", &(complete(OLD) + version));
    let report = machine.report();
    report.says(
        "ready",
        0,
        &[
            "The library and a device can be used.",
            &format!("  {} (ASCEND_HOME_PATH)", machine.file("lib64/libacl_rt.so")),
            "  interface: 1.22.333",
            "  device 0: can be used, 0 MiB free",
            "  1. Nothing is wrong: programs of the crate `ascendcl` run on this library.",
        ],
    );
    assert_eq!(report.json["library"]["path"], machine.file("lib64/libacl_rt.so"));
}

#[test]
fn a_text_file_that_is_named_like_the_library() {
    let machine = Machine::new("text").with_text("lib64/libascendcl.so", "This is no library, only a text.\n");
    let report = machine.report();
    report.says("not-loaded", 1, &["An AscendCL library was found, but it cannot be loaded.", "  none is loaded"]);
    report
        .contains(&format!("* {} was found but cannot be loaded: ", machine.file("lib64/libascendcl.so")))
        .contains("1. The file is no library for this machine");
    assert_eq!(report.kinds(), ["refused"]);
}

#[test]
fn a_library_for_another_processor() {
    let machine = Machine::new("processor").with("lib64/libacl_rt.so", &complete(OLD));
    let file = machine.file("lib64/libacl_rt.so");
    let mut bytes = std::fs::read(&file).unwrap();
    // The number of the processor in the header of the file: SPARC.
    bytes[18..20].copy_from_slice(&43_u16.to_le_bytes());
    std::fs::write(&file, bytes).unwrap();
    let report = machine.report();
    report.says("not-loaded", 1, &[]).contains("1. The file is no library for this machine");
    report.contains("the file is there, so it may be of another processor");
    assert_eq!(report.kinds(), ["refused"]);
}

#[test]
fn a_library_without_symbols() {
    let report = Machine::new("empty").with("lib64/libascendcl.so", "").report();
    report.says("no-ascendcl", 1, &["The file that was found is not an AscendCL library."]);
    report.contains("  it has none of the ").contains("1. This file is a library, but not one of AscendCL.");
    assert_eq!(report.kinds(), ["missing-functions", "not-initialised"]);
}

#[test]
fn a_library_that_needs_a_file_that_is_not_there() {
    let machine = Machine::new("needs").with("lib64/libascend_hal.so", "int hal(void) { return 0; }");
    let source = machine.file("lib64/libacl_rt.c");
    std::fs::write(&source, "int hal(void); int aclInit(const char *path) { return hal(); }").unwrap();
    let (folder, library) = (machine.file("lib64"), machine.file("lib64/libacl_rt.so"));
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let arguments = ["-shared", "-fPIC", "-o", &library, &source, "-L", &folder, "-lascend_hal"];
    assert!(std::process::Command::new(compiler).args(arguments).status().unwrap().success());
    std::fs::remove_file(machine.file("lib64/libascend_hal.so")).unwrap();
    let report = machine.report();
    report.says("not-loaded", 1, &[]).contains("libascend_hal.so: cannot open shared object file");
    report.contains("1. A file that the library needs is missing.");
}

/// Files of several releases: the loader finds out at the call, and then ends the process.
#[test]
fn a_library_that_needs_a_function_that_is_nowhere() {
    let machine = Machine::new("unbound").with("lib64/libacl_rt.so", "");
    let (source, library) = (machine.file("lib64/libacl_rt.c"), machine.file("lib64/libacl_rt.so"));
    let text = complete(OLD) + "int halNewerThanThis(void); int later(void) { return halNewerThanThis(); }\n";
    std::fs::write(&source, text).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let arguments = ["-shared", "-fPIC", "-w", "-Wl,-z,lazy", "-o", &library, &source];
    assert!(std::process::Command::new(compiler).args(arguments).status().unwrap().success());
    let report = machine.report();
    report.says("ready", 0, &[]).contains("needs a function that no file has").contains("halNewerThanThis");
    report.contains("1. Check that all files of the library and of the driver are of one release");
    assert_eq!(report.kinds(), ["unbound"]);
}

/// The dynamic loader has found the file that the variable names without a folder.
#[test]
fn a_bare_name_that_the_loader_finds() {
    let machine = Machine::new("bare").with("lib64/libacl_rt.so", &complete(OLD));
    let folder = machine.file("lib64");
    let report = machine.variable("ASCENDCL_LIBRARY", "libacl_rt.so").variable("LD_LIBRARY_PATH", &folder).report();
    report.says("ready", 0, &[]).contains("1. Nothing is wrong");
    report.contains("ASCENDCL_LIBRARY=libacl_rt.so: the dynamic loader looks for this file, and no other place is");
    assert!(!report.words.contains("Correct ASCENDCL_LIBRARY"), "{}", report.words);
}

/// A link to itself, as a folder that the user may not read.
#[test]
fn a_place_that_cannot_be_searched() {
    if !nothing_is_installed_here() {
        return;
    }
    let machine = Machine::new("closed");
    let file = machine.file("lib64/libacl_rt.so");
    std::os::unix::fs::symlink("libacl_rt.so", &file).unwrap();
    let report = machine.report();
    report.says("no-library", 1, &[&format!("  {file} (ASCEND_HOME_PATH): this place cannot be searched")]);
    report.contains(&format!("1. Check the permissions of {file}"));
}

#[test]
fn only_a_stub_is_installed() {
    if !nothing_is_installed_here() {
        return;
    }
    let machine = Machine::new("stub").with("devlib/libacl_rt.so", "int aclInit(const char *path) { return 0; }");
    let folder = machine.file("devlib");
    let report = machine.variable("LD_LIBRARY_PATH", &folder).report();
    report.says(
        "not-loaded",
        1,
        &[&format!("  {folder}/libacl_rt.so (LD_LIBRARY_PATH): a stub for linking, which is passed over")],
    );
    report.contains("1. A stub of the toolkit is in the search.");
}

#[test]
fn a_library_that_refuses_to_be_initialised() {
    let source = with_own("aclInit", "aclError aclInit(const char *path) { return 507899; }");
    let report = Machine::new("refuses").with("lib64/libacl_rt.so", &source).report();
    report.says("not-initialised", 1, &["The library cannot be initialised."]);
    report.contains("* could not initialise the library: aclInit answered 507899 (ACL_ERROR_RT_DRV_INTERNAL_ERROR)");
    assert_eq!(report.kinds(), ["not-initialised"]);
}

#[test]
fn a_simulator_with_a_wrong_option() {
    let machine = Machine::new("wrong-option").variable("ASCENDCL_LIBRARY", "sim");
    let report = machine.variable("ASCENDCL_SIM_DEVICES", "two").report();
    report.says("not-initialised", 1, &["  ASCENDCL_SIM_DEVICES=two: an option of the simulator"]);
    report.contains("ASCENDCL_SIM_DEVICES=two: not a number of devices");
    report.contains("1. Correct the variable of the simulator that the error above names.");
    assert!(!report.words.contains("npu-smi"), "{}", report.words);
}

#[test]
fn a_device_that_cannot_be_reached() {
    let source = with_own("aclrtSetDevice", "aclError aclrtSetDevice(int id) { return 507033; }");
    let report = Machine::new("unreachable").with("lib64/libacl_rt.so", &source).report();
    let lines = ["The library works, but no device can be used.", "  device 0: cannot be used"];
    report.says("no-device", 1, &lines);
    report
        .contains("* device 0: could not take device 0: aclrtSetDevice answered 507033 (ACL_ERROR_RT_DEV_SETUP_ERROR)");
    report.contains("npu-smi info");
    assert_eq!(report.kinds(), ["device"]);
    assert_eq!(report.json["devices"][0]["usable"], false);
    assert!(report.json["devices"][0]["error"].as_str().unwrap().contains("507033"));
}

#[test]
fn one_of_two_devices_cannot_be_reached() {
    let machine = Machine::new("one-of-two").variable("ASCENDCL_LIBRARY", "sim");
    let report = machine.variable("ASCENDCL_SIM_FAIL", "aclrtSetDevice#1=507033").report();
    report.says("simulator", 0, &[]);
    report.contains("  device 0: cannot be used").contains("  device 1: can be used").contains("507033");
    assert!(!report.words.contains("Nothing is wrong"), "{}", report.words);
    report.contains("1. Something works. Look at the problems above").contains("ASCENDCL_SIM_FAIL");
    assert_eq!(report.kinds(), ["device"]);
}

#[test]
fn no_device_is_there() {
    let own = "aclError aclrtGetDeviceCount(unsigned *count) { *count = 0; return 0; }";
    let machine = Machine::new("no-device").with("lib64/libacl_rt.so", &with_own("aclrtGetDeviceCount", own));
    let report = machine.variable("ASCEND_RT_VISIBLE_DEVICES", "7").report();
    report.says("no-device", 1, &["  devices: 0", "  * the library finds no device"]);
    report.contains("1. Check ASCEND_RT_VISIBLE_DEVICES=7: it hides the other devices.");
}

#[test]
fn a_library_that_crashes() {
    for (name, source, step) in [
        ("crash-init", "int aclInit(const char *path) { abort(); }", "initialising the library"),
        ("crash-exit", "int aclInit(const char *path) { exit(0); }", "initialising the library"),
        ("crash-load", "__attribute__((constructor)) static void begin(void) { abort(); }", "loading the library"),
        ("crash-null", "int aclInit(const char *path) { return *(volatile int *)0; }", "initialising the library"),
    ] {
        let source = format!("#include <stdlib.h>\n{source}\n");
        let report = Machine::new(name).with("lib64/libacl_rt.so", &source).report();
        report.says("crashed", 1, &["The library ended the process that tried it."]);
        report.contains(&format!("* the library ended the process while {step}: "));
        assert_eq!(report.json["step"], step);
        assert_eq!(report.kinds().last(), Some(&"crashed"));
    }
}

#[test]
fn a_library_that_crashes_when_the_process_ends() {
    let end = "__attribute__((destructor)) static void end(void) { abort(); }\n";
    let report = Machine::new("crash-end").with("lib64/libacl_rt.so", &(complete(OLD) + end)).report();
    report
        .says("crashed", 1, &["  device 0: can be used, 0 MiB free"])
        .contains("the library ended the process while the process was ending: ");
}

#[test]
fn a_library_that_does_not_come_back() {
    let own = "extern unsigned sleep(unsigned); aclError aclrtSetDevice(int id) { for (;;) sleep(9); }";
    let machine = Machine::new("hangs").with("lib64/libacl_rt.so", &with_own("aclrtSetDevice", own));
    let report = machine.argument("--timeout").argument("3").report();
    report.says("timed-out", 1, &["The library did not come back.", "  devices: 1"]);
    report.contains("within 3 s while taking device 0 and creating a context on it");
    assert_eq!(report.kinds(), ["timed-out"]);
}

#[test]
fn a_library_that_writes_to_the_outputs() {
    let own = "#include <stdio.h>\n#include <unistd.h>\n\
        aclError aclInit(const char *path) { printf(\"no end of line\"); fflush(stdout); \
        fprintf(stderr, \"the driver is too old\\n\"); close(1); return 507899; }";
    let report = Machine::new("noise").with("lib64/libacl_rt.so", &with_own("aclInit", own)).report();
    // Without its output the second process cannot tell how far it came.
    report.says("crashed", 1, &["    | the driver is too old"]).contains("while initialising the library");
    let own = own.replace("close(1); return 507899", "return 0");
    let report = Machine::new("noise-alone").with("lib64/libacl_rt.so", &with_own("aclInit", &own)).report();
    report.says("ready", 0, &[]);
    assert_eq!(report.json["said"], json!(["the driver is too old"]));
}

#[test]
fn a_library_that_writes_without_end() {
    let own = "#include <stdio.h>\naclError aclInit(const char *path) { for (;;) { puts(\"no\"); fprintf(stderr, \"no\\n\"); } }";
    let machine = Machine::new("endless").with("lib64/libacl_rt.so", &with_own("aclInit", own));
    let report = machine.argument("--timeout").argument("3").report();
    report.says("timed-out", 1, &[]).contains("while initialising the library");
    assert_eq!(report.json["said"], json!(vec!["no"; 20]));
}

#[test]
fn arguments() {
    let machine = Machine::new("arguments");
    let help = machine.command().arg("--help").output().unwrap();
    assert!(help.status.success() && String::from_utf8(help.stdout).unwrap().contains("Usage: ascendcl-doctor"));
    for wrong in [&["--jsno"][..], &["--timeout"], &["--timeout", "soon"], &["file"]] {
        let output = machine.command().args(wrong).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(String::from_utf8(output.stderr).unwrap().starts_with("ascendcl-doctor: "), "{wrong:?}");
    }
}

#[test]
fn a_report_that_cannot_be_written_is_a_failure_and_no_panic() {
    let machine = Machine::new("full").variable("ASCENDCL_LIBRARY", "sim");
    let output = machine.command().stdout(File::create("/dev/full").unwrap()).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(1), &b""[..]));
}
