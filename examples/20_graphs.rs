//! What a captured graph can have: branches, tasks that are exchanged between replays, and tasks that were not captured:
//! `cargo run --example 20_graphs`.
//!
//! `17_capture` measures what a replay saves. This example prints what the replays of four graphs give:
//!
//! 1. Two branches read one buffer at the same time, and the picture says in which order the rest is.
//! 2. An operator of a graph works for one request. Between two replays, the operator of another request takes its place.
//! 3. A graph is built task by task, without a capture. Some libraries cannot capture streams, but can build graphs.
//! 4. Each replay of a built graph runs one of several cases. A number in device memory says which.
//!
//! Runs on the vendor's library if one is installed, else on the simulator. Set `ASCENDCL_LIBRARY` to choose.

use ascendcl::capture::{CaptureMode, Tasks};
use ascendcl::operator::{BoundOperator, DeviceTensor, Operator};
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, Error, Library, RunError, Stream};

/// The numbers above zero of one request.
type Request<C> = BoundOperator<C, DeviceTensor<C, f32>, DeviceTensor<C, f32>>;

fn main() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::VendorOrSimulator, |current| {
        let mut stream = current.stream()?.without_allocator();
        branches(current, &mut stream)?;
        exchange(current, &mut stream)?;
        build(current, &stream)?;
        switch(current, &stream)
    })
}

/// 1. Both branches read the shared buffer, each on a stream of its own.
fn branches<C: Brand>(current: &mut Current<C>, stream: &mut Stream<C, DefaultAllocator>) -> Result<(), Error> {
    let mut side = current.stream()?.without_allocator();
    let shared = current.upload(&[1.5_f32; 4])?.into_shared();
    let operands = (shared, current.host_buffer::<f32>(4)?, current.device_buffer::<f32>(4)?.zero(current)?);
    let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (shared, mut host, device)| {
        let mut device = capture.fork(&mut side, |main, side| {
            let mut device = side.adopt_after(main, device)?;
            main.copy_shared_to_host(&shared, &mut host)?;
            side.copy_shared_on_device(&shared, &mut device)?;
            // Mistake: the first branch uses the memory of the second one without an event between them.
            // Refused: `ui-tests/fail/branch_uses_memory_of_another.rs`:
            //     error[E0308]: mismatched types
            Ok(main.adopt_after(side, device)?)
        })?;
        capture.set_bytes(&mut device, 0)
    })?;
    println!("1 {}", graph.to_mermaid());
    let mut graph = stream.replay(current, graph)?.wait(current)?;
    let (_, host, device) = graph.operands(current)?;
    println!("  the host has {host:?}, the device {:?}", device.to_vec(current)?);
    Ok(())
}

/// 2. The graph stays, and the request changes.
fn exchange<C: Brand>(current: &mut Current<C>, stream: &mut Stream<C, DefaultAllocator>) -> Result<(), Error> {
    let (first, second) = (request(current, [-1.0, 2.0])?, request(current, [3.0, -4.0])?);
    let mut group = None;
    let graph = stream.capture(current, CaptureMode::Relaxed, first, |capture, mut first| {
        group = Some(capture.task_group(Tasks::new().launch(&mut first))?);
        Ok(())
    })?;
    let Some(group) = group else { return Ok(()) };
    let graph = stream.replay(current, graph)?.wait(current)?;
    // The graph owns the operators of both requests from here on.
    let graph = graph.with_operands(current, second)?;
    // Mistake: an update that leaves tasks of the group out.
    // Refused: `ui-tests/fail/update_with_fewer_tasks.rs`:
    //     error[E0308]: mismatched types
    let updated = stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second))?;
    let mut graph = stream.replay(current, updated)?.wait(current)?;
    let (first, second) = graph.operands(current)?;
    let answers = [first.tensors().1.to_vec(current)?, second.tensors().1.to_vec(current)?];
    println!("2 one graph, two requests: {answers:?}");
    Ok(())
}

fn request<C: Brand>(current: &Current<C>, numbers: [f32; 2]) -> Result<Request<C>, Error> {
    let input = current.upload_tensor(&[2], &numbers)?;
    Ok(Operator::new("Relu").bind(current, input, current.upload_tensor(&[2], &[9.0_f32; 2])?)?)
}

/// 3. The tasks are given one after the other, with other code between them.
fn build<C: Brand>(current: &Current<C>, stream: &Stream<C, DefaultAllocator>) -> Result<(), Error> {
    let operands = (current.host_buffer::<f32>(2)?, request(current, [0.0; 2])?, current.upload(&[0.0_f32; 2])?);
    let mut build = current.build_graph(operands)?;
    build.add(current, |tasks, (input, mut operator, _)| tasks.copy_to_input(&input, &mut operator, 0))?;
    build.add(current, |tasks, (_, mut operator, _)| tasks.launch(&mut operator))?;
    build.add(current, |tasks, (_, operator, mut device)| tasks.copy_from_output(&operator, 0, &mut device))?;
    let mut graph = build.end(current)?;
    // Mistake: a task after the end of the build. `end` has taken the build.
    // Refused: `ui-tests/fail/build_given_tasks_after_its_end.rs`:
    //     error[E0382]: borrow of moved value: `build`
    for round in [5.0, -6.0] {
        graph.operands(current)?.0.fill(round);
        graph = stream.replay(current, graph)?.wait(current)?;
        println!("3 the device has {:?}", graph.operands(current)?.2.to_vec(current)?);
    }
    drop(graph.into_operands(current)?);
    Ok(())
}

/// 4. The program chooses the case between two replays. A task of the graph could do that as well.
fn switch<C: Brand>(current: &Current<C>, stream: &Stream<C, DefaultAllocator>) -> Result<(), Error> {
    let operands = (current.upload(&[0_u32])?, request(current, [-1.0, 2.0])?, request(current, [3.0, -4.0])?);
    let mut build = current.build_graph((operands, current.host_buffer::<f32>(2)?))?;
    build.add(current, |tasks, ((index, mut first, mut second), mut answer)| {
        tasks.switch(&index, 3, |tasks, case| match case {
            0 => {
                tasks.launch(&mut first)?;
                tasks.copy_from_output(&first, 0, &mut answer)
            }
            1 => {
                tasks.launch(&mut second)?;
                tasks.copy_from_output(&second, 0, &mut answer)
            }
            // A number larger than that of the last case chooses the last case: here nothing runs.
            _ => Ok(()),
        })
        // Mistake: a switch in a capture, whose streams take no labels.
        // Refused: `ui-tests/fail/capture_switched.rs`:
        //     error[E0277]: a capture has no switches
    })?;
    let mut graph = build.end(current)?;
    for case in [1, 0, 9] {
        let ((mut index, ..), answer) = graph.operands(current)?;
        index.copy_from(current, &[case])?;
        answer.fill(0.0);
        graph = stream.replay(current, graph)?.wait(current)?;
        println!("4 case {case}: {:?}", graph.operands(current)?.1);
    }
    Ok(())
}
