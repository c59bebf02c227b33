//! The creation and the end of objects, and of the objects that belong to them.

use super::clock::Stream;
use super::registry::Dead;
use super::scene::Scene;
use super::world::*;
use crate::events::{Flag, Kind, Object, Op, Place, Role, Span, Use};
use crate::finding::Call;
use std::collections::BTreeSet;

#[expect(clippy::too_many_lines, reason = "a table: one arm per kind of object")]
pub(super) fn make(world: &mut World, scene: &Scene, made: Object) {
    let (call, event) = (scene.call, &scene.event);
    world.kept.remove(&made);
    world.missed.remove(&made);
    if made.kind != Kind::Graph {
        // A graph has the number of its capture, or of its build.
        world.explained.remove(&(None, made));
    }
    replace(world, call, made);
    let context = event.context.map(Object::context);
    let device = world.context_device(event.context);
    match made.kind {
        Kind::Context => {
            let device = event.others().find(|other| other.kind == Kind::Device).map_or(0, |device| device.number);
            world.contexts.insert(made, call, world.calls, Context { device, default: false, outlived: false });
            enter_stream(world, call, Object::default_stream(made.number), made, false);
            make_current(world, call, made);
        }
        Kind::Stream => {
            if let Some(context) = context {
                enter_stream(world, call, made, context, event.is(Flag::Persistent));
            }
        }
        Kind::Event => {
            let [plain, ex] = [Flag::Plain, Flag::Ex].map(|flag| event.is(flag));
            let [waitable, timed, external, shared] =
                [Flag::Waitable, Flag::Timed, Flag::External, Flag::Shared].map(|flag| event.is(flag));
            let device = device.unwrap_or(0);
            let (record, awaited_in_vain, reset_behind) = (None, Vec::new(), false);
            let event =
                Event { device, plain, ex, waitable, timed, external, shared, record, awaited_in_vain, reset_behind };
            world.events.insert(made, call, world.calls, event);
        }
        Kind::Notify => {
            let imported = event.is(Flag::Imported);
            world.notifies.insert(made, call, world.calls, Notify { imported });
        }
        Kind::Memory => make_block(world, scene, made, device),
        Kind::Model => {
            let area = |wanted: Role| {
                event.uses.iter().find_map(|used| match *used {
                    Use::Memory { span, role, .. } if role == wanted && span.start != 0 => Some(span),
                    _ => None,
                })
            };
            let (work, weights) = (area(Role::Workspace), area(Role::Weights));
            let dynamic = event.is(Flag::Dynamic);
            let block = weights.and_then(|span| Some(world.block(span.start)?.0));
            if let Some(block) = block.and_then(|block| world.blocks.get_mut(block)) {
                block.data.weights_of += 1;
            }
            if let Some(context) = context {
                world.models.insert(made, call, world.calls, Model { context, work, weights, dynamic });
            }
        }
        Kind::Graph => {
            let (memory, objects) = (event.memory().collect(), event.others().collect());
            if let Some(context) = context {
                world.graphs.insert(
                    made,
                    call,
                    world.calls,
                    Graph { context, memory, objects, in_turn: event.is(Flag::InTurn) },
                );
            }
        }
        Kind::Channel => world.channels.insert(made, call, world.calls, ()),
        Kind::Pool => world.pools.insert(made, call, world.calls, Pool { device: device_of(event) }),
        Kind::Range => {
            let span = Span::new(made.number, contents(scene).map_or(1, |span| span.bytes));
            world.ranges.insert(made, call, world.calls, Range { span });
        }
        Kind::Physical => {
            let bytes = contents(scene).map_or(0, |span| span.bytes);
            let (device, imported) = (device_of(event), event.is(Flag::Imported));
            let physical = Physical { bytes, device, imported, retained: 0, freed_once: false };
            world.physical.insert(made, call, world.calls, physical);
        }
        Kind::Dataset => world.datasets.insert(made, call, world.calls, Dataset::default()),
        Kind::DataBuffer => {
            let span = contents(scene).unwrap_or(Span::new(0, 0));
            world.data_buffers.insert(made, call, world.calls, DataBuffer { span, orphaned: None });
        }
        Kind::Descriptor => world.descriptors.insert(made, call, world.calls, Descriptor::default()),
        Kind::Description => world.descriptions.insert(made, call, world.calls, ()),
        Kind::Process | Kind::Device | Kind::DefaultStream | Kind::Allocator | Kind::Callback => {}
    }
}

/// Adds memory that the library has allocated on a device or on the host, or that the program has registered.
fn make_block(world: &mut World, scene: &Scene, made: Object, current: Option<u64>) {
    let event = &scene.event;
    let described = event.uses.iter().find_map(|used| match *used {
        Use::Memory { span, claimed, .. } => Some((span.bytes, claimed)),
        _ => None,
    });
    let (bytes, place) = described.unwrap_or((1, None));
    let device = (place != Some(Place::Host)).then_some(device_of(event).or(current).unwrap_or(0));
    let span = Span::new(made.number, bytes);
    let [registered, mapped] = [Flag::Registered, Flag::Mapped].map(|flag| event.is(flag));
    let [reachable, media] = [Flag::Reachable, Flag::Media].map(|flag| event.is(flag));
    let [physical, pool] = [Kind::Physical, Kind::Pool].map(|wanted| event.others().find(|other| other.kind == wanted));
    let no_access = event.is(Flag::NoAccess);
    // The program has written its own memory.
    let written = registered;
    if mapped && let Some((range, _)) = world.range(span.start) {
        // What was missing there before is there now.
        world.kept.remove(&range);
    }
    let block = Block {
        span,
        written,
        device,
        registered,
        mapped,
        physical,
        no_access,
        imported: event.is(Flag::Imported),
        offered: None,
        pool,
        reachable,
        media,
        reported: BTreeSet::new(),
        misplaced: BTreeSet::new(),
        weights_of: 0,
    };
    enter_block(world, scene.call, block);
}

/// The device that the call names.
fn device_of(event: &crate::events::Event) -> Option<u64> {
    event.others().find(|other| other.kind == Kind::Device).map(|device| device.number)
}

/// Ends the object that had this number before. The library reuses the number of an object that has ended, even if the
/// call that ended it has not returned yet.
fn replace(world: &mut World, call: Call, object: Object) {
    if let Fate::Live { ending, .. } = world.fate(object) {
        end(world, ending.unwrap_or(call), Op::Destroy, object);
    }
    // It may have been the handle of the default stream of a context that has ended.
    world.default_handles.remove(&object);
}

/// The call has ended the object.
pub(super) fn end(world: &mut World, call: Call, op: Op, object: Object) {
    match object.kind {
        Kind::Stream => end_stream(world, call, object, op == Op::DestroyForce),
        Kind::Context => end_context(world, call, object),
        Kind::Event => {
            // An earlier event may have had this number.
            world.ended_records.remove(object);
            let record = world.events.end(object, call).and_then(|event| event.record);
            record.into_iter().for_each(|record| world.ended_records.insert(object, record));
        }
        Kind::Notify => {
            world.notifies.end(object, call);
        }
        Kind::Memory => end_block(world, call, object),
        Kind::Model => {
            world.models.end(object, call);
        }
        Kind::Graph => {
            world.graphs.end(object, call);
        }
        Kind::Channel => {
            world.channels.end(object, call);
        }
        Kind::Pool => {
            world.pools.end(object, call);
        }
        Kind::Range => {
            world.ranges.end(object, call);
        }
        Kind::Physical => end_physical(world, call, object),
        Kind::Dataset => {
            for buffer in world.datasets.end(object, call).into_iter().flat_map(|dataset| dataset.buffers) {
                world.data_buffers.get_mut(buffer).into_iter().for_each(|entry| entry.data.orphaned = Some(call));
            }
        }
        Kind::DataBuffer => {
            world.data_buffers.end(object, call);
        }
        Kind::Descriptor => {
            world.descriptors.end(object, call);
        }
        Kind::Description => {
            world.descriptions.end(object, call);
        }
        Kind::Process | Kind::Device | Kind::DefaultStream | Kind::Allocator | Kind::Callback => {}
    }
}

pub(super) fn make_current(world: &mut World, call: Call, context: Object) {
    let state = world.threads.entry(call.thread).or_default();
    // The callback that runs here goes on.
    let told_inside = state.told_inside;
    *state = ThreadState { current: Some((context, call)), told_inside, ..ThreadState::default() };
}

pub(super) fn set_device(world: &mut World, call: Call, id: u64, context: Object) {
    let device = world.devices.entry(id).or_default();
    device.note_set(call);
    world.kept.remove(&Object::device(id));
    device.default_context = Some(context);
    if world.contexts.get(context).is_none() {
        world.contexts.insert(context, call, world.calls, Context { device: id, default: true, outlived: false });
        enter_stream(world, call, Object::default_stream(context.number), context, false);
    }
    make_current(world, call, context);
}

pub(super) fn reset_device(world: &mut World, call: Call, id: u64, forced: bool) {
    let Some(device) = world.devices.get_mut(&id) else { return };
    if !forced && device.sets_left() > 1 {
        device.take_back_set(call.thread);
        return;
    }
    device.sets.clear();
    device.was_reset_once = false;
    device.reset = Some((call, forced));
    if forced {
        device.forced = call.number;
    }
    if let Some(context) = device.default_context.take() {
        if forced {
            super::lost::loses(world, call, context);
        }
        end_context(world, call, context);
    }
    release_unused(world, call, id);
}

fn end_context(world: &mut World, call: Call, context: Object) {
    let made = world.contexts.get(context).map(|context| context.made);
    for stream in world.streams_of(context) {
        end_stream(world, call, stream, false);
    }
    for model in world.models.matching(|model| model.context == context) {
        world.models.end(model, call);
    }
    for graph in world.graphs.matching(|graph| graph.context == context) {
        world.graphs.end(graph, call);
    }
    let handles = world.default_handles.iter().filter(|(_, default)| default.number == context.number);
    let handles: Vec<Object> = handles.map(|(handle, _)| *handle).collect();
    for handle in handles {
        world.default_handles.remove(&handle);
        let made = made.unwrap_or(call);
        world.streams.remember(handle, Dead { made, used: None, ended: call });
    }
    let ended = world.contexts.end(context, call);
    if let Some(state) = world.threads.get_mut(&call.thread)
        && state.current.is_some_and(|(current, _)| current == context)
    {
        let told_inside = state.told_inside;
        *state = ThreadState { lost: Some((context, call)), told_inside, ..ThreadState::default() };
    }
    // Objects that belong to the device end with the last of its contexts.
    if let Some(ended) = ended.filter(|context| !context.default) {
        release_unused(world, call, ended.device);
    }
}

fn release_unused(world: &mut World, call: Call, id: u64) {
    if world.contexts.live().any(|(_, context)| context.data.device == id) {
        return;
    }
    for event in world.events.matching(|event| event.device == id) {
        world.events.end(event, call);
    }
    for block in world.blocks.matching(|block| block.device == Some(id)) {
        end_block(world, call, block);
    }
    for pool in world.pools.matching(|pool| pool.device == Some(id)) {
        world.pools.end(pool, call);
    }
    for physical in world.physical.matching(|physical| physical.device == Some(id)) {
        world.physical.end(physical, call);
    }
    world.devices.get_mut(&id).into_iter().for_each(|device| device.peers.clear());
}

fn enter_stream(world: &mut World, call: Call, object: Object, context: Object, persistent: bool) {
    let Some(device) = world.contexts.get(context).map(|context| context.data.device) else { return };
    let stream = Stream {
        // Unique, because a call creates one stream: an explicit one, or the default stream of a context.
        key: call.number,
        context,
        device,
        persistent,
        untracked: false,
        stall_reported: false,
        count: 0,
        last: 0,
        clock: super::clock::Clock::default(),
        behind: Vec::new(),
        fenced: None,
        timed_out: None,
        allocated: None,
        subscribed: None,
        host_function: None,
        launched: None,
    };
    world.streams.insert(object, call, world.calls, stream);
}

/// The stream's work is over, so its entries in the clocks of others are not needed any more. Work that was `discarded` may
/// not have waited for what it was to wait for, and the work of a persistent stream has waited for nothing.
fn end_stream(world: &mut World, call: Call, object: Object, discarded: bool) {
    let Some(stream) = world.streams.end(object, call) else { return };
    if !discarded && !stream.persistent {
        world.host.join(&stream.clock);
    }
    world.host.forget(stream.key);
    world.callbacks.retain(|_, callback| {
        callback.awaited.clock.forget(stream.key);
        callback.key != stream.key
    });
    world.running.retain(|_, running| running.is_none_or(|(of, _)| of != stream.key));
    world.under_way.iter_mut().for_each(|other| other.awaited.clock.forget(stream.key));
    world.streams.live_mut().for_each(|(_, other)| {
        other.data.clock.forget(stream.key);
        other.data.behind.retain(|behind| behind.key != stream.key);
    });
    world.events.live_mut().for_each(|(_, event)| {
        if let Some(record) = &mut event.data.record {
            record.clock.forget(stream.key);
        }
    });
}

/// One handle is freed; the last one ends the memory.
fn end_physical(world: &mut World, call: Call, object: Object) {
    match world.physical.get_mut(object) {
        Some(entry) if entry.data.retained > 0 => {
            entry.data.retained -= 1;
            entry.data.freed_once = true;
            entry.ending = None;
        }
        _ => drop(world.physical.end(object, call)),
    }
}

fn enter_block(world: &mut World, call: Call, block: Block) {
    let span = block.span;
    // Calls that have freed the memory, and have not returned.
    let below = world.blocks.below(Object::memory(span.end()));
    let overlapped = below.take_while(|(_, entry)| entry.data.span.end() > span.start);
    let freed: Vec<_> = overlapped.filter_map(|(block, entry)| Some((block, entry.ending?))).collect();
    freed.into_iter().for_each(|(block, ending)| end_block(world, ending, block));
    let below = world.freed.range(..span.end()).rev();
    let covered = below.take_while(|(start, freed)| start.saturating_add(freed.bytes) > span.start);
    let covered: Vec<u64> = covered.map(|(start, _)| start).collect();
    covered.into_iter().for_each(|start| world.freed.remove(start));
    world.blocks.insert(Object::memory(span.start), call, world.calls, block);
}

fn end_block(world: &mut World, call: Call, object: Object) {
    if let Some(block) = world.blocks.end(object, call) {
        world.freed.insert(block.span.start, Freed { bytes: block.span.bytes, registered: block.registered });
    }
}

/// What the call says that the object describes.
pub(super) fn contents(scene: &Scene) -> Option<Span> {
    scene.event.uses.iter().find_map(|used| match used {
        Use::Memory { span, role: Role::Contents, .. } => Some(*span),
        _ => None,
    })
}
