//! Copies to inputs and from outputs of captured models and operators.

use super::groups::{BEFORE, operator};
use super::*;
use ascendcl::ElementType;
use ascendcl::capture::Tasks;
use ascendcl::error::InputError;
use ascendcl::operator::{self, Absent, Operator};
use ascendcl_macros::proves;

fn host<C: Brand>(current: &Current<C>, numbers: &[f32]) -> HostBuffer<C, f32> {
    let mut buffer = current.host_buffer(numbers.len()).unwrap();
    buffer.slice_mut(current).unwrap().copy_from_slice(numbers);
    buffer
}

#[proves(GRAPH_05)]
#[test]
fn operators_read_in_each_replay_what_the_operators_before_them_computed() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let tensor = |numbers: &[f32]| current.upload_tensor(&[2], numbers).unwrap();
        let sum = operator::add(current, tensor(&[0.0; 2]), tensor(&[1.0, -3.0])).unwrap();
        let relu = operator::relu(current, tensor(&[0.0; 2])).unwrap();
        let square = operator::mul(current, tensor(&[0.0; 2]), tensor(&[0.0; 2])).unwrap();
        let operands = (host(current, &[0.0; 2]), sum, relu, square, current.upload(&[BEFORE; 2]).unwrap());
        let captured = stream.capture(
            current,
            CaptureMode::Relaxed,
            operands,
            |capture, (input, mut sum, mut relu, mut square, mut result)| {
                capture.copy_to_input(&input, &mut sum, 0)?;
                capture.launch(&mut sum)?;
                capture.copy_output_to_input(&sum, 0, &mut relu, 0)?;
                capture.launch(&mut relu)?;
                capture.copy_output_to_input(&relu, 0, &mut square, 0)?;
                capture.copy_output_to_input(&relu, 0, &mut square, 1)?;
                capture.launch(&mut square)?;
                capture.copy_from_output(&square, 0, &mut result)?;
                // What comes last goes in first at the next replay.
                capture.copy_output_to_input(&square, 0, &mut sum, 1)
            },
        );
        let mut graph = captured.unwrap();
        for (input, expected) in [([1.0, 2.0], [4.0, 0.0]), ([-1.0, 5.0], [9.0, 25.0])] {
            graph.operands(current).unwrap().0.copy_from_slice(&input);
            graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
            assert_eq!(graph.operands(current).unwrap().4.to_vec(current).unwrap(), expected);
        }
        drop(graph.into_operands(current).unwrap());
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_model_and_an_operator_feed_each_other() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let model = current.load_model(data("digits.onnx")).unwrap();
        let model = model.bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
        let pixels = current.upload_tensor(&[1, 64], &[-1.0_f32; 64]).unwrap();
        let (before, after) = (operator::relu(current, pixels), current.zeros_tensor::<f32>(&[1, 10]));
        let after = operator::relu(current, after.unwrap()).unwrap();
        let operands = (before.unwrap(), model, after, host(current, &[0.0; 10]), host(current, &[0.0; 10]));
        let captured = stream.capture(
            current,
            CaptureMode::Relaxed,
            operands,
            |capture, (mut before, mut model, mut after, mut direct, mut scores)| {
                capture.launch(&mut before)?;
                capture.copy_output_to_input(&before, 0, &mut model, 0)?;
                capture.execute(&mut model)?;
                capture.copy_from_output(&model, 0, &mut direct)?;
                capture.copy_output_to_input(&model, 0, &mut after, 0)?;
                capture.launch(&mut after)?;
                capture.copy_from_output(&after, 0, &mut scores)
            },
        );
        let mut graph = stream.replay(current, captured.unwrap()).unwrap().wait(current).unwrap();
        let (_, _, _, direct, scores) = graph.operands(current).unwrap();
        let relu: Vec<f32> = direct.iter().map(|score| score.max(0.0)).collect();
        assert!(relu.iter().any(|score| *score > 0.0), "{direct:?}");
        assert_eq!(*scores, *relu);
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_17, MEM_07)]
#[test]
fn an_output_that_no_replay_is_sure_to_write_is_not_read() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let unwritten = || {
            let tensor = current.upload_tensor(&[2], &[1.0_f32; 2]).unwrap();
            operator::relu(current, tensor).unwrap()
        };
        let early = stream.capture(
            current,
            CaptureMode::Relaxed,
            (unwritten(), host(current, &[0.0; 2])),
            |capture, (relu, mut output)| capture.copy_from_output(&relu, 0, &mut output),
        );
        let refused = early.unwrap_err();
        assert!(matches!(refused.error, Error::NotExecuted), "{}", refused.error);
        // A later update can take the operator out of its group again.
        let grouped =
            stream.capture(current, CaptureMode::Relaxed, refused.value, |capture, (mut relu, mut output)| {
                let _group = capture.task_group(Tasks::new().launch(&mut relu))?;
                capture.copy_from_output(&relu, 0, &mut output)
            });
        let refused = grouped.unwrap_err();
        assert!(matches!(refused.error, Error::NotExecuted), "{}", refused.error);
        drop(refused);
        // Memory that was written before may be read without a launch.
        let written = (operator(current, "Relu", 1.0), host(current, &[0.0; 2]));
        let graph = stream.capture(current, CaptureMode::Relaxed, written, |capture, (relu, mut output)| {
            capture.copy_from_output(&relu, 0, &mut output)
        });
        let mut graph = stream.replay(current, graph.unwrap()).unwrap().wait(current).unwrap();
        assert_eq!(graph.operands(current).unwrap().1, [BEFORE; 2]);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, DATA_08)]
#[test]
fn copies_that_do_not_fit_are_refused_and_so_are_writes_of_what_others_read() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let shared = current.upload_tensor(&[2], &[1.0_f32; 2]).unwrap().into_shared();
        let other = shared.clone();
        let add = operator::add(current, shared, current.upload_tensor(&[2], &[2.0_f32; 2]).unwrap()).unwrap();
        let mut operands =
            (host(current, &[7.0; 2]), add, operator(current, "Relu", 1.0), current.upload(&[0_i32; 2]).unwrap());
        for (attempt, expected) in ["shared", "element", "input", "output", "from", "length"].iter().zip(0..) {
            let captured = stream.capture(
                current,
                CaptureMode::Relaxed,
                operands,
                |capture, (input, mut add, mut relu, mut integers)| {
                    let refused = match *attempt {
                        "shared" => capture.copy_to_input(&input, &mut add, 0),
                        "element" => capture.copy_to_input(&integers, &mut relu, 0),
                        "input" => capture.copy_output_to_input(&relu, 0, &mut add, 2),
                        "output" => capture.copy_output_to_input(&relu, 1, &mut add, 1),
                        "from" => capture.copy_from_output(&relu, 0, &mut integers),
                        _ => capture.copy_output_to_input(&relu, 0, &mut add, 0),
                    };
                    let error = refused.unwrap_err();
                    let found = match &error {
                        Error::InputIsShared { name } if name == "0" => [0, 5].contains(&expected),
                        Error::Input(reason) => expected == 1 && matches!(**reason, InputError::Element { .. }),
                        Error::NoSuchInput { index: 2, count: 2 } => expected == 2,
                        Error::NoSuchOutput { index: 1, count: 1 } => expected == 3,
                        Error::OutputType { .. } => expected == 4,
                        _ => false,
                    };
                    assert!(found, "{attempt}: {error}");
                    Err(error)
                },
            );
            operands = captured.unwrap_err().value;
        }
        drop(operands);
        assert_eq!(other.to_vec(current).unwrap(), [1.0; 2], "nobody has written it");
        let (small, large) = (operator(current, "Relu", 1.0), current.upload_tensor(&[3], &[0.0_f32; 3]).unwrap());
        let large = operator::relu(current, large).unwrap();
        let refused = stream.capture(current, CaptureMode::Relaxed, (small, large), |capture, (small, mut large)| {
            capture.copy_output_to_input(&small, 0, &mut large, 0)
        });
        let refused = refused.unwrap_err();
        assert!(matches!(refused.error, Error::LengthMismatch { expected: 3, found: 2, .. }), "{}", refused.error);
        // From one element type to another one.
        let integers = || current.upload_tensor(&[2], &[1_i32; 2]).unwrap();
        let sum = operator::add(current, integers(), integers()).unwrap();
        let operands = (operator(current, "Relu", 1.0), sum);
        let refused = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (relu, mut sum)| {
            capture.copy_output_to_input(&relu, 0, &mut sum, 0)
        });
        let Error::Input(reason) = refused.unwrap_err().error else { panic!("another error") };
        let is_it = |reason: &InputError| match reason {
            InputError::Element { expected, found, .. } => (*expected, *found) == (ElementType::I32, ElementType::F32),
            _ => false,
        };
        assert!(is_it(&reason), "{reason}");
    });
    alone.assert_nothing_lives();
}

#[proves(OP_04)]
#[test]
fn an_input_that_is_left_out_has_no_memory_to_copy_to() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let tensor = |numbers: [f32; 2]| current.upload_tensor(&[2], &numbers).unwrap();
        // Without a lower bound. Whether the library has the operator shows when it is launched.
        let clip = Operator::new("Clip").precompiled();
        let clip = clip.bind(current, (tensor([1.0, 5.0]), Absent, tensor([3.0; 2])), tensor([0.0; 2])).unwrap();
        let operands = (host(current, &[0.0; 2]), clip);
        let captured = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut clip)| {
            capture.copy_to_input(&input, &mut clip, 1)
        });
        let refused = captured.unwrap_err();
        assert!(matches!(refused.error, Error::NoSuchInput { index: 1, .. }), "{}", refused.error);
    });
    alone.assert_nothing_lives();
}
