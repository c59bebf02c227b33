//! Makes the double's libraries, and the shim against the double's headers: as on a machine with the toolkit.

#![allow(clippy::expect_used, reason = "a build script reports by failing")]

include!("../sys/shim/compile.rs");

use std::env;

fn main() {
    for folder in ["build.rs", "cpp", "include", "../sys/shim"] {
        println!("cargo:rerun-if-changed={folder}");
    }
    println!("cargo:rerun-if-env-changed=CXX");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names it"));
    // Without a compiler the workspace still builds; a program that needs the double gets an error.
    let missing = make(&out).err().unwrap_or_default();
    println!("cargo:rustc-env=GE_DOUBLE={}", out.display());
    println!("cargo:rustc-env=GE_DOUBLE_MISSING={}", missing.replace('\n', " | "));
}

fn make(out: &Path) -> Result<(), String> {
    let own: [PathBuf; 2] = ["include".into(), "cpp".into()];
    let parser = SharedObject { sources: &["cpp/onnx_parser.cpp".into()], includes: &own, libraries: None };
    parser.make(&out.join("libfmk_onnx_parser.so"))?;
    let sources = ["cpp/ge_runner.cpp", "cpp/objects.cpp", "cpp/control.cpp", "cpp/acl.cpp"].map(PathBuf::from);
    let runner = SharedObject { sources: &sources, includes: &own, libraries: None };
    runner.make(&out.join("libge_runner.so"))?;
    let wrapper = SharedObject {
        sources: &["cpp/ge_runtime_wrapper.cpp".into()],
        includes: &own,
        libraries: Some((out, &["ge_runner"])),
    };
    wrapper.make(&out.join("libge_runtime_wrapper.so"))?;
    let old = SharedObject { sources: &["cpp/old_wrapper.cpp".into()], includes: &own, libraries: None };
    old.make(&out.join("libge_runtime_wrapper_old.so"))?;
    let shim = SharedObject {
        sources: &["../sys/shim/ascendcl_ge.cpp".into()],
        includes: &["include".into()],
        libraries: Some((out, &["ge_runner", "fmk_onnx_parser"])),
    };
    shim.make(&out.join("libascendcl_ge.so"))
}
