//! Properties of devices, on releases that have the function for them.

use super::Api;
use super::call::call;
use crate::error::Error;
use ascendcl_sys::types::aclrtDevAttr;

impl Api {
    /// The value of an attribute of the device with this id. `None` if the library refuses to report it.
    pub(crate) fn device_attribute(self, id: u32, attribute: aclrtDevAttr) -> Result<Option<i64>, Error> {
        let mut value = 0;
        // SAFETY: the function writes the number to `value` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety"). The other arguments are plain values.
        let answer = unsafe { call!(self.aclrtGetDeviceInfo(id, attribute, &raw mut value)) };
        if answer.is_success() {
            return Ok(Some(value));
        }
        if answer.code().is_some() {
            self.forget_text();
            return Ok(None);
        }
        answer.done(|| format!("ask for the properties of device {id}")).map(|()| None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ascendcl_sys::types::aclError;
    use core::ffi::{c_char, c_void};
    use core::ptr::{NonNull, null};
    use core::sync::atomic::{AtomicUsize, Ordering};

    /// How often the library was asked for its text of an error.
    static TEXTS: AtomicUsize = AtomicUsize::new(0);

    extern "C" fn text() -> *const c_char {
        TEXTS.fetch_add(1, Ordering::SeqCst);
        null()
    }

    extern "C" fn refuses(_: u32, _: aclrtDevAttr, _: *mut i64) -> aclError {
        507_899
    }

    /// The next error of the thread would have the text of this one.
    #[test]
    fn a_question_that_the_library_refuses_leaves_no_text() {
        let table = |name: &str| match name {
            "aclrtGetDeviceInfo" => NonNull::new(refuses as *mut c_void),
            "aclGetRecentErrMsg" => NonNull::new(text as *mut c_void),
            _ => None,
        };
        // SAFETY: `Api::from_table` asks that each address is of a function with the table's signature. Both have it.
        let api = unsafe { Api::from_table("properties", table) };
        assert_eq!(api.device_attribute(0, aclrtDevAttr::ACL_DEV_ATTR_AICPU_CORE_NUM).unwrap(), None);
        assert_eq!(TEXTS.load(Ordering::SeqCst), 1);
    }
}
