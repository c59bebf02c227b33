//! Functions of the caller that choose the kernels of its operators.

use super::arguments::{In, Name};
use ascendcl_sys::types::*;

type Choose = unsafe extern "C" fn(
    i32,
    *const *const aclTensorDesc,
    i32,
    *const *const aclTensorDesc,
    *const aclopAttr,
    *mut aclopKernelDesc,
) -> aclError;

/// Chooses the kernel of an operator for the tensors of a call.
#[derive(Clone, Copy)]
pub(crate) struct KernelChoice(Choose);

/// The descriptions of a list, as the call names them.
pub(super) type Descriptions<'a> = (i32, &'a In<'a, *const aclTensorDesc>);

impl KernelChoice {
    /// `None` for null.
    pub(crate) fn new(function: aclopCompileFunc) -> Option<Self> {
        function.map(Self)
    }

    /// Asks for the kernel, which the function enters under this name.
    pub(crate) fn ask(
        self,
        (given, inputs): Descriptions<'_>,
        (wanted, outputs): Descriptions<'_>,
        attributes: Name<aclopAttr>,
        kernel: Name<aclopKernelDesc>,
    ) -> aclError {
        let attributes = attributes.pointer().cast_const();
        // SAFETY: the function asks for the lists of the call that is under way, with their lengths, and for handles that
        // are live until it returns. The lists are those of the caller, who registered the function to be called with them.
        unsafe { (self.0)(given, inputs.start(), wanted, outputs.start(), attributes, kernel.pointer()) }
    }
}
