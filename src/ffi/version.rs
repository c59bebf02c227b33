//! The versions of the library and of the packages around it, on releases that have the functions for them.

use super::Api;
use super::call::call;
use crate::error::Error;
use ascendcl_sys::types::{aclCANNPackageName, aclCANNPackageVersion};
use core::ffi::c_char;

impl Api {
    /// The version of the C interface (`aclrtGetVersion`).
    pub(crate) fn interface_version(self) -> Result<[i32; 3], Error> {
        let [mut major, mut minor, mut patch] = [0; 3];
        // SAFETY: the function writes three numbers during the call; a pointer to a live local is valid for writes
        // (`core::ptr`, "Safety").
        let answer = unsafe { call!(self.aclrtGetVersion(&raw mut major, &raw mut minor, &raw mut patch)) };
        answer.done(|| "ask for the version of the library".into()).map(|()| [major, minor, patch])
    }

    /// The version of an installed package (`aclsysGetCANNVersion`).
    pub(crate) fn package_version(self, package: aclCANNPackageName) -> Result<String, Error> {
        let mut found = aclCANNPackageVersion {
            version: [0; 128],
            majorVersion: [0; 64],
            minorVersion: [0; 64],
            releaseVersion: [0; 64],
            patchVersion: [0; 64],
            reserved: [0; 128],
        };
        // SAFETY: the function writes to the structure during the call; a pointer to a live local is valid for writes
        // (`core::ptr`, "Safety"). The package is a number.
        let answer = unsafe { call!(self.aclsysGetCANNVersion(package, &raw mut found)) };
        answer.done(|| "ask for the version of a package".into()).map(|()| up_to_zero(&found.version))
    }
}

/// The text in an array: up to the first zero, or the whole array if the library wrote no zero.
fn up_to_zero(text: &[c_char]) -> String {
    let bytes: Vec<u8> =
        text.iter().take_while(|letter| **letter != 0).flat_map(|letter| letter.to_ne_bytes()).collect();
    String::from_utf8_lossy(&bytes).trim().to_owned()
}
