//! MEM, COPY: memory of one device in the work of another.

use super::scene::{Case, MemoryUse, Scene};
use super::world::World;
use crate::catalogue::*;
use crate::events::{Object, Op};
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
    if case.event().op == Op::Use && !linked(case, a, b) {
        let blocks: Vec<Object> =
            case.scene.memory.iter().filter_map(|used| Some(case.world.block(used.span.start)?.0)).collect();
        case.report(
            COPY_08,
            format!("memory is copied between the devices {a} and {b}"),
            "access between the two devices is enabled",
            "call aclrtDeviceCanAccessPeer, then aclrtDeviceEnablePeerAccess",
        )
        .all(blocks);
    }
}

/// Whether one of the devices has access to the memory of the other. One direction is accepted as sufficient, because
/// it depends on the product which one a copy needs.
fn linked(case: &Case<'_>, a: u64, b: u64) -> bool {
    let reaches = |a: u64, b: u64| case.world.devices.get(&a).is_some_and(|device| device.peers.contains(&b));
    reaches(a, b) || reaches(b, a)
}

/// The devices whose memory a call reads or writes.
pub(super) fn devices(case: &Case<'_>) -> Vec<u64> {
    let of = |used: &MemoryUse| case.world.block(used.span.start)?.1.data.device;
    let mut devices: Vec<u64> = case.scene.memory.iter().filter_map(of).collect();
    devices.sort_unstable();
    devices.dedup();
    devices
}
