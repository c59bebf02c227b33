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
    /// Each refused program as a binary of its own. What they depend on was compiled for their twins already.
    fn new() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (folder, target) = (scratch.join("suggestions"), scratch.join("twins/target"));
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
    let (project, all) = (Project::new(), refused_programs());
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
