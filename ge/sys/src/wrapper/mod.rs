//! The shim's functions over the vendor's own C functions, `libge_runtime_wrapper.so`.
//!
//! The wrapper covers a part of the engine's session API. A function that it lacks returns [`ABSENT`]. Its functions do
//! not catch C++ exceptions. An exception that reaches a function of this module ends the process, as Rust defines it.

mod allocators;

pub(crate) use allocators::COUNT as ALLOCATORS;

use crate::library::{Library, LoadError, Provider};
use crate::{
    ABI, ABSENT, Allocator, Calls, FAILED, Format, Options, Outputs, RawTensors, SUCCESS, Session, Source, Status,
    Summary, Tensor,
};
use core::ffi::{c_char, c_int, c_void};
use core::ptr::{null, null_mut};
use std::path::Path;
use std::sync::OnceLock;

type Texts = *mut *mut c_char;

macro_rules! functions {
    (
        all: $($name:ident = $symbol:literal: fn($($arg:ty),*) $(-> $ret:ty)?;)*;
        some: $($maybe:ident = $maybe_symbol:literal: fn($($maybe_arg:ty),*) $(-> $maybe_ret:ty)?;)*
    ) => {
        /// The wrapper's functions.
        struct Wrapper {
            $($name: unsafe extern "C-unwind" fn($($arg),*) $(-> $ret)?,)*
            $($maybe: Option<unsafe extern "C-unwind" fn($($maybe_arg),*) $(-> $maybe_ret)?>,)*
        }

        impl Wrapper {
            fn functions(path: &Path, library: &libloading::Library) -> Result<Self, LoadError> {
                let unfit = |symbol: &str| LoadError::OldWrapper { path: path.to_owned(), lacks: symbol.to_owned() };
                $(
                    // SAFETY: `Library::get` asks that a symbol has the type that it is taken as. The symbol is one of
                    // the vendor's, whose signature stands in the table; the caller of `load` promises that the file
                    // has no other under that name.
                    let $name = *unsafe {
                        library.get::<unsafe extern "C-unwind" fn($($arg),*) $(-> $ret)?>($symbol)
                    }.map_err(|_| unfit($symbol))?;
                )*
                $(
                    // SAFETY: `Library::get` asks that a symbol has the type that it is taken as. The symbol is one of
                    // the vendor's, whose signature stands in the table; the caller of `load` promises that the file
                    // has no other under that name.
                    let $maybe = unsafe {
                        library.get::<unsafe extern "C-unwind" fn($($maybe_arg),*) $(-> $maybe_ret)?>($maybe_symbol)
                    }.ok().map(|found| *found);
                )*
                Ok(Self { $($name,)* $($maybe,)* })
            }
        }
    };
}
// Releases before the one with the error's text have `RunGraphWithStreamAsync` with another signature under the same
// name. The error's text is looked up first, so such a release is refused as a whole.
functions! {
    all:
    last_error = "GeApiWrapper_GEGetErrorMsg": fn() -> *const c_char;
    initialize = "GeApiWrapper_GEInitialize": fn(Texts, Texts, c_int) -> Status;
    finalize = "GeApiWrapper_GEFinalize": fn() -> Status;
    create = "GeApiWrapper_Session_CreateSession": fn() -> *mut Session;
    create_with = "GeApiWrapper_Session_CreateSessionWithOptions": fn(Texts, Texts, c_int) -> *mut Session;
    destroy = "GeApiWrapper_Session_DestroySession": fn(*const Session);
    add = "GeApiWrapper_Session_AddGraph": fn(*mut Session, u32, *mut c_void) -> Status;
    remove = "GeApiWrapper_Session_RemoveGraph": fn(*mut Session, u32) -> Status;
    run = "GeApiWrapper_Session_RunGraphWithStreamAsync":
        fn(*mut Session, u32, *mut c_void, *mut *mut c_void, c_int, *mut *mut *mut c_void, *mut usize) -> Status;
    register = "GeApiWrapper_Session_RegisterExternalAllocator": fn(
        *const Session, *const c_void, allocators::Allocate, allocators::Free, allocators::AddressOf,
        allocators::OnDestroy, *mut c_void
    ) -> Status;
    unregister = "GeApiWrapper_Session_UnregisterExternalAllocator": fn(*const Session, *const c_void) -> Status;
;
    some:
    add_with = "GeApiWrapper_Session_AddGraphWithOptions":
        fn(*mut Session, u32, *mut c_void, Texts, Texts, c_int) -> Status;
}

/// The wrapper is one per process, like the engine.
static WRAPPER: OnceLock<Wrapper> = OnceLock::new();

/// A symbol that every wrapper has.
pub(crate) const MARK: &str = "GeApiWrapper_GEInitialize";

/// The table of a loaded wrapper.
pub(crate) fn table(path: &Path, library: libloading::Library) -> Result<Library, LoadError> {
    let found = Wrapper::functions(path, &library)?;
    let initialize_there = found.initialize;
    // The same file under another name has the same functions.
    if !core::ptr::fn_addr_eq(WRAPPER.get_or_init(|| found).initialize, initialize_there) {
        return Err(LoadError::SecondWrapper { path: path.to_owned() });
    }
    Ok(Library {
        path: path.to_owned(),
        provider: Provider::Wrapper,
        _keeps: library,
        abi,
        last_error,
        initialize,
        finalize,
        session_create,
        session_destroy,
        add_graph,
        remove_graph,
        compile_graph,
        graph_summary,
        needs_rebuild,
        set_const_memory: set_memory,
        set_feature_memory: set_memory,
        register_allocator,
        unregister_allocator,
        allocator_close,
        load_graph,
        execute_graph: execute,
        run_graph: execute,
        run_raw,
        outputs_count,
        outputs_get,
        outputs_release,
    })
}

/// Calls a function of the loaded wrapper. It is loaded, because only [`table`] returns functions that call this.
fn call(function: impl FnOnce(&Wrapper) -> Status) -> Status {
    WRAPPER.get().map_or(ABSENT, function)
}

/// The keys, values and count of options, in the form that the wrapper takes. The wrapper only reads them.
fn parts(options: *const Options) -> Option<(Texts, Texts, c_int)> {
    // SAFETY: `as_ref` asks for null or a pointer to a live value. The caller passes null, or options that are there
    // during the call, as the shim's header asks.
    let options = unsafe { options.as_ref() };
    let Some(options) = options.filter(|options| options.count > 0) else {
        // The wrapper refuses null, even for an empty list of options.
        let none = core::ptr::NonNull::dangling().as_ptr();
        return Some((none, none, 0));
    };
    let count = c_int::try_from(options.count).ok()?;
    Some((options.keys.cast_mut().cast(), options.values.cast_mut().cast(), count))
}

unsafe extern "C" fn abi() -> u32 {
    ABI
}

unsafe extern "C" fn last_error() -> *const c_char {
    // SAFETY: the function takes no arguments: it asks for nothing but its signature, which is that of the shim's
    // header.
    WRAPPER.get().map_or(null(), |wrapper| unsafe { (wrapper.last_error)() })
}

unsafe extern "C" fn initialize(options: *const Options) -> Status {
    let Some((keys, values, count)) = parts(options) else { return FAILED };
    // SAFETY: the function reads `count` keys and values during the call. The caller's options have as many, as the
    // shim's header asks.
    call(|wrapper| unsafe { (wrapper.initialize)(keys, values, count) })
}

unsafe extern "C" fn finalize() -> Status {
    // SAFETY: the function takes no arguments: it asks for nothing but its signature, which is that of the shim's
    // header.
    call(|wrapper| unsafe { (wrapper.finalize)() })
}

unsafe extern "C" fn session_create(options: *const Options, session: *mut *mut Session) -> Status {
    let Some((keys, values, count)) = parts(options) else { return FAILED };
    call(|wrapper| {
        let make = || match count {
            // SAFETY: the function takes no arguments: it asks for nothing but its signature, which is that of the
            // shim's header.
            0 => unsafe { (wrapper.create)() },
            // SAFETY: the function reads `count` keys and values during the call. The caller's options have as many, as
            // the shim's header asks.
            _ => unsafe { (wrapper.create_with)(keys, values, count) },
        };
        // The constructor does not say whether it failed, and the wrapper has no function for a session's id. The id of
        // a session that could not be made is 0, like that of the first one. So the first one is never the caller's: a
        // session that could not be made names none, and its calls fail.
        let nobodys = make();
        if !nobodys.is_null() {
            // SAFETY: the function asks for a live session, once. It was made above, and nothing else has it.
            unsafe { (wrapper.destroy)(nobodys) };
        }
        let made = make();
        if made.is_null() {
            return FAILED;
        }
        // SAFETY: `write` asks for a pointer that is valid for writes. It is the caller's place for the handle, as the
        // shim's header asks.
        unsafe { session.write(made) };
        SUCCESS
    })
}

unsafe extern "C" fn session_destroy(session: *mut Session) -> Status {
    call(|wrapper| {
        // SAFETY: the function asks for a live session, once. `session_create` made it, and the caller does not use it
        // again, as the shim's header asks.
        unsafe { (wrapper.destroy)(session) };
        SUCCESS
    })
}

unsafe extern "C" fn add_graph(
    session: *mut Session,
    id: u32,
    source: *const Source,
    options: *const Options,
) -> Status {
    // SAFETY: `as_ref` asks for null or a pointer to a live value. The caller's source is there during the call, as the
    // shim's header asks.
    let Some(source) = (unsafe { source.as_ref() }) else { return FAILED };
    if source.format != Format::Graph {
        return ABSENT;
    }
    let graph = source.start.cast_mut();
    let Some((keys, values, count)) = parts(options) else { return FAILED };
    call(|wrapper| match (count, wrapper.add_with) {
        // SAFETY: the function asks for a live session and a graph. The session is alive, and what `start` points at is
        // a graph, as the caller of this function promises.
        (0, _) => unsafe { (wrapper.add)(session, id, graph) },
        // SAFETY: the session is alive, and what `start` points at is a graph, as the caller of this function promises.
        // The function reads `count` keys and values during the call, and the caller's options have as many.
        (_, Some(add)) => unsafe { add(session, id, graph, keys, values, count) },
        (_, None) => ABSENT,
    })
}

unsafe extern "C" fn remove_graph(session: *mut Session, id: u32) -> Status {
    // SAFETY: the function asks for a live session. The caller passes one, as the shim's header asks.
    call(|wrapper| unsafe { (wrapper.remove)(session, id) })
}

unsafe extern "C" fn register_allocator(
    session: *mut Session,
    stream: *mut c_void,
    calls: *const Calls,
    allocator: *mut *mut Allocator,
) -> Status {
    // SAFETY: `as_ref` asks for null or a pointer to a live value. The caller's functions are there during the call, as
    // the shim's header asks.
    let Some(calls) = (unsafe { calls.as_ref() }) else { return FAILED };
    let Some(slot) = allocators::take(*calls) else { return crate::NO_SLOT };
    let status = call(|wrapper| {
        let (allocate, free, address_of, on_destroy) = slot.functions();
        // SAFETY: the function asks for a live session and stream, and for functions that stay while they are
        // registered. The caller passes the two, as the shim's header asks; the functions take any object and stay for
        // the life of the process.
        unsafe { (wrapper.register)(session, stream, allocate, free, address_of, on_destroy, slot.handle()) }
    });
    match status {
        // SAFETY: `write` asks for a pointer that is valid for writes. It is the caller's place for the handle, as the
        // shim's header asks.
        SUCCESS => unsafe { allocator.write(slot.handle().cast()) },
        _ => allocators::close(slot.handle()),
    }
    status
}

unsafe extern "C" fn unregister_allocator(session: *mut Session, stream: *mut c_void) -> Status {
    // SAFETY: the function asks for a live session and stream. The caller passes the two, as the shim's header asks.
    call(|wrapper| unsafe { (wrapper.unregister)(session, stream) })
}

unsafe extern "C" fn allocator_close(allocator: *mut Allocator) {
    allocators::close(allocator.cast());
}

/// The caller owns the outputs and the tensors of the inputs.
unsafe extern "C" fn run_raw(
    session: *mut Session,
    id: u32,
    stream: *mut c_void,
    inputs: *const *mut c_void,
    count: usize,
    outputs: *mut RawTensors,
) -> Status {
    let Ok(count) = c_int::try_from(count) else { return FAILED };
    call(|wrapper| {
        let mut made = RawTensors { tensors: null_mut(), count: 0 };
        // SAFETY: the function asks for a live session and stream and `count` tensors, and writes to two places. The
        // caller passes session, stream and tensors, as the shim's header asks; the places are locals.
        let status = unsafe {
            let (tensors, found) = (&raw mut made.tensors, &raw mut made.count);
            (wrapper.run)(session, id, stream, inputs.cast_mut(), count, tensors, found)
        };
        if status == SUCCESS {
            // SAFETY: `write` asks for a pointer that is valid for writes. It is the caller's place for the outputs, as
            // the shim's header asks.
            unsafe { outputs.write(made) };
        }
        status
    })
}

unsafe extern "C" fn compile_graph(_: *mut Session, _: u32) -> Status {
    ABSENT
}

unsafe extern "C" fn graph_summary(_: *mut Session, _: u32, _: *mut Summary) -> Status {
    ABSENT
}

unsafe extern "C" fn needs_rebuild(_: *mut Session, _: u32, _: *mut i32) -> Status {
    ABSENT
}

unsafe extern "C" fn set_memory(_: *mut Session, _: u32, _: *const c_void, _: usize) -> Status {
    ABSENT
}

unsafe extern "C" fn load_graph(_: *mut Session, _: u32, _: *const Options, _: *mut c_void) -> Status {
    ABSENT
}

unsafe extern "C" fn execute(
    _: *mut Session,
    _: u32,
    _: *mut c_void,
    _: *const Tensor,
    _: usize,
    _: *mut *mut Outputs,
) -> Status {
    ABSENT
}

// No function above creates outputs of this kind.

unsafe extern "C" fn outputs_count(_: *const Outputs) -> usize {
    0
}

unsafe extern "C" fn outputs_get(_: *const Outputs, _: usize, _: *mut Tensor) {}

unsafe extern "C" fn outputs_release(_: *mut Outputs) {}
