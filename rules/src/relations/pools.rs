//! MEM: memory pools of the library.

use super::clock::Now;
use super::scene::{Case, Scene};
use super::world::World;
use crate::catalogue::*;
use crate::events::{Flag, Kind, Object, Op};

/// MEM-18: a pool is destroyed after all its blocks were freed and the streams that used it were synchronised.
pub(super) fn judge(case: &mut Case<'_>) {
    let (world, pool) = (case.world, case.event().object);
    if case.event().op != Op::Destroy || pool.kind != Kind::Pool {
        return;
    }
    let out = world.blocks_where(|block| block.pool == Some(pool));
    if let Some(taken) = out.first().and_then(|block| world.made(*block)) {
        case.report(
            MEM_18,
            format!("{pool} is destroyed, and {} of its blocks were not freed", out.len()),
            "all its memory was given back",
            "give the memory back first (aclrtMemPoolFreeAsync), and synchronise the stream",
        )
        .about(pool)
        .all(out)
        .against(taken, "took memory from the pool");
        return;
    }
    let order = world.order();
    let task = world.pools.get(pool).and_then(|entry| entry.in_flight.unordered(&order, Now::Host, |_| true));
    if let Some((stream, call)) = task.map(|task| (task.stream, task.call)) {
        case.report(
            MEM_18,
            format!("{pool} is destroyed while work of {stream} may still use its memory"),
            "the work of all streams that used the pool is complete",
            format!("synchronise {stream} before the pool is destroyed"),
        )
        .about(pool)
        .about(stream)
        .against(call, "queued work of the pool");
    }
}

/// The pool that queued work takes memory from, or gives it back to.
pub(super) fn pool_of(world: &World, scene: &Scene) -> Option<Object> {
    let named = scene.event.others().find(|other| other.kind == Kind::Pool);
    named.or_else(|| world.blocks.get(scene.event.object)?.data.pool)
}

/// MEM-03: a block of a pool goes back to the pool. Returns whether call and block do not match.
pub(super) fn other_family(case: &mut Case<'_>, object: Object) -> bool {
    let pooled = case.event().is(Flag::Pooled);
    let block = case.world.blocks.get(object).filter(|block| block.data.pool.is_some() != pooled);
    let Some(made) = block.map(|block| block.made) else { return false };
    let by = if pooled { "the call that belongs to its allocation" } else { "aclrtMemPoolFreeAsync" };
    case.report(
        MEM_03,
        format!("{object} was allocated by {}, but {} frees it", made.name, case.scene.call.name),
        format!("{by}, which belongs to the call that allocated it"),
        format!("free it with {by}"),
    )
    .about(object)
    .against(made, "allocated it");
    true
}
