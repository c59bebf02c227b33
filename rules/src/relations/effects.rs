//! The effects of a call on the world.
//!
//! Objects that a call ends or uses count from its beginning; objects that it creates count from its end. So the
//! checker sees overlapping calls of several threads in a possible order.

use super::clock::{Order, Task};
use super::live::ends;
use super::orders;
use super::registry::Entry;
use super::scene::{Scene, UnderWay, role_of_run};
use super::world::*;
use crate::events::{Access, Flag, Kind, Member, Object, Op, Outcome, Role, Span};

/// The call is about to be made.
pub(super) fn begin(world: &mut World, scene: Scene, reported: Option<Vec<Object>>) {
    if ends(scene.event.op) {
        world.mark_ending(scene.event.object, scene.call);
    }
    if scene.event.op == Op::GiveBack {
        super::lent::given_back(world, &scene.event);
    }
    super::lost::is_told(world, &scene.event);
    let named = scene.event.others().chain([scene.event.object]);
    let blocks = scene.memory.iter().filter_map(|used| Some(world.block(used.span.start)?.0));
    let used: Vec<Object> = named.chain(blocks).collect();
    used.into_iter().for_each(|object| world.touch(object, scene.call));
    for used in scene.memory.iter().filter(|used| used.access == Access::Write && used.role != Role::Contents) {
        let block = world.block(used.span.start).map(|(block, _)| block);
        block.and_then(|block| world.blocks.get_mut(block)).into_iter().for_each(|entry| entry.data.written = true);
    }
    let count = submit(world, &scene);
    let awaited = orders::awaited(world, &scene);
    world.under_way.push(UnderWay { scene, awaited, count, reported });
}

/// The call has been made, or refused.
pub(super) fn end(world: &mut World, under_way: UnderWay, outcome: Outcome) {
    let UnderWay { scene, awaited, count, reported } = under_way;
    let (call, object) = (scene.call, scene.event.object);
    if outcome == Outcome::Refused {
        if scene.event.op == Op::Initialise {
            world.process.refused = Some(call);
        }
        if ends(scene.event.op) {
            world.unmark_ending(object, call);
        }
        super::virtual_memory::was_refused(world, &scene, reported.is_some());
        if matches!(scene.event.op, Op::Load | Op::Allocate | Op::Create)
            && (reported.is_some() || world.lacks_context(&scene.event))
        {
            *world.not_made.entry(object.kind).or_default() += 1;
        }
        if reported.is_some() || world.lacks_context(&scene.event) {
            orders::as_waited(world, &scene, &awaited);
        }
        orders::as_before_its_end(world, &scene, count);
        if let Some(reported) = reported {
            match (scene.event.op, object.kind) {
                (Op::Execute | Op::Replay, _) => world.launched = Some(call), // Its writes are not all known.
                // A run with the dataset lacks what was to be set.
                (Op::Change | Op::Add, Kind::Dataset) => drop(world.explained.insert((None, object))),
                // The channel is left over with its description.
                (Op::Change, Kind::Channel) => drop(world.kept.insert(object)),
                _ => {}
            }
            if ends(scene.event.op) && object.kind == Kind::Stream {
                // The call would have waited for the stream. Later calls are judged as if it had.
                orders::was_awaited(world, &awaited);
            }
            orders::as_meant(world, &scene, count);
            world.keep(scene.event.op, object, reported);
        }
        take_back(world, &scene);
        return;
    }
    let queue = scene.event.queue().and_then(|queue| world.streams.get_mut(queue));
    queue.into_iter().for_each(|stream| stream.data.last = stream.data.last.max(count));
    let told = reported.is_some();
    match reported {
        // The findings are not about the memory.
        Some(reported) if object.kind == Kind::Memory && !reported.contains(&object) => {}
        Some(reported) => world.keep(scene.event.op, object, reported),
        // An earlier call may have failed to end it.
        None if ends(scene.event.op) => drop(world.kept.remove(&object)),
        None => {}
    }
    orders::after_report(world, &scene, told, outcome);
    if matches!(outcome, Outcome::Success | Outcome::Created(_) | Outcome::WorkFailed) {
        orders::was_awaited(world, &awaited);
    }
    if outcome == Outcome::TimedOut && orders::waits_in_vain(world, object) {
        // It never ends, which was reported. Later calls are judged as if it had.
        orders::was_awaited(world, &awaited);
    } else if outcome == Outcome::TimedOut
        && let Some(stream) = world.streams.get_mut(object)
    {
        stream.data.timed_out = Some((call, stream.data.count));
    }
    settle(world, &scene);
    super::follows::settle(world, &scene.event);
    if !matches!(outcome, Outcome::TimedOut | Outcome::NotReady) {
        apply(world, &scene, outcome, count);
    }
}

/// Adds the work that a call queues, and returns its count.
fn submit(world: &mut World, scene: &Scene) -> u64 {
    let Some(queue) = scene.event.queue() else { return 0 };
    orders::launch(world, scene.call, &scene.event, queue);
    let Some(stream) = world.streams.get_mut(queue) else { return 0 };
    stream.data.count += 1;
    let (key, count) = (stream.data.key, stream.data.count);
    stream.data.clock.raise(key, count);
    if !stream.data.runs_its_work() {
        // That of a persistent stream runs when its model instance runs.
        return count;
    }
    if scene.runs_own_code() {
        let order = Order { host: &world.host, streams: &world.streams };
        world.own_code.retain(|code| !order.is_reached(code.stream, code.key, code.count));
        world.own_code.push(OwnCode { stream: queue, key, count });
    }
    let task = |span, access, role| Task { key, stream: queue, count, call: scene.call, span, access, role };
    for used in scene.memory.iter().filter(|used| used.role != Role::Contents) {
        let block = world.block(used.span.start).map(|(block, _)| block);
        if let Some(block) = block.and_then(|block| world.blocks.get_mut(block)) {
            block.in_flight.push(task(used.span, used.access, used.role));
        }
    }
    let whole = || task(Span::new(0, 0), Access::Write, Role::Contents);
    if scene.event.op == Op::Execute {
        if let Some(model) = world.models.get_mut(scene.event.object) {
            model.in_flight.push(task(Span::new(0, 0), Access::Write, role_of_run(&scene.event)));
        }
        let buffers: Vec<Object> = scene.data_buffers(world).collect();
        for buffer in buffers {
            world.data_buffers.get_mut(buffer).into_iter().for_each(|entry| entry.in_flight.push(whole()));
        }
        for dataset in scene.event.others() {
            world.datasets.get_mut(dataset).into_iter().for_each(|entry| entry.in_flight.push(whole()));
        }
    }
    if let Some(graph) = world.graphs.get_mut(scene.event.object) {
        graph.in_flight.push(whole());
    }
    let channel = super::media::channel_of(scene);
    if let Some(channel) = channel.and_then(|channel| world.channels.get_mut(channel)) {
        channel.in_flight.push(whole());
    }
    let pool = super::pools::pool_of(world, scene);
    if let Some(pool) = pool.and_then(|pool| world.pools.get_mut(pool)) {
        pool.in_flight.push(whole());
    }
    if scene.event.op == Op::Await
        && let Some(event) = world.events.get_mut(scene.event.object)
    {
        event.in_flight.push(whole());
    }
    if scene.allocates(world)
        && let Some(object) = world.serving(queue).and_then(|registration| registration.object)
    {
        world.allocators.entry(object).or_default().push(whole());
    }
    count
}

/// Removes the uses of a call that had no effect.
fn take_back(world: &mut World, scene: &Scene) {
    scene.event.others().for_each(|object| drop(world.callbacks.remove(&object)));
    each_use(world, scene, |in_flight, _| in_flight.take_back(scene.call));
}

/// Removes uses that can no longer conflict.
fn settle(world: &mut World, scene: &Scene) {
    each_use(world, scene, |in_flight, order| in_flight.settle(scene.call, order));
}

fn each_use(
    world: &mut World,
    scene: &Scene,
    mut f: impl FnMut(&mut super::clock::InFlight, &super::clock::Order<'_>),
) {
    let blocks = scene.memory.iter().filter_map(|used| world.block(used.span.start).map(|(block, _)| block));
    let blocks: Vec<Object> = blocks.collect();
    let buffers: Vec<Object> = scene.data_buffers(world).collect();
    // The free of a pool's block names the block alone.
    let pool = super::pools::pool_of(world, scene);
    let order = super::clock::Order { host: &world.host, streams: &world.streams };
    if let Some(pool) = pool {
        world.pools.get_mut(pool).into_iter().for_each(|entry| f(&mut entry.in_flight, &order));
    }
    for block in blocks {
        world.blocks.get_mut(block).into_iter().for_each(|entry| f(&mut entry.in_flight, &order));
    }
    for buffer in buffers {
        world.data_buffers.get_mut(buffer).into_iter().for_each(|entry| f(&mut entry.in_flight, &order));
    }
    for object in scene.event.others().chain([scene.event.object]) {
        world.datasets.get_mut(object).into_iter().for_each(|entry| f(&mut entry.in_flight, &order));
        world.models.get_mut(object).into_iter().for_each(|entry| f(&mut entry.in_flight, &order));
        world.graphs.get_mut(object).into_iter().for_each(|entry| f(&mut entry.in_flight, &order));
        world.events.get_mut(object).into_iter().for_each(|entry| f(&mut entry.in_flight, &order));
        world.channels.get_mut(object).into_iter().for_each(|entry| f(&mut entry.in_flight, &order));
        if let Some(object) = world.registrations.get(&object).and_then(|registration| registration.object) {
            world.allocators.get_mut(&object).into_iter().for_each(|in_flight| f(in_flight, &order));
        }
    }
}

#[expect(clippy::too_many_lines, reason = "a table: one arm per operation")]
fn apply(world: &mut World, scene: &Scene, outcome: Outcome, count: u64) {
    let (call, event, object) = (scene.call, &scene.event, scene.event.object);
    let made = if let Outcome::Created(number) = outcome { Some(Object { number, ..object }) } else { None };
    match event.op {
        Op::Initialise => super::process::initialised(world, call),
        Op::Release => {
            world.process.initialised.pop();
            if world.process.initialised.is_empty() {
                world.process.finalised = Some(call);
            }
        }
        Op::Finalise => {
            world.process.initialised.clear();
            world.process.finalised = Some(call);
        }
        Op::Set => {
            if let Outcome::Created(number) = outcome {
                super::lives::set_device(world, call, object.number, Object::context(number));
            }
        }
        Op::Reset | Op::ResetForce if object.kind == Kind::Device => {
            super::lives::reset_device(world, call, object.number, event.op == Op::ResetForce);
        }
        Op::EnablePeer | Op::DisablePeer => {
            let device = world.context_device(event.context).map(|id| world.devices.entry(id).or_default());
            let peers = device.map(|device| &mut device.peers);
            if event.op == Op::EnablePeer {
                peers.map(|peers| peers.insert(object.number));
            } else {
                peers.map(|peers| peers.remove(&object.number));
            }
        }
        Op::Create | Op::Load | Op::Allocate => {
            made.into_iter().for_each(|made| super::lives::make(world, scene, made));
        }
        Op::MakeCurrent => super::lives::make_current(world, call, object),
        Op::AskDefaultStream => {
            if let (Some(made), Some(context)) = (made, event.context) {
                world.default_handles.insert(Object::stream(made.number), Object::default_stream(context));
            }
        }
        // By now the handle may belong to another object.
        op if ends(op) && world.means(call, object) => super::lives::end(world, call, op, object),
        Op::Synchronize if object.kind == Kind::Process => {
            world.device_wait = event.context.map(|context| (call, Object::context(context)));
        }
        Op::Record => orders::record(world, call, object, event.queue(), count),
        Op::Await => {
            let told = world.explained.contains(&(None, object));
            let stops =
                |entry: &Entry<super::objects::Event>| entry.data.record.is_none() && entry.data.stops_streams();
            if !told && world.events.get(object).is_some_and(stops) {
                world.stopped.insert(event.thread, (call, event.clone()));
            }
            orders::wait_for(world, object, event.queue(), count);
            orders::stop_tracking(world, told, object, event.queue());
            orders::note_wait(world, call, object, event.queue(), count);
        }
        Op::Fence => orders::fence(world, event.queue(), count),
        Op::Abort => orders::discard(world, object),
        Op::LaunchHostFunction | Op::LaunchCallback | Op::Replay | Op::Use if scene.writes_unnamed() => {
            world.launched = Some(call);
        }
        Op::Reset => {
            if let Some(entry) = world.events.get_mut(object) {
                entry.data.record = None;
                entry.data.reset_behind |=
                    event.queue().is_some_and(|queue| entry.data.awaited_in_vain.contains(&queue));
            }
        }
        Op::Change if object.kind == Kind::DataBuffer => {
            if let (Some(span), Some(buffer)) = (super::lives::contents(scene), world.data_buffers.get_mut(object)) {
                buffer.data.span = span;
            }
        }
        Op::Change if object.kind == Kind::Memory && event.is(Flag::Reachable) => {
            world.blocks.get_mut(object).into_iter().for_each(|block| block.data.reachable = true);
        }
        // A captured stream gives it back with its graph. The program is not to free it.
        Op::Change if object.kind == Kind::Memory && event.is(Flag::Pooled) => {
            world.kept.insert(object);
        }
        Op::Change if object.kind == Kind::Memory && event.is(Flag::Mapped) => {
            super::virtual_memory::give_access(world, scene);
        }
        Op::Offer | Op::Withdraw => super::sharing::offer(world, scene),
        Op::Retain => world.physical.get_mut(object).into_iter().for_each(|entry| entry.data.retained += 1),
        // The graph's tasks were replaced, or tasks were added. Queued replays still use the objects from before.
        Op::Change if object.kind == Kind::Graph => {
            if let Some(graph) = world.graphs.get_mut(object) {
                graph.data.memory = event.memory().collect();
                graph.data.objects = event.others().collect();
            }
        }
        Op::Add => {
            let buffer = event.others().find(|other| other.kind == Kind::DataBuffer);
            if let (Some(buffer), Some(dataset)) = (buffer, world.datasets.get_mut(object)) {
                dataset.data.buffers.push(buffer);
                world.data_buffers.get_mut(buffer).into_iter().for_each(|entry| entry.data.orphaned = None);
            }
        }
        Op::SetMember(member) => {
            if let Some(descriptor) = world.descriptors.get_mut(object) {
                descriptor.data.members.insert(member);
                if member == Member::Object {
                    descriptor.data.object = event.others().find(|other| other.kind == Kind::Allocator);
                }
            }
        }
        Op::Register => {
            let descriptor = event.others().find(|other| other.kind == Kind::Descriptor);
            if let Some(descriptor) = descriptor {
                let object = world.descriptors.get(descriptor).and_then(|entry| entry.data.object);
                let new = Registration {
                    call,
                    descriptor,
                    object,
                    serves: false,
                    elsewhere: None,
                    at_once: None,
                    lost: None,
                };
                world.registrations.insert(event.object, new);
            }
        }
        Op::Unregister => {
            world.registrations.remove(&object);
        }
        Op::Subscribe | Op::Unsubscribe => {
            if let Some(stream) = world.streams.get_mut(object) {
                stream.data.subscribed = (event.op == Op::Subscribe).then_some(call);
            }
        }
        Op::Begin => orders::begin(world, event),
        Op::Take => super::lent::taken(world, event, call),
        Op::EndThread => {
            world.devices.values_mut().for_each(|device| device.outlives(event.thread));
            world.running.retain(|(thread, _), _| *thread != event.thread);
            let state = world.threads.remove(&event.thread).and_then(|state| state.current);
            let context = state.and_then(|(context, _)| world.contexts.get_mut(context));
            context.into_iter().for_each(|context| context.data.outlived = true);
        }
        _ => {}
    }
    if let Some(queue) = event.queue() {
        queued(world, scene, queue, count);
    }
    if scene.allocates(world) {
        allocated(world, scene);
    }
}

/// What the registrations remember of work that takes memory.
fn allocated(world: &mut World, scene: &Scene) {
    let (queue, call) = (scene.event.queue(), scene.call);
    if let Some(own) = queue.and_then(|queue| world.registrations.get_mut(&queue)) {
        own.serves = true;
        return;
    }
    let context = scene.event.context.map(Object::context);
    let streams: Vec<Object> = context.into_iter().flat_map(|context| world.streams_of(context)).collect();
    for stream in streams {
        let Some(registration) = world.registrations.get_mut(&stream) else { continue };
        let first = if queue.is_some() { &mut registration.elsewhere } else { &mut registration.at_once };
        first.get_or_insert(call);
    }
}

/// What a stream remembers of its work.
fn queued(world: &mut World, scene: &Scene, queue: Object, count: u64) {
    // A model uses the allocator that is registered when it runs. The first operator decides that of the stream.
    let operator = scene.event.op != Op::Execute;
    let own = operator && scene.allocates(world) && !world.registrations.contains_key(&queue);
    if let Some(stream) = world.streams.get_mut(queue) {
        if own {
            stream.data.allocated.get_or_insert(scene.call);
        }
        match scene.event.op {
            Op::LaunchCallback => stream.data.launched = Some((scene.call, count)),
            Op::LaunchHostFunction => drop(stream.data.host_function.get_or_insert(scene.call)),
            _ => {}
        }
    }
}
