//! Names and descriptions of instances.

use super::RawGraph;
use crate::error::Error;
use crate::ffi::Api;
use crate::ffi::call::call;
use ascendcl_sys::constants::{ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY, ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE};
use core::ffi::{CStr, c_char};

impl RawGraph {
    /// Sets the instance's name.
    pub(crate) fn set_name(&self, api: Api, name: &CStr) -> Result<(), Error> {
        self.with_instance(|instance| {
            // SAFETY: the function asks for a live instance, and reads a terminated string during the call. The caller
            // has the graph's handle, and destroying takes that handle. A `CStr` is terminated and borrowed.
            let answer = unsafe { call!(api.aclmdlRISetName(instance, name.as_ptr())) };
            answer.done(|| "name a captured graph".into())
        })
    }

    /// The instance's name.
    pub(crate) fn name(&self, api: Api) -> Result<String, Error> {
        const ROOM: usize = 256;
        self.with_instance(|instance| {
            let mut name = [0 as c_char; ROOM];
            // SAFETY: the function asks for a live instance, and writes a terminated string of at most `ROOM` bytes to
            // `name` during the call. The caller has the graph's handle, and destroying takes that handle. The array is
            // live and has `ROOM` bytes.
            let answer = unsafe { call!(api.aclmdlRIGetName(instance, ROOM as u32, name.as_mut_ptr())) };
            answer.done(|| "ask for the name of a captured graph".into())?;
            let bytes: Vec<u8> = name.iter().map(|byte| *byte as u8).take_while(|byte| *byte != 0).collect();
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        })
    }

    /// Makes the library print a description of the instance on the standard output.
    pub(crate) fn debug_print(&self, api: Api) -> Result<(), Error> {
        self.with_instance(|instance| {
            // SAFETY: the function asks for a live instance. The caller has the graph's handle, and destroying takes
            // that handle.
            let answer = unsafe { call!(api.aclmdlRIDebugPrint(instance)) };
            answer.done(|| "print a captured graph".into())
        })
    }

    /// Makes the library write a description of the instance to a file, as JSON.
    pub(crate) fn debug_json(&self, api: Api, path: &CStr, verbose: bool) -> Result<(), Error> {
        let flags = if verbose { ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE } else { ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY };
        let flags = flags as u32;
        self.with_instance(|instance| {
            // SAFETY: the function asks for a live instance, and reads a terminated string during the call. The caller
            // has the graph's handle, and destroying takes that handle. A `CStr` is terminated and borrowed.
            let answer = unsafe { call!(api.aclmdlRIDebugJsonPrint(instance, path.as_ptr(), flags)) };
            answer.done(|| "write a captured graph to a file".into())
        })
    }
}
