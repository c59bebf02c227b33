//! What the tests share.
#![allow(clippy::unwrap_used)]
#![allow(unreachable_pub)]
#![allow(dead_code, reason = "each test file uses a part")]

use ascendcl::{Acl, Library};
use ascendcl_sim::control;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard};

/// The simulator is one per process: a test that looks at what is alive has it alone.
pub struct Alone {
    _guard: MutexGuard<'static, ()>,
}

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

pub fn alone() -> Alone {
    let guard = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    control::reset();
    Alone { _guard: guard }
}

impl Alone {
    /// Nothing of the library is left.
    #[track_caller]
    pub fn assert_nothing_lives(&self) {
        assert_eq!(control::live(), control::Live::default(), "objects that are still alive");
    }
}

pub fn acl() -> Acl {
    Acl::init(Library::Simulator).unwrap()
}

pub fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data").join(file)
}

/// Labels and pixels of the held-out digits.
pub fn digits() -> (Vec<usize>, Vec<f32>) {
    let text = std::fs::read_to_string(data("digits-test.csv")).unwrap();
    let (mut labels, mut pixels) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut numbers = line.split(',');
        labels.push(numbers.next().unwrap().parse().unwrap());
        pixels.extend(numbers.map(|pixel| pixel.parse::<f32>().unwrap()));
    }
    (labels, pixels)
}

/// A library that does nothing, compiled with the system's C compiler.
pub fn null_library() -> PathBuf {
    c_library("null-library", include_str!("../null/library.c"))
}

/// Compiles C source text to a `libascendcl.so` in a folder of its own.
pub fn c_library(name: &str, source: &str) -> PathBuf {
    let folder = scratch(name);
    let (file, library) = (folder.join("library.c"), folder.join("libascendcl.so"));
    std::fs::write(&file, source).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let built = Command::new(&compiler).args(["-shared", "-fPIC", "-O2", "-o"]).arg(&library).arg(&file).status();
    assert!(built.is_ok_and(|status| status.success()), "the C compiler `{compiler}` is needed for this test");
    library
}

/// A folder for the files of one test.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
