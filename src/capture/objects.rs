//! The operands of a graph as objects with numbers.

use crate::error::Error;
use crate::ffi::{RawBuffer, RawGraph, RawOperator};
use crate::model::CapturedModel;
use crate::operator::CapturedOperator;
use std::any::Any;
use std::sync::Arc;

/// An object that a graph owns.
pub(super) enum Object {
    Memory(Arc<RawBuffer>),
    Model(CapturedModel),
    Operator(CapturedOperator),
    /// The object was taken out for a call of the library.
    Taken,
}

/// The objects of a capture that is about to begin, or of an existing graph.
pub struct Objects<'g> {
    /// `None` if the graph keeps the rows already.
    graph: Option<&'g RawGraph>,
    objects: Vec<Object>,
    names: Vec<String>,
}

impl<'g> Objects<'g> {
    pub(super) fn new(graph: &'g RawGraph) -> Self {
        Self { graph: Some(graph), objects: Vec::new(), names: Vec::new() }
    }

    /// For the operands of an existing graph.
    pub(super) fn of_a_graph() -> Self {
        Self { graph: None, objects: Vec::new(), names: Vec::new() }
    }

    /// The operator with this number.
    pub(super) fn operator(&self, object: usize) -> Result<Arc<RawOperator>, Error> {
        match self.objects.get(object) {
            Some(Object::Operator(operator)) => Ok(Arc::clone(operator.raw())),
            _ => Err(Error::OtherCapture),
        }
    }

    /// Whether the graph gets these operands now, so that none of its tasks uses them yet.
    pub(super) fn are_new(&self) -> bool {
        self.graph.is_some()
    }

    pub(super) fn into_parts(self) -> (Vec<Object>, Vec<String>) {
        (self.objects, self.names)
    }

    pub(super) fn into_names(self) -> Vec<String> {
        self.names
    }

    /// Adds an object and returns its number. From now on the graph keeps the object's rows.
    pub(super) fn add(&mut self, kind: &str, object: Object) -> usize {
        let keep = |row: Arc<dyn Any + Send + Sync>| {
            if let Some(graph) = self.graph {
                graph.needs().rows.push(row);
            }
        };
        match &object {
            Object::Memory(block) => keep(Arc::clone(block) as _),
            Object::Model(model) => model.rows().into_iter().for_each(keep),
            Object::Operator(operator) => operator.rows().into_iter().for_each(keep),
            Object::Taken => {}
        }
        self.objects.push(object);
        self.names.push(format!("{kind} {}", self.names.len()));
        self.objects.len() - 1
    }
}
