//! What a program finds, and which errors it gets, on machines with different installations of the vendor's software.
//!
//! Each program is this test binary, started again with only [`probe`], in an environment of its own.

use super::common::shared_simulator;
use super::common::{compiled, scratch};
use ascendcl::{Acl, Error, Library, Thread};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The runtime's functions, and those of models, which newer releases have in a file of their own.
const SOURCE: &str = include_str!("../null/library.c");
const MODELS: &str = "/* A model without inputs and outputs. */";

/// A folder with the vendor's software, or without.
struct Installation {
    home: PathBuf,
}

impl Installation {
    fn empty(name: &str) -> Self {
        let home = scratch("installations").join(name);
        if home.exists() {
            fs::remove_dir_all(&home).unwrap();
        }
        fs::create_dir_all(&home).unwrap();
        Self { home }
    }

    fn with(self, file: &str, source: &str) -> Self {
        let path = self.home.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        compiled(source, &path);
        self
    }

    /// `libascendcl.so` alone: releases up to 8.3.
    fn old(name: &str) -> Self {
        Self::empty(name).with("lib64/libascendcl.so", SOURCE)
    }

    fn runtime_alone(name: &str) -> Self {
        Self::empty(name).with("lib64/libacl_rt.so", SOURCE.split_once(MODELS).unwrap().0)
    }

    /// Split files, without the one of old.
    fn new(name: &str) -> Self {
        let (prelude, _) = SOURCE.split_once("aclError aclInit").unwrap();
        let models = [prelude, SOURCE.split_once(MODELS).unwrap().1].concat();
        Self::runtime_alone(name).with("lib64/libacl_mdl.so", &models)
    }

    fn file(&self, name: &str) -> String {
        self.home.join(name).display().to_string()
    }

    /// What a program says that takes the installation from `ASCEND_HOME_PATH`.
    fn says(&self, wants: &str) -> Said {
        Said::by(wants, &[("ASCEND_HOME_PATH", &self.home)])
    }
}

/// What a program printed.
struct Said {
    out: String,
    err: String,
}

impl Said {
    fn by(wants: &str, variables: &[(&str, &Path)]) -> Self {
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(["--exact", "installations::probe", "--ignored", "--nocapture", "--test-threads=1"]);
        for variable in ["ASCENDCL_LIBRARY", "ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "LD_LIBRARY_PATH"] {
            program.env_remove(variable);
        }
        program.current_dir(scratch("installations"));
        // What is installed for the user of this machine is out of sight.
        program.env("HOME", scratch("installations")).env("PROBE", wants).envs(variables.iter().copied());
        let output = program.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { out: text(output.stdout), err: text(output.stderr) }
    }

    #[track_caller]
    fn contains(&self, part: &str) -> &Self {
        assert!(self.out.contains(part) || self.err.contains(part), "no {part:?} in\n{}\n{}", self.out, self.err);
        self
    }
}

/// Loads a library, then a model, and says how that went.
#[test]
#[ignore = "the programs of the other tests"]
fn probe() {
    let library = match std::env::var("PROBE").as_deref() {
        Ok("vendor") => Library::Vendor,
        Ok("either") => Library::VendorOrSimulator,
        other => panic!("{other:?}"),
    };
    let went = || -> Result<(), Error> {
        let acl = Acl::init(library)?;
        println!("library: {}", acl.library());
        // A program that begins to serve may do this before it loads its models.
        std::env::set_current_dir("/").unwrap();
        if acl.library().is_simulator() {
            return acl.close().map_err(Error::from);
        }
        let mut thread = Thread::new()?;
        let device = acl.device(&mut thread, 0)?;
        let loaded = device.with_current(&mut thread, |current| match current.load_model("a.om") {
            Ok(model) => {
                println!("model: loaded");
                model.unload(current).map_err(Error::from)
            }
            Err(error) => {
                println!("model: {error}");
                Ok(())
            }
        });
        loaded.unwrap()?;
        device.reset(&mut thread)?;
        acl.close().map_err(Error::from)
    };
    if let Err(error) = went() {
        println!("error: {error}");
    }
}

/// A machine with the vendor's software in the standard place finds it where these tests expect nothing.
fn nothing_is_installed_here() -> bool {
    let nothing = !Path::new("/usr/local/Ascend").exists();
    if !nothing {
        eprintln!("skipped: /usr/local/Ascend is there");
    }
    nothing
}

#[test]
fn old_one_file_has_everything() {
    let old = Installation::old("old");
    for wants in ["vendor", "either"] {
        let said = old.says(wants);
        said.contains(&format!("library: the library at {}\n", old.file("lib64/libascendcl.so")));
        said.contains("model: loaded\n");
    }
}

#[test]
fn new_each_file_has_its_part_and_the_one_of_old_is_not_needed() {
    let new = Installation::new("new");
    for wants in ["vendor", "either"] {
        let said = new.says(wants);
        said.contains(&format!("library: the library at {}\n", new.file("lib64/libacl_rt.so")));
        said.contains("model: loaded\n");
    }
}

#[test]
fn new_the_newer_file_is_taken_where_both_are_there() {
    let both =
        Installation::new("both").with("lib64/libascendcl.so", "int aclInit(const char *path) { return 100000; }");
    let said = both.says("vendor");
    said.contains(&format!("library: the library at {}\n", both.file("lib64/libacl_rt.so")));
    said.contains("model: loaded\n");
}

#[test]
fn only_the_runtime_what_is_missing_is_an_error_that_says_where_it_was_looked_for() {
    let runtime = Installation::runtime_alone("runtime");
    for wants in ["vendor", "either"] {
        let said = runtime.says(wants);
        said.contains(&format!("library: the library at {}\n", runtime.file("lib64/libacl_rt.so")));
        said.contains(&format!(
            "model: could not load the model a.om: the library at {0} has no `aclmdlLoadFromFile`; looked for it in\n  \
             {0}: it has no such function\n  {1}: no such file or directory\n  {2}: no such file or directory\n",
            runtime.file("lib64/libacl_rt.so"),
            runtime.file("lib64/libacl_mdl.so"),
            runtime.file("lib64/libascendcl.so"),
        ));
    }
}

#[test]
fn a_part_that_cannot_be_loaded_is_told_with_the_loaders_reason() {
    let broken = Installation::runtime_alone("broken");
    fs::write(broken.home.join("lib64/libacl_mdl.so"), "text").unwrap();
    let said = broken.says("vendor");
    said.contains(&format!("\n  {}: it cannot be loaded: ", broken.file("lib64/libacl_mdl.so")));
}

#[test]
fn nothing_is_an_error_with_every_place_or_the_simulator_which_is_announced() {
    if !nothing_is_installed_here() {
        return;
    }
    let nothing = Installation::empty("nothing");
    let said = nothing.says("vendor");
    said.contains("error: no AscendCL library was found; looked for\n");
    for place in ["lib64/libacl_rt.so", "lib64/libascendcl.so"] {
        said.contains(&format!("\n  {} (ASCEND_HOME_PATH): no such file or directory\n", nothing.file(place)));
    }
    said.contains("\n  /usr/local/Ascend/cann (standard folder): no such file or directory\n");
    said.contains("\n  libacl_rt.so (dynamic loader): not on its search path\n");
    said.contains("\n  libascendcl.so (dynamic loader): not on its search path\n");

    let said = nothing.says("either");
    said.contains("library: the simulator inside this program (no Ascend device is used)\n");
    assert_eq!(
        said.err,
        "ascendcl: no library of the vendor's is installed: running on the simulator inside this program (no Ascend device \
         is used)\n"
    );
}

#[test]
fn a_library_in_a_folder_of_another_release_is_found() {
    for folder in ["runtime/lib64", "acllib/lib64", &format!("{}-linux/lib64", std::env::consts::ARCH)] {
        let file = format!("{folder}/libascendcl.so");
        let found = Installation::empty(&folder.replace('/', "-")).with(&file, SOURCE);
        found.says("vendor").contains(&format!("library: the library at {}\n", found.file(&file)));
    }
}

/// A toolkit contains stubs for linking, whose functions do nothing and return 0.
#[test]
fn a_stub_is_not_taken_however_it_is_found() {
    if !nothing_is_installed_here() {
        return;
    }
    let stub = "int aclInit(const char *path) { (void)path; return 0; }";
    let stubs =
        Installation::empty("stubs").with("runtime/lib64/stub/libascendcl.so", stub).with("devlib/libacl_rt.so", stub);
    // By a link in the place of the library, and by the search path of the dynamic loader.
    fs::create_dir(stubs.home.join("lib64")).unwrap();
    std::os::unix::fs::symlink("../devlib/libacl_rt.so", stubs.home.join("lib64/libacl_rt.so")).unwrap();
    let said = stubs.says("vendor");
    said.contains(&format!(
        "\n  {} (ASCEND_HOME_PATH): a stub for linking, whose functions do nothing\n",
        stubs.file("lib64/libacl_rt.so")
    ));
    for (folder, file) in [("runtime/lib64/stub", "libascendcl.so"), ("devlib", "libacl_rt.so")] {
        let path = stubs.home.join(folder);
        let said = Said::by("vendor", &[("LD_LIBRARY_PATH", &path)]);
        said.contains("error: no AscendCL library was found; looked for\n").contains(&format!(
            "\n  {} (LD_LIBRARY_PATH): a stub for linking, whose functions do nothing\n",
            path.join(file).display()
        ));
        let said = Said::by("either", &[("LD_LIBRARY_PATH", &path)]);
        said.contains("library: the simulator").contains("ascendcl: no library of the vendor's is installed");
    }
    let named = stubs.home.join("devlib/libacl_rt.so");
    let said = Said::by("either", &[("ASCENDCL_LIBRARY", &named)]);
    said.contains("error: no AscendCL library").contains("(ASCENDCL_LIBRARY): a stub for linking");
}

/// Also where the program asks for the vendor's library: it says so.
#[test]
fn the_simulator_that_the_environment_names_is_announced() {
    for wants in ["vendor", "either"] {
        let said = Said::by(wants, &[("ASCENDCL_LIBRARY", Path::new("sim"))]);
        said.contains("library: the simulator").contains("ascendcl: running on the simulator inside this program");
    }
}

/// A stub before the library on the dynamic loader's path does not hide it.
#[test]
fn a_library_behind_a_stub_on_the_search_path_is_found() {
    let stub = "int aclInit(const char *path) { (void)path; return 0; }";
    let found = Installation::new("behind").with("devlib/libacl_rt.so", stub);
    let path = format!("{}:{}", found.file("devlib"), found.file("lib64"));
    let said = Said::by("vendor", &[("LD_LIBRARY_PATH", Path::new(&path))]);
    said.contains(&format!("library: the library at {}\n", found.file("lib64/libacl_rt.so")))
        .contains("model: loaded\n");
}

#[test]
fn the_simulator_laid_out_as_an_installation_is_one() {
    let home = Installation::empty("simulator").home;
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/install-simulator.sh");
    // The second time it replaces itself.
    for _ in 0..2 {
        let laid_out = Command::new(&tool).arg(&home).arg(shared_simulator()).status().unwrap();
        assert!(laid_out.success());
    }
    for wants in ["vendor", "either"] {
        let said = Said::by(wants, &[("ASCEND_HOME_PATH", &home)]);
        said.contains(&format!("library: the library at {}\n", home.join("lib64/libacl_rt.so").display()));
        // It is a library like the vendor's, and says no of a file that is not there.
        said.contains("model: could not load the model a.om: aclmdlLoadFromFile answered");
    }
}

/// The files beside a library are opened at the first call of one of their functions, when the program has gone elsewhere.
#[test]
fn a_relative_path_is_that_of_the_folder_in_which_the_library_was_loaded() {
    let new = Installation::new("relative");
    for (variable, path) in [("ASCENDCL_LIBRARY", "relative/lib64/libacl_rt.so"), ("ASCEND_HOME_PATH", "relative")] {
        let said = Said::by("vendor", &[(variable, Path::new(path))]);
        said.contains(&format!("library: the library at {}\n", new.file("lib64/libacl_rt.so")));
        said.contains("model: loaded\n");
    }
}

/// A link to itself is a place of which the system cannot say whether a library is there, as a folder is that the user
/// may not read.
#[test]
fn a_place_that_cannot_be_searched_is_no_reason_to_take_the_simulator() {
    if !nothing_is_installed_here() {
        return;
    }
    let closed = Installation::empty("closed");
    std::os::unix::fs::symlink("lib64", closed.home.join("lib64")).unwrap();
    for wants in ["vendor", "either"] {
        let said = closed.says(wants);
        said.contains("error: no AscendCL library was found; looked for\n");
        said.contains(&format!(
            "\n  {} (ASCEND_HOME_PATH): this place cannot be searched: ",
            closed.file("lib64/libacl_rt.so")
        ));
    }
    let said = Said::by("either", &[("LD_LIBRARY_PATH", &closed.home.join("lib64"))]);
    said.contains("libacl_rt.so (LD_LIBRARY_PATH): this place cannot be searched: ");
}

/// The number of the processor in the header of the file: SPARC.
#[test]
fn a_library_for_another_processor_is_told_as_one() {
    let other = Installation::new("processor");
    for (file, starts) in [("lib64/libacl_mdl.so", "model: "), ("lib64/libacl_rt.so", "error: ")] {
        let mut bytes = fs::read(other.home.join(file)).unwrap();
        bytes[18..20].copy_from_slice(&43_u16.to_le_bytes());
        fs::write(other.home.join(file), bytes).unwrap();
        let said = other.says("vendor");
        said.contains(starts).contains("; the file is there, so it may be of another processor");
    }
}

#[test]
fn the_simulator_is_not_laid_out_over_a_library_of_the_vendors() {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/install-simulator.sh");
    for installed in [Installation::new("kept-new"), Installation::old("kept-old")] {
        let names: Vec<_> = ["lib64/libacl_rt.so", "lib64/libascendcl.so"].map(|file| installed.home.join(file)).into();
        let before: Vec<_> = names.iter().map(|file| fs::read(file).ok()).collect();
        let refused = Command::new(&tool).arg(&installed.home).arg(shared_simulator()).output().unwrap();
        assert_eq!(refused.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&refused.stderr).contains("is not the simulator: choose another folder"));
        assert!(names.iter().map(|file| fs::read(file).ok()).eq(before));
    }
}
