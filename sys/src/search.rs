//! Where the vendor's library may be installed.

use core::fmt;
use std::env;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The files that contain the runtime's functions, newest first. Releases before 8.5 have only the second one, which
/// then also contains the functions of models and operators.
pub(crate) const RUNTIME: [&str; 2] = ["libacl_rt.so", "libascendcl.so"];

/// The variables that the vendor's `set_env.sh` sets to the path of an installation.
pub const VARIABLES: [&str; 2] = ["ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"];

/// The folders of the vendor's packages, below the folder of all its software.
const PACKAGES: [&str; 5] = ["cann", "ascend-toolkit/latest", "latest", "nnrt/latest", "nnae/latest"];

/// A folder that an installation of the vendor's software may be in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Home {
    pub path: PathBuf,
    /// Why it is in the list: the name of a variable, or `standard folder`.
    pub because: &'static str,
}

/// A file to look for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    pub path: PathBuf,
    /// Why it is in the list: the name of a variable, `standard folder`, or `dynamic loader`.
    pub because: &'static str,
}

/// A place where the crate looked, and the outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    pub path: PathBuf,
    /// Why the place was searched; may be empty.
    pub because: &'static str,
    pub outcome: String,
}

impl Attempt {
    /// Whether a file may be there: the system did not allow to look, for example.
    pub fn is_undecided(&self) -> bool {
        self.outcome.starts_with(UNDECIDED)
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if !self.because.is_empty() {
            write!(f, " ({})", self.because)?;
        }
        write!(f, ": {}", self.outcome)
    }
}

pub(crate) const ABSENT: &str = "no such file or directory";
const UNDECIDED: &str = "this place cannot be searched";
pub(crate) const STUB: &str = "a stub for linking, whose functions do nothing";

impl Candidate {
    /// A file that the program or a variable names. A relative path is that of the folder of this moment.
    pub fn of_file(path: impl AsRef<Path>, because: &'static str) -> Self {
        Self { path: absolute(path.as_ref()), because }
    }

    pub(crate) fn was(self, outcome: &str) -> Attempt {
        Attempt { path: self.path, because: self.because, outcome: outcome.to_owned() }
    }

    /// Whether the dynamic loader refused because it found no such file, and not because the file or one of its
    /// dependencies is broken.
    ///
    /// Each C library has other words for that, and some translate them. But a loader that lacks a dependency names that.
    /// One that has found the file names its path, or says with the bare name what it could not do with the file.
    pub(crate) fn reason_means_not_found(&self, reason: &str) -> bool {
        const FOUND: [&str; 8] = [
            "failed to map segment",
            "object file has no",
            "cannot allocate",
            "cannot stat shared object",
            "memory protections",
            "executable stack",
            "position-independent",
            "Exec format error",
        ];
        if FOUND.iter().any(|words| reason.contains(words)) {
            return false;
        }
        let ends = |each: char| each.is_whitespace() || [':', ',', ';', '(', ')', '\'', '`', '"'].contains(&each);
        let is_file = |word: &&str| word.contains('/') || word.contains(".so");
        let mut files = reason.split(ends).filter(is_file);
        self.is_left_to_the_loader() && files.all(|file| Path::new(file) == self.path)
    }

    /// Whether the file is a stub of a toolkit for linking, which [`Library::open_first`](crate::Library::open_first)
    /// passes over.
    pub fn is_a_stub(&self) -> bool {
        is_stub(&self.path)
    }

    /// Whether the path is a bare file name, which the dynamic loader searches for. An empty path is none: the loader takes
    /// it for the program itself.
    pub fn is_left_to_the_loader(&self) -> bool {
        !self.path.as_os_str().is_empty() && !has_folder(&self.path)
    }
}

/// Whether this is the path of a file, and not a bare name for which the dynamic loader searches.
pub(crate) fn has_folder(path: &Path) -> bool {
    path.parent().is_some_and(|folder| !folder.as_os_str().is_empty())
}

/// The path from the root, unless it is a bare name.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let absolute = if has_folder(path) { std::path::absolute(path).ok() } else { None };
    absolute.unwrap_or_else(|| path.to_owned())
}

/// Why a file cannot be opened: it does not exist, or the system cannot say whether it does. `None` if it exists.
pub(crate) fn why_not_there(path: &Path) -> Option<String> {
    match path.try_exists() {
        Ok(true) => None,
        Ok(false) => Some(ABSENT.to_owned()),
        // A file has no files in it.
        Err(error) if error.kind() == ErrorKind::NotADirectory => Some(ABSENT.to_owned()),
        Err(error) => Some(format!("{UNDECIDED}: {error}")),
    }
}

/// The folders that an installation may be in, in search order: those that the vendor's variables name, then the
/// standard folders for all users, then those of this user.
pub fn homes() -> Vec<Home> {
    let named = VARIABLES.into_iter().filter_map(|variable| {
        let home = env::var_os(variable).filter(|home| !home.is_empty())?;
        Some(Home { path: home.into(), because: variable })
    });
    let own = env::var_os("HOME").filter(|home| !home.is_empty()).map(|home| Path::new(&home).join("Ascend"));
    // A home that this user may not enter is another user's: a program that was started with `sudo -u` may have it.
    let is_forbidden = |error: std::io::Error| error.kind() == ErrorKind::PermissionDenied;
    let own = own.filter(|folder| !folder.metadata().is_err_and(is_forbidden));
    let standard = [PathBuf::from("/usr/local/Ascend")]
        .into_iter()
        .chain(own)
        .flat_map(|root| PACKAGES.map(|package| Home { path: root.join(package), because: "standard folder" }));
    named.chain(standard).collect()
}

impl Home {
    /// The folders of libraries: the usual one, and those of other releases that exist.
    pub fn library_folders(&self) -> Vec<PathBuf> {
        let usual = self.path.join("lib64");
        let machine = format!("{}-linux/lib64", env::consts::ARCH);
        let others = [machine.as_str(), "runtime/lib64", "acllib/lib64"].map(|folder| self.path.join(folder));
        [usual].into_iter().chain(others.into_iter().filter(|folder| folder.is_dir())).collect()
    }
}

/// The files that may be the vendor's runtime: in [`homes`], and in the folders that the dynamic loader searches.
///
/// For a home that does not exist, the list has the home instead of its files. In each folder the newest file comes
/// first.
pub fn candidates() -> Vec<Candidate> {
    let mut found = Vec::new();
    for home in homes() {
        let because = home.because;
        if home.path.is_dir() {
            let files = home.library_folders().into_iter().flat_map(|folder| RUNTIME.map(|file| folder.join(file)));
            found.extend(files.map(|path| Candidate { path, because }));
        } else {
            found.push(Candidate { path: home.path, because });
        }
    }
    // The dynamic loader searches these folders too, but it takes the first file of a name, which may be a stub.
    let searched = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders = env::split_paths(&searched).filter(|folder| !folder.as_os_str().is_empty());
    let files = folders
        .flat_map(|folder| RUNTIME.map(|file| folder.join(file)))
        .filter(|file| why_not_there(file).is_none_or(|why| why != ABSENT));
    found.extend(files.map(|path| Candidate { path, because: "LD_LIBRARY_PATH" }));
    found.extend(RUNTIME.map(|file| Candidate { path: file.into(), because: "dynamic loader" }));
    found
}

/// Whether a file is a stub of a toolkit for linking. Stubs are in folders of these names, or in folders below them for
/// each system and machine. Symbolic links are resolved first.
pub(crate) fn is_stub(path: &Path) -> bool {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let names = path.ancestors().skip(1).filter_map(|folder| folder.file_name()?.to_str());
    let mut names = names.skip_while(|name| ["linux", "x86_64", "aarch64"].contains(name));
    names.next().is_some_and(|name| ["stub", "devlib"].contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_is_absent_unless_the_loader_names_another_file() {
        let bare = Candidate { path: "libacl_rt.so".into(), because: "dynamic loader" };
        for reason in [
            "libacl_rt.so: cannot open shared object file: No such file or directory",
            "Error loading shared library libacl_rt.so: No such file or directory",
            "libacl_rt.so: kann Shared-Object-Datei nicht \u{f6}ffnen: Datei oder Verzeichnis nicht gefunden",
        ] {
            assert!(bare.reason_means_not_found(reason), "{reason}");
        }
        for reason in [
            "libascend_hal.so: cannot open shared object file: No such file or directory",
            "Error loading shared library libascend_hal.so: No such file or directory (needed by /opt/libacl_rt.so)",
            "/opt/libacl_rt.so: undefined symbol: hal",
            "libacl_rt.so: failed to map segment from shared object: Operation not permitted",
            "libacl_rt.so: object file has no loadable segments",
            "libc.so.6: version `GLIBC_2.99' not found (required by /opt/libacl_rt.so)",
        ] {
            assert!(!bare.reason_means_not_found(reason), "{reason}");
        }
        let named = Candidate { path: "/opt/libacl_rt.so".into(), because: "the given path" };
        assert!(
            !named
                .reason_means_not_found("/opt/libacl_rt.so: cannot open shared object file: No such file or directory")
        );
    }
}
