//! Where a shim or the vendor's wrapper may be.

use std::env;
use std::path::PathBuf;

/// The variable that names a shim, or a wrapper.
pub(crate) const VARIABLE: &str = "ASCENDCL_GE_LIBRARY";
/// The C functions that newer toolkits bring along, for their own Python package.
const WRAPPER: &str = "libge_runtime_wrapper.so";

/// Which library to load.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Place {
    /// The one that `ASCENDCL_GE_LIBRARY` names (the environment is trusted), or else the shim that was compiled with this crate, or else the vendor's
    /// `libge_runtime_wrapper.so`.
    #[default]
    Installed,
    /// A file, a shim or a wrapper, for which the program vouches: [`Place::at`].
    At(VouchedFile),
}

/// A file that somebody vouched for: [`Place::at`] makes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VouchedFile(PathBuf);

impl Place {
    /// The library in a file. Safe code names none:
    ///
    /// ```compile_fail,E0133
    /// let place = ascendcl_ge_sys::Place::at("/nonexistent/libascendcl_ge.so");
    /// ```
    ///
    /// # Safety
    ///
    /// Loading a file runs its initialisers, and calling a function assumes its signature: when it is loaded, the file has
    /// to be a shim of this crate or the vendor's wrapper. A file that is absent, or that is no library, is an error.
    pub unsafe fn at(path: impl Into<PathBuf>) -> Self {
        Self::At(VouchedFile(path.into()))
    }

    /// The shim, or what was named. Nothing when only a wrapper may be there.
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

/// The wrapper: in the folders where AscendCL's own library is looked for, in the same order, or else as a bare name, for
/// the dynamic loader to find.
pub(crate) fn wrapper() -> PathBuf {
    let folders = ascendcl_sys::homes().into_iter().flat_map(|home| home.library_folders());
    folders.map(|folder| folder.join(WRAPPER)).find(|path| path.exists()).unwrap_or_else(|| WRAPPER.into())
}
