//! Attributes of operators, as the caller collects them.

use crate::abi::Name;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::handles::Table;
use crate::machine::watch;
use ascendcl_sys::types::{aclDataType, aclopAttr};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Values by their names.
pub(crate) type Attributes = BTreeMap<String, Attribute>;

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Attribute {
    Bool(bool),
    Int(i64),
    Float(f32),
    String(String),
    DataType(aclDataType),
    Bools(Vec<bool>),
    Ints(Vec<i64>),
    Floats(Vec<f32>),
    Strings(Vec<String>),
    DataTypes(Vec<aclDataType>),
    IntLists(Vec<Vec<i64>>),
}

static COLLECTIONS: Table<Mutex<Attributes>> = Table::new();

pub(crate) fn create_attributes() -> Name<aclopAttr> {
    let number = COLLECTIONS.add(Mutex::default());
    watch::is_described(number);
    Name::new(number)
}

pub(crate) fn destroy_attributes(name: Name<aclopAttr>) -> Answer {
    COLLECTIONS.remove(name.0).map(drop).ok_or_else(|| unknown(name))?;
    watch::is_described_no_more(name.0);
    Ok(())
}

/// The last value that is set under a name counts.
pub(crate) fn set_attribute(name: Name<aclopAttr>, key: String, value: Attribute) -> Answer {
    let attributes = COLLECTIONS.get(name.0).ok_or_else(|| unknown(name))?;
    lock(&attributes).insert(key, value);
    Ok(())
}

/// The attributes; none for a null pointer.
pub(crate) fn read_attributes(name: Name<aclopAttr>) -> Answer<Attributes> {
    if name.0 == 0 {
        return Ok(Attributes::new());
    }
    COLLECTIONS.get(name.0).map(|attributes| lock(&attributes).clone()).ok_or_else(|| unknown(name))
}

pub(super) fn count() -> usize {
    COLLECTIONS.len()
}

pub(super) fn clear() {
    COLLECTIONS.remove_all(|_| true);
}

fn unknown(name: Name<aclopAttr>) -> Failure {
    let failure = Failure::invalid(match name.0 {
        0 => "the operator's attributes are null",
        _ => "these are no operator's attributes, or they were destroyed",
    });
    watch::no_description(name.0, failure)
}
