//! A checked life cycle, from which the code is generated.

use crate::parse::{Declaration, Header, Line, Place, StateLine, Wording, ids_in};
use proc_macro2::{Ident, Span};
use syn::Attribute;
use syn::ext::IdentExt;

pub(crate) struct Protocol {
    pub(crate) header: Header,
    pub(crate) states: Vec<State>,
    pub(crate) operations: Vec<Operation>,
    /// The declared lines, and an implied failure for each operation without a declared failure. An implied failure
    /// keeps the state.
    pub(crate) edges: Vec<Edge>,
}

pub(crate) struct State {
    pub(crate) name: Ident,
    pub(crate) parameters: Vec<Ident>,
    pub(crate) documentation: Vec<Attribute>,
}

pub(crate) struct Operation {
    /// The name as declared: `set_current`.
    pub(crate) name: String,
    /// The name as a variant: `SetCurrent`.
    pub(crate) variant: Ident,
    pub(crate) message: String,
    pub(crate) label: Option<String>,
    pub(crate) notes: Vec<String>,
}

pub(crate) struct Edge {
    pub(crate) from: Point,
    pub(crate) operation: String,
    pub(crate) fails: bool,
    /// The name of an outcome other than plain success: `end_of_data`.
    pub(crate) outcome: Option<Ident>,
    pub(crate) to: Point,
    /// The position of its operation in the declaration.
    pub(crate) place: Span,
    pub(crate) why: String,
    /// Whether the edge was not declared: a failure that keeps the state.
    pub(crate) implied: bool,
}

#[derive(Clone, PartialEq)]
pub(crate) enum Point {
    Start,
    /// The name has the span of the line.
    State(Ident),
    End,
}

impl Protocol {
    pub(crate) fn new(declaration: Declaration) -> Self {
        let Declaration { header, lines, states, wordings } = declaration;
        let object = header.name.unraw().to_string();
        Self {
            states: states_of(&lines).into_iter().map(|name| State::new(name, &states)).collect(),
            operations: operations_of(&lines)
                .into_iter()
                .map(|name| Operation::new(&name, &object, &wordings, &lines))
                .collect(),
            edges: edges(&lines),
            header,
        }
    }

    /// The name of the module, which is the name of the object.
    pub(crate) fn object(&self) -> String {
        self.header.name.unraw().to_string()
    }

    /// The edges for the plain success of an operation. Each state that allows the operation has one.
    pub(crate) fn done(&self, operation: &Operation) -> impl Iterator<Item = &Edge> {
        self.edges.iter().filter(|edge| edge.operation == operation.name && edge.is_plain())
    }

    /// The names of the outcomes besides success and failure, each once.
    pub(crate) fn outcomes(&self) -> Vec<&Ident> {
        each_once(self.edges.iter().filter_map(|edge| edge.outcome.as_ref()))
    }

    /// The operations that start in a state. Each of them has a bound.
    pub(crate) fn bounded(&self) -> impl Iterator<Item = &Operation> {
        self.operations.iter().filter(|operation| self.done(operation).any(|edge| edge.from.state().is_some()))
    }

    /// The edge, declared or implied, for the failure of an edge's operation.
    pub(crate) fn failed(&self, done: &Edge) -> Option<&Edge> {
        self.edges.iter().find(|edge| edge.fails && edge.from == done.from && edge.operation == done.operation)
    }

    /// The rules that the lines and the notes of an operation name.
    pub(crate) fn rules(&self, operation: &Operation) -> Vec<String> {
        let whys = self.edges.iter().filter(|edge| edge.operation == operation.name).map(|edge| edge.why.as_str());
        let texts: Vec<&str> = operation.notes.iter().map(String::as_str).chain(whys).collect();
        ids_in(&texts.join("\n"))
    }
}

impl State {
    fn new(name: Ident, states: &[StateLine]) -> Self {
        let line = states.iter().find(|line| line.name == name);
        Self {
            parameters: line.map(|line| line.parameters.clone()).unwrap_or_default(),
            documentation: line.map(|line| line.documentation.attributes.clone()).unwrap_or_default(),
            name,
        }
    }
}

impl Operation {
    fn new(name: &Ident, object: &str, wordings: &[Wording], lines: &[Line]) -> Self {
        let wording = wordings.iter().find(|wording| wording.operation.unraw() == name.unraw());
        let name_as_declared = name.unraw().to_string();
        let message = wording.and_then(|wording| wording.message.as_ref()).map(syn::LitStr::value);
        Self {
            message: message
                .unwrap_or_else(|| format!("`{name_as_declared}` cannot be done on `{object}` in state `{{Self}}`")),
            label: wording.and_then(|wording| wording.label.as_ref()).map(syn::LitStr::value),
            notes: match wording {
                Some(wording) if !wording.notes.is_empty() => wording.notes.iter().map(syn::LitStr::value).collect(),
                _ => reasons(name, lines),
            },
            variant: Ident::new(&camel(&name_as_declared), name.span()),
            name: name_as_declared,
        }
    }

    /// The trait of the states in which the operation can be done.
    pub(crate) fn bound(&self) -> Ident {
        Ident::new(&bound(&self.name), self.variant.span())
    }

    /// The trait above [`bound`](Self::bound), which code outside the generated module cannot name.
    pub(crate) fn seal(&self) -> Ident {
        Ident::new(&format!("Seals{}", bound(&self.name)), Span::call_site())
    }
}

impl Point {
    pub(crate) fn state(&self) -> Option<&Ident> {
        match self {
            Self::State(state) => Some(state),
            Self::Start | Self::End => None,
        }
    }
}

impl std::fmt::Display for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::State(state) => state.fmt(f),
            Self::Start | Self::End => f.write_str("[*]"),
        }
    }
}

/// The variant `EndOfData` for the outcome `end_of_data`.
pub(crate) fn outcome_variant(outcome: &Ident) -> Ident {
    Ident::new(&camel(&outcome.unraw().to_string()), outcome.span())
}

/// The trait `CanSetCurrent` for the operation `set_current`.
pub(crate) fn bound(operation: &str) -> String {
    format!("Can{}", camel(operation))
}

/// `SetCurrent` for `set_current`.
pub(crate) fn camel(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    });
    words.collect()
}

/// The states in the order of their first appearance.
pub(crate) fn states_of(lines: &[Line]) -> Vec<Ident> {
    let mut states: Vec<Ident> = Vec::new();
    for place in lines.iter().flat_map(|line| [&line.from, &line.to]) {
        if let Place::State(state) = place
            && !states.contains(state)
        {
            states.push(state.clone());
        }
    }
    states
}

/// The operations in the order of their first appearance.
pub(crate) fn operations_of(lines: &[Line]) -> Vec<Ident> {
    each_once(lines.iter().map(|line| &line.operation)).into_iter().cloned().collect()
}

/// The outcomes with a name, in the order of their first appearance.
pub(crate) fn outcomes_of(lines: &[Line]) -> Vec<Ident> {
    each_once(lines.iter().filter_map(|line| line.outcome.as_ref())).into_iter().cloned().collect()
}

fn each_once<'a>(names: impl Iterator<Item = &'a Ident>) -> Vec<&'a Ident> {
    let mut once: Vec<&Ident> = Vec::new();
    for name in names {
        if !once.iter().any(|known| known.unraw() == name.unraw()) {
            once.push(name);
        }
    }
    once
}

/// The comments of an operation's lines. A user who called the operation in the wrong state needs them.
fn reasons(operation: &Ident, lines: &[Line]) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for line in lines.iter().filter(|line| line.operation.unraw() == operation.unraw()) {
        // The compiler reads a brace as a placeholder.
        let reason = line.documentation.text.trim_end_matches('.').replace('{', "{{").replace('}', "}}");
        if !reason.is_empty() && !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
}

fn edges(lines: &[Line]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for line in lines {
        let edge = Edge::declared(line);
        let fails_explicitly = lines.iter().any(|other| other.fails.is_some() && other.starts_as(line));
        let implied = (edge.is_plain() && !fails_explicitly).then(|| edge.implied_failure());
        edges.push(edge);
        edges.extend(implied);
    }
    edges
}

impl Edge {
    fn declared(line: &Line) -> Self {
        let point = |place: &Place, outside: Point| match place {
            Place::Outside(_) => outside,
            Place::State(state) => Point::State(state.clone()),
        };
        Self {
            from: point(&line.from, Point::Start),
            operation: line.operation.unraw().to_string(),
            fails: line.fails.is_some(),
            outcome: line.outcome.clone(),
            to: point(&line.to, Point::End),
            place: line.operation.span(),
            why: line.documentation.text.clone(),
            implied: false,
        }
    }

    /// Whether this edge is the plain success of its operation.
    pub(crate) fn is_plain(&self) -> bool {
        !self.fails && self.outcome.is_none()
    }

    /// The outcome as a variant: `EndOfData`.
    pub(crate) fn variant(&self) -> Ident {
        match &self.outcome {
            Some(outcome) => outcome_variant(outcome),
            None => Ident::new(if self.fails { "Failed" } else { "Done" }, Span::call_site()),
        }
    }

    /// The implied failure of an edge: it keeps the state.
    fn implied_failure(&self) -> Self {
        Self {
            from: self.from.clone(),
            operation: self.operation.clone(),
            fails: true,
            outcome: None,
            to: self.from.clone(),
            place: self.place,
            why: String::new(),
            implied: true,
        }
    }
}
