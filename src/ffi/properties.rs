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
