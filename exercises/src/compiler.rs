//! Compiles a program against the libraries of this package, without a package of its own.

use crate::Result;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// How long an exercise may run. The solutions need a small part of it.
const LIMIT: Duration = Duration::from_secs(20);

const LIBRARIES: [&str; 3] = ["ascendcl", "ascendcl_sim", "ascendcl_sys"];

pub(crate) struct Compiler {
    /// `--extern name=path` and the folders of their dependencies.
    arguments: Vec<String>,
    folder: PathBuf,
}

pub(crate) enum Outcome {
    Solved,
    /// The compiler's message.
    Refused(String),
    /// What the program printed.
    Failed(String),
}

impl Compiler {
    /// Asks cargo where it has built the libraries. Programs are built in `folder`.
    pub(crate) fn new(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--package", env!("CARGO_PKG_NAME"), "--message-format=json"]);
        let built = build.current_dir(env!("CARGO_MANIFEST_DIR")).stderr(Stdio::inherit()).output()?;
        if !built.status.success() {
            return Err("the libraries of the exercises could not be built".into());
        }
        let messages = String::from_utf8(built.stdout)?;
        let mut arguments = Vec::new();
        for (name, file) in messages.lines().filter_map(library) {
            let folder = file.parent().ok_or("a library is in a folder")?;
            arguments.extend(["--extern".to_owned(), format!("{name}={}", file.display())]);
            arguments.extend(["-L".to_owned(), format!("dependency={}", folder.display())]);
        }
        Ok(Self { arguments, folder: folder.to_owned() })
    }

    /// Compiles a program and runs it.
    pub(crate) fn run(&self, file: &Path) -> Result<Outcome> {
        let program = self.folder.join(file.file_stem().ok_or("a program has a name")?);
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let mut compile = Command::new(rustc);
        compile.args(["--edition=2024", "--crate-type=bin", "--crate-name=exercise"]).args(&self.arguments);
        let compiled = compile.arg("-o").arg(&program).arg(file).current_dir(env!("CARGO_MANIFEST_DIR")).output()?;
        if !compiled.status.success() {
            return Ok(Outcome::Refused(String::from_utf8_lossy(&compiled.stderr).into_owned()));
        }
        outcome(&program)
    }
}

/// Runs a program in the folder of this package, so that it finds `../examples/data`.
fn outcome(program: &Path) -> Result<Outcome> {
    let log = program.with_extension("log");
    let (output, errors) = (fs::File::create(&log)?, fs::OpenOptions::new().append(true).open(&log)?);
    let mut run = Command::new(program);
    let mut running = run.current_dir(env!("CARGO_MANIFEST_DIR")).stdout(output).stderr(errors).spawn()?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = running.try_wait()? {
            break status;
        }
        if start.elapsed() > LIMIT {
            running.kill()?;
            running.wait()?;
            return Ok(Outcome::Failed(format!("It was ended after {} seconds.", LIMIT.as_secs())));
        }
        thread::sleep(Duration::from_millis(5));
    };
    let printed = fs::read_to_string(&log)?;
    Ok(if status.success() { Outcome::Solved } else { Outcome::Failed(format!("{printed}\n{status}")) })
}

/// The name and the file of a library, from a line of cargo's messages.
fn library(line: &str) -> Option<(String, PathBuf)> {
    let message: Value = serde_json::from_str(line).ok()?;
    let name = message.get("target")?.get("name")?.as_str()?.replace('-', "_");
    if message.get("reason")?.as_str()? != "compiler-artifact" || !LIBRARIES.contains(&name.as_str()) {
        return None;
    }
    let files = message.get("filenames")?.as_array()?.iter().filter_map(Value::as_str);
    let file = files.map(PathBuf::from).find(|file| file.extension().is_some_and(|ending| ending == "rlib"))?;
    Some((name, file))
}
