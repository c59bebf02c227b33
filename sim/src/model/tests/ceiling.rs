//! Models that ask for more memory than there is. Memory that cannot be had aborts a Rust process, so each of these runs in
//! a process of its own.

use super::files::{File, node, port, with_text};
use crate::model::{Input, Model, RunFailure};
use rten_onnx::onnx::{AttributeProto, AttributeType, DataType, NodeProto, TensorProto, ValueInfoProto};
use std::cell::RefCell;
use std::process::Command;

/// A model, and what to ask it for: much, and little.
struct Case {
    name: &'static str,
    file: fn() -> File,
    much: Vec<Given>,
    little: Vec<Given>,
    /// The elements of the output then.
    elements: usize,
}

type Given = (Vec<i64>, Vec<u8>);

fn ints(values: &[i64]) -> Given {
    (vec![values.len() as i64], values.iter().flat_map(|value| value.to_le_bytes()).collect())
}

fn int(value: i64) -> Given {
    (Vec::new(), value.to_le_bytes().to_vec())
}

fn floats(values: &[f32]) -> Given {
    (vec![values.len() as i64], values.iter().flat_map(|value| value.to_le_bytes()).collect())
}

fn zeros(dims: &[i64]) -> Given {
    (dims.to_vec(), vec![0; 4 * dims.iter().product::<i64>() as usize])
}

fn with_tensor(mut node: NodeProto, name: &str, dims: &[i64], integers: Vec<u8>) -> NodeProto {
    let tensor = TensorProto {
        dims: dims.to_vec(),
        data_type: Some(DataType::INT64),
        raw_data: Some(RefCell::new(integers)),
        ..Default::default()
    };
    let (name, kind) = (Some(name.to_string()), Some(AttributeType::TENSOR));
    node.attribute.push(AttributeProto { name, t: Some(tensor), r#type: kind, ..Default::default() });
    node
}

fn file(inputs: &[ValueInfoProto], nodes: Vec<NodeProto>, rank: &str) -> File {
    File::new(inputs, &[port("y", DataType::FLOAT, rank)], nodes)
}

const MANY: i64 = 1 << 21;

#[expect(clippy::too_many_lines, reason = "a table: one entry per operator")]
fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "ConstantOfShape",
            file: || file(&[port("n", DataType::INT64, "2")], vec![node("ConstantOfShape", &["n"], &["y"])], "a b"),
            much: vec![ints(&[MANY, MANY])],
            little: vec![ints(&[2, 3])],
            elements: 6,
        },
        Case {
            name: "Expand",
            file: || {
                let inputs = [port("x", DataType::FLOAT, "a b"), port("n", DataType::INT64, "2")];
                file(&inputs, vec![node("Expand", &["x", "n"], &["y"])], "c d")
            },
            much: vec![zeros(&[MANY, 1]), ints(&[1, MANY])],
            little: vec![zeros(&[2, 1]), ints(&[1, 5])],
            elements: 10,
        },
        Case {
            name: "Tile",
            file: || {
                let inputs = [port("x", DataType::FLOAT, "a b"), port("n", DataType::INT64, "2")];
                file(&inputs, vec![node("Tile", &["x", "n"], &["y"])], "c d")
            },
            much: vec![zeros(&[1, 64]), ints(&[MANY, MANY >> 6])],
            little: vec![zeros(&[1, 2]), ints(&[3, 2])],
            elements: 12,
        },
        Case {
            name: "Range",
            file: || {
                let inputs = ["start", "limit", "delta"].map(|name| port(name, DataType::FLOAT, ""));
                file(&inputs, vec![node("Range", &["start", "limit", "delta"], &["y"])], "a")
            },
            much: vec![
                (vec![], 0_f32.to_le_bytes().into()),
                (vec![], 4e12_f32.to_le_bytes().into()),
                (vec![], 1_f32.to_le_bytes().into()),
            ],
            little: vec![
                (vec![], 0_f32.to_le_bytes().into()),
                (vec![], 4_f32.to_le_bytes().into()),
                (vec![], 1_f32.to_le_bytes().into()),
            ],
            elements: 4,
        },
        Case {
            name: "Resize",
            file: || {
                let inputs = [port("x", DataType::FLOAT, "1 1 a b"), port("n", DataType::FLOAT, "4")];
                file(&inputs, vec![node("Resize", &["x", "", "n"], &["y"])], "1 1 c d")
            },
            much: vec![zeros(&[1, 1, 8, 8]), floats(&[1.0, 1.0, 262144.0, 262144.0])],
            little: vec![zeros(&[1, 1, 2, 2]), floats(&[1.0, 1.0, 2.0, 3.0])],
            elements: 24,
        },
        Case {
            name: "Resize to sizes",
            file: || {
                let inputs = [port("x", DataType::FLOAT, "1 1 a b"), port("n", DataType::INT64, "4")];
                file(&inputs, vec![node("Resize", &["x", "", "", "n"], &["y"])], "1 1 c d")
            },
            much: vec![zeros(&[1, 1, 8, 8]), ints(&[1, 1, MANY, MANY])],
            little: vec![zeros(&[1, 1, 2, 2]), ints(&[1, 1, 4, 5])],
            elements: 20,
        },
        Case {
            name: "Pad",
            file: || {
                let inputs = [port("x", DataType::FLOAT, "a b"), port("n", DataType::INT64, "4")];
                file(&inputs, vec![node("Pad", &["x", "n"], &["y"])], "c d")
            },
            much: vec![zeros(&[2, 2]), ints(&[0, MANY, MANY, 0])],
            little: vec![zeros(&[2, 2]), ints(&[0, 1, 1, 0])],
            elements: 9,
        },
        Case {
            name: "OneHot",
            file: || {
                let inputs =
                    [port("n", DataType::INT64, "a"), port("m", DataType::INT64, ""), port("x", DataType::FLOAT, "2")];
                file(&inputs, vec![node("OneHot", &["n", "m", "x"], &["y"])], "a b")
            },
            much: vec![ints(&[0; 1 << 13]), int(1 << 29), zeros(&[2])],
            little: vec![ints(&[0; 3]), int(4), zeros(&[2])],
            elements: 12,
        },
        Case {
            name: "Tile by a constant",
            file: || {
                let nodes = vec![node("Tile", &["x", "n"], &["y"])];
                file(&[port("x", DataType::FLOAT, "a")], nodes, "b").with_integers("n", &[1 << 20])
            },
            much: vec![zeros(&[1 << 20])],
            little: vec![zeros(&[1])],
            elements: 1 << 20,
        },
        Case {
            name: "Pad by a constant",
            file: || {
                let nodes = vec![node("Pad", &["x", "n"], &["y"])];
                file(&[port("x", DataType::FLOAT, "a b")], nodes, "c d").with_integers("n", &[0, 1 << 20, 0, 0])
            },
            much: vec![zeros(&[1 << 20, 1])],
            little: vec![zeros(&[1, 1])],
            elements: (1 << 20) + 1,
        },
        Case {
            name: "Resize by constants",
            file: || {
                let one = with_text(node("Resize", &["x", "", "n"], &["y"]), "mode", "linear");
                let scales = [1.0, 1.0, 1024.0, 1024.0];
                file(&[port("x", DataType::FLOAT, "1 1 a b")], vec![one], "1 1 c d").with_weights("n", &[4], &scales)
            },
            much: vec![zeros(&[1, 1, 1024, 1024])],
            little: vec![zeros(&[1, 1, 1, 1])],
            elements: 1 << 20,
        },
        Case {
            name: "Add of a column and a row",
            file: || {
                let inputs = [port("x", DataType::FLOAT, "a 1"), port("z", DataType::FLOAT, "1 b")];
                file(&inputs, vec![node("Add", &["x", "z"], &["y"])], "a b")
            },
            much: vec![zeros(&[MANY, 1]), zeros(&[1, MANY])],
            little: vec![zeros(&[2, 1]), zeros(&[1, 3])],
            elements: 6,
        },
        Case {
            name: "MatMul of a column and a row, summed up",
            file: || {
                let inputs = [port("x", DataType::FLOAT, "a 1"), port("z", DataType::FLOAT, "1 b")];
                let nodes = vec![node("MatMul", &["x", "z"], &["product"]), node("Relu", &["product"], &["y"])];
                file(&inputs, nodes, "a b")
            },
            much: vec![zeros(&[MANY, 1]), zeros(&[1, MANY])],
            little: vec![zeros(&[2, 1]), zeros(&[1, 3])],
            elements: 6,
        },
    ]
}

/// Sizes whose product 32 bits do not hold, in which `rten` infers sizes.
const FIXED: &str = "fixed sizes";

/// Files that repeat an input of fixed size by constants.
fn of_fixed_sizes() -> [File; 3] {
    let repeats = node("Constant", &[], &["n"]);
    let repeats = with_tensor(repeats, "value", &[1], (1_i64 << 20).to_le_bytes().to_vec());
    let image = || port("x", DataType::FLOAT, "1 1 1024 1024");
    let resize = with_text(node("Resize", &["x", "", "n"], &["y"]), "mode", "linear");
    let scales = [1.0, 1.0, 32768.0, 65536.0];
    [
        file(&[port("x", DataType::FLOAT, "1048576")], vec![repeats, node("Tile", &["x", "n"], &["y"])], "a"),
        file(&[image()], vec![resize], "1 1 a b").with_weights("n", &[4], &scales),
        file(&[image()], vec![node("Pad", &["x", "n"], &["y"])], "1 1 a b")
            .with_integers("n", &[0, 0, 0, 1 << 30, 0, 0, 0, 1 << 30]),
    ]
}

/// What follows from constants is calculated when a file is loaded.
const CONSTANTS: &str = "constants";

fn of_constants(operator: &str, inputs: &[&str]) -> File {
    // The lengths as they are in the file, and lengths that follow from them.
    let nodes = vec![
        node("Add", &["n", "n"], &["doubled"]),
        node(operator, inputs, &["large"]),
        node("Add", &["large", "x"], &["y"]),
    ];
    let mut file = file(&[port("x", DataType::FLOAT, "1 1")], nodes, "a b").with_weights("one", &[1, 1], &[1.0]);
    file = file.with_weights("unit", &[], &[1.0]).with_weights("many", &[], &[(MANY * MANY) as f32]);
    let lengths = [MANY, MANY].map(i64::to_le_bytes).concat();
    file.graph.initializer.push(TensorProto {
        dims: vec![2],
        data_type: Some(DataType::INT64),
        raw_data: Some(RefCell::new(lengths)),
        name: Some("n".into()),
        ..Default::default()
    });
    file
}

/// The case that the variable names, in a process of its own.
#[test]
#[ignore = "aborts where it fails"]
fn child() {
    let wanted = std::env::var("CASE").unwrap();
    if wanted == CONSTANTS {
        let cases = ["n", "doubled"].into_iter().flat_map(|lengths| {
            [("ConstantOfShape", vec![lengths]), ("Expand", vec!["one", lengths]), ("Tile", vec!["one", lengths])]
        });
        for (operator, inputs) in cases.chain([("Range", vec!["unit", "many", "unit"])]) {
            let failure = Model::parse(of_constants(operator, &inputs).bytes()).unwrap_err().to_string();
            let expected = format!("there is no memory for the output of the {operator} ({operator})");
            assert!(failure.ends_with(&expected), "{failure}");
        }
        // Neither list is too large by itself.
        let nodes = vec![
            node("ConstantOfShape", &["k"], &["long"]),
            node("Tile", &["long", "k"], &["large"]),
            node("Add", &["large", "x"], &["y"]),
        ];
        let file = file(&[port("x", DataType::FLOAT, "1")], nodes, "a").with_integers("k", &[1 << 20]);
        let failure = Model::parse(file.bytes()).unwrap_err().to_string();
        assert!(failure.ends_with("there is no memory for the output of the Tile (Tile)"), "{failure}");
        return;
    }
    if wanted == FIXED {
        for (file, dims) in
            of_fixed_sizes().into_iter().zip([vec![1 << 20], vec![1, 1, 1024, 1024], vec![1, 1, 1024, 1024]])
        {
            let model = Model::parse(file.bytes()).unwrap();
            let (dims, bytes) = zeros(&dims);
            let failure = model.run(&[Input { dims: &dims, bytes: &bytes }]).unwrap_err();
            assert!(matches!(failure, RunFailure::NoRoom { .. }), "{failure:?}");
        }
        return;
    }
    let case = cases().into_iter().find(|case| case.name == wanted).unwrap();
    let model = Model::parse((case.file)().bytes()).unwrap();
    let run = |given: &[Given]| {
        let inputs: Vec<_> = given.iter().map(|(dims, bytes)| Input { dims, bytes }).collect();
        model.run(&inputs)
    };
    let output = run(&case.little).unwrap().remove(0).to_bytes().unwrap();
    assert_eq!(output.len(), 4 * case.elements);
    let failure = run(&case.much).unwrap_err();
    println!("refused: {failure}");
    assert!(matches!(failure, RunFailure::NoRoom { .. }), "{failure:?}");
}

#[test]
fn a_run_that_asks_for_more_memory_than_there_is_fails_and_does_not_end_the_process() {
    let mut wrong = Vec::new();
    for case in cases().iter().map(|case| case.name).chain([CONSTANTS, FIXED]) {
        // What takes memory bit by bit ends early, and not when the machine has none left.
        let mut child = Command::new("sh");
        child.args(["-c", "ulimit -v 8000000; exec \"$@\"", "sh"]).arg(std::env::current_exe().unwrap());
        child.args(["--exact", "model::tests::ceiling::child", "--ignored", "--nocapture"]);
        let output = child.env("CASE", case).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        if !output.status.success() || !said.contains("test result: ok. 1 passed") {
            let said = said.lines().filter(|line| !line.starts_with(' ')).collect::<Vec<_>>().join(" / ");
            wrong.push(format!("{}: {} {said}", case, output.status));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
