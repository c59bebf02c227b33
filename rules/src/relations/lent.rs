//! ALLOC, MEM: the blocks that the library takes from allocators of the caller.

use super::clock::{Clock, Stream};
use super::registry::Registry;
use super::scene::Case;
use super::world::{Lent, World};
use crate::catalogue::*;
use crate::events::{Flag, Kind, Object, Op, Span, Use};

/// Where a block has to start.
const ALIGNMENT: u64 = 64;

pub(super) fn judge(case: &mut Case<'_>) {
    let object = case.event().object;
    match case.event().op {
        Op::Take => take(case, object),
        Op::Reenter => reenter(case, object),
        Op::Free | Op::FreeSynced if object.kind == Kind::Memory => released(case, object),
        _ => {}
    }
}

fn take(case: &mut Case<'_>, allocator: Object) {
    let (Some(span), Some(stream)) = (span(case), stream(case)) else { return };
    // Null is how an allocator says that it has no block: the work fails, and says so.
    if case.event().is(Flag::NoBlock) {
        return;
    }
    if span.start % ALIGNMENT != 0 {
        case.report(
            MEM_08,
            format!("{allocator} returns a block at {:#x}, which is not a multiple of {ALIGNMENT}", span.start),
            "blocks that start at multiples of 64 bytes",
            "round up the start of each block, and round its length up to 32 bytes plus 32",
        )
        .about(allocator)
        .about(stream);
    } else if !is_device_memory(case.world, span, stream) {
        let block = case.world.block(span.start).map(|(block, _)| block);
        case.report(
            ALLOC_19,
            format!("{allocator} returns {span}, which are not all in one live block of the stream's device"),
            "device memory that aclrtMalloc allocated and that was not freed",
            "cut blocks from memory that was allocated while a context of the stream's device was current",
        )
        .about(allocator)
        .about(stream)
        .all(block);
    } else if let Some(other) = overlapping(case.world, span).find(|lent| lent.out) {
        case.report(
            ALLOC_19,
            format!("{allocator} returns {span}, which overlap the {} that the library still uses", other.span),
            "memory that overlaps no block in use",
            "return a block to the pool only when the free function is called for it",
        )
        .about(allocator)
        .about(stream)
        .against(other.taken, "took the other block");
    }
}

fn reenter(case: &mut Case<'_>, allocator: Object) {
    let call = case.event().call;
    case.report(
        ALLOC_18,
        format!("{call} from inside a callback of {allocator}"),
        "callbacks that neither execute nor register nor unload",
        "make the call outside of the allocator's callbacks",
    )
    .about(allocator);
}

/// Reports that device memory is freed while work may use an allocator's block in it.
fn released(case: &mut Case<'_>, object: Object) {
    let Some(span) = case.world.blocks.get(object).map(|block| block.data.span) else { return };
    let over = |lent: &&Lent| is_over(lent, &case.world.streams, &case.world.host);
    let Some(lent) = overlapping(case.world, span).find(|lent| !over(lent)).copied() else { return };
    let thread = case.event().thread;
    let mut mine = case.world.under_way.iter().map(|call| &call.scene).filter(|scene| scene.call.thread == thread);
    let freeing = mine.any(|scene| scene.event.op == Op::GiveBack);
    let (rule, how) =
        if freeing { (ALLOC_14, "in the free function of its allocator") } else { (ALLOC_11, "too early") };
    case.report(
        rule,
        format!("{object} is freed {how}: work of {} may still use {} of it", lent.stream, lent.span),
        "the stream was synchronised since its last work",
        "let the free function only return blocks to the pool, and free the pool's memory after aclrtSynchronizeStream",
    )
    .about(object)
    .about(lent.allocator)
    .about(lent.stream)
    .against(lent.taken, "took the block");
}

/// Records that the library has the block from now on.
pub(super) fn taken(world: &mut World, event: &crate::events::Event, call: crate::finding::Call) {
    let (Some(Use::Memory { span, .. }), Some(stream)) = (memory(&event.uses), streams(&event.uses)) else { return };
    let Some(key) = world.streams.get(stream).map(|stream| stream.data.key) else { return };
    // The call that the block is for is under way. A block that the library takes while work runs counts as over when
    // it is given back.
    let queueing = |other: &&super::scene::UnderWay| {
        other.scene.call.thread == call.thread && other.scene.event.queue() == Some(stream)
    };
    let count = world.under_way.iter().rfind(queueing).map_or(0, |queueing| queueing.count);
    let lent = Lent { span: *span, allocator: event.object, stream, key, count, taken: call, out: true };
    let World { streams, host, .. } = world;
    world.lent.retain(|_, lent| !is_over(lent, streams, host));
    world.lent.insert(span.start, lent);
}

/// Records that the library gives the block back: from now on the allocator may return it again.
pub(super) fn given_back(world: &mut World, event: &crate::events::Event) {
    if let Some(Use::Memory { span, .. }) = memory(&event.uses)
        && let Some(lent) = world.lent.get_mut(&span.start)
    {
        lent.out = false;
    }
}

/// Whether the library has given the block back, and the work that it was taken for is over. The end of a stream waits
/// for its work.
fn is_over(lent: &Lent, streams: &Registry<Stream>, host: &Clock) -> bool {
    let stream = streams.get(lent.stream).filter(|stream| stream.data.key == lent.key);
    !lent.out && (stream.is_none() || host.at(lent.key) >= lent.count)
}

fn is_device_memory(world: &World, span: Span, stream: Object) -> bool {
    let device = world.streams.get(stream).map(|stream| stream.data.device);
    world.parts(span).all(|part| {
        let block = world.block(part.start).map(|(_, block)| &block.data);
        block.is_some_and(|block| block.device.is_some() && block.device == device && block.span.covers(part))
    })
}

fn overlapping(world: &World, span: Span) -> impl Iterator<Item = &Lent> {
    world.lent.values().filter(move |lent| lent.span.overlaps(span))
}

fn span(case: &Case<'_>) -> Option<Span> {
    match memory(&case.event().uses) {
        Some(Use::Memory { span, .. }) => Some(*span),
        _ => None,
    }
}

fn stream(case: &Case<'_>) -> Option<Object> {
    streams(&case.event().uses)
}

fn memory(uses: &[Use]) -> Option<&Use> {
    uses.iter().find(|used| matches!(used, Use::Memory { .. }))
}

fn streams(uses: &[Use]) -> Option<Object> {
    uses.iter().find_map(|used| match used {
        Use::With(object) if matches!(object.kind, Kind::Stream | Kind::DefaultStream) => Some(*object),
        _ => None,
    })
}
