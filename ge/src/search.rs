//! Where the shim may be, and what is there instead.

use std::env;
use std::path::{Path, PathBuf};

/// The variable that names a shim.
pub(crate) const VARIABLE: &str = "ASCENDCL_GE_LIBRARY";
/// The C functions that newer toolkits bring along, for their own Python package.
const WRAPPER: &str = "libge_runtime_wrapper.so";

/// Which shim to load.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Place {
    /// The one that `ASCENDCL_GE_LIBRARY` names, or else the one that was compiled with this crate.
    #[default]
    Installed,
    /// A file.
    At(PathBuf),
}

impl Place {
    pub(crate) fn path(&self) -> Option<PathBuf> {
        match self {
            Self::At(path) => Some(path.clone()),
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

/// A toolkit that has the wrapper, here and now.
pub(crate) fn wrapper() -> Option<PathBuf> {
    let now = env::var_os("ASCEND_HOME_PATH").map(PathBuf::from);
    now.into_iter().chain(looked()).map(|home| home.join("lib64").join(WRAPPER)).find(|path| Path::exists(path))
}
