//! The floors of the sources: imports run in one direction, and only the listed files have unsafe code.
//!
//! An entry of `src` is a file or a folder. Each entry is on its own floor and imports only entries that are listed
//! before it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod graph;
mod names;
mod proof;
mod safety;

use graph::{File, Graph};
use std::path::{Path, PathBuf};

/// The entries of the safe layer's `src`, from the ground up.
const FLOORS: [&str; 42] = [
    "panics",
    "brand",
    "code",
    "element",
    "life_cycle",
    "run_mode",
    "capture_mode",
    "model_size",
    "ends_before",
    "attribute",
    "device_allocator",
    "library_user",
    "error",
    "trace",
    "undelivered",
    "callback_guard",
    "ffi",
    "properties",
    "library",
    "version",
    "thread",
    "ledger",
    "current",
    "foreign",
    "allocator",
    "memory",
    "event",
    "stream",
    "model",
    "operator",
    "lane",
    "capture",
    "raw",
    "acl",
    "context",
    "device",
    "recover",
    "run",
    "runtime",
    "peer",
    "elsewhere",
    "",
];

/// The entries of the `src` of the graph engine's crate, from the ground up.
const FLOORS_OF_THE_GRAPH_ENGINE: [&str; 9] =
    ["marks", "kinds", "error", "graph_source", "raw_tensors", "ffi", "session", "engine", ""];

/// Files and folders of the simulator's `src`, from the ground up. A file stands where the longest of these names says
/// that begins its own.
const FLOORS_OF_THE_SIMULATOR: [&str; 35] = [
    "failure",
    "locks",
    "abi",
    "config",
    "model",
    "media",
    "machine/live",
    "machine/trouble",
    "machine/handles",
    "machine/device",
    "machine/thread",
    "machine/sharing",
    "machine/memory",
    "machine/watch",
    "machine/workers",
    "machine/recording",
    "machine/streams",
    "machine/capture",
    "machine/callbacks",
    "machine/contexts",
    "machine/event",
    "machine/signals",
    "machine/instances",
    "machine/allocators",
    "machine/models",
    "machine/operators",
    "machine/descriptions",
    "machine/host",
    "machine/life",
    "machine/growth",
    "faults",
    "calls",
    "shells",
    "control",
    "",
];

/// Files outside of `ffi` in which the word `unsafe` stands: they declare, and have no block.
const DECLARE: [&str; 12] = [
    "allocator/descriptor",
    "allocator/pool",
    "brand/threads",
    "device_allocator",
    "element",
    "library",
    "raw/adopt",
    "raw/allocator_slot",
    "raw/attach",
    "raw/submit",
    "raw/work",
    "stream/allocator",
];

/// The same in the graph engine's crate.
const DECLARE_IN_THE_GRAPH_ENGINE: [&str; 3] = ["graph_source", "marks", "raw_tensors"];

/// A text that begins like the name of a C function, with its file: a type.
const NO_NAMES_OF_THE_TABLE: [(&str, &str); 1] = [("element", "aclDataType {number}")];

/// No circle has more files.
const CIRCLE: usize = 3;

/// No file has more lines, but for these.
const LINES: usize = 400;

/// `error/mod.rs` is one enum: a reader looks for a variant with its message in one list.
const LONG: [&str; 1] = ["src/error/mod.rs"];

fn source_of(krate: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(krate).join("src")
}

fn entry(file: &File) -> &str {
    file.split('/').next().unwrap()
}

/// Whether the file is this one, or in this folder.
fn is_in(file: &File, place: &str) -> bool {
    file.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn folder(file: &File) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The root stands on a floor of its own.
fn floor(floors: &[&str], file: &File) -> usize {
    let holds = |floor: &str| if floor.is_empty() { file.is_empty() } else { is_in(file, floor) };
    let place = (0..floors.len()).filter(|at| holds(floors[*at])).max_by_key(|at| floors[*at].len());
    place.unwrap_or_else(|| panic!("`{file}` has no floor: say in the list of floors where it stands"))
}

/// Arrows that run up, in words.
fn upward(krate: &str, floors: &[&str], graph: &Graph) -> Vec<String> {
    let arrows = graph.iter().flat_map(|(file, targets)| targets.iter().map(move |target| (file, target)));
    let up = arrows.filter(|(file, target)| floor(floors, file) < floor(floors, target));
    let source = Path::new(krate).join("src");
    up.map(|(file, target)| {
        let [file, target] = [file, target].map(|name| source.join(name).display().to_string());
        format!("{file} imports {target}, which stands above it")
    })
    .collect()
}

/// The folders that a file is in: the one that it lies in, and its own, if it has one.
fn rooms<'g>(graph: &'g Graph, file: &'g File) -> Vec<&'g str> {
    let own = graph.keys().any(|other| folder(other) == file).then_some(file.as_str());
    [folder(file)].into_iter().chain(own).collect()
}

/// Circles that are too long, or whose files have no folder in common.
fn knots(krate: &str, graph: &Graph) -> Vec<String> {
    let together = |circle: &[File]| {
        rooms(graph, &circle[0]).iter().any(|room| circle.iter().all(|file| rooms(graph, file).contains(room)))
    };
    let circles = graph::circles(graph);
    let bad = circles.iter().filter(|circle| circle.len() > CIRCLE || !together(circle));
    bad.map(|circle| format!("{krate}/src: a circle of {}: {}", circle.len(), circle.join(", "))).collect()
}

#[test]
fn imports_of_the_safe_layer_run_down() {
    let up = upward("", &FLOORS, &graph::of(&source_of("")));
    assert!(up.is_empty(), "\n{}\n", up.join("\n"));
}

#[test]
fn imports_of_the_simulator_run_down() {
    let up = upward("sim", &FLOORS_OF_THE_SIMULATOR, &graph::of(&source_of("sim")));
    assert!(up.is_empty(), "\n{}\n", up.join("\n"));
}

#[test]
fn imports_of_the_graph_engine_run_down() {
    let up = upward("ge", &FLOORS_OF_THE_GRAPH_ENGINE, &graph::of(&source_of("ge")));
    assert!(up.is_empty(), "\n{}\n", up.join("\n"));
}

#[test]
fn no_circle_of_imports_is_long_or_crosses_folders() {
    let knots: Vec<_> = ["", "sys", "rules", "macros", "ge", "ge/sys", "sim"]
        .iter()
        .flat_map(|krate| knots(krate, &graph::of(&source_of(krate))))
        .collect();
    assert!(knots.is_empty(), "\n{}\n", knots.join("\n"));
}

/// The word, outside of comments and texts, and outside of the lint's name.
fn says_unsafe(text: &str) -> bool {
    let code = text.lines().map(|line| line.split("//").next().unwrap());
    code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')).any(|word| word == "unsafe")
}

#[test]
fn unsafe_blocks_are_in_ffi_and_declarations_where_they_are_listed() {
    assert_eq!(declaring("", "unsafe {"), (DECLARE.map(File::from).to_vec(), Vec::new()));
    let in_the_graph_engine = DECLARE_IN_THE_GRAPH_ENGINE.map(File::from).to_vec();
    assert_eq!(declaring("ge", "unsafe {"), (in_the_graph_engine, Vec::new()));
}

/// The files outside of `ffi` with unsafe declarations, and those with blocks.
fn declaring(krate: &str, block: &str) -> (Vec<File>, Vec<File>) {
    let root = source_of(krate);
    let graph = graph::of(&root);
    let read = |file: &File| {
        let plain = root.join(format!("{file}.rs"));
        std::fs::read_to_string(&plain).or_else(|_| std::fs::read_to_string(root.join(file).join("mod.rs"))).unwrap()
    };
    let above = graph.keys().filter(|file| !file.is_empty() && entry(file) != "ffi");
    let (mut declare, mut blocks) = (Vec::new(), Vec::new());
    for file in above {
        let text = read(file);
        declare.extend(says_unsafe(&text).then(|| file.clone()));
        let code: String = text.lines().map(|line| line.split("//").next().unwrap()).collect();
        blocks.extend(code.contains(block).then(|| file.clone()));
    }
    (declare, blocks)
}

#[test]
fn names_of_c_functions_come_from_the_table() {
    let found = names::of(&source_of(""), |names| names.texts);
    let found: Vec<_> = found.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    assert_eq!(found, NO_NAMES_OF_THE_TABLE, "take the name from `call!`, or from `ffi::call::functions`");
}

#[test]
fn ffi_has_nothing_that_users_of_the_crate_name() {
    for krate in ["", "ge"] {
        let found = names::of(&source_of(krate), |names| names.given_from_ffi);
        assert_eq!(found, [], "a public type stands by its subject");
    }
}

#[test]
fn the_library_is_called_by_the_macro_that_checks_what_a_call_needs() {
    assert_eq!(names::of(&source_of(""), |names| names.methods), [], "call it by `call!`");
}

#[test]
fn each_comment_over_unsafe_code_states_its_reason_itself() {
    let is_not_the_reader = |path: &PathBuf| !path.ends_with("tests/floors/safety.rs");
    let files = rust_files(Path::new(env!("CARGO_MANIFEST_DIR"))).into_iter().filter(is_not_the_reader);
    let mut bad: Vec<_> = files.flat_map(|file| safety::without_a_reason(&file)).collect();
    bad.sort();
    assert!(bad.is_empty(), "\n{}\n", bad.join("\n"));
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    files_that_end(folder, &["rs"])
}

/// The files in this folder with one of these endings, without those that builds put there.
fn files_that_end(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        !name.starts_with('.') && name != "target"
    };
    let inside = |path: PathBuf| if path.is_dir() { files_that_end(&path, endings) } else { vec![path] };
    let has_it = |path: &PathBuf| path.extension().is_some_and(|own| endings.iter().any(|ending| own == *ending));
    entries.filter(is_ours).flat_map(inside).filter(has_it).collect()
}

#[test]
fn files_are_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_long = |path: &PathBuf| std::fs::read_to_string(path).unwrap().lines().count() > LINES;
    let long = files_that_end(root, &["rs", "c", "cpp", "h", "py", "sh"]).into_iter().filter(is_long);
    let mut long: Vec<_> = long.map(|path| path.strip_prefix(root).unwrap().display().to_string()).collect();
    long.sort();
    assert_eq!(long, LONG, "split the file, or say here why it is one");
}

mod the_reader {
    use super::*;

    fn graph_of(files: &[(&str, &str)]) -> Graph {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("floors-{:?}", std::thread::current().id()));
        let _ = std::fs::remove_dir_all(&folder);
        for (name, text) in files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        graph::of(&folder)
    }

    #[test]
    fn follows_names_that_are_given_on_and_finds_circles_across_folders() {
        let graph = graph_of(&[
            ("lib.rs", "mod ledger; mod ffi; pub use ffi::Raw;"),
            ("ffi/mod.rs", "mod raw; pub use raw::Raw;"),
            ("ffi/raw.rs", "use crate::ledger::Row; pub struct Raw(Row);"),
            (
                "ledger.rs",
                "use crate::ffi::{self, Raw as Other}; #[cfg(test)] mod tests { use super::*; use crate::Gone; }",
            ),
        ]);
        assert_eq!(graph["ledger"].iter().collect::<Vec<_>>(), ["ffi", "ffi/raw"]);
        assert_eq!(graph["ffi/raw"].iter().collect::<Vec<_>>(), ["ledger"]);
        assert_eq!(knots("made", &graph), ["made/src: a circle of 2: ffi/raw, ledger"]);
        assert_eq!(upward("", &FLOORS, &graph), ["src/ffi/raw imports src/ledger, which stands above it"]);
    }

    #[test]
    fn sees_paths_in_the_code_and_modules_inside_a_file() {
        let graph = graph_of(&[
            ("lib.rs", "mod code; mod error; mod run;"),
            ("code.rs", "fn text() -> crate::error::Text { loop {} }"),
            ("error.rs", "mod inner { pub(crate) fn up() { super::super::run::now() } }"),
            ("run.rs", "pub(crate) fn now() {}"),
        ]);
        assert_eq!(graph["code"].iter().collect::<Vec<_>>(), ["error"]);
        assert_eq!(graph["error"].iter().collect::<Vec<_>>(), ["run"]);
        assert_eq!(graph["run"].len(), 0);
    }

    #[test]
    fn finds_the_floor_of_a_folder_inside_another() {
        let graph = graph_of(&[
            ("lib.rs", "mod machine;"),
            ("machine/mod.rs", "mod high; mod low;"),
            ("machine/high.rs", "use crate::machine::low; pub(in crate::machine) fn up() {}"),
            ("machine/low/mod.rs", "mod deep;"),
            ("machine/low/deep.rs", "use crate::machine::high::up;"),
        ]);
        let up = upward("made", &["machine/low", "machine/high", ""], &graph);
        assert_eq!(up, ["made/src/machine/low/deep imports made/src/machine/high, which stands above it"]);
    }
}

#[test]
fn the_lines_that_the_proof_is_about_are_in_the_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/proof.md")).unwrap();
    assert!(proof::names(&page).len() > 40, "the table is not read");
    let unknown = proof::unknown(&page, &[&root.join("src/ffi"), &root.join("src/stream")]);
    assert_eq!(unknown, Vec::<String>::new(), "`docs/proof.md` names what is not there");
}
