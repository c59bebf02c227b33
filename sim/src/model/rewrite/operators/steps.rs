//! Recurrent networks, written out: a turn of a loop for each step of time.

use super::suppression::{graph, looped};
use super::{activations, shape, size_of};
use crate::model::rewrite::Refusal;
use crate::model::rewrite::attributes::{Attributes, Value};
use crate::model::rewrite::scope::Scope;
use rten_onnx::onnx::{DataType, GraphProto, NodeProto};

/// A function of a gate, with what it is set by.
#[derive(PartialEq)]
pub(super) struct Function {
    name: String,
    alpha: f32,
    beta: f32,
}

impl Function {
    /// The function of this name in small letters; `None` if there is none, or not all that it is set by.
    pub(super) fn new(
        name: &str,
        alphas: &mut impl Iterator<Item = f32>,
        betas: &mut impl Iterator<Item = f32>,
    ) -> Option<Self> {
        let (alpha, beta) = match name {
            "sigmoid" | "tanh" | "relu" | "softsign" | "softplus" => (0.0, 0.0),
            "leakyrelu" => (alphas.next().unwrap_or(0.01), 0.0),
            "elu" | "thresholdedrelu" => (alphas.next().unwrap_or(1.0), 0.0),
            "hardsigmoid" => (alphas.next().unwrap_or(0.2), betas.next().unwrap_or(0.5)),
            "affine" | "scaledtanh" => (alphas.next()?, betas.next()?),
            _ => return None,
        };
        Some(Self { name: name.to_string(), alpha, beta })
    }

    pub(super) fn are(all: &[Self], names: &[&str]) -> bool {
        all.iter().map(|one| one.name.as_str()).eq(names.iter().copied())
    }

    fn of(&self, scope: &mut Scope<'_>, value: &str) -> String {
        let (alpha, beta) = (("alpha", Value::F(self.alpha)), ("beta", Value::F(self.beta)));
        let zero = scope.float(0.0);
        match self.name.as_str() {
            "sigmoid" => scope.make("Sigmoid", &[value], &[]),
            "tanh" => scope.make("Tanh", &[value], &[]),
            "relu" => scope.make("Max", &[value, &zero], &[]),
            "softsign" => scope.make("Softsign", &[value], &[]),
            "softplus" => {
                let [above, rest] = activations::softplus(scope, value);
                scope.make("Add", &[&above, &rest], &[])
            }
            "leakyrelu" => scope.make("LeakyRelu", &[value], &[alpha]),
            "elu" => scope.make("Elu", &[value], &[alpha]),
            "hardsigmoid" => scope.make("HardSigmoid", &[value], &[alpha, beta]),
            "thresholdedrelu" => {
                let bound = scope.float(self.alpha);
                let above = scope.make("Greater", &[value, &bound], &[]);
                scope.make("Where", &[&above, value, &zero], &[])
            }
            name => {
                let (alpha, beta) = (scope.float(self.alpha), scope.float(self.beta));
                match name {
                    "scaledtanh" => {
                        let scaled = scope.make("Mul", &[value, &beta], &[]);
                        let bent = scope.make("Tanh", &[&scaled], &[]);
                        scope.make("Mul", &[&bent, &alpha], &[])
                    }
                    _ => {
                        let scaled = scope.make("Mul", &[value, &alpha], &[]);
                        scope.make("Add", &[&scaled, &beta], &[])
                    }
                }
            }
        }
    }
}

/// What the turns of one direction use from outside.
struct Cell<'a> {
    node: &'a NodeProto,
    functions: &'a [Function],
    /// By step, batch and gate: what the inputs and the biases add.
    inputs: String,
    /// By hidden value and gate.
    weights: String,
    /// Added to the product of hidden values and weights, where it is not in `inputs`.
    bias: Option<String>,
    /// The weights of the last gate of a GRU, which are multiplied apart.
    last: Option<String>,
    /// By gate: what a value of the cell adds to it.
    peepholes: Option<[String; 3]>,
    lengths: Option<&'a str>,
    yes: String,
}

pub(super) fn by_steps(
    scope: &mut Scope<'_>,
    node: &NodeProto,
    directions: &[bool],
    functions: &[Function],
) -> Result<(), Refusal> {
    super::normalizations::plain_floats(scope, node.given(0))?;
    let hidden = scope.dims(node.given(2)).and_then(|dims| dims.get(2).copied().flatten());
    let hidden = node.attribute("hidden_size").and_then(|size| size.i).or(hidden);
    let Some(hidden) = hidden.filter(|size| (1..1 << 20).contains(size)) else {
        return Err(Refusal::because("its attribute `hidden_size` is left out, and the shape of `R` is not known"));
    };
    let batch_first = node.int("layout", 0) != 0;
    let x = match batch_first {
        true => scope.make("Transpose", &[node.given(0)], &[("perm", Value::Is(&[1, 0, 2]))]),
        false => node.given(0).to_string(),
    };
    let mut results = [Vec::new(), Vec::new(), Vec::new()];
    let each = functions.len() / directions.len().max(1);
    for ((index, &reverse), own) in (0..).zip(directions).zip(functions.chunks(each.max(1))) {
        let found = direction(scope, node, &x, (index, reverse, hidden), own);
        for (all, (value, axis)) in results.iter_mut().zip(found.into_iter().zip([1, 0, 0])) {
            let axis = scope.list(&[axis]);
            all.push(scope.make("Unsqueeze", &[&value, &axis], &[]));
        }
    }
    let orders: [&[i64]; 3] = [&[2, 0, 1, 3], &[1, 0, 2], &[1, 0, 2]];
    for (((name, all), axis), order) in node.output.iter().zip(&results).zip([1, 0, 0]).zip(orders) {
        if name.is_empty() || all.is_empty() {
            continue;
        }
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let joined = scope.make("Concat", &all, &[("axis", Value::I(axis))]);
        match batch_first {
            true => scope.make_as("Transpose", &[&joined], &[("perm", Value::Is(order))], &[name]),
            false => scope.make_as("Identity", &[&joined], &[], &[name]),
        }
    }
    Ok(())
}

/// All values of one direction, the last hidden values, and the last values of the cell if there are such.
fn direction(
    scope: &mut Scope<'_>,
    node: &NodeProto,
    x: &str,
    (index, reverse, hidden): (i32, bool, i64),
    functions: &[Function],
) -> Vec<String> {
    let lengths = Some(node.given(4)).filter(|name| !name.is_empty());
    let place = scope.integer(index, DataType::INT64);
    let own = |scope: &mut Scope<'_>, name: &str| scope.make("Gather", &[name, &place], &[("axis", Value::I(0))]);
    let x = if reverse { reversed(scope, x, lengths) } else { x.to_string() };
    let (weights, recurrent) = (own(scope, node.given(1)), own(scope, node.given(2)));
    let (weights, mut recurrent) =
        (scope.make("Transpose", &[&weights], &[]), scope.make("Transpose", &[&recurrent], &[]));
    let mut inputs = scope.make("MatMul", &[&x, &weights], &[]);
    let (is_gru, inside) = (node.operator() == "GRU", node.int("linear_before_reset", 0) != 0);
    let mut bias = None;
    if node.has(3) {
        let all = own(scope, node.given(3));
        let [first, second] = halves(scope, &all);
        inputs = scope.make("Add", &[&inputs, &first], &[]);
        match is_gru && inside {
            true => bias = Some(second),
            false => inputs = scope.make("Add", &[&inputs, &second], &[]),
        }
    }
    let mut last = None;
    if is_gru && !inside {
        let [before, behind] = cut(scope, &recurrent, &[2 * hidden, hidden]);
        (recurrent, last) = (before, Some(behind));
    }
    let peepholes = node.has(7).then(|| {
        let all = own(scope, node.given(7));
        cut(scope, &all, &[hidden; 3])
    });
    let yes = scope.integer(1, DataType::BOOL);
    let cell = Cell { node, functions, inputs, weights: recurrent, bias, last, peepholes, lengths, yes };
    let mut starts = vec![start(scope, node, (5, index, hidden), &x)];
    if node.operator() == "LSTM" {
        starts.push(start(scope, node, (6, index, hidden), &x));
    }
    let body = step(scope, &cell, starts.len());
    let (count, none) = (size_of(scope, &x, 0), scope.list(&[]));
    let count = scope.make("Reshape", &[&count, &none], &[]);
    let mut results: Vec<String> = (0..=starts.len()).map(|_| scope.fresh()).collect();
    let mut given = vec![count.as_str(), &cell.yes];
    given.extend(starts.iter().map(String::as_str));
    looped(scope, &given, body, &results);
    let all = results.pop().unwrap_or_default();
    results.insert(0, if reverse { reversed(scope, &all, lengths) } else { all });
    results
}

/// The steps from the last to the first; of a shorter sequence, those that it has.
fn reversed(scope: &mut Scope<'_>, x: &str, lengths: Option<&str>) -> String {
    if let Some(lengths) = lengths {
        let axes = [("batch_axis", Value::I(1)), ("time_axis", Value::I(0))];
        return scope.make("ReverseSequence", &[x, lengths], &axes);
    }
    let (from, to) = (scope.list(&[-1]), scope.list(&[i32::MIN.into()]));
    let (axes, step) = (scope.list(&[0]), scope.list(&[-1]));
    scope.make("Slice", &[x, &from, &to, &axes, &step], &[])
}

/// The values before the first step: those given, or zero.
fn start(scope: &mut Scope<'_>, node: &NodeProto, (input, index, hidden): (usize, i32, i64), x: &str) -> String {
    if node.has(input) {
        let (place, axis) = (scope.integer(index, DataType::INT64), node.int("layout", 0));
        return scope.make("Gather", &[node.given(input), &place], &[("axis", Value::I(axis))]);
    }
    let (batch, hidden, zero) = (size_of(scope, x, 1), scope.list(&[hidden]), scope.float(0.0));
    let sizes = scope.make("Concat", &[&batch, &hidden], &[("axis", Value::I(0))]);
    scope.make("Expand", &[&zero, &sizes], &[])
}

fn cut<const N: usize>(scope: &mut Scope<'_>, value: &str, sizes: &[i64]) -> [String; N] {
    let (parts, sizes) = ([(); N].map(|()| scope.fresh()), scope.list(sizes));
    scope.make_as("Split", &[value, &sizes], &[("axis", Value::I(-1))], &parts.each_ref().map(String::as_str));
    parts
}

fn halves(scope: &mut Scope<'_>, value: &str) -> [String; 2] {
    let (sizes, two, zero) = (shape(scope, value), scope.list(&[2]), scope.list(&[0]));
    let middle = scope.make("Div", &[&sizes, &two], &[]);
    let first = scope.make("Slice", &[value, &zero, &middle], &[]);
    [first, scope.make("Slice", &[value, &middle, &sizes], &[])]
}

/// `turn, go, hidden (, cell) -> go, hidden (, cell), output`: one step.
fn step(outer: &Scope<'_>, cell: &Cell<'_>, states: usize) -> GraphProto {
    let mut scope = Scope::new(outer.shared, None);
    scope.label.clone_from(&outer.label);
    let [turn, go] = [(); 2].map(|()| scope.fresh());
    let before: Vec<String> = (0..states).map(|_| scope.fresh()).collect();
    let now = scope.make("Gather", &[&cell.inputs, &turn], &[("axis", Value::I(0))]);
    let hidden = before.first().map_or("", String::as_str);
    let mut after = match (cell.node.operator(), before.get(1)) {
        ("LSTM", Some(memory)) => long_short(&mut scope, cell, &now, hidden, memory),
        ("GRU", _) => vec![gated(&mut scope, cell, &now, hidden)],
        _ => {
            let more = scope.make("MatMul", &[hidden, &cell.weights], &[]);
            let sum = scope.make("Add", &[&now, &more], &[]);
            vec![bent(&mut scope, cell, 0, &sum)]
        }
    };
    let mut output = after.first().cloned().unwrap_or_default();
    if let Some(lengths) = cell.lengths {
        // A sequence that is at its end keeps its values, and gives zero.
        let (last, zero) = (scope.list(&[-1]), scope.float(0.0));
        let within = scope.make("Less", &[&turn, lengths], &[]);
        let within = scope.make("Unsqueeze", &[&within, &last], &[]);
        output = scope.make("Where", &[&within, &output, &zero], &[]);
        for (value, old) in after.iter_mut().zip(&before) {
            *value = scope.make("Where", &[&within, value, old], &[]);
        }
    }
    let stay = scope.make("Identity", &[&cell.yes], &[]);
    let inputs: Vec<&str> = [&turn, &go].into_iter().chain(&before).map(String::as_str).collect();
    let output = scope.make("Identity", &[&output], &[]);
    let outputs: Vec<&str> = [&stay].into_iter().chain(&after).chain([&output]).map(String::as_str).collect();
    graph(scope, &inputs, &outputs)
}

/// A function of a gate on its sum, which is clipped before. What the cell shows is not clipped, as in onnxruntime.
fn bent(scope: &mut Scope<'_>, cell: &Cell<'_>, function: usize, sum: &str) -> String {
    let most = if function == 2 { 0.0 } else { cell.node.float("clip", 0.0) };
    let mut sum = sum.to_string();
    if most != 0.0 {
        let (low, high) = (scope.float(-most), scope.float(most));
        let above = scope.make("Max", &[&sum, &low], &[]);
        sum = scope.make("Min", &[&above, &high], &[]);
    }
    cell.functions.get(function).map_or_else(|| sum.clone(), |function| function.of(scope, &sum))
}

/// The gates are those of input, output, forgetting, and the new values.
fn long_short(scope: &mut Scope<'_>, cell: &Cell<'_>, now: &str, hidden: &str, memory: &str) -> Vec<String> {
    let more = scope.make("MatMul", &[hidden, &cell.weights], &[]);
    let sum = scope.make("Add", &[now, &more], &[]);
    let parts = [(); 4].map(|()| scope.fresh());
    scope.make_as("Split", &[&sum], &[("axis", Value::I(-1))], &parts.each_ref().map(String::as_str));
    let [mut input, mut output, mut forget, fresh] = parts;
    let peep = |scope: &mut Scope<'_>, gate: &str, which: usize, memory: &str| {
        let Some(weights) = cell.peepholes.as_ref().and_then(|all| all.get(which)) else { return gate.to_string() };
        let seen = scope.make("Mul", &[memory, weights], &[]);
        scope.make("Add", &[gate, &seen], &[])
    };
    input = peep(scope, &input, 0, memory);
    input = bent(scope, cell, 0, &input);
    if cell.node.int("input_forget", 0) != 0 {
        let one = scope.float(1.0);
        forget = scope.make("Sub", &[&one, &input], &[]);
    } else {
        forget = peep(scope, &forget, 2, memory);
        forget = bent(scope, cell, 0, &forget);
    }
    let fresh = bent(scope, cell, 1, &fresh);
    let (kept, added) = (scope.make("Mul", &[&forget, memory], &[]), scope.make("Mul", &[&input, &fresh], &[]));
    let memory = scope.make("Add", &[&kept, &added], &[]);
    output = peep(scope, &output, 1, &memory);
    output = bent(scope, cell, 0, &output);
    let shown = bent(scope, cell, 2, &memory);
    vec![scope.make("Mul", &[&output, &shown], &[]), memory]
}

/// The gates are those of update and reset, and the new values.
fn gated(scope: &mut Scope<'_>, cell: &Cell<'_>, now: &str, hidden: &str) -> String {
    let [update, reset, fresh] = [(); 3].map(|()| scope.fresh());
    scope.make_as("Split", &[now], &[("axis", Value::I(-1))], &[&update, &reset, &fresh]);
    let mut more = scope.make("MatMul", &[hidden, &cell.weights], &[]);
    if let Some(bias) = &cell.bias {
        more = scope.make("Add", &[&more, bias], &[]);
    }
    let parts = [(); 3].map(|()| scope.fresh());
    let count = if cell.last.is_some() { 2 } else { 3 };
    let names: Vec<&str> = parts.iter().take(count).map(String::as_str).collect();
    scope.make_as("Split", &[&more], &[("axis", Value::I(-1))], &names);
    let [more_update, more_reset, mut more_fresh] = parts;
    let sum = scope.make("Add", &[&update, &more_update], &[]);
    let update = bent(scope, cell, 0, &sum);
    let sum = scope.make("Add", &[&reset, &more_reset], &[]);
    let reset = bent(scope, cell, 0, &sum);
    more_fresh = match &cell.last {
        Some(weights) => {
            let left = scope.make("Mul", &[&reset, hidden], &[]);
            scope.make("MatMul", &[&left, weights], &[])
        }
        None => scope.make("Mul", &[&reset, &more_fresh], &[]),
    };
    let sum = scope.make("Add", &[&fresh, &more_fresh], &[]);
    let (fresh, one) = (bent(scope, cell, 1, &sum), scope.float(1.0));
    let rest = scope.make("Sub", &[&one, &update], &[]);
    let (new, old) = (scope.make("Mul", &[&rest, &fresh], &[]), scope.make("Mul", &[&update, hidden], &[]));
    scope.make("Add", &[&new, &old], &[])
}
