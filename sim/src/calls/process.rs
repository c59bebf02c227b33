//! Initialisation, versions, error state.

use super::wanted;
use crate::abi::CText;
use crate::abi::{Out, Text};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context;
use crate::machine::host::process;
use crate::machine::thread::errors;
use crate::machine::watch;
use ascendcl_rules::{Object, Op};
use ascendcl_sys::constants::*;
use ascendcl_sys::error_codes::ACL_ERROR_INVALID_FILE;
use ascendcl_sys::types::*;
use core::ffi::c_char;

pub(crate) fn aclInit(config_path: Text<'_>) -> Answer {
    let call = watch::call(Op::Initialise, Object::PROCESS).begin()?;
    call.end(process::init(&config_path.get().unwrap_or_default()))
}

pub(crate) fn aclFinalize() -> Answer {
    let call = watch::call(Op::Finalise, Object::PROCESS).begin()?;
    let answer = call.end(process::finalize());
    watch::print();
    answer
}

pub(crate) fn aclFinalizeReference(mut ref_count: Out<'_, u64>) -> Answer {
    let call = watch::call(Op::Release, Object::PROCESS).begin()?;
    let (left, answer) = process::finalize_reference();
    ref_count.set(left);
    let answer = call.end(answer);
    if left == 0 {
        watch::print();
    }
    answer
}

pub(crate) fn aclGetRecentErrMsg() -> CText {
    errors::take_text(context::has_current)
}

pub(crate) fn aclrtGetLastError(level: aclrtLastErrLevel) -> aclError {
    last_error(level, errors::take_last)
}

pub(crate) fn aclrtPeekAtLastError(level: aclrtLastErrLevel) -> aclError {
    last_error(level, errors::last)
}

fn last_error(level: aclrtLastErrLevel, code: impl FnOnce() -> aclError) -> aclError {
    if level == aclrtLastErrLevel::ACL_RT_THREAD_LEVEL {
        return code();
    }
    let failure = Failure::invalid(format!("there is no error level {}", level.0));
    errors::report(&failure);
    failure.code
}

/// The version of the C interface that is simulated.
pub(crate) fn aclrtGetVersion(mut major: Out<'_, i32>, mut minor: Out<'_, i32>, mut patch: Out<'_, i32>) -> Answer {
    wanted(&major).and(wanted(&minor)).and(wanted(&patch))?;
    major.set(ACL_MAJOR_VERSION as i32);
    minor.set(ACL_MINOR_VERSION as i32);
    patch.set(ACL_PATCH_VERSION as i32);
    Ok(())
}

/// The simulator's own version: it stands in for every package.
pub(crate) fn aclsysGetCANNVersion(name: aclCANNPackageName, mut version: Out<'_, aclCANNPackageVersion>) -> Answer {
    wanted(&version)?;
    if name > aclCANNPackageName::ACL_PKG_NAME_DRIVER {
        return Err(Failure::invalid(format!("there is no package {}", name.0)));
    }
    version.set(aclCANNPackageVersion {
        version: padded(VERSION),
        majorVersion: padded(env!("CARGO_PKG_VERSION_MAJOR")),
        minorVersion: padded(env!("CARGO_PKG_VERSION_MINOR")),
        releaseVersion: padded("simulator"),
        patchVersion: padded(env!("CARGO_PKG_VERSION_PATCH")),
        reserved: padded(""),
    });
    Ok(())
}

pub(crate) fn aclsysGetVersionStr(package: Text<'_>, mut version: Out<'_, c_char>) -> Answer {
    let package = named(package)?;
    wanted(&version)?;
    check_package(&package)?;
    version.set_all(padded::<{ VERSION.len() + 1 }>(VERSION), VERSION.len() + 1);
    Ok(())
}

/// Two digits for each part of the version, and three for what the parts do not say.
pub(crate) fn aclsysGetVersionNum(package: Text<'_>, mut version: Out<'_, i32>) -> Answer {
    let package = named(package)?;
    wanted(&version)?;
    check_package(&package)?;
    let part = |text: &str| text.parse().unwrap_or(0);
    let [major, minor, patch]: [i32; 3] = [
        part(env!("CARGO_PKG_VERSION_MAJOR")),
        part(env!("CARGO_PKG_VERSION_MINOR")),
        part(env!("CARGO_PKG_VERSION_PATCH")),
    ];
    version.set((major * 10_000 + minor * 100 + patch) * 1000);
    Ok(())
}

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), ".simulator");

/// A package of the vendor's. Their folders have these names, with either of two dashes.
fn check_package(package: &str) -> Answer {
    const NAMES: [&str; 7] = ["runtime", "bisheng-compiler", "hccl", "oam-tools", "ops-legacy", "driver", "firmware"];
    if NAMES.contains(&package.replace('_', "-").as_str()) {
        return Ok(());
    }
    let text = format!("there is no package `{package}`; there are {}", NAMES.join(", "));
    Err(Failure::new(ACL_ERROR_INVALID_FILE, text))
}

fn named(package: Text<'_>) -> Answer<String> {
    package.get().map(Into::into).ok_or_else(|| Failure::invalid("the name of the package is null"))
}

/// The text as a C array, with zeros to its end.
fn padded<const SIZE: usize>(text: &str) -> [c_char; SIZE] {
    let mut array = [0; SIZE];
    // The last element stays zero.
    array.iter_mut().take(SIZE.saturating_sub(1)).zip(text.bytes()).for_each(|(to, from)| *to = from as c_char);
    array
}
