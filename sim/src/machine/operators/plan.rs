//! From what a call says to what can be run.

use super::attributes::Attributes;
use super::catalogue::{Operator, miscounted};
use super::graphs;
use super::operand::{Operand, is_on_host};
use crate::failure::{Answer, Failure};
use crate::machine::models::TensorDesc;
use crate::model::Model;
use ascendcl_sys::error_codes::*;
use std::sync::Arc;

/// The arguments of a call about an operator.
pub(crate) struct Request {
    pub(crate) name: String,
    pub(crate) inputs: Vec<TensorDesc>,
    pub(crate) outputs: Vec<TensorDesc>,
    pub(crate) attributes: Attributes,
}

/// A checked operator, ready for buffers.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(super) signature: Signature,
    pub(super) model: Arc<Model>,
    /// Where the elements of each input are.
    pub(super) sources: Vec<Source>,
    /// The output as it will be. Every operator here has one.
    pub(super) output: Operand,
}

/// The identity of an operator. The operators that a program compiled are found by it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Signature {
    pub(super) name: String,
    pub(super) attributes: Attributes,
    pub(super) inputs: Vec<Operand>,
    /// As the caller describes them.
    pub(super) outputs: Vec<Operand>,
}

/// Where the elements of an input are.
#[derive(Clone)]
pub(super) enum Source {
    Device,
    Host,
    /// In the description.
    Constant(Arc<[u8]>),
}

impl Request {
    /// Whether there are outputs, and none of them has elements. Then there is nothing to execute.
    pub(crate) fn gives_nothing(&self) -> bool {
        !self.outputs.is_empty() && self.outputs.iter().all(|output| output.dims.contains(&0))
    }

    /// Whether an operand is in host memory that is no constant.
    pub(crate) fn has_host_memory(&self) -> bool {
        self.inputs.iter().chain(&self.outputs).any(|desc| is_on_host(desc) && desc.extra.constant.is_none())
    }

    /// The elements of the inputs that do not change, as they are now.
    pub(super) fn constants(&self) -> Vec<Option<Arc<[u8]>>> {
        self.inputs.iter().map(|input| input.extra.constant.as_deref().map(Arc::from)).collect()
    }
}

impl Signature {
    pub(super) fn of(request: &Request) -> Answer<Self> {
        let name = &request.name;
        let operands = |descs: &[TensorDesc], what: &str, mismatch: i32| {
            let operand = |(index, desc)| Operand::of(&format!("{name}, {what} {index}"), desc, mismatch);
            descs.iter().enumerate().map(operand).collect::<Answer<Vec<_>>>()
        };
        Ok(Self {
            name: name.clone(),
            attributes: request.attributes.clone(),
            inputs: operands(&request.inputs, "input", ACL_ERROR_OP_INPUT_NOT_MATCH)?,
            outputs: operands(&request.outputs, "output", ACL_ERROR_OP_OUTPUT_NOT_MATCH)?,
        })
    }

    /// The operator itself, once its attributes and the number of its operands are right.
    pub(super) fn operator(&self) -> Answer<Operator> {
        let operator = Operator::read(&self.name, &self.attributes, &self.inputs)?;
        if self.outputs.len() != 1 {
            let text = format!("{}: found {} outputs, expected 1", self.name, self.outputs.len());
            return Err(miscounted(Failure::new(ACL_ERROR_OP_OUTPUT_NOT_MATCH, text)));
        }
        Ok(operator)
    }

    pub(super) fn has_open_input(&self) -> bool {
        self.inputs.iter().any(Operand::is_open)
    }

    /// The output for these inputs, which the description of the output has to allow.
    pub(super) fn output(&self, operator: Operator) -> Answer<Operand> {
        let name = &self.name;
        if let Some((index, open)) = self.inputs.iter().enumerate().find(|(_, input)| input.is_open()) {
            let text = format!("{name}, input {index}: found dims {:?}, expected sizes without -1", open.dims);
            return Err(Failure::new(ACL_ERROR_OP_INPUT_NOT_MATCH, text));
        }
        let output = operator.output(name, &self.inputs)?;
        let refuse =
            |text: String| Err(Failure::new(ACL_ERROR_OP_OUTPUT_NOT_MATCH, format!("{name}, output 0: {text}")));
        match self.outputs.first() {
            Some(described) if described.element != output.element => {
                refuse(format!("found {}, expected {}", described.element, output.element))
            }
            Some(described) if !described.allows(&output.dims) => {
                refuse(format!("found dims {:?}, expected {:?}", described.dims, output.dims))
            }
            _ => Ok(output),
        }
    }
}

impl Plan {
    pub(crate) fn new(request: &Request) -> Answer<Self> {
        let signature = Signature::of(request)?;
        let operator = signature.operator()?;
        let output = signature.output(operator)?;
        let model = graphs::model(operator, &signature.inputs, &output)?;
        let source = |(constant, desc): (Option<Arc<[u8]>>, &TensorDesc)| match constant {
            Some(elements) => Source::Constant(elements),
            None if is_on_host(desc) => Source::Host,
            None => Source::Device,
        };
        let sources = request.constants().into_iter().zip(&request.inputs).map(source).collect();
        Ok(Self { signature, model, sources, output })
    }

    pub(crate) fn name(&self) -> &str {
        &self.signature.name
    }

    /// The elements of the inputs that do not change.
    pub(super) fn constants(&self) -> Vec<Option<Arc<[u8]>>> {
        let constant = |source: &Source| match source {
            Source::Constant(elements) => Some(Arc::clone(elements)),
            Source::Device | Source::Host => None,
        };
        self.sources.iter().map(constant).collect()
    }

    /// Whether the caller left the output's shape to the operator.
    pub(crate) fn is_open(&self) -> bool {
        self.signature.outputs.iter().any(Operand::is_open)
    }

    /// Refuses what a call that takes fixed shapes only cannot take: nothing is found for it (100024).
    pub(crate) fn fixed(self) -> Answer<Self> {
        if !self.is_open() {
            return Ok(self);
        }
        let name = &self.signature.name;
        let text = format!(
            "{name}, output 0: found open dims, expected {:?}: this call takes fixed shapes only; aclopExecuteV2 takes \
             open ones",
            self.output.dims
        );
        Err(Failure::new(ACL_ERROR_OP_NOT_FOUND, text))
    }

    /// The bytes of each input.
    pub(crate) fn input_bytes(&self) -> Vec<usize> {
        self.signature.inputs.iter().map(|input| input.bytes().unwrap_or_default()).collect()
    }

    /// The dims of the output.
    pub(crate) fn output_dims(&self) -> &[i64] {
        &self.output.dims
    }
}
