//! Operators by a handle: checked once, run with other buffers any number of times.

use super::plan::Plan;
use crate::abi::Name;
use crate::failure::{Answer, Failure};
use crate::machine::handles::Table;
use crate::machine::watch;
use ascendcl_rules::{OP_07, Object};
use ascendcl_sys::types::aclopHandle;
use std::sync::Arc;

static HANDLES: Table<Plan> = Table::new();

pub(crate) fn create_handle(plan: Plan) -> Name<aclopHandle> {
    let number = HANDLES.add(plan);
    watch::is_described(number);
    Name::new(number)
}

pub(crate) fn destroy_handle(name: Name<aclopHandle>) -> Answer {
    HANDLES.remove(name.0).map(drop).ok_or_else(|| unknown(name))?;
    watch::is_described_no_more(name.0);
    Ok(())
}

pub(crate) fn find_handle(name: Name<aclopHandle>) -> Answer<Arc<Plan>> {
    HANDLES.get(name.0).ok_or_else(|| {
        let failure = Failure::invalid(text(name));
        let fix = "destroy the handle after its last execution";
        match name.0 {
            0 => failure,
            other => {
                failure.breaks(OP_07, "a live handle of an operator", fix).about(Object::description(other as u64))
            }
        }
    })
}

pub(super) fn count() -> usize {
    HANDLES.len()
}

pub(super) fn clear() {
    HANDLES.remove_all(|_| true);
}

fn unknown(name: Name<aclopHandle>) -> Failure {
    watch::no_description(name.0, Failure::invalid(text(name)))
}

fn text(name: Name<aclopHandle>) -> &'static str {
    match name.0 {
        0 => "the operator handle is null",
        _ => "this is no operator handle, or it was destroyed",
    }
}
