//! A copy of the repository whose sources have all mutants in them, and its test programs.

use super::text::{Mutant, with_all};
use super::{find, switch};
use crate::ground::Ground;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the mutants are.
pub(crate) const FOLDERS: [&str; 7] =
    ["src/ffi", "src/ledger", "src/memory", "src/raw", "src/runtime", "src/stream", "rules/src/relations"];

/// The package of the safe crate.
const SAFE: &str = "ascendcl";

/// What the trials run most of the time. None of them has mutants of the safe crate.
const OPTIMISED: [&str; 2] = ["ascendcl-sim", "ascendcl-rules"];

/// What the copy does not need.
const NOT_COPIED: [&str; 2] = ["target", ".git"];

/// A test program.
pub(crate) struct Program {
    pub(crate) package: String,
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// The folder in which cargo runs it.
    pub(crate) folder: PathBuf,
}

/// All mutants, by their numbers.
pub(crate) fn mutants(root: &Path) -> Result<Vec<Mutant>, String> {
    let mut all = Vec::new();
    for folder in FOLDERS {
        for file in sources(root, Path::new(folder))? {
            let source = fs::read_to_string(root.join(&file)).map_err(|error| format!("{file}: {error}"))?;
            let found = find::mutants(&file, &source, all.len())?;
            all.extend(found);
        }
    }
    Ok(all)
}

/// The Rust files below the folder, sorted.
fn sources(root: &Path, folder: &Path) -> Result<Vec<String>, String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join(folder)).map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        let name = folder.join(entry.file_name());
        if entry.path().is_dir() {
            files.extend(sources(root, &name)?);
        } else if name.extension().is_some_and(|end| end == "rs") {
            // Files of tests among the sources have this end.
            files.extend(name.to_str().filter(|name| !name.ends_with("_tests.rs")).map(str::to_owned));
        }
    }
    files.sort();
    Ok(files)
}

/// Copies the repository, with the mutants but for those that are left out. Files that are the same already keep their
/// times, so that cargo compiles what has changed alone.
pub(crate) fn write(ground: &Ground, mutants: &[Mutant], left_out: &BTreeSet<usize>) -> Result<PathBuf, String> {
    let copy = ground.root.join("target/guards/copy");
    mirror(&ground.root, &copy, &|name| {
        mutants.iter().any(|mutant| Path::new(&mutant.file) == name)
            || ["Cargo.toml", "Cargo.lock", "rules/Cargo.toml"].iter().any(|other| Path::new(other) == name)
    })?;
    for package in ["", "rules/"] {
        let name = format!("{package}Cargo.toml");
        let path = if package.is_empty() { "guards_switch" } else { "../guards_switch" };
        let dependency = format!("[dependencies]\nguards_switch = {{ path = \"{path}\" }}\n");
        let mut text = ground.read(&name)?.replacen("[dependencies]\n", &dependency, 1);
        if package.is_empty() {
            text = text.replacen("members = [\".\", ", "members = [\".\", \"guards_switch\", ", 1);
        }
        put(&copy.join(name), &text)?;
    }
    let lock = ground.read("Cargo.lock")?;
    // Cargo adds the switch to its list.
    if !copy.join("Cargo.lock").exists() {
        put(&copy.join("Cargo.lock"), &lock)?;
    }
    put(&copy.join("guards_switch/Cargo.toml"), switch::MANIFEST)?;
    put(&copy.join("guards_switch/src/lib.rs"), &switch::source(mutants.len()))?;
    let mut first = 0;
    for of_file in mutants.chunk_by(|one, next| one.file == next.file) {
        let Some(file) = of_file.first().map(|mutant| &mutant.file) else { continue };
        put(&copy.join(file), &with_all(&ground.read(file)?, of_file, first, left_out))?;
        first += of_file.len();
    }
    Ok(copy)
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder.and_then(|()| fs::write(path, text)).map_err(|error| format!("{}: {error}", path.display()))
}

/// Makes the copy the same as the folder, but for the files that are written otherwise.
fn mirror(from: &Path, to: &Path, otherwise: &dyn Fn(&Path) -> bool) -> Result<(), String> {
    let wrong = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        fs::create_dir_all(to.join(&folder)).map_err(|error| wrong(&folder, error))?;
        let mut names = BTreeSet::new();
        for entry in fs::read_dir(from.join(&folder)).map_err(|error| wrong(&folder, error))? {
            let entry = entry.map_err(|error| wrong(&folder, error))?;
            let name = folder.join(entry.file_name());
            names.insert(entry.file_name());
            let is_root = folder.as_os_str().is_empty();
            if is_root && NOT_COPIED.iter().any(|other| entry.file_name() == *other) || otherwise(&name) {
                continue;
            }
            let kind = entry.file_type().map_err(|error| wrong(&name, error))?;
            let new = to.join(&name);
            if kind.is_dir() {
                folders.push(name);
            } else if kind.is_file() {
                let bytes = fs::read(entry.path()).map_err(|error| wrong(&name, error))?;
                if fs::read(&new).ok().as_ref() != Some(&bytes) {
                    fs::copy(entry.path(), &new).map_err(|error| wrong(&new, error))?;
                    // A copy has the time of the file: one that is older than the last build would not be compiled.
                    let now = std::time::SystemTime::now();
                    let file = fs::File::options().append(true).open(&new);
                    file.and_then(|file| file.set_modified(now)).map_err(|error| wrong(&new, error))?;
                }
            }
        }
        for entry in fs::read_dir(to.join(&folder)).map_err(|error| wrong(&folder, error))?.flatten() {
            let is_own = folder.as_os_str().is_empty()
                && ["guards_switch", "target"].iter().any(|own| entry.file_name() == *own);
            if !names.contains(&entry.file_name()) && !is_own && entry.path().is_file() {
                fs::remove_file(entry.path()).map_err(|error| wrong(&folder, error))?;
            }
        }
    }
    Ok(())
}

/// What a build gave: the test programs, or the places of errors.
pub(crate) enum Built {
    Programs(Vec<Program>),
    /// The numbers of the mutants in the lines that the compiler prints for its errors.
    Errors(BTreeSet<usize>),
}

/// Builds tests of these packages in the copy. All at once: a package that they share is compiled for its own tests and for
/// those of the others with the same features, so once.
pub(crate) fn build(
    ground: &Ground,
    copy: &Path,
    packages: &[&str],
    tests: &BTreeSet<String>,
) -> Result<Built, String> {
    let mut command = ground.command("cargo");
    command.current_dir(copy).env("CARGO_TARGET_DIR", ground.root.join("target/guards/build"));
    command.args(["test", "--offline", "--no-run", "--message-format=json-render-diagnostics", "--lib"]);
    // Nobody reads where a test fails. Without debug information the programs are linked sooner, and are smaller.
    command.args(["--config", "profile.dev.debug=false"]);
    for optimised in OPTIMISED {
        command.args(["--config", &format!("profile.dev.package.{optimised}.opt-level=1")]);
    }
    command.args(packages.iter().flat_map(|package| ["-p", package]));
    command.args(tests.iter().flat_map(|test| ["--test", test]));
    let log = ground.out("logs/guards.log");
    let said = fs::File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    let output = command.stderr(said).output().map_err(|error| format!("cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if output.status.success() {
        if packages.contains(&SAFE) {
            built_by_tests(ground, copy)?;
        }
        return Ok(Built::Programs(messages.iter().filter_map(program).collect()));
    }
    let errors = fs::read_to_string(&log).unwrap_or_default();
    let numbers = in_errors(&errors);
    match numbers.is_empty() {
        true => Err(format!("the mutants do not build: see {}", log.display())),
        false => Ok(Built::Errors(numbers)),
    }
}

/// Some tests of the safe crate let cargo build the simulator as a shared object, or examples, in the folder of their own
/// programs. While they wait for that, they are no measure of time.
fn built_by_tests(ground: &Ground, copy: &Path) -> Result<(), String> {
    let mut command = ground.command("cargo");
    command.current_dir(copy).args(["build", "--offline", "--quiet", "--workspace", "--lib", "--examples"]);
    ground.output(command.arg("--target-dir").arg(ground.root.join("target/guards/build"))).map(drop)
}

fn program(message: &Value) -> Option<Program> {
    let path = message.get("executable")?.as_str()?;
    let name = message.pointer("/target/name")?.as_str()?.to_owned();
    let folder = Path::new(message.get("manifest_path")?.as_str()?).parent()?.to_owned();
    // The end of the id is `name@version`.
    let package = message.get("package_id")?.as_str()?.rsplit(['#', '/']).next()?.split('@').next()?.to_owned();
    let is_test = message.pointer("/profile/test").is_some_and(|test| test == true);
    is_test.then(|| Program { package, name, path: PathBuf::from(path), folder })
}

/// The mutants in the compiler's errors: it prints the lines that it refuses.
fn in_errors(text: &str) -> BTreeSet<usize> {
    let mut numbers = BTreeSet::new();
    let mut is_error = false;
    for line in text.lines() {
        if line.starts_with("error") || line.starts_with("warning") {
            is_error = line.starts_with("error");
        }
        let asked = line.split("guards_switch::on(").skip(1).filter(|_| is_error);
        numbers.extend(asked.filter_map(|rest| rest.split(')').next()?.parse::<usize>().ok()));
    }
    numbers
}
