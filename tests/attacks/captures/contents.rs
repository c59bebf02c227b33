//! What replays read and write, and who reaches it between them.

use super::*;
use ascendcl::operator::Operator;
use ascendcl::{Input, model::ModelSource};
use ascendcl_macros::proves;

#[proves(GRAPH_05)]
#[test]
fn inputs_are_written_and_outputs_are_read_between_replays() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let mut graph = echo(current, &mut stream);
        assert_eq!(graph.operands(current).unwrap().2, [0.0; LENGTH], "the capture runs nothing");
        for number in [1.0, 2.0, 3.0] {
            graph = assert_echoes(current, &stream, graph, number);
        }
        let (input, device, output) = graph.into_operands(current).unwrap();
        assert_eq!((input[0], output[0]), (3.0, 3.0));
        assert_eq!(device.to_vec(current).unwrap(), [3.0; LENGTH]);
        device.free(current).unwrap();
        input.free(current).unwrap();
        output.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_graph_without_replays_gives_its_operands_back_to_be_freed_at_once() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let (input, device, output) = echo(current, &mut stream).into_operands(current).unwrap();
        device.free(current).unwrap();
        input.free(current).unwrap();
        output.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_captured_model_gives_what_the_model_gives() {
    let alone = alone();
    inside(|current| {
        let image = digits_in_batches_of(4);
        let pixels: Vec<f32> = (0..256_u16).map(|pixel| f32::from(pixel % 17)).collect();
        let mut plain = current.load(ModelSource::memory(&image).into()).unwrap();
        let expected = plain.run(current, &[Input::new(&[4, 64], &pixels).unwrap()]).unwrap();
        let expected = expected.get(0).unwrap().to_vec::<f32>().unwrap();
        let model = current.load(ModelSource::memory(&image).into()).unwrap();
        let model = model.bind(current, &[&[4, 64]], &[&[4, 10]]).unwrap();
        let operands = (current.host_buffer::<f32>(256).unwrap(), model, current.host_buffer::<f32>(40).unwrap());
        let mut stream = stream(current);
        let graph =
            stream.capture(current, CaptureMode::Relaxed, operands, |capture, (images, mut model, mut scores)| {
                let early = capture.copy_from_output(&model, 0, &mut scores).unwrap_err();
                assert!(matches!(early, Error::NotExecuted), "{early}");
                capture.copy_to_input(&images, &mut model, 0)?;
                capture.execute(&mut model)?;
                capture.copy_from_output(&model, 0, &mut scores)
            });
        let mut graph = graph.unwrap();
        let unread = graph.operands(current).unwrap().1.read::<f32>(current, 0).unwrap_err();
        assert!(matches!(unread, Error::NotExecuted), "{unread}");
        for _ in 0..2 {
            graph.operands(current).unwrap().0.copy_from_slice(&pixels);
            graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
            let (_, model, scores) = graph.operands(current).unwrap();
            assert_eq!(scores, expected);
            assert_eq!(model.read::<f32>(current, 0).unwrap(), expected);
        }
        let mut written = graph.operands(current).unwrap().1;
        written.write(current, 0, &pixels).unwrap();
        let (_, model, _) = graph.into_operands(current).unwrap();
        model.into_model(current).unwrap().unload(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_captured_operator_runs_at_each_replay() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let x = current.upload_tensor(&[4], &[-1.0_f32, 2.0, -3.0, 4.0]).unwrap();
        let y = current.upload_tensor(&[4], &[9.0_f32; 4]).unwrap();
        let relu = Operator::new("Relu").bind(current, x, y).unwrap();
        let graph = stream.capture(current, CaptureMode::Relaxed, relu, |capture, mut relu| capture.launch(&mut relu));
        let mut graph = stream.replay(current, graph.unwrap()).unwrap().wait(current).unwrap();
        let relu = graph.operands(current).unwrap();
        assert_eq!(relu.tensors().1.to_vec(current).unwrap(), [0.0, 2.0, 0.0, 4.0]);
        let relu = graph.into_operands(current).unwrap();
        relu.into_tensors(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn sets_and_copies_on_the_device_are_captured() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let buffers: Box<[_]> = Box::new([current.upload(&[7_u8; 64]).unwrap(), current.upload(&[1_u8; 64]).unwrap()]);
        let graph = stream.capture(current, CaptureMode::Relaxed, buffers, |capture, mut buffers| {
            let [first, second] = &mut *buffers else { panic!() };
            capture.copy_on_device(first, second)?;
            capture.set_bytes(first, 3)
        });
        let mut graph = stream.replay(current, graph.unwrap()).unwrap().wait(current).unwrap();
        let mut buffers = graph.operands(current).unwrap();
        assert_eq!(buffers[0].to_vec(current).unwrap(), [3; 64]);
        assert_eq!(buffers[1].to_vec(current).unwrap(), [7; 64]);
        buffers[0].copy_from(current, &[5; 64]).unwrap();
        let mut graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
        assert_eq!(graph.operands(current).unwrap()[1].to_vec(current).unwrap(), [5; 64]);
    });
    alone.assert_nothing_lives();
}

#[test]
fn two_graphs_cannot_exchange_their_buffers() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let (mut first, mut second) = (echo(current, &mut stream), echo(current, &mut stream));
        {
            let (mut one, mut other) = (first.operands(current).unwrap(), second.operands(current).unwrap());
            // These are slices and accesses, and not the buffers.
            std::mem::swap(&mut one, &mut other);
            one.0.fill(2.0);
            other.0.fill(1.0);
        }
        let mut first = stream.replay(current, first).unwrap().wait(current).unwrap();
        let mut second = stream.replay(current, second).unwrap().wait(current).unwrap();
        assert_eq!((first.operands(current).unwrap().2[0], second.operands(current).unwrap().2[0]), (1.0, 2.0));
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_05)]
#[test]
fn ordinary_memory_comes_back_and_is_not_captured() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let vector = current.pageable_buffer(vec![1.0_f32; 4]);
        let refused = stream.capture(current, CaptureMode::Relaxed, vector, |_, _| Ok(())).unwrap_err();
        assert!(matches!(refused.error, Error::NotPinned), "{}", refused.error);
        assert_eq!(refused.value.into_vec(current).unwrap(), [1.0; 4]);
    });
    alone.assert_nothing_lives();
}

#[test]
fn an_output_that_the_library_allocates_cannot_be_captured() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let model = current.load_model(data("digits.onnx")).unwrap();
        let model = model.bind_with(current, &[&[1, 64]], &[ascendcl::model::OutputBuffer::ByLibrary]).unwrap();
        let refused =
            stream.capture(current, CaptureMode::Relaxed, model, |capture, mut model| capture.execute(&mut model));
        let refused = refused.unwrap_err();
        assert!(matches!(refused.error, Error::OutputNotAllocated { .. }), "{}", refused.error);
        drop(refused);
        collect(current);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_callback_runs_at_each_replay_and_its_state_is_dropped_once() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    struct Counts(Arc<AtomicU32>, Arc<AtomicU32>);
    impl Drop for Counts {
        fn drop(&mut self) {
            self.1.fetch_add(1, SeqCst);
        }
    }
    let alone = alone();
    let (calls, drops) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    inside(|current| {
        let mut stream = stream(current);
        let state = Counts(Arc::clone(&calls), Arc::clone(&drops));
        let graph = stream.capture(current, CaptureMode::Relaxed, (), |capture, ()| {
            capture.launch_host_fn(state, |counts| {
                counts.0.fetch_add(1, SeqCst);
            })
        });
        let mut graph = graph.unwrap();
        for _ in 0..3 {
            graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
        }
        assert_eq!((calls.load(SeqCst), drops.load(SeqCst)), (3, 0));
        graph.into_operands(current).unwrap();
        assert_eq!(drops.load(SeqCst), 1);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_panic_of_a_callback_is_told_and_the_next_replay_goes_on() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let graph = stream.capture(current, CaptureMode::Relaxed, (), |capture, ()| {
            capture.launch_host_fn((), |()| std::panic::panic_any("no"))
        });
        let graph = stream.replay(current, graph.unwrap()).unwrap();
        let mut graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
        let told = graph.take_panic().unwrap();
        assert!(matches!(&told, Error::CallbackPanicked { message } if message == "no"), "{told}");
        assert!(graph.take_panic().is_none());
    });
    alone.assert_nothing_lives();
}

/// What a callback panics with, and then panics where it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("what a callback threw was dropped");
    }
}

#[proves(CB_09)]
#[test]
fn what_a_callback_panics_with_is_not_dropped_on_a_thread_of_the_library() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let graph = stream.capture(current, CaptureMode::Relaxed, (), |capture, ()| {
            capture.launch_host_fn((), |()| std::panic::panic_any(Bomb))
        });
        let mut graph = stream.replay(current, graph.unwrap()).unwrap().wait(current).unwrap();
        let told = graph.take_panic().unwrap();
        assert!(matches!(&told, Error::CallbackPanicked { message } if message.contains("not text")), "{told}");
    });
    alone.assert_nothing_lives();
}
