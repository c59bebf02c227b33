//! Programs with captured and built graphs.

use crate::models;
use crate::others::again;
use ascendcl::capture::{CaptureMode, Tasks};
use ascendcl::memory::Pages;
use ascendcl::model::ModelSource;
use ascendcl::operator::{self, Operator};
use ascendcl::{Current, Error, Scoped};

pub(crate) fn captured_graph(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let image = models::in_batches_of(Some(4));
    let model = current.load(ModelSource::memory(&image).into())?.bind(current, &[&[4, 64]], &[&[4, 10]])?;
    let operands = (current.host_buffer::<f32>(256)?, model, current.host_buffer::<f32>(40)?);
    let mut stream = current.stream()?.without_allocator();
    let graph = stream.capture(current, CaptureMode::Global, operands, |capture, (images, mut model, mut scores)| {
        capture.copy_to_input(&images, &mut model, 0)?;
        capture.execute(&mut model)?;
        capture.copy_from_output(&model, 0, &mut scores)?;
        capture.launch_host_fn(7, |_: &i32| ())
    });
    let mut graph = graph?;
    graph.set_name(current, "digits")?;
    for _ in 0..2 {
        graph.operands(current)?.0.fill(1.0);
        let pending = stream.replay(current, graph)?;
        graph = stream.replay(current, pending)?.wait(current)?;
        assert_eq!(graph.operands(current)?.2.len(), 40);
    }
    let (_, model, _) = graph.into_operands(current)?;
    model.into_model(current)?.unload(current)?;
    stream.destroy(current)?;
    Ok(())
}

pub(crate) fn captured_branches(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let (mut main, mut side) = (current.stream()?.without_allocator(), current.stream()?.without_allocator());
    let buffers = (current.upload(&[1_u8; 64])?, current.device_buffer::<u8>(64)?.zero(current)?);
    let graph = main.capture(current, CaptureMode::Relaxed, buffers, |capture, (first, second)| {
        let (first, second) = capture.fork(&mut side, |capture, side| {
            let (first, mut second) = (side.adopt_after(capture, first)?, side.adopt_after(capture, second)?);
            side.copy_on_device(&first, &mut second)?;
            Ok((capture.adopt_after(side, first)?, capture.adopt_after(side, second)?))
        })?;
        let (mut first, second) = (first, second);
        capture.copy_on_device(&second, &mut first)
    });
    // One replay is awaited, one is lost, and the graph with it.
    let graph = main.replay(current, graph?)?.wait(current)?;
    drop(side.replay(current, graph)?);
    side.destroy(current)?;
    main.destroy(current)?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

pub(crate) fn updated_graph(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let mut stream = current.stream()?.without_allocator();
    let relu = |number: f32| {
        let x = current.upload_tensor(&[2], &[number; 2])?;
        let y = current.upload_tensor(&[2], &[9.0_f32; 2])?;
        Operator::new("Relu").bind(current, x, y).map_err(Error::from)
    };
    let (first, second) = (relu(1.0)?, relu(2.0)?);
    let mut group = None;
    let graph = stream.capture(current, CaptureMode::Relaxed, first, |capture, mut first| {
        group = Some(capture.task_group(Tasks::new().launch(&mut first))?);
        Ok(())
    });
    let (graph, Some(group)) = (graph?.with_operands(current, second)?, group) else { return Ok(()) };
    let updated = stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second))?;
    let mut graph = stream.replay(current, updated)?.wait(current)?;
    let (first, second) = graph.operands(current)?;
    assert_eq!(first.tensors().1.to_vec(current)?, [9.0; 2]);
    assert_eq!(second.tensors().1.to_vec(current)?, [2.0; 2]);
    // One update is lost in flight, and the graph with it.
    drop(stream.update(current, graph, &group, |tasks, (mut first, _)| tasks.launch(&mut first))?);
    stream.destroy(current)?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

/// An update that failed is made again. Whatever has become of the graph, its operands come back, and work.
#[allow(clippy::result_large_err, reason = "a graph comes back with its operands")]
pub(crate) fn update_made_again(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let mut stream = current.stream()?.without_allocator();
    let relu = |number: f32| {
        let x = current.upload_tensor(&[2], &[number; 2])?;
        let y = current.upload_tensor(&[2], &[9.0_f32; 2])?;
        Operator::new("Relu").bind(current, x, y).map_err(Error::from)
    };
    let (first, second) = (relu(1.0)?, relu(2.0)?);
    let mut group = None;
    let graph = stream.capture(current, CaptureMode::Relaxed, first, |capture, mut first| {
        group = Some(capture.task_group(Tasks::new().launch(&mut first))?);
        Ok(())
    });
    let (graph, Some(group)) = (graph?.with_operands(current, second)?, group) else { return Ok(()) };
    let mut update = |graph| stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
    let graph = match update(graph).or_else(|failed| update(failed.value)) {
        Err(failed) => failed.value,
        Ok(updated) => {
            let replay = stream.replay(current, updated);
            let replayed = replay.is_ok();
            let mut graph = again(replay.unwrap_or_else(|failed| failed.value), |graph| graph.wait(current))?;
            let (first, second) = graph.operands(current)?;
            assert_eq!(first.tensors().1.to_vec(current)?, [9.0; 2], "it was replaced");
            assert_eq!(second.tensors().1.to_vec(current)?, [if replayed { 2.0 } else { 9.0 }; 2]);
            graph
        }
    };
    let (first, second) = again(graph, |graph| graph.into_operands(current))?;
    for (operator, number) in [(first, 1.0), (second, 2.0)] {
        let done = again(operator, |operator| stream.launch(current, operator))?;
        let done = again(done, |done| done.wait(current))?;
        assert_eq!(done.tensors().1.to_vec(current)?, [number; 2]);
    }
    Ok(())
}

pub(crate) fn built_graph(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let stream = current.stream()?.without_allocator();
    let operands = (current.host_buffer::<f32>(64)?, current.upload(&[0.0_f32; 64])?, current.host_buffer::<f32>(64)?);
    let mut build = current.build_graph(operands)?;
    build.add(current, |tasks, (input, mut device, _)| tasks.copy_to_device(&input, &mut device))?;
    build.add(current, |tasks, (_, device, mut output)| {
        tasks.copy_to_host(&device, &mut output)?;
        tasks.launch_host_fn(7, |_: &i32| ())
    })?;
    let mut graph = build.end(current)?;
    graph.operands(current)?.0.fill(1.0);
    graph = stream.replay(current, graph)?.wait(current)?;
    assert_eq!(*graph.operands(current)?.2, [1.0; 64]);
    // One build comes to nothing, one is lost.
    let operands = current.build_graph(graph.into_operands(current)?)?.into_operands(current)?;
    drop(current.build_graph(operands)?);
    stream.destroy(current)?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

pub(crate) fn switched_graph(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let stream = current.stream()?.without_allocator();
    let operands = (current.host_buffer::<u32>(1)?, current.upload(&[0_u32])?, current.upload(&[0_u8; 64])?);
    let mut build = current.build_graph(operands)?;
    build.add(current, |tasks, (number, mut index, mut bytes)| {
        tasks.copy_to_device(&number, &mut index)?;
        tasks.switch(&index, 2, |tasks, case| {
            tasks.switch(&index, 1, |tasks, _| tasks.set_bytes(&mut bytes, case as u8 + 1))
        })
    })?;
    let mut graph = build.end(current)?;
    for number in [1, 0] {
        graph.operands(current)?.0.fill(number);
        graph = stream.replay(current, graph)?.wait(current)?;
        assert_eq!(graph.operands(current)?.2.to_vec(current)?, [number as u8 + 1; 64]);
    }
    // One build is given up behind a switch, one graph is lost in flight.
    let mut build = current.build_graph(graph.into_operands(current)?)?;
    build.add(current, |tasks, (_, index, _)| tasks.switch(&index, 2, |_, _| Ok(())))?;
    let mut build = current.build_graph(build.into_operands(current)?)?;
    build.add(current, |tasks, (_, index, _)| tasks.switch(&index, 2, |_, _| Ok(())))?;
    drop(stream.replay(current, build.end(current)?)?);
    stream.destroy(current)?;
    current.collect().into_iter().next().map_or(Ok(()), Err)
}

pub(crate) fn linked_operators(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let mut stream = current.stream()?.without_allocator();
    let tensor = |number: f32| current.upload_tensor(&[2], &[number; 2]);
    let sum = operator::add(current, tensor(0.0)?, tensor(1.0)?)?;
    let relu = operator::relu(current, tensor(0.0)?)?;
    let operands = (current.host_buffer::<f32>(2)?, sum, relu, current.upload(&[0.0_f32; 2])?);
    let graph =
        stream.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut sum, mut relu, mut last)| {
            capture.copy_to_input(&input, &mut sum, 0)?;
            capture.launch(&mut sum)?;
            capture.copy_output_to_input(&sum, 0, &mut relu, 0)?;
            capture.launch(&mut relu)?;
            capture.copy_from_output(&relu, 0, &mut last)
        });
    let mut graph = graph?;
    for (number, added) in [(-3.0, 1.0), (3.0, 2.0)] {
        let (input, mut sum, ..) = graph.operands(current)?;
        input.fill(number);
        sum.write(current, 1, &[added; 2])?;
        graph = stream.replay(current, graph)?.wait(current)?;
        assert_eq!(graph.operands(current)?.3.to_vec(current)?, [f32::max(number + added, 0.0); 2]);
    }
    let (_, sum, relu, _) = graph.into_operands(current)?;
    sum.into_tensors(current)?;
    relu.into_tensors(current)?;
    stream.destroy(current)?;
    Ok(())
}

/// A capture that comes to nothing, and whose operands end one by one.
pub(crate) fn failed_capture(current: &mut Current<Scoped<'_>>) -> Result<(), Error> {
    let image = models::in_batches_of(Some(4));
    let model = current.load(ModelSource::memory(&image).into())?.bind(current, &[&[4, 64]], &[&[4, 10]])?;
    let relu = operator::relu(current, current.zeros_tensor::<f32>(&[2])?)?;
    let registered = current.register(Pages::copied_from(&[7.0_f32; 256])?)?;
    let table = current.upload(&[1.0_f32; 4])?.into_shared();
    let operands = (registered, model, relu, table.clone(), current.host_buffer::<f32>(4)?);
    let mut stream = current.stream()?.without_allocator();
    let failed = stream.capture(current, CaptureMode::Relaxed, operands, |capture, operands| {
        let (images, mut model, mut relu, table, mut host) = operands;
        capture.copy_to_input(&images, &mut model, 0)?;
        capture.execute(&mut model)?;
        capture.launch(&mut relu)?;
        capture.copy_shared_to_host(&table, &mut host)?;
        capture.launch_host_fn(7, |_: &i32| ())?;
        Err(Error::NotExecuted)
    });
    let Err(failed) = failed else { return Ok(()) };
    let (registered, model, relu, clone, host) = failed.value;
    drop(clone);
    let mut model = model;
    let room = current.device_buffer::<f32>(40)?;
    let old = again(room, |room| model.replace_output(current, 0, room))?;
    again(old, |old| old.free(current))?;
    drop(again(registered, |registered| registered.unregister(current))?);
    drop(again(relu, |relu| relu.into_tensors(current))?);
    let model = again(model, |model| model.into_model(current))?;
    again(model, |model| model.unload(current))?;
    again(host, |host| host.free(current))?;
    again(table, |table| table.try_unshare(current)).and_then(|table| again(table, |table| table.free(current)))?;
    again(stream, |stream| stream.destroy(current))?;
    match failed.error {
        Error::NotExecuted => current.collect().into_iter().next().map_or(Ok(()), Err),
        error => Err(error),
    }
}
