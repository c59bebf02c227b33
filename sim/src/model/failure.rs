//! Why a model could not be loaded, or not be run.

use super::port::Port;
use std::fmt;

/// Why a file is not a model that the simulator can run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoadFailure {
    /// There are no bytes.
    Empty,
    /// The bytes are not an ONNX file, or a damaged one.
    NotOnnx(String),
    /// The graph uses an operator that `rten` lacks.
    MissingOperator {
        /// The operator's ONNX name.
        operator: String,
        /// The name of the node that uses it, if it has one.
        node: Option<String>,
    },
    /// A node asks for something that the simulator does not do, or would not do rightly.
    Node {
        /// The node, as messages call it: its name, or its position, with its operator.
        node: String,
        /// The operator's ONNX name.
        operator: String,
        /// The attribute that asks for it, and its value.
        attribute: Option<(String, String)>,
        /// The unsupported feature.
        why: String,
    },
    /// An input or output is declared in a way that the simulator does not support.
    Port {
        /// Its name.
        name: String,
        /// The problem.
        problem: String,
    },
    /// The list of gears in the metadata is not usable.
    Gears(String),
    /// `rten` refuses the graph; its own words.
    Refused(String),
}

/// Why a run did not happen, or did not finish.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunFailure {
    /// The wrong number of inputs was given.
    InputCount {
        /// How many were given.
        found: usize,
        /// How many the model has.
        expected: usize,
    },
    /// An input does not fit its port.
    Input {
        /// Which one, counted from 0.
        index: usize,
        /// Its name.
        name: String,
        /// The given value.
        found: String,
        /// The value that the model takes.
        expected: String,
    },
    /// A buffer is too small for an output.
    OutputSpace {
        /// Bytes there are.
        found: usize,
        /// Bytes the output has.
        expected: usize,
    },
    /// A value would be larger than the memory that this process can have.
    NoRoom {
        /// What would be so large.
        what: String,
    },
    /// `rten` gave up, or gave something other than the file declares.
    Refused(String),
    /// The answer would be wrong: a value does not fit into what the simulator calculates it in.
    Unfit(String),
}

/// What is wrong with an input, before it is known which one it is.
pub(super) struct Misfit {
    pub(super) found: String,
    pub(super) expected: String,
}

impl Misfit {
    pub(super) fn at(self, index: usize, port: &Port) -> RunFailure {
        RunFailure::Input { index, name: port.name.clone(), found: self.found, expected: self.expected }
    }
}

impl LoadFailure {
    pub(super) fn port(name: &str, problem: impl Into<String>) -> Self {
        Self::Port { name: name.to_string(), problem: problem.into() }
    }
}

impl fmt::Display for LoadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "the model is empty (0 bytes)"),
            Self::NotOnnx(why) => write!(f, "this is not an ONNX file: {why}"),
            Self::MissingOperator { operator, node: Some(node) } => {
                write!(f, "the simulator has no operator {operator}, which node `{node}` of the model uses")
            }
            Self::MissingOperator { operator, node: None } => {
                write!(f, "the simulator has no operator {operator}, which the model uses")
            }
            Self::Node { node, attribute: Some((name, value)), why, .. } => {
                write!(f, "the model cannot be loaded: {node}: attribute `{name}` is {value}: {why}")
            }
            Self::Node { node, why, .. } => write!(f, "the model cannot be loaded: {node}: {why}"),
            Self::Port { name, problem } => write!(f, "the model's `{name}` cannot be used: {problem}"),
            Self::Gears(why) => write!(f, "the model's gears cannot be used: {why}"),
            Self::Refused(why) => write!(f, "the model cannot be loaded: {why}"),
        }
    }
}

impl fmt::Display for RunFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InputCount { found, expected } => write!(f, "found {found} inputs, expected {expected}"),
            Self::Input { index, name, found, expected } => {
                write!(f, "input {index} (`{name}`): found {found}, expected {expected}")
            }
            Self::OutputSpace { found, expected } => {
                write!(f, "the output has {expected} bytes, but the buffer for it only {found}")
            }
            Self::NoRoom { what } => write!(f, "there is no memory for {what}"),
            Self::Refused(why) => write!(f, "the model failed while running: {why}"),
            Self::Unfit(why) => write!(f, "the model was stopped before it answers wrongly: {why}"),
        }
    }
}

impl std::error::Error for LoadFailure {}

impl std::error::Error for RunFailure {}
