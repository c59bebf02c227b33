//! The loaded shim.

use crate::search::{Place, VARIABLE, looked, wrapper};
use crate::{ABI, Allocator, Calls, Options, Outputs, Session, Source, Status, Summary, Tensor};
use core::ffi::{c_char, c_void};
use core::fmt;
use std::path::{Path, PathBuf};

/// The shim could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The build found no headers, and no variable names a shim.
    #[error(
        "there is no graph engine here: when this program was built, none of{} had include/ge/ge_api.h; install the CANN \
         toolkit (its development files), set ASCEND_HOME_PATH to it and build again, or set {VARIABLE} to a shim that \
         was built elsewhere{}", List(looked), OnlyWrapper(wrapper.as_deref())
    )]
    NotBuilt {
        /// The folders in which the build looked.
        looked: Vec<PathBuf>,
        /// The engine's C functions for Python, where a toolkit has them.
        wrapper: Option<PathBuf>,
    },
    /// The dynamic loader refused it, or something that it needs.
    #[error(
        "{} cannot be loaded: {reason}; it needs libge_runner.so and libfmk_onnx_parser.so of the CANN toolkit: run the \
         toolkit's set_env.sh first", path.display()
    )]
    Refused {
        /// The shim.
        path: PathBuf,
        /// What the loader says.
        reason: String,
    },
    /// It is a shim of another version, or none.
    #[error("{} is no shim of version {ABI}: {reason}; build this program again", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// What it lacks.
        reason: String,
    },
}

macro_rules! functions {
    ($($name:ident = $symbol:literal: fn($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        /// The functions of the shim. It is never unloaded: the engine leaves threads behind that outlive any handle.
        pub struct Library {
            path: PathBuf,
            _keeps: libloading::Library,
            $(pub $name: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
        }

        impl Library {
            fn functions(path: &Path, library: libloading::Library) -> Result<Self, LoadError> {
                let unfit = |symbol: &str| LoadError::Unfit { path: path.to_owned(), reason: format!("it has no `{symbol}`") };
                $(
                    // SAFETY: the symbol is one of the shim's header, whose signature stands in the table; a file that
                    // has the name and not the signature is what the caller of `load` vouches against.
                    let $name = *unsafe {
                        library.get::<unsafe extern "C" fn($($arg),*) $(-> $ret)?>($symbol)
                    }.map_err(|_| unfit($symbol))?;
                )*
                Ok(Self { path: path.to_owned(), _keeps: library, $($name,)* })
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

impl Library {
    /// Loads the shim, and with it the engine.
    ///
    /// # Safety
    ///
    /// Loading runs the file's initialisers: it has to be a shim of this crate.
    pub unsafe fn load(place: &Place) -> Result<&'static Self, LoadError> {
        let path = place.path().ok_or_else(|| LoadError::NotBuilt { looked: looked(), wrapper: wrapper() })?;
        // SAFETY: the caller vouches for the file.
        let library = unsafe { libloading::Library::new(&path) }
            .map_err(|error| LoadError::Refused { path: path.clone(), reason: reason(&error) })?;
        let loaded = Self::functions(&path, library)?;
        // SAFETY: takes nothing.
        match unsafe { (loaded.abi)() } {
            ABI => Ok(Box::leak(Box::new(loaded))),
            found => Err(LoadError::Unfit { path, reason: format!("it is of version {found}") }),
        }
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

/// What the dynamic loader says; the error itself only says which of its functions failed.
fn reason(error: &dyn core::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

struct List<'a>(&'a [PathBuf]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|path| write!(f, " {},", path.display()))
    }
}

struct OnlyWrapper<'a>(Option<&'a Path>);

impl fmt::Display for OnlyWrapper<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(path) = self.0 else { return Ok(()) };
        write!(
            f,
            "; {} is there, and will not do: its functions neither read a model file nor compile or load a graph",
            path.display()
        )
    }
}
