//! DEV, MEM, MODEL: objects that are alive when their context or device ends.

use super::scene::Case;
use super::world::World;
use crate::catalogue::*;
use crate::events::{Kind, Object, Op};
use crate::rule::RuleId;
use std::collections::BTreeSet;

pub(super) fn judge(case: &mut Case<'_>) {
    let object = case.event().object;
    match (case.event().op, object.kind) {
        (Op::Destroy, Kind::Context) => context(case, object),
        // A reset by force is allowed: it is the only way out if objects cannot be ended.
        (Op::Reset, Kind::Device) => device(case, object),
        _ => {}
    }
}

fn context(case: &mut Case<'_>, context: Object) {
    let Some(entry) = case.world.contexts.get(context) else { return };
    if entry.data.default {
        return;
    }
    let mut streams = case.world.streams_of(context);
    streams.retain(|stream| stream.kind == Kind::Stream);
    let left = [
        (CTX_10, streams, "destroy its streams"),
        (MODEL_14, instances(case.world, context), "unload its models and destroy its graphs"),
    ];
    report(case, &format!("{context} is destroyed"), left.into());
    default_stream(case, context);
}

/// The work of the default stream would end with the context, too.
fn default_stream(case: &mut Case<'_>, context: Object) {
    let stream = Object::default_stream(context.number);
    if !case.world.is_idle(stream) {
        case.report(
            STREAM_05,
            format!("{context} is destroyed, but no wait has shown that the work of its default stream is complete"),
            "all its work is complete",
            "call aclrtSynchronizeStream with a null stream first",
        )
        .about(context)
        .about(stream);
    }
}

/// The last reset of a device.
fn device(case: &mut Case<'_>, device: Object) {
    let world = case.world;
    let Some(entry) = world.devices.get(&device.number) else { return };
    let last = entry.sets_left() == 1;
    let Some(default) = entry.default_context.filter(|_| last) else { return };
    let of_default = world.streams.matching(|stream| stream.context == default);
    let of_default: Vec<Object> = of_default.into_iter().filter(|stream| stream.kind == Kind::Stream).collect();
    let mut others = world.contexts.matching(|context| context.device == device.number && !context.default);
    let shared = !others.is_empty();
    if !shared {
        // Events and memory live as long as any context of the device does.
        others.extend(world.events.matching(|event| event.device == device.number));
    }
    others.retain(|object| world.made(*object).is_none_or(|made| made.number > entry.forced));
    let mut left = vec![
        (DEV_02, of_default, "destroy the streams"),
        (DEV_10, others, "destroy events and contexts"),
        (MODEL_14, instances(world, default), "unload the models and destroy the graphs"),
    ];
    if !shared {
        left.push((MEM_12, memory(world, device.number), "free the device's memory"));
    }
    report(case, &format!("{device} is reset"), left);
}

/// Models, and graphs that were captured or built.
pub(super) fn instances(world: &World, context: Object) -> Vec<Object> {
    let mut all = world.models.matching(|model| model.context == context);
    all.extend(world.graphs.matching(|graph| graph.context == context));
    all
}

/// The memory of a device that the program has not freed.
fn memory(world: &World, device: u64) -> Vec<Object> {
    let here = |of: Option<u64>| of == Some(device);
    let mut memory = world.blocks.matching(|block| here(block.device));
    memory.extend(world.pools.matching(|pool| here(pool.device)));
    memory.extend(super::virtual_memory::left(world, |physical| here(physical.device)));
    // If a mapping is left, so is the range of its addresses.
    let mut memory = world.forgotten(memory);
    let mapped = memory.iter().filter(|block| block.kind == Kind::Memory);
    let ranges: BTreeSet<Object> = mapped.filter_map(|block| Some(world.range(block.number)?.0)).collect();
    memory.extend(ranges);
    memory
}

/// What is left over is one mistake: the call comes too early. The first rule that has something names it.
fn report(case: &mut Case<'_>, what: &str, left: Vec<(RuleId, Vec<Object>, &'static str)>) {
    let world = case.world;
    let mut left: Vec<_> = left.into_iter().map(|(rule, objects, fix)| (rule, world.forgotten(objects), fix)).collect();
    // A finding about this call names what other threads have there.
    let named: BTreeSet<Object> =
        case.findings.iter().flat_map(|found| &found.objects).map(|named| named.object).collect();
    left.iter_mut().for_each(|(_, objects, _)| objects.retain(|object| !named.contains(object)));
    left.retain(|(_, objects, _)| !objects.is_empty());
    let Some(rule) = left.first().map(|(rule, ..)| *rule) else { return };
    let fixes: Vec<&str> = left.iter().map(|(.., fix)| *fix).collect();
    let objects: Vec<Object> = left.iter().flat_map(|(_, objects, _)| objects.iter().copied()).collect();
    let Some(first) = objects.first().and_then(|first| world.made(*first)) else { return };
    let mut kinds: Vec<String> = objects.iter().map(|object| object.kind.to_string()).collect();
    kinds.dedup();
    let (count, kinds) = (objects.len(), kinds.join(", "));
    let plural = if count == 1 { "is" } else { "are" };
    case.report(
        rule,
        format!("{what} while {count} of its objects ({kinds}) {plural} alive"),
        "everything that belongs to it has ended",
        format!("{} first", fixes.join(", ")),
    )
    .all(objects)
    .against(first, "created one of them");
}
