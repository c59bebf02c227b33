//! MEM, COPY: memory of one device in the work of another.

use super::scene::{Case, MemoryUse, Scene};
use super::world::World;
use crate::catalogue::*;
use crate::events::{Access, Object, Op};
use crate::finding::Finding;

pub(super) fn judge(case: &mut Case<'_>) {
    other_device(case);
    between_devices(case);
}

/// MEM-11: work on a stream reaches the memory of its own device.
fn other_device(case: &mut Case<'_>) {
    let (world, event) = (case.world, case.event());
    let Some(device) = case.scene.device_of_work(world) else { return };
    if event.op == Op::Use && devices(case).len() > 1 {
        return;
    }
    for used in &case.scene.memory {
        let Some((block, entry)) = world.block(used.span.start) else { continue };
        let Some(of) = entry.data.device.filter(|of| *of != device && !linked(case, device, *of)) else { continue };
        if entry.data.misplaced.contains(&device) {
            continue;
        }
        let made = entry.made;
        case.report(
            MEM_11,
            format!("{} of device {of} are used by work of device {device}", used.span),
            "memory of the device of the work, or access between the two",
            "allocate while a context of that device is current, or call aclrtDeviceEnablePeerAccess",
        )
        .about(block)
        .against(made, "allocated the block");
        return;
    }
}

/// That a block is on another device than the work which uses it is one mistake, whatever uses it.
pub(super) fn note_misplaced(world: &mut World, scene: &Scene, findings: &[Finding]) {
    let Some(device) = scene.device_of_work(world) else { return };
    let blocks = findings.iter().filter(|finding| finding.rule == MEM_11).filter_map(|finding| finding.objects.first());
    for block in blocks {
        let block = world.blocks.get_mut(block.object);
        block.into_iter().for_each(|block| block.data.misplaced.extend([device]));
    }
}

/// COPY-08: a copy from one device to another.
fn between_devices(case: &mut Case<'_>) {
    let [a, b] = *devices(case).as_slice() else { return };
    if case.event().op != Op::Use {
        return;
    }
    let blocks: Vec<Object> =
        case.scene.memory.iter().filter_map(|used| Some(case.world.block(used.span.start)?.0)).collect();
    if linked(case, a, b) {
        against_the_direction(case, [a, b], blocks);
    } else {
        case.report(
            COPY_08,
            format!("memory is copied between the devices {a} and {b}"),
            "access between the two devices is enabled",
            "call aclrtDeviceCanAccessPeer, then aclrtDeviceEnablePeerAccess",
        )
        .all(blocks);
    }
}

/// DEV-13: access is enabled from one device to the other, and the copy goes the other way. The direction of a copy is that
/// of its bytes, or that from the device which makes the copy: it depends on the product. So only a copy which goes against
/// both is found.
fn against_the_direction(case: &mut Case<'_>, [a, b]: [u64; 2], blocks: Vec<Object>) {
    let (world, event) = (case.world, case.event());
    let maker = match event.queue() {
        Some(queue) => world.streams.get(queue).map(|stream| stream.data.device),
        None => world.context_device(event.context),
    };
    let side = |access: Access| {
        let mut used = case.scene.memory.iter().filter(move |used| used.access == access);
        used.find_map(|used| world.block(used.span.start)?.1.data.device)
    };
    let (Some(maker), Some(from), Some(to)) = (maker, side(Access::Read), side(Access::Write)) else { return };
    let other = if maker == a { b } else { a };
    if reaches(case, from, to) || reaches(case, maker, other) || ![a, b].contains(&maker) {
        return;
    }
    case.report(
        DEV_13,
        format!("device {maker} copies from device {from} to device {to}, and access is enabled the other way alone"),
        "access that is enabled from the device that is current at the copy",
        format!("set device {maker}, and call aclrtDeviceEnablePeerAccess for device {other}"),
    )
    .all(blocks);
}

/// Whether one of the devices has access to the memory of the other. One direction is accepted as sufficient, because
/// it depends on the product which one a copy needs.
fn linked(case: &Case<'_>, a: u64, b: u64) -> bool {
    reaches(case, a, b) || reaches(case, b, a)
}

/// Whether the device may use memory of the other one.
fn reaches(case: &Case<'_>, device: u64, other: u64) -> bool {
    case.world.devices.get(&device).is_some_and(|device| device.peers.contains(&other))
}

/// The devices whose memory a call reads or writes.
pub(super) fn devices(case: &Case<'_>) -> Vec<u64> {
    let of = |used: &MemoryUse| case.world.block(used.span.start)?.1.data.device;
    let mut devices: Vec<u64> = case.scene.memory.iter().filter_map(of).collect();
    devices.sort_unstable();
    devices.dedup();
    devices
}
