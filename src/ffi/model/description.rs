//! What the library says about the inputs and outputs of a model.

use super::super::Api;
use super::super::api::text;
use super::super::call::call;
use super::gears::GearInput;
use crate::element::ElementType;
use crate::error::Error;
use ascendcl_sys::types::*;
use core::ffi::c_char;

pub(super) const DESCRIBE: &str = "read the description of a model";

#[derive(Debug)]
pub(super) struct Description {
    pub(super) inputs: Vec<Port>,
    pub(super) outputs: Vec<Port>,
    pub(super) gears: Option<GearInput>,
}

/// One input or output, as the library describes it. The program sees it as `TensorInfo`, without the format and
/// with `None` for -1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) element: ElementType,
    /// -1 if the size is chosen at each execution.
    pub(crate) dims: Vec<i64>,
    /// The bytes of a buffer for it, in the largest gear if the model has gears. 0 if they depend on sizes that are
    /// chosen at each execution.
    pub(crate) bytes: usize,
    pub(super) format: aclFormat,
}

impl Port {
    /// The bytes of a tensor of a fixed shape; 0 if the shapes of the inputs decide. A description of a model with gears
    /// gives outputs the shape of the largest gear.
    pub(crate) fn fixed_bytes(&self) -> usize {
        if self.dims.contains(&-1) { 0 } else { self.bytes }
    }

    /// The bytes of this shape, if the element's size is known.
    pub(super) fn bytes_of(&self, dims: &[i64]) -> Option<usize> {
        let size = self.element.size()?;
        dims.iter().try_fold(size, |bytes, size| bytes.checked_mul(usize::try_from(*size).ok()?))
    }

    /// The bytes of this shape, if this crate does not know the element's size. The library says how many bytes the
    /// described shape has. Without one, the library has allocated `room` for what it wrote.
    pub(crate) fn bytes_of_unknown_elements(&self, shape: &[usize], room: usize) -> Option<usize> {
        let described = self.fixed_bytes();
        if described == 0 {
            return Some(room);
        }
        let own = self.dims.iter().try_fold(1_usize, |all, size| all.checked_mul(usize::try_from(*size).ok()?))?;
        let bytes = shape.iter().try_fold(described, |bytes, size| bytes.checked_mul(*size))?;
        (own > 0 && bytes.is_multiple_of(own)).then(|| bytes / own)
    }
}

impl Description {
    /// Reads the inputs, the outputs and the gears of a model. Its description must be alive and filled in.
    pub(super) fn read(api: Api, desc: *mut aclmdlDesc) -> Result<Self, Error> {
        // SAFETY: the function asks for a description that is alive and filled in, which the caller guarantees.
        let inputs = unsafe { call!(api.aclmdlGetNumInputs(desc)) }.value(|| DESCRIBE.into())?;
        // SAFETY: the function asks for a description that is alive and filled in, which the caller guarantees.
        let outputs = unsafe { call!(api.aclmdlGetNumOutputs(desc)) }.value(|| DESCRIBE.into())?;
        let inputs: Vec<_> = (0..inputs).map(|index| input(api, desc, index)).collect::<Result<_, _>>()?;
        let outputs = (0..outputs).map(|index| output(api, desc, index)).collect::<Result<_, _>>()?;
        let gears = GearInput::read(api, desc, &inputs)?;
        Ok(Self { inputs, outputs, gears })
    }
}

macro_rules! port {
    ($function:ident, $dims:ident, $name:ident, $data_type:ident, $format:ident, $size:ident) => {
        /// Reads one port of a description that is alive and filled in.
        fn $function(api: Api, desc: *mut aclmdlDesc, index: usize) -> Result<Port, Error> {
            let mut dims = NO_DIMS;
            // SAFETY: the function asks for a description that is alive and filled in, which the caller guarantees, and
            // writes the answer to `dims` during the call; a pointer to a live local is valid for writes (`core::ptr`,
            // "Safety").
            let answer = unsafe { call!(api.$dims(desc, index, &raw mut dims)) };
            answer.done(|| format!("read the shape of {} {index}", stringify!($function)))?;
            let doing = || DESCRIBE.to_owned();
            // SAFETY: the function asks for a description that is alive and filled in, which the caller guarantees.
            let name = unsafe { call!(api.$name(desc, index)) }.value(doing)?;
            // SAFETY: `text` asks for null or a terminated string that stays in place. The answer is null or lives as
            // long as the description. It is copied here.
            let name = unsafe { text(name) }.unwrap_or_default();
            // SAFETY: the function asks for a description that is alive and filled in, which the caller guarantees.
            let element = unsafe { call!(api.$data_type(desc, index)) }.value(doing)?.into();
            // SAFETY: the function asks for a description that is alive and filled in, which the caller guarantees.
            let format = unsafe { call!(api.$format(desc, index)) }.value(doing)?;
            // SAFETY: the function asks for a description that is alive and filled in, which the caller guarantees.
            let bytes = unsafe { call!(api.$size(desc, index)) }.value(doing)?;
            Ok(Port { name, element, dims: sizes(&dims), bytes, format })
        }
    };
}
port!(
    input,
    aclmdlGetInputDims,
    aclmdlGetInputNameByIndex,
    aclmdlGetInputDataType,
    aclmdlGetInputFormat,
    aclmdlGetInputSizeByIndex
);
port!(
    output,
    aclmdlGetOutputDims,
    aclmdlGetOutputNameByIndex,
    aclmdlGetOutputDataType,
    aclmdlGetOutputFormat,
    aclmdlGetOutputSizeByIndex
);

pub(super) const NO_DIMS: aclmdlIODims = aclmdlIODims { name: [0 as c_char; 128], dimCount: 0, dims: [0; 128] };

pub(super) fn sizes(dims: &aclmdlIODims) -> Vec<i64> {
    dims.dims.iter().copied().take(dims.dimCount).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(dims: &[i64], bytes: usize) -> Port {
        let (name, element, dims) = (String::new(), ElementType::Other(29), dims.to_vec());
        Port { name, element, dims, bytes, format: aclFormat::ACL_FORMAT_ND }
    }

    #[test]
    fn elements_of_unknown_size_have_the_bytes_of_their_shape_and_not_of_the_largest() {
        // In the largest gear 16 elements have 8 bytes.
        let largest = port(&[4, 4], 8);
        let found = [[4, 4], [1, 4], [1, 2], [1, 1], [0, 4]].map(|shape| largest.bytes_of_unknown_elements(&shape, 8));
        assert_eq!(found, [Some(8), Some(2), Some(1), None, Some(0)]);
        assert_eq!(largest.bytes_of_unknown_elements(&[usize::MAX, 2], 8), None);
        // The library allocated the memory of an output whose size the inputs decide.
        assert_eq!(port(&[-1, 4], 0).bytes_of_unknown_elements(&[3, 4], 6), Some(6));
        // It says a size all the same, which is not that of the shape.
        assert_eq!(port(&[-1, 4], 16).bytes_of_unknown_elements(&[3, 4], 6), Some(6));
        assert_eq!(port(&[0, 4], 8).bytes_of_unknown_elements(&[0, 4], 8), None);
    }
}
