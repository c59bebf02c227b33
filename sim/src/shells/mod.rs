//! The exported functions: one shell per line of the table. Where the simulator does not have the function, the shell says
//! so.

#![allow(unsafe_code)]

mod demands;
mod results;
mod words;

use core::ffi::c_void;
use core::ptr::NonNull;

/// The address of a simulated function, by its C name; `None` where the simulator does not have it.
///
/// Every address is a function with the signature that `ascendcl-sys` gives to its name. The functions that answer
/// "not supported" are in [`exports`] alone: who resolves a name learns that the function is not there.
pub fn resolve(name: &str) -> Option<NonNull<c_void>> {
    exports::GROUPS.iter().find_map(|find| find(name))
}

/// The answer of a function that is not simulated and not in the table: 207000. Leaves a text that names it, and reports the
/// call once, as of those in the table.
pub fn not_simulated(name: &'static str, reason: &'static str) -> ascendcl_sys::types::aclError {
    results::absent_for(name, reason)
}

/// The answer of a function that is not in the table, to a wrong argument: 100000. Leaves a text that names the function.
pub fn wrong_argument(name: &'static str, text: String) -> ascendcl_sys::types::aclError {
    results::wrong(name, text)
}

/// The functions themselves, group by group, with C signatures: all of the table. One that is not simulated answers
/// 207000, or null or 0 where it returns no code, and leaves a text that names it.
///
/// # Safety
///
/// Each is `unsafe` as a C function is: pointers that are not null point to what the vendor's signature says, for the
/// length of the call; memory that an asynchronous call works on stays in place until its stream was synchronised.
#[allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments, missing_docs)]
pub mod exports {
    use super::NonNull;
    use ascendcl_sys::types::*;
    use core::ffi::*;

    pub(super) type Find = fn(&str) -> Option<NonNull<c_void>>;

    macro_rules! group {
        ([] $group:ident $files:tt
         $([$($flag:ident)*] fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?;)*) => {
            pub mod $group {
                use super::*;

                $(shell!([$($flag)*] $name ($($arg: $ty),*) $($ret)?);)*

                #[allow(unused_variables)]
                pub(in super::super) fn find(name: &str) -> Option<NonNull<c_void>> {
                    $(address!([$($flag)*] $name name);)*
                    None
                }
            }
        };
    }
    macro_rules! shell {
        ([variadic $($flags:tt)*] $($rest:tt)*) => { shell!([$($flags)*] $($rest)*); };
        ([$need:ident sim] $name:ident ($($arg:ident: $ty:ty),*) $($ret:ty)?) => {
            pub unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? {
                #[allow(unused_imports, reason = "some functions have handles alone")]
                use $crate::shells::words::{NoHandle, Word};
                // Null and what is no handle at all are no objects.
                let words = move || [$(Word($arg).number()),*].into_iter().filter(|word| *word != 0).collect();
                $crate::shells::results::enter((stringify!($name), ($name as *const ()).addr()), words, || {
                    // SAFETY: `FromC::from_c` asks for an argument of a C call that is under way. These are.
                    #[allow(unused_unsafe, reason = "some functions have no argument")]
                    unsafe { $crate::calls::$name($($crate::abi::FromC::from_c($arg)),*) }
                })
            }
        };
        ([$need:ident] $name:ident ($($arg:ident: $ty:ty),*) $($ret:ty)?) => {
            pub unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? {
                #[allow(unused_imports, reason = "some functions have pointers alone")]
                use $crate::shells::words::{NoWord, Word};
                $crate::shells::results::absent(stringify!($name), &[$((stringify!($arg), Word($arg).argument())),*])
            }
        };
    }
    macro_rules! address {
        ([variadic $($flags:tt)*] $($rest:tt)*) => { address!([$($flags)*] $($rest)*); };
        ([$need:ident sim] $name:ident $wanted:ident) => {
            if $wanted == stringify!($name) {
                return NonNull::new($name as *mut c_void);
            }
        };
        ([$need:ident] $name:ident $wanted:ident) => {};
    }
    ascendcl_sys::for_each_group!(group);

    pub(super) const GROUPS: &[Find] = &[
        process::find,
        device::find,
        stream::find,
        event::find,
        memory::find,
        copy::find,
        callback::find,
        kernel::find,
        allocator::find,
        model::find,
        model_aipp::find,
        model_instance::find,
        operator::find,
        op_compiler::find,
        tensor_desc::find,
        base::find,
        profiling::find,
        dump::find,
        tensor_channel::find,
        tensor_queue::find,
        memory_pool::find,
        blas::find,
        media::find,
        media_tasks::find,
        media_video::find,
    ];
}
