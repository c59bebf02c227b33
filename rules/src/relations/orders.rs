//! What a stream's work comes after: records of events, waits for them, and waits for what is not known.

use super::scene::Scene;
use super::world::{Record, World};
use crate::events::{Object, Op};
use crate::finding::Call;

/// A record or a wait that breaks a rule was refused. What was to come after it is judged as if it had taken place.
pub(super) fn as_meant(world: &mut World, scene: &Scene, count: u64) {
    let (call, object, queue) = (scene.call, scene.event.object, scene.event.queue());
    match scene.event.op {
        Op::Record => record(world, call, object, queue, count),
        Op::Await => wait_for(world, object, queue),
        // The wait would have shown that the work is complete.
        Op::GiveUp => {
            let clock = world.streams.get(object).map(|stream| stream.is.clock.clone());
            clock.iter().for_each(|clock| world.host.join(clock));
        }
        _ => {}
    }
}

/// What the stream is given from now on comes after the event's record: the last one, or the next one where there is none,
/// which a finding has told.
pub(super) fn wait_for(world: &mut World, event: Object, queue: Option<Object>) {
    let Some(stream) = queue.and_then(|queue| world.streams.get_mut(queue)) else { return };
    let Some(event) = world.events.get_mut(event) else { return };
    match &event.is.record {
        Some(record) => stream.is.clock.join(&record.clock),
        None => event.is.awaited_in_vain.extend(queue.filter(|queue| !event.is.awaited_in_vain.contains(queue))),
    }
}

pub(super) fn record(world: &mut World, call: Call, event: Object, queue: Option<Object>, count: u64) {
    let Some((queue, stream)) = queue.and_then(|queue| Some((queue, world.streams.get(queue)?))) else { return };
    let (key, clock) = (stream.is.key, stream.is.clock.clone());
    let Some(event) = world.events.get_mut(event) else { return };
    let early = core::mem::take(&mut event.is.awaited_in_vain);
    for stream in early {
        world.streams.get_mut(stream).into_iter().for_each(|stream| stream.is.clock.join(&clock));
    }
    event.is.record = Some(Record { call, stream: queue, key, count, clock });
}

/// The stream waits for an unknown part of what all streams were given, or will be given.
pub(super) fn fence(world: &mut World, queue: Option<Object>, count: u64) {
    let known: Vec<_> = world.streams.live_mut().map(|(_, stream)| (stream.is.key, stream.is.count)).collect();
    if let Some(stream) = queue.and_then(|queue| world.streams.get_mut(queue)) {
        known.into_iter().for_each(|(key, count)| stream.is.clock.raise(key, count));
        stream.is.fenced.get_or_insert(count);
    }
}
