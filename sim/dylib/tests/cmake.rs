//! A project of CMake's finds the library, laid out as an installation, in the ways that build files use.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod library;

use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn a_cmake_project_finds_the_library_in_every_folder_and_under_every_name() {
    if Command::new("cmake").arg("--version").output().is_err() {
        eprintln!("skipped: this test needs `cmake`, and it cannot be started here");
        return;
    }
    let home = installed("cmake");
    let build = scratch("cmake/build");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmake");
    run(Command::new("cmake").arg("-S").arg(source).arg("-B").arg(&build).env("CMAKE_PREFIX_PATH", &home), &home);
    run(Command::new("cmake").arg("--build").arg(&build).arg("--parallel").arg("2"), &home);

    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data");
    for program in ["by_package", "by_folder", "by_variables", "by_name_1"] {
        let mut program = Command::new(build.join(program));
        program.args([data.join("digits.onnx"), data.join("digits-test.csv")]);
        let said = run(program.env("LD_LIBRARY_PATH", home.join("runtime/lib64")), &home);
        assert!(said.contains(ascendcl_sim::SOC_NAME_MARK), "{said}");
    }
}

/// The file sets what a program needs to be built and run.
#[test]
fn the_environment_file_of_the_installation_names_it() {
    let home = installed("environment");
    let script =
        format!(". '{}' && printf '%s ' \"$ASCEND_HOME_PATH\" \"$LD_LIBRARY_PATH\"", home.join("set_env.sh").display());
    let said = run(Command::new("sh").args(["-eu", "-c", &script]).env_remove("LD_LIBRARY_PATH"), &home);
    assert_eq!(said, format!("{0} {0}/lib64 ", home.canonicalize().unwrap().display()));
}

/// The library laid out, with a header that stands for the vendor's.
fn installed(test: &str) -> PathBuf {
    let (home, headers) = (scratch(&format!("{test}/toolkit")), scratch(&format!("{test}/headers")));
    std::fs::create_dir_all(headers.join("acl")).unwrap();
    std::fs::write(headers.join("acl/acl.h"), "").unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/install-simulator.sh");
    let mut install = Command::new("sh");
    run(install.arg(script).arg("--headers").arg(headers).arg(&home).arg(library::path()), &home);
    home
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// What the program printed; it ended well.
#[track_caller]
fn run(program: &mut Command, home: &Path) -> String {
    program.env("ASCEND_HOME_PATH", home).env("DDK_PATH", home).env("NPU_HOST_LIB", home.join("acllib/lib64/stub"));
    let output = program.output().unwrap();
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{program:?}\n{}\n{}", said[0], said[1]);
    said[0].clone()
}
