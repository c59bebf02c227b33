//! Operands: what a description says of an input or an output, as far as an operator needs it.

use crate::failure::{Answer, Failure};
use crate::machine::models::{TensorDesc, element};
use crate::model::{Element, UNKNOWN_RANK};
use ascendcl_sys::error_codes::{ACL_ERROR_FORMAT_NOT_MATCH, ACL_ERROR_UNSUPPORTED_DATA_TYPE};
use ascendcl_sys::types::{aclDataType, aclFormat, aclMemType};

/// The type and the shape of an input or an output.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Operand {
    pub(crate) element: Element,
    /// -1 where the size is open; [`UNKNOWN_RANK`] alone where not even the number of axes is known.
    pub(crate) dims: Vec<i64>,
}

/// How many axes an operand has at most, on the vendor's devices.
const MOST_AXES: usize = 8;

impl Operand {
    /// `what`: which operand of which operator. `mismatch`: the code for a shape that no operator has.
    pub(super) fn of(what: &str, desc: &TensorDesc, mismatch: i32) -> Answer<Self> {
        let element = element(desc.data_type).ok_or_else(|| {
            let text =
                format!("{what}: found {}, expected a type the simulator calculates with", named(desc.data_type));
            Failure::new(ACL_ERROR_UNSUPPORTED_DATA_TYPE, text)
        })?;
        for format in [Some(desc.format), desc.extra.storage_format].into_iter().flatten() {
            if !is_plain(format) {
                let text = format!("{what}: found format {}, expected a plain one such as ACL_FORMAT_ND", format.0);
                return Err(Failure::new(ACL_ERROR_FORMAT_NOT_MATCH, text));
            }
        }
        let dims = desc.dims.clone();
        let known_rank = dims != [UNKNOWN_RANK];
        if known_rank && (dims.len() > MOST_AXES || dims.iter().any(|&dim| dim == 0 || dim < -1)) {
            let text = format!(
                "{what}: found dims {dims:?}, expected at most {MOST_AXES} axes, each of size 1 or more, or -1"
            );
            return Err(Failure::new(mismatch, text));
        }
        Ok(Self { element, dims })
    }

    pub(super) fn is_open(&self) -> bool {
        self.dims.iter().any(|&dim| dim < 0)
    }

    /// How many axes it has, or may have at most.
    pub(super) fn most_axes(&self) -> usize {
        if self.dims == [UNKNOWN_RANK] { MOST_AXES } else { self.dims.len() }
    }

    /// Whether an operand of these dims is one that this one allows.
    pub(super) fn allows(&self, dims: &[i64]) -> bool {
        let fits = |(&open, &dim): (&i64, &i64)| open == -1 || open == dim;
        self.dims == [UNKNOWN_RANK] || (self.dims.len() == dims.len() && self.dims.iter().zip(dims).all(fits))
    }

    /// Its bytes; `None` while an axis is open, or when they are more than can be counted.
    pub(super) fn bytes(&self) -> Option<usize> {
        let size = |bytes: usize, &dim: &i64| bytes.checked_mul(usize::try_from(dim).ok()?);
        self.dims.iter().try_fold(self.element.bytes(), size)
    }
}

/// Whether an input's elements are in host memory, by its description.
pub(super) fn is_on_host(desc: &TensorDesc) -> bool {
    use aclMemType as M;
    matches!(desc.extra.placement, Some(M::ACL_MEMTYPE_HOST | M::ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT))
}

/// The name of a data type, as far as callers are likely to meet it here.
fn named(data_type: aclDataType) -> String {
    let name = match data_type {
        aclDataType::ACL_DT_UNDEFINED => "ACL_DT_UNDEFINED",
        aclDataType::ACL_INT16 => "ACL_INT16",
        aclDataType::ACL_UINT16 => "ACL_UINT16",
        aclDataType::ACL_UINT32 => "ACL_UINT32",
        aclDataType::ACL_UINT64 => "ACL_UINT64",
        aclDataType::ACL_STRING => "ACL_STRING",
        aclDataType::ACL_BF16 => "ACL_BF16",
        aclDataType::ACL_COMPLEX64 => "ACL_COMPLEX64",
        aclDataType::ACL_COMPLEX128 => "ACL_COMPLEX128",
        other => return format!("data type {}", other.0),
    };
    name.to_string()
}

/// Whether elements in this format lie in row-major order, as they do in all but the device's own formats.
fn is_plain(format: aclFormat) -> bool {
    matches!(
        format,
        aclFormat::ACL_FORMAT_UNDEFINED
            | aclFormat::ACL_FORMAT_NCHW
            | aclFormat::ACL_FORMAT_NHWC
            | aclFormat::ACL_FORMAT_ND
            | aclFormat::ACL_FORMAT_HWCN
            | aclFormat::ACL_FORMAT_NDHWC
            | aclFormat::ACL_FORMAT_NCDHW
            | aclFormat::ACL_FORMAT_NC
            | aclFormat::ACL_FORMAT_NCL
    )
}
