//! Truth values of the device as those of Rust.

use super::Error;
use crate::element::Bool;
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
