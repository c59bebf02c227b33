//! Following the compiler's suggestions for a refused program gives a program that is refused, too, or that is correct.
//!
//! Changes that the compiler calls applicable by a machine are applied, as `cargo fix` does, until none are left.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use rustfix::{CodeFix, Filter, get_suggestions_from_json};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs that compile when the suggestions are followed, and why that is right.
const RIGHT: &[(&str, &str)] = &[
    ("allocator_by_reference", "the allocator itself moves into the stream"),
    // For these two the compiler restricts a type parameter to `Copy`. No two values of an allocator may hand out the
    // same memory, which the implementation of the unsafe trait guarantees: a type that is `Copy` has no memory.
    ("graph_allocator_on_two_streams", "an allocator that is `Copy` has no memory"),
    ("one_allocator_on_two_streams", "an allocator that is `Copy` has no memory"),
    ("helper_without_the_bound_of_allocators", "the parameter is said to be an allocator"),
    ("helper_without_the_bound_of_contexts", "the parameter is said to be a context"),
    (
        "host_buffer_read_in_a_generic_helper",
        "the helper is for scopes only, where buffers do not outlive their memory",
    ),
    (
        "host_buffer_written_in_a_generic_helper",
        "the helper is for scopes only, where buffers do not outlive their memory",
    ),
    ("helper_for_streams_of_any_state_executes", "the streams of the helper are said to have decided"),
    ("job_without_the_bound_of_contexts", "the parameter is said to be a context"),
    ("operator_input_by_reference", "the operator has the tensor itself"),
    ("service_without_the_bound_of_names", "the parameter is said to be a name"),
    ("work_awaited_without_its_stream", "the work is dropped, and its buffer is freed when it is over"),
    ("work_of_a_loop_awaited_without_streams", "the work is dropped, and its buffers are freed when it is over"),
    ("shared_memory_read_by_a_name_that_is_in_flight", "each reader has a name of its own"),
    ("struct_uploaded_by_a_generic_helper", "the elements are said to be numbers"),
];

struct Project {
    folder: PathBuf,
    target: PathBuf,
}

impl Project {
    /// A project of this name, which no other test has. Each refused program is a binary of its own. What they depend on was compiled for their twins already.
    fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (folder, target) = (scratch.join("suggestions").join(name), scratch.join("twins/target"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("src/bin")).unwrap();
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        let package = "[workspace]\n[package]\nname = \"suggestions\"\nversion = \"0.0.0\"\nedition = \"2024\"\n";
        let (own, graph_engine) = (format!("{{ path = {root:?}, features = [\"sim\"] }}"), root.join("ge"));
        let dependency = format!("[dependencies]\nascendcl = {own}\nascendcl-ge = {{ path = {graph_engine:?} }}\n");
        fs::write(folder.join("Cargo.toml"), [package, &dependency].concat()).unwrap();
        Self { folder, target }
    }

    fn program(&self, name: &str) -> PathBuf {
        self.folder.join(format!("src/bin/{name}.rs"))
    }

    /// The messages of the compiler about each program, as JSON; and which programs it refused.
    fn check(&self, programs: &BTreeSet<String>) -> (BTreeMap<String, Vec<String>>, BTreeSet<String>) {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["check", "--offline", "--quiet", "--keep-going", "--message-format=json"]);
        cargo.args(programs.iter().flat_map(|name| ["--bin", name]));
        cargo.env_remove("RUSTFLAGS").env("CARGO_TARGET_DIR", &self.target).current_dir(&self.folder);
        let output = cargo.output().unwrap();
        let (mut messages, mut refused) = (BTreeMap::<_, Vec<_>>::new(), BTreeSet::new());
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            if line["reason"] != "compiler-message" || !line["package_id"].as_str().unwrap().contains("suggestions") {
                continue;
            }
            let name = line["target"]["name"].as_str().unwrap().to_owned();
            if line["message"]["level"] == "error" {
                refused.insert(name.clone());
            }
            messages.entry(name).or_default().push(line["message"].to_string());
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(programs.iter().any(|name| refused.contains(name)) || output.status.success(), "{errors}");
        (messages, refused)
    }

    /// Makes the changes, and says whether there were any.
    fn follow(&self, name: &str, messages: &[String]) -> bool {
        let mut changed = false;
        let path = self.program(name);
        let source = fs::read_to_string(&path).unwrap();
        let mut fix = CodeFix::new(&source);
        for message in messages {
            let none = HashSet::new();
            for suggestion in get_suggestions_from_json(message, &none, Filter::MachineApplicableOnly).unwrap() {
                // One that overlaps with an earlier one is for the next round.
                changed |= fix.apply(&suggestion).is_ok();
            }
        }
        fs::write(&path, fix.finish().unwrap()).unwrap();
        changed
    }
}

fn refused_programs() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui-tests/fail");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    files.filter_map(|file| file.strip_suffix(".rs").map(str::to_owned)).collect()
}

#[test]
fn no_suggestion_of_the_compiler_leads_into_a_program_that_is_wrong() {
    const ROUNDS: usize = 4;
    let (project, all) = (Project::new("refused"), refused_programs());
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui-tests/fail");
    for name in &all {
        fs::copy(sources.join(format!("{name}.rs")), project.program(name)).unwrap();
    }
    let (mut messages, refused) = project.check(&all);
    assert_eq!(refused, all, "as they stand they are refused");
    let (mut followed, mut compile) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..ROUNDS {
        let changed: BTreeSet<String> = messages
            .iter()
            .filter(|(name, messages)| project.follow(name, messages))
            .map(|(name, _)| name.clone())
            .collect();
        if changed.is_empty() {
            break;
        }
        let (next, refused) = project.check(&changed);
        compile.extend(changed.difference(&refused).cloned());
        messages = next.into_iter().filter(|(name, _)| refused.contains(name)).collect();
        followed.extend(changed);
    }
    assert!(!followed.is_empty(), "the compiler suggests something somewhere");
    let right: BTreeSet<String> = RIGHT.iter().map(|(name, _)| (*name).to_owned()).collect();
    let wrong: Vec<_> = compile.difference(&right).map(|name| project.program(name)).collect();
    assert!(wrong.is_empty(), "these compile now, of {} whose suggestions were followed: {wrong:#?}", followed.len());
    assert_eq!(compile, right, "and these are said to");
}

/// The types that a program has in its variables, and the name of each in a function that is generic over the context.
const TYPES: &[&str] = &[
    "Acl",
    "Device<'static>",
    "Thread",
    "Context<C>",
    "Current<C>",
    "Stream<C>",
    "DefaultStream<C>",
    "Event<C>",
    "DeviceBuffer<C, f32>",
    "DeviceBuffer<C, core::mem::MaybeUninit<f32>>",
    "HostBuffer<C, f32>",
    "SharedBuffer<C, f32>",
    "memory::DeviceArena<C>",
    "Model<C>",
    "BoundModel<C>",
    "Pending<C, DeviceBuffer<C, f32>>",
    "Pending<C, BoundModel<C>>",
    "operator::DeviceTensor<C, f32>",
    "operator::SharedTensor<C, f32>",
    "operator::BoundOperator<C, operator::DeviceTensor<C, f32>, operator::DeviceTensor<C, f32>>",
    "allocator::PoolAllocator",
    "capture::CapturedGraph<C, HostBuffer<C, f32>>",
    "capture::Captured<'static, DeviceBuffer<C, f32>>",
    "Failed<Stream<C>>",
];

/// Words that somebody tries on them.
const WORDS: &[&str] = &[
    "accepts",
    "addr",
    "address",
    "allocate",
    "at",
    "block_on",
    "bytes",
    "cast",
    "chunk",
    "data",
    "detach",
    "dims",
    "free",
    "get",
    "handle",
    "index",
    "inner",
    "into_inner",
    "into_parts",
    "into_result",
    "iter",
    "last",
    "lock",
    "memory",
    "memory_info",
    "offset",
    "parts",
    "poll",
    "pop",
    "ptr",
    "raw",
    "record",
    "release",
    "reset",
    "result",
    "rows",
    "set",
    "shape",
    "size",
    "slice",
    "split",
    "sub",
    "take",
    "value",
    "wait",
    "write",
];

/// The compiler proposes methods with a similar name. Those of a sealed trait need a key that only this crate has: nobody can
/// follow such a proposal. The calls have no arguments, so the compiler prints the line of a method that takes a key.
#[test]
fn no_name_that_the_compiler_proposes_is_an_inner_one() {
    let project = Project::new("words");
    let mut source = String::from("use ascendcl::*;\nuse ascendcl::stream::DefaultStream;\n");
    for (number, name) in TYPES.iter().enumerate() {
        let calls: String = WORDS.iter().map(|word| format!("    _ = x.{word}();\n")).collect();
        source.push_str(&format!("pub fn f{number}<C: Brand>(x: &mut {name}) {{\n{calls}}}\n"));
    }
    fs::write(project.program("words"), source + "fn main() {}\n").unwrap();
    let (messages, _) = project.check(&BTreeSet::from(["words".to_owned()]));
    let said: Vec<serde_json::Value> =
        messages["words"].iter().map(|message| serde_json::from_str(message).unwrap()).collect();
    let said: Vec<_> = said.iter().map(|message| message["rendered"].as_str().unwrap()).collect();
    assert!(said.len() > TYPES.len() * WORDS.len() / 2, "{} messages", said.len());
    assert!(
        said.iter().all(|message| !message.contains("error[E0412]") && !message.contains("error[E0433]")),
        "{said:#?}"
    );
    assert!(said.iter().any(|message| message.contains("with a similar name")), "the compiler proposes something");
    let inner: Vec<_> =
        said.iter().filter(|message| message.contains(": Inside") || message.contains("sealed")).collect();
    assert!(inner.is_empty(), "{inner:#?}");
}
