//! The operators that the simulator has: their names, attributes and types, and the shapes they give.

use super::attributes::{Attribute, Attributes};
use super::operand::Operand;
use crate::failure::{Answer, Failure};
use crate::machine::models::element;
use crate::model::Element;
use ascendcl_rules::OP_02;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclDataType;

/// One operator with its attributes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Operator {
    Add,
    Sub,
    Mul,
    /// On integers the quotient is cut off towards zero.
    Div,
    /// Whether each factor is transposed first.
    MatMul([bool; 2]),
    BatchMatMul([bool; 2]),
    /// `alpha * a * b + beta * c`, and whether `a` and `b` are transposed first.
    Gemm([bool; 2]),
    Cast(Element),
    Relu,
    /// The axis, counted from the first.
    Softmax(usize),
}

const NAMES: &[&str] =
    &["Add", "BatchMatMul", "Cast", "Div", "GEMM", "MatMul", "Mul", "RealDiv", "Relu", "Softmax", "SoftmaxV2", "Sub"];

const CALCULATED: &[Element] = &[Element::F16, Element::F32, Element::I32];
/// What is multiplied, and what is summed up.
const WIDER: &[(Element, Element)] = &[(Element::I8, Element::I32), (Element::F16, Element::F32)];
const FLOATS: &[Element] = &[Element::F16, Element::F32];
const CAST: &[Element] =
    &[Element::F16, Element::F32, Element::I8, Element::I32, Element::I64, Element::U8, Element::Bool];

impl Operator {
    /// The operator with this name and these attributes, for these inputs.
    pub(super) fn read(name: &str, attributes: &Attributes, inputs: &[Operand]) -> Answer<Self> {
        let given = Given { name, attributes };
        let (operator, arity, known): (_, _, &[&str]) = match name {
            "Add" => (Self::Add, 2, &[]),
            "Sub" => (Self::Sub, 2, &[]),
            "Mul" => (Self::Mul, 2, &[]),
            "Div" | "RealDiv" => (Self::Div, 2, &[]),
            "Relu" => (Self::Relu, 1, &[]),
            "MatMul" => {
                let known = &["transpose_x1", "transpose_x2"];
                (Self::MatMul([given.flag("transpose_x1")?, given.flag("transpose_x2")?]), 2, known)
            }
            "BatchMatMul" => {
                let known = &["adj_x1", "adj_x2"];
                (Self::BatchMatMul([given.flag("adj_x1")?, given.flag("adj_x2")?]), 2, known)
            }
            "GEMM" => {
                let known = &["transpose_a", "transpose_b"];
                (Self::Gemm([given.flag("transpose_a")?, given.flag("transpose_b")?]), 5, known)
            }
            "Cast" => (Self::Cast(given.target()?), 1, &["dst_type", "truncate"]),
            "Softmax" | "SoftmaxV2" => {
                let rank = inputs.first().map_or(0, Operand::most_axes);
                (Self::Softmax(given.axis(rank)?), 1, &["axes"])
            }
            _ => {
                let text = format!("found operator type `{name}`, expected one that the simulator has: {NAMES:?}");
                return Err(Failure::new(ACL_ERROR_OP_NOT_FOUND, text));
            }
        };
        if let Some(unknown) = attributes.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(given.wrong(format!("found attribute `{unknown}`, expected none but {known:?}")));
        }
        if inputs.len() != arity {
            let text = format!("{name}: found {} inputs, expected {arity}", inputs.len());
            return Err(miscounted(Failure::new(ACL_ERROR_OP_INPUT_NOT_MATCH, text)));
        }
        Ok(operator)
    }

    /// The operator's output for these inputs. All their axes are known.
    pub(super) fn output(&self, name: &str, inputs: &[Operand]) -> Answer<Operand> {
        self.check_types(name, inputs)?;
        let misfit = |text: String| Failure::new(ACL_ERROR_OP_INPUT_NOT_MATCH, format!("{name}: {text}"));
        match (self, inputs) {
            (Self::Add | Self::Sub | Self::Mul | Self::Div, [a, b]) => {
                let dims = broadcast(&a.dims, &b.dims).ok_or_else(|| {
                    let text = "expected shapes in which each pair of axes, counted from the last, is equal or 1";
                    misfit(format!("found {:?} and {:?}, {text}", a.dims, b.dims))
                })?;
                Ok(Operand { element: a.element, dims })
            }
            (Self::MatMul(transposed), [a, b]) => {
                if a.dims.len() != 2 || b.dims.len() != 2 {
                    return Err(misfit(format!("found {:?} and {:?}, expected two axes each", a.dims, b.dims)));
                }
                product(*transposed, a, b).map_err(misfit)
            }
            (Self::BatchMatMul(transposed), [a, b]) => product(*transposed, a, b).map_err(misfit),
            (Self::Gemm(transposed), [a, b, c, factors @ ..]) => {
                let Operand { dims, .. } = product(*transposed, a, b).map_err(misfit)?;
                if a.dims.len() != 2 || c.dims != dims || factors.iter().any(|factor| !factor.dims.is_empty()) {
                    let found = [vec![a, b, c], factors.iter().collect()].concat();
                    let found: Vec<_> = found.iter().map(|operand| &operand.dims).collect();
                    return Err(misfit(format!(
                        "found {found:?}, expected matrices that fit, and numbers behind them"
                    )));
                }
                Ok(c.clone())
            }
            (Self::Cast(target), [from]) => Ok(Operand { element: *target, dims: from.dims.clone() }),
            (_, [first, ..]) => Ok(first.clone()),
            (_, []) => Err(misfit("found no input".to_string())),
        }
    }

    fn check_types(&self, name: &str, inputs: &[Operand]) -> Answer {
        if let Self::Gemm(_) = self {
            return check_types_of_gemm(name, inputs);
        }
        let allowed = match self {
            Self::Softmax(_) => FLOATS,
            Self::Cast(_) => CAST,
            _ => CALCULATED,
        };
        for (index, input) in inputs.iter().enumerate() {
            if !allowed.contains(&input.element) {
                let text =
                    format!("{name}, input {index}: found {}, expected one of {}", input.element, listed(allowed));
                return Err(Failure::new(ACL_ERROR_UNSUPPORTED_DATA_TYPE, text));
            }
        }
        if let [first, second] = inputs
            && first.element != second.element
        {
            let text = format!("{name}: found {} and {}, expected inputs of one type", first.element, second.element);
            return Err(Failure::new(ACL_ERROR_OP_INPUT_NOT_MATCH, text));
        }
        Ok(())
    }
}

/// The operator has another number of operands (OP-02).
pub(super) fn miscounted(failure: Failure) -> Failure {
    let fix = "pass the operands of the operator in its order, and their number";
    failure.breaks(OP_02, "as many descriptions and buffers as the operator has operands", fix)
}

/// The matrices that are multiplied have one type. The others have that of the sum, which may be a wider one.
fn check_types_of_gemm(name: &str, inputs: &[Operand]) -> Answer {
    let (factors, sums) = inputs.split_at_checked(2).unwrap_or_default();
    let elements = |operands: &[Operand]| operands.iter().map(|operand| operand.element).collect::<Vec<_>>();
    let known = match (elements(factors).as_slice(), elements(sums).as_slice()) {
        ([a, b], [c, alpha, beta]) if a == b && c == alpha && c == beta => {
            CALCULATED.contains(c) && (a == c || WIDER.contains(&(*a, *c)))
        }
        _ => false,
    };
    if known {
        return Ok(());
    }
    let found = listed(&elements(inputs));
    let text = format!("{name}: found {found}; expected one of {} throughout, or wider sums", listed(CALCULATED));
    Err(Failure::new(ACL_ERROR_UNSUPPORTED_DATA_TYPE, text))
}

/// The attributes of a call, for one operator.
struct Given<'a> {
    name: &'a str,
    attributes: &'a Attributes,
}

impl Given<'_> {
    fn wrong(&self, text: String) -> Failure {
        Failure::new(ACL_ERROR_OP_ATTR_NOT_MATCH, format!("{}: {text}", self.name))
    }

    /// Off unless it is set.
    fn flag(&self, key: &str) -> Answer<bool> {
        match self.attributes.get(key) {
            None => Ok(false),
            Some(Attribute::Bool(value)) => Ok(*value),
            Some(other) => Err(self.wrong(format!("attribute `{key}`: found {other:?}, expected a Bool"))),
        }
    }

    /// The type that a cast is to give.
    fn target(&self) -> Answer<Element> {
        // It decides how floats lose digits, on devices that offer more than one way; here they are rounded to nearest.
        if self.flag("truncate")? {
            return Err(
                self.wrong("attribute `truncate`: found true, expected false: it rounds to nearest".to_string())
            );
        }
        let target = match self.attributes.get("dst_type") {
            Some(Attribute::DataType(target)) => *target,
            Some(Attribute::Int(number)) => aclDataType(i32::try_from(*number).unwrap_or(i32::MIN)),
            Some(other) => {
                return Err(self.wrong(format!("attribute `dst_type`: found {other:?}, expected an Int")));
            }
            None => return Err(self.wrong("attribute `dst_type` is missing; it is the number of a type".to_string())),
        };
        element(target).filter(|element| CAST.contains(element)).ok_or_else(|| {
            let text = format!("attribute `dst_type`: found {}, expected the number of {}", target.0, listed(CAST));
            self.wrong(text)
        })
    }

    /// The last axis unless it is set.
    fn axis(&self, rank: usize) -> Answer<usize> {
        let axis = match self.attributes.get("axes") {
            None => -1,
            Some(Attribute::Ints(axes)) if axes.len() == 1 => axes.first().copied().unwrap_or(-1),
            Some(other) => {
                return Err(self.wrong(format!("attribute `axes`: found {other:?}, expected a list of one Int")));
            }
        };
        let counted = if axis < 0 { axis.saturating_add_unsigned(rank as u64) } else { axis };
        usize::try_from(counted).ok().filter(|axis| *axis < rank).ok_or_else(|| {
            self.wrong(format!("attribute `axes`: found axis {axis}, expected one of an input with {rank} axes"))
        })
    }
}

/// The shape of two operands that are calculated element by element.
fn broadcast(a: &[i64], b: &[i64]) -> Option<Vec<i64>> {
    let rank = a.len().max(b.len());
    let padded = |dims: &[i64]| [vec![1; rank - dims.len()], dims.to_vec()].concat();
    let pair = |(a, b): (i64, i64)| match (a, b) {
        (a, 1) => Some(a),
        (1, b) => Some(b),
        (a, b) => (a == b).then_some(a),
    };
    padded(a).into_iter().zip(padded(b)).map(pair).collect()
}

/// The product of two stacks of matrices.
fn product(transposed: [bool; 2], a: &Operand, b: &Operand) -> Result<Operand, String> {
    let ([stack_a @ .., a0, a1], [stack_b @ .., b0, b1]) = (a.dims.as_slice(), b.dims.as_slice()) else {
        return Err(format!("found {:?} and {:?}, expected at least two axes each", a.dims, b.dims));
    };
    let [flip_a, flip_b] = transposed;
    let (rows, inner_a) = if flip_a { (*a1, *a0) } else { (*a0, *a1) };
    let (inner_b, columns) = if flip_b { (*b1, *b0) } else { (*b0, *b1) };
    if inner_a != inner_b {
        let flips = if flip_a || flip_b { format!(", transposed {transposed:?}") } else { String::new() };
        let text = "expected the columns of the first to be the rows of the second";
        return Err(format!("found {:?} and {:?}{flips}, {text}", a.dims, b.dims));
    }
    let stack = broadcast(stack_a, stack_b)
        .ok_or_else(|| format!("found stacks {stack_a:?} and {stack_b:?}, expected shapes that broadcast"))?;
    Ok(Operand { element: a.element, dims: [stack, vec![rows, columns]].concat() })
}

fn listed(elements: &[Element]) -> String {
    elements.iter().map(Element::to_string).collect::<Vec<_>>().join(", ")
}
