//! Recurrent networks: what the engine has, and what is written out step by step.

use super::files::{File, node, port, shapeless, with_int, with_text};
use crate::model::{Input, Model};
use rten_onnx::onnx::{AttributeProto, AttributeType, DataType, NodeProto};

const FLOAT: DataType = DataType::FLOAT;

fn strings(mut node: NodeProto, name: &str, values: &[&str]) -> NodeProto {
    let strings = values.iter().map(|value| value.to_string()).collect();
    let r#type = Some(AttributeType::STRINGS);
    node.attribute.push(AttributeProto { name: Some(name.to_string()), strings, r#type, ..Default::default() });
    node
}

/// A network of one hidden value on one feature, whose weights are all `weight`.
fn network(one: NodeProto, gates: i64, dims: &str, weight: f32) -> File {
    let weights = vec![weight; usize::try_from(gates).unwrap()];
    let ports = [port("x", FLOAT, dims), port("lengths", DataType::INT32, "2")];
    let directions = if one.attribute.iter().any(|one| one.s.as_deref() == Some("bidirectional")) { 2 } else { 1 };
    let weights = weights.repeat(directions);
    File::new(&ports, &[shapeless("y", FLOAT), shapeless("last", FLOAT)], vec![with_int(one, "hidden_size", 1)])
        .with_weights("w", &[directions as i64, gates, 1], &weights)
        .with_weights("r", &[directions as i64, gates, 1], &weights)
        .with_weights("p", &[directions as i64, 3], &[1.0, 2.0, 3.0].repeat(directions))
}

/// All hidden values and the last ones, of sequences of two steps.
fn run(file: File, dims: &[i64], x: &[f32], lengths: [i32; 2]) -> [Vec<f32>; 2] {
    let bytes: Vec<u8> = x.iter().flat_map(|value| value.to_le_bytes()).collect();
    let lengths = lengths.map(i32::to_le_bytes).concat();
    let model = Model::parse(file.bytes()).unwrap();
    let outputs = model.run(&[Input { dims, bytes: &bytes }, Input { dims: &[2], bytes: &lengths }]).unwrap();
    [0, 1].map(|index: usize| {
        let bytes = outputs[index].to_bytes().unwrap();
        bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
    })
}

fn close(found: &[f32], expected: &[f32]) {
    let same = found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5);
    assert!(same, "found {found:?}, expected {expected:?}");
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[test]
fn a_plain_network_adds_input_and_hidden_value() {
    let one = node("RNN", &["x", "w", "r"], &["y", "last"]);
    let [y, last] = run(network(one.clone(), 1, "2 1 1", 0.5), &[2, 1, 1], &[1.0, 3.0], [0, 0]);
    let first = 0.5_f32.tanh();
    let second = (1.5 + 0.5 * first).tanh();
    close(&y, &[first, second]);
    close(&last, &[second]);
    let back = with_text(strings(one, "activations", &["Relu"]), "direction", "reverse");
    let [y, last] = run(network(back, 1, "s 1 1", 0.5), &[2, 1, 1], &[1.0, 3.0], [0, 0]);
    close(&y, &[1.25, 1.5]);
    close(&last, &[1.25]);
}

/// A softplus of more than 88 is the number itself: its power is beyond f32.
#[test]
fn a_function_of_a_gate_is_calculated_where_its_power_overflows() {
    let one = strings(node("RNN", &["x", "w", "r"], &["y", "last"]), "activations", &["Softplus"]);
    let [y, _] = run(network(one, 1, "2 1 1", 1.0), &[2, 1, 1], &[100.0, -300.0], [0, 0]);
    close(&y, &[100.0, 0.0]);
}

#[test]
fn a_sequence_that_is_shorter_ends_before_the_others() {
    let inputs = ["x", "w", "r", "", "lengths"];
    for (operator, gates) in [("LSTM", 4), ("GRU", 3), ("RNN", 1)] {
        for direction in ["forward", "reverse"] {
            let one = |inputs: &[&str]| with_text(node(operator, inputs, &["y", "last"]), "direction", direction);
            // Two sequences side by side, of which the second has one step.
            let both = network(one(&inputs), gates, "2 2 1", 0.5);
            let [y, last] = run(both, &[2, 2, 1], &[1.0, 2.0, 3.0, 9.0], [2, 1]);
            let alone = |steps: &[f32]| {
                let dims = [steps.len() as i64, 1, 1];
                run(network(one(&inputs[..3]), gates, "s 1 1", 0.5), &dims, steps, [0, 0])
            };
            let ([long, long_last], [short, short_last]) = (alone(&[1.0, 3.0]), alone(&[2.0]));
            close(&y, &[long[0], short[0], long[1], 0.0]);
            close(&last, &[long_last[0], short_last[0]]);
        }
    }
}

#[test]
fn a_gated_network_resets_before_or_after_the_product() {
    let one = |after: i64| with_int(node("GRU", &["x", "w", "r", "b"], &["y", "last"]), "linear_before_reset", after);
    let [x, w, b] = [1.0_f32, 0.5, 0.25];
    let expected = |after: bool| {
        let (mut hidden, mut all) = (0.0_f32, Vec::new());
        for _ in 0..2 {
            let gate = sigmoid(x * w + b + hidden * w + b);
            let more = if after { gate * (hidden * w + b) } else { gate * hidden * w + b };
            let fresh = (x * w + b + more).tanh();
            hidden = (1.0 - gate) * fresh + gate * hidden;
            all.push(hidden);
        }
        all
    };
    for after in [0, 1] {
        let file = network(one(after), 3, "2 1 1", w).with_weights("b", &[1, 6], &[b; 6]);
        close(&run(file, &[2, 1, 1], &[x, x], [0, 0])[0], &expected(after == 1));
    }
}

#[test]
fn gates_can_look_at_the_values_of_the_cell() {
    let one = node("LSTM", &["x", "w", "r", "", "", "", "", "p"], &["y", "last"]);
    let found = run(network(one, 4, "2 1 1", 0.5), &[2, 1, 1], &[1.0, 1.0], [0, 0])[0].clone();
    let (mut hidden, mut cell, mut all) = (0.0_f32, 0.0_f32, Vec::new());
    for _ in 0..2 {
        let sum = 0.5 + 0.5 * hidden;
        cell = sigmoid(sum + 3.0 * cell) * cell + sigmoid(sum + cell) * sum.tanh();
        hidden = sigmoid(sum + 2.0 * cell) * cell.tanh();
        all.push(hidden);
    }
    close(&found, &all);
}

#[test]
fn a_batch_may_come_first_and_directions_come_together() {
    let one = with_text(node("LSTM", &["x", "w", "r"], &["y", "last"]), "direction", "bidirectional");
    let file = |one| network(one, 4, "a b 1", 0.5);
    let [y, last] = run(file(one.clone()), &[2, 1, 1], &[1.0, 3.0], [0, 0]);
    let [by_batch, last_by_batch] = run(file(with_int(one, "layout", 1)), &[1, 2, 1], &[1.0, 3.0], [0, 0]);
    close(&by_batch, &y);
    close(&last_by_batch, &last);
}

#[test]
fn a_function_that_there_is_none_of_is_refused() {
    let one = strings(node("LSTM", &["x", "w", "r"], &["y", "last"]), "activations", &["Sigmoid", "Tanh", "Swirl"]);
    let failure = Model::parse(network(one, 4, "2 1 1", 0.5).bytes()).unwrap_err().to_string();
    assert!(failure.contains("the LSTM (LSTM): attribute `activations` is"), "{failure}");
    assert!(failure.contains("Swirl"), "{failure}");
}
