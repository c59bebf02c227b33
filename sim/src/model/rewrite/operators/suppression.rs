//! Suppression of boxes. The engine puts the boxes of all classes and images into one list, and divides by the area of
//! the box around two boxes; here the standard's way is written out: a turn for each class of each image, and in it a
//! turn for each box that is chosen.

use super::output;
use crate::model::rewrite::Refusal;
use crate::model::rewrite::attributes::{Attributes, Value, attribute};
use crate::model::rewrite::scope::{Scope, Shared};
use rten_onnx::onnx::*;

pub(super) fn suppress(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let (boxes, scores, result) = (node.given(0), node.given(1), output(node)?);
    let corners = corners(scope, boxes, node.int("center_point_box", 0) != 0);
    let zero = scope.integer(0, DataType::INT64);
    let most = optional(scope, node.given(2), &zero);
    let nothing = scope.float(0.0);
    let overlap = optional(scope, node.given(3), &nothing);
    let lowest = scope.float(f32::NEG_INFINITY);
    let least = optional(scope, node.given(4), &lowest);
    // One list of scores for each class of each image.
    let sizes = scope.make("Shape", &[scores], &[]);
    let [first, second] = [0, 1].map(|axis| scope.integer(axis, DataType::INT64));
    let images = scope.make("Gather", &[&sizes, &first], &[]);
    let classes = scope.make("Gather", &[&sizes, &second], &[]);
    let turns = scope.make("Mul", &[&images, &classes], &[]);
    let by_class = match scope.sizes(scores).as_deref() {
        Some([_, _, count]) => scope.list(&[-1, *count]),
        _ => {
            let (flat, last) = (scope.list(&[-1]), scope.list(&[2]));
            let count = scope.make("Gather", &[&sizes, &last], &[]);
            scope.make("Concat", &[&flat, &count], &[("axis", Value::I(0))])
        }
    };
    let lists = scope.make("Reshape", &[scores, &by_class], &[]);
    let yes = scope.integer(1, DataType::BOOL);
    let none = none(scope);
    let given = Given { corners, lists, classes, most, overlap, least, yes: yes.clone() };
    let body = each_class(scope.shared, &scope.label, &given);
    let outputs = [result.to_string()];
    looped(scope, &[&turns, &yes, &none], body, &outputs);
    Ok(())
}

/// What the turns use from outside.
struct Given {
    corners: String,
    lists: String,
    classes: String,
    most: String,
    overlap: String,
    least: String,
    yes: String,
}

/// An input that may be left out, or be a list of one.
fn optional(scope: &mut Scope<'_>, name: &str, otherwise: &str) -> String {
    if name.is_empty() {
        return otherwise.to_string();
    }
    let scalar = scope.list(&[]);
    scope.make("Reshape", &[name, &scalar], &[])
}

/// A list of no positions.
fn none(scope: &mut Scope<'_>) -> String {
    let sizes = scope.list(&[0, 3]);
    let value =
        TensorProto { dims: vec![1], data_type: Some(DataType::INT64), int64_data: vec![0], ..Default::default() };
    let mut made = AttributeProto { name: Some("value".to_string()), t: Some(value), ..Default::default() };
    made.r#type = Some(AttributeType::TENSOR);
    let name = scope.fresh();
    scope.push(NodeProto {
        op_type: Some("ConstantOfShape".to_string()),
        input: vec![sizes],
        output: vec![name.clone()],
        attribute: vec![made],
        ..Default::default()
    });
    name
}

/// The boxes as least and greatest coordinates: y, x, y, x.
fn corners(scope: &mut Scope<'_>, boxes: &str, centred: bool) -> String {
    let part = |scope: &mut Scope<'_>, index: i64| {
        let at = scope.list(&[index]);
        scope.make("Gather", &[boxes, &at], &[("axis", Value::I(-1))])
    };
    let [a, b, c, d] = [0, 1, 2, 3].map(|index| part(scope, index));
    let (y, x) = if centred {
        let half = scope.float(0.5);
        let mut ends = |centre: &str, size: &str| {
            let half = scope.make("Mul", &[size, &half], &[]);
            (scope.make("Sub", &[centre, &half], &[]), scope.make("Add", &[centre, &half], &[]))
        };
        (ends(&b, &d), ends(&a, &c))
    } else {
        ((a, c), (b, d))
    };
    let mut sorted = Vec::new();
    for operator in ["Min", "Max"] {
        for (one, other) in [&y, &x] {
            sorted.push(scope.make(operator, &[one, other], &[]));
        }
    }
    let all: Vec<&str> = sorted.iter().map(String::as_str).collect();
    scope.make("Concat", &all, &[("axis", Value::I(-1))])
}

/// `turn, go, found -> go, found`: the positions of one class are added to those found.
fn each_class(shared: &Shared, label: &str, given: &Given) -> GraphProto {
    let mut scope = Scope::new(shared, None);
    scope.label = label.to_string();
    let [turn, go, found] = [(); 3].map(|()| scope.fresh());
    let image = scope.make("Div", &[&turn, &given.classes], &[]);
    let before = scope.make("Mul", &[&image, &given.classes], &[]);
    let class = scope.make("Sub", &[&turn, &before], &[]);
    let corners = scope.make("Gather", &[&given.corners, &image], &[("axis", Value::I(0))]);
    let scores = scope.make("Gather", &[&given.lists, &turn], &[("axis", Value::I(0))]);
    // What is not above the threshold is never chosen.
    let above = scope.make("Greater", &[&scores, &given.least], &[]);
    let lowest = scope.float(f32::NEG_INFINITY);
    let open = scope.make("Where", &[&above, &scores, &lowest], &[]);
    let any = any_left(&mut scope, &open);
    let prefix = {
        let whole = scope.list(&[1]);
        let [image, class] = [&image, &class].map(|value| scope.make("Reshape", &[value, &whole], &[]));
        scope.make("Concat", &[&image, &class], &[("axis", Value::I(0))])
    };
    let [open_last, found_next] = [(); 2].map(|()| scope.fresh());
    let body = each_box(shared, label, given, &corners, &prefix);
    looped(&mut scope, &[&given.most, &any, &open, &found], body, &[open_last, found_next.clone()]);
    let stay = scope.make("Identity", &[&given.yes], &[]);
    graph(scope, &[&turn, &go, &found], &[&stay, &found_next])
}

/// `turn, go, open, found -> go, open, found`: the best box is found, and boxes that overlap it are open no more.
fn each_box(shared: &Shared, label: &str, given: &Given, corners: &str, prefix: &str) -> GraphProto {
    let mut scope = Scope::new(shared, None);
    scope.label = label.to_string();
    let [turn, go, open, found] = [(); 4].map(|()| scope.fresh());
    let one = scope.list(&[1]);
    // Of equal scores the first is chosen, as the order of TopK has it.
    let [best, at] = [(); 2].map(|()| scope.fresh());
    scope.make_as("TopK", &[&open, &one], &[("axis", Value::I(0))], &[&best, &at]);
    let chosen = scope.make("Concat", &[prefix, &at], &[("axis", Value::I(0))]);
    let first = scope.list(&[0]);
    let chosen = scope.make("Unsqueeze", &[&chosen, &first], &[]);
    let found_next = scope.make("Concat", &[&found, &chosen], &[("axis", Value::I(0))]);
    let chosen = scope.make("Gather", &[corners, &at], &[("axis", Value::I(0))]);
    let side = |scope: &mut Scope<'_>, of: &str, index: i64| {
        let at = scope.list(&[index]);
        scope.make("Gather", &[of, &at], &[("axis", Value::I(1))])
    };
    let ones: Vec<String> = (0..4).map(|index| side(&mut scope, &chosen, index)).collect();
    let others: Vec<String> = (0..4).map(|index| side(&mut scope, corners, index)).collect();
    let zero = scope.float(0.0);
    let mut shared_area = None;
    let mut areas = [None, None];
    for (low, high) in [(0, 2), (1, 3)] {
        let pick = |all: &[String], index: usize| all.get(index).cloned().unwrap_or_default();
        let start = scope.make("Max", &[&pick(&ones, low), &pick(&others, low)], &[]);
        let end = scope.make("Min", &[&pick(&ones, high), &pick(&others, high)], &[]);
        let length = scope.make("Sub", &[&end, &start], &[]);
        let length = scope.make("Max", &[&length, &zero], &[]);
        shared_area = Some(times(&mut scope, shared_area, length));
        for (area, all) in areas.iter_mut().zip([&ones, &others]) {
            let length = scope.make("Sub", &[&pick(all, high), &pick(all, low)], &[]);
            *area = Some(times(&mut scope, area.take(), length));
        }
    }
    let [one_area, other_area] = areas.map(Option::unwrap_or_default);
    let common = shared_area.unwrap_or_default();
    let both = scope.make("Add", &[&one_area, &other_area], &[]);
    let union = scope.make("Sub", &[&both, &common], &[]);
    // Not divided, so that no area of zero is divided by.
    let bound = scope.make("Mul", &[&union, &given.overlap], &[]);
    let overlaps = scope.make("Greater", &[&common, &bound], &[]);
    let flat = scope.list(&[-1]);
    let overlaps = scope.make("Reshape", &[&overlaps, &flat], &[]);
    let lowest = scope.float(f32::NEG_INFINITY);
    let left = scope.make("Where", &[&overlaps, &lowest, &open], &[]);
    let gone = scope.floats_of(&[1], &[f32::NEG_INFINITY]);
    let open_next = scope.make("ScatterElements", &[&left, &at, &gone], &[("axis", Value::I(0))]);
    let stay = any_left(&mut scope, &open_next);
    graph(scope, &[&turn, &go, &open, &found], &[&stay, &open_next, &found_next])
}

fn times(scope: &mut Scope<'_>, area: Option<String>, length: String) -> String {
    match area {
        Some(area) => scope.make("Mul", &[&area, &length], &[]),
        None => length,
    }
}

/// Whether a score is still one that may be chosen.
fn any_left(scope: &mut Scope<'_>, open: &str) -> String {
    let lowest = scope.floats_of(&[1], &[f32::NEG_INFINITY]);
    let all = scope.make("Concat", &[open, &lowest], &[("axis", Value::I(0))]);
    let best = scope.make("ReduceMax", &[&all], &[("keepdims", Value::I(0))]);
    let none = scope.float(f32::NEG_INFINITY);
    scope.make("Greater", &[&best, &none], &[])
}

pub(super) fn graph(scope: Scope<'_>, inputs: &[&str], outputs: &[&str]) -> GraphProto {
    let info = |name: &&str| ValueInfoProto { name: Some((*name).to_string()), r#type: None };
    GraphProto {
        node: scope.nodes,
        initializer: scope.initializers,
        input: inputs.iter().map(info).collect(),
        output: outputs.iter().map(info).collect(),
        ..Default::default()
    }
}

pub(super) fn looped(scope: &mut Scope<'_>, inputs: &[&str], body: GraphProto, outputs: &[String]) {
    let mut made = attribute("body", &Value::I(0));
    made.i = None;
    made.g = Some(body);
    made.r#type = Some(AttributeType::GRAPH);
    scope.push(NodeProto {
        op_type: Some("Loop".to_string()),
        input: inputs.iter().map(|name| (*name).to_string()).collect(),
        output: outputs.to_vec(),
        attribute: vec![made],
        ..Default::default()
    });
}
