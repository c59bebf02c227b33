//! `libascendcl.so` without the vendor's hardware: the functions of [`ascendcl_sim`], exported under their C names.
//!
//! ```sh
//! cargo build --release -p ascendcl-sim-dylib              # target/release/libascendcl.so
//!
//! cc program.c -o program -Ltarget/release -lascendcl      # a C program, linked ...
//! LD_LIBRARY_PATH=target/release ./program                 # ... and run
//! ```
//!
//! The same file serves a program that loads it with `dlopen("libascendcl.so", RTLD_NOW)` under that
//! `LD_LIBRARY_PATH`, and a program of the Rust crate `ascendcl` that is told its path:
//! `ASCENDCL_LIBRARY=target/release/libascendcl.so`.
//!
//! It says that it is a simulator: `aclrtGetSocName` returns a name that contains
//! [`ascendcl_sim::SOC_NAME_MARK`]. Every function of the vendor's headers is exported, names of the layer below
//! (`rt*`, see [`runtime`]) that programs link with, and the functions for tools of a later release ([`hooks`]). One that
//! the simulator does not have answers 207000 ("feature not supported") and leaves a text that names it. [`ascendcl_sim_has`] tells a program, and
//! `docs/simulator-coverage.md` lists those of the headers.

#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments, missing_docs)]

pub mod hooks;
pub mod runtime;

use ascendcl_sys::types::*;
use core::ffi::*;

/// Whether the simulator has the function of this name: 1 or 0. The one function here that the vendor's library lacks; with
/// it a program that finds every name learns what is behind it, and the loader of `ascendcl-sys` does.
///
/// # Safety
///
/// `name` is null or a terminated string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ascendcl_sim_has(name: *const c_char) -> c_int {
    if name.is_null() {
        return 0;
    }
    // SAFETY: `CStr::from_ptr` asks for a terminated string that stays in place. The caller of the C function gave one.
    let name = unsafe { CStr::from_ptr(name) };
    c_int::from(
        name.to_str().is_ok_and(|name| ascendcl_sim::resolve(name).is_some() || runtime::has(name) || hooks::has(name)),
    )
}

macro_rules! export_group {
    ([] $group:ident $files:tt
     $([$($flag:ident)*] fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?;)*) => {
        $(export!([$($flag)*] $group $name ($($arg: $ty),*) $($ret)?);)*
    };
}

/// `variadic`: the named arguments arrive alike on the platforms that the vendor supports, and the others are not used.
macro_rules! export {
    ([variadic $($flags:ident)*] $($rest:tt)*) => { export!([$($flags)*] $($rest)*); };
    ([$need:ident $($sim:ident)?] $group:ident $name:ident ($($arg:ident: $ty:ty),*) $($ret:ty)?) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? {
            if let Some(hook) = hooks::of::$name.function() {
                // SAFETY: `transmute` to a function pointer asks for the address of a function of that type. The program
                // promised one with the signature of this name when it set the hook (`aclrtApiInjectionSetFunc`).
                let hook: unsafe extern "C" fn($($ty),*) $(-> $ret)? = unsafe { core::mem::transmute(hook) };
                // SAFETY: the program's function stands for the C function of this name and has its contract, which the
                // caller keeps.
                return unsafe { hook($($arg),*) };
            }
            // SAFETY: the function asks for the contract of the C function of this name. The caller of this one, which
            // has the same name, keeps it.
            unsafe { ascendcl_sim::exports::$group::$name($($arg),*) }
        }
    };
}

ascendcl_sys::for_each_group!(export_group);
