//! Calls whose findings would only repeat an earlier finding.

use super::scene::Case;
use super::world::Fate;
use crate::events::{Kind, Object, Op};

/// Whether the call uses or ends an object that an earlier call ended too early or left behind, and a finding has
/// reported that call. What this call breaks is then the same mistake.
pub(super) fn from_reported_mistake(case: &Case<'_>) -> bool {
    let (world, event) = (case.world, case.event());
    if world.kept.is_empty() || event.op == Op::Set {
        return false;
    }
    let process = &world.process;
    let finalised = process.initialised.is_empty() && process.finalised.is_some();
    let over = |object: Object| match world.fate(object) {
        // An object that a graph or a model still uses was ended too early. Any other use, and a second end, is a
        // separate mistake.
        Fate::Dead(dead) if dead.ended.object == object => matches!(event.op, Op::Execute | Op::Replay),
        Fate::Dead(_) => true,
        Fate::Live { .. } | Fate::Unknown => finalised && object.kind != Kind::Process,
    };
    let blocks = case.scene.memory.iter().filter_map(|used| match world.freed_block(used.span.start) {
        Some((block, _)) => Some(block),
        None => world.block(used.span.start).map(|(block, _)| block),
    });
    let named = event.others().chain([event.object]).chain(blocks);
    named.filter(|object| world.kept.contains(object)).any(over)
}
