//! Registrations of allocators for streams that a forced reset has ended.

use super::world::World;
use crate::events::{Event, Kind, Object, Op};
use crate::finding::Call;

/// A forced reset ends this context.
pub(super) fn loses(world: &mut World, reset: Call, context: Object) {
    for stream in world.streams_of(context) {
        world.registrations.get_mut(&stream).into_iter().for_each(|registration| registration.lost = Some(reset));
    }
}

/// The program has tried to unregister, which the library may refuse; or a finding has told that it has not.
pub(super) fn is_told(world: &mut World, event: &Event) {
    match (event.op, event.object.kind) {
        (Op::Unregister, _) => {
            world.registrations.get_mut(&event.object).into_iter().for_each(|registration| registration.lost = None);
        }
        (Op::Create, Kind::Stream) => {
            let device = world.context_device(event.context).map(Object::device);
            let registrations = world.registrations.values_mut();
            registrations.for_each(|registration| {
                registration.lost = registration.lost.filter(|reset| Some(reset.object) != device)
            });
        }
        _ => {}
    }
}
