//! The operations by the C functions: through the addresses that the dynamic loader gives, and through `ascendcl-sys`.

use crate::allocator;
use crate::count::rounds;
use crate::operations::Operation;
use ascendcl_sys::types::*;
use std::ffi::c_void;
use std::hint::black_box;
use std::path::Path;
use std::ptr::null_mut;

unsafe extern "C" fn callback(_: *mut c_void) {}

macro_rules! functions {
    ($($name:ident)+) => {
        /// The functions, as the dynamic loader gives them.
        #[allow(non_snake_case, reason = "they have the names of the C functions")]
        struct Raw {
            $($name: ascendcl_sys::pointers::$name,)+
        }

        impl Raw {
            fn load(path: &Path) -> Self {
                // SAFETY: the library was compiled from a source of these tests, without initialisers.
                let library = unsafe { libloading::Library::new(path) }.unwrap();
                let library: &'static libloading::Library = Box::leak(Box::new(library));
                Self {
                    // SAFETY: the functions have the signatures of the table.
                    $($name: *unsafe { library.get(stringify!($name)) }.unwrap(),)+
                }
            }
        }
    };
}
functions! {
    aclrtMemcpyAsync aclrtMemcpy aclrtMemsetAsync aclrtSynchronizeStream aclrtRecordEvent aclrtStreamWaitEvent
    aclrtLaunchHostFunc aclmdlExecuteAsync aclmdlRIExecuteAsync aclmdlExecute aclrtGetCurrentContext
    aclrtSetCurrentContext aclrtCreateStream aclrtDestroyStream aclrtCreateEvent aclrtDestroyEvent aclrtMalloc aclrtFree
}

/// A call through an address, or through the table.
macro_rules! by_address {
    ($library:ident.$function:ident($($argument:expr),*)) => { ($library.$function)($($argument),*) };
}
macro_rules! by_table {
    ($library:ident.$function:ident($($argument:expr),*)) => { $library.$function($($argument),*).unwrap() };
}

/// The operations, with calls made by `$call!`.
macro_rules! operations {
    ($name:ident, $load:expr, $call:ident) => {
        #[expect(clippy::too_many_lines, reason = "a table: one arm per operation")]
        pub(crate) fn $name(path: &Path, operation: Operation, n: u32) {
            if matches!(operation, Operation::Allocator | Operation::Pool) {
                return allocator::of_c_functions(path, n);
            }
            let library = $load(path);
            let library = &library;
            let mut block = [0_u8; 64];
            let at = black_box(block.as_mut_ptr().cast::<c_void>());
            let (stream, event) = (aclrtStream(black_box(null_mut())), aclrtEvent(black_box(null_mut())));
            let (given, results) = (black_box(null_mut()), black_box(null_mut()));
            let kind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
            let none = |code: i32| assert_eq!(code, 0);
            // SAFETY of the calls below: the library does nothing with its arguments, apart from places for answers, which
            // are locals, and memory that it allocated.
            #[allow(clippy::undocumented_unsafe_blocks, reason = "said above, once for all")]
            match operation {
                Operation::Copy => {
                    rounds(n, (), |()| unsafe { $call!(library.aclrtMemcpyAsync(at, 64, at, 64, kind, stream)) }, none)
                }
                Operation::CopyAndWait => rounds(
                    n,
                    (),
                    |()| unsafe {
                        let code = $call!(library.aclrtMemcpyAsync(at, 64, at, 64, kind, stream));
                        if code == 0 { $call!(library.aclrtSynchronizeStream(stream)) } else { code }
                    },
                    none,
                ),
                Operation::Set => {
                    rounds(n, (), |()| unsafe { $call!(library.aclrtMemsetAsync(at, 64, 1, 64, stream)) }, none)
                }
                Operation::Record => {
                    rounds(n, (), |()| unsafe { $call!(library.aclrtRecordEvent(event, stream)) }, none)
                }
                Operation::WaitFor => {
                    rounds(n, (), |()| unsafe { $call!(library.aclrtStreamWaitEvent(stream, event)) }, none)
                }
                Operation::CallBack => {
                    rounds(n, (), |()| unsafe { $call!(library.aclrtLaunchHostFunc(stream, Some(callback), at)) }, none)
                }
                Operation::Execute => {
                    rounds(n, (), |()| unsafe { $call!(library.aclmdlExecuteAsync(1, given, results, stream)) }, none)
                }
                Operation::Replay => {
                    let graph = aclmdlRI(black_box(null_mut()));
                    rounds(n, (), |()| unsafe { $call!(library.aclmdlRIExecuteAsync(graph, stream)) }, none)
                }
                Operation::Synchronize => {
                    rounds(n, (), |()| unsafe { $call!(library.aclrtSynchronizeStream(stream)) }, none)
                }
                Operation::CopyNow => {
                    rounds(n, (), |()| unsafe { $call!(library.aclrtMemcpy(at, 64, at, 64, kind)) }, none)
                }
                Operation::Run => rounds(n, (), |()| unsafe { $call!(library.aclmdlExecute(1, given, results)) }, none),
                Operation::Enter => rounds(
                    n,
                    (),
                    |()| unsafe {
                        let mut before = aclrtContext(null_mut());
                        let code = $call!(library.aclrtGetCurrentContext(&raw mut before));
                        let entered = $call!(library.aclrtSetCurrentContext(aclrtContext(at)));
                        // Without a current context the first call says so, and that is no failure.
                        let left = $call!(library.aclrtSetCurrentContext(before));
                        if code == 0 { 0 } else { entered | left }
                    },
                    none,
                ),
                Operation::Stream => rounds(
                    n,
                    (),
                    |()| unsafe {
                        let mut made = aclrtStream(null_mut());
                        let code = $call!(library.aclrtCreateStream(&raw mut made));
                        if code == 0 { $call!(library.aclrtDestroyStream(made)) } else { code }
                    },
                    none,
                ),
                Operation::Event => rounds(
                    n,
                    (),
                    |()| unsafe {
                        let mut made = aclrtEvent(null_mut());
                        let code = $call!(library.aclrtCreateEvent(&raw mut made));
                        if code == 0 { $call!(library.aclrtDestroyEvent(made)) } else { code }
                    },
                    none,
                ),
                Operation::Buffer => rounds(
                    n,
                    (),
                    |()| unsafe {
                        let mut made = null_mut();
                        let policy = aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST;
                        let code = $call!(library.aclrtMalloc(&raw mut made, 64, policy));
                        if code == 0 { $call!(library.aclrtFree(made)) } else { code }
                    },
                    none,
                ),
                Operation::Allocator | Operation::Pool => unreachable!("measured elsewhere"),
            }
        }
    };
}
operations!(raw, Raw::load, by_address);
operations!(sys, opened, by_table);

fn opened(path: &Path) -> &'static ascendcl_sys::Library {
    // SAFETY: the library was compiled from a source of these tests, which has the vendor's signatures.
    unsafe { ascendcl_sys::Library::open(path) }.unwrap()
}
