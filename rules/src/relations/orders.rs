//! The order of streams and threads: records of events, waits for them, and waits for something unknown.

use super::clock::{Awaited, Clock, Key, Position};
use super::scene::Scene;
use super::world::{Callback, Record, Wait, World};
use crate::events::{Event, Flag, Kind, Object, Op, Outcome};
use crate::finding::Call;
use std::collections::BTreeSet;

/// What is over when the call has returned.
pub(super) fn awaited(world: &World, scene: &Scene) -> Awaited {
    let event = &scene.event;
    let mut awaited = Awaited::default();
    let mut add = |stream: Object| {
        // A wait for a persistent stream returns at once, before anything has run.
        let stream = world.streams.get(stream).filter(|stream| !stream.data.persistent);
        stream.into_iter().for_each(|stream| {
            awaited.clock.join(&stream.data.clock);
            awaited.any |= stream.data.fenced.is_some();
        });
    };
    match (event.op, event.object.kind) {
        (Op::Synchronize | Op::Query | Op::Destroy, Kind::Stream | Kind::DefaultStream) => add(event.object),
        (Op::DestroyForce | Op::Abort, Kind::Stream | Kind::DefaultStream) => {
            // The stream's own work is discarded, and its waits with it.
            let stream = world.streams.get(event.object).filter(|stream| !stream.data.persistent);
            stream.into_iter().for_each(|stream| awaited.clock.raise(stream.data.key, stream.data.count));
        }
        (Op::Synchronize, Kind::Process) | (Op::FreeSynced | Op::FreeHostSynced, _) => {
            let context = event.context.map(Object::context);
            context.into_iter().flat_map(|context| world.streams_of(context)).for_each(add);
        }
        (Op::Query, Kind::Event) if event.is(Flag::OfWaits) => {
            // Those of streams that were aborted or destroyed were discarded.
            let order = world.order();
            let waits = world.waits.iter().filter(|wait| wait.event == event.object && !order.is_past(wait.by));
            waits.for_each(|wait| {
                awaited.clock.join(&wait.over.clock);
                awaited.any |= wait.over.any;
            });
        }
        (Op::Synchronize | Op::Query, Kind::Event) => {
            if let Some(event) = world.events.get(event.object) {
                let record = event.data.record.as_ref();
                record.into_iter().for_each(|record| awaited.clock.join(&record.clock));
                // Another process may have recorded it, after any work that it knew to be over.
                awaited.any = event.data.shared || record.is_some_and(|record| record.fenced);
            }
        }
        (Op::Unload, _) => {
            // The library waits for the model's runs, or they were over before.
            let order = world.order();
            let runs = world.models.get(event.object);
            runs.into_iter()
                .flat_map(|model| model.in_flight.pending(&order))
                .for_each(|task| awaited.clock.raise(task.key, task.count));
        }
        (Op::Begin, _) => {
            awaited = world.callbacks.get(&event.object).map(|callback| callback.awaited.clone()).unwrap_or_default();
        }
        _ if event.is(Flag::Blocks) => event.queue().into_iter().for_each(add),
        _ => {}
    }
    awaited
}

/// A call has waited for this, so a thread knows that it is over.
pub(super) fn was_awaited(world: &mut World, awaited: &Awaited) {
    world.host.join(&awaited.clock);
    if awaited.any {
        // Also what other threads have queued while the call waited.
        queued(world).into_iter().for_each(|(key, count)| world.host.raise(key, count));
    }
}

/// The next work of a stream that waits for something unknown comes after what is queued by now, or may do so.
pub(super) fn keep_up(world: &mut World, queue: Option<Object>) {
    let fenced = |stream: &Object| world.streams.get(*stream).is_some_and(|stream| stream.data.fenced.is_some());
    if let Some(queue) = queue.filter(fenced) {
        come_after_all(world, queue);
    }
}

/// A wait was refused for a reason that was reported: later calls are judged as if it had taken place.
pub(super) fn as_waited(world: &mut World, scene: &Scene, awaited: &Awaited) {
    if scene.event.op == Op::Synchronize {
        // Without a context it is not known which streams a device has.
        let any = awaited.any || scene.event.object.kind == Kind::Process && scene.event.context.is_none();
        was_awaited(world, &Awaited { any, ..awaited.clone() });
    }
}

/// Whether the stream waits for an event that nobody has recorded, and for which it opens no gate.
pub(super) fn waits_in_vain(world: &World, stream: Object) -> bool {
    let mut events = world.events.live();
    events.any(|(_, event)| !event.data.reset_behind && event.data.awaited_in_vain.contains(&stream))
}

/// Applies a record or a wait that broke a rule and was refused: later calls are judged as if it had taken place.
pub(super) fn as_meant(world: &mut World, scene: &Scene, count: u64) {
    let (call, object, queue) = (scene.call, scene.event.object, scene.event.queue());
    match scene.event.op {
        Op::Record => record(world, call, object, queue, count),
        Op::Await => wait_for(world, object, queue, count),
        // The program resets the device for this set, too.
        Op::Set => drop(world.refused_sets.insert(object.number)),
        Op::GiveUp | Op::Unsubscribe => count_as_awaited(world, object),
        _ => {}
    }
}

/// An event that has ended was to be recorded, or waited for, which was reported: later calls are judged as if it lived.
pub(super) fn as_before_its_end(world: &mut World, scene: &Scene, count: u64) {
    let (object, queue) = (scene.event.object, scene.event.queue());
    if world.events.dead(object).is_none() {
        return;
    }
    match scene.event.op {
        Op::Record => {
            let record = recorded(world, scene.call, queue, count);
            record.into_iter().for_each(|record| world.ended_records.insert(object, record));
        }
        Op::Await => {
            let record = world.ended_records.get(object).map(|record| (record.clock.clone(), record.fenced));
            if let (Some((clock, fenced)), Some(queue)) = (record, queue) {
                follow(world, queue, &clock, count);
                if fenced {
                    fence(world, Some(queue), count);
                }
            }
        }
        _ => {}
    }
}

/// A captured stream was refused to wait for an event, because that is recorded outside of its capture, which was reported.
/// The program takes the work before the record for captured.
pub(super) fn as_captured(world: &mut World, objects: &[Object]) {
    let of = |kind: Kind| objects.iter().copied().find(|object| object.kind == kind);
    let (Some(event), Some(stream)) = (of(Kind::Event), of(Kind::Stream)) else { return };
    let count = world.streams.get(stream).map_or(0, |stream| stream.data.count);
    if world.events.get(event).is_some_and(|event| event.data.record.is_some()) {
        wait_for(world, event, Some(stream), count);
    }
}

/// The wait for the stream that was missing, or was given up, would have shown that its work is complete. That its callbacks
/// do not run was reported.
fn count_as_awaited(world: &mut World, stream: Object) {
    let Some(stream) = world.streams.get_mut(stream) else { return };
    stream.data.launched = None;
    stream.data.stall_reported = true;
    let awaited = Awaited { clock: stream.data.clock.clone(), any: stream.data.fenced.is_some() };
    was_awaited(world, &awaited);
}

/// The stream waits for an event whose record was refused for a `told` reason: the program may take its work for captured.
pub(super) fn stop_tracking(world: &mut World, told: bool, event: Object, queue: Option<Object>) {
    let unrecorded = world.events.get(event).is_some_and(|event| event.data.record.is_none());
    if let Some(stream) = queue.and_then(|queue| world.streams.get_mut(queue)).filter(|_| told && unrecorded) {
        stream.data.untracked = true;
    }
}

/// Later calls are judged as if the missing wait had taken place that was `told` when its thread was unsubscribed. That a
/// stream cannot be ended whose work does not run for a reason that was reported is no second mistake.
pub(super) fn after_report(world: &mut World, scene: &Scene, told: bool, outcome: Outcome) {
    let object = scene.event.object;
    let stuck = || world.streams.get(object).is_some_and(|stream| stream.data.untracked || stream.data.stall_reported);
    match scene.event.op {
        Op::Unsubscribe if told => count_as_awaited(world, object),
        Op::Subscribe => {
            world.streams.get_mut(object).into_iter().for_each(|stream| stream.data.stall_reported = false)
        }
        Op::Destroy if outcome == Outcome::TimedOut && stuck() => drop(world.kept.insert(object)),
        _ => {}
    }
}

/// Puts the stream's later work behind the event's last record. If there is none, a finding has reported that, and the
/// next record counts. If the program has no record at all, it would have been behind some of what is queued by now.
pub(super) fn wait_for(world: &mut World, event: Object, queue: Option<Object>, count: u64) {
    let Some(queue) = queue.filter(|queue| world.streams.get(*queue).is_some()) else { return };
    let Some(event) = world.events.get_mut(event) else { return };
    match &event.data.record {
        Some(record) => {
            let (clock, fenced) = (record.clock.clone(), record.fenced);
            follow(world, queue, &clock, count);
            if fenced {
                fence(world, Some(queue), count);
            }
        }
        None => {
            if !event.data.awaited_in_vain.contains(&queue) {
                event.data.awaited_in_vain.push(queue);
            }
            come_after_all(world, queue);
        }
    }
}

/// Remembers which record the stream waits for, after [`wait_for`]. Its earlier waits for the same stream are over
/// before this one.
pub(super) fn note_wait(world: &mut World, call: Call, event: Object, queue: Option<Object>, count: u64) {
    let record = world.events.get(event).and_then(|event| event.data.record.as_ref());
    // The work of a persistent stream runs when its model instance runs, not now.
    let waiting = queue.and_then(|queue| world.streams.get(queue)).filter(|stream| !stream.data.persistent);
    let (Some(record), Some(queue), Some(waiting)) = (record, queue, waiting) else { return };
    let by = Position { stream: queue, key: waiting.data.key, count };
    // The stream's clock has the wait itself and what it waits for.
    let over = Awaited { clock: waiting.data.clock.clone(), any: waiting.data.fenced.is_some() };
    let record = Position { stream: record.stream, key: record.key, count: record.count };
    let order = super::clock::Order { host: &world.host, streams: &world.streams };
    world.waits.retain(|wait| {
        let hidden = wait.event == event || world.events.get(wait.event).is_none();
        let same = hidden && wait.by.key == by.key && wait.record.key == record.key;
        // What the stream does before the wait may go on when the record is over.
        !same && !order.is_past(wait.by)
    });
    world.waits.push(Wait { call, event, by, record, over });
}

/// What a record on the stream stands for.
fn recorded(world: &World, call: Call, queue: Option<Object>, count: u64) -> Option<Record> {
    let queue = queue?;
    let stream = &world.streams.get(queue)?.data;
    let (key, clock, fenced) = (stream.key, stream.clock.clone(), stream.fenced.is_some());
    Some(Record { call, stream: queue, key, count, clock, fenced })
}

pub(super) fn record(world: &mut World, call: Call, event: Object, queue: Option<Object>, count: u64) {
    let Some(record) = recorded(world, call, queue, count) else { return };
    let (clock, fenced) = (record.clock.clone(), record.fenced);
    let Some(event) = world.events.get_mut(event) else { return };
    let early = core::mem::take(&mut event.data.awaited_in_vain);
    // A reset behind a wait in vain comes when this record has ended the wait.
    let is_reset = core::mem::take(&mut event.data.reset_behind);
    event.data.record = (!is_reset).then_some(record);
    for early in early {
        let Some(count) = world.streams.get(early).map(|stream| stream.data.count) else { continue };
        follow(world, early, &clock, count);
        if fenced {
            fence(world, Some(early), count);
        }
    }
}

/// The stream is about to be given a callback, if the call queues one.
pub(super) fn launch(world: &mut World, call: Call, event: &Event, queue: Object) {
    let callback = event.others().find(|other| other.kind == Kind::Callback);
    let (Some(callback), Some(stream)) = (callback, world.streams.get(queue)) else { return };
    // When the callback runs, the work before it is over, but the callback is not.
    let awaited = Awaited { clock: stream.data.clock.clone(), any: stream.data.fenced.is_some() };
    let (key, count, blocks) = (stream.data.key, stream.data.count + 1, !event.is(Flag::StreamGoesOn));
    world.callbacks.insert(callback, Callback { call, key, count, blocks, awaited });
}

/// The thread runs a callback from now on.
pub(super) fn begin(world: &mut World, event: &Event) {
    let callback = world.callbacks.remove(&event.object);
    world.threads.get_mut(&event.thread).into_iter().for_each(|state| state.told_inside = false);
    let Some(running) = event.inside.map(|stream| (event.thread, stream)) else { return };
    match callback {
        Some(callback) if callback.blocks => {
            world.running.insert(running, Some((callback.key, callback.count)));
        }
        // If the stream does not wait, nothing is behind it.
        Some(_) => drop(world.running.remove(&running)),
        // It was queued when a capture kept it.
        None => drop(world.running.insert(running, None)),
    }
}

/// What the stream was given and had not begun was discarded, and waits may be among that. So it only knows what a thread
/// knows to be over. Who sets what it waited for without an event may have told that to the program.
pub(super) fn discard(world: &mut World, object: Object) {
    if let Some(key) = world.streams.get(object).map(|stream| stream.data.key) {
        world.callbacks.retain(|_, callback| callback.key != key);
        // Its next work does not come behind a callback that has not returned.
        world.running.retain(|_, running| running.is_none_or(|(of, _)| of != key));
    }
    let Some(stream) = world.streams.get_mut(object).filter(|stream| stream.data.fenced.is_none()) else { return };
    let (key, count) = (stream.data.key, stream.data.count);
    stream.data.behind.clear();
    stream.data.clock = world.host.clone();
    stream.data.clock.raise(key, count);
    world.events.live_mut().for_each(|(_, event)| event.data.awaited_in_vain.retain(|stream| *stream != object));
}

/// How much work each stream was given.
fn queued(world: &World) -> Vec<(Key, u64)> {
    world.streams.live().map(|(_, stream)| (stream.data.key, stream.data.count)).collect()
}

/// The stream's next work comes after all that is queued by now.
fn come_after_all(world: &mut World, queue: Object) {
    let mut known = Clock::default();
    queued(world).into_iter().for_each(|(key, count)| known.raise(key, count));
    let count = world.streams.get(queue).map_or(0, |stream| stream.data.count);
    follow(world, queue, &known, count);
}

/// The stream's work behind this count comes after what the clock covers.
fn follow(world: &mut World, queue: Object, clock: &Clock, count: u64) {
    let calling = world.streams.live().filter(|(_, stream)| stream.data.has_callbacks());
    let calling: BTreeSet<Key> = calling.map(|(_, stream)| stream.data.key).collect();
    if let Some(stream) = world.streams.get_mut(queue) {
        stream.data.follow(clock, count, &world.host, &calling);
    }
}

/// The stream waits for an unknown part of the work of all streams, present and future. So its later work counts as
/// behind all of it.
pub(super) fn fence(world: &mut World, queue: Option<Object>, count: u64) {
    let Some(queue) = queue else { return };
    come_after_all(world, queue);
    if let Some(stream) = world.streams.get_mut(queue) {
        stream.data.fenced.get_or_insert(count);
    }
}
