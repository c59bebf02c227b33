//! Every object that a call names is alive, and no other thread is about to end it.

use super::scene::Case;
use super::world::{Fate, World};
use crate::catalogue::*;
use crate::events::{Event, Kind, Object, Op};
use crate::finding::Call;
use crate::rule::RuleId;

/// Returns whether all objects are alive and no other thread is ending them.
pub(super) fn judge(case: &mut Case<'_>) -> bool {
    let event = case.event();
    let mut named: Vec<Object> = named(event).collect();
    if event.object.kind == Kind::Graph {
        // The objects that its tasks use are judged when one of them ends, and when the graph is replayed.
        named.clear();
    }
    if event.op == Op::Execute {
        named.extend(case.scene.data_buffers(case.world));
    }
    // Unregistering a destroyed stream is harmless.
    let harmless = |object: &Object| event.op == Op::Unregister && object.number != 0;
    named.retain(|object| known_by_events(*object) && !harmless(object));
    named.dedup();
    let before = case.findings.len();
    let mut ended = Vec::new();
    for object in named.iter().copied() {
        match case.world.fate(object) {
            Fate::Live { ending: Some(by), .. } if by.thread != event.thread => being_ended(case, object, by),
            Fate::Live { .. } => {}
            Fate::Dead(dead) => ended.push((object, dead.ended)),
            Fate::Unknown if case.world.missed.contains(&object) => {}
            // That there is no descriptor was reported when something was set on it.
            Fate::Unknown
                if object == Object::descriptor(0)
                    && case.world.explained.contains(&(Some(ALLOC_06), Object::PROCESS)) => {}
            Fate::Unknown => gone(case, object, None, &[object]),
        }
    }
    used_late(case, &named, &ended);
    if ends(event.op) {
        used_elsewhere(case, event.object);
    }
    case.findings.len() == before
}

/// The objects that are to exist when the call comes.
fn named(event: &Event) -> impl Iterator<Item = Object> {
    let own = (!makes(event.op)).then_some(event.object);
    own.into_iter().chain(event.others())
}

/// A call that was to make an object was refused, and a finding has reported why. So the first number which the program
/// uses then, and which no call has returned, is the one of that object. Other such numbers are other mistakes.
pub(super) fn excuse(world: &mut World, event: &Event) {
    if world.not_made.is_empty() {
        return;
    }
    for object in named(event) {
        // A null stream is the default one, and the program destroys it for one of its own.
        let null_stream = object.kind == Kind::DefaultStream && matches!(event.op, Op::Destroy | Op::DestroyForce);
        if null_stream || object == Object::memory(0) {
            // Null stands for each of them, once.
            world.missed.remove(&object);
        }
        let is_unknown = null_stream || matches!(world.fate(object), Fate::Unknown) && !world.missed.contains(&object);
        let kind = if null_stream { Kind::Stream } else { object.kind };
        let left = world.not_made.get_mut(&kind).filter(|left| is_unknown && **left > 0);
        if let Some(left) = left {
            *left -= 1;
            world.missed.insert(object);
        }
    }
}

/// Reports the objects of the call that have `ended`. A call that comes after the end of everything that it names is one
/// mistake, and so are several objects for which the call breaks the same rule.
fn used_late(case: &mut Case<'_>, named: &[Object], ended: &[(Object, Call)]) {
    let queue = case.event().queue();
    let has_ended = |object: &Object| ended.iter().any(|(ended, _)| ended == object);
    let all = named.iter().all(|object| Some(*object) == queue || has_ended(object));
    let mut left: Vec<(Object, Call, RuleId)> =
        ended.iter().map(|(object, by)| (*object, *by, rule_for(case, *object, Some(*by)).0)).collect();
    while let Some(&(object, by, rule)) = left.first() {
        let mut same = Vec::new();
        left.retain(|(other, _, broken)| {
            let kept = !all && *broken != rule;
            same.extend(Some(*other).filter(|_| !kept));
            kept
        });
        gone(case, object, Some(by), &same);
    }
}

fn makes(op: Op) -> bool {
    matches!(op, Op::Create | Op::Load | Op::Allocate | Op::AskDefaultStream | Op::Begin)
}

pub(super) fn ends(op: Op) -> bool {
    matches!(
        op,
        Op::Destroy | Op::DestroyForce | Op::Unload | Op::Free | Op::FreeHost | Op::FreeSynced | Op::FreeHostSynced
    )
}

/// Whether this relation checks objects of this kind. Another one checks contexts. Memory is found by its address.
/// There are no events for incomplete graphs.
fn known_by_events(object: Object) -> bool {
    !matches!(
        object.kind,
        Kind::Process
            | Kind::Device
            | Kind::Context
            | Kind::DefaultStream
            | Kind::Memory
            | Kind::Graph
            | Kind::Channel
            | Kind::Description
            | Kind::Allocator
            | Kind::Callback
    )
}

/// All objects that the finding is about begin with this one.
fn gone(case: &mut Case<'_>, object: Object, ended: Option<Call>, all: &[Object]) {
    let (op, own) = (case.event().op, case.event().object == object);
    let (again, what) = if own && ends(op) { ("ended again", "ended") } else { ("used", "used") };
    let found = match ended {
        Some(_) => format!("{object} is {again} after it ended"),
        // A model has a number, and zero is none that a load returns.
        None if object.kind == Kind::Model => format!("{object} is {what}, but no load has returned this number"),
        None if object.number == 0 => format!("the {} is null", object.kind),
        None => format!("{object} is {what}, but no such {} was ever created", object.kind),
    };
    let (rule, mut fix) = rule_for(case, object, ended);
    if ended.is_none() && matches!(object.kind, Kind::Event | Kind::Notify) {
        fix = "use the handle that its creation returned, and check the code of that call";
    }
    case.report(rule, found, format!("a live {}", object.kind), fix)
        .all(all.iter().copied())
        .against_any(ended, format!("ended the {}", object.kind));
}

fn rule_for(case: &Case<'_>, object: Object, ended: Option<Call>) -> (RuleId, &'static str) {
    let event = case.event();
    let by = |kind: Kind| ended.is_some_and(|ended| ended.object.kind == kind);
    // The handle of a default stream, which the program has asked for.
    let default = case.world.streams.dead(object).is_some_and(|dead| dead.made.object.kind != Kind::Stream);
    let asked_for = "use a default stream only while its context lives, and then ask for the handle of another one";
    match object.kind {
        Kind::Stream if default && by(Kind::Device) => (DEV_05, asked_for),
        Kind::Stream if default && by(Kind::Context) => (CTX_10, asked_for),
        Kind::Stream if by(Kind::Device) => (DEV_05, "destroy the stream before its device is reset"),
        Kind::Stream if by(Kind::Context) => (CTX_10, "destroy the stream before its context"),
        Kind::Stream if object.number == 0 && event.op == Op::Register => {
            (ALLOC_01, "register on a stream that aclrtCreateStream created")
        }
        Kind::Stream if object.number == 0 && event.op == Op::Unregister => {
            (ALLOC_20, "unregister the stream that was registered")
        }
        Kind::Stream if object.number == 0 => {
            (STREAM_02, "do not destroy the default stream: it ends with its context")
        }
        Kind::Stream => (STREAM_08, "destroy each stream once, after its last use"),
        Kind::Event if by(Kind::Device) => (DEV_10, "destroy the event before its device is reset"),
        Kind::Event => (EVENT_06, "destroy each event once, after its last use"),
        Kind::Model if ended.is_none() => (MODEL_12, "use the id that a successful load returned"),
        Kind::Model if by(Kind::Model) => (MODEL_14, "unload each model once, after its last run"),
        Kind::Model => (CTX_10, "unload the model before its context is destroyed or its device is reset"),
        Kind::Dataset | Kind::DataBuffer if object.number == 0 && matches!(event.op, Op::Execute | Op::Add) => {
            (DATA_07, "pass a dataset that aclmdlCreateDataset returned, with a data buffer for each port")
        }
        Kind::DataBuffer if object.number == 0 && event.op == Op::Use => {
            (OP_02, "pass a data buffer for each description, and the number of both")
        }
        Kind::DataBuffer if event.op == Op::Execute => {
            (DATA_04, "destroy a data buffer after the last run of the datasets that hold it")
        }
        Kind::Physical | Kind::Range if ended.is_none() => {
            (MEM_03, "pass what aclrtMallocPhysical or aclrtReserveMemAddress returned, to the call that belongs to it")
        }
        Kind::Physical | Kind::Range if by(Kind::Device) => (MEM_12, "free it first, then reset the device"),
        Kind::Physical | Kind::Range => (MEM_01, "free each handle and each range once, after its last use"),
        Kind::Pool => (MEM_18, "destroy each memory pool once, after its last use"),
        Kind::Descriptor if ended.is_none() => (ALLOC_06, "create the descriptor with aclrtAllocatorCreateDesc first"),
        Kind::Descriptor => (ALLOC_08, "destroy each descriptor once, after its last use"),
        _ => (DATA_05, "destroy each object once, by its own call, after its last use"),
    }
}

/// Reports that another thread is ending an object that this call uses.
fn being_ended(case: &mut Case<'_>, object: Object, by: Call) {
    let Some((rule, fix)) = overlap(object) else { return };
    case.report(
        rule,
        format!("{object} is used while another thread is ending it"),
        "no other call uses it at the same time",
        fix,
    )
    .about(object)
    .against(by, "has not returned");
}

/// Reports that this call ends an object that another thread uses.
fn used_elsewhere(case: &mut Case<'_>, object: Object) {
    let Some((rule, fix)) = overlap(object) else { return };
    let world = case.world;
    let user = case.elsewhere().find(|other| other.scene.concerns(world, object));
    if let Some(user) = user.map(|other| other.scene.call) {
        case.report(
            rule,
            format!("{object} is ended while another thread is in a call that uses it"),
            "no other call uses it at the same time",
            fix,
        )
        .about(object)
        .against(user, "has not returned");
    }
}

fn overlap(object: Object) -> Option<(RuleId, &'static str)> {
    Some(match object.kind {
        Kind::Stream => (STREAM_07, "let one thread own the stream, and join the others before it destroys it"),
        Kind::Event => (EVENT_06, "wait for the other threads before the event is destroyed"),
        Kind::Model => (MODEL_14, "wait for the other threads before the model is unloaded"),
        Kind::Dataset | Kind::DataBuffer => (DATA_10, "wait for the other threads before it is destroyed"),
        _ => return None,
    })
}
