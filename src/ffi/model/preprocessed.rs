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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::ElementType;
    use ascendcl_sys::types::{aclError, aclFormat, aclmdlIODims};
    use core::ffi::c_void;
    use core::ptr::{NonNull, null_mut};

    /// Writes the shape that fits, for the first input with an error.
    extern "C" fn reads(_: *const aclmdlDesc, index: usize, dims: *mut aclmdlIODims) -> aclError {
        let mut said = NO_DIMS;
        (said.dimCount, said.dims[0]) = (1, 4);
        // SAFETY: `write` asks for a pointer that is valid for writes: the caller gives one to a live local.
        unsafe { dims.write(said) };
        if index == 0 { 500_000 } else { 0 }
    }

    #[test]
    fn a_shape_that_the_library_writes_with_an_error_is_not_that_of_the_input() {
        let table = |name: &str| match name {
            "aclmdlGetInputDimsV2" => NonNull::new(reads as *mut c_void),
            _ => None,
        };
        // SAFETY: `Api::from_table` asks that each address is of a function with the table's signature. `reads` has it.
        let api = unsafe { Api::from_table("preprocessing", table) };
        let shapes = [0, 1].map(|index| {
            let (element, format) = (ElementType::U8, aclFormat::ACL_FORMAT_ND);
            let mut port = Port { name: String::new(), element, dims: vec![2, 4], bytes: 4, format };
            as_read(api, null_mut(), index, &mut port);
            port.dims
        });
        assert_eq!(shapes, [vec![2, 4], vec![4]]);
    }
}
