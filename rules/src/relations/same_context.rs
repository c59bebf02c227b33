//! STREAM, EVENT, MODEL: what belongs to a context is used while that context is current.

use super::scene::{Case, Scene};
use super::world::World;
use crate::catalogue::*;
use crate::events::{Kind, Object, Op};
use crate::finding::Finding;
use crate::rule::RuleId;

/// Whether everything belongs to the current context.
pub(super) fn judge(case: &mut Case<'_>) -> bool {
    let before = case.findings.len();
    let bound = bound_stream(case);
    bound.into_iter().for_each(|stream| of_stream(case, stream));
    let (event, told) = (case.event(), case.told || case.findings.len() > before);
    if event.object.kind == Kind::Model && matches!(event.op, Op::Execute | Op::Unload | Op::Change) {
        // Another context than that of both is current: one mistake.
        let of_stream = bound.filter(|_| told).and_then(|stream| case.world.streams.get(stream));
        let of_both = of_stream.map(|stream| stream.data.context);
        of_model(case, event.object, of_both);
    }
    if case.findings.len() == before && !case.told && matches!(event.op, Op::Record | Op::Await | Op::Reset) {
        of_event(case);
    }
    case.findings.len() == before && !case.told
}

/// Whether a finding has reported that the context which is current is not the one of this object, or, where the call ends
/// the object, not the one of others of its context or device. That it is current is one mistake.
fn was_reported(case: &Case<'_>, object: Object, context: Object, device: Option<u64>) -> bool {
    let ends = super::live::ends(case.event().op);
    // A call that was to end it earlier was refused.
    if ends && case.world.kept.contains(&object) {
        return true;
    }
    let Some(state) = case.world.threads.get(&case.event().thread) else { return false };
    let whose = [Some(context), device.map(Object::device)];
    state.elsewhere.contains(&object) || ends && whose.iter().flatten().any(|whose| state.elsewhere.contains(whose))
}

/// Remembers what was used, and whose objects the call was to end, while another context is current.
pub(super) fn note_reported(world: &mut World, scene: &Scene, findings: &[Finding]) {
    const ELSEWHERE: [RuleId; 5] = [EVENT_07, MODEL_01, STREAM_06, STREAM_09, STREAM_10];
    let told = findings.iter().filter(|finding| ELSEWHERE.contains(&finding.rule));
    let mut of: Vec<Object> = told.filter_map(|finding| Some(finding.objects.first()?.object)).collect();
    if of.is_empty() {
        return;
    }
    if super::live::ends(scene.event.op) {
        let object = scene.event.object;
        let of_model = || world.models.get(object).map(|model| model.data.context);
        let own = world.streams.get(object).map(|stream| stream.data.context).or_else(of_model);
        let device = own.and_then(|own| world.context_device(Some(own.number)));
        let here = world.context_device(scene.event.context);
        of.extend(own);
        of.extend(device.filter(|device| Some(*device) != here).map(Object::device));
    }
    world.threads.entry(scene.event.thread).or_default().elsewhere.extend(of);
}

/// The stream whose context has to be current. Waits and queries work from every context (STREAM-21).
fn bound_stream(case: &Case<'_>) -> Option<Object> {
    let event = case.event();
    let destroyed = matches!(event.op, Op::Destroy | Op::DestroyForce | Op::Abort) && event.object.kind == Kind::Stream;
    event.queue().or(destroyed.then_some(event.object))
}

fn of_stream(case: &mut Case<'_>, object: Object) {
    let world = case.world;
    let (Some(stream), Some(current)) = (world.streams.get(object), case.event().context) else { return };
    if stream.data.context == Object::context(current) {
        return;
    }
    if was_reported(case, object, stream.data.context, Some(stream.data.device)) {
        case.told = true;
        return;
    }
    let device = world.context_device(Some(current));
    let rule = match case.event().op {
        Op::Destroy | Op::DestroyForce => STREAM_06,
        _ if device.is_some_and(|device| device != stream.data.device) => STREAM_10,
        _ => STREAM_09,
    };
    let (own, current) = (stream.data.context, Object::context(current));
    let chosen = chosen(case, current);
    case.report(
        rule,
        format!("{object} belongs to {own}, but {current} is current"),
        "the stream's own context is current",
        format!("call aclrtSetCurrentContext with {own} first, or use a stream of the current context"),
    )
    .about(object)
    .about(own)
    .about(current)
    .against_any(chosen, "made the other context current on this thread");
}

fn of_model(case: &mut Case<'_>, object: Object, told: Option<Object>) {
    let world = case.world;
    let (Some(model), Some(current)) = (world.models.get(object), case.event().context) else { return };
    let (own, current) = (model.data.context, Object::context(current));
    if own == current || told == Some(own) {
        return;
    }
    if was_reported(case, object, own, world.context_device(Some(own.number))) {
        case.told = true;
        return;
    }
    let made = model.made;
    case.report(
        MODEL_01,
        format!("{object} was loaded in {own}, but {current} is current"),
        "a model is loaded, run and unloaded in one context",
        format!("call aclrtSetCurrentContext with {own} first"),
    )
    .about(object)
    .about(own)
    .about(current)
    .against(made, "loaded the model");
}

/// EVENT-07: events belong to devices.
fn of_event(case: &mut Case<'_>) {
    let (world, event) = (case.world, case.event());
    let (Some(of_event), Some(queue)) = (world.events.get(event.object), event.queue()) else { return };
    let Some(stream) = world.streams.get(queue) else { return };
    let (of, on) = (of_event.data.device, stream.data.device);
    let state = case.world.threads.get(&event.thread);
    if of != on && state.is_some_and(|state| state.elsewhere.contains(&event.object)) {
        case.told = true;
    } else if of != on {
        case.report(
            EVENT_07,
            format!("{} belongs to device {of}, but {queue} belongs to device {on}", event.object),
            "an event and a stream of the same device",
            "create the event while a context of the stream's device is current",
        )
        .about(event.object)
        .about(queue);
    }
}

/// The call that made this context current on the thread.
fn chosen(case: &Case<'_>, context: Object) -> Option<crate::finding::Call> {
    let state = case.world.threads.get(&case.event().thread)?;
    state.current.filter(|(current, _)| *current == context).map(|(_, by)| by)
}
