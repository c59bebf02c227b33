//! Numbers that the engine calculates in other types than the file declares.
//!
//! The engine has `f32`, `i32`, `i8` and `u8`. Integers of 16 bits are calculated in 32 and wrapped; what has more than 32
//! bits is calculated in 32, and a run fails where a result would not fit. Numbers of 64 bits with a fraction are handed
//! on while `f32` holds them exactly, and nothing is calculated with them.

use super::attributes::{Attributes, Value};
use super::scope::{Scope, is_carried, is_float, range};
use super::{Refusal, refuse};
use rten_onnx::onnx::{DataType, NodeProto};

/// Integers of a size that all of `i32` and, within the rounding of `f32`, a check of it can tell.
const MOST: f32 = 2_147_482_624.0;
/// The bound for sums and products of many values, whose check rounds more often.
const MOST_OF_MANY: f32 = 2_013_265_920.0;
/// Up to here `f32` has every integer.
const EXACT: i32 = 1 << 24;

/// Adds a node that the engine has, around which numbers are taken care of.
pub(super) fn keep(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    large_constants(scope, &node)?;
    doubles(scope, &node)?;
    if matches!(node.operator(), "ReduceMax" | "ReduceMin") && !scope.element(node.given(0)).is_some_and(is_float) {
        return extremes(scope, node);
    }
    plain(scope, node)
}

fn plain(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let (inputs, outputs) = elements(scope, &node);
    if widens(node.operator()) && inputs.iter().chain(&outputs).any(|element| is_narrow(*element)) {
        return widened(scope, &node);
    }
    watch(scope, &node, &inputs, &outputs);
    let name = node.operator().to_string();
    let results: Vec<String> = node.output.clone();
    let adds =
        matches!(node.text("reduction"), "add" | "mul") && matches!(name.as_str(), "ScatterElements" | "ScatterND");
    let short = outputs.first().copied().flatten().filter(|element| is_short(*element));
    let wraps = short.filter(|_| adds || calculates(&name));
    let mut node = node;
    match (wraps, results.first()) {
        (Some(element), Some(result)) => {
            let wide = scope.fresh();
            if let Some(first) = node.output.first_mut() {
                first.clone_from(&wide);
            }
            scope.push(node);
            let wrapped = wrap(scope, &wide, element);
            scope.make_as("Identity", &[&wrapped], &[], &[result]);
            scope.know(result, super::scope::Known { element: Some(element), ..Default::default() });
        }
        _ => scope.push(node),
    }
    Ok(())
}

type Elements = Vec<Option<DataType>>;

fn elements(scope: &Scope<'_>, node: &NodeProto) -> (Elements, Elements) {
    let inputs = node.input.iter().map(|name| scope.element(name)).collect();
    let mut probe = Scope::new(scope.shared, Some(scope));
    super::infer::outputs(&mut probe, node);
    (inputs, node.output.iter().map(|name| probe.element(name)).collect())
}

fn is_narrow(element: Option<DataType>) -> bool {
    matches!(element, Some(DataType::INT8 | DataType::UINT8))
}

fn is_short(element: DataType) -> bool {
    matches!(element, DataType::INT16 | DataType::UINT16)
}

fn is_wide(element: Option<DataType>) -> bool {
    matches!(element, Some(DataType::INT64 | DataType::UINT32 | DataType::UINT64))
}

/// Operators whose integer results may be beyond their operands.
fn calculates(operator: &str) -> bool {
    matches!(operator, "Add" | "Sub" | "Mul" | "Pow" | "Neg" | "Abs" | "Sum" | "CumSum" | "ReduceSum" | "ReduceProd")
        || matches!(
            operator,
            "ReduceL1" | "ReduceL2" | "ReduceSumSquare" | "Div" | "Mean" | "MatMul" | "Gemm" | "Einsum"
        )
}

/// Operators that the engine has on `f32` and `i32` only, and that the standard has on integers of 8 bits, too.
fn widens(operator: &str) -> bool {
    calculates(operator)
        || operator.starts_with("Reduce")
        || matches!(operator, "Mod" | "Max" | "Min" | "Clip" | "Equal" | "Greater" | "GreaterOrEqual" | "Less")
        || matches!(operator, "LessOrEqual" | "Where" | "Sign" | "ArgMax" | "ArgMin" | "TopK" | "NonZero" | "OneHot")
        || matches!(operator, "Range" | "ScatterElements" | "ScatterND" | "Trilu" | "EyeLike" | "Relu" | "Concat")
}

/// The greatest or least of no elements at all is the end of the range of the type, not that of 32 bits.
fn extremes(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    let Some(element) = scope.element(node.given(0)) else { return plain(scope, node) };
    let name = node.output.first().cloned().unwrap_or_default();
    let found = scope.fresh();
    let input =
        if is_narrow(Some(element)) { scope.cast(node.given(0), DataType::INT32) } else { node.given(0).to_string() };
    if is_wide(Some(element)) {
        let (count, zero) = (scope.make("Size", &[&input], &[]), scope.integer(0, DataType::INT32));
        let bad = scope.make("Equal", &[&count, &zero], &[]);
        scope.check(bad, format!("{}: the answer for no elements at all is one of more than 32 bits", node.operator()));
    }
    if let (Some(first), Some(result)) = (node.input.first_mut(), node.output.first_mut()) {
        *first = input;
        result.clone_from(&found);
    }
    scope.push(node);
    let (low, high) = if element == DataType::BOOL { (0, 1) } else { range(element).unwrap_or((i32::MIN, i32::MAX)) };
    let (low, high) = (scope.integer(low, DataType::INT32), scope.integer(high, DataType::INT32));
    let kept = scope.make("Clip", &[&found, &low, &high], &[]);
    match is_narrow(Some(element)) {
        true => scope.make_as("Cast", &[&kept], &[("to", Value::I(element.0.into()))], &[&name]),
        false => scope.make_as("Identity", &[&kept], &[], &[&name]),
    }
    scope.know(&name, super::scope::Known { element: Some(element), ..Default::default() });
    Ok(())
}

/// The node on integers of 32 bits, and its results in their own type again.
fn widened(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let (_, outputs) = elements(scope, node);
    let mut wide = node.clone();
    for name in &mut wide.input {
        if is_narrow(scope.element(name)) {
            *name = scope.cast(name, DataType::INT32);
        }
    }
    for (name, element) in wide.output.iter_mut().zip(&outputs) {
        if is_narrow(*element) {
            *name = scope.fresh();
        }
    }
    let results = wide.output.clone();
    keep(scope, wide)?;
    for ((result, name), element) in results.iter().zip(&node.output).zip(&outputs) {
        if let Some(element) = element.filter(|_| result != name) {
            // A cast of the engine keeps the lowest eight bits, as the standard's overflow does.
            scope.make_as("Cast", &[result], &[("to", Value::I(element.0.into()))], &[name]);
        }
    }
    Ok(())
}

/// Brings a value of 32 bits into the range of an integer of 16, as an overflow of it would.
pub(super) fn wrap(scope: &mut Scope<'_>, value: &str, element: DataType) -> String {
    let low = if element == DataType::INT16 { 32768 } else { 0 };
    let low = scope.integer(low, DataType::INT32);
    let all = scope.integer(65536, DataType::INT32);
    let moved = scope.make("Add", &[value, &low], &[]);
    let within = scope.make("Mod", &[&moved, &all], &[]);
    scope.make("Sub", &[&within, &low], &[])
}

/// Lets the run fail where an integer of more than 32 bits would not fit into 32.
fn watch(scope: &mut Scope<'_>, node: &NodeProto, inputs: &[Option<DataType>], outputs: &[Option<DataType>]) {
    let Some((name, element)) = node.output.first().zip(outputs.first().copied().flatten()) else { return };
    let operator = node.operator();
    let adds = matches!(node.text("reduction"), "add" | "mul");
    let scatters = matches!(operator, "ScatterElements" | "ScatterND") && adds;
    if !is_wide(Some(element)) || !(scatters || (calculates(operator) && operator != "Div")) {
        return;
    }
    // What a few small constants come to is small, except by operators that multiply more than two of them.
    let stays_small =
        matches!(operator, "Add" | "Sub" | "Mul" | "Neg" | "Abs" | "ReduceSum" | "ReduceL1" | "CumSum") && !scatters;
    if stays_small
        && node
            .input
            .iter()
            .all(|input| scope.integers(input).is_some_and(|all| all.iter().all(|v| v.unsigned_abs() < 1 << 15)))
    {
        return;
    }
    let many = scatters || !matches!(operator, "Add" | "Sub" | "Mul" | "Neg" | "Abs");
    let mut twin = node.clone();
    twin.output = vec![scope.fresh()];
    for (index, (name, element)) in twin.input.iter_mut().zip(inputs).enumerate() {
        let is_number = element.is_some_and(|element| !is_float(element));
        let is_data = !scatters && !(index > 0 && (operator.starts_with("Reduce") || operator == "CumSum"));
        if is_number && (is_data || (scatters && index != 1)) && !name.is_empty() {
            let cast = scope.make("Cast", &[name], &[("to", Value::I(DataType::FLOAT.0.into()))]);
            // The sum of sizes is a bound of every partial sum.
            let sums = matches!(operator, "ReduceSum" | "CumSum" | "Sum");
            *name = if sums { scope.make("Abs", &[&cast], &[]) } else { cast };
        }
    }
    let result = twin.output.first().cloned().unwrap_or_default();
    scope.push(twin);
    let lowest = if element == DataType::INT64 { None } else { Some(0.0) };
    let text = format!(
        "{operator}: `{name}` has a value that {} bits do not hold, and the simulator calculates {element} in them",
        if lowest.is_some() { "31" } else { "32" }
    );
    check_range(scope, &result, lowest, if many { MOST_OF_MANY } else { MOST }, text);
}

/// Lets the run fail where a value of `f32` is beyond `most`, below `lowest` or no number.
fn check_range(scope: &mut Scope<'_>, value: &str, lowest: Option<f32>, most: f32, text: String) {
    let (low, high) = (scope.float(lowest.unwrap_or(-most)), scope.float(most));
    let above = scope.make("GreaterOrEqual", &[value, &low], &[]);
    let below = scope.make("LessOrEqual", &[value, &high], &[]);
    let fits = scope.make("And", &[&above, &below], &[]);
    let bad = scope.make("Not", &[&fits], &[]);
    scope.check(bad, text);
}

/// A cast between the types of the file.
pub(super) fn cast(scope: &mut Scope<'_>, input: &str, to: DataType, output: &str) -> Result<(), Refusal> {
    let from = scope.element(input);
    let as_is = |to: DataType| [("to", Value::I(to.0.into()))];
    let to_engine = if is_carried(to) { DataType::INT32 } else { to };
    let from_float = from.is_none_or(is_float);
    if to == DataType::BOOL {
        if from != Some(DataType::BOOL) {
            // The engine would keep the number, and cut its fraction off.
            let value = if is_narrow(from) { scope.cast(input, DataType::INT32) } else { input.to_string() };
            let zero = scope.zero_like(&value);
            let equal = scope.make("Equal", &[&value, &zero], &[]);
            scope.make_as("Not", &[&equal], &[], &[output]);
        } else {
            scope.make_as("Identity", &[input], &[], &[output]);
        }
        return Ok(());
    }
    let mut input = input.to_string();
    match to {
        DataType::DOUBLE
            if matches!(from, Some(DataType::INT32 | DataType::UINT32 | DataType::INT64 | DataType::UINT64)) =>
        {
            let (low, high) = (scope.integer(-EXACT, DataType::INT32), scope.integer(EXACT, DataType::INT32));
            let below = scope.make("Less", &[&input, &low], &[]);
            let above = scope.make("Greater", &[&input, &high], &[]);
            let bad = scope.make("Or", &[&below, &above], &[]);
            scope.check(bad, format!("Cast: `{input}` has an integer that f32 does not hold, in which DOUBLE is kept"));
        }
        DataType::INT64 | DataType::UINT32 | DataType::UINT64 if from_float => {
            let lowest = (to != DataType::INT64).then_some(0.0);
            let text =
                format!("Cast: `{input}` has a value that the 32 bits in which the simulator has {to} do not hold");
            let value = if from.is_none() { scope.cast(&input, DataType::FLOAT) } else { input.clone() };
            check_range(scope, &value, lowest, MOST, text);
        }
        DataType::UINT32 | DataType::UINT64 if from.and_then(range).is_some_and(|(low, _)| low < 0) => {
            let value = if is_narrow(from) { scope.cast(&input, DataType::INT32) } else { input.clone() };
            let zero = scope.integer(0, DataType::INT32);
            let bad = scope.make("Less", &[&value, &zero], &[]);
            scope.check(bad, format!("Cast: `{input}` has a value below 0, which the simulator does not have in {to}"));
        }
        DataType::INT8 | DataType::UINT8 if from_float => {
            // From a fraction the engine takes the nearest value that there is; the standard wraps what it can.
            input = scope.make("Cast", &[&input], &as_is(DataType::INT32));
        }
        _ => {}
    }
    if is_short(to) {
        let wide = scope.make("Cast", &[&input], &as_is(DataType::INT32));
        let wrapped = wrap(scope, &wide, to);
        scope.make_as("Identity", &[&wrapped], &[], &[output]);
    } else if to_engine.0 < 1
        || !matches!(to_engine, DataType::FLOAT | DataType::FLOAT16 | DataType::DOUBLE) && range(to_engine).is_none()
    {
        return refuse("to", &to.to_string(), "the simulator has no elements of this type");
    } else {
        scope.make_as("Cast", &[&input], &as_is(to_engine), &[output]);
    }
    let dims = scope.dims(&input).map(<[_]>::to_vec);
    scope.know(output, super::scope::Known { element: Some(to), dims, ..Default::default() });
    Ok(())
}

/// Operators that hand numbers of 64 bits on, compare or round them: exact where their operands are.
pub(super) fn hands_on(operator: &str) -> bool {
    matches!(operator, "Identity" | "Reshape" | "Transpose" | "Concat" | "Slice" | "Gather" | "Squeeze" | "Unsqueeze")
        || matches!(operator, "Split" | "Flatten" | "Expand" | "Tile" | "Where" | "Shape" | "Size" | "ConstantOfShape")
        || matches!(operator, "Pad" | "Equal" | "Greater" | "GreaterOrEqual" | "Less" | "LessOrEqual" | "Max" | "Min")
        || matches!(operator, "Relu" | "Neg" | "Abs" | "ArgMax" | "ArgMin" | "IsNaN" | "IsInf" | "TopK" | "NonZero")
        || matches!(operator, "GatherElements" | "GatherND" | "ReduceMax" | "ReduceMin" | "Floor" | "Ceil" | "Round")
        || matches!(operator, "OneHot" | "EyeLike" | "DepthToSpace" | "Clip" | "Trilu" | "ReverseSequence" | "MaxPool")
        || matches!(operator, "If" | "Loop" | "Cast" | "CastLike" | "Not" | "GlobalMaxPool")
        || operator.starts_with("Sequence")
        || matches!(operator, "SplitToSequence" | "ConcatFromSequence")
}

pub(super) fn doubles(scope: &Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let is_double = |name: &String| scope.element(name) == Some(DataType::DOUBLE);
    let adds = matches!(node.text("reduction"), "add" | "mul");
    let scatters = matches!(node.operator(), "ScatterElements" | "ScatterND" | "Scatter") && !adds;
    match node.input.iter().find(|name| is_double(name)) {
        Some(name) if !hands_on(node.operator()) && !scatters => Err(Refusal::because(format!(
            "its input `{name}` is of type DOUBLE, and the simulator would calculate it in f32"
        ))),
        _ => Ok(()),
    }
}

/// A constant beyond 32 bits may stand for "to the end" and be handed to what takes it for that.
pub(super) fn large_constants(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let mut handed_on = None;
    for (index, name) in node.input.iter().enumerate() {
        let Some(value) = scope.known(name).and_then(|known| known.too_large) else { continue };
        match (node.operator(), index) {
            ("Slice", 1 | 2) | ("Loop", 0) => {}
            // A bound on the far side bounds nothing.
            ("Clip", 1) if value < 0 => {}
            ("Clip", 2) if value > 0 => {}
            ("Identity" | "Unsqueeze" | "Squeeze" | "Reshape" | "Gather" | "Flatten" | "Expand" | "Slice", 0)
            | ("Concat", _) => handed_on = Some(value),
            _ => {
                return Err(Refusal::because(format!(
                    "its input `{name}` is the constant {value}, which the 32 bits that the simulator has do not hold"
                )));
            }
        }
    }
    if handed_on.is_some() {
        for name in &node.output {
            scope.learn(name, super::scope::Known { too_large: handed_on, ..Default::default() });
        }
    }
    Ok(())
}
