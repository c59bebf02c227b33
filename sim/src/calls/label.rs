//! Labels, and streams that start each other: how the streams of a model that is built task by task go on.

use super::notify::on_device;
use super::wanted;
use crate::abi::{Address, In, Out};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use crate::machine::instances::{create_label, create_list, destroy_label, destroy_list, find_label, find_list};
use crate::machine::memory::hold;
use crate::machine::recording::assembly::Assembly;
use crate::machine::recording::program::{Branch, Comparison, What};
use crate::machine::recording::tasks::Sort;
use crate::machine::streams::refusals::{assembly_of, unbound};
use crate::machine::streams::stream::Stream;
use ascendcl_rules::STREAM_20;
use ascendcl_sys::error_codes::{ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_STREAM_MODEL};
use ascendcl_sys::types::*;
use std::sync::Arc;

pub(crate) fn aclrtCreateLabel(mut label: Out<'_, aclrtLabel>) -> Answer {
    wanted(&label)?;
    label.set(aclrtLabel(core::ptr::without_provenance_mut(create_label()?)));
    Ok(())
}

pub(crate) fn aclrtDestroyLabel(label: aclrtLabel) -> Answer {
    destroy_label(label)
}

/// The place behind what the stream has. A label is set once.
pub(crate) fn aclrtSetLabel(label: aclrtLabel, stream: aclrtStream) -> Answer {
    if stream.is_null() {
        return Err(Failure::invalid("the stream is null"));
    }
    let (found, on) = (find_label(label)?, Named::find(stream)?);
    found.of_current_context()?;
    found.set(label.0.addr(), &*on.for_work()?)
}

/// Whether the labels are set is not looked at.
pub(crate) fn aclrtCreateLabelList(
    labels: In<'_, aclrtLabel>,
    num: usize,
    mut label_list: Out<'_, aclrtLabelList>,
) -> Answer {
    const LENGTHS: std::ops::RangeInclusive<usize> = 1..=65_535;
    if labels.is_null() {
        return Err(Failure::invalid("the array of labels is null"));
    }
    wanted(&label_list)?;
    if !LENGTHS.contains(&num) {
        return Err(Failure::refused(format!("a list has 1 to 65535 labels, and the number given is {num}")));
    }
    let labels = labels.list(num);
    labels.iter().try_for_each(|label| find_label(*label).map(drop))?;
    current_context()?;
    label_list.set(aclrtLabelList(core::ptr::without_provenance_mut(create_list(&labels)?)));
    Ok(())
}

pub(crate) fn aclrtDestroyLabelList(label_list: aclrtLabelList) -> Answer {
    if label_list.is_null() {
        return Err(Failure::invalid("the list of labels is null"));
    }
    destroy_list(label_list)
}

/// The stream goes on behind the label whose index (an `uint32_t`) stands in device memory when it comes here. How many
/// labels the list has is not looked at.
pub(crate) fn aclrtSwitchLabelByIndex(
    ptr: Address,
    max_value: u32,
    label_list: aclrtLabelList,
    stream: aclrtStream,
) -> Answer {
    if ptr.is_null() || label_list.is_null() {
        return Err(Failure::invalid("the place of the index, or the list of labels, is null"));
    }
    let (assembly, stream) = built(stream)?;
    let list = find_list(label_list)?;
    if max_value == 0 {
        return Err(Failure::refused("the number of labels is 0; expected at least 1"));
    }
    on_device(ptr)?;
    let hold = hold(ptr, size_of::<u32>())?;
    let branch = Branch { index: ptr, _hold: hold, count: max_value, labels: list.labels.clone() };
    assembly.issue(stream.number(), Sort::ACL_MODEL_RI_TASK_DEFAULT, What::Branch(branch))
}

/// The stream starts another one of its model when it comes here, and goes on.
pub(crate) fn aclrtActiveStream(active_stream: aclrtStream, stream: aclrtStream) -> Answer {
    if active_stream.is_null() || stream.is_null() {
        return Err(Failure::invalid("a stream is null"));
    }
    let started = Named::find(active_stream)?;
    let (assembly, stream) = built(stream)?;
    let started = of_same(&assembly, started)?;
    assembly.issue(stream.number(), Sort::ACL_MODEL_RI_TASK_DEFAULT, What::Activate(started))
}

/// The same, if the comparison of two values in device memory holds then. A stream that is part of no model is not taken
/// (100000, as measured).
pub(crate) fn aclrtSwitchStream(
    left_value: Address,
    cond: aclrtCondition,
    right_value: Address,
    data_type: aclrtCompareDataType,
    true_stream: aclrtStream,
    false_stream: aclrtStream,
    stream: aclrtStream,
) -> Answer {
    if left_value.is_null() || right_value.is_null() || true_stream.is_null() || stream.is_null() {
        return Err(Failure::invalid("a value or a stream is null; the stream of the other case alone is to be null"));
    }
    if !false_stream.is_null() {
        let failure = Failure::invalid("the stream of the other case is reserved; expected null");
        return Err(failure.breaks(STREAM_20, "null as the stream of the other case", "pass null there"));
    }
    let (started, on) = (Named::find(true_stream)?, Named::find(stream)?);
    let holds: fn(&i64, &i64) -> bool = match cond {
        aclrtCondition::ACL_RT_EQUAL => i64::eq,
        aclrtCondition::ACL_RT_NOT_EQUAL => i64::ne,
        aclrtCondition::ACL_RT_GREATER => i64::gt,
        aclrtCondition::ACL_RT_GREATER_OR_EQUAL => i64::ge,
        aclrtCondition::ACL_RT_LESS => i64::lt,
        aclrtCondition::ACL_RT_LESS_OR_EQUAL => i64::le,
        other => return Err(Failure::refused(format!("there is no condition {}", other.0))),
    };
    let wide = match data_type {
        aclrtCompareDataType::ACL_RT_SWITCH_INT32 => false,
        aclrtCompareDataType::ACL_RT_SWITCH_INT64 => true,
        other => return Err(Failure::refused(format!("there is no data type {} to compare", other.0))),
    };
    let stream = on.for_work()?;
    let assembly = assembly_of(&stream).map_err(|failure| Failure { code: ACL_ERROR_INVALID_PARAM, ..failure })?;
    let started = of_same(&assembly, started)?;
    on_device(left_value).and(on_device(right_value))?;
    let size = if wide { size_of::<i64>() } else { size_of::<i32>() };
    let _holds = [hold(left_value, size)?, hold(right_value, size)?];
    let comparison = Comparison { left: left_value, right: right_value, _holds, wide, holds };
    assembly.issue(stream.number(), Sort::ACL_MODEL_RI_TASK_DEFAULT, What::Choose(comparison, started))
}

fn for_work(stream: aclrtStream) -> Answer<Arc<Stream>> {
    if stream.is_null() {
        return Err(Failure::invalid("the stream is null"));
    }
    Named::find(stream)?.for_work()
}

/// A stream that is bound to a model (107005).
fn built(stream: aclrtStream) -> Answer<(Arc<Assembly>, Arc<Stream>)> {
    let stream = for_work(stream)?;
    Ok((assembly_of(&stream)?, stream))
}

/// The number of a stream that has to be bound to the same model (107005).
fn of_same(assembly: &Assembly, stream: Named) -> Answer<usize> {
    let stream = stream.for_work()?;
    if assembly.has(stream.number()) {
        return Ok(stream.number());
    }
    let text = "the stream to start is not bound to the model of the stream that starts it";
    Err(unbound(Failure::new(ACL_ERROR_RT_STREAM_MODEL, text)))
}
