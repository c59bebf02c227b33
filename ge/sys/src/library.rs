//! The loaded library: one table of functions, from the shim or from the vendor's wrapper.

use crate::search::{Place, VARIABLE, looked, wrapper};
use crate::wrapper::{MARK, table};
use crate::{ABI, ABSENT, Allocator, Calls, Options, Outputs, RawTensors, Session, Source, Status, Summary, Tensor};
use core::ffi::{c_char, c_void};
use core::fmt;
use std::path::{Path, PathBuf};

/// The shim could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The build found no headers, no variable names a library, and the vendor's wrapper is not installed.
    #[error(
        "there is no graph engine here: when this program was built, none of{} had include/ge/ge_api.h; install the CANN \
         toolkit (its development files), set ASCEND_HOME_PATH to it and build again (if the variable had this value \
         before, after `cargo clean -p ascendcl-ge-sys`), or set {VARIABLE} to a shim that was built elsewhere; \
         libge_runtime_wrapper.so, which has a part of the engine, is not there either: {reason}",
        List(looked)
    )]
    NotBuilt {
        /// The folders in which the build looked.
        looked: Vec<PathBuf>,
        /// The dynamic loader's message about the wrapper.
        reason: String,
    },
    /// The dynamic loader refused the library, or a library that it needs.
    #[error(
        "{} cannot be loaded: {reason}; it needs libge_runner.so and libfmk_onnx_parser.so of the CANN toolkit: run the \
         toolkit's set_env.sh first", path.display()
    )]
    Refused {
        /// The shim, or the wrapper.
        path: PathBuf,
        /// The loader's message.
        reason: String,
    },
    /// The file is a shim of another version, or not a shim.
    #[error("{} is no shim of version {ABI}: {reason}; build this program again", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// What it lacks.
        reason: String,
    },
    /// The file is a wrapper of a release with other functions.
    #[error(
        "{} is a wrapper of a release before the middle of 2026: it has no `{lacks}`; install a newer CANN toolkit, or \
         its development files, set ASCEND_HOME_PATH to it and build this program again", path.display()
    )]
    OldWrapper {
        /// The wrapper.
        path: PathBuf,
        /// The missing function.
        lacks: String,
    },
    /// The process has already loaded another wrapper file.
    #[error("{} is a second wrapper: a process has one, and loaded another file before", path.display())]
    SecondWrapper {
        /// The second one.
        path: PathBuf,
    },
}

/// The library through which this program calls the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Provider {
    /// The shim of this crate.
    Shim,
    /// The vendor's `libge_runtime_wrapper.so`, which offers a part of the engine.
    Wrapper,
}

macro_rules! functions {
    ($($name:ident = $symbol:literal: fn($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        /// The functions of the shim. It is never unloaded, because threads of the engine outlive any handle.
        pub struct Library {
            pub(crate) path: PathBuf,
            pub(crate) provider: Provider,
            pub(crate) _keeps: libloading::Library,
            $(pub $name: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
            /// `RunGraphWithStreamAsync` with pointers to `ge::Tensor`. The caller keeps the ownership of the tensors.
            /// The shim returns [`ABSENT`], because it offers executions instead.
            pub run_raw: RunRaw,
        }

        impl Library {
            fn functions(path: &Path, library: libloading::Library) -> Result<Self, LoadError> {
                let unfit = |symbol: &str| LoadError::Unfit { path: path.to_owned(), reason: format!("it has no `{symbol}`") };
                $(
                    // SAFETY: `Library::get` requires that the symbol has the given type. The symbol is one of the
                    // shim's header, whose signature is in the table. The caller of `load` promises that the file has
                    // no other symbol of that name.
                    let $name = *unsafe {
                        library.get::<unsafe extern "C" fn($($arg),*) $(-> $ret)?>($symbol)
                    }.map_err(|_| unfit($symbol))?;
                )*
                Ok(Self { path: path.to_owned(), provider: Provider::Shim, _keeps: library, $($name,)* run_raw: absent })
            }
        }
    };
}
functions! {
    abi = "ascendcl_ge_abi": fn() -> u32;
    last_error = "ascendcl_ge_last_error": fn() -> *const c_char;
    initialize = "ascendcl_ge_initialize": fn(*const Options) -> Status;
    finalize = "ascendcl_ge_finalize": fn() -> Status;
    session_create = "ascendcl_ge_session_create": fn(*const Options, *mut *mut Session) -> Status;
    session_destroy = "ascendcl_ge_session_destroy": fn(*mut Session) -> Status;
    add_graph = "ascendcl_ge_add_graph": fn(*mut Session, u32, *const Source, *const Options) -> Status;
    remove_graph = "ascendcl_ge_remove_graph": fn(*mut Session, u32) -> Status;
    compile_graph = "ascendcl_ge_compile_graph": fn(*mut Session, u32) -> Status;
    graph_summary = "ascendcl_ge_graph_summary": fn(*mut Session, u32, *mut Summary) -> Status;
    needs_rebuild = "ascendcl_ge_needs_rebuild": fn(*mut Session, u32, *mut i32) -> Status;
    set_const_memory = "ascendcl_ge_set_const_memory": fn(*mut Session, u32, *const c_void, usize) -> Status;
    set_feature_memory = "ascendcl_ge_set_feature_memory": fn(*mut Session, u32, *const c_void, usize) -> Status;
    register_allocator = "ascendcl_ge_register_allocator":
        fn(*mut Session, *mut c_void, *const Calls, *mut *mut Allocator) -> Status;
    unregister_allocator = "ascendcl_ge_unregister_allocator": fn(*mut Session, *mut c_void) -> Status;
    allocator_close = "ascendcl_ge_allocator_close": fn(*mut Allocator);
    load_graph = "ascendcl_ge_load_graph": fn(*mut Session, u32, *const Options, *mut c_void) -> Status;
    execute_graph = "ascendcl_ge_execute_graph":
        fn(*mut Session, u32, *mut c_void, *const Tensor, usize, *mut *mut Outputs) -> Status;
    run_graph = "ascendcl_ge_run_graph":
        fn(*mut Session, u32, *mut c_void, *const Tensor, usize, *mut *mut Outputs) -> Status;
    outputs_count = "ascendcl_ge_outputs_count": fn(*const Outputs) -> usize;
    outputs_get = "ascendcl_ge_outputs_get": fn(*const Outputs, usize, *mut Tensor);
    outputs_release = "ascendcl_ge_outputs_release": fn(*mut Outputs);
}

type RunRaw =
    unsafe extern "C" fn(*mut Session, u32, *mut c_void, *const *mut c_void, usize, *mut RawTensors) -> Status;

unsafe extern "C" fn absent(
    _: *mut Session,
    _: u32,
    _: *mut c_void,
    _: *const *mut c_void,
    _: usize,
    _: *mut RawTensors,
) -> Status {
    ABSENT
}

impl Library {
    /// Loads the shim, and the engine with it. If there is no shim, loads the vendor's wrapper.
    ///
    /// # Safety
    ///
    /// Loading runs the file's initialisers. Installed files, and files that the environment names, have to be a shim
    /// of this crate or the vendor's wrapper. The caller of [`Place::at`] guarantees that for its file.
    pub unsafe fn load(place: &Place) -> Result<&'static Self, LoadError> {
        let named = place.path();
        let path = named.clone().unwrap_or_else(wrapper);
        // SAFETY: opening a file runs its initialisers. The caller of this function promises what the file is (its
        // safety section).
        let library = unsafe { libloading::Library::new(&path) }.map_err(|error| match named {
            None if path.parent().is_none_or(|folder| folder.as_os_str().is_empty()) => {
                LoadError::NotBuilt { looked: looked(), reason: reason(&error) }
            }
            _ => LoadError::Refused { path: path.clone(), reason: reason(&error) },
        })?;
        // SAFETY: `Library::get` requires that the symbol has the given type. This only checks whether the symbol
        // exists, and never calls it.
        let has = |symbol: &str| unsafe { library.get::<unsafe extern "C" fn()>(symbol) }.is_ok();
        let is_wrapper = has(MARK) && !has("ascendcl_ge_abi");
        let loaded = if is_wrapper { table(&path, library)? } else { Self::functions(&path, library)? };
        // SAFETY: the function takes no arguments: it asks for nothing but its signature, which is that of the shim's
        // header.
        match unsafe { (loaded.abi)() } {
            ABI => Ok(Box::leak(Box::new(loaded))),
            found => Err(LoadError::Unfit { path, reason: format!("it is of version {found}") }),
        }
    }

    /// The library through which this program calls the engine.
    pub fn provider(&self) -> Provider {
        self.provider
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Library").field(&self.path).finish()
    }
}

/// The dynamic loader's message. The error itself only names the loader's function that failed.
fn reason(error: &dyn core::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

struct List<'a>(&'a [PathBuf]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|path| write!(f, " {},", path.display()))
    }
}
