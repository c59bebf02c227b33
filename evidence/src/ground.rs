//! Where the parts work: the repository, the folder of the results, and the programs that they start.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) struct Ground {
    pub(crate) root: PathBuf,
    results: PathBuf,
}

/// A program that has ended.
pub(crate) struct Ran {
    pub(crate) ok: bool,
    /// The output of the program, stdout and stderr, in the order of time.
    pub(crate) text: String,
    /// The file with the output, below the folder of the results.
    pub(crate) log: String,
}

impl Ran {
    /// The last lines that are not empty: programs report their errors there.
    pub(crate) fn end(&self) -> String {
        let lines: Vec<_> = self.text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let from = lines.len().saturating_sub(3);
        lines.get(from..).unwrap_or_default().join(" / ")
    }
}

impl Ground {
    /// Creates the folder of the results. With `anew`, first deletes the files of an earlier run.
    pub(crate) fn new(root: &Path, anew: bool) -> Result<Self, String> {
        let results = root.join("target/evidence");
        if anew && results.exists() {
            fs::remove_dir_all(&results).map_err(|error| format!("{}: {error}", results.display()))?;
        }
        fs::create_dir_all(results.join("logs")).map_err(|error| format!("{}: {error}", results.display()))?;
        Ok(Self { root: root.to_owned(), results })
    }

    /// A file of the results.
    pub(crate) fn out(&self, name: &str) -> PathBuf {
        self.results.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.out(name);
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| format!("{name}: {error}"))
    }

    /// A file of the repository.
    pub(crate) fn read(&self, name: &str) -> Result<String, String> {
        fs::read_to_string(self.root.join(name)).map_err(|error| format!("{name}: {error}"))
    }

    /// A program that runs in the root of the repository, with the tools of `.ci/evidence --install-tools` on its path.
    pub(crate) fn command(&self, program: &str) -> Command {
        let own = self.root.join("target/tools/bin");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path))).unwrap_or(path);
        let mut command = Command::new(program);
        command.current_dir(&self.root).env("PATH", path).stdin(Stdio::null());
        // Cargo sets these variables for this program. They must not affect the builds that this program starts.
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
                command.env_remove(name);
            }
        }
        command
    }

    /// Runs the program to its end, and writes its output to `logs/<log>.log`.
    pub(crate) fn run(&self, log: &str, command: &mut Command) -> Result<Ran, String> {
        let log = format!("logs/{log}.log");
        let path = self.out(&log);
        let file = File::create(&path).map_err(|error| format!("{log}: {error}"))?;
        let both = file.try_clone().map_err(|error| format!("{log}: {error}"))?;
        let status = command.stdout(file).stderr(both).status();
        let ok = status.map_err(|error| format!("{}: {error}", command_line(command)))?.success();
        let text = fs::read(&path).map_err(|error| format!("{log}: {error}"))?;
        Ok(Ran { ok, text: String::from_utf8_lossy(&text).into_owned(), log })
    }

    /// The program's output to stdout, if it succeeds.
    pub(crate) fn output(&self, command: &mut Command) -> Result<String, String> {
        let output = command.output().map_err(|error| format!("{}: {error}", command_line(command)))?;
        if !output.status.success() {
            return Err(format!("{}: {}", command_line(command), String::from_utf8_lossy(&output.stderr).trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Where this program is.
    pub(crate) fn path_of(&self, program: &str) -> Option<PathBuf> {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
    }

    /// Whether rustup has a nightly toolchain.
    pub(crate) fn has_nightly(&self) -> bool {
        self.output(self.command("cargo").args(["+nightly", "--version"]).env_remove("RUSTUP_TOOLCHAIN")).is_ok()
    }

    /// Whether the nightly toolchain has the source of the standard library.
    pub(crate) fn has_source_of_nightly(&self) -> bool {
        let root =
            self.output(self.command("rustc").args(["+nightly", "--print", "sysroot"]).env_remove("RUSTUP_TOOLCHAIN"));
        root.is_ok_and(|root| Path::new(root.trim()).join("lib/rustlib/src/rust/library/std").exists())
    }

    pub(crate) fn has_miri(&self) -> bool {
        self.output(self.command("cargo").args(["+nightly", "miri", "--version"]).env_remove("RUSTUP_TOOLCHAIN"))
            .is_ok()
    }

    /// Whether the program can be started.
    pub(crate) fn has(&self, program: &str) -> bool {
        self.command(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    }
}

fn command_line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
