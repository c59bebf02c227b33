//! Truth values of the device as those of Rust.

use super::Error;
use crate::element::{Bool, ElementType};
use ascendcl_macros::rule;

/// `true` for the byte 1, and `false` for the byte 0. No other byte is a `bool`, so it is an error.
impl TryFrom<Bool> for bool {
    type Error = Error;

    #[rule(MEM_07)]
    fn try_from(value: Bool) -> Result<Self, Error> {
        match value.byte() {
            0 => Ok(false),
            1 => Ok(true),
            byte => Err(Error::NoTruthValue { byte }),
        }
    }
}

/// An error if these are truth values, and a byte is none.
#[rule(MEM_07)]
pub(crate) fn check_truth_values(element: ElementType, bytes: &[u8]) -> Result<(), Error> {
    let largest = Bool::from(true).byte();
    match bytes.iter().find(|byte| element == ElementType::Bool && **byte > largest) {
        Some(&byte) => Err(Error::NoTruthValue { byte }),
        None => Ok(()),
    }
}
