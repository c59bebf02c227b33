//! Task groups: nodes of an instance whose work is replaced later, one by one and in their order.

use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::capture::capture_of;
use crate::machine::recording::Recorder;
use crate::machine::recording::update::{GROUPS, Group, Update};
use crate::machine::streams::refusals::captured;
use crate::machine::streams::stream::Stream;
use crate::machine::watch;
use ascendcl_rules::{GRAPH_09, Object};
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclrtTaskGrp;
use std::sync::{Arc, Mutex};

/// Work captured on the stream from here on belongs to a group.
pub(crate) fn begin_group(stream: &Stream) -> Answer {
    let capture = capture_of(stream)?;
    let mut state = lock(&capture.state);
    state.usable()?;
    if state.groups.contains_key(&stream.number()) {
        return Err(status("a task group is open on the stream already", stream));
    }
    state.groups.insert(stream.number(), Vec::new());
    drop(state);
    watch::group_begins(stream.number());
    Ok(())
}

pub(crate) fn end_group(stream: &Stream) -> Answer<aclrtTaskGrp> {
    let capture = capture_of(stream)?;
    let uses = watch::group_ends(stream.number());
    let (nodes, spoilt) = {
        let mut state = lock(&capture.state);
        (state.groups.remove(&stream.number()), state.spoilt.remove(&stream.number()))
    };
    let nodes = nodes.ok_or_else(|| status("no task group is open on the stream", stream))?;
    if spoilt {
        let text = "the task group was given work that it does not take";
        return Err(unpaired(Failure::new(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, text)));
    }
    let nodes = nodes.iter().map(Arc::downgrade).collect();
    let group = GROUPS.add(Group::new(capture.number, nodes));
    watch::has_group(capture.number, group, uses);
    Ok(aclrtTaskGrp(core::ptr::without_provenance_mut(group)))
}

/// Work submitted to the stream from here on replaces the work of the group.
pub(crate) fn begin_update(stream: &Arc<Stream>, handle: aclrtTaskGrp) -> Answer {
    if let Some(Recorder::Update(_)) = stream.recorder() {
        return Err(status("the stream updates a task group already", stream));
    }
    let group = GROUPS.get(handle.0.addr());
    let group = group.ok_or_else(|| Failure::refused("this is not the handle of a task group"))?;
    if !group.begin_update() {
        return Err(status("another stream updates the task group", stream));
    }
    let update = Update { handle: handle.0.addr(), group, begun: watch::moment(), work: Mutex::default() };
    let update = Arc::new(update);
    if !stream.start_recording(Recorder::Update(Arc::clone(&update))) {
        // Another thread was faster.
        update.group.end_update();
        return Err(captured("the stream is being captured, or updates a task group already"));
    }
    Ok(())
}

/// The new work replaces the old when the stream comes to it: a replay that was submitted before still runs the old.
pub(crate) fn end_update(stream: &Arc<Stream>) -> Answer {
    let Some(Recorder::Update(update)) = stream.recorder() else {
        return Err(status("the stream updates no task group", stream));
    };
    let (_, uses) = stream.stop_keeping();
    update.group.end_update();
    let work = std::mem::take(&mut *lock(&update.work));
    let expected = update.group.nodes.len();
    if work.len() != expected {
        let text = format!("the group has {expected} tasks, and {} came for them", work.len());
        let failure = unpaired(Failure::new(ACL_ERROR_RT_MODEL_UPDATE_FAILED, text));
        return Err(failure.about(Object::graph(update.group.graph as u64)).since(update.begun));
    }
    let (graph, group) = (update.group.graph, update.handle);
    stream.submit(move || {
        for (node, work) in update.group.nodes.iter().zip(work) {
            drop(node.upgrade().map(|node| node.replace(work)));
        }
        Ok(())
    })?;
    watch::group_was_updated(graph, group, uses);
    Ok(())
}

fn status(text: &'static str, stream: &Stream) -> Failure {
    let failure = unpaired(Failure::new(ACL_ERROR_STREAM_TASK_GROUP_STATUS, text));
    failure.about(Object::stream(stream.number() as u64))
}

/// Begin, tasks and end of a group, or of its update, do not belong together (GRAPH-09).
pub(super) fn unpaired(failure: Failure) -> Failure {
    failure.breaks(
        GRAPH_09,
        "a begin and an end on one stream, and as many tasks of the same kinds in an update as in the group",
        "end each group and each update that was begun, and give an update the work that the group has",
    )
}
