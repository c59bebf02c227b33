//! Attributes of operators.

use super::operands::count;
use crate::abi::{In, Name, Text};
use crate::calls::model::told;
use crate::failure::{Answer, Failure};
use crate::machine::operators::{Attribute, create_attributes, destroy_attributes, set_attribute};
use ascendcl_sys::types::{aclDataType, aclopAttr};
use core::ffi::c_char;

pub(crate) fn aclopCreateAttr() -> Option<Name<aclopAttr>> {
    Some(create_attributes())
}

/// Has no result: why it failed is the thread's recent text.
pub(crate) fn aclopDestroyAttr(attr: Name<aclopAttr>) {
    told(destroy_attributes(attr));
}

pub(crate) fn aclopSetAttrBool(attr: Name<aclopAttr>, attr_name: Text<'_>, attr_value: u8) -> Answer {
    set(attr, attr_name, || Ok(Attribute::Bool(attr_value != 0)))
}

pub(crate) fn aclopSetAttrInt(attr: Name<aclopAttr>, attr_name: Text<'_>, attr_value: i64) -> Answer {
    set(attr, attr_name, || Ok(Attribute::Int(attr_value)))
}

pub(crate) fn aclopSetAttrFloat(attr: Name<aclopAttr>, attr_name: Text<'_>, attr_value: f32) -> Answer {
    set(attr, attr_name, || Ok(Attribute::Float(attr_value)))
}

pub(crate) fn aclopSetAttrString(attr: Name<aclopAttr>, attr_name: Text<'_>, attr_value: Text<'_>) -> Answer {
    let value = attr_value.get().ok_or_else(|| Failure::invalid("the value is null"));
    set(attr, attr_name, || Ok(Attribute::String(value?.into_owned())))
}

pub(crate) fn aclopSetAttrDataType(attr: Name<aclopAttr>, attr_name: Text<'_>, attr_value: aclDataType) -> Answer {
    set(attr, attr_name, || Ok(Attribute::DataType(attr_value)))
}

pub(crate) fn aclopSetAttrListBool(
    attr: Name<aclopAttr>,
    attr_name: Text<'_>,
    num_values: i32,
    values: In<'_, u8>,
) -> Answer {
    let bools = |values: Vec<u8>| Attribute::Bools(values.into_iter().map(|value| value != 0).collect());
    set(attr, attr_name, || list(num_values, &values).map(bools))
}

pub(crate) fn aclopSetAttrListInt(
    attr: Name<aclopAttr>,
    attr_name: Text<'_>,
    num_values: i32,
    values: In<'_, i64>,
) -> Answer {
    set(attr, attr_name, || list(num_values, &values).map(Attribute::Ints))
}

pub(crate) fn aclopSetAttrListFloat(
    attr: Name<aclopAttr>,
    attr_name: Text<'_>,
    num_values: i32,
    values: In<'_, f32>,
) -> Answer {
    set(attr, attr_name, || list(num_values, &values).map(Attribute::Floats))
}

pub(crate) fn aclopSetAttrListDataType(
    attr: Name<aclopAttr>,
    attr_name: Text<'_>,
    num_values: i32,
    values: In<'_, aclDataType>,
) -> Answer {
    set(attr, attr_name, || list(num_values, &values).map(Attribute::DataTypes))
}

pub(crate) fn aclopSetAttrListString(
    attr: Name<aclopAttr>,
    attr_name: Text<'_>,
    num_values: i32,
    values: In<'_, *const c_char>,
) -> Answer {
    set(attr, attr_name, || {
        let texts = values.texts(pointers(num_values, values.is_null())?);
        let texts = texts.into_iter().collect::<Option<Vec<_>>>();
        texts.map(Attribute::Strings).ok_or_else(|| Failure::invalid("one of the values is null"))
    })
}

pub(crate) fn aclopSetAttrListListInt(
    attr: Name<aclopAttr>,
    attr_name: Text<'_>,
    num_lists: i32,
    num_values: In<'_, i32>,
    values: In<'_, *const i64>,
) -> Answer {
    set(attr, attr_name, || {
        let lists = pointers(num_lists, values.is_null())?;
        if num_values.is_null() {
            return Err(Failure::invalid("the numbers of values are null"));
        }
        if values.list(lists).iter().any(|list| list.is_null()) {
            return Err(Failure::invalid("one of the lists is null"));
        }
        let lengths: Vec<_> = num_values.list(lists).into_iter().map(at_least_none).collect();
        Ok(Attribute::IntLists(values.lists(&lengths)))
    })
}

fn set(attr: Name<aclopAttr>, name: Text<'_>, value: impl FnOnce() -> Answer<Attribute>) -> Answer {
    let name = name.get().ok_or_else(|| Failure::invalid("the attribute's name is null"))?;
    set_attribute(attr, name.into_owned(), value()?)
}

/// A negative number of values stands for none.
fn list<T: Copy>(length: i32, values: &In<'_, T>) -> Answer<Vec<T>> {
    Ok(values.list(count(length.max(0), "value", values.is_null())?))
}

/// The length of a list of pointers, which may be null only where the length is 0. A negative length stands for 0, too.
fn pointers(length: i32, is_null: bool) -> Answer<usize> {
    if length != 0 && is_null {
        return Err(Failure::invalid(format!("{length} values are announced, and the list of them is null")));
    }
    Ok(at_least_none(length))
}

fn at_least_none(length: i32) -> usize {
    usize::try_from(length).unwrap_or(0)
}
