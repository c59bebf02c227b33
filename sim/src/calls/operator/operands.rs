//! What calls about operators say of operands.

use crate::abi::{In, Name, Text};
use crate::failure::{Answer, Failure};
use crate::machine::memory::areas::{Area, read_area};
use crate::machine::models::{TensorDesc, with_tensor};
use crate::machine::operators::{Request, read_attributes};
use ascendcl_sys::error_codes::ACL_ERROR_API_NOT_SUPPORT;
use ascendcl_sys::types::{aclDataBuffer, aclTensorDesc, aclopAttr};

/// The arguments of a call about an operator.
pub(super) fn request(
    op_type: Text<'_>,
    inputs: &[Name<aclTensorDesc>],
    outputs: &[Name<aclTensorDesc>],
    attr: Name<aclopAttr>,
) -> Answer<Request> {
    let name = op_type.get().ok_or_else(|| Failure::invalid("the operator type is null"))?.into_owned();
    let (inputs, outputs) = (descriptions(&name, "input", inputs)?, descriptions(&name, "output", outputs)?);
    Ok(Request { name, inputs, outputs, attributes: read_attributes(attr)? })
}

fn descriptions(name: &str, what: &str, list: &[Name<aclTensorDesc>]) -> Answer<Vec<TensorDesc>> {
    let description = |(index, desc): (usize, &Name<aclTensorDesc>)| {
        with_tensor(*desc, |desc| desc.clone()).map_err(|failure| failure.of(&format!("{name}, {what} {index}")))
    };
    list.iter().enumerate().map(description).collect()
}

/// Refuses numbers of operands that are no numbers. Some calls do so before they look at anything else.
pub(super) fn check_counts(inputs: i32, outputs: i32) -> Answer {
    count(inputs, "input", false).and_then(|_| count(outputs, "output", false)).map(drop)
}

/// A length that C pairs with a list, which is not null unless it is empty.
pub(super) fn count(length: i32, what: &str, is_null: bool) -> Answer<usize> {
    let count = usize::try_from(length).map_err(|_| Failure::invalid(format!("there are no {length} {what}s")))?;
    if count > 0 && is_null {
        return Err(Failure::invalid(format!("{count} {what}s are announced, and a list of them is null")));
    }
    Ok(count)
}

/// A list of operands, or of their descriptions.
pub(super) trait Listed<T> {
    /// As many as the call says.
    fn listed(&self, length: i32, what: &str) -> Answer<Vec<Name<T>>>;
}

impl<T> Listed<T> for In<'_, *const T> {
    fn listed(&self, length: i32, what: &str) -> Answer<Vec<Name<T>>> {
        Ok(self.names(count(length, what, self.is_null())?))
    }
}

impl<T> Listed<T> for In<'_, *mut T> {
    fn listed(&self, length: i32, what: &str) -> Answer<Vec<Name<T>>> {
        Ok(self.names(count(length, what, self.is_null())?))
    }
}

/// For calls that take no operands in host memory, except constants (200001).
pub(super) fn check_not_on_host(request: &Request) -> Answer {
    if request.has_host_memory() {
        let text = format!("{}: this call takes no operands in host memory", request.name);
        return Err(Failure::new(ACL_ERROR_API_NOT_SUPPORT, text));
    }
    Ok(())
}

/// Buffers that are all there.
pub(super) fn check_buffers(name: &str, what: &str, buffers: &[Name<aclDataBuffer>]) -> Answer {
    areas(name, what, buffers).map(drop)
}

/// Buffers that are all there, each with an address unless it is empty.
pub(super) fn check_addresses(name: &str, what: &str, buffers: &[Name<aclDataBuffer>]) -> Answer {
    let areas = areas(name, what, buffers)?;
    match areas.iter().position(|area| area.address.is_null() && area.size > 0) {
        Some(index) => Err(Failure::invalid(format!("{name}, {what} {index}: found a null address, expected memory"))),
        None => Ok(()),
    }
}

/// Whether there are outputs, and all of them are empty. Then there is nothing to execute.
pub(super) fn are_empty(name: &str, outputs: &[Name<aclDataBuffer>]) -> Answer<bool> {
    let areas = areas(name, "output", outputs)?;
    Ok(!areas.is_empty() && areas.iter().all(|area| area.size == 0))
}

/// Inputs that are all there, and none of them empty.
pub(super) fn check_elements(name: &str, inputs: &[Name<aclDataBuffer>]) -> Answer {
    match areas(name, "input", inputs)?.iter().position(|area| area.size == 0) {
        Some(index) => Err(Failure::invalid(format!("{name}, input {index}: found an empty buffer"))),
        None => Ok(()),
    }
}

fn areas(name: &str, what: &str, buffers: &[Name<aclDataBuffer>]) -> Answer<Vec<Area>> {
    let area = |(index, buffer): (usize, &Name<aclDataBuffer>)| {
        read_area(*buffer).map_err(|failure| failure.of(&format!("{name}, {what} {index}")))
    };
    buffers.iter().enumerate().map(area).collect()
}
