//! Models and operators that other branches execute, while a part of a graph is being added that may not run.

use super::conditions::alone_with_conditions;
use super::*;
use ascendcl::operator;
use ascendcl_macros::proves;

/// What another branch executes meanwhile runs in each replay, whichever case is chosen.
#[proves(MODEL_17, STREAM_20)]
#[test]
fn what_a_case_adds_to_another_branch_is_executed_by_each_replay() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let model = current.load_model(data("digits.onnx")).unwrap();
        let model = model.bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
        let operands = (current.upload(&[1_u32]).unwrap(), model, current.host_buffer::<f32>(10).unwrap());
        let mut build = current.build_graph(operands).unwrap();
        let added = build.add(current, |tasks, (index, model, scores)| {
            tasks.branch(|tasks, side| {
                let mut model = side.adopt_after(tasks, model)?;
                let mut scores = side.adopt_after(tasks, scores)?;
                tasks.switch(&index, 2, |tasks, case| {
                    // Cases of cases change nothing of it.
                    tasks.switch(&index, 2, |_, _| if case == 0 { side.execute(&mut model) } else { Ok(()) })
                })?;
                side.copy_from_output(&model, 0, &mut scores)
            })
        });
        added.unwrap();
        let mut graph = build.end(current).unwrap();
        graph.operands(current).unwrap().1.write(current, 0, &[1.0_f32; 64]).unwrap();
        let mut graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
        let scores = graph.operands(current).unwrap().2.to_vec();
        assert!(scores.iter().any(|score| *score != 0.0));
        let (_, model, _) = graph.into_operands(current).unwrap();
        assert_eq!(model.read::<f32>(current, 0).unwrap(), scores);
    });
    alone.assert_nothing_lives();
}

/// What another branch executes meanwhile runs in each replay, whatever the number is.
#[proves(MODEL_17, GRAPH_10)]
#[test]
fn what_a_body_adds_to_another_branch_is_executed_by_each_replay() {
    let (alone, _books) = alone_with_conditions();
    inside(|current| {
        let [mut main, mut fork, mut bodies] = [(); 3].map(|()| stream(current));
        for with_else in [false, true] {
            let x = current.upload_tensor(&[2], &[-1.0_f32, 2.0]).unwrap();
            let relu = operator::relu(current, x).unwrap();
            let operands = (current.upload(&[0_u32; 16]).unwrap(), relu, current.host_buffer::<f32>(2).unwrap());
            let graph = main.capture(current, CaptureMode::Relaxed, operands, |capture, (number, relu, output)| {
                capture.fork(&mut fork, |capture, side| {
                    let mut relu = side.adopt_after(capture, relu)?;
                    let mut output = side.adopt_after(capture, output)?;
                    match with_else {
                        false => capture.run_if(&mut bodies, &number, |_| side.launch(&mut relu))?,
                        true => capture.run_if_else(&mut bodies, &number, |_, is_true| {
                            if is_true { side.launch(&mut relu) } else { Ok(()) }
                        })?,
                    }
                    side.copy_from_output(&relu, 0, &mut output)
                })
            });
            let mut graph = main.replay(current, graph.unwrap()).unwrap().wait(current).unwrap();
            assert_eq!(graph.operands(current).unwrap().2, [0.0, 2.0]);
        }
    });
    alone.assert_nothing_lives();
}

/// A switch of the other branch executes the model in each of its cases: so each replay executes it.
#[proves(MODEL_17, STREAM_20)]
#[test]
fn what_a_case_adds_to_each_case_of_another_branch_is_executed_by_each_replay() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let model = current.load_model(data("digits.onnx")).unwrap();
        let model = model.bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
        let [index, other] = [1_u32, 0].map(|number| current.upload(&[number]).unwrap());
        let operands = (index, other, model, current.host_buffer::<f32>(10).unwrap());
        let mut build = current.build_graph(operands).unwrap();
        let added = build.add(current, |tasks, (index, other, model, scores)| {
            tasks.branch(|tasks, side| {
                let (other, mut model) = (side.adopt_after(tasks, other)?, side.adopt_after(tasks, model)?);
                let mut scores = side.adopt_after(tasks, scores)?;
                tasks.switch(&index, 2, |_, case| match case {
                    0 => side.switch(&other, 2, |side, _| side.execute(&mut model)),
                    _ => Ok(()),
                })?;
                side.copy_from_output(&model, 0, &mut scores)
            })
        });
        added.unwrap();
        let mut graph = build.end(current).unwrap();
        graph.operands(current).unwrap().2.write(current, 0, &[1.0_f32; 64]).unwrap();
        let mut graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
        let scores = graph.operands(current).unwrap().3.to_vec();
        assert!(scores.iter().any(|score| *score != 0.0));
        let (_, _, model, _) = graph.into_operands(current).unwrap();
        assert_eq!(model.read::<f32>(current, 0).unwrap(), scores);
    });
    alone.assert_nothing_lives();
}

/// Cases of a switch on the same branch run only if the case does that they are in.
#[proves(MODEL_17, STREAM_20)]
#[test]
fn what_each_case_of_a_case_executes_is_not_executed_by_each_replay() {
    let alone = alone();
    inside(|current| {
        let model = current.load_model(data("digits.onnx")).unwrap();
        let model = model.bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
        let operands = (current.upload(&[0_u32]).unwrap(), model, current.host_buffer::<f32>(10).unwrap());
        let mut build = current.build_graph(operands).unwrap();
        let added = build.add(current, |tasks, (index, mut model, mut scores)| {
            tasks.switch(&index, 2, |tasks, case| match case {
                0 => tasks.switch(&index, 2, |tasks, _| tasks.execute(&mut model)),
                _ => Ok(()),
            })?;
            let refused = tasks.copy_from_output(&model, 0, &mut scores);
            assert!(matches!(refused, Err(Error::NotExecuted)), "{refused:?}");
            Ok(())
        });
        added.unwrap();
        drop(build.end(current).unwrap());
    });
    alone.assert_nothing_lives();
}
