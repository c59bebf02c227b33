//! Labels, and streams that start each other: parts of models that a program builds task by task, which the simulator does
//! not have. What they answer on ordinary streams is what the vendor's library answers there.

use super::wanted;
use crate::abi::{Address, In, Out};
use crate::failure::{Answer, Failure};
use crate::machine::handles::Table;
use crate::machine::{Named, current_context};
use ascendcl_sys::error_codes::ACL_ERROR_RT_STREAM_MODEL;
use ascendcl_sys::types::*;

static LABELS: Table<()> = Table::new();
static LISTS: Table<()> = Table::new();

pub(crate) fn aclrtCreateLabel(mut label: Out<'_, aclrtLabel>) -> Answer {
    wanted(&label)?;
    current_context()?;
    label.set(aclrtLabel(core::ptr::without_provenance_mut(LABELS.add(()))));
    Ok(())
}

pub(crate) fn aclrtDestroyLabel(label: aclrtLabel) -> Answer {
    live(label)?;
    LABELS.remove(label.0.addr()).map(drop).ok_or_else(|| Failure::unknown("label"))
}

pub(crate) fn aclrtSetLabel(label: aclrtLabel, stream: aclrtStream) -> Answer {
    live(label)?;
    in_no_model(stream)
}

/// Whether the labels are set is not looked at.
pub(crate) fn aclrtCreateLabelList(
    labels: In<'_, aclrtLabel>,
    num: usize,
    mut label_list: Out<'_, aclrtLabelList>,
) -> Answer {
    if labels.is_null() {
        return Err(Failure::invalid("the array of labels is null"));
    }
    wanted(&label_list)?;
    if num == 0 {
        return Err(Failure::refused("a list has at least one label"));
    }
    labels.list(num).into_iter().try_for_each(live)?;
    current_context()?;
    label_list.set(aclrtLabelList(core::ptr::without_provenance_mut(LISTS.add(()))));
    Ok(())
}

pub(crate) fn aclrtDestroyLabelList(label_list: aclrtLabelList) -> Answer {
    if label_list.is_null() {
        return Err(Failure::invalid("the list of labels is null"));
    }
    let removed = LISTS.remove(label_list.0.addr());
    removed.map(drop).ok_or_else(|| Failure::refused("this is not a live list of labels"))
}

pub(crate) fn aclrtSwitchLabelByIndex(
    ptr: Address,
    _max_value: u32,
    label_list: aclrtLabelList,
    stream: aclrtStream,
) -> Answer {
    if ptr.is_null() || label_list.is_null() {
        return Err(Failure::invalid("the place of the index, or the list of labels, is null"));
    }
    in_no_model(stream)
}

pub(crate) fn aclrtActiveStream(active_stream: aclrtStream, stream: aclrtStream) -> Answer {
    if active_stream.is_null() || stream.is_null() {
        return Err(Failure::invalid("a stream is null"));
    }
    Named::find(active_stream)?;
    in_no_model(stream)
}

fn live(label: aclrtLabel) -> Answer {
    if label.is_null() {
        return Err(Failure::invalid("the label is null"));
    }
    if LABELS.contains(label.0.addr()) { Ok(()) } else { Err(Failure::unknown("label")) }
}

/// No stream of the simulator is part of a model that is built task by task (107005).
fn in_no_model(stream: aclrtStream) -> Answer {
    if stream.is_null() {
        return Err(Failure::invalid("the stream is null"));
    }
    Named::find(stream)?.for_work()?;
    Err(Failure::new(ACL_ERROR_RT_STREAM_MODEL, "the stream is part of no model that is being built"))
}
