//! Inputs with preprocessing inside of the model.

use super::super::Api;
use super::super::call::call;
use super::description::{Description, NO_DIMS, Port, sizes};
use crate::error::Error;
use ascendcl_sys::types::aclmdlDesc;

/// Reads the description of a model. The shapes of its inputs are those of what the model reads. The description must be
/// alive and filled in.
pub(super) fn read(api: Api, desc: *mut aclmdlDesc) -> Result<Description, Error> {
    let mut description = Description::read(api, desc)?;
    description.inputs.iter_mut().enumerate().for_each(|(index, port)| as_read(api, desc, index, port));
    Ok(description)
}

/// Gives the input the shape of what the model reads. With preprocessing inside of the model (static AIPP),
/// `aclmdlGetInputDims` gives the size of the picture: a picture in YUV420SP has half as many bytes as that.
/// `aclmdlGetInputDimsV2` gives what the model reads. The description must be alive and filled in.
fn as_read(api: Api, desc: *mut aclmdlDesc, index: usize, port: &mut Port) {
    if port.bytes_of(&port.dims).is_some_and(|bytes| bytes != port.bytes) {
        let mut dims = NO_DIMS;
        // SAFETY: the function asks for a description that is alive and filled in, which the caller guarantees, and writes
        // the answer to `dims` during the call; a pointer to a live local is valid for writes (`core::ptr`, "Safety").
        let answer = unsafe { call!(api.aclmdlGetInputDimsV2(desc, index, &raw mut dims)) };
        let dims = sizes(&dims);
        // A library that lacks the function, or says something else, describes the input as it did before.
        if answer.is_success() && port.bytes_of(&dims) == Some(port.bytes) {
            port.dims = dims;
        }
    }
}
