//! The models that calculate the operators, each made once.

use super::catalogue::Operator;
use super::operand::Operand;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::model::{Element, LoadFailure, Model, Setting, Sketch};
use ascendcl_sys::error_codes::ACL_ERROR_OP_LOAD_FAILED;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The key of a cached model. The sizes of the axes are not part of it.
type Key = (Operator, Vec<(Element, usize)>);

static MODELS: Mutex<Option<HashMap<Key, Arc<Model>>>> = Mutex::new(None);

/// The model that calculates an operator.
pub(super) fn model(operator: Operator, inputs: &[Operand], output: &Operand) -> Answer<Arc<Model>> {
    let key = (operator, inputs.iter().map(|input| (input.element, input.dims.len())).collect::<Vec<_>>());
    if let Some(model) = lock(&MODELS).as_ref().and_then(|models| models.get(&key).cloned()) {
        return Ok(model);
    }
    let made = make(operator, &key.1, output)
        .map_err(|failure| Failure::new(ACL_ERROR_OP_LOAD_FAILED, failure.to_string()))?;
    let made = Arc::new(made);
    // When two threads make it at the same time, each keeps its own.
    lock(&MODELS).get_or_insert_default().insert(key, Arc::clone(&made));
    Ok(made)
}

fn make(operator: Operator, inputs: &[(Element, usize)], output: &Operand) -> Result<Model, LoadFailure> {
    const NAMES: [&str; 5] = ["x1", "x2", "x3", "x4", "x5"];
    const PAIR: [&str; 2] = ["x1", "x2"];
    let mut sketch = Sketch::default();
    for (name, (element, rank)) in NAMES.into_iter().zip(inputs) {
        sketch.input(name, *element, *rank);
    }
    match operator {
        Operator::Add => sketch.node("Add", &PAIR, "y", &[]),
        Operator::Sub => sketch.node("Sub", &PAIR, "y", &[]),
        Operator::Mul => sketch.node("Mul", &PAIR, "y", &[]),
        Operator::Div => sketch.node("Div", &PAIR, "y", &[]),
        Operator::MatMul(transposed) | Operator::BatchMatMul(transposed) => {
            let factors = flip(&mut sketch, PAIR, transposed, inputs);
            multiply(&mut sketch, factors, output.element, "y");
        }
        Operator::Gemm(transposed) => {
            let mut factors = PAIR;
            for ((factor, wide), (element, _)) in factors.iter_mut().zip(["x1.wide", "x2.wide"]).zip(inputs) {
                if *element != output.element {
                    sketch.node("Cast", &[factor], wide, &[("to", Setting::element(output.element))]);
                    *factor = wide;
                }
            }
            let factors = flip(&mut sketch, factors, transposed, inputs);
            multiply(&mut sketch, factors, output.element, "product");
            sketch.node("Mul", &["product", "x4"], "scaled", &[]);
            sketch.node("Mul", &["x3", "x5"], "before", &[]);
            sketch.node("Add", &["scaled", "before"], "y", &[]);
        }
        Operator::Cast(target) => sketch.node("Cast", &["x1"], "y", &[("to", Setting::element(target))]),
        // `rten` has Relu on floats only.
        Operator::Relu if output.element == Element::I32 => {
            sketch.zero("zero", Element::I32);
            sketch.node("Max", &["x1", "zero"], "y", &[]);
        }
        Operator::Relu => sketch.node("Relu", &["x1"], "y", &[]),
        Operator::Softmax(axis) => {
            let axis = i64::try_from(axis).unwrap_or(i64::MAX);
            sketch.node("Softmax", &["x1"], "y", &[("axis", Setting::Int(axis))]);
        }
    }
    sketch.finish("y", output.element, output.dims.len())
}

/// The factors as they are multiplied.
fn flip<'a>(
    sketch: &mut Sketch,
    mut factors: [&'a str; 2],
    transposed: [bool; 2],
    inputs: &[(Element, usize)],
) -> [&'a str; 2] {
    let sides = factors.iter_mut().zip(["x1.transposed", "x2.transposed"]).zip(transposed).zip(inputs);
    for (((factor, flipped), transposed), (_, rank)) in sides {
        if transposed {
            sketch.node("Transpose", &[factor], flipped, &[("perm", Setting::Ints(last_two_swapped(*rank)))]);
            *factor = flipped;
        }
    }
    factors
}

/// The matrix product. `rten` has it on floats only; on integers, each row is multiplied with each column and summed up.
fn multiply(sketch: &mut Sketch, factors: [&str; 2], element: Element, product: &str) {
    let [rows, columns] = factors;
    if element != Element::I32 {
        return sketch.node("MatMul", &factors, product, &[]);
    }
    // [m, k, 1] times [1, k, n] is [m, k, n], whose middle axis is the one to sum over.
    sketch.integers("last", &[-1]);
    sketch.integers("third last", &[-3]);
    sketch.integers("second last", &[-2]);
    sketch.node("Unsqueeze", &[rows, "last"], "rows", &[]);
    sketch.node("Unsqueeze", &[columns, "third last"], "columns", &[]);
    sketch.node("Mul", &["rows", "columns"], "products", &[]);
    sketch.node("ReduceSum", &["products", "second last"], product, &[("keepdims", Setting::Int(0))]);
}

fn last_two_swapped(rank: usize) -> Vec<i64> {
    let mut axes: Vec<i64> = (0..).take(rank).collect();
    if let [.., a, b] = axes.as_mut_slice() {
        std::mem::swap(a, b);
    }
    axes
}
