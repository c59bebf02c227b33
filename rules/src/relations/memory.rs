//! MEM, COPY: what kind of memory an address is in, and whether there still is a block.

use super::scene::{Case, MemoryUse};
use crate::catalogue::*;
use crate::events::{Flag, Kind, Object, Op, Place, Role, Span, Use};
use crate::rule::Severity;

/// Whether the memory is there, and where the call says.
pub(super) fn judge(case: &mut Case<'_>) -> bool {
    let before = case.findings.len();
    if super::live::ends(case.event().op) && case.event().object.kind == Kind::Memory {
        release(case);
        return case.findings.len() == before;
    }
    for used in &case.scene.memory {
        if matches!(used.role, Role::Contents) {
            continue;
        }
        if !freed(case, used) && !super::virtual_memory::out_of_reach(case, used) {
            place(case, used);
            filled(case, used);
        }
        // Both sides of a copy are usually wrong for the same reason, so one finding is enough.
        if case.event().op != Op::Execute && case.findings.len() > before {
            break;
        }
    }
    if case.findings.len() == before {
        room(case);
    }
    if case.findings.len() == before {
        fresh(case);
        super::media::for_pictures(case);
        super::other_devices::judge(case);
        aligned(case);
    }
    // A warning is no reason to look no further.
    case.findings.iter().skip(before).all(|finding| finding.rule.severity() != Severity::Misuse)
}

/// MEM-05. A thread without a context has no memory that it could free, and neither has an allocation that was refused.
/// Both were reported.
fn null(case: &mut Case<'_>) {
    if case.world.missed.contains(&case.event().object) {
        return;
    }
    if case.world.threads.get(&case.event().thread).is_none_or(|thread| !thread.reported) {
        case.report(
            MEM_05,
            "a null pointer is freed",
            "the address of a block",
            "free only allocated memory: freeing null is an error",
        );
    }
}

/// What a free is given.
fn release(case: &mut Case<'_>) {
    let (world, op, object) = (case.world, case.event().op, case.event().object);
    if object.number == 0 {
        return null(case);
    }
    if of_another_family(case, object) {
        return;
    }
    let of_host = matches!(op, Op::FreeHost | Op::FreeHostSynced);
    if let Some(block) = world.blocks.get(object) {
        let (made, in_host) = (block.made, block.data.device.is_none());
        if in_host != of_host {
            let (is, by) = if in_host { ("pinned host", "aclrtFreeHost") } else { ("device", "aclrtFree") };
            case.report(
                MEM_03,
                format!("{object} is {is} memory, but {} frees it", case.scene.call.name),
                format!("{by}, which belongs to the call that allocated it"),
                format!("free it with {by}"),
            )
            .about(object)
            .against(made, "allocated it");
        } else {
            super::media::other_family(case, object);
        }
        return;
    }
    match world.blocks.dead(object) {
        Some(dead) if dead.ended.object.kind != Kind::Memory => {
            case.report(
                MEM_12,
                format!("{object} is freed after its device was released"),
                "memory is freed before its device is reset",
                "free it first, then reset the device",
            )
            .about(object)
            .against(dead.ended, "released the device and its memory");
        }
        Some(dead) => {
            case.report(MEM_01, format!("{object} is freed again"), "one free for each block", "free each block once")
                .about(object)
                .against(dead.ended, "freed it");
        }
        None => {
            let inside = world.block(object.number).map(|(block, _)| block);
            case.report(
                MEM_03,
                format!("{object} is freed, but no allocation returned this address"),
                "the address that an allocation returned",
                "free the address of the whole block, with the call that belongs to its allocation",
            )
            .about(object)
            .all(inside);
        }
    }
}

/// Whether the block must be freed by another call, or whether the checks of its own family are complete, so that no
/// further check applies to it.
fn of_another_family(case: &mut Case<'_>, object: Object) -> bool {
    registration(case, object)
        || super::virtual_memory::mapping(case, object)
        || super::pools::other_family(case, object)
        || super::sharing::other_family(case, object)
}

/// MEM-14: memory of the program is registered and unregistered by two calls. Returns whether call and memory do not
/// match.
fn registration(case: &mut Case<'_>, object: Object) -> bool {
    let unregisters = case.event().is(Flag::Registered);
    let block = case.world.blocks.get(object);
    let made = block.map(|block| block.made);
    let found = match block {
        Some(block) if block.data.registered == unregisters => return false,
        Some(_) if unregisters => format!("{object} is unregistered, but an allocation returned it"),
        Some(_) => format!("{object} is freed, but it is memory of the program that is registered"),
        None if unregisters && !case.world.explained.contains(&(None, object)) => {
            format!("{object} is unregistered, but it is not registered")
        }
        None => return unregisters,
    };
    let ended = case.world.blocks.dead(object).map(|dead| dead.ended);
    case.report(
        MEM_14,
        found,
        "one aclrtHostUnregister for each aclrtHostRegister",
        "unregister the address that was registered, once, and then free it as it was allocated by the program",
    )
    .about(object)
    .against_any(made, "made the block")
    .against_any(ended, "ended the registration or the block");
    true
}

/// Whether the memory is in a block that ended.
pub(super) fn freed(case: &mut Case<'_>, used: &MemoryUse) -> bool {
    let Some((block, freed)) = case.world.freed_block(used.span.start) else { return false };
    // After the registration ended, the program may use its memory. A captured graph may not: it uses the memory as
    // pinned.
    if freed.registered && case.event().op != Op::Replay {
        return false;
    }
    let Some(dead) = case.world.blocks.dead(block) else { return false };
    let rule = match used.role {
        _ if dead.ended.object.kind != Kind::Memory => MEM_12,
        _ if case.event().op == Op::Replay => GRAPH_05,
        Role::Workspace => MODEL_02,
        Role::Weights => MODEL_03,
        Role::Input | Role::Output => DATA_02,
        _ => MEM_01,
    };
    let graph = Some(case.event().object).filter(|object| object.kind == Kind::Graph);
    let by = graph.map_or_else(String::new, |graph| format!(" by {graph}"));
    case.report(
        rule,
        format!("{} are used as {}{by} after the block was freed", used.span, used.role.name()),
        "a block that was not freed",
        "free the block after its last use",
    )
    .about(block)
    .all(graph)
    .against(dead.ended, "freed the block");
    true
}

fn place(case: &mut Case<'_>, used: &MemoryUse) {
    let Some(claimed) = used.claimed else { return };
    let start = case.begins(used.span);
    let (there, block) = (case.world.place(start), case.world.block(start));
    let reached = claimed == Place::Device && block.is_some_and(|(_, block)| block.data.reachable);
    if let Some((block, entry)) = block.filter(|(_, block)| reached && block.data.registered)
        && matches!(used.role, Role::Source | Role::Target)
    {
        let made = entry.made;
        case.report(
            MEM_15,
            format!(
                "{} are registered memory, and the call copies by the address that the device has for it",
                used.span
            ),
            "the address that was registered, as host memory",
            "pass the program's own address, and the direction that belongs to host memory",
        )
        .about(block)
        .against(made, "registered the memory");
        return;
    }
    if claimed == there || reached || case.event().is(Flag::OnDevice) || used.span.start == 0 {
        return;
    }
    let rule = match used.role {
        Role::Input | Role::Output => MODEL_18,
        Role::Workspace | Role::Weights => MEM_10,
        Role::Image => MODEL_10,
        _ if case.event().is(Flag::Media) => MEM_10,
        _ => COPY_02,
    };
    case.report(
        rule,
        format!("{} are {there} memory, but the call treats them as {claimed} memory", used.span),
        format!("{claimed} memory as {}", used.role.name()),
        if rule == COPY_02 {
            "pass the direction that matches the addresses, or swap the addresses"
        } else {
            "copy the bytes to the other side first"
        },
    )
    .all(block.map(|(block, _)| block));
}

/// COPY-01: the destination is shorter than the call says, whether or not the copy fits, or the source is shorter than the
/// copy.
fn room(case: &mut Case<'_>) {
    let (world, event) = (case.world, case.event());
    for used in &event.uses {
        let Use::Room { said, known } = *used else { continue };
        if super::virtual_memory::was_not_mapped(world, said) {
            continue;
        }
        let block = world.block(said.start);
        let Some(there) = world.room(said.start).or(known).filter(|there| *there < said.bytes) else { continue };
        // Of several rows the first one begins there.
        let is_read =
            |used: &Use| matches!(used, Use::Memory { span, role: Role::Source, .. } if span.start == said.start);
        let (found, expected) = match event.uses.iter().any(is_read) {
            true => {
                (format!("the call reads {said}, but only {there} bytes are there"), "as many bytes as the source has")
            }
            false => (
                format!("the call says that there is room for {said}, but only {there} bytes are there"),
                "the capacity of the destination",
            ),
        };
        case.report(
            COPY_01,
            found,
            expected,
            "pass the size that the memory was allocated with, less what comes before the address",
        )
        .all(block.map(|(block, _)| block))
        .against_any(block.map(|(_, entry)| entry.made), "allocated the block");
        // One wrong number is often that of both sides.
        return;
    }
}

/// MEM-07: a copy reads a block that nothing was written to since it was allocated.
fn fresh(case: &mut Case<'_>) {
    let (world, event) = (case.world, case.event());
    if !event.is(Flag::Untouched) || event.op != Op::Use {
        return;
    }
    for used in case.scene.memory.iter().filter(|used| used.role == Role::Source) {
        let Some((block, entry)) = world.block(used.span.start).filter(|(_, entry)| !entry.data.written) else {
            continue;
        };
        let made = entry.made;
        let queue = event.queue().and_then(|queue| world.streams.get(queue));
        let fenced = queue.is_some_and(|stream| stream.data.fenced.is_some());
        if fenced || world.launched.is_some_and(|launched| launched.number > made.number) {
            // Another stream or the program's own code may write the memory before the copy runs.
            return;
        }
        case.report(
            MEM_07,
            format!("{} are copied, and nothing was written to the block since it was allocated", used.span),
            "memory that a copy, a fill or a model has written",
            "write the memory first (aclrtMemset, aclrtMemcpy), or do not copy it",
        )
        .about(block)
        .against(made, "allocated the block");
        return;
    }
}

/// MEM-16: a fill works on memory that the library allocated.
fn filled(case: &mut Case<'_>, used: &MemoryUse) {
    if case.event().op == Op::Fill && case.world.block(used.span.start).is_none() && used.span.start != 0 {
        case.report(
            MEM_16,
            format!("{} are filled, but they are not memory that the library allocated", used.span),
            "device memory, or pinned host memory",
            "write to the program's own memory without the library",
        );
    }
}

/// COPY-09: a queued copy on one device begins at multiples of 64 bytes, on both sides.
fn aligned(case: &mut Case<'_>) {
    const ALIGNMENT: u64 = 64;
    if case.event().op != Op::Use || case.event().queue().is_none() || super::other_devices::devices(case).len() > 1 {
        return;
    }
    let side = |wanted: Role| {
        case.event().uses.iter().filter_map(move |used| match *used {
            Use::Memory { span, role, claimed, .. } if role == wanted => Some((span, role, claimed)),
            _ => None,
        })
    };
    // A batch has several pairs of sources and targets.
    let odd = side(Role::Source).zip(side(Role::Target)).find_map(|(source, target)| {
        let on_device = |(span, _, claimed): &(Span, Role, Option<Place>)| {
            claimed.unwrap_or(case.world.place(span.start)) == Place::Device
        };
        let both = on_device(&source) && on_device(&target);
        [source, target].into_iter().find(|(span, ..)| both && span.start % ALIGNMENT != 0)
    });
    let Some((span, role, _)) = odd else { return };
    let block = case.world.block(span.start).map(|(block, _)| block);
    case.report(
        COPY_09,
        format!("{span} are {} that a stream runs on the device", role.name()),
        "addresses that are multiples of 64",
        "start both sides at multiples of 64 bytes, or copy synchronously (aclrtMemcpy)",
    )
    .all(block);
}
