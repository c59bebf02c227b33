//! Checks the messages of a nightly compiler about moved values, with `--cfg ascendcl_on_move`.

use crate::ground::Ground;
use crate::part::Outcome;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// In these programs the moved value has no type of the crate: it is a type parameter or a closure.
const OTHERS: &[&str] = &["one_allocator_on_two_streams", "stream_destroyed_by_a_closure_that_runs_twice"];

/// The folder of the compiled programs, below the repository.
const FOLDER: &str = "target/on-move";

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    if !ground.has_nightly() {
        return Ok(Outcome::skipped("no nightly toolchain is installed, and `diagnostic::on_move` is there alone"));
    }
    let programs = programs(&ground.root.join("ui-tests/fail"))?;
    let folder = project(ground, &programs)?;
    let mut check = ground.command("cargo");
    check.args(["+nightly", "check", "--offline", "--quiet", "--keep-going", "--bins", "--message-format=json"]);
    check.current_dir(&folder).env_remove("RUSTUP_TOOLCHAIN").env("RUSTFLAGS", "--cfg ascendcl_on_move");
    let ran = ground.run("on-move", check.arg("--target-dir").arg(ground.root.join(FOLDER).join("target")))?;
    let (mut refused, mut fixed) = (BTreeSet::new(), BTreeSet::new());
    for line in ran.text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()) {
        let text = |path: &str| line.pointer(path).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        let (program, said) = (text("/target/name"), text("/message/message"));
        if text("/message/code/code") == "E0382" && programs.contains(&program) {
            let is_fixed = said.starts_with("use of moved value") || said.starts_with("borrow of moved value");
            fixed.extend(is_fixed.then(|| program.clone()));
            refused.insert(program);
        }
    }
    let unexpected: Vec<_> = fixed.iter().filter(|name| !OTHERS.contains(&name.as_str())).collect();
    let says = format!("{} of {} messages about moved values have words", refused.len() - fixed.len(), programs.len());
    let says = if unexpected.is_empty() { says } else { format!("{says}; without: {unexpected:?}") };
    let outcome = Outcome::judged(refused == programs && unexpected.is_empty(), says);
    Ok(outcome.fact("programs", programs.len()).fact("with_words", refused.len() - fixed.len()).file(ran.log))
}

/// The refused programs in which stable compilers speak of a moved value. Those of the graph engine need its features.
fn programs(folder: &Path) -> Result<BTreeSet<String>, String> {
    let mut programs = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let read = |ending: &str| fs::read_to_string(path.with_extension(ending)).unwrap_or_default();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_moved =
            path.extension().is_some_and(|ending| ending == "stderr") && read("stderr").starts_with("error[E0382]");
        programs.extend((is_moved && !name.starts_with("graph_")).then_some(name));
    }
    Ok(programs)
}

/// Each program as a binary of one crate.
fn project(ground: &Ground, programs: &BTreeSet<String>) -> Result<std::path::PathBuf, String> {
    let folder = ground.root.join(FOLDER).join("project");
    drop(fs::remove_dir_all(&folder));
    let manifest = format!(
        "[workspace]\n[package]\nname = \"moved\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
         [dependencies]\nascendcl = {{ path = {:?}, features = [\"sim\"] }}\n",
        ground.root
    );
    let copied = |name: &String| {
        let (from, to) = (format!("ui-tests/fail/{name}.rs"), format!("src/bin/{name}.rs"));
        fs::copy(ground.root.join(from), folder.join(to)).map(drop)
    };
    fs::create_dir_all(folder.join("src/bin"))
        .and_then(|()| fs::write(folder.join("Cargo.toml"), manifest))
        .and_then(|()| fs::copy(ground.root.join("Cargo.lock"), folder.join("Cargo.lock")).map(drop))
        .and_then(|()| programs.iter().try_for_each(copied))
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}
