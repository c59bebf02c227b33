//! Compiles the shim against an installed toolkit's headers, if there is one. The crate gets the shim's place, or the
//! reason why there is no shim; loading reports it.

#![allow(clippy::expect_used, clippy::panic, reason = "a build script reports by failing")]

include!("shim/compile.rs");

use std::env;

/// The header of the engine's sessions, below the folder of an installation.
const HEADER: &str = "include/ge/ge_api.h";

fn main() {
    for file in ["build.rs", "shim"] {
        println!("cargo:rerun-if-changed={file}");
    }
    for variable in ascendcl_sys::VARIABLES.into_iter().chain(["HOME", "CXX"]) {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    let homes: Vec<_> = ascendcl_sys::homes().into_iter().map(|home| home.path).collect();
    // Cargo would run this at each build if it were told of a header that does not exist. So the error of a program
    // without a shim says how to run this again.
    if let Some(home) = homes.iter().find(|home| home.join(HEADER).exists()) {
        println!("cargo:rerun-if-changed={}", home.join(HEADER).display());
        let shim = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names it")).join("libascendcl_ge.so");
        if let Err(reason) = shim_against(home, &shim) {
            panic!("the graph engine's headers in {} do not fit: {reason}", home.display());
        }
        println!("cargo:rustc-env=ASCENDCL_GE_SHIM={}", shim.display());
    }
    let looked: Vec<_> = homes.iter().map(|home| home.display().to_string()).collect();
    println!("cargo:rustc-env=ASCENDCL_GE_LOOKED={}", looked.join(":"));
}

fn shim_against(home: &Path, to: &Path) -> Result<(), String> {
    let (headers, libraries) = (home.join("include"), home.join("lib64"));
    // Which of these a release has, and which of them holds what, has changed between releases.
    let names = ["ge_runner", "fmk_onnx_parser", "graph", "graph_base", "metadef"];
    let there: Vec<_> = names.into_iter().filter(|name| libraries.join(format!("lib{name}.so")).exists()).collect();
    let external = headers.join("external");
    let object = SharedObject {
        sources: &["shim/ascendcl_ge.cpp".into()],
        includes: &["shim".into(), headers, external],
        libraries: Some((&libraries, &there)),
    };
    object.make(to)
}
