//! The vendor's hooks: a tool puts a function of its own before a function of the library.
//!
//! The vendor's releases from 9.2 on have them for the functions whose names begin with `aclrt` or `aclmdlRI`. The
//! program calls the tool's function, which usually counts and then calls the original one.

use ascendcl_sys::error_codes::ACL_SUCCESS;
use ascendcl_sys::types::*;
use core::ffi::*;
use core::sync::atomic::{AtomicPtr, Ordering};

/// The vendor's `aclrtApiFunc`: the address of a function, whatever its signature.
pub type Function = *mut c_void;

/// What the program's calls of one function lead to. Null leads to the library's own.
pub(crate) struct Hook(AtomicPtr<c_void>);

impl Hook {
    pub(crate) fn function(&self) -> Option<Function> {
        let function = self.0.load(Ordering::Acquire);
        (!function.is_null()).then_some(function)
    }
}

macro_rules! hooks {
    ([] $group:ident $files:tt
     $([$($flag:ident)*] fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?;)*) => {
        $(pub(crate) static $name: Hook = Hook(AtomicPtr::new(core::ptr::null_mut()));)*
    };
}

/// One for each function. They have the functions' names.
#[allow(non_upper_case_globals)]
pub(crate) mod of {
    use super::*;

    ascendcl_sys::for_each_group!(hooks);
}

/// The hook of a function that has one, and the function itself.
fn find(wanted: &str) -> Option<(&'static Hook, Function)> {
    macro_rules! find {
        ([$wanted:ident] $group:ident $files:tt
         $([$($flag:ident)*] fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?;)*) => {
            $(if $wanted == stringify!($name) {
                return Some((&of::$name, ascendcl_sim::exports::$group::$name as Function));
            })*
        };
    }
    if !["aclrt", "aclmdlRI"].iter().any(|begin| wanted.starts_with(begin)) {
        return None;
    }
    ascendcl_sys::for_each_group!(find, wanted);
    None
}

/// # Safety
///
/// `name` is null or a terminated string.
unsafe fn named(name: *const c_char) -> Result<(&'static Hook, Function), String> {
    if name.is_null() {
        return Err("the name is null".to_owned());
    }
    // SAFETY: `CStr::from_ptr` asks for a terminated string that stays in place. The caller promises one that is not null,
    // and null was left out.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    find(&name).ok_or_else(|| format!("`{name}` has no hook: those whose names begin with aclrt or aclmdlRI have one"))
}

/// The program's calls of the function `name` lead to `function` from now on.
///
/// # Safety
///
/// `name` is null or a terminated string. `function` is null, or a function with the signature of the one of that name. By
/// the manual no other thread calls that one, or changes hooks, at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtApiInjectionSetFunc(name: *const c_char, function: Function) -> aclError {
    let refused = |text| ascendcl_sim::wrong_argument("aclrtApiInjectionSetFunc", text);
    // SAFETY: `named` asks for null or a terminated string. The caller gave one of them.
    let (hook, original) = match unsafe { named(name) } {
        Ok(found) => found,
        Err(text) => return refused(text),
    };
    if function.is_null() {
        return refused("the function is null: pass the original one to remove a hook".to_owned());
    }
    let hooked = if function == original { core::ptr::null_mut() } else { function };
    hook.0.store(hooked, Ordering::Release);
    ACL_SUCCESS
}

/// Tells the library's own function of this name, and the one that the program's calls lead to.
///
/// # Safety
///
/// `name` is null or a terminated string. `original` and `current` are null, or places for an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtApiInjectionGetFunc(
    name: *const c_char,
    original: *mut Function,
    current: *mut Function,
) -> aclError {
    // SAFETY: `named` asks for null or a terminated string. The caller gave one of them.
    let (hook, own) = match unsafe { named(name) } {
        Ok(found) => found,
        Err(text) => return ascendcl_sim::wrong_argument("aclrtApiInjectionGetFunc", text),
    };
    for (place, function) in [(original, own), (current, hook.function().unwrap_or(own))] {
        if !place.is_null() {
            // SAFETY: `write` asks for a place that may be written. The caller gave places for addresses, or null, which was
            // left out.
            unsafe { place.write(function) };
        }
    }
    ACL_SUCCESS
}

/// Whether the library has this function under its name.
pub(crate) fn has(name: &str) -> bool {
    ["aclrtApiInjectionGetFunc", "aclrtApiInjectionSetFunc"].contains(&name)
}
