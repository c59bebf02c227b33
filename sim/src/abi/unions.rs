//! Unions of the C side: which member holds is known by something beside them.

use super::arguments::{FromC, In};
use ascendcl_sys::types::*;

/// The parameters of a random-number task: which member of the union holds is known by the distribution. Every member is
/// one parameter, or two.
pub(crate) trait RandomParameters {
    /// The first parameter, and the second of the distributions that have two.
    fn pair(&self) -> [aclrtRandomParaInfo; 2];
}

impl RandomParameters for aclrtRandomNumFuncParam {
    fn pair(&self) -> [aclrtRandomParaInfo; 2] {
        // SAFETY: reading a member of a union asks for a valid value (Reference, "Unions"). A parameter is made of
        // bytes, and every bit pattern is one; the member with one parameter is a prefix of those with two, and the
        // union is as large as they are.
        let two = unsafe { self.uniformDisInfo };
        [two.min, two.max]
    }
}

/// The value of a stream attribute: which member of the union holds is known by the attribute. Every member is a number
/// that starts where the others do.
pub(crate) trait AttributeValue {
    /// The one member of eight bytes.
    fn failure_mode(&self) -> u64;
    /// Any of the members of four.
    fn word(&self) -> u32;
}

impl AttributeValue for aclrtStreamAttrValue {
    fn failure_mode(&self) -> u64 {
        // SAFETY: reading a member of a union asks for a valid value (Reference, "Unions"). Every bit pattern is a
        // number; the caller of the C function filled this member in.
        unsafe { self.failureMode }
    }

    fn word(&self) -> u32 {
        // SAFETY: reading a member of a union asks for a valid value (Reference, "Unions"). Every bit pattern is a
        // number; the caller of the C function filled this member in.
        unsafe { self.overflowSwitch }
    }
}

/// The value of a model's attribute. There is one attribute.
pub(crate) trait ModelAttribute {
    fn priority(&self) -> u32;
}

impl ModelAttribute for aclmdlAttrValue_t {
    fn priority(&self) -> u32 {
        // SAFETY: reading a member of a union asks for a valid value (Reference, "Unions"). Every bit pattern is a
        // number; the caller of the C function filled this member in.
        unsafe { self.mdlPriority }
    }
}

/// The attributes of a call that allocates memory. Which member of the union holds is known by the attribute. Every member
/// is a number that starts where the others do.
impl In<'_, aclrtMallocConfig> {
    /// Each attribute, and its number. A number of two bytes has others behind it.
    pub(crate) fn attributes(&self) -> Vec<(aclrtMallocAttrType, u32)> {
        let Some(config) = self.get() else { return Vec::new() };
        // SAFETY: `from_c` asks for a pointer argument of a C call that is under way. The array of a structure is one as
        // well: the C caller's contract (`abi`).
        let all: In<'_, aclrtMallocAttribute> = unsafe { In::from_c(config.attrs) };
        // SAFETY: reading a member of a union asks for a valid value (Reference, "Unions"). Every bit pattern is a
        // number, and the union is as large as this member.
        let number = |attribute: aclrtMallocAttribute| unsafe { attribute.value.vaFlag };
        all.list(config.numAttrs).into_iter().map(|attribute| (attribute.attr, number(attribute))).collect()
    }
}
