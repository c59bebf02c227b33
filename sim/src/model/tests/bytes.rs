//! Products of integers of 8 bits: exact on any processor. The engine adds two of them in 16 bits where the processor has
//! no better instruction.

use super::files::{File, node, port, shapeless};
use crate::model::{Input, Model};
use rten_onnx::onnx::DataType;

const I8: DataType = DataType::INT8;
const U8: DataType = DataType::UINT8;
/// Of both factors.
const LENGTH: usize = 6;

/// A factor: its type, its elements, its zero point.
#[derive(Clone, Copy, Debug)]
struct Factor {
    kind: DataType,
    value: i32,
    point: Option<i32>,
}

fn factors() -> Vec<Factor> {
    let all = |kind: DataType, values: [i32; 4], points: [Option<i32>; 3]| {
        values.into_iter().flat_map(move |value| points.map(|point| Factor { kind, value, point }))
    };
    let signed = all(I8, [127, -128, 3, -1], [None, Some(-128), Some(100)]);
    signed.chain(all(U8, [255, 0, 128, 127], [None, Some(255), Some(3)])).collect()
}

fn bytes(values: impl IntoIterator<Item = i32>) -> Vec<u8> {
    values.into_iter().map(|value| value.to_le_bytes()[0]).collect()
}

/// Two rows of the first factor times two columns, or two filters, of the second.
fn products(operator: &str, a: Factor, b: Factor, of_b: [i32; LENGTH]) -> Vec<i32> {
    let (dims_of_a, dims_of_b): (&[i64], &[i64]) = match operator {
        "MatMulInteger" => (&[2, 6], &[6, 2]),
        _ => (&[1, 1, 2, 6], &[2, 1, 1, 6]),
    };
    let text = |dims: &[i64]| dims.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
    let twice = match operator {
        "MatMulInteger" => of_b.into_iter().flat_map(|value| [value; 2]).collect::<Vec<_>>(),
        _ => of_b.repeat(2),
    };
    let all = [
        ("a", a.kind, dims_of_a, bytes(vec![a.value; 2 * LENGTH])),
        ("b", b.kind, dims_of_b, bytes(twice)),
        ("p", a.kind, &[], bytes(a.point)),
        ("q", b.kind, &[], bytes(b.point)),
    ];
    let given: Vec<_> = all.iter().filter(|(.., bytes)| !bytes.is_empty()).collect();
    let ports: Vec<_> = given.iter().map(|(name, kind, dims, _)| port(name, *kind, &text(dims))).collect();
    let names = all.each_ref().map(|(name, .., bytes)| if bytes.is_empty() { "" } else { *name });
    let file = File::new(&ports, &[shapeless("y", DataType::INT32)], vec![node(operator, &names, &["y"])]);
    let inputs: Vec<_> = given.iter().map(|(.., dims, bytes)| Input { dims, bytes }).collect();
    let outputs = Model::parse(file.bytes()).unwrap().run(&inputs).unwrap();
    let bytes = outputs[0].to_bytes().unwrap();
    bytes.as_chunks().0.iter().map(|chunk| i32::from_le_bytes(*chunk)).collect()
}

#[test]
fn products_of_bytes_are_exact_whatever_the_processor() {
    for operator in ["MatMulInteger", "ConvInteger"] {
        for (a, b) in factors().into_iter().flat_map(|a| factors().into_iter().map(move |b| (a, b))) {
            let of_b = [b.value, b.value, b.value, 0, b.value, b.value];
            let less = |value: i32, factor: Factor| value - factor.point.unwrap_or(0);
            let sum: i32 = of_b.iter().map(|value| less(a.value, a) * less(*value, b)).sum();
            assert_eq!(products(operator, a, b, of_b), [sum; 4], "{operator}: {a:?} {b:?}");
        }
    }
}
