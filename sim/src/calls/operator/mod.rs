//! Single operators.

mod attributes;
mod compile;
mod execute;
mod graphs;
mod handle;
mod kernels;
mod operands;

pub(crate) use {attributes::*, compile::*, execute::*, graphs::*, handle::*, kernels::*};

pub(in crate::calls) use execute::run;

use crate::failure::Answer;
use crate::machine::operators::{Plan, Request, check_found};
use ascendcl_sys::error_codes::ACL_ERROR_OP_NOT_FOUND;

/// An operator that has to be known by now. One that nothing could have made known is not found either (100024).
pub(in crate::calls) fn known(request: &Request) -> Answer<Plan> {
    let plan = planned(request)?;
    check_found(&plan)?;
    Ok(plan)
}

fn planned(request: &Request) -> Answer<Plan> {
    Plan::new(request).map_err(|failure| failure.coded(ACL_ERROR_OP_NOT_FOUND))
}
