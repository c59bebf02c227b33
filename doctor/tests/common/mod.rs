//! Runs the program on machines with different installations of the vendor's software.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An AscendCL library that does nothing: a part of the functions that every release should have.
pub(crate) const OLD: &str = include_str!("../../../tests/null/library.c");

/// A library with every function that every release should have. Those that `source` does not define answer 0.
pub(crate) fn complete(source: &str) -> String {
    let required = ascendcl_sys::table().filter(|function| function.required);
    let others = required.filter(|function| !source.contains(&format!("{}(", function.name)));
    source.to_owned()
        + &others.map(|function| format!("aclError {}() {{ return 0; }}\n", function.name)).collect::<String>()
}

/// A folder with the vendor's software, or without.
pub(crate) struct Machine {
    home: PathBuf,
    variables: Vec<(String, String)>,
    arguments: Vec<String>,
}

impl Machine {
    /// Nothing is installed, but the variable that names an installation is set.
    pub(crate) fn new(name: &str) -> Self {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if home.exists() {
            fs::remove_dir_all(&home).unwrap();
        }
        fs::create_dir_all(home.join("lib64")).unwrap();
        let path = home.display().to_string();
        Self { home, variables: vec![("ASCEND_HOME_PATH".into(), path)], arguments: Vec::new() }
    }

    /// A library is compiled from C to this place of the installation.
    pub(crate) fn with(self, file: &str, source: &str) -> Self {
        let library = self.home.join(file);
        fs::create_dir_all(library.parent().unwrap()).unwrap();
        let text = library.with_extension("c");
        fs::write(&text, source).unwrap();
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
        let built = Command::new(&compiler).args(["-shared", "-fPIC", "-w", "-o"]).arg(&library).arg(&text).status();
        assert!(built.is_ok_and(|status| status.success()), "the C compiler `{compiler}` is needed for this test");
        self
    }

    /// A file with this text is in this place of the installation.
    pub(crate) fn with_text(self, file: &str, text: &str) -> Self {
        fs::write(self.home.join(file), text).unwrap();
        self
    }

    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    pub(crate) fn argument(mut self, argument: &str) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub(crate) fn file(&self, name: &str) -> String {
        self.home.join(name).display().to_string()
    }

    /// The program, in an environment in which only these variables matter.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ascendcl-doctor"));
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if name.starts_with("ASCEND") || name == "LD_LIBRARY_PATH" {
                command.env_remove(&*name);
            }
        }
        command.env("HOME", self.home.join("nobody")).envs(self.variables.iter().cloned()).args(&self.arguments);
        command
    }

    /// What the program reports, in words and as JSON.
    #[track_caller]
    pub(crate) fn report(&self) -> Report {
        let words = self.command().output().unwrap();
        let json = self.command().arg("--json").output().unwrap();
        assert_eq!(words.status.code(), json.status.code(), "{words:?}\n{json:?}");
        let text = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();
        assert_eq!(String::from_utf8_lossy(&words.stderr), "", "{}", text(&words));
        let value: Value = serde_json::from_str(&text(&json)).unwrap();
        assert_eq!(value["format"], 1);
        assert_eq!(value["usable"], words.status.code() == Some(0));
        Report { status: words.status.code(), words: text(&words), json: value }
    }
}

pub(crate) struct Report {
    pub(crate) status: Option<i32>,
    pub(crate) words: String,
    pub(crate) json: Value,
}

impl Report {
    /// The verdict, the exit status, and lines that are in the text.
    #[track_caller]
    pub(crate) fn says(&self, verdict: &str, status: i32, lines: &[&str]) -> &Self {
        assert_eq!(self.json["verdict"], verdict, "{}", self.words);
        assert_eq!(self.status, Some(status), "{}", self.words);
        for line in lines {
            assert!(self.words.lines().any(|found| found == *line), "no line {line:?} in\n{}", self.words);
        }
        self
    }

    /// A part of the text.
    #[track_caller]
    pub(crate) fn contains(&self, part: &str) -> &Self {
        assert!(self.words.contains(part), "no {part:?} in\n{}", self.words);
        self
    }

    /// The kinds of the problems, in order.
    pub(crate) fn kinds(&self) -> Vec<&str> {
        self.json["problems"].as_array().unwrap().iter().map(|problem| problem["kind"].as_str().unwrap()).collect()
    }
}
