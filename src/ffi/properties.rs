//! What a device says of itself, on releases that have the function for it.

use super::Api;
use super::call::call;
use crate::error::Error;
use ascendcl_sys::types::aclrtDevAttr;

impl Api {
    /// A number that the device with this id has for the attribute; `None` when the library refuses to tell it.
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
