//! Where a shim or the vendor's wrapper may be installed.

use std::env;
use std::path::PathBuf;

/// The variable that names a shim, or a wrapper.
pub(crate) const VARIABLE: &str = "ASCENDCL_GE_LIBRARY";
/// The vendor's C functions, which newer toolkits have for their own Python package.
const WRAPPER: &str = "libge_runtime_wrapper.so";

/// Which library to load.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Place {
    /// The library that `ASCENDCL_GE_LIBRARY` names (the environment is trusted), or else the shim that was compiled
    /// with this crate, or else the vendor's `libge_runtime_wrapper.so`.
    #[default]
    Installed,
    /// A file that is a shim or a wrapper, as the program guarantees: [`Place::at`].
    At(VouchedFile),
}

/// A file that the program guarantees to be suitable. [`Place::at`] makes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VouchedFile(PathBuf);

impl Place {
    /// The library in a file. Safe code cannot name a file:
    ///
    /// ```compile_fail,E0133
    /// let place = ascendcl_ge_sys::Place::at("/nonexistent/libascendcl_ge.so");
    /// ```
    ///
    /// # Safety
    ///
    /// Loading a file runs its initialisers, and calling a function assumes its signature. When the file is loaded, it
    /// has to be a shim of this crate or the vendor's wrapper. If the file does not exist or is not a library, the
    /// result is an error.
    pub unsafe fn at(path: impl Into<PathBuf>) -> Self {
        Self::At(VouchedFile(path.into()))
    }

    /// The path of the shim or of the named file. `None` if only a wrapper may be installed.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        match self {
            Self::At(file) => Some(file.0.clone()),
            Self::Installed => {
                let named = env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
                named.or_else(|| option_env!("ASCENDCL_GE_SHIM").map(PathBuf::from))
            }
        }
    }
}

/// The folders in which the build looked for the engine's headers.
pub(crate) fn looked() -> Vec<PathBuf> {
    env!("ASCENDCL_GE_LOOKED").split(':').map(PathBuf::from).collect()
}

/// The path of the wrapper. The search uses the folders of AscendCL's own library, in the same order. If none has the
/// wrapper, the path is the bare name, which the dynamic loader searches for.
pub(crate) fn wrapper() -> PathBuf {
    let folders = ascendcl_sys::homes().into_iter().flat_map(|home| home.library_folders());
    folders.map(|folder| folder.join(WRAPPER)).find(|path| path.exists()).unwrap_or_else(|| WRAPPER.into())
}
