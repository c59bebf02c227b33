//! Single operators.

mod attributes;
mod compile;
mod execute;
mod handle;
mod kernels;

pub(crate) use {attributes::*, compile::*, execute::*, handle::*, kernels::*};

pub(in crate::calls) use execute::run;

use crate::abi::{Name, Text};
use crate::failure::{Answer, Failure};
use crate::machine::models::{TensorDesc, with_tensor};
use crate::machine::operators::{Request, read_attributes};
use ascendcl_sys::types::{aclTensorDesc, aclopAttr};

/// The arguments of a call about an operator.
fn request(
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

/// The length of a list whose pointers these are: as C pairs them, and none of them null unless the list is empty.
fn count(length: i32, what: &str, nulls: &[bool]) -> Answer<usize> {
    let count = usize::try_from(length).map_err(|_| Failure::invalid(format!("there are no {length} {what}s")))?;
    if count > 0 && nulls.contains(&true) {
        return Err(Failure::invalid(format!("{count} {what}s are announced, and a list of them is null")));
    }
    Ok(count)
}
