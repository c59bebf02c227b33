//! The table of functions marks the functions that the safe layer needs, and the simulator has them.

#![allow(clippy::unwrap_used)]

use ascendcl_macros::proves;
use ascendcl_rules::{Class, RuleId};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn required_functions_are_those_that_the_safe_layer_calls() {
    // Allocators, callbacks, single operators, captured and built graphs, the recovery of a device, options of streams,
    // registered memory, access between devices, copies of rows, events for one purpose, outputs in less memory than the
    // largest gear needs and preprocessing inside of models are what a program can do without, on releases that lack them.
    let spare = [
        "registration.rs",
        "callback.rs",
        "operator/mod.rs",
        "operator/attributes.rs",
        "compiled_operators.rs",
        "captured_event.rs",
        "flagged_event.rs",
        "captured_graph/mod.rs",
        "captured_graph/build.rs",
        "captured_graph/capture.rs",
        "captured_graph/condition.rs",
        "captured_graph/names.rs",
        "captured_graph/switch.rs",
        "captured_graph/update.rs",
        "stream/captured.rs",
        "forced.rs",
        "stream/options.rs",
        "block/registered.rs",
        "ffi/peer.rs",
        "ffi/rows.rs",
        "app_log.rs",
        "properties.rs",
        "model/gear_outputs.rs",
        "model/preprocessed.rs",
        "version.rs",
    ];
    let everyday = called(|file| !is_the_table(file) && !spare.iter().any(|name| file.ends_with(name)));
    let required = ascendcl_sys::table().filter(|function| function.required).map(|function| function.name.to_owned());
    assert_eq!(everyday, required.collect::<BTreeSet<_>>());
}

#[test]
fn the_simulator_has_every_function_that_the_safe_layer_calls() {
    let all = called(|_| true);
    let simulated =
        ascendcl_sys::table().filter(|function| function.simulated).map(|function| function.name.to_owned());
    let missing: Vec<_> = all.difference(&simulated.collect()).cloned().collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn needs_are_stated_for_the_functions_that_are_called_and_for_no_others() {
    assert_eq!(called(is_the_table), called(|file| !is_the_table(file)));
}

/// A rule that is not offered is about functions that the safe layer leaves alone. Where it calls one of them, the rule
/// is kept or broken.
#[test]
fn rules_that_are_not_offered_are_about_functions_that_nothing_calls() {
    // The rule names the function for something that the safe layer does not do with it.
    let otherwise = [
        (ascendcl_rules::EVENT_01, "what it creates is never reset"),
        (ascendcl_rules::CB_03, "the other kind of callback is not called"),
        (ascendcl_rules::MODEL_28, "a dump is switched on in the file that the program gives it"),
        (ascendcl_rules::DVPP_03, "memory from it is not given to media processing"),
    ];
    let called = called(|file| !is_the_table(file));
    let mut stale: Vec<_> = RuleId::all().filter(|id| id.rule().class == Class::NotOffered).collect();
    stale.retain(|id| id.rule().source.split(|c: char| !c.is_alphanumeric()).any(|word| called.contains(word)));
    assert_eq!(stale, otherwise.map(|(id, _reason)| id), "give each a class, `means` and tests, or a reason here");
}

#[test]
#[proves(EVENT_03)]
fn events_are_not_reset_and_not_asked_by_the_calls_that_some_events_reject() {
    let elsewhere = called(|file| !is_the_table(file) && !file.ends_with("flagged_event.rs"));
    let rejected = ["aclrtResetEvent", "aclrtQueryEvent", "aclrtQueryEventWaitStatus"];
    assert!(elsewhere.contains("aclrtQueryEventStatus"), "events are asked");
    assert_eq!(rejected.map(|name| elsewhere.contains(name)), [false; 3]);
    // Where events are made that a build resets, no others are made.
    let builds = called(|file| file.ends_with("flagged_event.rs"));
    assert_eq!(builds, BTreeSet::from(["aclrtCreateEventWithFlag", "aclrtResetEvent"].map(str::to_owned)));
}

/// Whether the file says what each C function needs; the other files call them.
fn is_the_table(file: &Path) -> bool {
    file.ends_with("src/ffi/needs.rs")
}

/// Whether the file gives functions a place that other files call them by.
fn only_names(file: &Path) -> bool {
    file.ends_with("src/ffi/call/at_once.rs")
}

fn has_tests_alone(file: &Path) -> bool {
    file.to_string_lossy().ends_with("_tests.rs")
}

/// The C functions that are named in the files under `src/ffi`, comments aside.
fn called(wanted: impl Fn(&Path) -> bool) -> BTreeSet<String> {
    let known: BTreeSet<_> = ascendcl_sys::table().map(|function| function.name).collect();
    let mut names = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ffi")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if wanted(&path) && !only_names(&path) && !has_tests_alone(&path) {
                let text = fs::read_to_string(path).unwrap();
                let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
                let words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric()));
                names.extend(words.filter(|word| known.contains(word)).map(str::to_owned));
            }
        }
    }
    names
}
