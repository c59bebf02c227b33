//! The methods of [`Library`](crate::Library). Each line of the table is one method.

use crate::library::{Library, MissingSymbol, Symbol};
use crate::types::*;
use core::ffi::*;

macro_rules! listed {
    ([$($file:literal)+]) => { &[$($file),+] };
}
macro_rules! said {
    ([$newest:literal $($earlier:literal)*]) => { concat!("`", $newest, "`" $(, ", in earlier releases of `", $earlier, "`")*) };
}
macro_rules! loader_entries {
    ([] $group:ident $files:tt
     $([$($flag:ident)*] fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?;)*) => {
        #[derive(Default)]
        pub(crate) struct $group { $($name: Symbol,)* }

        impl Library {
            $(
                #[doc = concat!("Calls `", stringify!($name), "` of ", said!($files), ".")]
                #[inline(always)]
                pub unsafe fn $name(&self, $($arg: $ty),*) -> Result<result_of!($($ret)?), MissingSymbol> {
                    let function = pointers_of::$name(self)?;
                    // SAFETY: the C function has its own contract, which the vendor states. The caller of this function
                    // promises to keep it.
                    Ok(unsafe { function($($arg),*) })
                }
            )*
        }
    };
}
/// The functions of a library as pointers: one function of this module per line of the table. A caller that gets the
/// pointer before it makes the arguments keeps none of them across the first look-up.
pub mod pointers_of {
    use crate::library::{Library, MissingSymbol};
    use crate::table::pointers;
    use core::ffi::c_void;

    macro_rules! pointers_of {
        ([] $group:ident $files:tt
         $([$($flag:ident)*] fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?;)*) => {
            $(
                #[doc = concat!("The pointer to `", stringify!($name), "` of ", said!($files), ".")]
                #[inline(always)]
                pub fn $name(library: &Library) -> Result<pointers::$name, MissingSymbol> {
                    let address = library.symbols.$group.$name.get(library, stringify!($name), listed!($files))?;
                    // SAFETY: `transmute` to a function pointer requires the address of a function of that type. The
                    // address was found under this name, and the caller who opened the library promised that its
                    // functions have the signatures of the table (`Library::open`, `Library::from_table`).
                    Ok(unsafe { core::mem::transmute::<*mut c_void, pointers::$name>(address) })
                }
            )*
        };
    }
    for_each_group!(pointers_of);
}

macro_rules! result_of {
    () => {
        ()
    };
    ($ret:ty) => {
        $ret
    };
}
for_each_group!(loader_entries);

macro_rules! symbols {
    ($($group:ident)*) => {
        /// The symbols of all functions, by group.
        #[derive(Default)]
        pub(crate) struct Symbols { $($group: $group,)* }
    };
}
symbols! {
    process device stream event memory copy callback kernel allocator model model_aipp model_instance operator
    op_compiler tensor_desc base profiling dump tensor_channel tensor_queue memory_pool blas
    media media_tasks media_video
}
