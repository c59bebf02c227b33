//! The kinds of objects that errors of this crate name.

use ascendcl::error::{ForeignKind, ObjectKind};
use ascendcl_rules::{GE_09, GE_11, GE_20, GE_21};

/// A session of the graph engine.
pub const SESSION: ObjectKind = ObjectKind::foreign(&ForeignKind {
    name: "session of the graph engine",
    rules_of_use: &[GE_20],
    rules_of_life: &[GE_11],
    rules_of_context: &[GE_11],
});

/// A graph of the graph engine.
pub const GRAPH: ObjectKind = ObjectKind::foreign(&ForeignKind {
    name: "graph",
    rules_of_use: &[GE_20],
    rules_of_life: &[GE_11],
    rules_of_context: &[GE_11],
});

/// The outputs of a graph.
pub const GRAPH_OUTPUTS: ObjectKind = ObjectKind::foreign(&ForeignKind {
    name: "outputs of a graph",
    rules_of_use: &[GE_20, GE_21],
    rules_of_life: &[GE_09, GE_21],
    rules_of_context: &[GE_11],
});

#[cfg(test)]
mod tests {
    use super::*;
    use ascendcl::Error;

    #[test]
    fn the_errors_about_them_name_the_rules() {
        let said = [SESSION, GRAPH, GRAPH_OUTPUTS].map(|what| {
            let errors = [
                Error::StillRunning { what },
                Error::Gone { what },
                Error::WrongContext { what, owner: None, current: None },
            ];
            errors.map(|error| error.rules().iter().map(|rule| rule.as_str()).collect::<Vec<_>>().join(" "))
        });
        let expected =
            [["GE-20", "GE-11", "GE-11"], ["GE-20", "GE-11", "GE-11"], ["GE-20 GE-21", "GE-09 GE-21", "GE-11"]];
        assert_eq!(said, expected);
        let gone = Error::Gone { what: GRAPH }.to_string();
        assert_eq!(gone, "the graph was already destroyed [GE-11]");
    }
}
