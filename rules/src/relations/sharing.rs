//! IPC, MEM: memory and notifies that processes share.

use super::scene::{Case, Scene};
use super::world::World;
use crate::catalogue::*;
use crate::events::{Flag, Kind, Object, Op};

pub(super) fn judge(case: &mut Case<'_>) {
    let object = case.event().object;
    match (case.event().op, object.kind) {
        (Op::Allocate, Kind::Memory) => own(case),
        (Op::Fence, _) => awaited(case),
        (op, Kind::Memory) if super::live::ends(op) => offered(case, object),
        _ => {}
    }
}

/// IPC-01: what this process offers is not imported here.
fn own(case: &mut Case<'_>) {
    if case.event().is(Flag::Imported) && case.event().others().any(|other| other == Object::PROCESS) {
        case.report(
            IPC_01,
            "memory is imported that this process has exported itself",
            "the key of another process",
            "use the address that the memory has here, and let another process import it",
        );
    }
}

/// IPC-02: only the process that has made a notify waits for it.
fn awaited(case: &mut Case<'_>) {
    let world = case.world;
    let notify = case.event().others().find(|other| other.kind == Kind::Notify);
    let imported =
        |notify: &Object| world.notifies.get(*notify).filter(|entry| entry.data.imported).map(|entry| entry.made);
    if let Some((notify, made)) = notify.and_then(|notify| Some((notify, imported(&notify)?))) {
        case.report(
            IPC_02,
            format!("a stream is to wait for {notify}, which is of another process"),
            "a notify that this process has created",
            "let the process that created the notify wait for it, and record it here",
        )
        .about(notify)
        .against(made, "imported the notify");
    }
}

/// IPC-01: memory is freed when it is not offered to other processes any more.
fn offered(case: &mut Case<'_>, object: Object) {
    let Some(offered) = case.world.blocks.get(object).and_then(|block| block.data.offered) else { return };
    case.report(
        IPC_01,
        format!("{object} is freed while it is shared with other processes"),
        "all processes that imported the memory have closed it, and then this one",
        "call aclrtIpcMemClose in the processes that import it, then here, and free it then",
    )
    .about(object)
    .against(offered, "exported the memory");
}

/// MEM-03: memory of another process is not freed, but closed. Returns whether call and memory do not match.
pub(super) fn other_family(case: &mut Case<'_>, object: Object) -> bool {
    let closes = case.event().is(Flag::Imported);
    let block = case.world.blocks.get(object).filter(|block| block.data.imported != closes);
    let Some(made) = block.map(|block| block.made) else { return false };
    case.report(
        MEM_03,
        format!("{object} is memory of another process, but {} frees it", case.scene.call.name),
        "aclrtIpcMemClose, which belongs to the call that imported it",
        "close it with aclrtIpcMemClose and its key",
    )
    .about(object)
    .against(made, "imported it");
    true
}

/// Records that the memory is offered to other processes, or no longer offered.
pub(super) fn offer(world: &mut World, scene: &Scene) {
    let offered = (scene.event.op == Op::Offer).then_some(scene.call);
    let block = world.block(scene.event.object.number).map(|(block, _)| block);
    block.and_then(|block| world.blocks.get_mut(block)).into_iter().for_each(|block| block.data.offered = offered);
}
