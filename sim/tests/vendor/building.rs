//! Models that are built task by task, the streams and tasks of captured ones, and allocators.

use crate::arguments::{Named, number};
use crate::call::Outcome;
use crate::world::{Ready, World, pointer};
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;

/// For how many streams or tasks a case has room.
const ROOM: u32 = 16;

pub(crate) fn ready(world: &mut World, named: &Named) -> Option<Ready> {
    building(world, named).or_else(|| parts(world, named)).or_else(|| allocators(world, named))
}

fn stream(number: usize) -> aclrtStream {
    aclrtStream(pointer(number))
}

fn the_model(world: &World) -> aclmdlRI {
    aclmdlRI(pointer(world.get("model", "m").unwrap_or(0)))
}

fn building(world: &mut World, named: &Named) -> Option<Ready> {
    let model = the_model(world).0.addr();
    let model = move || aclmdlRI(pointer(model));
    Some(match named.function {
        "RIBuildBegin" => {
            let null = named.at(0) == "NULL";
            let flag = number(named.at(1)) as u32;
            Box::new(move || {
                let mut made = aclmdlRI::NULL;
                let out = if null { null_mut() } else { &mut made };
                let code = call!(model_instance::aclmdlRIBuildBegin(out, flag));
                Outcome::made(code, made.0.addr())
            })
        }
        "RIBindStream" => {
            let it = on(world, named);
            Box::new(move || call!(model_instance::aclmdlRIBindStream(model(), stream(it), 0)).into())
        }
        "RIUnbindStream" => {
            let it = on(world, named);
            Box::new(move || call!(model_instance::aclmdlRIUnbindStream(model(), stream(it))).into())
        }
        "RIEndTask" => {
            let it = on(world, named);
            Box::new(move || call!(model_instance::aclmdlRIEndTask(model(), stream(it))).into())
        }
        "RIBuildEnd" => Box::new(move || call!(model_instance::aclmdlRIBuildEnd(model(), null_mut())).into()),
        _ => return None,
    })
}

/// The stream of a line, which is the persistent one if the line names none.
fn on(world: &mut World, named: &Named) -> usize {
    world.stream(if named.at(1).is_empty() { "p" } else { named.at(1) })
}

fn parts(world: &mut World, named: &Named) -> Option<Ready> {
    let model = the_model(world).0.addr();
    let model = move || aclmdlRI(pointer(model));
    let task = world.get("task", "t").unwrap_or(0);
    let task = move || aclmdlRITask(pointer(task));
    Some(match named.function {
        "GetStreams" => {
            let nowhere = named.at(0) == "NULL";
            let room = if named.says("room for 0") { 0 } else { ROOM };
            let captured = world.stream("s");
            Box::new(move || {
                let mut found = [aclrtStream::NULL; ROOM as usize];
                let mut count = room;
                let out = if nowhere { null_mut() } else { found.as_mut_ptr() };
                let code = call!(model_instance::aclmdlRIGetStreams(model(), out, &mut count));
                let first = found[0].0.addr();
                let which = if first == captured { "the same handle" } else { "another handle" };
                let seen = if nowhere { count.to_string() } else { format!("{count} streams, {which}") };
                Outcome::saw(code, seen).with(first)
            })
        }
        "GetTasksByStream" => {
            let it = world.stream(named.at(0));
            Box::new(move || {
                let mut found = [aclmdlRITask::NULL; ROOM as usize];
                let mut count = ROOM;
                let code = call!(model_instance::aclmdlRIGetTasksByStream(stream(it), found.as_mut_ptr(), &mut count));
                Outcome::saw(code, format!("{count} tasks")).with(found[0].0.addr())
            })
        }
        "TaskGetType" => Box::new(move || {
            let mut kind = aclmdlRITaskType(99);
            let code = call!(model_instance::aclmdlRITaskGetType(task(), &mut kind));
            Outcome::saw(code, format!("type {}", kind.0))
        }),
        "TaskDisable" => Box::new(move || call!(model_instance::aclmdlRITaskDisable(task())).into()),
        "RIUpdate" => Box::new(move || call!(model_instance::aclmdlRIUpdate(model())).into()),
        _ => return None,
    })
}

/// Functions of an allocator that no case comes to use.
unsafe extern "C" fn allocate(_: aclrtAllocator, _: usize) -> *mut c_void {
    null_mut()
}

unsafe extern "C" fn free(_: aclrtAllocator, _: aclrtAllocatorBlock) {}

unsafe extern "C" fn allocate_near(_: aclrtAllocator, _: usize, _: aclrtAllocatorAddr) -> *mut c_void {
    null_mut()
}

unsafe extern "C" fn address_of(_: aclrtAllocatorBlock) -> *mut c_void {
    null_mut()
}

fn allocators(world: &mut World, named: &Named) -> Option<Ready> {
    if !named.function.starts_with("Allocator") {
        return None;
    }
    let s = world.stream("s");
    Some(match named.function {
        "AllocatorRegister" => Box::new(move || {
            let descriptor = call!(allocator::aclrtAllocatorCreateDesc());
            call!(allocator::aclrtAllocatorSetObjToDesc(descriptor, aclrtAllocator(pointer(0x1000))));
            call!(allocator::aclrtAllocatorSetAllocFuncToDesc(descriptor, Some(allocate)));
            call!(allocator::aclrtAllocatorSetFreeFuncToDesc(descriptor, Some(free)));
            call!(allocator::aclrtAllocatorSetAllocAdviseFuncToDesc(descriptor, Some(allocate_near)));
            call!(allocator::aclrtAllocatorSetGetAddrFromBlockFuncToDesc(descriptor, Some(address_of)));
            call!(allocator::aclrtAllocatorRegister(stream(s), descriptor)).into()
        }),
        "AllocatorUnregister" => Box::new(move || call!(allocator::aclrtAllocatorUnregister(stream(s))).into()),
        _ => return None,
    })
}
