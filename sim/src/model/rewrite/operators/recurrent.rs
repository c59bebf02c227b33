//! Recurrent networks.

use super::size_of;
use crate::model::rewrite::attributes::Attributes;
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::Scope;
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::NodeProto;

/// The engine runs every sequence to its end: the run fails if one is declared to be shorter.
pub(super) fn lengths(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    if node.operator() == "GRU" && node.int("linear_before_reset", 0) == 0 {
        return refuse("linear_before_reset", "0", "the simulator has the other order of reset and product only");
    }
    if node.has(7) {
        return Err(Refusal::because("its input `P` (peepholes) is one that the simulator does not calculate with"));
    }
    if node.has(4) {
        let lengths = node.given(4).to_string();
        let steps = size_of(scope, node.given(0), 0);
        let whole = scope.make("Equal", &[&lengths, &steps], &[]);
        let bad = scope.make("Not", &[&whole], &[]);
        let why = "a sequence is shorter than the others, and the simulator has networks of equal lengths only";
        scope.check(bad, format!("`sequence_lens` (`{lengths}`): {why}"));
        if let Some(name) = node.input.get_mut(4) {
            name.clear();
        }
    }
    keep(scope, node)
}
