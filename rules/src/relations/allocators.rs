//! ALLOC: allocators of the caller, their descriptors, and the streams that they serve.
//!
//! A registration that no work used is reported when it ends, because until then such work may still come.

use super::clock::Now;
use super::scene::Case;
use super::world::Registration;
use crate::catalogue::*;
use crate::events::{Kind, Member, Object, Op};
use crate::finding::Call;

pub(super) fn judge(case: &mut Case<'_>) {
    let (op, object) = (case.event().op, case.event().object);
    match (op, object.kind) {
        (Op::Register, _) => register(case, object),
        (Op::Unregister, _) => {
            unregister(case, object);
            unused(case, object);
        }
        (Op::Destroy | Op::DestroyForce, Kind::Stream) => {
            left_behind(case, object);
            unused(case, object);
        }
        (Op::Create, Kind::Stream) => inherits(case),
        _ => {}
    }
    if let Some(stream) = case.event().queue()
        && case.scene.allocates(case.world)
    {
        serves(case, stream);
    }
}

fn register(case: &mut Case<'_>, stream: Object) {
    let Some(object) = case.event().others().find(|other| other.kind == Kind::Descriptor) else { return };
    let Some(descriptor) = case.world.descriptors.get(object) else { return };
    let (made, members) = (descriptor.made, &descriptor.data.members);
    let missing: Vec<Member> = Member::ALL.into_iter().filter(|member| !members.contains(member)).collect();
    let names = missing.iter().map(|member| member.name()).collect::<Vec<_>>().join(", ");
    if missing == [Member::AllocateNear] {
        case.report(
            ALLOC_17,
            format!("{object} is registered without its {names}, which the library may call nevertheless"),
            "all five members are set",
            "call aclrtAllocatorSetAllocAdviseFuncToDesc too; the function may ignore the address",
        )
        .about(object)
        .against(made, "created the descriptor");
    } else if !missing.is_empty() {
        case.report(
            ALLOC_07,
            format!("{object} is registered without its {names}: the value in their place is undefined"),
            "object, allocate, free and get-address function are set",
            "set every member of the descriptor before aclrtAllocatorRegister",
        )
        .about(object)
        .against(made, "created the descriptor");
    }
    if let Some(earlier) = case.world.streams.get(stream).and_then(|entry| entry.data.allocated) {
        case.report(
            ALLOC_15,
            format!("{stream} has taken memory from the library's own allocator: this registration is ignored"),
            "the registration comes before the first work that takes memory",
            "register right after the stream was created",
        )
        .about(stream)
        .against(earlier, "took memory from the library's own allocator");
    }
    if let Some((registration, earlier)) = serving(case, stream) {
        case.report(
            ALLOC_09,
            format!("{stream} gets another allocator while work with the current one may still run"),
            "the stream's work is complete before its allocator changes",
            "synchronise the stream, unregister, then register",
        )
        .about(stream)
        .about(registration.descriptor)
        .against(earlier, "queued work that uses the current allocator");
    }
}

fn unregister(case: &mut Case<'_>, stream: Object) {
    if let Some((registration, earlier)) = serving(case, stream) {
        case.report(
            ALLOC_11,
            format!("the allocator of {stream} is unregistered while work may still use its memory"),
            "the stream's work is complete",
            "synchronise the stream before aclrtAllocatorUnregister",
        )
        .about(stream)
        .about(registration.descriptor)
        .against(earlier, "queued work that uses the allocator's memory");
    }
}

/// Reports the registrations that no work used, at the end of the process.
pub(super) fn at_exit(case: &mut Case<'_>) {
    let streams: Vec<Object> = case.world.registrations.keys().copied().collect();
    streams.into_iter().for_each(|stream| unused(case, stream));
}

/// ALLOC-05, ALLOC-13: the allocator served nothing, while work that it may have been meant for took memory elsewhere.
fn unused(case: &mut Case<'_>, stream: Object) {
    let Some(registration) = case.world.registrations.get(&stream).copied().filter(|is| !is.serves) else { return };
    if let Some(call) = registration.at_once {
        case.report(
            ALLOC_05,
            format!("a model with open shapes ran without a stream, and the allocator of {stream} served nothing"),
            "a model that takes memory runs on the stream that the allocator is registered for",
            format!("run the model by aclmdlExecuteAsync on {stream}"),
        )
        .about(stream)
        .about(registration.descriptor)
        .against(call, "ran the model at once");
    }
    if let Some(call) = registration.elsewhere {
        case.report(
            ALLOC_13,
            format!("work took memory on another stream, and the allocator of {stream} served nothing"),
            "the stream of the registration is the one that the work is queued on",
            format!("queue the work on {stream}, or register the allocator for the stream of the work"),
        )
        .about(stream)
        .about(registration.descriptor)
        .against(call, "took memory from the library's own allocator");
    }
}

fn left_behind(case: &mut Case<'_>, stream: Object) {
    if let Some(registration) = case.world.registrations.get(&stream) {
        case.report(
            ALLOC_16,
            format!("{stream} is destroyed with an allocator registered: a new stream may inherit it"),
            "no registration is left",
            format!("call aclrtAllocatorUnregister before {}", case.event().call),
        )
        .about(stream)
        .about(registration.descriptor)
        .against(registration.call, "registered the allocator");
    }
}

/// The forced reset of a device ends the streams of its default context. Their work is over only then, so a program can
/// unregister their allocators afterwards, until the device has streams again.
fn inherits(case: &mut Case<'_>) {
    let device = case.world.context_device(case.event().context).map(Object::device);
    let is_lost = |(stream, registration): (&Object, &Registration)| {
        registration.lost.filter(|reset| Some(reset.object) == device).map(|reset| (*stream, reset))
    };
    let lost: Vec<_> = case.world.registrations.iter().filter_map(is_lost).collect();
    let Some((_, reset)) = lost.first() else { return };
    case.report(
        ALLOC_16,
        format!(
            "the new stream may inherit the allocator of a stream that a forced reset has ended \
             (streams with an allocator that it has ended: {})",
            lost.len()
        ),
        "no registration is left",
        "call aclrtAllocatorUnregister for each of these streams after aclrtResetDeviceForce, before a stream is created",
    )
    .all(lost.iter().map(|(stream, _)| *stream))
    .against(*reset, "ended the streams");
}

/// The registration of a stream, with work that may still use it.
fn serving(case: &Case<'_>, stream: Object) -> Option<(Registration, Call)> {
    let (world, order) = (case.world, case.world.order());
    let registration = world.serving(stream)?;
    let in_flight = world.allocators.get(&registration.object?)?;
    let task = in_flight.pending(&order).find(|task| task.stream == stream)?;
    Some((*registration, task.call))
}

/// ALLOC-10: only one stream at a time uses an allocator.
fn serves(case: &mut Case<'_>, stream: Object) {
    let (world, order) = (case.world, case.world.order());
    let Some(registration) = world.serving(stream) else { return };
    let Some(in_flight) = registration.object.and_then(|object| world.allocators.get(&object)) else { return };
    let now = world.now(Some(stream));
    let Now::Queued(_) = now else { return };
    let earlier = in_flight.unordered(&order, now, |_| true);
    if let Some((other, call)) = earlier.map(|task| (task.stream, task.call)) {
        case.report(
            ALLOC_10,
            format!("{stream} takes memory from an allocator that {other} may still use"),
            "the streams of an allocator run one after the other",
            format!("synchronise {other} first, or give each stream an allocator of its own"),
        )
        .about(stream)
        .about(other)
        .about(registration.descriptor)
        .against(call, "queued work that uses the same allocator");
    }
}
