//! The order of streams: records of events, waits for them, and waits for something unknown.

use super::clock::Key;
use super::scene::Scene;
use super::world::{Record, World};
use crate::events::{Object, Op};
use crate::finding::Call;

/// Applies a record or a wait that broke a rule and was refused: later calls are judged as if it had taken place.
pub(super) fn as_meant(world: &mut World, scene: &Scene, count: u64) {
    let (call, object, queue) = (scene.call, scene.event.object, scene.event.queue());
    match scene.event.op {
        Op::Record => record(world, call, object, queue, count),
        Op::Await => wait_for(world, object, queue),
        // The wait would have shown that the work is complete.
        Op::GiveUp => {
            let clock = world.streams.get(object).map(|stream| stream.data.clock.clone());
            clock.iter().for_each(|clock| world.host.join(clock));
        }
        _ => {}
    }
}

/// Puts the stream's later work behind the event's last record. If there is none, a finding has reported that, and the
/// next record counts. If the program has no record at all, it would have been behind some of what is queued by now.
pub(super) fn wait_for(world: &mut World, event: Object, queue: Option<Object>) {
    let never = world.events.get(event).is_some_and(|event| event.data.record.is_none());
    let known: Vec<_> = if never { queued(world) } else { Vec::new() };
    let Some(stream) = queue.and_then(|queue| world.streams.get_mut(queue)) else { return };
    let Some(event) = world.events.get_mut(event) else { return };
    match &event.data.record {
        Some(record) => stream.data.clock.join(&record.clock),
        None => {
            event.data.awaited_in_vain.extend(queue.filter(|queue| !event.data.awaited_in_vain.contains(queue)));
            known.into_iter().for_each(|(key, count)| stream.data.clock.raise(key, count));
        }
    }
}

pub(super) fn record(world: &mut World, call: Call, event: Object, queue: Option<Object>, count: u64) {
    let Some((queue, stream)) = queue.and_then(|queue| Some((queue, world.streams.get(queue)?))) else { return };
    let (key, clock) = (stream.data.key, stream.data.clock.clone());
    let Some(event) = world.events.get_mut(event) else { return };
    let early = core::mem::take(&mut event.data.awaited_in_vain);
    for stream in early {
        world.streams.get_mut(stream).into_iter().for_each(|stream| stream.data.clock.join(&clock));
    }
    event.data.record = Some(Record { call, stream: queue, key, count, clock });
}

/// How much work each stream was given.
fn queued(world: &World) -> Vec<(Key, u64)> {
    world.streams.live().map(|(_, stream)| (stream.data.key, stream.data.count)).collect()
}

/// The stream waits for an unknown part of the work of all streams, present and future. So its later work counts as
/// behind all of it.
pub(super) fn fence(world: &mut World, queue: Option<Object>, count: u64) {
    let known = queued(world);
    if let Some(stream) = queue.and_then(|queue| world.streams.get_mut(queue)) {
        known.into_iter().for_each(|(key, count)| stream.data.clock.raise(key, count));
        stream.data.fenced.get_or_insert(count);
    }
}
