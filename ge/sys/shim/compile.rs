// Compiles C++ to a shared object; shared by the build scripts of this crate and of the double.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A shared object to be made by the C++ compiler.
struct SharedObject<'a> {
    sources: &'a [PathBuf],
    includes: &'a [PathBuf],
    /// Where the libraries lie that it is linked with, and the names of those.
    libraries: Option<(&'a Path, &'a [&'a str])>,
}

impl SharedObject<'_> {
    /// The compiler is the one that `CXX` names, or the system's. An error says what it said.
    fn make(&self, to: &Path) -> Result<(), String> {
        let compiler = cc::Build::new().cpp(true).cargo_metadata(false).cargo_warnings(false).try_get_compiler();
        let mut command = compiler.map_err(|error| format!("there is no C++ compiler: {error}"))?.to_command();
        command.args(["-std=c++17", "-fPIC", "-shared", "-fvisibility-inlines-hidden", "-pthread"]).args(self.sources);
        for folder in self.includes {
            command.arg("-I").arg(folder);
        }
        if let Some((folder, names)) = self.libraries {
            command.arg("-L").arg(folder).arg(format!("-Wl,-rpath,{}", folder.display()));
            command.args(names.iter().map(|name| format!("-l{name}")));
            // Without these, a function that no library has would end the process at its first call.
            command.args(["-Wl,-z,defs", "-Wl,-z,now"]);
        }
        command.arg("-o").arg(to);
        run(command)
    }
}

fn run(mut command: Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("the C++ compiler cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("the C++ compiler refused:\n{}", String::from_utf8_lossy(&output.stderr)))
}
