//! DEV, MEM, MODEL: objects that are alive when their context or device ends.

use super::scene::Case;
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
    left(case, CTX_10, format!("{context} is destroyed"), streams, "destroy its streams first");
    let models = case.world.models.matching(|model| model.context == context);
    left(case, MODEL_14, format!("{context} is destroyed"), models, "unload its models first");
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
    let what = format!("{device} is reset");

    let of_default = world.streams.matching(|stream| stream.context == default);
    let of_default: Vec<Object> = of_default.into_iter().filter(|stream| stream.kind == Kind::Stream).collect();
    left(case, DEV_02, what.clone(), of_default, "destroy the streams first");

    let mut others = world.contexts.matching(|context| context.device == device.number && !context.default);
    let shared = !others.is_empty();
    if !shared {
        // Events and memory live as long as any context of the device does.
        others.extend(world.events.matching(|event| event.device == device.number));
    }
    others.retain(|object| world.made(*object).is_none_or(|made| made.number > entry.forced));
    left(case, DEV_10, what.clone(), others, "destroy events and contexts first");

    let models = world.models.matching(|model| model.context == default);
    left(case, MODEL_14, what.clone(), models, "unload the models first");
    if !shared {
        let here = |of: Option<u64>| of == Some(device.number);
        let mut memory = world.blocks.matching(|block| here(block.device));
        memory.extend(world.pools.matching(|pool| here(pool.device)));
        memory.extend(super::virtual_memory::left(world, |physical| here(physical.device)));
        // If a mapping is left, so is the range of its addresses.
        let mut memory = world.forgotten(memory);
        let mapped = memory.iter().filter(|block| block.kind == Kind::Memory);
        let ranges: BTreeSet<Object> = mapped.filter_map(|block| Some(world.range(block.number)?.0)).collect();
        memory.extend(ranges);
        left(case, MEM_12, what, memory, "free the device's memory first");
    }
}

fn left(case: &mut Case<'_>, rule: RuleId, what: String, objects: Vec<Object>, fix: &'static str) {
    let objects = case.world.forgotten(objects);
    let Some(first) = objects.first().and_then(|first| case.world.made(*first)) else { return };
    let kinds = objects.first().map_or(Kind::Process, |first| first.kind);
    let count = objects.len();
    let plural = if count == 1 { "is" } else { "are" };
    case.report(
        rule,
        format!("{what} while {count} of its objects ({kinds}) {plural} alive"),
        "everything that belongs to it has ended",
        fix,
    )
    .all(objects)
    .against(first, "created one of them");
}
