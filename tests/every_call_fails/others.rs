//! Shared memory, arenas, operators in flight, and an object of other code.

use crate::common::difference;
use crate::models;
use ascendcl::memory::bytes_in_arena;
use ascendcl::model::{Load, ModelSource, OutputBuffer};
use ascendcl::raw::{Attach, EndingContext, EndsBefore};
use ascendcl::{BoundModel, Brand, Current, Error, Failed, Scoped, operator};
use ascendcl_sys::types::aclrtNotify;
use std::mem;

pub(crate) fn shared_memory(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let (first, second) = (current.stream()?, current.stream()?);
    let table = current.upload(&[1_u32, 2, 3, 4])?.into_shared();
    let one = first.copy_to_host(current, table.clone(), current.host_buffer(4)?)?;
    let two = second.copy_to_host(current, table.slice(2..)?, current.host_buffer(2)?)?;
    drop(first.copy_to_host(current, table.clone(), current.host_buffer(4)?)?);
    mem::forget(second.copy_on_device(current, current.upload(&[5_u32])?.into_shared(), current.device_buffer(1)?)?);
    assert_eq!(*one.wait(current)?.1, [1, 2, 3, 4]);
    assert_eq!(*two.wait(current)?.1, [3, 4]);
    let mut table = table.try_unshare(current)?;
    table.copy_from(current, &[6; 4])?;
    table.free(current)?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

/// Makes a step a second time, with what the first gave back.
pub(crate) fn again<T, R>(value: T, mut step: impl FnMut(T) -> Result<R, Failed<T>>) -> Result<R, Error> {
    match step(value) {
        Ok(result) => Ok(result),
        Err(failed) => Ok(step(failed.value)?),
    }
}

pub(crate) fn arena_of_two_models(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let (stream, image) = (current.stream()?.without_allocator(), difference());
    let mut arena = current.device_arena(2 * bytes_in_arena::<f32>(4))?;
    let nines = arena.take(4)?.write(current, &[9.0_f32; 4])?.into_shared();
    let subtracts = |value| -> Result<BoundModel<_>, Error> {
        let model = current.load(ModelSource::memory(&image).into())?;
        let mut bound = again(model, |model| model.bind(current, &[&[4], &[4]], &[&[4]]))?;
        drop(again(nines.clone(), |nines| bound.share_input(current, 0, nines))?);
        bound.write(current, 1, &[value; 4])?;
        Ok(bound)
    };
    let (mut first, second) = (subtracts(1.0_f32)?, subtracts(2.0)?);
    drop(again(arena.take::<f32>(4)?, |room| first.replace_output(current, 0, room))?);
    let second = again(second, |second| stream.execute(current, second))?;
    first.run(current).or_else(|_| first.run(current))?;
    assert_eq!(first.read::<f32>(current, 0)?, [8.0; 4]);
    assert_eq!(second.wait(current)?.read::<f32>(current, 0)?, [7.0; 4]);
    let fives = current.upload(&[5.0_f32; 4])?;
    drop(again(fives, |fives| first.unshare_input(current, 0, fives))?);
    first.run(current)?;
    assert_eq!(first.read::<f32>(current, 0)?, [4.0; 4]);
    first.into_model(current)?.unload(current)?;
    drop(nines);
    if let Some(error) = current.collect().into_iter().next() {
        return Err(error);
    }
    arena.reset(current)?;
    again(arena, |arena| arena.free(current))
}

/// A choice of shapes that failed is made again. Where that fails, too, an execution has the old shapes, or is refused.
pub(crate) fn shapes_chosen_again(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    for image in [models::in_batches_of(None), models::compiled_for("1,3,7")] {
        let model = current.load(ModelSource::memory(&image).into())?;
        let mut bound = model.bind_with(current, &[&[7, 64]], &[OutputBuffer::AtMost(70)])?;
        let mut batch = 7;
        for next in [1, 3, 7] {
            let chosen = bound.reshape(current, &[&[next, 64]]).or_else(|_| bound.reshape(current, &[&[next, 64]]));
            batch = if chosen.is_ok() { next } else { batch };
            let ones = vec![1.0_f32; 64 * batch];
            bound.write(current, 0, &ones).or_else(|_| bound.write(current, 0, &ones))?;
            bound.run(current).or_else(|_| bound.run(current))?;
            assert_eq!(bound.output_shape(current, 0)?, [batch, 10]);
            assert_eq!(bound.read::<f32>(current, 0)?, vec![0.0; 10 * batch]);
        }
    }
    Ok(())
}

pub(crate) fn second_model_on_the_weights(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let image = models::in_batches_of(Some(1));
    let source = ModelSource::memory(&image);
    let weights = current.weights(source)?;
    let load = || current.load(Load::builder().source(source).weights(&weights).build());
    let first = load().or_else(|_| load())?;
    let second = load().or_else(|_| load())?;
    again(first, |first| first.unload(current))?;
    drop(weights);
    let mut bound = second.bind(current, &[&[1, 64]], &[&[1, 10]])?;
    bound.write(current, 0, &[1.0_f32; 64])?;
    bound.run(current).or_else(|_| bound.run(current))?;
    assert_eq!(bound.read::<f32>(current, 0)?, [0.0; 10]);
    Ok(())
}

#[allow(clippy::result_large_err, reason = "an operator comes back as it was")]
pub(crate) fn operators_in_flight(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let stream = current.stream()?.without_allocator();
    let x = current.upload_tensor(&[4], &[1_i32, -2, 3, -4])?;
    let relu = operator::relu(current, x)?;
    let positive = again(relu, |relu| stream.launch(current, relu))?.into_outputs().into_shared();
    let doubled = operator::add(current, positive.clone(), positive.clone())?;
    let doubled = again(doubled, |doubled| stream.launch(current, doubled))?.into_outputs();
    drop(stream.launch(current, operator::relu(current, positive.clone())?)?);
    let sum = operator::add(current, doubled, positive)?;
    let sum = again(sum, |sum| stream.launch(current, sum))?.into_outputs();
    mem::forget(stream.launch(current, operator::relu(current, current.upload_tensor(&[1], &[1_i32])?)?)?);
    assert_eq!(sum.wait(current)?.to_vec(current)?, [3, 0, 9, 0]);
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

/// A notify of the library.
struct Notify(aclrtNotify);

// SAFETY: a notify has no state on the host, and any thread that has its context uses it.
unsafe impl Send for Notify {}
// SAFETY: a notify has no state on the host, and any thread that has its context uses it.
unsafe impl Sync for Notify {}

// SAFETY: `take_down` destroys the notify, which is not used with streams here, and calls nothing else.
unsafe impl Attach for Notify {
    const NAME: &'static str = "notify";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, from: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        // SAFETY: the notify is live: this is not called again once it has answered `Ok`.
        let code = unsafe { from.library().as_raw().aclrtDestroyNotify(self.0) }.unwrap();
        Ok(from.library().check_call("destroy a notify", "aclrtDestroyNotify", code)?)
    }
}

fn notify<C: Brand>(current: &Current<C>) -> Result<Notify, Error> {
    let (library, mut notify) = (current.library(), aclrtNotify(std::ptr::null_mut()));
    // SAFETY: the context is current, and the answer goes to a live local.
    let code = unsafe { library.as_raw().aclrtCreateNotify(&raw mut notify, 0) }.unwrap();
    library.check_call("create a notify", "aclrtCreateNotify", code).map(|()| Notify(notify))
}

pub(crate) fn attached_objects(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    // What an object uses comes first: a notify that is not attached yet would be left when that fails.
    let uses = (current.stream()?, current.upload(&[1_u8])?);
    let attached = current.attach(notify(current)?, uses)?;
    let event = current.event()?;
    mem::forget(current.attach(notify(current)?, event)?);
    drop(current.attach(notify(current)?, ())?);
    attached.get(current)?;
    let (stream, buffer) = attached.take_down(current)?;
    stream.destroy(current)?;
    buffer.free(current)?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}
