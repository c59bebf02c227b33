//! The compiler refuses every program in `ui-tests/fail` for the reason in its `.stderr`. Its twin of the same name in
//! `ui-tests/pass`, which differs in the repaired line, compiles.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// How many messages name the rule and what to do, at least.
const FLOOR: usize = 322;
/// In parts of a hundred: so many messages name the rule and what to do, and so few are about the language only.
const BOUNDS: (usize, usize) = (70, 8);
/// The programs whose messages are about the language only, and why they are.
const BARE: &[(&str, &str)] = &[
    ("allocator_without_address", "E0046 names the missing function, and prints no line of the trait"),
    ("foreign_work_without_unsafe", "E0133 has fixed words; they lead to the documentation of the function"),
    ("graph_outputs_read_in_flight", "a field, unlike a method, cannot have a bound"),
    // The type of the parameter has to be known before the arguments are counted.
    (
        "runtime_entered_without_a_thread_by_a_closure",
        "E0282 prints no line of the method; the book says what it means",
    ),
    ("works_awaited_as_a_tuple", "a tuple has no methods, except of traits that the program imports; the book says so"),
    // The compiler finds these after it has inferred the types. It prints lines of the program and names of types.
    // It prints no line of this crate, no bound and no attribute.
    ("buffer_kept_beyond_its_scope", LIFETIMES),
    ("callback_with_a_buffer_of_a_context", LIFETIMES),
    ("context_in_a_detached_thread", LIFETIMES),
    ("current_kept_after_its_runtime", LIFETIMES),
    ("current_stored_in_a_struct", LIFETIMES),
    ("future_that_leaves_its_runtime", LIFETIMES),
    ("graph_outputs_kept_beyond_the_session", LIFETIMES),
    ("helper_in_the_place_of_a_closure", LIFETIMES),
    ("helper_with_elided_contexts", LIFETIMES),
    ("lifetime_of_a_context_shortened", LIFETIMES),
    ("lifetime_of_a_handle_lengthened", LIFETIMES),
    ("model_of_an_unnamed_lane_in_another", LIFETIMES),
    ("slice_taken_out_of_a_runtime", LIFETIMES),
    ("stream_kept_beyond_its_scope", LIFETIMES),
    ("stream_kept_in_a_static", LIFETIMES),
    ("stream_of_another_unnamed_context", LIFETIMES),
    ("stream_of_the_default_context_after_its_scope", LIFETIMES),
    ("stream_returned_from_its_scope", LIFETIMES),
    ("streams_of_a_scope_collected_outside", LIFETIMES),
];

const LIFETIMES: &str = "an error about lifetimes has fixed words; the book says what they mean";

#[test]
fn misuse_does_not_compile() {
    trybuild::TestCases::new().compile_fail("ui-tests/fail/*.rs");
}

/// All twins are modules of one crate, which is checked and never linked: most have an empty `main`, and none is
/// run. A program of its own for each of them, linked with the simulator, took most of the time of all tests.
#[test]
fn the_repaired_programs_compile() {
    let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("twins");
    fs::create_dir_all(project.join("src")).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::copy(root.join("Cargo.lock"), project.join("Cargo.lock")).unwrap();
    fs::write(project.join("Cargo.toml"), manifest(root)).unwrap();
    let twins = names("ui-tests/pass", "rs");
    fs::write(project.join("src/lib.rs"), modules(root, &twins)).unwrap();
    let mut check = Command::new(env!("CARGO"));
    check.args(["check", "--offline", "--quiet", "--color=never"]).current_dir(&project);
    check.env_remove("RUSTFLAGS").env("CARGO_TARGET_DIR", project.join("target"));
    let output = check.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// How many lines of a program and its twin differ, at most: what is repaired, and nothing else.
const DIFFER: usize = 6;
/// The pairs that differ in more lines, in so many, and why.
const DIFFER_MORE: &[(&str, usize, &str)] = &[
    ("allocator_for_a_run_that_is_waited_for", 9, "the model is bound and executed, in place of a run"),
    ("allocator_that_calls_the_library", 8, "the allocator loses its field, and its parameter with it"),
    ("arena_of_another_context", 8, "the name of the second context goes from each place"),
    ("bound_model_cloned_for_a_second_stream", 7, "two models come in, in place of one"),
    ("buffer_freed_in_a_drop", 11, "a method takes the place of `Drop`"),
    ("callback_that_counts_in_an_rc", 10, "an atomic number has other functions than a cell"),
    ("copy_from_a_device_without_access", 7, "the copy is in a closure that is given the access"),
    ("graph_session_of_a_runtime_opened_in_a_scope", 8, "the short form returns fewer results"),
    ("helper_without_the_bound_of_allocators", 7, "the signature no longer fits on a line"),
    ("lane_of_all_threads_in_a_static", 8, "a mutex takes the place of the lane and its stream"),
    ("memory_of_an_input_taken_through_a_bound", 9, THROUGH),
    ("peer_buffer_freed_while_it_is_lent", 7, "the free goes behind the closure, which gives its result"),
    ("stream_of_the_default_context_after_its_scope", 8, "text leaves the scope, in place of the stream"),
    ("unwritten_buffer_taken_through_a_bound", 16, THROUGH),
    ("unwritten_tensor_taken_through_a_bound", 18, THROUGH),
    ("work_in_flight_reached_through_a_bound", 10, THROUGH),
];
const THROUGH: &str = "a method of the crate takes the place of a bound on a sealed trait";

/// A twin that differs in more than the repair may compile for another reason.
#[test]
fn a_program_and_its_twin_differ_in_few_lines() {
    let wrong = names("ui-tests/fail", "rs").into_iter().filter_map(|name| {
        let [refused, repaired] = ["fail", "pass"].map(|folder| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("ui-tests/{folder}/{name}.rs"));
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        });
        let differ = different_lines(&refused, &repaired);
        let more = DIFFER_MORE.iter().find(|(more, ..)| *more == name);
        let right = more.map_or((1..=DIFFER).contains(&differ), |(_, lines, _)| *lines == differ && differ > DIFFER);
        (!right).then(|| format!("{name}: {differ}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), [""; 0], "lines that differ");
    assert!(DIFFER_MORE.iter().all(|(name, ..)| names("ui-tests/fail", "rs").iter().any(|other| other == name)));
}

/// The lines with code that one of the two texts has and the other one does not have, in order.
fn different_lines(one: &str, other: &str) -> usize {
    let [one, other] = [one, other].map(|text| {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        lines.collect::<Vec<_>>()
    });
    // The length of the longest common part of what was read of `one` and the first so many lines of `other`.
    let mut common = vec![0; other.len() + 1];
    for line in &one {
        let mut before = 0;
        for (at, found) in other.iter().enumerate() {
            let here = if line == found { before + 1 } else { common[at + 1].max(common[at]) };
            before = common[at + 1];
            common[at + 1] = here;
        }
    }
    one.len() + other.len() - 2 * common[other.len()]
}

fn manifest(root: &Path) -> String {
    let workspace = "[workspace]\n[package]\nname = \"twins\"\nversion = \"0.0.0\"\nedition = \"2024\"\n";
    let (own, graph_engine) = (format!("{{ path = {root:?}, features = [\"sim\"] }}"), root.join("ge"));
    format!(
        "{workspace}[dependencies]\nascendcl = {own}\nascendcl-ge = {{ path = {graph_engine:?} }}\nanyhow = \"1\"\n"
    )
}

fn modules(root: &Path, twins: &BTreeSet<String>) -> String {
    let mut source = String::from("#![allow(dead_code)]\n");
    for twin in twins {
        let path = root.join(format!("ui-tests/pass/{twin}.rs"));
        writeln!(source, "#[path = {path:?}]\nmod {twin};").unwrap();
    }
    source
}

/// A program that asks for the simulator, and for half floats, but not for the features that have them, is told which ones
/// it needs.
#[test]
fn what_needs_a_feature_says_which() {
    let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("featureless");
    fs::create_dir_all(project.join("src")).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::copy(root.join("Cargo.lock"), project.join("Cargo.lock")).unwrap();
    let package = "[workspace]\n[package]\nname = \"featureless\"\nversion = \"0.0.0\"\nedition = \"2024\"\n";
    let dependencies = format!("[dependencies]\nascendcl = {{ path = {root:?} }}\nhalf = \"2\"\n");
    fs::write(project.join("Cargo.toml"), [package, &dependencies].concat()).unwrap();
    fs::copy(root.join("ui-tests/featureless.rs"), project.join("src/main.rs")).unwrap();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("twins/target");
    let mut check = Command::new(env!("CARGO"));
    check.args(["check", "--offline", "--quiet", "--color=never"]).current_dir(&project);
    check.env_remove("RUSTFLAGS").env("CARGO_TARGET_DIR", target);
    let output = check.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.matches("error[E0277]: the simulator is not part of this program").count(), 2, "{said}");
    assert!(said.contains("expected `Library`, found `NeedsTheFeatureSim`"), "{said}");
    assert!(said.contains("in `Cargo.toml`: `ascendcl = { ..., features = [\"sim\"] }`"), "{said}");
    assert!(said.contains("are elements with the feature `half`"), "{said}");
    assert_eq!(said.lines().filter(|line| line.starts_with("error[")).count(), 4, "{said}");
}

/// Pages quote messages without the line of the place.
#[test]
fn messages_on_pages_are_those_of_the_compiler() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let messages: Vec<String> = names("ui-tests/fail", "stderr")
        .iter()
        .map(|name| fs::read_to_string(root.join(format!("ui-tests/fail/{name}.stderr"))).unwrap())
        .collect();
    for page in ["src/current.rs", "src/thread.rs", "src/stream/pending.rs", "src/stream/idle_proof.rs"] {
        let text = fs::read_to_string(root.join(page)).unwrap();
        let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix("/// "));
        let mut lines =
            lines.skip_while(|line| !line.starts_with("error[")).take_while(|line| *line != "```").peekable();
        assert!(lines.peek().is_some(), "{page} quotes no message");
        let lines: Vec<_> = lines.collect();
        let has_all = |message: &&String| lines.iter().all(|line| message.lines().any(|said| said == *line));
        assert!(messages.iter().any(|message| has_all(&message)), "{page} quotes a message that no program has");
    }
}

#[test]
fn every_refused_program_has_a_twin_and_a_message() {
    let fail = names("ui-tests/fail", "rs");
    assert!(!fail.is_empty());
    assert_eq!(fail, names("ui-tests/pass", "rs"), "programs with and without a twin");
    assert_eq!(fail, names("ui-tests/fail", "stderr"), "programs with and without a message");
}

fn names(folder: &str, ending: &str) -> BTreeSet<String> {
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    let paths = files.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == ending));
    paths.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

/// What a message is for who reads it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Class {
    /// It names the rule of the program, and what to do.
    RuleAndFix,
    /// It is in words of this crate, and names no rule.
    Words,
    /// Types differ, and the types name contexts, states or objects.
    Types,
    /// A value was moved, or is borrowed.
    Ownership,
    /// A lifetime, a method or a field that is not there, or whatever else speaks of the language only.
    Bare,
}

/// A message names the rule of its program, and a way out, far more often than not. Raise the floor when more messages
/// do. A message that is about the language only needs words, or a reason why it has none.
#[test]
fn most_messages_name_the_rule_and_what_to_do() {
    let mut classes = BTreeMap::<Class, Vec<String>>::new();
    for name in names("ui-tests/fail", "rs") {
        classes.entry(class(&read(&name, "rs"), &read(&name, "stderr"))).or_default().push(name);
    }
    let all: usize = classes.values().map(Vec::len).sum();
    let count = |class| classes.get(&class).map_or(0, Vec::len);
    let bare: BTreeSet<_> = classes.get(&Class::Bare).into_iter().flatten().map(String::as_str).collect();
    let table: Vec<_> =
        classes.iter().map(|(class, names)| format!("{class:?}: {} of {all}: {names:?}", names.len())).collect();
    println!("{}", table.join("\n"));
    assert!(count(Class::RuleAndFix) >= FLOOR, "{}", table.join("\n"));
    assert!(100 * count(Class::RuleAndFix) >= BOUNDS.0 * all && 100 * bare.len() <= BOUNDS.1 * all);
    assert_eq!(
        bare,
        BARE.iter().map(|(name, _)| *name).collect(),
        "messages about the language only, and their reasons"
    );
}

fn class(program: &str, message: &str) -> Class {
    let about = program.lines().next().and_then(|line| line.strip_prefix("// ")).unwrap();
    let (rules, _) = about.split_once(": ").unwrap();
    // Code in a note is what to do; the ids before its colon are the rules.
    let notes: Vec<_> = message.lines().filter_map(|line| line.trim_start().strip_prefix("= note: ")).collect();
    let notes: Vec<_> = notes.into_iter().chain(comments_of_this_crate(message)).chain(labels(message)).collect();
    let ids = || notes.iter().filter_map(|note| note.split_once(": ")).flat_map(|(ids, _)| ids.split(", "));
    let names_rule = rules.split(", ").any(|rule| ids().any(|id| id == rule));
    // The repair of what breaks another rule is none for this program.
    let is_of_it = |note: &str| {
        let ids: Vec<_> = note.split_once(": ").into_iter().flat_map(|(ids, _)| ids.split(", ")).collect();
        !ids.iter().any(|id| is_id(id)) || rules.split(", ").any(|rule| ids.contains(&rule))
    };
    let fixes = notes.iter().filter(|note| !note.starts_with("required ") && !note.starts_with(LINK));
    let names_fix = fixes.into_iter().any(|note| note.contains('`') && is_of_it(note));
    let error = message.lines().find(|line| line.starts_with("error")).unwrap();
    let code = error.strip_prefix("error[").and_then(|rest| rest.split_once(']')).map_or("", |(code, _)| code);
    match code {
        _ if names_rule && names_fix => Class::RuleAndFix,
        "E0277" => Class::Words,
        "E0308" => Class::Types,
        "E0373" | "E0382" | "E0499" | "E0502" | "E0505" | "E0597" => Class::Ownership,
        _ => Class::Bare,
    }
}

/// The comments in the lines of this crate that a message prints: of a method that takes its object, of a method that
/// was given something else, or of a bound.
fn comments_of_this_crate(message: &str) -> impl Iterator<Item = &str> {
    let mut is_ours = false;
    message.lines().filter_map(move |line| {
        if let Some((_, file)) = line.split_once("--> ") {
            is_ours = file.starts_with("src/") || file.starts_with("ge/src/");
        }
        line.split_once(" // ").filter(|_| is_ours).map(|(_, comment)| comment)
    })
}

/// The labels that begin with a rule. The compiler prints no notes of this crate where `?` converts an error.
fn labels(message: &str) -> impl Iterator<Item = &str> {
    let labels = message.lines().filter_map(|line| line.rsplit_once("^ ")).map(|(_, label)| label);
    labels.filter(|label| label.split_once(": ").is_some_and(|(ids, _)| ids.split(", ").all(is_id)))
}

fn is_id(id: &str) -> bool {
    id.split_once('-').is_some_and(|(_, number)| number.parse::<u32>().is_ok())
}

/// How a message leads to the page of a rule.
const LINK: &str = "see `ascendcl-explain ";

#[test]
fn messages_in_words_of_this_crate_lead_to_the_page_of_a_rule_that_they_name() {
    let mut linked = 0;
    for name in names("ui-tests/fail", "stderr") {
        let message = read(&name, "stderr");
        let notes: Vec<_> = message.lines().filter_map(|line| line.trim_start().strip_prefix("= note: ")).collect();
        let ids = notes.iter().filter_map(|note| note.split_once(": ")).flat_map(|(ids, _)| ids.split(", "));
        let ids: BTreeSet<_> = ids.filter(|id| is_id(id)).collect();
        let links = || notes.iter().filter_map(|note| note.split_once(LINK)?.1.strip_suffix('`'));
        assert!(ids.is_empty() || links().any(|id| ids.contains(id)), "{name} leads nowhere:\n{message}");
        assert!(links().all(|id| ids.contains(id)), "{name} leads to a rule that it does not name:\n{message}");
        linked += links().count().min(1);
    }
    assert!(linked >= LINKED, "{linked} messages lead to a page");
}

/// How many messages lead to a page, at least.
const LINKED: usize = 120;

/// These programs call a method of a sealed trait by its name, and are refused because it takes a key. Under another name they
/// would be refused for nothing.
#[test]
fn methods_that_bounds_let_through_are_refused_for_their_key() {
    let through: Vec<_> =
        names("ui-tests/fail", "stderr").into_iter().filter(|name| name.ends_with("_through_a_bound")).collect();
    assert_eq!(through.len(), THROUGH_A_BOUND);
    for name in through {
        let message = read(&name, "stderr");
        assert!(message.contains("of type `ascendcl::brand::Inside` is missing"), "{name}:\n{message}");
    }
}

/// How many programs reach for a method of a sealed trait.
const THROUGH_A_BOUND: usize = 5;

/// What rustc proposes by itself must not lead to what is private, nor to a lock around what a thread cannot have.
#[test]
fn no_message_proposes_a_private_field_or_a_lock() {
    for name in names("ui-tests/fail", "stderr") {
        let message = read(&name, "stderr");
        for proposal in ["you might have meant to use field", "std::sync::RwLock", "std::sync::Mutex`"] {
            assert!(!message.contains(proposal), "{name} proposes: {proposal}");
        }
    }
}

fn read(name: &str, ending: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("ui-tests/fail/{name}.{ending}"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_examples_quote_what_the_compiler_says() {
    let quoted = [
        ("01_devices", 3),
        ("02_buffers", 5),
        ("03_streams", 3),
        ("04_events", 2),
        ("05_models", 4),
        ("08_allocator", 9),
        ("09_shared_workspace", 2),
        ("10_callbacks_and_futures", 2),
        ("14_raw_calls", 2),
        ("15_failures", 1),
        ("19_graph_engine", 5),
        ("20_graphs", 4),
    ];
    for (name, count) in quoted {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.rs"));
        assert_eq!(quotes(&fs::read_to_string(path).unwrap()), count, "{name}");
    }
}

/// How many messages an example quotes; each stands in the `.stderr` of the program that it names.
fn quotes(example: &str) -> usize {
    let mut lines = example.lines().map(str::trim);
    let mut quotes = 0;
    while let Some(line) = lines.next() {
        let Some(name) = line.strip_prefix("// Refused: `ui-tests/fail/").and_then(|rest| rest.strip_suffix(".rs`:"))
        else {
            continue;
        };
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("ui-tests/fail/{name}.stderr"));
        let message = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let quoted: Vec<_> = lines.by_ref().map_while(|line| line.strip_prefix("//     ")).collect();
        assert!(!quoted.is_empty() && quoted.iter().all(|quote| message.contains(quote)), "{name}: {quoted:?}");
        quotes += 1;
    }
    quotes
}

#[test]
fn the_readme_quotes_what_the_compiler_says() {
    let message = include_str!("../ui-tests/fail/current_used_on_another_thread.stderr");
    let readme = include_str!("../README.md");
    assert!(readme.contains(message.lines().next().unwrap()));
}
