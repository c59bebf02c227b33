//! Makes the packages of the published crates twice, and compares them.

use super::oldest::published;
use crate::ground::Ground;
use crate::part::Outcome;
use std::fs;
use std::path::Path;

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    let folders = ["target/packages/first", "target/packages/second"].map(|folder| ground.root.join(folder));
    let published = published(ground)?;
    for folder in &folders {
        // Otherwise packages of an earlier version would be compared, too.
        drop(fs::remove_dir_all(folder));
        let mut command = ground.command("cargo");
        command.args(["package", "--locked", "--no-verify", "--allow-dirty", "--target-dir"]).arg(folder);
        command.args(published.values().flatten().flat_map(|krate| ["-p", krate.name.as_str()]));
        let ran = ground.run("packages", &mut command)?;
        if !ran.ok {
            return Ok(Outcome::failed(&ran.end()).file(ran.log));
        }
    }
    let [first, second] = folders.map(|folder| files(&folder.join("package")));
    let (first, second) = (first?, second?);
    let differing: Vec<_> = first.iter().filter(|file| !second.contains(file)).map(|(name, _)| name.clone()).collect();
    let bytes: usize = first.iter().map(|(_, bytes)| bytes.len()).sum();
    let mut sums = ground.command("sha256sum");
    sums.args(first.iter().map(|(name, _)| name)).current_dir(ground.root.join("target/packages/first/package"));
    ground.write("packages.sha256", &ground.output(&mut sums)?)?;
    let wanted = published.values().flatten().count();
    let [made, again] = [first.len(), second.len()];
    let says = format!(
        "{made} packages of {} KiB in all for {wanted} published crates, {again} the second time, {} differ",
        bytes / 1024,
        differing.len()
    );
    let outcome = Outcome::judged(first == second && made == wanted && wanted > 0, says).fact("packages", made);
    Ok(outcome.fact("differing", differing).file("packages.sha256").file("logs/packages.log"))
}

type File = (String, Vec<u8>);

fn files(folder: &Path) -> Result<Vec<File>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|ending| ending == "crate") {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.push((name, fs::read(&path).map_err(failed)?));
        }
    }
    found.sort();
    Ok(found)
}
