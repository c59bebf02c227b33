//! VMM, MEM: reserved addresses, physical memory, and what is mapped where.

use super::lives::contents;
use super::scene::{Case, MemoryUse, Scene};
use super::world::{Physical, World};
use crate::catalogue::*;
use crate::events::{Flag, Kind, Object, Op, Span};
use crate::rule::RuleId;

pub(super) fn judge(case: &mut Case<'_>) {
    let object = case.event().object;
    match (case.event().op, object.kind) {
        (Op::Allocate, Kind::Memory) if case.event().is(Flag::Mapped) => maps(case),
        (Op::Free, Kind::Range) => still_mapped(case, object),
        (Op::Free, Kind::Physical) => freed_early(case, object),
        _ => {}
    }
}

/// Checks a call that maps memory.
fn maps(case: &mut Case<'_>) {
    let (world, event) = (case.world, case.event());
    let Some(wish) = contents(case.scene) else { return };
    let physical = event.others().find(|other| other.kind == Kind::Physical);
    let Some((range, entry)) = world.range(wish.start).filter(|(_, entry)| entry.data.span.covers(wish)) else {
        return refuse(case, VMM_01, format!("{wish} are to be mapped, and are in no reserved range"), physical);
    };
    let there = world.blocks_where(|block| block.mapped && block.span.overlaps(wish));
    if !there.is_empty() {
        return refuse(case, VMM_01, format!("{wish} are to be mapped, where memory is mapped already"), there);
    }
    let memory = physical.and_then(|physical| world.physical.get(physical));
    let Some(memory) = memory.map(|entry| &entry.data) else { return };
    if memory.bytes != wish.bytes || event.is(Flag::Inside) {
        let found = format!("{} of the {} bytes of a handle are mapped", wish.bytes, memory.bytes);
        return refuse(case, VMM_02, found, physical);
    }
    let (device, imported, span) = (memory.device, memory.imported, entry.data.span);
    let others = world.blocks_where(|block| block.mapped && block.span.overlaps(span) && block.device != device);
    if !others.is_empty() {
        let found = format!("memory of another device is mapped in {range}");
        return refuse(case, VMM_02, found, [range].into_iter().chain(others));
    }
    let is_other = |physical| world.physical.get(physical).is_some_and(|entry| entry.data.imported != imported);
    let others =
        world.blocks_where(|block| block.mapped && block.span.overlaps(span) && block.physical.is_some_and(is_other));
    if !others.is_empty() {
        let [new, old] = if imported { ["imported", "own"] } else { ["own", "imported"] };
        let found = format!("{new} memory is to be mapped in {range}, where {old} memory is mapped");
        refuse(case, VMM_02, found, [range].into_iter().chain(others));
    }
}

fn refuse(case: &mut Case<'_>, rule: RuleId, found: String, objects: impl IntoIterator<Item = Object>) {
    let [expected, fix] = if rule == VMM_01 {
        ["reserved addresses where nothing is mapped", "reserve the addresses, and unmap what is there first"]
    } else {
        [
            "all bytes of one handle, and in each range memory of one device, all imported or all own",
            "map the whole handle from its start on (offset 0), and reserve a range for each device, and one for imported \
             memory",
        ]
    };
    case.report(rule, found, expected, fix).all(objects);
}

/// VMM-01: a range is given back when nothing is mapped there.
fn still_mapped(case: &mut Case<'_>, range: Object) {
    let world = case.world;
    let Some(span) = world.ranges.get(range).map(|entry| entry.data.span) else { return };
    let mapped = world.blocks_where(|block| block.mapped && block.span.overlaps(span));
    let Some(made) = mapped.first().and_then(|block| world.made(*block)) else { return };
    case.report(
        VMM_01,
        format!("{range} is released while memory is mapped there"),
        "nothing is mapped in the range",
        "unmap the memory first (aclrtUnmapMem)",
    )
    .about(range)
    .all(mapped)
    .against(made, "mapped the memory");
}

/// VMM-04: physical memory is freed when it is mapped nowhere. If it has several handles, one may be freed at any time.
fn freed_early(case: &mut Case<'_>, physical: Object) {
    let world = case.world;
    if world.physical.get(physical).is_some_and(|entry| entry.data.retained > 0) {
        return;
    }
    let mapped = world.blocks_where(|block| block.physical == Some(physical));
    let Some(made) = mapped.first().and_then(|block| world.made(*block)) else { return };
    case.report(
        VMM_04,
        format!("{physical} is freed while it is mapped"),
        "its mappings have ended",
        "unmap the memory first (aclrtUnmapMem)",
    )
    .about(physical)
    .all(mapped)
    .against(made, "mapped the memory");
}

/// Reports the use of reserved addresses without memory, or of memory without access. Returns whether there is nothing
/// that the call can use.
pub(super) fn out_of_reach(case: &mut Case<'_>, used: &MemoryUse) -> bool {
    let world = case.world;
    let block = world.block(used.span.start);
    if let Some((block, entry)) = block {
        let (made, closed) = (entry.made, entry.data.no_access);
        if closed {
            case.report(
                VMM_03,
                format!("{} are used as {}, and the mapping has no access", used.span, used.role.name()),
                "the mapping was given access",
                "call aclrtMemSetAccess for the mapping first",
            )
            .about(block)
            .against(made, "mapped the memory");
        }
        return closed;
    }
    let Some((range, made)) = world.range(used.span.start).map(|(range, entry)| (range, entry.made)) else {
        return false;
    };
    if !was_not_mapped(world, used.span) {
        case.report(
            VMM_01,
            format!("{} are used as {}, and no memory is mapped there", used.span, used.role.name()),
            "physical memory is mapped to the addresses",
            "allocate physical memory and map it first (aclrtMallocPhysical, aclrtMapMem)",
        )
        .about(range)
        .against(made, "reserved the addresses");
    }
    true
}

/// MEM-03: mappings and ranges are ended by their own calls. Returns whether call and memory do not match, or whether
/// the call ends a mapping. For a mapping no further check applies: it does not matter which device is current.
pub(super) fn mapping(case: &mut Case<'_>, object: Object) -> bool {
    let (world, unmaps, name) = (case.world, case.event().is(Flag::Mapped), case.scene.call.name);
    let range = world.ranges.get(Object::range(object.number)).map(|range| range.made).filter(|_| !unmaps);
    let (made, is, by) = match (world.blocks.get(object), range) {
        (Some(block), _) if block.data.mapped == unmaps => return unmaps,
        (Some(block), _) if unmaps => (block.made, "allocated memory", "aclrtFree or aclrtFreeHost"),
        (Some(block), _) => (block.made, "mapped memory", "aclrtUnmapMem"),
        (None, Some(made)) => (made, "a reserved range", "aclrtReleaseMemAddress"),
        (None, None) => return unmaps && was_not_mapped(world, Span::new(object.number, 1)),
    };
    case.report(
        MEM_03,
        format!("{object} is {is}, but {name} is called for it"),
        "the call that belongs to the one that made the block",
        format!("call {by}"),
    )
    .about(object)
    .against(made, "made it");
    true
}

/// Notes a range whose state follows from a reported mistake: a mapping in it was refused, so its addresses have no
/// memory, or it could not be released, because memory that a finding has named is still mapped there.
pub(super) fn was_refused(world: &mut World, scene: &Scene, reported: bool) {
    let (event, object) = (&scene.event, scene.event.object);
    let range = match (event.op, object.kind) {
        (Op::Allocate, Kind::Memory) if reported && event.is(Flag::Mapped) => {
            contents(scene).and_then(|wish| Some(world.range(wish.start)?.0))
        }
        (Op::Free, Kind::Range) => {
            let span = world.ranges.get(object).map(|entry| entry.data.span);
            let mut mapped =
                world.blocks.live().filter(|(_, entry)| span.is_some_and(|span| span.overlaps(entry.data.span)));
            mapped.any(|(block, _)| world.kept.contains(&block)).then_some(object)
        }
        _ => None,
    };
    world.kept.extend(range);
}

/// Whether these addresses have no memory because of such a refused mapping.
pub(super) fn was_not_mapped(world: &World, span: Span) -> bool {
    let mut ranges = [span.start, span.end().saturating_sub(1)].into_iter().filter_map(|at| world.range(at));
    ranges.any(|(range, _)| world.kept.contains(&range))
}

/// The mappings in a part of a range are given access, or lose it.
pub(super) fn give_access(world: &mut World, scene: &Scene) {
    let (span, no_access) = (contents(scene), scene.event.is(Flag::NoAccess));
    let mapped = world.blocks.live_mut().map(|(_, entry)| &mut entry.data).filter(|block| block.mapped);
    let there = mapped.filter(|block| span.is_some_and(|span| span.overlaps(block.span)));
    there.for_each(|block| block.no_access = no_access);
}

/// The physical memory that the program has not freed. Memory with several handles is left out, because the manual does
/// not say which of them must be freed.
pub(super) fn left(world: &World, wanted: impl Fn(&Physical) -> bool) -> Vec<Object> {
    world.physical.matching(|physical| !physical.freed_once && physical.retained == 0 && wanted(physical))
}
