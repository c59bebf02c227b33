//! Model instances: what is done with one, and what it has. How one is made is in `capture` and `building`.

use super::{deadline, wanted};
use crate::abi::{HostCallback, InOut, Opaque, Out, Text};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use crate::machine::instances::{self, Instance, tasks_of};
use crate::machine::recording::tasks::{Tie, find_task};
use crate::machine::streams::refusals::refuse_on;
use crate::machine::streams::stream::Stream;
use crate::machine::watch;
use ascendcl_rules::{Object, Op};
use ascendcl_sys::error_codes::{ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, ACL_ERROR_RT_MODEL_CAPTURED};
use ascendcl_sys::types::*;
use core::ffi::c_char;
use std::io::Write;

pub(crate) fn aclmdlRIExecuteAsync(model_ri: aclmdlRI, stream: aclrtStream) -> Answer {
    // One that is still captured is alive, and may be what the stream is captured for: the stream says so first.
    let instance = match instances::find(model_ri) {
        Err(failure) if failure.code != ACL_ERROR_RT_MODEL_CAPTURED => return Err(failure),
        found => found,
    };
    let named = Named::find(stream)?;
    if let Some(stream) = named.stream() {
        refuse_part(stream)?;
        refuse_on(stream, "given a model instance to run")?;
    }
    let instance = instance?;
    let on = named.in_any_context()?;
    instance.of_current_context()?;
    if on.context() != current_context()?.id() {
        watch::elsewhere(on.named());
        return Err(Failure::other_context("stream"));
    }
    let ties = instance.ties();
    // The checker sees a run as one piece of work, with the events that it waits for before it and those that it records behind.
    let tell = |call: watch::Watching| drop(call.queue(stream).begin_always().end(Ok::<_, Failure>(())));
    let on_event = |op, event: usize| watch::call(op, Object::event(event as u64));
    for tie in &ties {
        match tie {
            Tie::Awaits(event) => tell(on_event(Op::Await, *event)),
            Tie::AwaitsWhatIsToCome => tell(watch::call(Op::Fence, stream)),
            Tie::Records(_) => {}
        }
    }
    let call = watch::call(Op::Replay, model_ri).queue(stream).begin()?;
    // What an event from outside of the graph comes after may write what the replay reads.
    if !ties.iter().any(|tie| matches!(tie, Tie::Awaits(_) | Tie::AwaitsWhatIsToCome)) {
        watch::sources_of_replay(model_ri, stream);
    }
    watch::destinations_of_replay(model_ri, on.named());
    call.end(instance.submit(&on))?;
    for tie in ties {
        if let Tie::Records(event) = tie {
            tell(on_event(Op::Record, event));
        }
    }
    Ok(())
}

/// What a stream of an instance has runs with the instance alone (107000).
fn refuse_part(stream: &Stream) -> Answer {
    if stream.is_bound() {
        return Err(Failure::refused("the stream is part of a model instance, so no instance runs on it"));
    }
    Ok(())
}

/// A model instance that was captured runs on a stream of the program's alone. The time limit is in milliseconds.
pub(crate) fn aclmdlRIExecute(model_ri: aclmdlRI, timeout: i32) -> Answer {
    let instance = instances::find(model_ri)?;
    let deadline = deadline(timeout)?;
    instance.refuse_captured()?;
    instance.of_current_context()?;
    let call = watch::call(Op::Replay, model_ri).begin()?;
    call.end(instance.execute(deadline))
}

pub(crate) fn aclmdlRIAbort(model_ri: aclmdlRI) -> Answer {
    if model_ri.is_null() {
        return Err(Failure::refused("the model instance is null"));
    }
    let instance = instances::find(model_ri)?;
    instance.of_current_context()?;
    instance.abort();
    Ok(())
}

/// Says on the standard output what an instance has.
pub(crate) fn aclmdlRIDebugPrint(model_ri: aclmdlRI) -> Answer {
    let text = instances::describe(model_ri)?;
    // A closed output is no failure of the call, and `println!` panics there.
    let _ = writeln!(std::io::stdout(), "{text}");
    Ok(())
}

/// Writes what an instance has to a file, as JSON. It may still be captured.
pub(crate) fn aclmdlRIDebugJsonPrint(model_ri: aclmdlRI, path: Text<'_>, _flags: u32) -> Answer {
    let path = path.get().ok_or_else(|| Failure::invalid("the path is null"))?;
    let text = instances::describe(model_ri)?;
    std::fs::write(&*path, text).map_err(|error| Failure::refused(format!("{path} cannot be written: {error}")))
}

pub(crate) fn aclmdlRIDestroy(model_ri: aclmdlRI) -> Answer {
    let call = watch::call(Op::Destroy, model_ri).begin()?;
    call.end(instances::remove(model_ri))
}

pub(crate) fn aclmdlRIDestroyRegisterCallback(model_ri: aclmdlRI, func: aclrtCallback, user_data: Opaque) -> Answer {
    let func = callback_of(model_ri, func)?;
    let instance = instances::find(model_ri)?;
    if instance.is_registered(|callback| callback.calls(func)) {
        return Err(Failure::refused("the callback is registered with this model instance already"));
    }
    instances::register(model_ri, HostCallback::new(func, user_data, watch::new_callback()))
}

pub(crate) fn aclmdlRIDestroyUnregisterCallback(model_ri: aclmdlRI, func: aclrtCallback) -> Answer {
    let func = callback_of(model_ri, func)?;
    if instances::find(model_ri)?.unregister(|callback| callback.calls(func)) {
        return Ok(());
    }
    Err(Failure::refused("the callback is not registered with this model instance"))
}

pub(crate) fn aclmdlRIGetId(model_ri: aclmdlRI, mut model_ri_id: Out<'_, u32>) -> Answer {
    wanted(&model_ri_id)?;
    model_ri_id.set(instances::find(model_ri)?.id());
    Ok(())
}

pub(crate) fn aclmdlRISetName(model_ri: aclmdlRI, name: Text<'_>) -> Answer {
    let name = name.get().ok_or_else(|| Failure::invalid("the name is null"))?;
    let instance = instances::find(model_ri)?;
    instance.of_current_context()?;
    instance.rename(&name);
    Ok(())
}

/// The name with its terminating zero has to fit (100000). There is no name without a place for that zero (107000).
pub(crate) fn aclmdlRIGetName(model_ri: aclmdlRI, max_len: u32, mut name: Out<'_, c_char>) -> Answer {
    wanted(&name)?;
    let instance = instances::find(model_ri)?;
    if max_len == 0 {
        return Err(Failure::refused("there is room for 0 bytes; a name has at least its terminating zero"));
    }
    instance.of_current_context()?;
    let found = Instance::name(&instance);
    super::store_text(&mut name, &found, max_len as usize)
}

/// The streams of the instance. Without a place for them their number alone is answered.
pub(crate) fn aclmdlRIGetStreams(
    model_ri: aclmdlRI,
    mut streams: Out<'_, aclrtStream>,
    mut num_streams: InOut<'_, u32>,
) -> Answer {
    if model_ri.is_null() {
        return Err(Failure::refused("the model instance is null"));
    }
    let instance = instances::find(model_ri)?;
    let found = || {
        instance.of_current_context()?;
        let handle = |number| aclrtStream(core::ptr::without_provenance_mut(number));
        Ok(instance.streams()?.into_iter().map(handle).collect())
    };
    list(found, &mut streams, &mut num_streams)
}

/// The tasks that the stream has as part of an instance, in their order. Without a place for them their number alone is
/// answered.
pub(crate) fn aclmdlRIGetTasksByStream(
    stream: aclrtStream,
    mut tasks: Out<'_, aclmdlRITask>,
    mut num_tasks: InOut<'_, u32>,
) -> Answer {
    if stream.is_null() {
        return Err(Failure::refused("the stream is null, and the default one is part of no model instance"));
    }
    let stream = Named::find(stream)?;
    list(|| tasks_of(&*stream.for_work()?), &mut tasks, &mut num_tasks)
}

/// Stores all that was found, for which there has to be room (107039).
fn list<T>(found: impl FnOnce() -> Answer<Vec<T>>, places: &mut Out<'_, T>, number: &mut InOut<'_, u32>) -> Answer {
    let all = |room: u32| {
        let found = found()?;
        let count = found.len();
        if !places.is_null() && room as usize >= count {
            places.set_all(found, count);
        } else if !places.is_null() {
            let text = format!("there is room for {room}, and {count} are to be stored");
            return Err(Failure::new(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, text));
        }
        Ok(count as u32)
    };
    number.replace(all).unwrap_or_else(|| Err(Failure::refused("the place of the number is null")))
}

pub(crate) fn aclmdlRITaskGetType(task: aclmdlRITask, mut kind: Out<'_, aclmdlRITaskType>) -> Answer {
    let task = find_task(task)?;
    if kind.is_null() {
        return Err(Failure::refused("there is no place for the type: the pointer is null"));
    }
    kind.set(task.sort());
    Ok(())
}

/// The task is left out from the next update of its instance on.
pub(crate) fn aclmdlRITaskDisable(task: aclmdlRITask) -> Answer {
    find_task(task)?.disable()
}

/// Changes of the tasks take effect from here on.
pub(crate) fn aclmdlRIUpdate(model_ri: aclmdlRI) -> Answer {
    if model_ri.is_null() {
        return Err(Failure::refused("the model instance is null"));
    }
    let instance = instances::find(model_ri)?;
    instance.refuse_built()?;
    instance.of_current_context()?;
    instance.update()
}

/// The calls about callbacks have another code for what is null (107000).
fn callback_of<F>(model_ri: aclmdlRI, func: Option<F>) -> Answer<F> {
    let func = func.filter(|_| !model_ri.is_null());
    func.ok_or_else(|| Failure::refused("the model instance or the callback is null"))
}

pub(super) fn instance_handle(number: usize) -> aclmdlRI {
    aclmdlRI(core::ptr::without_provenance_mut(number))
}
