//! The table of functions, and the code generated from each line.
//!
//! A line reads `[optional sim] fn name(argument: type, …) -> type;`. `required`: every supported release of the
//! library has it; `optional`: some do not. `sim`: the simulator implements it. `variadic` comes first if the C
//! function takes more arguments after the named ones.

mod allocator;
mod base;
mod blas;
mod callback;
mod copy;
mod device;
mod dump;
mod event;
mod kernel;
mod media;
mod media_tasks;
mod media_video;
mod memory;
mod memory_pool;
mod model;
mod model_aipp;
mod model_instance;
mod op_compiler;
mod operator;
mod process;
mod profiling;
mod stream;
mod tensor_channel;
mod tensor_desc;
mod tensor_queue;

/// Passes every group of the table to `$callback!`, one call per group:
/// `[extra…] group ["library file" …]  [flags…] fn name(…) -> type; …`. The files are those that contain the functions
/// in the vendor's releases, newest first.
///
/// The types are named as in [`types`](crate::types) and in `core::ffi`. The calling module imports them:
/// `use ascendcl_sys::types::*; use core::ffi::*;`.
#[macro_export]
macro_rules! for_each_group {
    ($callback:path $(, $extra:tt)*) => {
        $crate::process_functions!($callback $(, $extra)*);
        $crate::device_functions!($callback $(, $extra)*);
        $crate::stream_functions!($callback $(, $extra)*);
        $crate::event_functions!($callback $(, $extra)*);
        $crate::memory_functions!($callback $(, $extra)*);
        $crate::copy_functions!($callback $(, $extra)*);
        $crate::callback_functions!($callback $(, $extra)*);
        $crate::kernel_functions!($callback $(, $extra)*);
        $crate::allocator_functions!($callback $(, $extra)*);
        $crate::model_functions!($callback $(, $extra)*);
        $crate::model_aipp_functions!($callback $(, $extra)*);
        $crate::model_instance_functions!($callback $(, $extra)*);
        $crate::operator_functions!($callback $(, $extra)*);
        $crate::op_compiler_functions!($callback $(, $extra)*);
        $crate::tensor_desc_functions!($callback $(, $extra)*);
        $crate::base_functions!($callback $(, $extra)*);
        $crate::profiling_functions!($callback $(, $extra)*);
        $crate::dump_functions!($callback $(, $extra)*);
        $crate::tensor_channel_functions!($callback $(, $extra)*);
        $crate::tensor_queue_functions!($callback $(, $extra)*);
        $crate::memory_pool_functions!($callback $(, $extra)*);
        $crate::blas_functions!($callback $(, $extra)*);
        $crate::media_functions!($callback $(, $extra)*);
        $crate::media_tasks_functions!($callback $(, $extra)*);
        $crate::media_video_functions!($callback $(, $extra)*);
    };
}

/// One line of the table, as data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Function {
    pub name: &'static str,
    /// The files that contain it in the vendor's releases, newest first.
    pub files: &'static [&'static str],
    pub group: &'static str,
    /// Every supported release has it.
    pub required: bool,
    /// The simulator implements it.
    pub simulated: bool,
}

/// The C pointer type of each function, under the function's name.
pub mod pointers {
    use crate::types::*;
    use core::ffi::*;

    macro_rules! pointer_types {
        ([] $group:ident $files:tt
         $([$($flag:ident)*] fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?;)*) => {
            $(pointer_type!([$($flag)*] $name ($($ty),*) $($ret)?);)*
        };
    }
    macro_rules! pointer_type {
        ([variadic $($flag:ident)*] $name:ident ($($ty:ty),*) $($ret:ty)?) => {
            pub type $name = unsafe extern "C" fn($($ty),*, ...) $(-> $ret)?;
        };
        ([$($flag:ident)*] $name:ident ($($ty:ty),*) $($ret:ty)?) => {
            pub type $name = unsafe extern "C" fn($($ty),*) $(-> $ret)?;
        };
    }
    for_each_group!(pointer_types);
}

/// Every line of the table.
pub fn table() -> impl Iterator<Item = Function> {
    data::GROUPS.iter().flat_map(|group| group.iter().copied())
}

mod data {
    use super::Function;

    macro_rules! as_data {
        ([] $group:ident $files:tt $([$($flag:ident)*] fn $name:ident $args:tt $(-> $ret:ty)?;)*) => {
            const $group: &[Function] = &[$(Function {
                name: stringify!($name),
                files: listed!($files),
                group: stringify!($group),
                required: flagged(&[$(stringify!($flag)),*], "required"),
                simulated: flagged(&[$(stringify!($flag)),*], "sim"),
            },)*];
        };
    }
    macro_rules! listed {
        ([$($file:literal)+]) => { &[$($file),+] };
    }
    for_each_group!(as_data);

    /// `flags.contains(&flag)`, at compile time.
    const fn flagged(flags: &[&str], flag: &str) -> bool {
        match flags {
            [] => false,
            [first, rest @ ..] => same(first.as_bytes(), flag.as_bytes()) || flagged(rest, flag),
        }
    }

    const fn same(a: &[u8], b: &[u8]) -> bool {
        match (a, b) {
            ([], []) => true,
            ([x, a @ ..], [y, b @ ..]) => *x == *y && same(a, b),
            _ => false,
        }
    }

    pub(super) const GROUPS: &[&[Function]] = &[
        process,
        device,
        stream,
        event,
        memory,
        copy,
        callback,
        kernel,
        allocator,
        model,
        model_aipp,
        model_instance,
        operator,
        op_compiler,
        tensor_desc,
        base,
        profiling,
        dump,
        tensor_channel,
        tensor_queue,
        memory_pool,
        blas,
        media,
        media_tasks,
        media_video,
    ];
}
