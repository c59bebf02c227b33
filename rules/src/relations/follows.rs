//! Calls whose findings would only repeat an earlier finding.

use super::scene::Case;
use super::world::Fate;
use crate::events::{Kind, Object, Op};

/// Whether the call uses or ends an object that an earlier call ended too early or left behind, and a finding has
/// reported that call. What this call breaks is then the same mistake.
pub(super) fn from_reported_mistake(case: &Case<'_>) -> bool {
    let (world, event) = (case.world, case.event());
    // A call that was to prepare the run was refused, and a finding has reported why.
    let unready = |object: Object| world.explained.contains(&(None, object));
    if event.op == Op::Execute && event.others().chain([event.object]).any(unready) {
        return true;
    }
    if world.kept.is_empty() || event.op == Op::Set {
        return false;
    }
    let process = &world.process;
    let finalised = process.initialised.is_empty() && process.finalised.is_some();
    let over = |object: Object| match world.fate(object) {
        // An object was ended too early. A second end is a separate mistake. So is the use of anything but memory by a
        // call that names it.
        Fate::Dead(dead) if dead.ended.object == object => match object.kind {
            Kind::Memory => !super::live::ends(event.op),
            _ => matches!(event.op, Op::Execute | Op::Replay),
        },
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
