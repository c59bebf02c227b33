//! Where the program called the C function that a thread is in.

use core::ffi::{CStr, c_char, c_int, c_void};
use std::fmt::Write;
use std::path::Path;

/// The return addresses outside of the C function that this thread is in, the innermost first. `own` is the address of the
/// function itself.
///
/// Empty when this thread is not in that function, and where the platform does not tell.
pub(crate) fn callers_of(name: &str, own: Option<usize>) -> Vec<usize> {
    let mut frames = frames();
    // The function itself, and in the shared object the exported one around it.
    let is_own = |frame: &usize| {
        let enclosing = enclosing(*frame);
        enclosing == own || symbol(*frame).is_some_and(|symbol| symbol.name.as_deref() == Some(name))
    };
    let outside = frames.iter().rposition(is_own).map_or(frames.len(), |last| last + 1);
    let mut callers = frames.split_off(outside);
    let file = symbol(callers_of as *const () as usize).map(|symbol| symbol.file).unwrap_or_default();
    let of_layer_below = callers.iter().take_while(|frame| is_of_layer_below(**frame, &file)).count();
    callers.drain(..of_layer_below);
    callers
}

/// Whether the address is in a function of the shared object whose name is of the layer below AscendCL (`rtFree`). Such a
/// function calls the one of AscendCL for the program.
fn is_of_layer_below(address: usize, file: &str) -> bool {
    symbol(address).is_some_and(|symbol| {
        let rest = symbol.name.as_deref().and_then(|name| name.strip_prefix("rt"));
        symbol.file == file && rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
    })
}

/// Whether an interpreter made the call: its return addresses are those of its own code, not of the program's.
pub(crate) fn is_interpreted(callers: &[usize]) -> bool {
    let file = |address: &usize| symbol(*address).map(|symbol| symbol.file).unwrap_or_default();
    let interprets = |file: String| {
        let name = Path::new(&file).file_name().unwrap_or_default().to_string_lossy().into_owned();
        ["libffi", "python", "libpython", "libjvm", "node", "ruby", "libruby"]
            .iter()
            .any(|begin| name.starts_with(begin))
    };
    callers.iter().map(file).any(interprets)
}

/// The address of an instruction, or of the one behind a call, with its symbol and file where they are known:
/// `0x55d0c0de main+0x1f (program+0x11f3)`.
pub(crate) fn described(address: usize) -> String {
    let mut text = format!("{address:#x}");
    // Writing to a string cannot fail.
    if let Some(symbol) = symbol(address) {
        if let Some(name) = &symbol.name {
            let _ = write!(text, " {name}+{:#x}", address - symbol.start);
        }
        let file = Path::new(&symbol.file).file_name().map(|name| name.to_string_lossy().into_owned());
        let _ = write!(text, " ({}+{:#x})", file.unwrap_or_default(), address - symbol.base);
    }
    text
}

struct Symbol {
    name: Option<String>,
    start: usize,
    file: String,
    base: usize,
}

/// The return addresses of this thread's calls, the innermost first.
#[cfg(unix)]
fn frames() -> Vec<usize> {
    const MOST: usize = 64;
    /// Of the unwinder: go on, and the end of the stack.
    const GO_ON: c_int = 0;
    const END: c_int = 5;
    // SAFETY: the declarations have to agree with the system's functions. They are those of the platform's C++ ABI,
    // which Rust's own unwinding uses.
    unsafe extern "C" {
        fn _Unwind_Backtrace(
            visit: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int,
            argument: *mut c_void,
        ) -> c_int;
        fn _Unwind_GetIP(context: *mut c_void) -> usize;
    }
    unsafe extern "C" fn visit(context: *mut c_void, argument: *mut c_void) -> c_int {
        // SAFETY: `&mut` asks for a pointer to a live value that nobody else uses meanwhile. The argument is the one
        // that `_Unwind_Backtrace` was given below, and nobody else uses it until that returns.
        let frames = unsafe { &mut *argument.cast::<Vec<usize>>() };
        // SAFETY: the function asks for a context of the unwinder. This is the one that it calls with.
        frames.push(unsafe { _Unwind_GetIP(context) });
        if frames.len() < MOST { GO_ON } else { END }
    }
    let mut frames = Vec::with_capacity(MOST);
    // SAFETY: the function asks for a callback that does not unwind and fits its argument. `visit` takes what is given
    // here, neither unwinds nor keeps it, and the call is over before `frames` is used again.
    unsafe { _Unwind_Backtrace(visit, (&raw mut frames).cast()) };
    frames
}

/// The start of the function around an address.
#[cfg(unix)]
fn enclosing(address: usize) -> Option<usize> {
    // SAFETY: the declarations have to agree with the system's functions. They are those of the platform's C++ ABI.
    unsafe extern "C" {
        fn _Unwind_FindEnclosingFunction(address: *mut c_void) -> *mut c_void;
    }
    // SAFETY: the function takes any address. A return address may be the next function's first: the call is before it.
    let function = unsafe { _Unwind_FindEnclosingFunction(core::ptr::without_provenance_mut(address.checked_sub(1)?)) };
    Some(function.addr()).filter(|function| *function != 0)
}

/// The dynamic loader's information about an address.
#[cfg(unix)]
fn symbol(address: usize) -> Option<Symbol> {
    #[repr(C)]
    struct Info {
        file: *const c_char,
        base: *mut c_void,
        name: *const c_char,
        start: *mut c_void,
    }
    // SAFETY: the declaration has to agree with the system's function. This is the signature that POSIX states.
    unsafe extern "C" {
        fn dladdr(address: *const c_void, info: *mut Info) -> c_int;
    }
    let null = core::ptr::null_mut::<c_void>();
    let mut info = Info { file: null.cast(), base: null, name: null.cast(), start: null };
    // SAFETY: the function takes any address, and writes to `info`, which is a local with the layout that POSIX states.
    let known = unsafe { dladdr(core::ptr::without_provenance(address.checked_sub(1)?), &raw mut info) } != 0;
    if !known || info.file.is_null() {
        return None;
    }
    // SAFETY: `CStr::from_ptr` asks for a terminated string that stays in place. The loader's strings are terminated
    // and stay while the object is loaded; this thread is inside it.
    let text = |text: *const c_char| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    let name = (!info.name.is_null()).then(|| text(info.name));
    Some(Symbol { name, start: info.start.addr(), file: text(info.file), base: info.base.addr() })
}

#[cfg(not(unix))]
fn frames() -> Vec<usize> {
    Vec::new()
}

#[cfg(not(unix))]
fn enclosing(_: usize) -> Option<usize> {
    None
}

#[cfg(not(unix))]
fn symbol(_: usize) -> Option<Symbol> {
    None
}
