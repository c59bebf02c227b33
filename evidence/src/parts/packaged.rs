//! Compiles the packages of the published crates from their published files, as users do.

use super::oldest::published;
use crate::ground::Ground;
use crate::part::Outcome;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the packages, below the repository.
const FOLDER: &str = "target/packages/compiled";

/// First Cargo compiles each package from its own files, with the other packages in the place of the registry. Then a
/// program outside of the workspace, the one of the README, is compiled against the packages and run.
pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    let names: Vec<_> = published(ground)?.into_values().flatten().map(|krate| krate.name).collect();
    let target = ground.root.join(FOLDER);
    // Packages of an earlier version would be mistaken for those of this version.
    drop(fs::remove_dir_all(target.join("package")));
    let mut command = ground.command("cargo");
    command.args(["package", "--locked", "--allow-dirty", "--target-dir"]).arg(&target);
    command.args(names.iter().flat_map(|name| ["-p", name.as_str()]));
    let ran = ground.run("packaged", &mut command)?;
    if !ran.ok {
        return Ok(Outcome::failed(&ran.end()).file(ran.log));
    }
    let unpacked = unpacked(&target.join("package"), &names)?;
    let user = user(ground, &unpacked)?;
    let Some((_, safe)) = unpacked.iter().find(|(name, _)| name == "ascendcl") else {
        return Err(format!("no package of `ascendcl` in {}", target.display()));
    };
    let mut command = ground.command("cargo");
    command.args(["run", "--quiet", "--manifest-path"]).arg(user.join("Cargo.toml"));
    // The program of the README names a file of the package.
    command.arg("--target-dir").arg(&target).current_dir(safe).env("ASCENDCL_LIBRARY", "sim");
    let ran = ground.run("packaged-user", &mut command)?;
    if !ran.ok {
        return Ok(Outcome::failed(&ran.end()).file(ran.log));
    }
    let printed = ran.text.trim_end().lines().last().is_some_and(|line| line.starts_with('[') && line.ends_with(']'));
    let says = format!("{} packages compile, and the program of the README runs on them", unpacked.len());
    let outcome = Outcome::judged(printed && unpacked.len() == names.len(), says).fact("packages", unpacked.len());
    Ok(outcome.file("logs/packaged.log").file("logs/packaged-user.log"))
}

/// The names of the packages and where Cargo unpacked them.
fn unpacked(folder: &Path, names: &[String]) -> Result<Vec<(String, PathBuf)>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // `ascendcl-sim-0.1.0` is the folder of the package `ascendcl-sim`.
        let name = file.rsplit_once('-').map(|(name, _)| name.to_owned());
        found.extend(name.filter(|name| path.is_dir() && names.contains(name)).map(|name| (name, path)));
    }
    found.sort();
    Ok(found)
}

/// A crate of a user: the program of the README, with the packages in the place of the registry.
fn user(ground: &Ground, packages: &[(String, PathBuf)]) -> Result<PathBuf, String> {
    let readme = ground.read("README.md")?;
    let program = readme.split("\n```rust\n").nth(1).and_then(|rest| rest.split("\n```").next());
    let program = program.filter(|program| program.contains("fn main()")).ok_or("README.md has no program")?;
    let mut manifest =
        String::from("[workspace]\n[package]\nname = \"user\"\nversion = \"0.0.0\"\nedition = \"2024\"\n");
    manifest += "[dependencies]\nascendcl = { version = \"0.1\", features = [\"sim\"] }\n[patch.crates-io]\n";
    for (name, path) in packages {
        writeln!(manifest, "{name} = {{ path = {path:?} }}").map_err(|error| error.to_string())?;
    }
    let folder = ground.root.join(FOLDER).join("user");
    let write = |name: &str, text: &str| fs::write(folder.join(name), text);
    let lock = ground.read("Cargo.lock")?;
    fs::create_dir_all(folder.join("src"))
        .and_then(|()| write("Cargo.toml", &manifest))
        .and_then(|()| write("Cargo.lock", &lock))
        .and_then(|()| write("src/main.rs", program))
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}
