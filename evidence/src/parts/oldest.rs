//! The oldest compiler and the oldest dependencies that the manifests state.

use crate::ground::Ground;
use crate::part::{Outcome, Status};
use std::collections::BTreeMap;
use std::fs;

/// Features that are not compiled with the oldest Rust of their crate: the simulator states a newer one.
const LEFT_OUT: [&str; 2] = ["sim", "default"];

/// Compiles each published crate with the toolchain that its `rust-version` states, if that toolchain is installed.
pub(crate) fn rust(ground: &Ground) -> Result<Outcome, String> {
    let stated = published(ground)?;
    let installed = ground.output(ground.command("rustup").args(["toolchain", "list"])).unwrap_or_default();
    let (mut missing, mut failed, mut checked) = (Vec::new(), Vec::new(), 0);
    for (version, crates) in &stated {
        let Some(toolchain) = installed.lines().filter_map(|line| line.split(' ').next()).find(|name| {
            name.strip_prefix(version.as_str()).is_some_and(|rest| rest.starts_with('-') || rest.starts_with('.'))
        }) else {
            let names: Vec<_> = crates.iter().map(|krate| krate.name.as_str()).collect();
            missing.push(format!("{version} (of {})", names.join(", ")));
            continue;
        };
        let mut command = ground.command("cargo");
        command.arg(format!("+{toolchain}")).args(["check", "--locked", "--no-default-features"]);
        command.args(crates.iter().flat_map(|krate| ["-p", krate.name.as_str()]));
        let features = crates.iter().flat_map(|krate| &krate.features);
        command.args(features.flat_map(|feature| ["--features", feature.as_str()]));
        command.arg("--target-dir").arg(ground.root.join("target/oldest")).env_remove("RUSTUP_TOOLCHAIN");
        let ran = ground.run(&format!("oldest-rust-{version}"), &mut command)?;
        checked += crates.len();
        failed.extend((!ran.ok).then(|| format!("{version}: {}", ran.end())));
    }
    let lint = "clippy's `incompatible_msrv` refuses newer items of the standard library";
    if checked == 0 {
        return Ok(Outcome::skipped(&format!("no such toolchain is installed: {}; {lint}", missing.join(", "))));
    }
    let mut outcome = Outcome::judged(failed.is_empty(), format!("{checked} crates checked; {}", failed.join("; ")));
    if !missing.is_empty() {
        outcome.says += &format!("not checked, because the toolchain is not installed: {}", missing.join(", "));
        outcome.status = if failed.is_empty() { Status::Skipped } else { Status::Failed };
    }
    Ok(outcome.fact("crates", checked))
}

/// A published crate.
pub(crate) struct Published {
    pub(crate) name: String,
    /// All but those [left out](LEFT_OUT), each with the name of the crate before it, as `--features` has them.
    features: Vec<String>,
}

/// The published crates, by the oldest Rust that they state.
pub(crate) fn published(ground: &Ground) -> Result<BTreeMap<String, Vec<Published>>, String> {
    let asked = ground.output(ground.command("cargo").args(["metadata", "--format-version", "1", "--no-deps"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&asked).map_err(|error| error.to_string())?;
    let mut stated = BTreeMap::<_, Vec<_>>::new();
    for package in metadata.get("packages").and_then(|list| list.as_array()).into_iter().flatten() {
        let text = |name: &str| package.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        if package.get("publish").is_some_and(serde_json::Value::is_null) {
            let name = text("name");
            let features = package.get("features").and_then(|features| features.as_object()).into_iter().flatten();
            let features = features.map(|(feature, _)| feature).filter(|feature| !LEFT_OUT.contains(&feature.as_str()));
            let features = features.map(|feature| format!("{name}/{feature}")).collect();
            stated.entry(text("rust_version")).or_default().push(Published { name, features });
        }
    }
    Ok(stated)
}

/// Compiles with `-Z direct-minimal-versions` in a copy of the repository, because this writes another `Cargo.lock`.
pub(crate) fn versions(ground: &Ground) -> Result<Outcome, String> {
    if ground.output(ground.command("cargo").args(["+nightly", "--version"]).env_remove("RUSTUP_TOOLCHAIN")).is_err() {
        return Ok(Outcome::skipped(
            "no nightly toolchain is installed, and cargo resolves minimal versions there alone",
        ));
    }
    let copy = ground.root.join("target/minimal/repository");
    // A copy from an earlier run may have files that the repository has no more.
    drop(fs::remove_dir_all(&copy));
    let listed = ground.output(ground.command("git").args(["ls-files"]))?;
    for name in listed.lines() {
        let (from, to) = (ground.root.join(name), copy.join(name));
        let made = to.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::copy(&from, &to).map(|_| ()));
        made.map_err(|error| format!("{name}: {error}"))?;
    }
    let mut update = ground.command("cargo");
    update.args(["+nightly", "update", "-Z", "direct-minimal-versions"]).current_dir(&copy);
    let resolved = ground.run("minimal-versions", update.env_remove("RUSTUP_TOOLCHAIN"))?;
    if !resolved.ok {
        return Ok(Outcome::failed(&resolved.end()).file(resolved.log));
    }
    let mut check = ground.command("cargo");
    check.args(["check", "-p", "ascendcl", "--lib", "--locked", "--all-features"]).current_dir(&copy);
    let ran = ground.run("minimal-check", check.arg("--target-dir").arg(ground.root.join("target/minimal/target")))?;
    let says = if ran.ok { "`ascendcl` compiles with all features".to_owned() } else { ran.end() };
    Ok(Outcome::judged(ran.ok, says).file(resolved.log).file(ran.log))
}
