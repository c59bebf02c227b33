//! What the standard says of the nodes of an operator, in any of its versions: how many inputs and outputs they have,
//! and which attributes of which types.
//!
//! The engine looks at most of it. But a node that is rewritten never reaches the engine as it was.

use super::attributes::{Attributes, shown};
use super::{Refusal, refuse};
use rten_onnx::onnx::{AttributeProto, NodeProto};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

/// A line for each operator: its name, the fewest and the most inputs, those of its outputs, and its attributes with
/// their types. `-` is any number.
const TABLE: &str = include_str!("standard.tsv");

struct Operator {
    inputs: RangeInclusive<usize>,
    outputs: RangeInclusive<usize>,
    attributes: Vec<(&'static str, &'static str)>,
}

fn operators() -> &'static HashMap<&'static str, Operator> {
    static OPERATORS: OnceLock<HashMap<&'static str, Operator>> = OnceLock::new();
    OPERATORS.get_or_init(|| TABLE.lines().filter_map(line).collect())
}

fn line(line: &'static str) -> Option<(&'static str, Operator)> {
    let mut columns = line.split('\t');
    let name = columns.next()?;
    let mut range = || {
        let (fewest, most) = columns.next()?.split_once(' ')?;
        Some(fewest.parse().ok()?..=most.parse().unwrap_or(usize::MAX))
    };
    let (inputs, outputs) = (range()?, range()?);
    let attributes = columns.next()?.split(' ').filter_map(|one| one.split_once(':')).collect();
    Some((name, Operator { inputs, outputs, attributes }))
}

/// Refuses a node that no version of the standard has. The engine says which operators there are none of.
pub(super) fn check(node: &NodeProto) -> Result<(), Refusal> {
    if node.operator().is_empty() {
        return Err(Refusal::because("the file does not say which operator it is"));
    }
    let Some(operator) = operators().get(node.operator()) else { return Ok(()) };
    count("inputs", &node.input, &operator.inputs)?;
    count("outputs", &node.output, &operator.outputs)?;
    for attribute in &node.attribute {
        let name = attribute.name.as_deref().unwrap_or_default();
        match operator.attributes.iter().find(|(known, _)| *known == name) {
            Some((_, types)) => is_of(attribute, types)?,
            None => return refuse(name, &shown(attribute), "the standard has no such attribute"),
        }
        if node.attribute.iter().filter(|other| other.name == attribute.name).count() > 1 {
            return refuse(name, &shown(attribute), "the node has this attribute more than once");
        }
    }
    Ok(())
}

/// Those behind the last that has a name are left out.
fn count(what: &str, names: &[String], expected: &RangeInclusive<usize>) -> Result<(), Refusal> {
    let found = names.iter().rposition(|name| !name.is_empty()).map_or(0, |last| last + 1);
    if expected.contains(&found) {
        return Ok(());
    }
    let (fewest, most) = (expected.start(), expected.end());
    let numbers = match *most {
        usize::MAX => format!("at least {fewest}"),
        most if most == *fewest => fewest.to_string(),
        most => format!("{fewest} to {most}"),
    };
    Err(Refusal::because(format!("it has {found} {what}, and the standard's operator {numbers}")))
}

fn is_of(attribute: &AttributeProto, types: &str) -> Result<(), Refusal> {
    let has = |kind: &str| match kind {
        "i" => attribute.i.is_some(),
        "f" => attribute.f.is_some(),
        "s" => attribute.s.is_some(),
        "t" => attribute.t.is_some(),
        "g" => attribute.g.is_some(),
        // An empty list is one of any type.
        "is" => !attribute.ints.is_empty() || is_empty(attribute),
        "fs" => !attribute.floats.is_empty() || is_empty(attribute),
        "ss" => !attribute.strings.is_empty() || is_empty(attribute),
        _ => true,
    };
    if types.split('|').any(has) {
        return Ok(());
    }
    let word = |kind| match kind {
        "i" => "a whole number",
        "f" => "a number of type FLOAT",
        "s" => "a text",
        "t" => "a tensor",
        "g" => "a graph",
        "is" => "a list of whole numbers",
        "fs" => "a list of numbers of type FLOAT",
        _ => "a list of texts",
    };
    let words: Vec<_> = types.split('|').map(word).collect();
    let name = attribute.name.as_deref().unwrap_or_default();
    refuse(name, &shown(attribute), &format!("the standard has {} there", words.join(" or ")))
}

fn is_empty(attribute: &AttributeProto) -> bool {
    let one = attribute.i.is_some() || attribute.f.is_some() || attribute.s.is_some();
    let many = !attribute.ints.is_empty() || !attribute.floats.is_empty() || !attribute.strings.is_empty();
    !one && !many && attribute.t.is_none() && attribute.g.is_none()
}
