//! The attributes of an operator, in the library's form.

use super::DOING;
use crate::attribute::Attribute;
use crate::element::ElementType;
use crate::error::Error;
use crate::ffi::Api;
use crate::ffi::answer::Answer;
use crate::ffi::api::c_text;
use crate::ffi::call::call;
use ascendcl_sys::types::{aclDataType, aclError, aclopAttr};
use core::cell::Cell;
use core::ffi::{CStr, c_char, c_int};
use core::ptr::null_mut;
use std::ffi::CString;

/// The library's attribute object. Null before it is created, and after the library has destroyed it.
#[derive(Debug)]
pub(super) struct Attributes(Cell<*mut aclopAttr>);

impl Attributes {
    pub(super) fn none() -> Self {
        Self(Cell::new(null_mut()))
    }

    pub(super) fn raw(&self) -> *mut aclopAttr {
        self.0.get()
    }

    pub(super) fn fill(&self, api: Api, attributes: &[(&str, &Attribute)]) -> Result<(), Error> {
        // SAFETY: the function takes no arguments, so it requires only that its signature is that of the table. Null,
        // which stands for a failure, is checked (ERR-06).
        let created = unsafe { call!(api.aclopCreateAttr()) };
        self.0.set(created.pointer(DOING)?.as_ptr());
        attributes.iter().try_for_each(|(name, value)| self.set(api, name, value))
    }

    fn set(&self, api: Api, name: &str, value: &Attribute) -> Result<(), Error> {
        let (attr, text) = (self.raw(), c_text(name)?);
        let key: *const c_char = text.as_ptr();
        let answer = match value {
            // SAFETY: the function asks for live attributes, reads a terminated key during the call, and copies it and
            // the value. `fill` created the attributes, and `c_text` made the key.
            Attribute::Bool(value) => unsafe { call!(api.aclopSetAttrBool(attr, key, u8::from(*value))) },
            // SAFETY: the function asks for live attributes, reads a terminated key during the call, and copies it and
            // the value. `fill` created the attributes, and `c_text` made the key.
            Attribute::Int(value) => unsafe { call!(api.aclopSetAttrInt(attr, key, *value)) },
            // SAFETY: the function asks for live attributes, reads a terminated key during the call, and copies it and
            // the value. `fill` created the attributes, and `c_text` made the key.
            Attribute::Float(value) => unsafe { call!(api.aclopSetAttrFloat(attr, key, *value)) },
            // SAFETY: the function asks for live attributes, reads a terminated key during the call, and copies it and
            // the value. `fill` created the attributes, and `c_text` made the key.
            Attribute::Element(value) => unsafe { call!(api.aclopSetAttrDataType(attr, key, value.raw())) },
            Attribute::Text(value) => {
                let value = c_text(value)?;
                // SAFETY: the function asks for live attributes, and reads a terminated key and a terminated text
                // during the call. `fill` created the attributes, and `c_text` made both texts.
                unsafe { call!(api.aclopSetAttrString(attr, key, value.as_ptr())) }
            }
            // SAFETY: the function asks for live attributes, reads a terminated key and as many values as `count` says
            // during the call, and copies all. `fill` created the attributes, `c_text` made the key, and the list has
            // at least that many values.
            Attribute::Ints(values) => unsafe {
                call!(api.aclopSetAttrListInt(attr, key, count(values), values.as_ptr()))
            },
            // SAFETY: the function asks for live attributes, reads a terminated key and as many values as `count` says
            // during the call, and copies all. `fill` created the attributes, `c_text` made the key, and the list has
            // at least that many values.
            Attribute::Floats(values) => unsafe {
                call!(api.aclopSetAttrListFloat(attr, key, count(values), values.as_ptr()))
            },
            Attribute::Bools(values) => self.set_bools(api, &text, values),
            Attribute::Texts(values) => self.set_texts(api, &text, values)?,
            Attribute::Elements(values) => self.set_elements(api, &text, values),
            Attribute::IntLists(lists) => self.set_int_lists(api, &text, lists),
        };
        answer.done(|| format!("set the attribute `{name}` of an operator"))
    }

    fn set_bools(&self, api: Api, key: &CStr, values: &[bool]) -> Answer<aclError> {
        let values: Vec<u8> = values.iter().copied().map(u8::from).collect();
        // SAFETY: the function asks for live attributes, reads a terminated key and as many values as `count` says
        // during the call, and copies all. `fill` created the attributes, a `CStr` is terminated, and the list has at
        // least that many values.
        unsafe { call!(api.aclopSetAttrListBool(self.raw(), key.as_ptr(), count(&values), values.as_ptr())) }
    }

    fn set_texts(&self, api: Api, key: &CStr, values: &[String]) -> Result<Answer<aclError>, Error> {
        let values: Vec<CString> = values.iter().map(|value| c_text(value)).collect::<Result<_, _>>()?;
        let mut starts: Vec<_> = values.iter().map(|value| CStr::as_ptr(value)).collect();
        // SAFETY: the function asks for live attributes, and reads a terminated key and as many terminated texts as
        // `count` says during the call. `fill` created the attributes, a `CStr` is terminated, `c_text` made the texts,
        // and the list has at least that many. The library may write to the list, which belongs to this function.
        Ok(unsafe { call!(api.aclopSetAttrListString(self.raw(), key.as_ptr(), count(&starts), starts.as_mut_ptr())) })
    }

    fn set_elements(&self, api: Api, key: &CStr, values: &[ElementType]) -> Answer<aclError> {
        let values: Vec<aclDataType> = values.iter().map(|value| value.raw()).collect();
        // SAFETY: the function asks for live attributes, reads a terminated key and as many values as `count` says
        // during the call, and copies all. `fill` created the attributes, a `CStr` is terminated, and the list has at
        // least that many values.
        unsafe { call!(api.aclopSetAttrListDataType(self.raw(), key.as_ptr(), count(&values), values.as_ptr())) }
    }

    fn set_int_lists(&self, api: Api, key: &CStr, lists: &[Vec<i64>]) -> Answer<aclError> {
        let lengths: Vec<c_int> = lists.iter().map(|list| count(list)).collect();
        let starts: Vec<*const i64> = lists.iter().map(|list| list.as_ptr()).collect();
        let (key, count) = (key.as_ptr(), count(&starts));
        // SAFETY: the function asks for live attributes, reads a terminated key and as many lists as `count` says
        // during the call, each as long as its length says, and copies all. `fill` created the attributes, a `CStr` is
        // terminated, and the lists have at least that many values.
        unsafe { call!(api.aclopSetAttrListListInt(self.raw(), key, count, lengths.as_ptr(), starts.as_ptr())) }
    }

    pub(super) fn destroy(&self, api: Api) -> Result<(), Error> {
        if self.raw().is_null() {
            return Ok(());
        }
        // SAFETY: the function asks for live attributes that no work uses, once. `fill` created them, null is stored
        // when they are destroyed, and the stamps show that no execution is under way. The call cannot fail if the
        // function exists.
        let destroyed = unsafe { call!(api.aclopDestroyAttr(self.raw())) };
        destroyed.value(|| DOING.into())?;
        self.0.set(null_mut());
        Ok(())
    }
}

/// The list's length, or less if it does not fit. The library reads no more values than this.
fn count<T>(list: &[T]) -> c_int {
    c_int::try_from(list.len()).unwrap_or(c_int::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use core::ffi::c_void;
    use core::ptr::NonNull;
    use core::sync::atomic::{AtomicUsize, Ordering};

    /// How many attribute objects the library was given to destroy.
    static DESTROYED: AtomicUsize = AtomicUsize::new(0);

    extern "C" fn destroys(_: *const aclopAttr) {
        DESTROYED.fetch_add(1, Ordering::SeqCst);
    }

    #[test]
    fn attributes_are_destroyed_once_if_they_were_created_and_stay_if_the_library_has_no_function_for_them() {
        let table = |name: &str| match name {
            "aclopDestroyAttr" => NonNull::new(destroys as *mut c_void),
            _ => None,
        };
        // SAFETY: `Api::from_table` asks that each address is of a function with the table's signature. `destroys` has
        // it.
        let api = unsafe { Api::from_table("attributes", table) };
        let attributes = Attributes::none();
        attributes.destroy(api).unwrap();
        assert_eq!(DESTROYED.load(Ordering::SeqCst), 0);
        attributes.0.set(NonNull::dangling().as_ptr());
        let refused = attributes.destroy(Api::without_functions()).unwrap_err();
        assert!(matches!(refused, Error::MissingFunction(_)), "{refused:?}");
        assert!(!attributes.raw().is_null());
        attributes.destroy(api).unwrap();
        attributes.destroy(api).unwrap();
        assert_eq!(DESTROYED.load(Ordering::SeqCst), 1);
    }
}
