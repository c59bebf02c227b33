//! Recurrent networks. The engine has the usual ones; the rest is written out step by step.

use super::steps::{Function, by_steps};
use crate::model::rewrite::attributes::{Attributes, without};
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::Scope;
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::NodeProto;

pub(super) fn recurrent(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let directions = match node.text("direction") {
        "" | "forward" => vec![false],
        "reverse" => vec![true],
        "bidirectional" => vec![false, true],
        other => return refuse("direction", &format!("\"{other}\""), "the standard has no such"),
    };
    let functions = functions(&node, directions.len())?;
    let usual = match node.operator() {
        "LSTM" => !node.has(7) && node.int("input_forget", 0) == 0,
        "GRU" => node.int("linear_before_reset", 0) != 0,
        _ => false,
    };
    let plain = !node.has(4) && node.int("layout", 0) == 0 && node.float("clip", 0.0) == 0.0;
    if usual && plain && functions.chunks(usual_names(&node).len()).all(|own| Function::are(own, usual_names(&node))) {
        let extra = ["activations", "activation_alpha", "activation_beta", "clip", "layout", "input_forget"];
        return keep(scope, without(&node, &extra));
    }
    by_steps(scope, &node, &directions, &functions)
}

fn usual_names(node: &NodeProto) -> &'static [&'static str] {
    match node.operator() {
        "LSTM" => &["sigmoid", "tanh", "tanh"],
        "GRU" => &["sigmoid", "tanh"],
        _ => &["tanh"],
    }
}

/// The functions of all directions, one direction after the other. What they are set by is taken from two lists in the
/// order of the functions that have it.
fn functions(node: &NodeProto, directions: usize) -> Result<Vec<Function>, Refusal> {
    let given = node.attribute("activations").map(|all| all.strings.clone()).filter(|all| !all.is_empty());
    let usual = || usual_names(node).repeat(directions).into_iter().map(str::to_string).collect::<Vec<_>>();
    let names = given.unwrap_or_else(usual);
    let shown = format!("{names:?}");
    if names.len() != usual_names(node).len() * directions {
        return refuse("activations", &shown, "the standard has another number of them");
    }
    let list = |name: &str| node.attribute(name).map(|list| list.floats.clone()).unwrap_or_default().into_iter();
    let (mut alphas, mut betas) = (list("activation_alpha"), list("activation_beta"));
    let read = |name: &String| {
        let made = Function::new(&name.to_lowercase(), &mut alphas, &mut betas);
        made.map_or_else(
            || refuse("activations", &shown, "the simulator has no such function, or not its parameters"),
            Ok,
        )
    };
    names.iter().map(read).collect()
}
