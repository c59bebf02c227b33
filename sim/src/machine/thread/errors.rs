//! A thread's recent error text and last error code.

use crate::abi::CText;
use crate::failure::Failure;
use crate::machine::trouble;
use ascendcl_sys::error_codes::{ACL_SUCCESS, error_name};
use ascendcl_sys::types::aclError;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ffi::CString;

thread_local! {
    /// The C function that this thread is in.
    static NAME: Cell<&'static str> = const { Cell::new("") };
    /// The address of that function, where it is known.
    static ADDRESS: Cell<Option<usize>> = const { Cell::new(None) };
    /// Which of the calls of this thread that is.
    static NUMBER: Cell<u64> = const { Cell::new(0) };
    /// How many it has made.
    static CALLS: Cell<u64> = const { Cell::new(0) };
    /// The latest of them that failed by a trouble of the machine.
    static TROUBLED: Cell<u64> = const { Cell::new(0) };
    static LAST: Cell<aclError> = const { Cell::new(ACL_SUCCESS) };
    static TEXTS: RefCell<Texts> = const { RefCell::new(Texts { unread: None, shown: None }) };
}

struct Texts {
    unread: Option<CString>,
    /// Stays in place until the next text is asked for, because the caller has its address.
    shown: Option<CString>,
}

/// Runs a C function's body under its name, which texts will begin with.
pub(crate) fn during<R>(name: &'static str, address: Option<usize>, call: impl FnOnce() -> R) -> R {
    struct Restore(&'static str, Option<usize>, u64);
    impl Drop for Restore {
        fn drop(&mut self) {
            NAME.set(self.0);
            ADDRESS.set(self.1);
            NUMBER.set(self.2);
        }
    }
    CALLS.set(CALLS.get() + 1);
    let _restore = Restore(NAME.replace(name), ADDRESS.replace(address), NUMBER.replace(CALLS.get()));
    call()
}

/// The C function that this thread is in.
pub(crate) fn current_call() -> &'static str {
    NAME.get()
}

/// Which call of this thread that is; 0 outside of calls.
pub(crate) fn number() -> u64 {
    NUMBER.get()
}

/// Whether that call has failed by a trouble of the machine.
pub(crate) fn is_by_trouble() -> bool {
    TROUBLED.get() == number()
}

/// The address of the C function with this name, if this thread is in it.
pub(crate) fn address_of(name: &str) -> Option<usize> {
    if NAME.get() == name { ADDRESS.get() } else { None }
}

/// Keeps a failure's text and code for the thread.
pub(crate) fn report(failure: &Failure) {
    if of_runtime(failure.code) {
        LAST.set(failure.code);
    }
    if trouble::is_reason_of(failure.code) {
        TROUBLED.set(number());
    }
    let code = error_name(failure.code).map_or(Cow::Owned(failure.code.to_string()), Cow::Borrowed);
    set(format!("{} [{code}]", failure.text));
}

/// Keeps a text for the thread.
pub(crate) fn set(text: impl AsRef<str>) {
    let text = c_text(&format!("{}: {}", NAME.get(), text.as_ref()));
    // No code of a thread that is ending reads the text.
    let _ = TEXTS.try_with(|texts| texts.try_borrow_mut().map(|mut texts| texts.unread = Some(text)));
}

/// The text of this thread's last failure, once. The vendor's library never has nothing to say on a thread without a
/// context, and neither has this one.
pub(crate) fn take_text(has_context: impl FnOnce() -> bool) -> CText {
    let shown = TEXTS.try_with(|texts| {
        let mut texts = texts.try_borrow_mut().ok()?;
        let unread = texts.unread.take();
        texts.shown = unread.or_else(|| (!has_context()).then(|| c_text(&Failure::no_context().text)));
        texts.shown.as_deref().map(CText::of)
    });
    shown.ok().flatten().unwrap_or(CText::NULL)
}

/// The last failure of the runtime layer on this thread, and forgets it.
pub(crate) fn take_last() -> aclError {
    LAST.replace(ACL_SUCCESS)
}

pub(crate) fn last() -> aclError {
    LAST.get()
}

/// Forgets this thread's failures.
pub(in crate::machine) fn clear() {
    LAST.set(ACL_SUCCESS);
    let _ = TEXTS.try_with(|texts| texts.try_borrow_mut().map(|mut texts| texts.unread = None));
}

/// The layer above the runtime keeps no last error: its codes are 100000 to 106999, 200000 to 206999, and so on.
fn of_runtime(code: aclError) -> bool {
    matches!(code, 107_000..200_000 | 207_000..300_000 | 507_000..600_000)
}

fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}
