//! Helpers that several tests share.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![allow(unreachable_pub)]
#![allow(dead_code, unused_imports, reason = "each test file uses a part")]

pub mod allocators;
mod built;
mod futures;
pub mod onnx;
pub mod plans;
pub mod scopes;

pub use built::{example, examples, shared_simulator};
pub use futures::block_on;
pub use onnx::{difference, difference_of, negated_image, positions, product};

#[path = "../../examples/digits/mod.rs"]
pub(crate) mod images;

use ascendcl::{Acl, Library, runtime};
use ascendcl_sim::{Checks, Config, control};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// A lock on the simulator, which is one per process. A test that counts live objects needs it for itself.
pub struct Alone {
    _guard: MutexGuard<'static, ()>,
}

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

pub fn alone() -> Alone {
    let guard = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // What a failed test has left is of the simulator's devices as they are now.
    drop(runtime::sweep(Some(Duration::from_secs(1))));
    control::reset();
    control::configure(under_watch(Config::new())).unwrap();
    control::take_findings();
    plans::forget();
    if cfg!(miri) {
        // A panic while another one unwinds prints its callers, whatever `RUST_BACKTRACE` is. That takes minutes here.
        std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    }
    Alone { _guard: guard }
}

/// For a recovery that gives the device back: a busy machine needs longer than the tests that lose one.
pub const IN_TIME: Duration = Duration::from_secs(1);

/// For a test that finalises the library over what was lost. That breaks a rule: here it is a finding and no error, also
/// with `ASCENDCL_SIM=strict`.
pub fn alone_and_only_watched() -> Alone {
    let alone = alone();
    control::configure(Config::new().checks(Checks::Report)).unwrap();
    alone
}

/// Breaking a rule is a finding. With `ASCENDCL_SIM=strict` the call fails, too.
pub fn under_watch(config: Config) -> Config {
    let strict = std::env::var("ASCENDCL_SIM").is_ok_and(|mode| mode.split(',').any(|word| word.trim() == "strict"));
    config.checks(if strict { Checks::Strict } else { Checks::Report })
}

impl Alone {
    /// Asserts that no object of the library is left, and that no call of the safe layer broke a rule.
    #[track_caller]
    pub fn assert_nothing_lives(&self) {
        assert_nothing_found();
        assert_eq!(control::live(), control::Live::default(), "objects that are still alive");
    }

    /// Asserts that nothing was found but the end of the library over objects that were given up, and takes that. Strict
    /// checks refuse that end, and what is found then is the same.
    #[track_caller]
    pub fn assert_nothing_but_the_end_was_found(&self) {
        let found = control::take_findings();
        assert!(found.iter().all(|finding| finding.call.name.starts_with("aclFinalize")), "{found:?}");
    }
}

/// A test that looks for nothing at its end has broken no rule either, and what it planned came.
impl Drop for Alone {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            plans::assert_kept();
            assert_nothing_found();
        }
    }
}

#[track_caller]
fn assert_nothing_found() {
    let found: Vec<_> = control::take_findings().iter().map(ToString::to_string).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Asserts how many objects of a kind live in the simulator. Of another library nobody can say.
#[allow(unused_macros, reason = "each test file uses a part")]
macro_rules! assert_lives {
    ($kind:ident, $($expected:tt)*) => {
        if matches!($crate::common::library(), ascendcl::Library::Simulator) {
            assert_eq!(ascendcl_sim::control::live().$kind, $($expected)*);
        }
    };
}
pub(crate) use assert_lives;

pub fn acl() -> Acl {
    Acl::init(library()).unwrap()
}

pub fn data(file: &str) -> PathBuf {
    images::data(file)
}

/// Labels and pixels of the held-out digits.
pub fn digits() -> (Vec<usize>, Vec<f32>) {
    let images::Digits { labels, pixels } = images::Digits::read().unwrap();
    (labels, pixels)
}

/// The index of the largest number: the digit that a model sees in an image.
pub fn largest(numbers: &[f32]) -> usize {
    images::most_likely(numbers)
}

/// The digit that a model sees in each image.
pub fn predictions(probabilities: &[f32]) -> Vec<usize> {
    probabilities.chunks(images::CLASSES).map(largest).collect()
}

/// The library that the tests run on: the simulator, or the file that `ASCENDCL_TESTS_ON` names
/// (`tools/tests-on.sh`).
pub fn library() -> Library {
    std::env::var_os("ASCENDCL_TESTS_ON").map_or(Library::Simulator, library_at)
}

/// A library that does nothing, compiled with the system's C compiler.
pub fn null_library() -> PathBuf {
    c_library("null-library", include_str!("../null/library.c"))
}

/// The library that does nothing, whose models have an input `x` and an output `y`. `ports` is C source text: shapes,
/// types, sizes, buffers and descriptions of these.
pub fn library_with_ports(name: &str, ports: &str) -> PathBuf {
    let mut source = include_str!("../null/library.c").to_owned();
    for function in ["aclmdlGetNumInputs", "aclmdlGetNumOutputs"] {
        let none = format!("size_t {function}(handle desc) {{ (void)desc; return 0; }}");
        assert!(source.contains(&none), "{function}");
        source = source.replace(&none, &none.replace("return 0", "return 1"));
    }
    c_library(name, &(source + PORTS + ports))
}

const PORTS: &str = r#"
    struct dims { char name[128]; size_t count; int64_t sizes[128]; };
    const char *aclmdlGetInputNameByIndex(handle d, size_t i) { (void)d; (void)i; return "x"; }
    const char *aclmdlGetOutputNameByIndex(handle d, size_t i) { (void)d; (void)i; return "y"; }
    int aclmdlGetInputFormat(handle d, size_t i) { (void)d; (void)i; return 2; }
    int aclmdlGetOutputFormat(handle d, size_t i) { (void)d; (void)i; return 2; }
    aclError aclDestroyDataBuffer(handle b) { (void)b; return 0; }
    aclError aclmdlAddDatasetBuffer(handle d, handle b) { (void)d; (void)b; return 0; }
"#;

/// The library in a file that a test created.
pub fn library_at(path: impl Into<PathBuf>) -> Library {
    // SAFETY: the file is absent, or not a library, or compiled from a source of these tests, which has the vendor's
    // signatures and no initialisers, or who runs the tests says that it is a library with these signatures.
    unsafe { Library::at(path) }
}

/// Compiles C source text to a `libascendcl.so` in its own folder.
pub fn c_library(name: &str, source: &str) -> PathBuf {
    // An existing library is never changed, because tests in other processes may have loaded it.
    let mut version = DefaultHasher::new();
    source.hash(&mut version);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{:016x}", version.finish()));
    let library = folder.join("libascendcl.so");
    if !library.exists() {
        std::fs::create_dir_all(&folder).unwrap();
        let own = library.with_file_name(format!("{}.so", std::process::id()));
        compiled(source, &own);
        let linked = std::fs::hard_link(&own, &library);
        assert!(linked.is_ok() || library.exists(), "{linked:?}");
        std::fs::remove_file(own).unwrap();
    }
    library
}

/// Compiles C source text to a shared object.
pub fn compiled(source: &str, library: &Path) {
    let file = library.with_extension("c");
    std::fs::write(&file, source).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let built = Command::new(&compiler).args(["-shared", "-fPIC", "-O2", "-o"]).arg(library).arg(&file).status();
    assert!(built.is_ok_and(|status| status.success()), "the C compiler `{compiler}` is needed for this test");
}

/// A folder for the files of one test. Cargo says where it is, or who runs a test several times at once, and gives each run
/// a folder of its own.
pub fn scratch(name: &str) -> PathBuf {
    let here = std::env::var_os("CARGO_TARGET_TMPDIR").unwrap_or_else(|| env!("CARGO_TARGET_TMPDIR").into());
    let folder = Path::new(&here).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The digits model with a fixed batch size of at most 127. The word `batch` in the file is replaced by a number of the
/// same length.
pub fn digits_in_batches_of(size: u8) -> Vec<u8> {
    let mut model = std::fs::read(data("digits.onnx")).unwrap();
    let (word, number) = (*b"\x12\x05batch", [0x08, 0x80 | size, 0x80, 0x80, 0x80, 0x80, 0x00]);
    let places: Vec<usize> = (0..model.len() - 7).filter(|at| model[*at..*at + 7] == word).collect();
    assert_eq!(places.len(), 2, "one input and one output");
    for at in places {
        model[at..at + 7].copy_from_slice(&number);
    }
    model
}

/// The digits model, compiled for these batch sizes only.
pub fn digits_compiled_for(batches: &str) -> Vec<u8> {
    let file = std::fs::read(data("digits.onnx")).unwrap();
    [file, onnx::metadata("ascendcl.dynamic_batch", batches)].concat()
}
