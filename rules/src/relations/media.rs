//! MEM, DVPP: media processing has memory of its own.

use super::scene::Case;
use crate::catalogue::*;
use crate::events::{Flag, Kind, Object, Op};

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

/// MEM-03: media processing has an allocator of its own. Returns whether the call frees a block of the other allocator.
pub(super) fn other_family(case: &mut Case<'_>, object: Object) -> bool {
    let by_media = case.event().is(Flag::Media);
    let Some(block) = case.world.blocks.get(object).filter(|block| block.data.media != by_media) else { return false };
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
    true
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
