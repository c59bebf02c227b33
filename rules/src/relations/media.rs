//! MEM, DVPP: media processing has memory of its own, and channels.

use super::scene::{Case, Scene};
use crate::catalogue::*;
use crate::events::{Flag, Kind, Object, Op};

/// The channel that works for the call.
pub(super) fn channel_of(scene: &Scene) -> Option<Object> {
    scene.event.others().find(|other| other.kind == Kind::Channel)
}

/// DVPP-01: a channel works for one thread and one stream at a time. Work that uses the same memory is told of that.
pub(super) fn shared(case: &mut Case<'_>) {
    let Some(channel) = channel_of(case.scene).filter(|_| case.findings.is_empty()) else { return };
    let (world, order) = (case.world, case.world.order());
    let now = world.now(case.event().queue());
    let earlier = world.channels.get(channel).and_then(|entry| entry.in_flight.unordered(&order, now, |_| true));
    if let Some((stream, call)) = earlier.map(|task| (task.stream, task.call)) {
        case.report(
            DVPP_01,
            format!("{channel} is given work while its work on {stream} may still be running"),
            "a channel has work on one stream at a time",
            format!("synchronise {stream} first, use one stream, or create a channel for each stream"),
        )
        .about(channel)
        .about(stream)
        .against(call, "queued the other work");
        return;
    }
    let other = case.elsewhere().find(|other| channel_of(&other.scene) == Some(channel)).map(|other| other.scene.call);
    if let Some(other) = other {
        case.report(
            DVPP_01,
            format!("two threads use {channel} at the same time"),
            "a channel for each thread",
            "create a channel for each thread, or hold a lock around its calls",
        )
        .about(channel)
        .against(other, "uses the channel, and has not returned");
    }
}

/// DVPP-02: a channel goes before its description.
pub(super) fn judge(case: &mut Case<'_>) {
    let channel = case.event().object;
    let ends_description = case.event().op == Op::Change && channel.kind == Kind::Channel;
    let Some(made) = case.world.channels.get(channel).map(|entry| entry.made).filter(|_| ends_description) else {
        return;
    };
    case.report(
        DVPP_02,
        format!("the description of {channel} is destroyed, and the channel was not"),
        "the channel was destroyed before",
        "call acldvppDestroyChannel first, then acldvppDestroyChannelDesc",
    )
    .about(channel)
    .against(made, "created the channel");
}

/// MEM-03: media processing has an allocator of its own.
pub(super) fn other_family(case: &mut Case<'_>, object: Object) {
    let by_media = case.event().is(Flag::Media);
    let Some(block) = case.world.blocks.get(object).filter(|block| block.data.media != by_media) else { return };
    let (made, name) = (block.made, case.scene.call.name);
    let by = if by_media { "aclrtFree" } else { "acldvppFree" };
    case.report(
        MEM_03,
        format!("{object} was allocated by {}, but {name} frees it", made.name),
        format!("{by}, which belongs to the call that allocated it"),
        format!("free it with {by}"),
    )
    .about(object)
    .against(made, "allocated it");
}

/// DVPP-03: pictures and files for media processing are in its own memory.
pub(super) fn for_pictures(case: &mut Case<'_>) {
    let (world, event) = (case.world, case.event());
    if event.op != Op::Use || !event.is(Flag::Media) {
        return;
    }
    let blocks = case.scene.memory.iter().filter_map(|used| world.block(used.span.start));
    let other = blocks.map(|(block, entry)| (block, entry.made, &entry.data)).find(|(.., block)| !block.media);
    if let Some((block, made, _)) = other {
        case.report(
            DVPP_03,
            format!("{block} was allocated by {}", made.name),
            "memory of media processing",
            "allocate it with acldvppMalloc",
        )
        .about(block)
        .against(made, "allocated the block");
    }
}
