//! What is written about a protocol: its diagram, and the page of its module.

use crate::protocol::{Edge, Point, Protocol};
use std::fmt::Write as _;

pub(super) fn diagram(protocol: &Protocol) -> String {
    let lines = protocol.edges.iter().filter(|edge| !edge.implied).map(|edge| format!("    {edge}\n"));
    format!("stateDiagram-v2\n{}", lines.collect::<String>())
}

/// What follows the declaration's own documentation: the diagram for those who can draw it, a table for everyone.
pub(super) fn module(protocol: &Protocol) -> String {
    let documented = protocol.header.attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
    let summary = if documented { String::new() } else { format!("The life cycle of `{}`.\n", protocol.object()) };
    let mut page = format!("{summary}\n# Life cycle\n\n```mermaid\n{}```\n\n", diagram(protocol));
    page.push_str("| from | operation | to | when the call fails | why |\n| --- | --- | --- | --- | --- |\n");
    for done in protocol.edges.iter().filter(|edge| !edge.fails) {
        let failed = protocol.failed(done).filter(|edge| !edge.implied);
        let then = failed.map_or_else(|| stays(done), |edge| format!("`{}`", edge.to));
        let why = [Some(done), failed]
            .into_iter()
            .flatten()
            .map(|edge| edge.why.trim_end_matches('.'))
            .filter(|why| !why.is_empty());
        let why = why.collect::<Vec<_>>().join("; ").replace('|', "\\|");
        // Writing to a string does not fail.
        let _ = writeln!(page, "| `{}` | `{}` | `{}` | {then} | {why} |", done.from, done.operation, done.to);
    }
    page
}

fn stays(edge: &Edge) -> String {
    match &edge.from {
        Point::State(state) => format!("stays `{state}`"),
        Point::Start | Point::End => "no object".to_owned(),
    }
}

impl std::fmt::Display for Edge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} --> {} : {}", self.from, self.to, self.operation)?;
        if self.fails { f.write_str(" fails") } else { Ok(()) }
    }
}
