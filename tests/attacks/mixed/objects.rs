//! Models, operators, allocators, futures and work by hand of one runtime, used in another of its name.

use super::*;

#[proves(MODEL_01)]
#[test]
fn a_model() {
    let two = Two::open();
    let mut digits = two.own(|current| model(current));
    let digits = two.other(|current| {
        let pixels = [0.0_f32; 64];
        is_wrong(digits.run(current, &[Input::new(&[1, 64], &pixels).unwrap()]), ObjectKind::MODEL);
        let digits = comes_back(digits.bind(current, &[&[1, 64]], &[&[1, 10]]), ObjectKind::MODEL);
        comes_back(digits.unload(current), ObjectKind::MODEL)
    });
    let mut prepared = two.own(|current| digits.bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap());
    let prepared = two.other(|current| {
        is_wrong(prepared.write(current, 0, &[0.0_f32; 64]), ObjectKind::DEVICE_MEMORY);
        is_wrong(prepared.read::<f32>(current, 0), ObjectKind::MODEL_TENSORS);
        is_wrong(prepared.output_shape(current, 0), ObjectKind::MODEL_TENSORS);
        is_wrong(prepared.reshape(current, &[&[1, 64]]), ObjectKind::MODEL_TENSORS);
        is_wrong(prepared.run(current), ObjectKind::MODEL_TENSORS);
        let stream = current.stream().unwrap().without_allocator();
        let prepared = comes_back(stream.execute(current, prepared), ObjectKind::MODEL_TENSORS);
        let host = current.host_buffer::<f32>(64).unwrap();
        let (_, prepared) = comes_back(stream.copy_to_input(current, host, prepared, 0), ObjectKind::DEVICE_MEMORY);
        comes_back(prepared.into_model(current), ObjectKind::MODEL_TENSORS)
    });
    two.own(|current| {
        let mut prepared = prepared;
        prepared.write(current, 0, &[0.0_f32; 64]).unwrap();
        prepared.run(current).unwrap();
        assert_eq!(prepared.read::<f32>(current, 0).unwrap().len(), 10);
        prepared.into_model(current).unwrap().unload(current).unwrap();
        collect(current);
    });
    two.close();
}

#[proves(MODEL_02, MODEL_03, MODEL_08)]
#[test]
fn memory_for_models() {
    let two = Two::open();
    let image = digits_in_batches_of(1);
    let source = ModelSource::memory(&image);
    let (workspace, weights) = two.own(|current| {
        let sizes = current.model_size(source).unwrap();
        (current.workspace(sizes.workspace).unwrap(), current.weights(source).unwrap())
    });
    let workspace = two.other(|current| {
        let onto_weights = current.load(Load::builder().source(source).weights(&weights).build());
        drop(comes_back(onto_weights, ObjectKind::DEVICE_MEMORY));
        let onto_workspace = current.load(Load::builder().source(source).workspace(workspace).build());
        let load = comes_back(onto_workspace, ObjectKind::DEVICE_MEMORY);
        collect(current);
        load.workspace.unwrap()
    });
    two.own(|current| {
        let load = Load::builder().source(source).weights(&weights).workspace(workspace).build();
        current.load(load).unwrap().unload(current).unwrap();
    });
    two.close();
}

#[proves(OP_04, STREAM_09, MEM_11)]
#[test]
fn an_operator_and_its_tensors() {
    let two = Two::open();
    let x = two.own(|current| current.upload_tensor(&[4], &[1.0_f32, -1.0, 2.0, -2.0]).unwrap());
    let relu = Operator::new("Relu");
    let x = two.other(|current| {
        is_wrong(x.to_vec(current), ObjectKind::DEVICE_MEMORY);
        let (x, y) = comes_back(relu.bind(current, x, current.tensor::<f32>(&[4]).unwrap()), ObjectKind::DEVICE_MEMORY);
        // What was half made is taken down.
        drop(y);
        collect(current);
        x
    });
    let bound = two.own(|current| relu.bind(current, x, current.tensor::<f32>(&[4]).unwrap()).unwrap());
    let bound = two.other(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let bound = comes_back(stream.launch(current, bound), ObjectKind::OPERATOR);
        comes_back(bound.into_tensors(current), ObjectKind::OPERATOR)
    });
    two.own(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let bound = stream.launch(current, bound).unwrap().wait(current).unwrap();
        assert_eq!(bound.into_tensors(current).unwrap().1.to_vec(current).unwrap(), [1.0, 0.0, 2.0, 0.0]);
    });
    two.close();
}

#[proves(ALLOC_10, ALLOC_11, MEM_11)]
#[test]
fn an_allocator() {
    let two = Two::open();
    let pool = two.own(|current| PoolAllocator::new(current, 1024).unwrap());
    let pool = two.other(|current| {
        let stream = current.stream().unwrap();
        let Err(failed) = stream.register(current, pool) else { panic!("a pool of another context") };
        assert!(matches!(failed.error, Error::AllocatorOfOtherContext { .. }), "{}", failed.error);
        failed.value.1
    });
    let group = two.own(|current| AllocatorGroup::new(current, pool).unwrap());
    two.other(|current| {
        let stream = current.stream().unwrap();
        drop(comes_back(group.attach(current, stream), ObjectKind::ALLOCATOR));
        // In an allocator's call the library would have got memory of another context.
        collect(current);
    });
    let mut stream = two.own(|current| {
        let pool = group.into_allocator().unwrap();
        current.stream().unwrap().register(current, pool).unwrap()
    });
    two.other(|current| {
        is_wrong(stream.idle(current).map(drop), ObjectKind::STREAM);
        assert!(matches!(stream.grow_pool(current, 64), Err(Error::AllocatorOfOtherContext { .. })));
        let back = comes_back(stream.unregister(current), ObjectKind::STREAM);
        mem::forget(back);
    });
    two.close();
}

/// Queues a set by hand.
///
/// The closure is never reached when the operand or the stream is refused.
fn by_hand(
    current: &Current<Worker>,
    stream: &StreamOps<Worker>,
    buffer: DeviceBuffer<Worker, f32>,
) -> (Error, DeviceBuffer<Worker, f32>) {
    // SAFETY: nothing is queued.
    let queued =
        unsafe { stream.submit(current, "aclrtMemsetAsync", buffer, |_, _| -> i32 { panic!("the closure was run") }) };
    match queued {
        Err(failed) => (failed.error, failed.value),
        Ok(_) => panic!("taken"),
    }
}

#[proves(MEM_11, STREAM_09)]
#[test]
fn work_by_hand() {
    let two = Two::open();
    let (stream, buffer) = two.own(|current| (current.stream().unwrap(), buffers(current).1));
    two.other(|current| {
        let (error, buffer) = by_hand(current, &current.stream().unwrap(), buffer);
        is_wrong(Err::<(), _>(error), ObjectKind::DEVICE_MEMORY);
        let (error, _) = by_hand(current, &stream, buffers(current).1);
        is_wrong(Err::<(), _>(error), ObjectKind::STREAM);
        drop(buffer);
    });
    two.close();
}

#[proves(STREAM_09)]
#[test]
fn futures() {
    let two = Two::open();
    let (stream, work) = two.own(|current| {
        let stream = current.stream().unwrap();
        let work = upload(current, &stream);
        (stream, work)
    });
    let mut stream: Stream<Worker> = stream;
    let work: Pending<Worker, _> = two.other(|current| {
        let work = comes_back(work.when_done(current, &stream), ObjectKind::STREAM);
        comes_back(work.into_future(current, &mut stream), ObjectKind::STREAM)
    });
    let done = two.own(|current| work.when_done(current, &stream).unwrap());
    let work = finish(done);
    let work = two.other(|current| comes_back(work.wait(current), ObjectKind::STREAM));
    two.own(|current| drop(work.wait(current).unwrap()));
    two.close();
}
