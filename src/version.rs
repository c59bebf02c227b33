//! The versions of the library and of the vendor's packages.

use crate::error::Error;
use crate::library::Loaded;
use ascendcl_sys::types::aclCANNPackageName;
use core::fmt;

/// The version of the C interface of a library ([`Loaded::interface_version`]). It prints like `1.15.0`.
///
/// ```
/// use ascendcl::{Acl, Library};
///
/// let acl = Acl::init(Library::Simulator)?;
/// let version = acl.library().interface_version()?;
/// println!("{}.{}.{}", version.major, version.minor, version.patch);
/// # Ok::<(), ascendcl::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InterfaceVersion {
    /// The first number.
    pub major: i32,
    /// The second number.
    pub minor: i32,
    /// The third number.
    pub patch: i32,
}

/// A package of the vendor's software ([`Loaded::package_version`]). It prints as a word: `runtime`.
///
/// ```
/// use ascendcl::{Acl, Library, Package};
///
/// let acl = Acl::init(Library::Simulator)?;
/// for package in Package::ALL {
///     match acl.library().package_version(*package) {
///         Ok(version) => println!("{package:?}: {version}"),
///         Err(error) => println!("{package:?}: {error}"),
///     }
/// }
/// # Ok::<(), ascendcl::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Package {
    /// All of the software (`ACL_PKG_NAME_CANN`).
    Cann,
    /// The runtime (`ACL_PKG_NAME_RUNTIME`). It is not called `Runtime`: with two public items of that name, the
    /// compiler's messages would write `ascendcl::Runtime` in full.
    RuntimePackage,
    /// The compiler of models and graphs (`ACL_PKG_NAME_COMPILER`).
    Compiler,
    /// Collective communication (`ACL_PKG_NAME_HCCL`).
    Hccl,
    /// The developer's tools (`ACL_PKG_NAME_TOOLKIT`).
    Toolkit,
    /// The operators (`ACL_PKG_NAME_OPP`).
    Operators,
    /// The compiled kernels of operators (`ACL_PKG_NAME_OPP_KERNEL`).
    Kernels,
    /// The driver (`ACL_PKG_NAME_DRIVER`).
    Driver,
}

impl Package {
    /// All packages.
    pub const ALL: &'static [Self] = &[
        Self::Cann,
        Self::RuntimePackage,
        Self::Compiler,
        Self::Hccl,
        Self::Toolkit,
        Self::Operators,
        Self::Kernels,
        Self::Driver,
    ];

    fn number(self) -> aclCANNPackageName {
        match self {
            Self::Cann => aclCANNPackageName::ACL_PKG_NAME_CANN,
            Self::RuntimePackage => aclCANNPackageName::ACL_PKG_NAME_RUNTIME,
            Self::Compiler => aclCANNPackageName::ACL_PKG_NAME_COMPILER,
            Self::Hccl => aclCANNPackageName::ACL_PKG_NAME_HCCL,
            Self::Toolkit => aclCANNPackageName::ACL_PKG_NAME_TOOLKIT,
            Self::Operators => aclCANNPackageName::ACL_PKG_NAME_OPP,
            Self::Kernels => aclCANNPackageName::ACL_PKG_NAME_OPP_KERNEL,
            Self::Driver => aclCANNPackageName::ACL_PKG_NAME_DRIVER,
        }
    }
}

impl Loaded {
    /// The version of the library's C interface (`aclrtGetVersion`).
    ///
    /// # Errors
    ///
    /// [`Error::MissingFunction`] on releases that lack the function; [`Error::Vendor`] when the library cannot report
    /// it.
    pub fn interface_version(self) -> Result<InterfaceVersion, Error> {
        self.api().interface_version().map(|[major, minor, patch]| InterfaceVersion { major, minor, patch })
    }

    /// The version of an installed package, as the vendor writes it (`aclsysGetCANNVersion`).
    ///
    /// ```
    /// use ascendcl::{Library, Package};
    ///
    /// let library = Library::Simulator.load()?;
    /// assert!(library.package_version(Package::RuntimePackage)?.ends_with("simulator"));
    /// # Ok::<(), ascendcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::MissingFunction`] on releases that lack the function; [`Error::Vendor`] when the package is not
    /// installed.
    pub fn package_version(self, package: Package) -> Result<String, Error> {
        self.api().package_version(package.number())
    }
}

impl fmt::Display for InterfaceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { major, minor, patch } = self;
        write!(f, "{major}.{minor}.{patch}")
    }
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cann => "cann",
            Self::RuntimePackage => "runtime",
            Self::Compiler => "compiler",
            Self::Hccl => "hccl",
            Self::Toolkit => "toolkit",
            Self::Operators => "operators",
            Self::Kernels => "kernels",
            Self::Driver => "driver",
        })
    }
}
