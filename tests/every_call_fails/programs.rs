//! Programs that together use every part of the safe layer. They stop at the first error, and then drop, forget or lose
//! their objects.

use crate::bodies;
use crate::common::{block_on, difference, positions};
use crate::doors;
use crate::graphs;
use crate::harness::Program;
use crate::lent;
use crate::models;
use crate::others::{
    arena_of_two_models, attached_objects, operators_in_flight, second_model_on_the_weights, shapes_chosen_again,
    shared_memory,
};
use ascendcl::event::{Progress, Timing, Waiting};
use ascendcl::memory::{Pages, Rows};
use ascendcl::operator::{self, Operator};
use ascendcl::{
    Current, Error, Input, Scoped,
    allocator::PoolAllocator,
    model::{Load, ModelSource, OutputBuffer},
    stream::AllocatorGroup,
};
use std::future::Future;
use std::mem;
use std::task::{Context, Waker};
use std::time::Duration;

pub(crate) const PROGRAMS: &[(&str, Program)] = &[
    ("copies", copies),
    ("streams and events", streams_and_events),
    ("registered memory and rows", registered_memory_and_rows),
    ("events for one purpose", events_for_one_purpose),
    ("memory that several read", shared_memory),
    ("attached objects", attached_objects),
    ("futures", futures),
    ("a model at once", model_at_once),
    ("a model on a stream", model_on_a_stream),
    ("a model in place", model_in_place),
    ("memory that models exchange", exchanges),
    ("an arena of two models", arena_of_two_models),
    ("a second model on the weights", second_model_on_the_weights),
    ("a lane", lane),
    ("open shapes", open_shapes),
    ("gears", gears),
    ("shapes that are chosen again", shapes_chosen_again),
    ("operators", operators),
    ("operators in flight", operators_in_flight),
    ("operators of a pool", operators_of_a_pool),
    ("open shapes of a pool", open_shapes_of_a_pool),
    ("a shared allocator", shared_allocator),
    ("a captured graph", graphs::captured_graph),
    ("captured branches", graphs::captured_branches),
    ("an updated graph", graphs::updated_graph),
    ("an update that is made again", graphs::update_made_again),
    ("a built graph", graphs::built_graph),
    ("a built graph with a switch", graphs::switched_graph),
    ("a built graph with branches", bodies::built_branches),
    ("branches that are built again", bodies::branches_built_again),
    ("a captured pool", bodies::captured_pool),
    ("a pool that is captured again", bodies::pool_captured_again),
    ("a graph of operators that feed each other", graphs::linked_operators),
    ("a capture that fails", graphs::failed_capture),
    ("a workspace of several threads", doors::workspace_mutex),
    ("a lane in place", doors::lane_in_place),
    ("a stream that is kept", doors::kept_stream),
    ("an allocator of C functions", lent::c_functions),
    ("host code", lent::host_code),
    ("an allocator that is given back", lent::allocator_given_back),
    ("what is forgotten", forgotten),
];

fn copies(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let stream = current.stream()?;
    let mut host = current.host_buffer::<u32>(256)?;
    host.fill(7);
    let upload = stream.copy_to_device(current, host, current.device_buffer(256)?)?;
    let (host, device) = upload.wait(current)?;
    let _zeros = current.device_buffer::<u32>(1)?.zero(current)?;
    let (_, host) = stream.copy_to_host(current, device, host)?.wait_within(current, Duration::from_secs(5))?;
    assert!(host.iter().all(|element| *element == 7));
    let mut device = current.device_buffer::<u32>(256)?.write(current, &[3; 256])?;
    device.copy_from(current, &[4; 256])?;
    assert_eq!(device.to_vec(current)?, [4; 256]);
    current.memory_info()?;
    host.free(current)?;
    device.free(current)?;
    stream.destroy(current)?;
    Ok(())
}

fn streams_and_events(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let (first, second) = (current.stream()?, current.stream()?);
    let start = first.record(current, current.event()?)?;
    let upload = first.copy_to_device(current, current.host_buffer::<u8>(64)?, current.device_buffer(64)?)?;
    let uploaded = first.record(current, current.event()?)?;
    second.wait_for(current, &uploaded)?;
    let after = second.record(current, current.event()?)?;
    after.synchronize(current)?;
    uploaded.is_complete(current)?;
    uploaded.milliseconds_since(current, &start)?;
    let (host, device) = upload.wait(current)?;
    let default = current.default_stream();
    drop(default.copy_to_host(current, device, host)?);
    default.synchronize(current)?;
    start.destroy(current)?;
    drop(uploaded);
    first.destroy(current)?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

fn registered_memory_and_rows(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let stream = current.stream()?;
    let host = current.register(Pages::copied_from(&[7_u32; 256])?)?;
    let (host, device) = stream.copy_to_device(current, host, current.device_buffer(256)?)?.wait(current)?;
    let rows = Rows::builder().width(2).height(4).from_pitch(16).to_pitch(2).build();
    let whole = Rows::builder().width(2).height(4).from_pitch(2).to_pitch(2).build();
    // A program that runs on the device copies no rows.
    let part = match stream.copy_rows_to_host(current, device, current.host_buffer::<u32>(8)?, rows) {
        Ok(copy) => copy.wait(current)?.1,
        Err(failed) if matches!(failed.error, Error::RowsOnDevice) => failed.value.1,
        Err(failed) => return Err(failed.error),
    };
    match current.upload(&[0_u32; 8])?.copy_rows_from(current, &part, whole) {
        Err(Error::RowsOnDevice) | Ok(()) => {}
        Err(error) => return Err(error),
    }
    mem::forget(current.register(Pages::<u8>::zeroed(1)?)?);
    let pages = host.unregister(current)?;
    assert_eq!(*pages, [7; 256]);
    drop(current.register(pages)?);
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

fn events_for_one_purpose(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let (first, second) = (current.stream()?, current.stream()?);
    let start = first.record(current, current.event_for(Timing)?)?;
    let work = first.set_bytes(current, current.device_buffer::<u8>(64)?, 1)?;
    let end = first.record(current, current.event_for(Timing)?)?;
    let done = first.record(current, current.event_for(Waiting)?)?;
    second.adopt_after(current, work, &done)?.wait(current)?;
    end.milliseconds_since(current, &start)?;
    first.record(current, current.event_for(Progress)?)?.synchronize(current)?;
    done.destroy(current)?;
    Ok(())
}

fn futures(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let mut stream = current.stream()?;
    let upload = stream.copy_to_device(current, current.host_buffer::<u8>(64)?, current.device_buffer(64)?)?;
    let (host, device) = block_on(upload.into_future(current, &mut stream)?).0?;
    let download = stream.copy_to_host(current, device, host)?;
    let mut dropped = Box::pin(download.into_future(current, &mut stream)?);
    let _ = dropped.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    drop(dropped);
    stream.destroy(current)?;
    Ok(())
}

fn model_at_once(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let mut model = current.load_model(models::file())?;
    for batch in [1, 3, 3] {
        let outputs = model.run(current, &[Input::new(&[batch, 64], &vec![0.0_f32; batch * 64])?])?;
        assert_eq!(outputs.get(0)?.shape(), [batch, 10]);
    }
    model.unload(current)?;
    Ok(())
}

fn model_on_a_stream(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let stream = current.stream()?.without_allocator();
    let image = models::in_batches_of(Some(4));
    let mut model = current.load(ModelSource::memory(&image).into())?.bind(current, &[&[4, 64]], &[&[4, 10]])?;
    for _ in 0..2 {
        model.write(current, 0, &[0.0_f32; 256])?;
        model = stream.execute(current, model)?.wait(current)?;
        assert_eq!(model.read::<f32>(current, 0)?.len(), 40);
    }
    model.into_model(current)?.unload(current)?;
    stream.destroy(current)?;
    Ok(())
}

fn model_in_place(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let stream = current.stream()?.without_allocator();
    let image = models::in_batches_of(Some(4));
    let mut model = current.load(ModelSource::memory(&image).into())?.bind(current, &[&[4, 64]], &[&[4, 10]])?;
    for _ in 0..2 {
        model.write(current, 0, &[0.0_f32; 256])?;
        if stream.run_bound_within(current, &mut model, Duration::from_secs(10)).is_err() {
            // Whatever became of it, after a wait it runs again.
            let waited = stream.synchronize(current).and_then(|()| stream.synchronize(current));
            waited.or_else(|_| stream.synchronize(current))?;
            model.write(current, 0, &[0.0_f32; 256])?;
            stream.run_bound(current, &mut model)?;
        }
        assert_eq!(model.read::<f32>(current, 0)?.len(), 40);
    }
    model.into_model(current)?.unload(current)?;
    stream.destroy(current)?;
    Ok(())
}

fn exchanges(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let bound = |current: &mut Current<_>| -> Result<_, Error> {
        let model = current.load(ModelSource::memory(&difference()).into())?;
        Ok(model.bind(current, &[&[4], &[4]], &[&[4]])?)
    };
    let (mut first, mut second) = (bound(current)?, bound(current)?);
    let room = second.exchange_input(current, 0, current.upload(&[7.0_f32; 4])?)?;
    first.run(current)?;
    let computed = first.exchange_output(current, 0, room)?;
    drop(second.exchange_input(current, 0, computed)?);
    let stream = current.stream()?.without_allocator();
    let second = stream.execute(current, second)?.wait(current)?;
    mem::forget(stream.execute(current, first)?);
    drop(second.into_model(current)?);
    Ok(())
}

fn lane(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let image = models::in_batches_of(Some(8));
    let source = ModelSource::memory(&image);
    let size = current.model_size(source)?;
    let weights = current.weights(source)?;
    current.load(Load::builder().source(source).weights(&weights).build())?.unload(current)?;
    let stream = current.stream()?.without_allocator();
    let stream = current.workspace_lane(stream, current.workspace(2 * size.workspace)?, |current, mut lane| {
        let load = Load::builder().source(source).weights(&weights).build();
        let mut first = lane.load(current, load)?.bind(current, &[&[8, 64]], &[&[8, 10]])?;
        let mut second = lane.load(current, source.into())?;
        first.write(current, 0, &[0.0_f32; 512])?;
        let pending = lane.execute(current, first)?;
        lane.run(current, &mut second, &[Input::new(&[8, 64], &[0.0_f32; 512])?])?;
        pending.wait(current)?.read::<f32>(current, 0)?;
        lane.synchronize(current)?;
        second.unload(current)?;
        Ok::<_, Error>(lane.into_stream())
    })?;
    stream.destroy(current)?;
    Ok(())
}

fn open_shapes(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let stream = current.stream()?.without_allocator();
    let model = current.load(ModelSource::memory(&positions()).into())?;
    let mut prepared = model.bind_with(current, &[&[4]], &[OutputBuffer::ByLibrary])?;
    for (elements, found) in [([0.0_f32, 5.0, 0.0, 1.0], 2), ([1.0; 4], 4)] {
        prepared.write(current, 0, &elements)?;
        prepared = stream.execute(current, prepared)?.wait(current)?;
        assert_eq!(prepared.output_shape(current, 0)?, [1, found]);
        assert_eq!(prepared.read::<i64>(current, 0)?.len(), found);
    }
    prepared.into_model(current)?.unload(current)?;
    Ok(())
}

fn gears(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let file = models::compiled_for("1,7");
    let mut compiled = current.load(ModelSource::memory(&file).into())?;
    compiled.run(current, &[Input::new(&[7, 64], &[0.0_f32; 448])?])?;
    let stream = current.stream()?.without_allocator();
    let mut prepared = compiled.bind_with(current, &[&[7, 64]], &[OutputBuffer::AtMost(70)])?;
    prepared.reshape(current, &[&[1, 64]])?;
    prepared.write(current, 0, &[0.0_f32; 64])?;
    prepared = stream.execute(current, prepared)?.wait(current)?;
    assert_eq!(prepared.read::<f32>(current, 0)?.len(), 10);
    Ok(())
}

fn operators(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let stream = current.stream()?.without_allocator();
    let one = current.upload_tensor(&[2], &[1_i32, 5])?;
    let two = current.upload_tensor(&[2], &[2_i32, 7])?;
    let mut add = stream.launch(current, operator::add(current, one, two)?)?.wait(current)?;
    add = stream.launch(current, add)?.wait(current)?;
    let (_, sum) = add.into_tensors(current)?;
    assert_eq!(sum.to_vec(current)?, [3, 12]);
    let cast = operator::cast::<f32, _, _>(current, sum)?;
    let (_, cast) = stream.launch(current, cast)?.wait(current)?.into_tensors(current)?;
    current.load_operator(b"the simulator takes any image")?;
    let relu = Operator::new("Relu").precompiled().bind(current, cast, current.tensor::<f32>(&[2])?)?;
    drop(stream.launch(current, relu)?);
    let x = current.upload_tensor(&[2, 2], &[0.0_f32; 4])?;
    drop(operator::softmax(current, x, 1)?);
    stream.synchronize(current)?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

fn operators_of_a_pool(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let pool = PoolAllocator::new(current, 1 << 16)?;
    let mut stream = current.stream()?.register(current, pool)?;
    for _ in 0..2 {
        let relu = operator::relu(current, current.upload_tensor(&[4], &[1_i32, -2, 3, -4])?)?;
        let (_, y) = stream.launch(current, relu)?.wait(current)?.into_tensors(current)?;
        assert_eq!(y.to_vec(current)?, [1, 0, 3, 0]);
    }
    let idle = stream.idle(current)?;
    idle.trim(current)?;
    idle.grow(current, 1 << 16)?;
    let (stream, first) = stream.replace(current, PoolAllocator::new(current, 1 << 16)?)?;
    let relu = operator::relu(current, current.upload_tensor(&[1], &[1_i32])?)?;
    drop(stream.launch(current, relu)?);
    let (stream, second) = stream.unregister(current)?;
    first.release(current)?;
    second.release(current)?;
    stream.without_allocator().destroy(current)?;
    Ok(())
}

fn open_shapes_of_a_pool(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    for room in [OutputBuffer::ByLibrary, OutputBuffer::AtMost(70)] {
        let pool = PoolAllocator::new(current, 1 << 18)?;
        let stream = current.stream()?.register(current, pool)?;
        let mut prepared = current.load_model(models::file())?.bind_with(current, &[&[7, 64]], &[room])?;
        for batch in [1, 7] {
            prepared.reshape(current, &[&[batch, 64]])?;
            prepared.write(current, 0, &vec![0.0_f32; 64 * batch])?;
            prepared = stream.execute(current, prepared)?.wait(current)?;
            assert_eq!(prepared.output_shape(current, 0)?, [batch, 10]);
            prepared.read::<f32>(current, 0)?;
        }
        prepared.into_model(current)?.unload(current)?;
        let (stream, pool) = stream.unregister(current)?;
        pool.release(current)?;
        stream.destroy(current)?;
    }
    Ok(())
}

fn shared_allocator(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let mut group = AllocatorGroup::new(current, PoolAllocator::new(current, 1 << 18)?)?;
    let (first, second) = (group.attach(current, current.stream()?)?, group.attach(current, current.stream()?)?);
    let model = current.load_model(models::file())?;
    let mut model = model.bind_with(current, &[&[4, 64]], &[OutputBuffer::AtMost(40)])?;
    model.write(current, 0, &[0.0_f32; 256])?;
    for member in [&first, &second, &first] {
        let turn = group.begin(member)?;
        let pending = turn.execute(current, model)?;
        group = turn.finish(current)?;
        model = pending.wait(current)?;
    }
    first.detach(current)?.destroy(current)?;
    drop(second.detach(current)?);
    drop(group);
    Ok(())
}

fn forgotten(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let with = current.stream()?.register(current, PoolAllocator::new(current, 1 << 18)?)?;
    let plain = current.stream()?.without_allocator();
    let bind = || -> Result<_, Error> {
        Ok(current.load_model(models::file())?.bind_with(current, &[&[3, 64]], &[OutputBuffer::ByLibrary])?)
    };
    mem::forget(with.execute(current, bind()?)?);
    mem::forget(plain.execute(current, bind()?)?.wait(current)?);
    drop(with.execute(current, bind()?)?);
    mem::forget(plain.copy_to_device(current, current.host_buffer::<u8>(64)?, current.device_buffer(64)?)?);
    mem::forget((current.event()?, current.upload(&[1_u8])?));
    mem::forget(plain.launch(current, operator::relu(current, current.upload_tensor(&[1], &[1_i32])?)?)?);
    Ok(())
}
