//! The size of an axis of any value, as it follows from the sizes of the inputs' axes.
//!
//! `rten` writes what it inferred as text: a number, the name of an axis, or an expression such as `a * 1048576`.

use super::port::Axis;
use super::shapes::Shapes;
use rten::Dimension;
use rten_onnx::onnx::{DataType, GraphProto, NodeProto, TensorProto};

/// How deep `rten`'s expressions are is limited; a name that a file gives to an axis may be any text.
const DEEPEST: usize = 24;

#[derive(Debug, PartialEq)]
pub(super) enum Size {
    Axis(Axis),
    Made(Rule, Box<(Size, Size)>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    Add,
    Sub,
    Mul,
    Div,
    DivUp,
    Min,
    /// The larger one. Sizes that are spread over each other are no larger.
    Max,
}

impl Size {
    /// Where the size of an axis comes from, if that is known.
    pub(super) fn of(dim: &Dimension, inputs: &[Vec<Dimension>]) -> Option<Self> {
        match dim {
            Dimension::Fixed(size) => i64::try_from(*size).ok().map(|size| Self::Axis(Axis::Fixed(size))),
            Dimension::Symbolic(text) => same(text, inputs).or_else(|| parsed(text, inputs)),
        }
    }

    /// The size for inputs of these dims.
    pub(super) fn for_inputs<D: AsRef<[i64]>>(&self, inputs: &[D]) -> Option<i64> {
        let (rule, both) = match self {
            Self::Axis(Axis::Fixed(size)) => return Some(*size),
            Self::Axis(Axis::Same { input, axis }) => return inputs.get(*input)?.as_ref().get(*axis).copied(),
            Self::Axis(Axis::Open) => return None,
            Self::Made(rule, both) => (rule, both),
        };
        let (a, b) = (both.0.for_inputs(inputs)?, both.1.for_inputs(inputs)?);
        match rule {
            Rule::Add => Some(a.saturating_add(b)),
            Rule::Sub => Some(a.saturating_sub(b)),
            Rule::Mul => Some(a.saturating_mul(b)),
            Rule::Div => a.checked_div_euclid(b),
            Rule::DivUp => a.checked_add(b)?.checked_sub(1)?.checked_div_euclid(b),
            Rule::Min => Some(a.min(b)),
            Rule::Max => Some(a.max(b)),
        }
    }
}

/// The sizes of a node's output where constants say how much of its input is repeated or added. `rten` infers them in 32
/// bits, which may not hold them.
pub(super) fn by_constants(
    node: &NodeProto,
    graph: &GraphProto,
    shapes: &Shapes,
    inputs: &[Vec<Dimension>],
) -> Option<Vec<Size>> {
    let (control, rule) = match node.op_type.as_deref()? {
        "Tile" | "Upsample" => (1, Rule::Mul),
        "Resize" => (2, Rule::Mul),
        "Pad" if node.input.len() < 4 => (1, Rule::Add),
        _ => return None,
    };
    let by = whole_numbers(constant(node.input.get(control)?, graph)?);
    let shape = shapes.shape_of(node.input.first()?)?;
    let (first, second) = by.split_at_checked(shape.len())?;
    // Pads are those before each axis, and then those behind it.
    let second = second.iter().copied().chain(std::iter::repeat(0));
    let all = first.iter().zip(second).map(|(&first, second)| Size::Axis(Axis::Fixed(first.saturating_add(second))));
    shape.iter().zip(all).map(|(dim, by)| Some(made(rule, Size::of(dim, inputs)?, by))).collect()
}

fn constant<'a>(name: &str, graph: &'a GraphProto) -> Option<&'a TensorProto> {
    let made = || graph.node.iter().find(|node| node.output.first().is_some_and(|output| output == name));
    let value = || made()?.attribute.iter().find_map(|attribute| attribute.t.as_ref());
    graph.initializer.iter().find(|tensor| tensor.name.as_deref() == Some(name)).or_else(value)
}

/// The elements of a constant of `i64`, or those of one of `f32` without their fractions.
fn whole_numbers(tensor: &TensorProto) -> Vec<i64> {
    let raw = tensor.raw_data.as_ref().map(|raw| raw.borrow().clone()).unwrap_or_default();
    let floats =
        raw.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).chain(tensor.float_data.iter().copied());
    match tensor.data_type {
        Some(DataType::INT64) => {
            let integers = raw.as_chunks().0.iter().map(|bytes| i64::from_le_bytes(*bytes));
            integers.chain(tensor.int64_data.iter().copied()).collect()
        }
        Some(DataType::FLOAT) => floats.map(|value| value as i64).collect(),
        _ => Vec::new(),
    }
}

/// The axis of an input that has this name.
fn same(name: &str, inputs: &[Vec<Dimension>]) -> Option<Size> {
    let is = |dim: &Dimension| matches!(dim, Dimension::Symbolic(symbol) if symbol == name);
    let place = |(input, dims): (usize, &Vec<Dimension>)| {
        Some(Size::Axis(Axis::Same { input, axis: dims.iter().position(is)? }))
    };
    inputs.iter().enumerate().find_map(place)
}

/// A text as an expression of the inputs' axes; `None` if it is none, or could be one of several.
fn parsed(text: &str, inputs: &[Vec<Dimension>]) -> Option<Size> {
    let is_plain = |dim: &Dimension| match dim {
        Dimension::Fixed(_) => true,
        Dimension::Symbolic(name) => {
            !name.starts_with(|first: char| first.is_ascii_digit()) && name.chars().all(is_of_name)
        }
    };
    // A name such as `a + b` cannot be told from a sum.
    if !inputs.iter().flatten().all(is_plain) {
        return None;
    }
    let mut text = Text { rest: text, inputs, depth: 0 };
    text.difference().filter(|_| text.rest.is_empty())
}

fn is_of_name(one: char) -> bool {
    one.is_alphanumeric() || matches!(one, '_' | '.')
}

fn made(rule: Rule, a: Size, b: Size) -> Size {
    Size::Made(rule, Box::new((a, b)))
}

/// What is left of an expression. Quotients bind most, then products, sums and differences. `rten` writes no
/// parentheses around a difference of a difference or a quotient of a quotient: those are not read.
struct Text<'a> {
    rest: &'a str,
    inputs: &'a [Vec<Dimension>],
    depth: usize,
}

impl Text<'_> {
    fn takes(&mut self, symbol: &str) -> bool {
        let found = self.rest.strip_prefix(symbol);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn difference(&mut self) -> Option<Size> {
        let first = self.sum()?;
        if self.takes(" - ") { Some(made(Rule::Sub, first, self.sum()?)) } else { Some(first) }
    }

    fn sum(&mut self) -> Option<Size> {
        let mut all = self.product()?;
        while self.takes(" + ") {
            all = made(Rule::Add, all, self.product()?);
        }
        Some(all)
    }

    fn product(&mut self) -> Option<Size> {
        let mut all = self.quotient()?;
        while self.takes(" * ") {
            all = made(Rule::Mul, all, self.quotient()?);
        }
        Some(all)
    }

    fn quotient(&mut self) -> Option<Size> {
        let first = self.single()?;
        if self.takes(" / ") { Some(made(Rule::Div, first, self.single()?)) } else { Some(first) }
    }

    fn single(&mut self) -> Option<Size> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let found = self.unlimited();
        self.depth -= 1;
        found
    }

    fn unlimited(&mut self) -> Option<Size> {
        if self.takes("(") {
            let inner = self.difference()?;
            return self.takes(")").then_some(inner);
        }
        let is_negative = self.takes("-");
        let end = self.rest.find(|one| !is_of_name(one)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        if let Ok(number) = word.parse::<i64>() {
            return Some(Size::Axis(Axis::Fixed(if is_negative { -number } else { number })));
        }
        if is_negative {
            return None;
        }
        if !self.takes("(") {
            return same(word, self.inputs);
        }
        let rule = match word {
            "ceil_div" => Rule::DivUp,
            "max" | "broadcast" => Rule::Max,
            "min" => Rule::Min,
            _ => return None,
        };
        let first = self.difference()?;
        let second = if self.takes(", ") { self.difference()? } else { return None };
        self.takes(")").then(|| made(rule, first, second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(text: &str, sizes: &[i64]) -> Option<i64> {
        let inputs = [["a", "b_1"].map(|name| Dimension::Symbolic(name.to_string())).to_vec()];
        Size::of(&Dimension::Symbolic(text.to_string()), &inputs)?.for_inputs(&[sizes])
    }

    #[test]
    fn an_expression_of_the_inputs_axes_has_its_value() {
        for (text, value) in [
            ("a", 7),
            ("a * 1048576", 7 << 20),
            ("a + b_1 * 2", 13),
            ("(a + b_1) * 2", 20),
            ("a * b_1 / 2", 7),
            ("a + -3 - b_1", 1),
            ("ceil_div(a, 2) + 1", 5),
            ("broadcast(a, b_1)", 7),
            ("min(a, max(b_1, 5))", 5),
        ] {
            assert_eq!(size(text, &[7, 3]), Some(value), "{text}");
        }
        assert_eq!(size("a * a * a", &[i64::MAX, 1]), Some(i64::MAX));
    }

    #[test]
    fn a_text_that_is_no_expression_of_the_inputs_axes_or_could_be_several_has_none() {
        let deep = format!("{}a{}", "(".repeat(1 << 20), ")".repeat(1 << 20));
        for text in ["", "c", "unknown_1 * 2", "a - b_1 - a", "a / b_1 / 2", "a / 0", "f(a, a)", "a +", "(a", &deep] {
            assert_eq!(size(text, &[7, 3]), None, "{text:.20}");
        }
    }
}
